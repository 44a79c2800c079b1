package oracle

import "macemc/internal/spec"

// Model is a spec together with the oracle's rules for its runs.
type Model struct {
	spec *spec.Spec
	seen func(feature string) // called with each feature of the spec that occurs in a run; may be nil
	after
}

// NewModel returns the model of a spec. It calls seen, which may be nil, with each feature
// of the spec that occurs in a run.
func NewModel(s *spec.Spec, seen func(feature string)) *Model {
	if seen == nil {
		seen = func(string) {}
	}
	return &Model{spec: s, seen: seen, after: after{number: map[string]int{}}}
}

// with returns the model of another spec, which calls the same function seen.
func (m *Model) with(s *spec.Spec) *Model { return NewModel(s, m.seen) }

// Space has the states that a search must visit, beginning with some states, and their
// failures.
type Space struct {
	Whole       bool // all states were visited, and not only those down to Depth
	Depth       int  // the depth of the farthest visited states
	States      int
	Transitions int
	Outside     bool // some state outside Within was not expanded

	Every map[wrong]int // every failure with the depth of the nearest state that has it; nil unless Model.ExploreOn was called

	Nearest int // the number of steps to the nearest failure that is not found only at the end of the space; -1 if there is none
	Wrong   map[wrong]bool

	Judged  bool // it is decided which states can become live
	Dead    int  // the number of steps to the nearest dead state, or -1 if there is none
	DeadFor map[string]bool

	m     *Model
	nodes []*node
	index map[string]*node
}

// node is a state of the space, with its number of steps from the start.
type node struct {
	s     *state
	depth int
	wrong bool // it has a failure
}

// start returns the states in which a run with these budgets may begin, and the failures
// that happen in starts.
func (m *Model) start(b spec.Budgets, early *int) (all []*state, bad []wrong) {
	m.each(empty(m.spec, b, early), m.init, func(r *run) {
		switch {
		case r.broken:
			bad = append(bad, wrong{"panic", ""})
		case r.wrong != nil:
			bad = append(bad, *r.wrong)
		default:
			all = append(all, r.s)
		}
	})
	return all, bad
}

// init starts the nodes, one after the other, until one of them fails. A violation that a
// monitor reports does not end it.
func (m *Model) init(r *run) {
	r.opens = true
	for i := 0; i < m.spec.Nodes && !r.broken; i++ {
		before := r.wrong
		if r.s.Nodes[i].Life == up {
			r.on(i, spec.OnInit, 0)
		}
		if before != nil && r.broken { // the first failure is reported
			r.broken = false
			return
		}
	}
}

// Explore visits the reachable states, breadth first. It stops before a level that would raise the number of
// states above most.
func (m *Model) Explore(most int) *Space {
	all, bad := m.start(m.spec.Budgets, m.spec.Early)
	return m.explore(all, bad, most)
}

// ExploreOn does what Explore does, but does not end at a failure: it records the failure of a state and does
// not expand the state.
func (m *Model) ExploreOn(most int) *Space {
	all, bad := m.start(m.spec.Budgets, m.spec.Early)
	x := newSpace(m)
	x.Every = map[wrong]int{}
	x.visitAll(all, bad, most)
	return x
}

func (m *Model) explore(from []*state, bad []wrong, most int) *Space {
	x := newSpace(m)
	x.visitAll(from, bad, most)
	return x
}

func newSpace(m *Model) *Space {
	return &Space{m: m, Nearest: -1, Dead: -1, Wrong: map[wrong]bool{}, index: map[string]*node{}}
}

func (x *Space) visitAll(from []*state, bad []wrong, most int) {
	for _, w := range bad {
		x.found(w, 0)
	}
	for _, s := range from {
		x.visit(s, 0)
	}
	for begin := 0; ; x.Depth++ {
		level := x.nodes[begin:]
		if len(level) == 0 {
			x.Whole = true
			x.Depth--
			break
		}
		if x.Nearest >= 0 && x.Every == nil || len(x.nodes) > most {
			break
		}
		begin = len(x.nodes)
		transitions := x.Transitions
		for _, n := range level {
			x.expand(n)
			if len(x.nodes) > 4*most && x.Depth > 0 { // the level is too wide: as if it had not been begun
				for _, late := range x.nodes[begin:] {
					delete(x.index, late.s.key())
				}
				x.nodes, x.Transitions, x.States = x.nodes[:begin], transitions, begin
				x.Nearest, x.Wrong = -1, map[wrong]bool{}
				return
			}
		}
	}
	x.States = len(x.nodes)
	if x.Whole && x.Nearest < 0 {
		x.liveness(most)
	}
}

// expand takes all steps from a state, unless the state has a failure or is outside Within.
func (x *Space) expand(n *node) {
	if !n.s.holds(x.m.spec.Within) {
		x.Outside = true
		return
	}
	if n.wrong {
		return
	}
	steps, _ := x.m.steps(n.s)
	for _, st := range steps {
		if x.Transitions++; st.wrong != nil {
			x.found(*st.wrong, n.depth+1)
			continue
		}
		x.visit(st.to, n.depth+1)
	}
}

// found records a failure at a depth, unless a nearer one is recorded.
func (x *Space) found(w wrong, depth int) {
	if x.Nearest < 0 || depth < x.Nearest {
		x.Nearest, x.Wrong = depth, map[wrong]bool{}
	}
	if depth == x.Nearest {
		x.Wrong[w] = true
	}
	if _, known := x.Every[w]; x.Every != nil && !known {
		x.Every[w] = depth
	}
}

func (x *Space) visit(s *state, depth int) {
	k := s.key()
	if x.index[k] != nil {
		return
	}
	n := &node{s: s, depth: depth}
	x.index[k] = n
	x.nodes = append(x.nodes, n)
	n.wrong = x.wrong(s, depth)
}

// wrong records the failures of state s, and reports whether there are any. If the space
// records every failure, it records only the first one of the state.
func (x *Space) wrong(s *state, depth int) (is bool) {
	for i := range x.m.spec.Always {
		if p := &x.m.spec.Always[i]; !s.holds(p) {
			x.found(wrong{"safety", "always " + p.String()}, depth)
			if is = true; x.Every != nil {
				return is
			}
		}
	}
	for i := range x.m.spec.Each {
		if p := &x.m.spec.Each[i]; !s.each(p) {
			x.found(wrong{"safety", "each " + p.String()}, depth)
			if is = true; x.Every != nil {
				return is
			}
		}
	}
	if x.m.counts(s) && !x.m.live(s) && x.m.atRest(s) {
		x.found(wrong{"dead", x.m.notLive(s)}, depth)
		is = true
	}
	return is
}

// counts reports whether liveness is judged in state s: the spec has liveness properties,
// and the state is inside Assume.
func (m *Model) counts(s *state) bool { return len(m.spec.Eventually) > 0 && s.holds(m.spec.Assume) }

// live reports whether a state is live: all liveness properties hold, the state counts, and no node has yet
// to restart.
func (m *Model) live(s *state) bool {
	for _, n := range s.Nodes {
		if n.Life == crashed {
			return false
		}
	}
	return m.counts(s) && m.notLive(s) == ""
}

// notLive returns the names of the liveness properties that do not hold in state s.
func (m *Model) notLive(s *state) (names string) {
	for i := range m.spec.Eventually {
		if p := &m.spec.Eventually[i]; !s.holds(p) {
			if names != "" {
				names += ", "
			}
			names += "eventually " + p.String()
		}
	}
	return names
}

// atRest reports whether only faults and other rare events can happen in state s, and the
// environment has nothing left to do, such as to restart a node.
func (m *Model) atRest(s *state) bool {
	for _, n := range s.Nodes {
		if n.Life == crashed || n.Paused || s.Cut.Side != nil || s.Early >= 0 && len(n.Timers) > 0 {
			return false
		}
	}
	for _, e := range m.events(s) {
		if !e.rare {
			return false
		}
	}
	return true
}

// after caches the states that are possible after healing, each with the states that follow it.
// The runs of one system share most of these states, so they are computed once.
type after struct {
	number map[string]int // by key of a state: its index in all
	all    []*follower
}

// follower is a state after healing, and the states to which its steps lead, except rare
// steps.
type follower struct {
	s      *state
	asked  bool
	failed bool // a handler failed in a step from it
	next   []int
}

func (a *after) add(s *state) int {
	k := s.key()
	i, known := a.number[k]
	if !known {
		i = len(a.all)
		a.number[k] = i
		a.all = append(a.all, &follower{s: s})
	}
	return i
}

// follows returns the state with index i in after, and computes its successors if that was not
// done yet.
func (m *Model) follows(i int) *follower {
	f := m.after.all[i]
	if !f.asked {
		f.ask(m)
	}
	return f
}

func (f *follower) ask(m *Model) {
	f.asked = true
	steps, _ := m.steps(f.s)
	for _, st := range steps {
		switch {
		case st.rare:
		case st.wrong != nil:
			f.failed = true
		default:
			f.next = append(f.next, m.after.add(st.to))
		}
	}
}

// graph has some states after healing, and all states that can be reached from them by steps that
// are not rare.
type graph struct {
	m       *Model
	number  map[int]int // by index of a state in after: its index here
	after   []int       // by index of a state here: its index in after
	states  []*state
	back    [][]int // the indices of the predecessors of each state
	failed  bool    // a handler failed in a step
	stopped bool    // there were too many states
}

func (m *Model) heal(from []*state, most int, beyond func(*state) bool) *graph {
	g := &graph{m: m, number: map[int]int{}}
	for _, s := range from {
		g.add(m.after.add(s.healed()))
	}
	for i := 0; i < len(g.states); i++ {
		if len(g.states) > most {
			g.stopped = true
			break
		}
		if beyond(g.states[i]) {
			g.expand(i)
		}
	}
	return g
}

// add adds a state to the graph, unless it is there, and returns its index in the graph. at is
// the index of the state in Model.after.
func (g *graph) add(at int) int {
	i, known := g.number[at]
	if !known {
		i = len(g.states)
		g.number[at] = i
		g.after, g.states, g.back = append(g.after, at), append(g.states, g.m.after.all[at].s), append(g.back, nil)
	}
	return i
}

func (g *graph) expand(i int) {
	f := g.m.follows(g.after[i])
	g.failed = g.failed || f.failed
	for _, at := range f.next {
		to := g.add(at)
		g.back[to] = append(g.back[to], i)
	}
}

// of returns the index of s, which is one of the states from which the graph was made.
func (g *graph) of(s *state) int { return g.number[g.m.after.number[s.healed().key()]] }

// reach returns, for each state, whether a good state can be reached from it.
func (g *graph) reach(good func(*state) bool) []bool {
	reaches := make([]bool, len(g.states))
	var todo []int
	for i, s := range g.states {
		if good(s) {
			reaches[i] = true
			todo = append(todo, i)
		}
	}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, b := range g.back[i] {
			if !reaches[b] {
				reaches[b] = true
				todo = append(todo, b)
			}
		}
	}
	return reaches
}

// liveness finds the dead states of a space that was visited as a whole. It gives up if the
// number of states that can follow after healing is larger than 20*most.
func (x *Space) liveness(most int) {
	m := x.m
	if len(m.spec.Eventually) == 0 {
		return
	}
	var all []*state
	for _, n := range x.nodes {
		all = append(all, n.s)
	}
	inside := func(s *state) bool { return s.holds(m.spec.Within) }
	g := m.heal(all, 20*most, inside)
	if g.stopped || g.failed {
		return
	}
	x.Judged, x.DeadFor = true, map[string]bool{}
	reaches := g.reach(func(s *state) bool { return m.live(s) || !m.counts(s) || !inside(s) })
	for _, n := range x.nodes {
		if reaches[g.of(n.s)] || !m.counts(n.s) || !inside(n.s) {
			continue
		}
		if x.Dead < 0 || n.depth == x.Dead {
			x.Dead = n.depth
			x.DeadFor[m.notLive(n.s)] = true
		}
	}
}

// recoverable returns, for each state of a run, whether a live state can be reached from it
// (can), and whether a state in which liveness is not judged can (astray). known is false if the
// number of states to visit for that is larger than most.
func (m *Model) recoverable(run []*state, most int) (can, astray []bool, known bool) {
	g := m.heal(run, most, func(*state) bool { return true })
	if g.stopped || g.failed {
		return nil, nil, false
	}
	live, out := g.reach(m.live), g.reach(func(s *state) bool { return !m.counts(s) })
	for _, s := range run {
		k := g.of(s)
		can, astray = append(can, live[k]), append(astray, out[k])
	}
	return can, astray, true
}
