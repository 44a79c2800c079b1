package transport

import (
	"strconv"

	"macemc/sim"
)

// openedKey is the key under which the Store has the identifier of the connection that was opened
// last. The Store also has, for each peer, the least identifier of a new connection (leastKey) and
// the session of the peer (yoursKey). All this must survive a crash.
const openedKey = "transport: opened"

func leastKey(peer sim.Addr) string { return "transport: least of " + peer.String() }

// remember stores a number under a key, so that it survives a crash.
func remember(env sim.Env, key string, number int) {
	store := env.Store()
	store.Put(key, strconv.Itoa(number))
	if err := store.Sync(); err != nil {
		panic("transport: the disk fails: " + err.Error())
	}
}

// recall reads the numbers that earlier lives have stored, and reports whether there was an
// earlier life.
func (l *Layer) recall(env sim.Env) bool {
	store := env.Store()
	if !l.bug(env, MT12) {
		l.opened = number(store, openedKey)
	}
	for _, peer := range env.Peers() {
		if least := number(store, leastKey(peer)); least > 0 && !l.bug(env, MT11) {
			l.least[peer] = least
		}
		if yours := number(store, yoursKey(peer)); yours > 0 {
			l.sessions[peer] = session{yours: yours}
		}
	}
	return l.opened > 0 || len(l.least) > 0 || len(l.sessions) > 0
}

func number(store sim.Store, key string) int {
	text, is := store.Get(key)
	if !is {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		panic("transport: the store has another's value: " + err.Error())
	}
	return n
}
