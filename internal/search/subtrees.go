package search

import (
	"cmp"
	"encoding/json"
	"slices"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/search/internal/run"
	"macemc/trace"
)

// grows reports whether other processes enumerate the runs of EngineReference.
func (o *Options) grows() bool {
	return o.Afar != nil && o.Prefix == nil && o.Findings <= 1 && len(o.Ignore) == 0 && o.Paths == 0
}

// enumerated takes all runs to the bound of s, in this process or in others.
func (r *runner) enumerated(s *reference) (stop Stop, found *Finding, err error) {
	if !r.opts.grows() {
		return r.enumerate(s)
	}
	r.rounds++
	r.gauge.begin(PhaseStates, s.bound, 0)
	r.round, r.leftAt = s, nil
	g := &growth{runner: r, s: s, pool: []subtreeRoot{{}}, each: 1}
	err = r.opts.Afar.Grow(g.next, g.came, g.ends)
	r.leftStates = s.leftOut
	return g.stop, g.found, err
}

// growth is an enumeration of runs by other processes.
type growth struct {
	*runner
	s     *reference    // has the counts and the states
	pool  []subtreeRoot // roots that are in no item
	each  int           // number of roots that the last item began
	left  []canon.Hash  // states that were left out
	found *Finding
	stop  Stop
}

// ends reports whether the enumeration should end before all its items were taken, and records the reason.
func (g *growth) ends() bool {
	switch {
	case g.stop != "":
	case g.Stopped():
		g.stop = g.Why()
	case g.opts.enough(g.now()):
		g.stop = stopEffort
	}
	return g.stop != ""
}

// next returns the next item, and reports whether there is one. The item has the roots that are nearest to the
// start, at most twice the number that the last item has begun. window is the number of items taken at the
// same time; the item has at most its share of all roots, so that the other items have work, too.
func (g *growth) next(window int) (item []byte, is bool) {
	g.pool = slices.DeleteFunc(g.pool, func(r subtreeRoot) bool { return r.Steps > g.s.bound })
	if len(g.pool) == 0 {
		return nil, false
	}
	n := min(len(g.pool), 2*g.each, 1+len(g.pool)/max(1, window))
	item, err := json.Marshal(&subtreeItem{Round: g.rounds, Bound: g.s.bound, Roots: g.pool[:n]})
	if err != nil {
		panic("macemc bug: search: an item cannot be encoded: " + err.Error())
	}
	g.pool = g.pool[n:]
	return item, true
}

// came adds the result of an item to the enumeration.
func (g *growth) came(result []byte) error {
	var in subtreeCame
	if err := json.Unmarshal(result, &in); err != nil {
		return err
	}
	g.each = max(1, in.Began)
	g.add(Stats{Paths: in.Stats.Paths, Steps: in.Stats.Steps, Audited: in.Stats.Audited, HandlerRuns: in.Stats.HandlerRuns})
	if err := g.s.adds(&in); err != nil {
		return err
	}
	g.pool = append(g.pool, in.Rest...)
	slices.SortStableFunc(g.pool, func(a, b subtreeRoot) int { return a.Steps - b.Steps })
	if err := g.coverage.Add(&in.Coverage); err != nil {
		return err
	}
	for k := range in.LeftOut {
		if err := g.leaves(&in.LeftOut[k]); err != nil {
			return err
		}
	}
	for k := range in.Failed {
		if err := g.fails(&in.Failed[k]); err != nil {
			return err
		}
	}
	g.tell()
	return nil
}

// adds adds the result of an item to the counts and the states.
func (s *reference) adds(in *subtreeCame) error {
	s.executed += in.Stats.Executed
	s.states, s.transitions, s.beyond = s.states+in.Stats.States, s.transitions+in.Stats.Transitions, s.beyond+in.Beyond
	s.left, s.sampled, s.outside = s.left || in.Left, s.sampled || in.Sampled, s.outside || in.Outside
	for rest := in.States; len(rest) > 0; {
		h, one, more, err := stateOf(rest)
		if err != nil {
			return err
		}
		s.meets(h, one)
		rest = more
	}
	if s.duplicates += in.Stats.Duplicates; !s.all { // those of one visit to each state, whoever made it
		s.duplicates = max(0, s.transitions-(s.states-s.starts))
	}
	return nil
}

// leavesOut counts a state that was not expanded, since it ended the processes that visited it.
func (s *reference) leavesOut() { s.leftOut++ }

// meets adds the state with identity h from the result of an item. Several items may have expanded it,
// with the same steps. Its steps count only for the first of them.
func (s *reference) meets(h canon.Hash, one subtreeState) {
	if s.met == nil {
		s.met = map[canon.Hash]subtreeState{}
	}
	before, known := s.met[h]
	if !known {
		s.states++
		if one.depth == 0 {
			s.starts++
		}
	}
	if known && before.expanded {
		one.expanded, one.edge, one.steps = true, false, max(one.steps, before.steps)
	}
	s.transitions += one.steps - before.steps
	if one.edge && !before.edge {
		s.beyond++
	}
	if before.edge && !one.edge {
		s.beyond--
	}
	s.met[h] = one
}

// source returns the answers of a run.
func (r *subtreeRoot) source() (func() choose.Source, error) {
	picks, err := r.picks()
	return func() choose.Source { return choose.NewRaw(picks) }, err
}

// leaves records a state that is not searched, since a process that tried to expand it ended. The results of
// several items may name the same state; leaves records it once.
func (g *growth) leaves(one *subtreeLeft) error {
	source, err := one.Run.source()
	if err != nil || slices.Contains(g.left, one.State) {
		return err
	}
	g.left = append(g.left, one.State)
	g.s.leavesOut()
	if len(g.leftAt) == leftMost {
		return nil
	}
	path, _, err := g.recorded(source(), g.s.Climate, one.Run.Steps)
	if path != nil { // else the run fails now
		g.leftAt = append(g.leftAt, Prefix{Path: path})
	}
	return err
}

// fails makes a finding of the failed run w, unless a shorter run that fails is known.
func (g *growth) fails(w *subtreeFailed) error {
	source, err := w.Run.source()
	if err != nil || g.found != nil && w.Run.Steps >= g.found.Step {
		return err
	}
	c, steps := g.s.Climate, w.Run.Steps
	var f *Finding
	end, failure, at := g.Run(run.Repeat(source(), c, steps), false)
	switch {
	case failure != nil:
		f, err = g.confirm(source(), c, failure)
	case w.Dead && end == run.EndLeft:
		f, err = g.judge(source, c, at, steps, true)
	default:
		f, err = g.hunt(source, c, steps, "")
	}
	if f == nil || err != nil {
		return err
	}
	g.found = f
	g.s.lower(f.Step - 1)
	if f.Verdict == trace.VerdictNondeterminism || f.Step == 0 {
		g.stop = cmp.Or(g.stop, StopFound)
	}
	return nil
}
