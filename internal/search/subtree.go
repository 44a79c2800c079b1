package search

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"maps"
	"slices"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/observe"
	"macemc/internal/search/internal/run"
	"macemc/internal/search/internal/shard"
)

// subtreeItem is a part of an enumeration of runs, for another process: the runs that begin with one
// of the roots.
type subtreeItem struct {
	Round int // the round of the search; a Taker forgets its states when the round changes
	Bound int // the largest number of steps
	Roots []subtreeRoot
}

// subtreeRoot is a state to expand, with the run to it.
type subtreeRoot struct {
	Answers []byte // the run's answers, each with the number of its alternatives: see appendAnswer
	Steps   int
}

func appendAnswer(to []byte, of, pick int) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(to, uint64(of)), uint64(pick))
}

// picks decodes the answers of the run to the state.
func (r *subtreeRoot) picks() (all []choose.Pick, err error) {
	for b := r.Answers; len(b) > 0; {
		of, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, shard.ErrDamaged
		}
		pick, k := binary.Uvarint(b[n:])
		if k <= 0 {
			return nil, shard.ErrDamaged
		}
		all, b = append(all, choose.Pick{Of: uint32(of), Pick: uint32(pick)}), b[n+k:]
	}
	return all, nil
}

// subtreeCame is the result of an item: its states, and the roots that are left for other items. For
// each state either all steps were taken or none.
type subtreeCame struct {
	States   []byte // a list in the form of appendState
	Stats    Stats  // counts without states and transitions, unless all paths are taken
	Beyond   int    // number of states at the bound that were not expanded, if all paths are taken
	Began    int    // number of roots whose runs were begun
	Left     bool   // a failure lowered the bound, so states below it were left
	Sampled  bool
	Outside  bool // a state outside System.Within was not expanded
	Failed   []subtreeFailed
	Rest     []subtreeRoot
	LeftOut  []subtreeLeft
	Coverage observe.Counted
}

// subtreeFailed is a run that failed, that is dead, or that led to another state when it was
// repeated.
type subtreeFailed struct {
	Run         subtreeRoot
	Dead, Moved bool
}

// subtreeLeft is a state that was not expanded, since it ended processes.
type subtreeLeft struct {
	Run   subtreeRoot
	State canon.Hash
}

// subtreeState is a state in the result of an item.
type subtreeState struct {
	mark
	steps int  // number of steps from it, if it was expanded
	edge  bool // it is inside System.Within, and was not expanded since it is at the bound
}

// appendState appends state s, whose identity is h, to an encoded list. stateOf decodes the first
// state of such a list.
func appendState(to []byte, h canon.Hash, s *subtreeState) []byte {
	kind := uint64(0)
	if s.expanded {
		kind = 1
	}
	if s.edge {
		kind = 2
	}
	to = shard.AppendHash(to, h)
	return binary.AppendUvarint(binary.AppendUvarint(to, uint64(s.depth)<<2|kind), uint64(s.steps))
}

func stateOf(from []byte) (h canon.Hash, s subtreeState, rest []byte, err error) {
	if len(from) < 16 {
		return h, s, nil, shard.ErrDamaged
	}
	h, from = shard.HashOf(from), from[16:]
	depth, n := binary.Uvarint(from)
	if n <= 0 {
		return h, s, nil, shard.ErrDamaged
	}
	steps, k := binary.Uvarint(from[n:])
	if k <= 0 {
		return h, s, nil, shard.ErrDamaged
	}
	s = subtreeState{mark: mark{depth: int(depth >> 2), expanded: depth&3 == 1}, edge: depth&3 == 2, steps: int(steps)}
	return h, s, from[n+k:], nil
}

// branch has the fields that a reference needs to enumerate the runs of one item. After the function
// enough of Enumerate has returned true, states that are reached for the first time are left to other
// items. So an item either takes all steps of a state or none.
type branch struct {
	before   map[canon.Hash]mark // states of earlier items whose results are stored
	states   map[canon.Hash]*subtreeState
	deferred map[canon.Hash]int // states that were left to other items, with their depths
	root     *subtreeRoot
	answers  []byte          // answers of the present run, after the root
	path     []*subtreeState // by depth: the states of the present run
	closing  bool            // enough has returned true: new states are left to other items
	alone    *branchAlone    // nil unless a process takes only this item
	came     subtreeCame
}

// branchAlone is the state of an enumeration in a process of its own. It numbers the states in the
// order in which their expansion begins.
type branchAlone struct {
	leave  []int
	begins func(state int)
	last   int
	path   []int // by depth: the number of the present run's state
}

// Answer returns the answer of the enumeration, and records it for the branch.
func (s *reference) Answer(q *choose.Question) int {
	k := s.Odometer.Answer(q)
	if s.branch != nil && k >= 0 {
		s.branch.answered(q.N, k)
	}
	return k
}

func (p *branch) answered(of, pick int) { p.answers = appendAnswer(p.answers, of, pick) }

// here returns the present state as a root: the answers that lead to it, and their number of steps.
// depth is the number of steps from the item's root to the state.
func (p *branch) here(depth int) subtreeRoot {
	return subtreeRoot{append(slices.Clone(p.root.Answers), p.answers...), p.root.Steps + depth}
}

// defers reports whether the new state with identity h is left to another item, because this item
// has done enough. If it is, defers adds it to the roots in the result.
func (s *reference) defers(h canon.Hash, depth int) bool {
	p := s.branch
	if p == nil || !p.closing || depth == 0 || depth >= s.bound {
		return false
	}
	if before, is := p.deferred[h]; is && before <= s.at(depth) && !s.all {
		s.duplicates++
	} else {
		p.deferred[h] = s.at(depth)
		p.came.rests([]subtreeRoot{p.here(depth)})
	}
	return true
}

// mark returns the stored mark of the state with identity h: the depth at which the state was
// reached, and whether it was expanded. there is false if the state has no mark.
func (s *reference) mark(h canon.Hash) (m mark, there bool) {
	if p := s.branch; p != nil {
		if before, is := p.before[h]; is {
			m, there = before, true
		}
	}
	if own, is := s.known[h]; is && (!there || own.depth <= m.depth) {
		return own, true
	}
	return m, there
}

// step records that a step is taken from the state at this depth of the run.
func (p *branch) step(depth int) {
	if p != nil {
		p.path[depth].steps++
	}
}

// notes adds the state with identity h to the result.
func (p *branch) notes(h canon.Hash, m mark, depth int, edge bool) {
	if p == nil {
		return
	}
	one := p.states[h]
	if one == nil {
		one = &subtreeState{}
		p.states[h] = one
	}
	one.mark, one.edge = m, edge
	p.path = append(p.path[:depth], one)
}

// leaves reports whether the state at this depth of the run must be left out, since it has ended
// processes. It is called before each step from the state; again is false for the first one.
func (p *branch) leaves(h canon.Hash, depth int, again bool) bool {
	if p == nil || p.alone == nil {
		return false
	}
	a := p.alone
	if !again {
		a.path = append(a.path[:depth], a.last)
		a.last++
	}
	number := a.path[depth]
	if slices.Contains(a.leave, number) {
		if !again {
			p.came.LeftOut = append(p.came.LeftOut, subtreeLeft{p.here(depth), h})
		}
		return true
	}
	a.begins(number)
	return false
}

// Enumerate takes the runs of an item: see Afar. After enough returns true, it leaves the rest of
// the item to others. If the result is accepted, kept must be called: then this Taker does not
// expand the states of the item again.
func (t *Taker) Enumerate(item []byte, enough func() bool) (came []byte, kept func(), err error) {
	return t.enumerate(item, enough, nil)
}

// EnumerateAlone takes the runs of an item in a process of its own, since a state of the item may
// end the process. Before each step it calls begins with the number of the state. It leaves out the
// states whose numbers are in leave.
func (t *Taker) EnumerateAlone(item []byte, leave []int, begins func(state int)) (came []byte, err error) {
	const most = 2000 // a number and not a time, so that states have the same numbers each time
	alone := &branchAlone{leave: leave, begins: begins}
	came, _, err = t.enumerate(item, func() bool { return alone.last > most }, alone)
	return came, err
}

func (t *Taker) enumerate(text []byte, enough func() bool, alone *branchAlone) (came []byte, kept func(), err error) {
	var item subtreeItem
	if err := json.Unmarshal(text, &item); err != nil {
		return nil, nil, err
	}
	if t.round != item.Round {
		t.round, t.known = item.Round, map[canon.Hash]mark{}
	}
	one := t.pool.Hands[0]
	one.counted()
	one.coverage.Clear()
	s := newBranches(one.hand, item.Bound, t.known, alone)
	out := &s.branch.came
	ended := false
	for k := range item.Roots {
		if s.branch.closing {
			out.rests(item.Roots[k:])
			break
		}
		_, returned, err := run.Apart(func() (struct{}, error) {
			one.here()
			return struct{}{}, one.enumerate(s, &item.Roots[k], enough)
		})
		if err != nil {
			return nil, nil, err
		}
		if !returned { // a handler ended the goroutine: the search itself takes that run
			_, another := one.gone()
			t.pool.Hands[0] = &scout{hand: another}
			s.fails(len(s.path), false, false)
			out.rests(item.Roots[k+1:])
			ended = true
			break
		}
	}
	s.ends(one.counted())
	out.covers(one.coverage)
	came, err = json.Marshal(out)
	return came, func() {
		if !ended && !s.all {
			maps.Copy(t.known, s.known)
		}
	}, err
}

// rests adds roots to those that are left for other items.
func (c *subtreeCame) rests(roots []subtreeRoot) { c.Rest = append(c.Rest, roots...) }

// covers stores the coverage of the item's runs.
func (c *subtreeCame) covers(by *observe.Coverage) { c.Coverage = by.Counted() }

// newBranches returns a reference for an item. It does not expand the states in before.
func newBranches(h *hand, bound int, before map[canon.Hash]mark, alone *branchAlone) *reference {
	s := newReference(h, bound)
	s.lowest = bound
	s.branch = &branch{before: before, states: map[canon.Hash]*subtreeState{}, deferred: map[canon.Hash]int{}, alone: alone}
	return s
}

// ends sets the counts in the result of an item, from those of the hand and those of s.
func (s *reference) ends(counts Stats) {
	out := &s.branch.came
	out.Stats.Add(Stats{Steps: counts.Steps, Audited: counts.Audited, HandlerRuns: counts.HandlerRuns, Executed: s.executed, Duplicates: s.duplicates})
	out.Outside, out.Left, out.Sampled = s.outside, s.left, s.sampled
	if s.all {
		out.Stats.Add(Stats{States: s.states, Transitions: s.transitions})
		out.Beyond = s.beyond
		return
	}
	for _, h := range s.order() {
		out.States = appendState(out.States, h, s.branch.states[h])
	}
}

// order returns the item's states, sorted by their identities.
func (s *reference) order() (all []canon.Hash) {
	return slices.SortedFunc(maps.Keys(s.branch.states), func(a, b canon.Hash) int {
		return cmp.Or(cmp.Compare(a.Hi, b.Hi), cmp.Compare(a.Lo, b.Lo))
	})
}

// enumerate takes the runs that begin with the run to the state root. After enough returns true,
// new states are left to other items.
func (h *hand) enumerate(s *reference, root *subtreeRoot, enough func() bool) error {
	if err := s.beginsAt(root); err != nil || s.bound < 0 {
		return err
	}
	for more := true; more; more = s.Next() {
		careful := h.share.Due()
		s.another(enough())
		end, failure, w := h.Run(s, careful)
		h.share.Took(h.taken(w, careful), careful)
		steps := w.Run.Steps()
		switch {
		case s.moved || end == run.EndStopped && isMismatch(w.Run.Err()):
			s.fails(steps-s.base, false, true)
		case end == run.EndFailed:
			if s.fails(failure.Step-s.base, false, false); s.bound < 0 {
				return nil
			}
		case end == run.EndStopped:
			return w.Run.Err()
		case s.dead:
			s.fails(steps-s.base, true, false)
		case end != run.EndLeft:
			continue
		}
		s.Cut()
	}
	s.sampled = s.sampled || s.Sampled()
	return s.Err()
}

// beginsAt makes s enumerate only the runs that begin with the answers of root.
func (s *reference) beginsAt(root *subtreeRoot) error {
	s.Odometer, s.begin, s.base, s.bound, s.path = choose.NewOdometer(), nil, root.Steps, s.lowest-root.Steps, s.path[:0]
	if len(root.Answers) > 0 {
		picks, err := root.picks()
		if err != nil {
			return err
		}
		s.begin = &run.Fork{Prefix: picks, Steps: root.Steps}
	}
	p := s.branch
	p.root, p.path = root, p.path[:0]
	p.came.Began++
	return nil
}

// another prepares for the next run. If enough is true, the states that are reached for the first time
// from now on are left to other items.
func (s *reference) another(enough bool) {
	p := s.branch
	p.closing, p.answers = p.closing || enough, p.answers[:0]
	p.came.Stats.Add(Stats{Paths: 1})
}

// fails records that the present run failed this many steps after the root. It lowers the bound,
// unless the run is only suspected to be dead, or led to another state when it was repeated.
func (s *reference) fails(depth int, dead, moved bool) {
	const most = 64
	p := s.branch
	if len(p.came.Failed) < most {
		p.came.Failed = append(p.came.Failed, subtreeFailed{p.here(depth), dead, moved})
	}
	if s.moved = false; !dead && !moved {
		s.lower(depth - 1)
		s.lowest = min(s.lowest, s.base+depth-1)
	}
}
