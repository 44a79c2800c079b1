package explore

import (
	"encoding/binary"

	"macemc/internal/world"
	"macemc/sim"
)

// A sky is a list of the events that the environment has in a plain state (see Memo) if these events
// depend only on the environment's parts and on which nodes are absent. Such a state is steady.
// Steady states with the same environment and the same absent nodes share one list.
type sky struct {
	consequences, faults []overhead // the environment's events in the world's order: consequences come before the timers, faults after them
}

// overhead is an event of the environment, in a sky.
type overhead struct {
	sim.Event
	what   uint64 // the number that distinguishes it from like events: see Memo.what
	rare   bool   // it is not taken once the environment has healed
	spared bool   // it is left out: see Taker.spared
	left   bool   // it is left out: see Taker.Leaves
	class  int    // its kind for the Reduction, or none
}

// apart reports whether, in the position's state, no datagram is under way to an absent node and all
// connections with absent nodes are closed. Then the other nodes have the same events as if these
// nodes were present.
func (m *Memo) apart() bool {
	for _, p := range m.tcp {
		if c := int(p) - world.TCPPlace(m.n, 0); m.v[p] != 0 && (m.able[c/m.n].absent || m.able[c%m.n].absent) {
			return false
		}
	}
	for _, p := range m.udp {
		if c := int(p) - world.UDPPlace(m.n, 0); m.v[p] != 0 && m.able[c/m.n].absent {
			return false
		}
	}
	return true
}

// steady reports whether the environment's events in the position's state depend only on the
// environment's parts and on which nodes are absent, so that a sky lists them.
func (m *Memo) steady() bool {
	if m.noFootprints {
		return false
	}
	datagrams := false
	for _, p := range m.udp {
		datagrams = datagrams || m.v[p] != 0
	}
	return m.x.Bank.Steady(m.v, datagrams)
}

// ofSky takes the timers and the environment's events of the position's state. The first of them
// has the number k.
func (m *Memo) ofSky(state uint32, k int) (err error) {
	if m.sky == nil {
		m.look(m.skyOfWorld)
	}
	s := m.sky
	if k, err = m.overheads(state, k, s.consequences); err != nil {
		return err
	}
	if k, err = m.timers(state, k); err != nil {
		return err
	}
	if r := m.reduction; r != nil && len(s.faults) > 0 {
		r.turns(true)
		m.stands(state, &m.position)
	}
	_, err = m.overheads(state, k, s.faults)
	return err
}

func (m *Memo) overheads(state uint32, k int, events []overhead) (int, error) {
	for j := range events {
		e := &events[j]
		switch {
		case m.sleep != nil && m.sleep.only != nil: // a later round: the first one took it
		case m.partly && !m.takes(e.class, e.Kind.Fault()):
		case e.rare && m.x.Healed:
		case e.left:
		case e.spared:
			m.x.spares()
		default:
			if err := m.byParts(state, k, &e.Event, e.what); err != nil {
				return k, err
			}
		}
		k++
	}
	return k, nil
}

// look sets the sky of the position. If no steady state with the same environment and the same
// absent nodes was met before, it calls ask to make the sky.
func (p *position) look(ask func() *sky) {
	b := p.skyKey[:0]
	for _, id := range p.v[p.rest:p.bank.At().Healed()] {
		b = binary.AppendUvarint(b, uint64(id))
	}
	if p.gone > 0 {
		for i := range p.able {
			if p.able[i].absent {
				b = append(b, byte(i), byte(count(p.bank.Local(i, p.v[i]).Gone)))
			}
		}
	}
	if p.skyKey = b; p.skies[string(b)] == nil {
		if p.skies == nil {
			p.skies = map[string]*sky{}
		}
		p.skies[string(b)] = ask()
	}
	p.sky = p.skies[string(b)]
}

// add adds event e of the environment to the sky. It does nothing if e is an event of a node.
func (s *sky) add(e overhead) {
	switch {
	case e.Kind.Fault():
		s.faults = append(s.faults, e)
	case e.Kind == sim.KindRestart:
		s.consequences = append(s.consequences, e)
	}
}

// skyOfWorld makes the sky of the position from the events that the world lists.
func (m *Memo) skyOfWorld() *sky {
	m.stand()
	s, events, spent := new(sky), &m.x.World.Events, m.x.spent()
	for k := range events.Count() {
		e, _ := events.Found(k)
		s.add(overhead{Event: e, what: m.what(&e, 0, m.nth(&e, k)), rare: e.Kind.Weight() == 0, spared: spent && e.Kind.Fault(), left: m.x.leaves(k), class: m.x.Reduction.kind(&e)})
	}
	return s
}
