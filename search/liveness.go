package search

import (
	"fmt"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/sim"
)

// closure is the graph of what can still happen once the environment has
// healed: the healed forms of a set of states, and every state that they reach
// by steps that are not rare. On it liveness is decided exactly: a state is
// dead if its healed form reaches no live one.
type closure struct {
	*explorer
	number map[canon.Hash]uint32
	into   []edge
	good   []bool // live, or outside of what the system wants to be judged by
	last   uint32 // the state that was reached last
}

type edge struct{ from, to uint32 }

// decide settles liveness on an exhausted space: exactly.
func (r *runner) decide(x *explorer, res *Result) error {
	if !r.world.CanBeLive() {
		return nil
	}
	g := r.newClosure(x)
	healed := make([]uint32, x.states.len())
	done, err := r.guarded(g.explorer, func() error {
		for s := range healed {
			if r.interrupted(res) && res.Stop == StopInterrupted {
				return nil
			}
			res.Stop = StopDone
			n, err := g.heal(x, uint32(s))
			if err != nil {
				return err
			}
			healed[s] = n
		}
		for s := 0; s < g.states.len(); s++ {
			if s%64 == 0 && r.stopped() {
				res.Stop = StopInterrupted
				return nil
			}
			if err := g.expand(uint32(s)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || done || res.Stop == StopInterrupted {
		return err
	}
	alive := g.recoverable()
	for s, n := range healed {
		if !alive[n] && x.assumed(uint32(s)) {
			return r.proved(x, uint32(s), func(state uint32) bool { return !alive[healed[state]] }, res)
		}
	}
	res.Liveness.State = res.Safety.State
	return nil
}

// newClosure stands before the first healed state. It shares the world and the
// bank of the explorer whose states it heals.
func (r *runner) newClosure(x *explorer) *closure {
	g := &closure{number: map[canon.Hash]uint32{}}
	g.explorer = &explorer{
		r: r, w: x.w, c: x.c, bank: x.bank, outside: map[uint32]bool{}, closure: g,
		v: make(sim.Vector, len(x.v)), to: make(sim.Vector, len(x.to)),
	}
	return g
}

// heal adds the healed form of a state of x, and returns its number.
func (g *closure) heal(x *explorer, s uint32) (uint32, error) {
	x.states.get(int(s), x.v)
	x.w.Load(x.bank, x.v)
	if !x.w.Healed() {
		if p := x.w.Heal(healing{}); p != sim.Stepped {
			return 0, fmt.Errorf("macemc bug: search: a state could not be healed: %w", x.w.Err())
		}
	}
	g.current = noParent
	err := g.arrive(noParent)
	return g.last, err
}

// healing agrees to heal.
type healing struct{}

func (healing) Answer(*choose.Question) int { return 0 }
func (healing) Err() error                  { return nil }

// arrive notes the state that the world is in, and the edge that led there.
func (g *closure) arrive(from uint32) error {
	h := g.w.Hash()
	n, known := g.number[h]
	if !known {
		n = uint32(g.states.len())
		g.number[h] = n
		g.w.Save(g.bank, g.to)
		g.states.add(g.to)
		g.good = append(g.good, g.w.Live() || !g.w.Assumed() || !g.w.Within())
		if !g.w.Within() {
			g.outside[n] = true
		}
	}
	g.last = n
	if from != noParent {
		g.into = append(g.into, edge{from, n})
	}
	return nil
}

// recoverable are the states from which a good one can be reached.
func (g *closure) recoverable() []bool {
	n := g.states.len()
	first := make([]uint32, n+1) // of the edges into a state
	for _, e := range g.into {
		first[e.to+1]++
	}
	for s := range n {
		first[s+1] += first[s]
	}
	sources := make([]uint32, len(g.into))
	fill := append([]uint32{}, first...)
	for _, e := range g.into {
		sources[fill[e.to]] = e.from
		fill[e.to]++
	}
	alive := make([]bool, n)
	var queue []uint32
	for s, good := range g.good {
		if good {
			alive[s] = true
			queue = append(queue, uint32(s))
		}
	}
	for len(queue) > 0 {
		s := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, from := range sources[first[s]:first[s+1]] {
			if !alive[from] {
				alive[from] = true
				queue = append(queue, from)
			}
		}
	}
	return alive
}

// assumed reports whether a state counts for liveness.
func (x *explorer) assumed(s uint32) bool {
	x.states.get(int(s), x.v)
	x.w.Load(x.bank, x.v)
	return x.w.Assumed()
}

// proved makes a finding of the nearest dead state. The critical step is the
// one after which all states of its run are dead.
func (r *runner) proved(x *explorer, s uint32, dead func(uint32) bool, res *Result) error {
	x.states.get(int(s), x.v)
	x.w.Load(x.bank, x.v)
	names, explanations := x.w.NotLive()
	var run []uint32
	for at := s; at != noParent; at = x.origin[at].parent {
		run = append([]uint32{at}, run...)
	}
	critical := 0
	for step, at := range run {
		if !dead(at) {
			critical = step + 1
		}
	}
	answers := x.path(s)
	f, err := r.confirm(&answers, x.c, &sim.Failure{
		Verdict: sim.VerdictDead, Step: len(run) - 1, Property: join(names, ", "), Message: join(explanations, "; "),
	})
	if err != nil {
		return err
	}
	if f.Verdict == sim.VerdictDead {
		f.Proved, f.Critical = true, &Critical{Step: critical, Exact: true}
		if critical > 0 {
			f.Critical.Event = f.Path.Steps[critical-1].Event.What
		}
		f.Path.Set("critical", fmt.Sprint(critical))
	}
	res.Finding, res.Stop = f, StopFound
	return nil
}
