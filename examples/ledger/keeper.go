package ledger

import (
	"strconv"
	"time"

	"macemc/sim"
)

// claim asks the keeper for the lease, or for a longer lease. Number is a number that the sender chose.
type claim struct{ Number int }

// grant grants the lease from the time at which claim Number was sent.
type grant struct{ Number, Epoch int }

// expire is the timer after which the lease is free.
type expire struct{}

const lease = 2 * time.Second

// keeper grants the lease. The epoch survives a crash, but not who holds the lease, so after a crash
// it grants nothing for the length of a lease.
type keeper struct {
	Epoch  int
	Holder sim.Addr
	Waits  bool // the lease may be held from before a crash
}

var handlers = sim.Handle(sim.OnInit((*keeper).begin), sim.OnMessage((*keeper).claim), sim.OnSignal((*keeper).expire), sim.OnSignal((*keeper).broken))

func newKeeper(sim.Params, sim.Addr) sim.Node { return handlers.Node(&keeper{}) }

func (k *keeper) begin(env sim.Env) {
	store := env.Store()
	before, is := store.Get("epoch")
	k.Epoch, _ = strconv.Atoi(before)
	if k.Waits = is; is {
		env.After(lease, expire{})
	}
}

func (k *keeper) claim(env sim.Env, from sim.Addr, c claim) {
	if k.Waits || !k.Holder.IsZero() && k.Holder != from {
		return
	}
	if k.Holder.IsZero() {
		k.Holder = from
		k.Epoch++
		env.Store().Put("epoch", strconv.Itoa(k.Epoch))
		_ = env.Store().Sync()
	}
	env.After(lease, expire{})
	env.TCP().Send(from, grant{c.Number, k.Epoch})
}

func (k *keeper) expire(sim.Env, expire) { k.Holder, k.Waits = sim.Addr{}, false }

func (k *keeper) broken(sim.Env, sim.PeerError) {} // who holds the lease claims again
