package search

import (
	"fmt"

	"macemc/internal/canon"
	"macemc/internal/visited"
	"macemc/sim"
)

// closure is what can still happen once the environment has healed: the healed
// forms of a set of states, and every state that they reach by steps that are
// not rare. On it liveness is decided exactly: a state is dead if its healed
// form reaches no live one.
//
// No edges are kept. A state is alive if it is live, or if a step leads from it
// to one that is; so the states that are not known to be alive are looked at
// again and again, the farthest first, until nothing changes. What is left is
// dead. Each look costs the states' steps once more, which a memo makes cheap.
type closure struct {
	*explorer
	alive *visited.Table // nil: the states are being collected
	most  int            // states; 0: as many as there are
	lives bool           // a step of the state that is looked at leads to one that is alive
}

// decide settles liveness on an exhausted space, exactly.
func (r *runner) decide(x *explorer, res *Result) error {
	if !r.world.CanBeLive() {
		return nil
	}
	g, err := r.newClosure(x)
	if err != nil {
		return err
	}
	defer g.close()
	stopped := false
	if failed, err := r.guarded(g.explorer, func() error {
		if err := g.collect(x); err != nil || g.violated != nil {
			return err
		}
		stopped, err = g.spread()
		return err
	}); err == errHalt {
		stopped = true
	} else if err != nil {
		return err
	} else if failed { // a healed state has no run of its own: walks will find it
		return nil
	}
	switch {
	case g.full:
		return nil // undecided: walks will sample
	case stopped:
		res.Stop = r.why()
		return nil
	}
	dead := func(s uint32) bool {
		x.states.get(int(s), x.v)
		return !g.alive.Has(g.healed(x))
	}
	fatal := map[uint32]bool{}
	for s := range x.states.len() {
		if dead(uint32(s)) && x.assumed(uint32(s)) {
			enough, err := r.proved(x, uint32(s), dead, fatal, res)
			if enough || err != nil {
				return err
			}
		}
	}
	res.Liveness.State = res.Safety.State
	return nil
}

// newClosure stands before the first healed state. It shares the world and the
// bank of the explorer whose states it heals.
func (r *runner) newClosure(x *explorer) (*closure, error) {
	g := &closure{}
	g.explorer = &explorer{
		r: r, w: x.w, c: x.c, bank: x.bank, outside: map[uint32]bool{}, closure: g, lists: x.lists,
		v: make(sim.Vector, len(x.v)), to: make(sim.Vector, len(x.to)),
	}
	g.step.pulse, g.step.halt = &r.pulse, r.stopped
	if x.memo != nil && r.sys.Weight == nil { // which events are rare, only the world knows
		g.memo = newMemo(g.explorer)
		g.memo.steps, g.memo.accepts, g.memo.known = x.memo.steps, x.memo.accepts, x.memo.known
	}
	var err error
	g.seen, err = visited.Make(visited.Options{Bytes: max(seenLeast, min(x.seen.Bytes(), r.room(0))), DepthBits: 2})
	return g, err
}

func (g *closure) close() {
	g.seen.Close()
	if g.alive != nil {
		g.alive.Close()
	}
}

// healed is the identity of the healed form of the state in x.v. Healing
// changes the environment, which is one part of a state.
func (g *closure) healed(x *explorer) canon.Hash {
	last := len(x.v) - 1
	copy(g.to, x.v)
	g.to[last] = g.bank.Healed(g.w, x.v[last])
	return g.sum(g.to)
}

// collect finds the healed states and all that they reach.
func (g *closure) collect(x *explorer) error {
	if x.live.n == x.states.len() && g.most == 0 { // nothing was there to heal: they are these
		g.states, g.live, g.outside = x.states, x.live, x.outside
		return nil
	}
	for s := range x.states.len() {
		if s%1024 == 0 && g.r.stopped() {
			return errHalt
		}
		x.states.get(s, x.v)
		if err := g.makeRoom(); err != nil || g.full {
			return err
		}
		if h := g.healed(x); g.seen.Insert(h, 0) == visited.New {
			g.w.Load(g.bank, g.to)
			g.add()
		}
	}
	for s := 0; s < g.states.len(); s++ {
		if s%1024 == 0 && g.r.stopped() {
			return errHalt
		}
		if g.outside[uint32(s)] {
			continue
		}
		if err := g.expand(uint32(s)); err != nil || g.full || g.violated != nil {
			return err
		}
		if g.most > 0 && g.states.len() > g.most {
			g.full = true
			return nil
		}
	}
	return nil
}

// add notes the state that the world is in, with the vector to.
func (g *closure) add() {
	n := uint32(g.states.len())
	g.states.add(g.to)
	inside := g.w.Within()
	if !inside {
		g.outside[n] = true
	}
	g.live.add(g.good(inside))
}

// good reports whether the state that the world is in is live, or beyond what
// is judged: outside Within, anything may happen.
func (x *explorer) good(inside bool) bool {
	return x.w.Live() || !x.w.Assumed() || !inside
}

// reached looks at the state that a step in the world has led to.
func (g *closure) reached() error {
	h := g.w.Hash()
	if g.violated = g.w.Failed(); g.violated != nil {
		return nil
	}
	if g.alive != nil {
		g.lives = g.lives || g.alive.Has(h)
		return nil
	}
	switch g.seen.Insert(h, 0) {
	case visited.New:
		g.w.Save(g.bank, g.to)
		g.add()
	case visited.Full:
		g.full = true
	}
	return nil
}

// spread finds the states that are alive, and reports whether it was stopped.
func (g *closure) spread() (stopped bool, err error) {
	n := g.states.len()
	if g.alive, err = visited.Make(visited.Options{Bytes: max(seenLeast, 12*n), DepthBits: 2}); err != nil || g.full {
		return false, err
	}
	var left []uint32
	for s := n - 1; s >= 0; s-- {
		if g.live.has(s) {
			g.states.get(s, g.v)
			g.alive.Insert(g.sum(g.v), 0)
		} else {
			left = append(left, uint32(s))
		}
	}
	for changed := true; changed; {
		changed = false
		rest := left[:0]
		for i, s := range left {
			if i%1024 == 0 && g.r.stopped() {
				return true, nil
			}
			g.lives = false
			if err := g.expand(s); err != nil && err != errAlive || g.violated != nil {
				return false, err
			}
			if !g.lives {
				rest = append(rest, s)
				continue
			}
			changed = true
			g.states.get(int(s), g.v)
			g.alive.Insert(g.sum(g.v), 0)
		}
		left = rest
	}
	return false, nil
}

// assumed reports whether a state counts for liveness.
func (x *explorer) assumed(s uint32) bool {
	x.states.get(int(s), x.v)
	x.w.Load(x.bank, x.v)
	return x.w.Assumed()
}

// proved makes a finding of a dead state, the nearest or one that has another
// critical step, and reports whether that is enough. The critical step is the
// one after which all states of its run are dead; it leads to one of the fatal
// states.
func (r *runner) proved(x *explorer, s uint32, dead func(uint32) bool, fatal map[uint32]bool, res *Result) (enough bool, err error) {
	x.states.get(int(s), x.v)
	x.w.Load(x.bank, x.v)
	names, explanations := x.w.NotLive()
	var run []uint32
	for at := s; at != noParent; at = x.origin.at(int(at)).parent {
		run = append([]uint32{at}, run...)
	}
	critical := 0
	for step, at := range run {
		if !dead(at) {
			critical = step + 1
		}
	}
	failure := sim.Failure{
		Verdict: sim.VerdictDead, Step: len(run) - 1, Property: join(names, ", "), Message: join(explanations, "; "),
	}
	if r.several() {
		if fatal[run[critical]] {
			r.findings.alike++
			return false, nil
		}
		fatal[run[critical]] = true
		if !r.worth(&failure) {
			return false, nil
		}
	}
	answers := x.path(s)
	f, err := r.confirm(&answers, x.c, &failure)
	if err != nil {
		return true, err
	}
	if f.Verdict == sim.VerdictDead {
		f.Proved, f.whole, f.Critical = true, true, &Critical{Step: critical, Exact: true}
		if critical > 0 {
			f.Critical.Event = f.Path.Steps[critical-1].Event.What
		}
		f.Path.Set("critical", fmt.Sprint(critical)+exactly)
	}
	if r.several() {
		return r.note(f)
	}
	res.Finding, res.Stop = f, StopFound
	return true, nil
}
