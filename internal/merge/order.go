package merge

import (
	"slices"

	"macemc/internal/record"
	"macemc/sim"
)

// advance looks at the next entry of each node, and takes the earliest one that can be taken now. If none
// can be, it takes the earliest of all, which is likely to end the path with a difference. It returns
// false if no entries are left, or if such a difference ended the path.
func (m *merger) advance() bool {
	var order []int
	for i, n := range m.nodes {
		if n.next() != nil {
			order = append(order, i)
		}
	}
	if len(order) == 0 {
		return false
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := m.nodes[a].next().At, m.nodes[b].next().At
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	for _, m.lenient = range []bool{false, true} {
		for _, i := range order {
			if m.ready(i) {
				m.take(i)
				return true
			}
		}
	}
	m.knotted = true
	m.take(order[0])
	return !m.stopped
}

// note updates what the merger knows about connections and lives from the entry e: a connection was opened
// or closed, or a life began. It ignores other entries.
func (m *merger) note(e *record.Entry) {
	switch e.Kind {
	case record.EntryLife:
		m.nodes[e.Node].life = e.Life
	case record.EntryOpened:
		m.opened[end{e.Node, e.Conn}] = opening{e.Peer, e.Other, e.Life}
	case record.EntryClosed:
		m.over[end{e.Node, e.Conn}] = true
	}
}

// silent reports whether a node, in its present life, delivers no more messages that arrive on a
// connection.
func (m *merger) silent(node int, conn uint64) bool {
	if m.lenient { // a close may be recorded later, as long as no message arrives on the connection
		last, is := m.last[end{node, conn}]
		return !is || m.nodes[node].at > last
	}
	if conn == 0 || m.over[end{node, conn}] {
		return true
	}
	o, is := m.opened[end{node, conn}]
	if is && o.mine != m.nodes[node].life {
		return true
	}
	n := m.nodes[node]
	if n.next() == nil || n.dead {
		return true
	}
	if is {
		return false
	}
	// The connection was not opened here yet: look whether it is opened later in this life.
	for k := n.at; k < len(n.entries); k++ {
		if n.entries[k].Kind == record.EntryOpened && n.entries[k].Conn == conn {
			return false
		}
	}
	return true
}

// ready reports whether the next entry of the i-th node may be taken now.
func (m *merger) ready(i int) bool {
	n := m.nodes[i]
	e := n.next()
	switch e.Kind {
	case record.EntryLife: // the life before is over, and all of its messages must have arrived
		return m.buried(i)
	case record.EntryStep:
	default:
		return true
	}
	s := e.Step
	if v := &s.Event; (sim.Event{Kind: v.Kind, Value: v.Value}).Leaves() && !m.buried(i) {
		return false
	}
	for _, r := range s.Resets {
		if !m.silent(r.Peer, r.Of) {
			return false
		}
	}
	switch v := &s.Event; v.Kind {
	case sim.KindMessage:
		from := m.nodes[v.From.Index()]
		if from.sends[v.Life] < v.Serial {
			return false
		}
		if v.Link != sim.LinkTCP {
			return true
		}
		for _, r := range from.refusals {
			if r.at >= from.at && r.life == v.Life && r.peer == i && r.acked < v.Serial && v.Serial <= r.sends {
				return false // a send to this node was refused while the message waited
			}
		}
		return m.find(v, i) >= 0
	case sim.KindError, sim.KindRefused:
		if v.Kind == sim.KindRefused && m.yetToHear(v.From.Index(), i) {
			return false // the peer must first get the error of an earlier connection
		}
		return m.silent(v.From.Index(), v.Conn)
	case sim.KindClear, sim.KindFlushed:
		return m.find(v, i) >= 0
	default:
		return true
	}
}

// yetToHear reports whether a node may still get the error that its connection with a peer broke: the
// record of the node's life goes on, and the World can deliver the error.
func (m *merger) yetToHear(node, peer int) bool {
	n := m.nodes[node]
	if n.dead || n.next() == nil || n.next().Kind == record.EntryLife {
		return false
	}
	return m.where(func(e *sim.Event) bool {
		return e.Kind == sim.KindError && e.Node.Index() == node && e.From.Index() == peer
	}) >= 0
}

// buried reports whether no further message can arrive from the i-th node's life that has ended: all its
// connections are silent at their other ends.
func (m *merger) buried(i int) bool {
	for at, o := range m.opened {
		if at.node != i && o.peer == i && o.life == m.nodes[i].life && !m.silent(at.node, at.conn) {
			return false
		}
	}
	for at, o := range m.opened {
		if at.node == i && o.mine == m.nodes[i].life && !m.silent(o.peer, at.conn) && m.nodes[o.peer].life == o.life {
			return false
		}
	}
	return true
}
