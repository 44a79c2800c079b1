package explore

import (
	"cmp"
	"fmt"
	"slices"

	"macemc/internal/canon"
	"macemc/internal/observe"
	"macemc/internal/search/internal/run"
	"macemc/internal/world"
)

// A state counts as known if its identity is known. For some of the steps that lead to a
// known state this is tested: the run that came there first and the one that came there now
// are taken again from their starts, side by side. Both ends must have the same text, and
// must do the same at each of their next steps. If they do not, something that the state
// leaves out matters.
//
// An audit tests whether a run leads where it led before; this tests whether two runs may
// be taken for one. The first run need not be kept for it, since every state has its
// origin.

// sides are two worlds for comparing two runs that lead to the same state. Each world takes one
// of the runs, and then the same further steps as the other.
type sides [2]side

type side struct {
	w    *world.World
	bank *world.Bank // each side has its own bank: a shared bank would keep one copy of a node for both
	v    world.Vector
}

const (
	duplicatesLeast = 200     // this many steps to known states are tested, whatever the share
	duplicateEvents = 64      // how many next steps are compared
	duplicateLists  = 8       // how many lists of answers to its coins are tried for each of them
	duplicatePrints = 1 << 10 // how many states are remembered if only fingerprints are kept
	sampleEvery     = 64      // of how many states one is remembered then
)

// first returns the number under which the packed state, with identity h, was first added. If the ledger
// keeps only fingerprints, only the numbers of a sample of the states are known.
func (x *Explorer) first(h canon.Hash) (state uint32, known bool) {
	if x.Prints == nil {
		return x.Find(h)
	}
	state, known = x.sample[h]
	return state, known
}

// remember stores the number of the new state with identity h in x.sample. It does so only if the ledger keeps
// fingerprints, and only for one in sampleEvery states: see first.
func (x *Explorer) remember(h canon.Hash) {
	if x.Prints == nil || len(x.sample) >= duplicatePrints || x.Next%sampleEvery != 0 {
		return
	}
	if x.sample == nil {
		x.sample = map[canon.Hash]uint32{}
	}
	x.sample[h] = x.Next - 1
}

// duplicate handles a step to the packed state, which is known: it counts the step, and tests a sample of
// such steps by compare.
func (x *Explorer) duplicate(h canon.Hash) error {
	due := x.pairs.Due()
	x.Owner.Counts.duplicate()
	x.pairs.Took(1, false)
	if !due || x.Current == NoParent {
		return nil
	}
	s, known := x.first(h)
	if !known || s == x.Current || x.fold != nil && !x.is(s) { // the step changes nothing, or leads to a state that is known only under other names
		return nil
	}
	before, now := x.Path(s), *x.Found()
	x.Owner.Counts.compared()
	differs, err := x.compare(before, now, h)
	x.explores()
	if err == nil && differs != nil {
		return x.strayed(differs, "")
	}
	return err
}

// compare takes two runs that lead to the state with identity h, before and now, and then every step of that state
// after each. If a step has another result after one run than after the other, compare looks for a field in which
// the nodes differ but that is left out of the state. If there is one, it returns an error that names the field; if
// not, it returns a run whose last step is not deterministic. If nothing differs, it returns nil.
func (x *Explorer) compare(before, now run.Answers, h canon.Hash) (differs *run.Answers, err error) {
	if err := x.makeSides(); err != nil {
		return nil, err
	}
	a, b := &x.sides[0], &x.sides[1]
	x.pairs.Took(before.Length()+now.Length(), true)
	if !a.stand(x, before) || a.w.State.Hash() != h {
		return &before, nil
	}
	if !b.stand(x, now) || b.w.State.Hash() != h {
		return &now, nil
	}
	if l, r := a.w.Text.Lines(), b.w.Text.Lines(); !slices.Equal(l, r) {
		return nil, fmt.Errorf("macemc bug: search: two states of system %s have one identity and different texts: %v", x.Owner.Sys.Name, observe.Diff(l, r))
	}
	n := a.w.Events.Count()
	if b.w.Events.Count() != n {
		return x.explain("has other events than", &now)
	}
	for k := range min(n, duplicateEvents) {
		step := answerer{event: k, Pulse: &x.Owner.Pulse}
		for range duplicateLists {
			x.pairs.Took(2, true)
			next, ok := a.take(func(w *world.World) world.Progress { return w.Step(&step) })
			coins := step.coins.Answers()
			again, same := b.take(func(w *world.World) world.Progress { return w.Retake(k, coins) })
			if ok != same || next != again {
				now.Steps = append(slices.Clip(now.Steps), run.Taken{Event: k, Coins: coins})
				return x.explain("does something else than", &now)
			}
			if !ok || !step.coins.Next() {
				break
			}
		}
	}
	return nil, nil
}

// explain looks for a field of a node that is left out of the state although it matters. If there is such a field, the
// returned error names it and describes the difference by the text what. Otherwise explain returns the run of, whose
// last step is not deterministic.
func (x *Explorer) explain(what string, of *run.Answers) (differs *run.Answers, err error) {
	a, b := &x.sides[0], &x.sides[1]
	at := a.w.Run.LastIdentity()
	a.w.State.Load(a.bank, a.v)
	b.w.State.Load(b.bank, b.v)
	field := world.HiddenBetween(a.w, b.w)
	if field == "" {
		return of, nil
	}
	return nil, x.Owner.leftOut(at, "a state "+what+" another one that has its identity", field)
}

// parts explains why the run, when it is taken again from its start, leads to another state than the one
// that the engine has reached by taking each step from a stored state. It looks for the first step that
// led to another state. It returns the identity of this step's event, and a field in which the two states
// before the step differ although their identities are equal. If it finds no such field, it returns "".
func (x *Explorer) parts(run *run.Answers) (at, field string) {
	if x.Prints != nil || x.runs != nil || x.makeSides() != nil || len(run.Steps) == 0 {
		return "", ""
	}
	var kept []uint32 // the states of the run but for its last
	for s := x.Current; s != NoParent; s = x.Origin(s).Parent {
		kept = append(kept, s)
	}
	slices.Reverse(kept)
	a, b := x.sides[0].w, x.sides[1].w
	src := run.Again()
	b.Protect(func() {
		b.Start(src)
		for range run.PrefixSteps {
			x.Owner.Pulse.Tick()
			b.Step(src)
		}
		for i, s := range kept {
			x.Owner.Pulse.Tick()
			a.State.Track()
			x.Get(s, x.To)
			a.State.Load(x.Bank, x.To)
			if a.State.Hash() != b.State.Hash() {
				return
			}
			field = cmp.Or(world.HiddenBetween(a, b), field)
			if i == len(run.Steps) || b.Step(src) != world.Stepped {
				return
			}
			at = b.Run.LastIdentity()
		}
	})
	return at, field
}

// makeSides makes the two worlds when it is first called. It also sets which faults are allowed, since
// this is not part of a state.
func (x *Explorer) makeSides() error {
	if x.sides != nil {
		return nil
	}
	two := &sides{}
	for i := range two {
		w, err := x.Owner.NewWorld(world.Config{Sprint: true})
		if err != nil {
			return err
		}
		x.Owner.Allow(x.Climate, w)
		two[i].w = w
	}
	x.sides = two
	return nil
}

// stand takes a run in the world of this side, and stores the state that it leads to. It returns false if
// the run could not be taken.
func (s *side) stand(x *Explorer, run run.Answers) (stands bool) {
	src := run.Again()
	s.w.Protect(func() {
		s.w.Start(src)
		for range run.Length() {
			x.Owner.Pulse.Tick()
			if s.w.Step(src) != world.Stepped {
				return
			}
		}
		s.bank = s.w.State.NewBank()
		s.w.State.Track()
		s.v = make(world.Vector, s.bank.Places())
		s.w.State.Save(s.bank, s.v)
		stands = true
	})
	return stands
}

// take takes one step from the stored state, and returns the identity of the resulting state. ok is false
// if the step failed, or asked for more answers than it was given.
func (s *side) take(step func(*world.World) world.Progress) (h canon.Hash, ok bool) {
	s.w.Protect(func() {
		s.w.State.Load(s.bank, s.v)
		s.w.Events.Count()
		if step(s.w) == world.Stepped && s.w.Run.Err() == nil {
			h, ok = s.w.State.Hash(), true
		}
	})
	return h, ok
}
