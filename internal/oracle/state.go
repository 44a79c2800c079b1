package oracle

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"macemc/internal/spec"
)

// A state is everything on which the rest of a run may depend, as plain values. Two states are the same if
// their keys are equal.
type state struct {
	Nodes []nodeState
	TCP   [][]end      // by node and peer: what the node keeps about the connection, with the messages queued to the peer
	UDP   [][][]int    // datagrams under way, by sender and receiver, the oldest first; a message is given as its number in the spec
	Set   [][][]int    // messages of sets, by sender and receiver, in the order of their words
	Bag   [][][]int    // messages of bags, in the same form, each as often as it is there
	Left  spec.Budgets // the budgets left
	Early int          // early firings left; -1 means no limit
	Cut   cut          // the partition
	Facts map[int]int  // the monitor's memory
}

type life int

const (
	up life = iota
	crashed
	down
	absent // it has not joined yet
)

// nodeState is a node, with its timers, tasks, script and disk. The spec moves it between
// places (At); Fuel limits its sends and writes.
type nodeState struct {
	Life     life
	Restarts int
	At, Fuel int
	Heard    map[int]int
	Trail    []int
	A, B     int
	Shared   bool // the cells A and B are one variable
	Passed   int  // the messages that the layer has counted
	Timers   map[int]bool
	Tasks    map[int]int
	Script   []int
	Flushing bool
	Paused   bool
	Disk     disk
	Clock    clock
	Marks    [2]int // the two monotone readings that it holds, as small numbers in their order; 0 means none
}

// cut is a partition. Side says which nodes are on the first side. If it is one-way,
// messages from the first side do not reach the other.
type cut struct {
	Side   []bool // nil if there is no partition
	OneWay bool
}

// bars reports whether messages from a do not reach b.
func (c cut) bars(a, b int) bool {
	if c.Side == nil {
		return false
	}
	if c.OneWay {
		return c.Side[a] && !c.Side[b]
	}
	return c.Side[a] != c.Side[b]
}

// key returns the state as text.
func (s *state) key() string {
	b := make([]byte, 0, 256)
	num := func(n int) { b = strconv.AppendInt(b, int64(n), 10); b = append(b, ' ') }
	is := func(x bool) {
		if x {
			b = append(b, 'x')
		}
		b = append(b, '.')
	}
	list := func(all []int) {
		for _, v := range all {
			num(v)
		}
		b = append(b, ';')
	}
	table := func(m map[int]int) {
		for _, k := range keys(m) {
			num(k)
			num(m[k])
		}
		b = append(b, ';')
	}
	for i := range s.Nodes {
		m := &s.Nodes[i]
		list([]int{int(m.Life), m.Restarts, m.At, m.Fuel, m.A, m.B, m.Passed})
		table(m.Heard)
		list(m.Trail)
		is(m.Shared)
		list(keys(m.Timers))
		table(m.Tasks)
		list(m.Script)
		is(m.Flushing)
		is(m.Paused)
		b = fmt.Appendf(m.Disk.told(b), ";%s%v;", m.Clock.String(), m.Marks)
		for j := range s.Nodes {
			e := &s.TCP[i][j]
			is(e.Open)
			is(e.Error)
			is(e.Asked)
			list(e.Queue)
			list(s.UDP[i][j])
			list(s.Set[i][j])
			list(s.Bag[i][j])
		}
	}
	for _, left := range s.Left.All() {
		num(*left)
	}
	num(s.Early)
	for _, in := range s.Cut.Side {
		is(in)
	}
	is(s.Cut.OneWay)
	table(s.Facts)
	return string(b)
}

func (s *state) clone() *state {
	n := len(s.Nodes)
	c := &state{Left: s.Left, Early: s.Early, Cut: s.Cut}
	c.Nodes = slices.Clone(s.Nodes)
	for i := range c.Nodes {
		c.Nodes[i].part()
	}
	c.TCP, c.UDP, c.Set, c.Bag = make([][]end, n), make([][][]int, n), make([][][]int, n), make([][][]int, n)
	for i := range n {
		c.TCP[i] = make([]end, n)
		c.UDP[i], c.Set[i], c.Bag[i] = make([][]int, n), make([][]int, n), make([][]int, n)
		for j := range n {
			c.TCP[i][j] = s.TCP[i][j].clone()
			c.UDP[i][j], c.Set[i][j], c.Bag[i][j] = slices.Clone(s.UDP[i][j]), slices.Clone(s.Set[i][j]), slices.Clone(s.Bag[i][j])
		}
	}
	c.Facts = copied(s.Facts)
	return c
}

// part gives a node that was copied lists and maps of its own, so that it shares no memory
// with the original.
func (n *nodeState) part() {
	n.Heard, n.Timers, n.Tasks = copied(n.Heard), copied(n.Timers), copied(n.Tasks)
	n.Disk = n.Disk.clone()
	n.Trail, n.Script = slices.Clone(n.Trail), slices.Clone(n.Script)
}

// renewed returns the state with the budgets and early firings of a start.
func (s *state) renewed(b spec.Budgets, early *int) *state {
	c := s.clone()
	c.Left, c.Early = b, firings(early)
	return c
}

func copied[V any](m map[int]V) map[int]V {
	c := make(map[int]V, len(m))
	maps.Copy(c, m)
	return c
}

// empty returns the state with these budgets before the nodes have started.
func empty(s *spec.Spec, b spec.Budgets, early *int) *state {
	n := s.Nodes
	st := &state{Left: b, Early: firings(early), Facts: map[int]int{}}
	for i := range n {
		st.Nodes = append(st.Nodes, fresh(s, i, 0))
		st.TCP = append(st.TCP, make([]end, n))
		st.UDP, st.Set = append(st.UDP, make([][]int, n)), append(st.Set, make([][]int, n))
		st.Bag = append(st.Bag, make([][]int, n))
	}
	return st
}

// fresh returns node i as it begins one of its lives, with the script of that life. A node
// that joins later is absent.
func fresh(s *spec.Spec, i, life int) nodeState {
	n := nodeState{
		Restarts: life, Fuel: s.Fuel, Heard: map[int]int{}, Timers: map[int]bool{}, Tasks: map[int]int{},
		Script: slices.Clone(s.Script(i, life)),
	}
	if life == 0 && firstOf(n.Script) == spec.Joins {
		n.Life = absent
	}
	return n
}

// dead returns node i after a failure. Its disk is left only if the failure is a crash.
func (n *nodeState) dead(s *spec.Spec, i int, as life) nodeState {
	d := fresh(s, i, n.Restarts)
	d.Life, d.Script = as, nil
	if s.Keeps {
		d.Heard, d.Trail = n.Heard, n.Trail
	}
	if as == crashed {
		d.Disk = n.Disk
	}
	return d
}

// wipe removes everything that is left of node i after its failure.
func (n *nodeState) wipe(s *spec.Spec, i int) {
	*n = fresh(s, i, n.Restarts)
	n.Life, n.Script = crashed, nil
}

// restart begins the next life of a node. Lives are counted only if there are scripts, since nothing else
// depends on them.
func (n *nodeState) restart(s *spec.Spec, i int) {
	n.Life = up
	if s.Scripts != nil {
		n.Restarts++
		n.Script = slices.Clone(s.Script(i, n.Restarts))
	}
}

func (n *nodeState) join() { n.Life, n.Script = up, n.Script[1:] }

// opening takes the first request out of the node's script, since the node handles it now.
func (n *nodeState) opening() { n.Script = n.Script[1:] }

func (n *nodeState) pause() { n.Paused = true }

func (n *nodeState) resume() { n.Paused = false }

// fire removes the timer v, since it fires. If paced is true, the spec guarantees how exact
// clocks are, and the firing also shows that some time has passed.
func (n *nodeState) fire(v int, paced bool) {
	delete(n.Timers, v)
	if paced {
		n.Clock.fire(v)
	}
}

func (n *nodeState) arm(v int) { n.Timers[v] = true }

func (n *nodeState) disarm(v int) { delete(n.Timers, v) }

func (n *nodeState) post(v int) { n.Tasks[v]++ }

// perform removes one task of kind v, since the node performs it. A node may have several tasks
// of one kind.
func (n *nodeState) perform(v int) {
	if n.Tasks[v]--; n.Tasks[v] == 0 {
		delete(n.Tasks, v)
	}
}

// burn uses one unit of the node's fuel.
func (n *nodeState) burn() { n.Fuel-- }

func (n *nodeState) flush() { n.Flushing = true }

func (n *nodeState) flushed() { n.Flushing = false }

// pass adds one to the number of messages that the node's layer has counted. The layer counts no
// further than 2.
func (n *nodeState) pass() { n.Passed = min(n.Passed+1, 2) }

func (n *nodeState) forget() { n.Passed = 0 }

// move advances the node by a number of places, in the cycle of places of the spec.
func (n *nodeState) move(by int, s *spec.Spec) { n.At = (n.At + by) % s.Places }

// mark reads the monotone clock, and stores the reading as the node's k-th mark.
func (n *nodeState) mark(k int) { n.Marks[k] = 1 + max(n.Marks[0], n.Marks[1]) }

// does performs an operation that changes only the node's own memory. It returns false for
// any other operation, which it does not perform.
func (n *nodeState) does(op spec.Op) bool {
	switch op.Verb {
	case spec.Go:
		n.At = op.X
	case spec.Trail:
		if n.Trail = append(n.Trail, op.X); len(n.Trail) > 2 {
			n.Trail = n.Trail[1:]
		}
	case spec.Poke:
		if n.A = (n.A + 1) % 2; n.Shared {
			n.B = n.A
		}
	case spec.Join:
		n.Shared, n.B = true, n.A
	case spec.Part:
		n.Shared = false
	case spec.Count:
		n.mark(op.X)
	default:
		return false
	}
	return true
}

// healed returns the state after healing: budgets are 0, no timer is held back, there is no partition, and no
// node is paused. The consequences of faults stay.
func (s *state) healed() *state {
	h := s.clone()
	h.Left, h.Early, h.Cut = spec.Budgets{}, -1, cut{}
	for i := range h.Nodes {
		h.Nodes[i].resume()
	}
	return h
}

// keep copies from the state after to s what a handler of node i has done besides its effects: the changes
// of the node's memory, and the budgets that its coins used. It does not copy the disk.
func (s *state) keep(i int, after *state) {
	memory := after.Nodes[i]
	memory.Disk = s.Nodes[i].Disk
	s.Nodes[i] = memory
	s.Left.Rare, s.Left.Disk = after.Left.Rare, after.Left.Disk
}

func (s *state) mend() { s.Cut = cut{} }

// fireEarly uses one of the early firings.
func (s *state) fireEarly() { s.Early-- }

// sent adds a datagram behind the others under way. It reports false if there is no room.
func (s *state) sent(from, to, v, room int) bool {
	if len(s.UDP[from][to]) >= room {
		return false
	}
	s.UDP[from][to] = append(s.UDP[from][to], v)
	return true
}

// arrive removes the k-th datagram under way.
func (s *state) arrive(from, to, k int) { s.UDP[from][to] = slices.Delete(s.UDP[from][to], k, k+1) }

// include adds a message to a set, unless it is in the set.
func (s *state) include(from, to, v int) {
	if !slices.Contains(s.Set[from][to], v) {
		s.Set[from][to] = ordered(s.Set[from][to], v)
	}
}

// bag adds a message to a bag. The method unbag removes the k-th message.
func (s *state) bag(from, to, v int) { s.Bag[from][to] = ordered(s.Bag[from][to], v) }

func (s *state) unbag(from, to, k int) { s.Bag[from][to] = slices.Delete(s.Bag[from][to], k, k+1) }

func ordered(q []int, v int) []int {
	q = append(q, v)
	slices.Sort(q)
	return q
}

// payRare takes one from the budget of rare sides, unless it has no limit. The method
// payDisk does the same for failures of disks.
func (s *state) payRare() {
	if s.Left.Rare > 0 {
		s.Left.Rare--
	}
}

func (s *state) payDisk() {
	if s.Left.Disk > 0 {
		s.Left.Disk--
	}
}

// count makes the monitor count a fact with this number.
func (s *state) count(fact int) { s.Facts[fact] = (s.Facts[fact] + 1) % 3 }

// holds reports whether the predicate p is true in the state.
func (s *state) holds(p *spec.Pred) bool {
	if p == nil {
		return true
	}
	return s.judge(p) != p.Not
}

func (s *state) judge(p *spec.Pred) bool {
	all, some, sum, ups := true, false, 0, 0
	for _, m := range s.Nodes {
		if m.Life != up {
			continue
		}
		is := false
		switch p.Kind {
		case spec.Every, spec.Some:
			is = m.At == p.P
		case spec.Spent:
			is = m.Fuel == 0
		case spec.Shared:
			is = m.Shared
		case spec.Heard:
			h, any := m.Heard[0]
			is = any && h == p.P
		case spec.Trailed:
			is = len(m.Trail) == 2 && m.Trail[1] == p.P
		}
		all, some, sum, ups = all && is, some || is, sum+m.At, ups+1
	}
	switch p.Kind {
	case spec.Every, spec.Spent, spec.Shared:
		return all
	case spec.Some, spec.Heard, spec.Trailed:
		return some
	case spec.Quiet:
		return s.flying() == 0
	case spec.Flying:
		return s.flying() >= p.P
	case spec.NoTimers:
		for _, m := range s.Nodes {
			if len(m.Timers) > 0 {
				return false
			}
		}
		return true
	case spec.Armed:
		return s.Nodes[0].Life == up && s.Nodes[0].Timers[p.P]
	case spec.AllUp:
		return ups == len(s.Nodes)
	case spec.Sum:
		return sum >= p.P
	case spec.UnderWay:
		for i := range s.Nodes {
			for j := range s.Nodes {
				if slices.Contains(slices.Concat(s.TCP[i][j].Queue, s.UDP[i][j], s.Set[i][j], s.Bag[i][j]), p.P) {
					return true
				}
			}
		}
		return false
	case spec.Never:
		return false
	default:
		panic("macemc bug: oracle: no predicate " + p.Kind)
	}
}

// each reports whether p is true for every node that is up, as if the node were the only
// one.
func (s *state) each(p *spec.Pred) bool {
	for i := range s.Nodes {
		one := state{Nodes: s.Nodes[i : i+1]}
		if s.Nodes[i].Life == up && !one.holds(p) {
			return false
		}
	}
	return true
}

// flying returns the number of messages under way by TCP and UDP, and in bags.
func (s *state) flying() (n int) {
	for i := range s.Nodes {
		for j := range s.Nodes {
			n += len(s.TCP[i][j].Queue) + len(s.UDP[i][j]) + len(s.Bag[i][j])
		}
	}
	return n
}

// sum returns the sum of the places, as numbers, of the nodes that are up.
func (s *state) sum() (n int) {
	for _, m := range s.Nodes {
		if m.Life == up {
			n += m.At
		}
	}
	return n
}

// firings returns the number of early firings left at the start; -1 means no limit.
func firings(early *int) int {
	if early == nil {
		return -1
	}
	return *early
}
