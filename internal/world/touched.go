package world

import (
	"macemc/internal/contract"
	"macemc/internal/state"
	"macemc/sim"
)

// Touched returns the parts that the current step has touched, or the last step if none is running.
// It needs Watch to have been called before. The next step overwrites the result.
func (st *State) Touched() *state.Touched { return st.sums.Touched() }

// Watch makes the world record which parts its steps touch, and which they change.
func (st *State) Watch() { st.sums.Watch() }

// enabled records, before event h is taken, the parts that made it possible.
func (es *Events) enabled(h *happening) {
	l, i := es.links, int(h.At)
	t, at := l.Sums().Touched(), l.Sums().Places
	if !t.On() {
		return
	}
	if h.At >= 0 && h.Node != (sim.Addr{}) {
		why := state.Enabled
		if contract.Row(&h.Event).Runs() {
			why |= state.Ran
		}
		t.Add(at.Node(i), why)
	}
	if es.environ.faulty || es.environ.storm {
		t.Add(at.Cut(), state.Enabled)
		t.Add(at.Pauses(), state.Enabled)
	}
	if l.Slow() { // a slow message waits until no other event is possible, which depends on all parts
		for place := range at.Len() {
			t.Add(place, state.Enabled)
		}
	}
	switch h.Kind {
	case sim.KindMessage:
		if h.Link == sim.LinkSet {
			t.Add(at.Set(i), state.Enabled)
		}
	case sim.KindAction:
		if es.nodes.at[i].guards.Gathers() {
			t.Add(at.Set(i), state.Asked) // the identity of the action depends on the messages in the set
			t.Add(at.Cut(), state.Asked)
		}
	case sim.KindQuorum:
		for from := range es.n {
			t.Add(at.TCP(l.Channel(from, i)), state.Enabled)
			t.Add(at.UDP(l.Channel(from, i)), state.Enabled)
		}
		t.Add(at.Set(i), state.Enabled)
	case sim.KindTimer:
		t.Add(at.Budget(budgetEarly), state.Enabled)
		if es.environ.early == 0 {
			l.Asked(i, state.Enabled)
		}
	case sim.KindFlushed:
		for to := range es.n {
			t.Add(at.TCP(l.Channel(i, to)), state.Enabled)
		}
	case sim.KindRefused, sim.KindBreak, sim.KindReset:
		peer := h.From.Index()
		t.Add(at.Node(peer), state.Enabled)
		t.Add(at.TCP(l.Channel(i, peer)), state.Enabled)
		t.Add(at.TCP(l.Channel(peer, i)), state.Enabled)
	}
}
