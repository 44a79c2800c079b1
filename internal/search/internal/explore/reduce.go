package explore

import (
	"reflect"
	"slices"

	"macemc/internal/canon"
	"macemc/internal/search/internal/stubborn"
	"macemc/internal/state"
	"macemc/internal/world"
	"macemc/sim"
)

// A Reduction takes only the events of some kinds in a state, if these suffice: see package stubborn, which has the
// proof. This type supplies what the proof needs.
//
// The kind of an event is its node and what the node takes: the type of a signal, or the type of a message with its
// sender and its link. After each execution in the world, observe records which kinds of events it made pending,
// and whether it was visible (it may change the value of a property) or barred (it touched more than its node and
// messages). A step that is looked up was executed before.
//
// A state is expanded in part only if all of this is true: the environment is calm (no partition, no slow link, no
// paused node, no limit on timers); the only faults left are failures of nodes and losses of datagrams; each node is
// up or has failed; no connection has anything but messages; and none of these messages is to or from a node that
// failed. In other states all steps are taken. So other faults, their consequences, and healing are never put off:
// the steps that are put off touch nodes and messages only. A failure, a restart and a loss are events of their
// nodes. All steps of a state are taken, too, if one of the steps that would suffice is visible.
//
// Mend ends a level. It finds the states whose choice no longer agrees with the observations, and those that
// violate the proviso, and takes the steps of these states that were left out.
//
// The proviso is: if only some steps of a state were taken, one of them that is no fault leads to a state with a
// greater number. Numbers are finite, so from each state a path of steps that were taken ends at a state whose
// steps were all taken.
type Reduction struct {
	Stats  ReductionStats
	Lively bool // everything that liveness depends on is visible
	Waits  bool // all steps are taken and only observed: see Explorer.Again

	tried bool // it has been tried: it has waited before
	loses bool // datagrams may be lost: there was a budget for that at the start

	facts   *stubborn.Facts
	classes map[kind]stubborn.Class
	parts   [][]*pending // by place and number of a part
	taken   [][]canon.Hash
	known   [][]bool // by node and part: taken has its value
	n       int
	at      state.Places
	v       world.Vector
	mixed   world.Vector // the state with one node replaced: see declared
	here    stubborn.Situation

	answers map[canon.Hash]*answer // by situation
	all     []*answer
	mended  int        // the version of the facts by which all answers were last checked
	again   []omission // states whose left-out steps must be taken after all

	part    []partial // states of this level that were expanded in part
	resting []resting
	now     int32 // index in part of the state that is being expanded, or none
	shows   bool  // a visible step of that state was taken

	possible [][]stubborn.Class // for each event of the state that is loaded in the world: its kinds
	fault    []bool             // by event: it is a fault
	aside    bool               // the steps that are being taken now are faults
	failures stubborn.Set       // the kinds of faults
	before   stubborn.Set       // the kinds that were pending for the running node before the step
	taking   canon.Hash         // the identity of the values that sim.Takes took from it before the step
	acting   []stubborn.Class   // the kinds of the event that is being taken
	emits    bool               // the last step is visible
	audits   int
	audited  []audited         // states that will be audited when the level ends
	whys     map[hindrance]int // number of states whose steps were all taken, by the reason

	// For tests: each of these leaves a part of the reduction out.
	NoVoid, NoProviso, NoVisible bool

	// Merge reports whether messages of a type in sets and bags are of one kind, whoever has sent
	// them. Tables use it to show the gain of kinds with senders. If Merge is nil, every kind has
	// its sender.
	Merge func(of reflect.Type) bool

	// Static makes a reduction consider all kinds of events, whether they are pending or not, like
	// a reduction that knows only the transitions in a program's text.
	Static bool
}

// ReductionStats counts the states of which steps were left out, and these steps.
type ReductionStats struct {
	Parted  int // states of which only some steps were taken
	Voided  int // of these, states whose other steps were taken later because of a new observation
	Cycles  int // of these, states whose other steps were taken later because of the proviso: see Reduction
	Visible int // states whose steps were all taken because a step that would have been enough is visible
	Left    int // steps that were left out and not taken later
	Audited int // pairs of a left-out step and a taken step that were taken in both orders
}

func (s *ReductionStats) part(left int) { s.Parted, s.Left = s.Parted+1, s.Left+left }
func (s *ReductionStats) take(left int) { s.Left -= left }
func (s *ReductionStats) see(is bool)   { s.Visible += count(is) }
func (s *ReductionStats) void()         { s.Voided++ }
func (s *ReductionStats) cycle()        { s.Cycles++ }
func (s *ReductionStats) audit()        { s.Audited++ }

// A parter takes some of the steps of state s: if of is true the steps of the given kinds, otherwise all others. It
// returns the number of steps that it took, faults not counted, and the number that it left out.
type parter interface {
	some(s uint32, kinds stubborn.Set, of bool) (taken, left int, err error)
}

// Reduce makes the explorer take only events of some kinds in states where these suffice: see package stubborn. It
// must be called before the first state is expanded. If waits is true, all steps are taken, and the reduction only
// observes what they do.
func (x *Explorer) Reduce(waits bool) *Reduction {
	x.World.State.Watch()
	r := newReduction(x.World.Params().Nodes, x.Bank.At(), waits)
	for s := range x.Each {
		x.Get(s, x.To)
		r.lets(x.To)
	}
	x.reduces(r)
	if m := x.Memo(); m != nil {
		m.reduces(r)
	}
	return r
}

func newReduction(n int, at state.Places, waits bool) *Reduction {
	return &Reduction{
		n: n, at: at, Waits: waits, v: make(world.Vector, at.Len()), mixed: make(world.Vector, at.Len()), facts: &stubborn.Facts{},
		classes: map[kind]stubborn.Class{}, parts: make([][]*pending, at.Len()), answers: map[canon.Hash]*answer{},
		taken: make([][]canon.Hash, n), known: make([][]bool, n), now: none, whys: map[hindrance]int{},
	}
}

// lets records that datagrams may be lost in the explored runs, if the start state has a budget for
// losses. The argument first is a start state.
func (r *Reduction) lets(first world.Vector) {
	r.loses = r.loses || first[r.at.Budget(sim.KindLose.Budget())] != 0
}

// Hides reports whether the visited states are not enough to decide liveness, because steps were left out. faults
// says whether the explored runs may have faults.
func (r *Reduction) Hides(faults bool) bool { return r != nil && !r.Waits && (faults || !r.Lively) }

// Gathers reports whether a node of the start states offers actions that depend on the messages in its set. The
// events of such a node depend on more than its own state.
func (x *Explorer) Gathers() bool {
	for s := range x.Each {
		x.Get(s, x.To)
		for i := range x.World.Params().Nodes {
			if x.Bank.Gathers(i, x.To[i]) {
				return true
			}
		}
	}
	return false
}

// Expand takes the steps of a state; with a Reduction, only those that suffice.
func (x *Explorer) Expand(s uint32) error {
	r := x.Reduction
	if m := x.Memo(); r == nil || m != nil && !m.allDear() {
		return x.Stepper.Expand(s)
	}
	x.load(s)
	if !r.Waits {
		situation, why := r.like(x.Bank, x.From)
		if why == "" {
			return r.expand(x.Taker, x.Bank, s, x.From, situation)
		}
		r.hinders(hindrance{why: why})
	}
	return x.Rest(s, 0)
}

// expand takes steps of state s that suffice; the steps are taken by the parter. It tries one choice after the
// other. If a choice has a possible step that is no fault, expand takes its steps and, if one of them is visible,
// also the other steps of s. If no choice has such a step, it takes all steps.
func (r *Reduction) expand(by parter, b *world.Bank, s uint32, v world.Vector, situation canon.Hash) error {
	a := r.answer(b, s, v, situation)
	for k := 0; r.has(a, k, b, v); k++ {
		c := a.choices[k]
		taken, left, err := r.begins(s, c).take(by)
		switch {
		case err != nil:
			return err
		case taken > 0 && left > 0 && (!r.shows || r.NoVisible):
			r.leaves(left)
			return nil
		}
		r.whole()
		if taken > 0 {
			r.Stats.see(left > 0)
			r.hinders(r.seen(c, left))
			_, _, err = by.some(s, c.kinds, false)
			return err
		}
	}
	r.hinders(a.why)
	_, _, err := by.some(s, nil, false)
	return err
}

// Weigh returns the number of steps of state s that the reduction would take, and the number that it would leave
// out, if it did not only observe.
func (x *Explorer) Weigh(s uint32) (taken, left int, err error) {
	r := x.Reduction
	var by parter = x.Taker
	v := x.From
	if m := x.Memo(); m != nil && !m.allDear() {
		m.goes(s)
		by, v = m, m.v
		defer m.batch.empty()
	} else {
		x.load(s)
	}
	situation, why := r.like(x.Bank, v)
	if why != "" {
		r.hinders(hindrance{why: why})
		return by.some(s, nil, false)
	}
	r.hides()
	a := r.answer(x.Bank, s, v, situation)
	for k := 0; r.has(a, k, x.Bank, v); k++ {
		switch taken, left, err = by.some(s, a.choices[k].kinds, true); {
		case err != nil || taken > 0 && !r.shows:
			return taken, left, err
		case taken > 0:
			r.hinders(r.seen(a.choices[k], left))
			return taken + left, 0, nil
		}
	}
	r.hinders(a.why)
	return by.some(s, nil, false)
}

// Forgoes removes the reduction, which only observes.
func (x *Explorer) Forgoes() { x.reduces(nil) }

// some implements parter for the state that is loaded in the world.
func (t *Taker) some(s uint32, kinds stubborn.Set, of bool) (taken, left int, err error) {
	taken, left = t.Reduction.only(t, kinds, of)
	defer t.takesOnly(nil)
	if t.Reduction.Waits {
		return taken, left, nil
	}
	return taken, left, t.takeFrom(s, 0)
}

// only makes taker t select events of the world's state: if of is true the events of the given kinds, otherwise all
// others. It returns the number of selected events that are no faults, and the number of events not selected.
func (r *Reduction) only(t *Taker, kinds stubborn.Set, of bool) (taken, left int) {
	r.events(t.World)
	only := stubborn.Set{0} // never nil: that would select all events
	for k, all := range r.possible {
		if slices.ContainsFunc(all, kinds.Has) != of {
			left++
			continue
		}
		if only.Add(k); !r.fault[k] { // a fault may become impossible by other steps, so it does not count
			taken++
		}
	}
	t.takesOnly(only)
	return taken, left
}

// events lists the events that are possible in w: r.possible gets the kinds of each event, and
// r.fault whether it is a fault.
func (r *Reduction) events(w *world.World) {
	n := w.Events.Count()
	r.possible, r.fault = slices.Grow(r.possible[:0], n)[:n], r.fault[:0]
	for k := range r.possible {
		e := w.Events.Look(k)
		r.possible[k], r.fault = r.kinds(r.possible[k][:0], e), append(r.fault, e.Kind.Fault())
	}
}

// turns records whether the steps taken from now on are faults.
func (r *Reduction) turns(faults bool) { r.aside = faults }

// show records that a visible step of the state being expanded was taken.
func (r *Reduction) show() { r.shows = true }

// hides records that no visible step of the state being expanded was taken yet.
func (r *Reduction) hides() { r.shows = false }
