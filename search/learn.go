package search

import (
	"fmt"
	"math"
	"slices"

	"macemc/internal/world"
	"macemc/sim"
)

// learn runs the handler of the k-th event of the position, on node i, for every
// list of answers to its coins, and returns the number of what it did.
func (m *memo) learn(state uint32, k, i int) (number uint32, err error) {
	x := m.x
	if err := m.flush(state); err != nil || x.violated != nil || x.full {
		return 0, err
	}
	x.w.Load(x.bank, m.v)
	x.w.Enabled()
	x.step.event = k
	x.step.coins.Reset()
	r := remembered{first: uint32(len(m.results))}
	for {
		x.lastEvent = k
		if err := x.step.take(x.w); err != nil {
			return 0, err
		}
		x.r.stats.Steps++
		x.r.stats.HandlerRuns++
		if x.violated = x.w.Failed(); x.violated != nil {
			x.lastCoins = x.step.coins.Answers()
			return 0, nil
		}
		one, sends, function := m.did(i)
		if !function {
			r.inWorld = true
		}
		var ok bool
		if one.coins, ok = x.lists.number(x.step.coins.Answers()); ok && k <= math.MaxUint16 {
			one.first = uint32(len(m.sends))
			m.sends = append(m.sends, sends...)
			one.last = uint32(len(m.sends))
			m.reaches(&r, sends)
			m.results = append(m.results, one)
		} else {
			x.sampled = true
		}
		x.w.Back(x.bank, m.v)
		if !x.moreCoins() {
			break
		}
	}
	if r.inWorld {
		m.results = m.results[:r.first]
	}
	r.last = uint32(len(m.results))
	m.known = append(m.known, r)
	number = uint32(len(m.known) - 1)
	return number, cmpErr(x.step.coins.Err(), m.verify(&m.known[number], k, i))
}

func cmpErr(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// verifyEvery is of how many steps that are looked up one is taken again.
const verifyEvery = 1 << 14

// verify takes a remembered step again: from the node as it is banked, and from
// its twin, which has the same identity and another history. Both must do what
// is remembered; if the twin does not, what is left out of the state matters.
func (m *memo) verify(r *remembered, k, i int) error {
	x := m.x
	r.twin = m.able[i].twin
	if r.inWorld {
		return nil
	}
	for _, twin := range [2]bool{false, true} {
		for j := r.first; j < r.last; j++ {
			x.w.Load(x.bank, m.v)
			if twin && !x.w.Twin(x.bank, i, m.v[i]) {
				return nil
			}
			x.r.pulse.tick()
			m.verifying = &verified{i, twin}
			was := m.results[j]
			x.lastEvent, x.lastCoins = k, x.lists.get(was.coins)
			x.w.Retake(k, x.lastCoins)
			m.verifying = nil
			again, sends, function := m.did(i)
			if !function || again.node != was.node || !slices.Equal(sends, m.sends[was.first:was.last]) {
				return m.differs(i, twin, "does something else")
			}
		}
	}
	return nil
}

// noteTwins notes which node parts have got a twin.
func (m *memo) noteTwins(twins []world.Twinned) {
	for _, t := range twins {
		m.ability(t.Node, t.Part).twin = true
		if m.v[t.Node] == t.Part {
			m.able[t.Node].twin = true
		}
	}
	m.twins += len(twins)
}

// verified is the node that a step is taken again on, for guarded: a step that
// asks for other choices, or fails, unwinds.
type verified struct {
	i    int
	twin bool
}

// differs says that a step which was taken again did not do the same.
func (m *memo) differs(i int, twin bool, what string) error {
	x := m.x
	field := "" // a node may differ from itself, if its handler is not a function
	if twin {
		field = x.bank.Hidden(i, m.v[i])
	}
	if field == "" { // the audit's business: hunt for the step that differs
		x.strayed = true
		x.violated = x.w.Failure(sim.VerdictNondeterminism, "")
		return nil
	}
	return x.r.leftOut(x.w.LastIdentity(), "a node that the state cannot tell from another "+what, field)
}

// leftOut is the error that two things which the state cannot tell apart behave
// differently.
func (r *runner) leftOut(at, what, field string) error {
	return fmt.Errorf("system %s: something that is left out of the state matters: at %q, %s; where they differ: %s; leave it in the state (System.Opaque, the tag mc:\"-\", or a Summary leaves it out)",
		r.sys.Name, at, what, field)
}

// did is what the handler has just done on node i, if that is a function of its
// node part alone.
func (m *memo) did(i int) (r result, sends []sending, function bool) {
	x := m.x
	if x.w.Tossed() {
		return r, nil, false
	}
	for _, e := range x.w.Effects() {
		switch e.Kind {
		case sim.EffectSend:
			to := x.w.Index(e.To)
			s := sending{message: x.w.Message(x.bank, e.Value)}
			switch e.Link {
			case sim.LinkTCP:
				s.place, s.room = int32(world.TCPPlace(m.n, to*m.n+i)), uint16(min(m.buffer, math.MaxUint16))
			case sim.LinkUDP:
				s.place, s.room = int32(world.UDPPlace(m.n, to*m.n+i)), uint16(min(m.datagrams, math.MaxUint16))
			default:
				s.place = int32(world.SetPlace(m.n, to))
			}
			sends = append(sends, s)
		case sim.EffectAfter, sim.EffectCancel, sim.EffectPost, sim.EffectLog: // part of the node's part
		default:
			return r, nil, false
		}
	}
	r.node = x.w.SaveNode(x.bank, i)
	r.delta = x.bank.Sum(i, r.node).Sub(x.bank.Sum(i, m.v[i]))
	return r, sends, true
}
