package transport

import "macemc/sim"

// paired is a datagram of a Layer with Options.Paired, so that an error cuts both directions. It also
// has the sessions of both ends.
// A node begins another session with a peer when it restarts or gives up the peer; a peer that
// learns of a new session gets an error. A datagram whose sender did not know the receiver's
// present session was sent before the cut, and counts as lost.
type paired struct {
	mine, yours int // the sender's session, and the receiver's as far as the sender knows
	datagram    sim.Message
}

// session has the sessions of two nodes with each other, as one of them knows them. Sessions are
// numbered like connections, in ascending order.
type session struct{ mine, yours int }

func yoursKey(peer sim.Addr) string { return "transport: session of " + peer.String() }

// transfer sends datagram m to node to. With Options.Paired it adds the sessions.
func (l *Layer) transfer(env sim.Env, to sim.Addr, m sim.Message) {
	if l.options.Paired {
		s := l.sessions[to]
		m = paired{s.mine, s.yours, m}
	}
	env.UDP().Send(to, m)
}

// begin begins another session of this node with a peer. It opens a connection whose first packet
// informs the peer.
func (l *Layer) begin(env sim.Env, peer sim.Addr) {
	l.opened++
	remember(env, openedKey, l.opened)
	l.sessions[peer] = session{l.opened, l.sessions[peer].yours}
	l.announce(env, peer)
}

// announce opens a connection whose first packet contains no message, but informs the peer of the
// session. The packet is sent again until it is acknowledged.
func (l *Layer) announce(env sim.Env, peer sim.Addr) {
	o := l.open(env, peer)
	l.take(env, o, []sim.Message{begun{}})
	l.pump(env, peer, o)
}

// within reports whether datagram m of node from belongs to the present sessions of both ends. If m
// shows that from has begun another session, within first closes the connections of the old one.
func (l *Layer) within(env sim.Env, from sim.Addr, m paired) bool {
	s := l.sessions[from]
	if m.mine < s.yours {
		return false // late
	}
	cut := false
	if m.mine > s.yours {
		cut = l.in[from] != nil || l.out[from] != nil
		s.yours = m.mine
		l.sessions[from] = s
		remember(env, yoursKey(from), s.yours)
		delete(l.in, from)
		l.closeOut(env, from)
	}
	known := m.yours == s.mine
	if !known && l.out[from] == nil {
		l.announce(env, from)
	}
	if cut {
		l.fail(env, from)
	}
	return known
}
