package explore

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"macemc/internal/canon"
)

// Sleep leaves out steps that lead to states to which another order of steps leads. It implements
// sleep sets for states that are kept. All states are visited, each at the same depth as without
// it.
//
// Suppose that the independent steps a and b are taken from a state, a first. In the state after b,
// step a is not taken, since it would lead to the state that b leads to after a: it sleeps there. In
// general, after a step was taken from a state, it sleeps in the states to which the later steps of
// that state lead, and in the states behind them, until a step is taken that depends on it. A step
// that sleeps is not taken. If several steps lead to a state, a step sleeps there only if it sleeps
// along all of them. If a step leads to a state that was expanded before, and some of the steps that
// slept there do not sleep along it, these wake: they are taken when the level ends.
//
// Why no state is lost: for a state s, let Z1, Z2, ... Zk be the sets that slept at s when it was
// expanded and each time that more steps were taken; each set is a part of the one before. Let w be
// a run of n steps from s, and I the set of steps that can come first if independent steps of w are
// swapped. The claim is that the state after w is visited if no step of I is in Zk. Consider the
// last round in which a step of I was taken, and let t be the first such step. A step that sleeps
// after t is in the Z of that round, or was taken before t in the same round. If it could come
// first in the rest of w, it would be in I. Then it was taken in a later round, or in this one
// before t, and neither is so. So the claim for n - 1 steps holds for the rest of w, after t. It is
// important that a step that was taken in an earlier round does not go to sleep in a later one: two
// steps could each sleep after the other. In the first state nothing sleeps. All states of these
// runs are as near to the start as those of w, so at the end of each level no state up to that
// level is missing.
//
// Steps need not wake as long as levels are expanded one after the other: no state would be lost if
// no step woke. So no test that searches a service notices if steps do not wake. The proof considers
// shortest runs alone. Let no run to the state after w be shorter than the run to s and then w, and
// let no step of I sleep at s when s is expanded. Let t be the first step of I that is taken there.
// The state after t is one level deeper than s, and the rest of w is again a shortest run. All steps
// that lead to that state from the level of s are taken before the state is expanded, and a step
// sleeps there only if it sleeps along all of them, so also along t. As above, such a step that could
// come first in the rest of w would be in I, and then t would not be the first. Steps wake only when
// a longer run leads to a state, and no shortest run needs that. If states were expanded in another
// order than by levels, steps would have to wake.
//
// Only steps whose results follow from their node part alone sleep, or let others sleep. Two of
// them are independent if they belong to different nodes, and neither sends to where the other
// takes a message. See commute.go, which leaves out a step for one level only.
type Sleep struct {
	Slept int // steps that were not taken, counted once for each of their results
	Woken int // states of which steps were taken that woke later

	of    map[uint32]int32 // by state: the number of the set of steps that sleep there; states where none sleeps are left out
	sets  [][]sleeper
	known map[string]int32 // the numbers of the sets, by their contents
	key   []byte

	here  []sleeper // the steps that sleep at the state being expanded
	done  []sleeper // the steps that were taken there in this round
	only  []sleeper // the steps that are taken in this round; nil means all that do not sleep
	until uint32    // states with smaller numbers are expanded, or are being expanded
	again []waking  // expanded states where steps have woken

	tested []slept // states to be tested at the end of the level

	NoNodes bool // for tests: steps of one node do not depend on each other
}

// sleeper identifies a step of one node. It stays the same step while the node does not change.
type sleeper struct {
	what    uint32 // the number of the message that the step takes, or of another event: see occurrence
	ordinal int16
	from    int16  // the sender of the message that it takes, or none
	out     int16  // the sender, too, if the message is taken out of a channel or bag; otherwise none
	to      uint16 // the nodes that the step sends to, one bit each
}

// A waking is a state that was expanded, and the steps that have woken there since.
type waking struct {
	state uint32
	woken []sleeper
}

// slept is a state to which a sleeping step leads. The step was not taken; at the end of the level the
// state must be known all the same.
type slept struct {
	sum  canon.Hash
	pack []uint64 // the state, packed
}

// One in sleepTests of the steps that are not taken is tested: the state that it leads to must be
// known when the level ends.
const sleepTests = 64

// Sleeps makes the explorer leave out steps that sleep. It must be called before the first state is
// expanded.
func (x *Explorer) Sleeps() *Sleep {
	z := &Sleep{of: map[uint32]int32{}, sets: [][]sleeper{nil}, known: map[string]int32{"": 0}}
	x.Memo().sleeps(z)
	return z
}

func (m *Memo) sleeps(z *Sleep) {
	m.sleep, m.runs = z, math.MaxInt // no node is dear
	m.LooksAllUp()
}

// Sleeping returns the explorer's sleep sets, or nil if it has none.
func (x *Explorer) Sleeping() *Sleep {
	if m := x.Memo(); m != nil {
		return m.sleep
	}
	return nil
}

// begins begins the expansion of state s. If plain is false, some steps of s depend on more than their node's
// part; then no step sleeps there.
func (z *Sleep) begins(s uint32, plain bool) {
	z.only, z.done = nil, z.done[:0]
	if !plain {
		delete(z.of, s)
	}
	z.here = z.sets[z.of[s]]
	z.until = max(z.until, s+1)
}

// takes begins another expansion of a state, in which only the steps that have woken there are taken.
func (z *Sleep) takes(w waking) {
	z.done, z.here, z.only = z.done[:0], z.sets[z.of[w.state]], w.woken
	z.Woken++
}

// rises returns the expanded states where steps have woken, and empties their list.
func (z *Sleep) rises() (all []waking) {
	all, z.again = z.again, nil
	return all
}

// sleeperOf returns event e as a sleeper. Its result, o, must follow from its node's part alone.
func sleeperOf(e occurrence, o *footprint) sleeper {
	out := e.from
	if e.pops == none {
		out = none
	}
	return sleeper{e.what, int16(e.ordinal), int16(e.from), int16(out), uint16(o.to)}
}

// did records that step e of the state being expanded was taken.
func (z *Sleep) did(e sleeper) { z.done = append(z.done, e) }

// after returns the number of the set of steps that sleep after step e. These are the steps that sleep at the
// state being expanded or that were taken there before e, except those that depend on e.
func (z *Sleep) after(e sleeper) int32 {
	var all []sleeper
	for _, list := range [2][]sleeper{z.here, z.done} {
		for _, o := range list {
			if z.independent(o, e) && !slices.Contains(all, o) {
				all = append(all, o)
			}
		}
	}
	return z.number(all)
}

func (z *Sleep) independent(a, b sleeper) bool {
	i, j := nodeOf(int(a.ordinal)), nodeOf(int(b.ordinal))
	meet := int(a.out) == j && b.to>>i&1 != 0 || int(b.out) == i && a.to>>j&1 != 0
	return (i != j || z.NoNodes) && !meet
}

// reached records that a step leads to state s, which is new if fresh is true. The argument along is the
// number of the set of steps that sleep after that step.
func (z *Sleep) reached(s uint32, fresh bool, along int32) {
	was := z.of[s]
	switch {
	case fresh:
		z.lies(s, along)
	case was == 0 || was == along:
	default:
		var both, woken []sleeper
		for _, e := range z.sets[was] {
			if slices.Contains(z.sets[along], e) {
				both = append(both, e)
			} else {
				woken = append(woken, e)
			}
		}
		z.lies(s, z.number(both))
		if s < z.until && len(woken) > 0 {
			z.again = append(z.again, waking{s, woken})
		}
	}
}

// lies makes the set of steps with the given number sleep at state s.
func (z *Sleep) lies(s uint32, set int32) {
	if set == 0 {
		delete(z.of, s)
		return
	}
	z.of[s] = set
}

// awake reports whether event e, number k of the position's state, on node i, must be taken in this round:
// in the first, if it does not sleep there; in a later one, if it has woken. Its result, o, follows from the node's
// part alone.
func (m *Memo) awake(k, i int, e occurrence, o *footprint) bool {
	z, step := m.sleep, sleeperOf(e, o)
	results := len(o.results)
	switch {
	case z.only != nil && !slices.Contains(z.only, step):
		return false
	case z.only != nil:
		z.counts(-results)
		return true
	case !slices.Contains(z.here, step):
		return true
	}
	if z.counts(results); z.Slept/sleepTests != (z.Slept-results)/sleepTests {
		c := candidate{Sum: m.total, Parent: int32(len(m.Parents) - 1), first: int32(len(m.changes)), event: uint16(k)}
		if !m.apply(&c, &o.results[0], i) {
			panic("macemc bug: search: a step that sleeps has no room")
		}
		m.Write(&c)
		m.cut(batchSize{len(m.Next), int(c.first), len(m.seen)})
		z.tests(c.Sum, m.x.packed)
	}
	return false
}

func (z *Sleep) counts(results int) { z.Slept += results }

func (z *Sleep) tests(sum canon.Hash, packed []uint64) {
	z.tested = append(z.tested, slept{sum, slices.Clone(packed)})
}

// due returns the states to be tested at the end of a level, and empties their list.
func (z *Sleep) due() (all []slept) {
	all, z.tested = z.tested, z.tested[:0]
	return all
}

// wakes ends a level: it takes the steps that have woken at states expanded before.
func (m *Memo) wakes() error {
	for all := m.sleep.rises(); len(all) > 0; all = m.sleep.rises() {
		for _, w := range all {
			if len(m.Next)+len(m.seen) >= together {
				if err := m.Settle(); err != nil {
					return err
				}
			}
			_, faults, _ := m.goes(w.state)
			m.sleep.takes(w)
			m.stands(w.state, &m.position)
			if err := m.plainly(w.state, faults); err != nil {
				return err
			}
		}
		if err := m.Settle(); err != nil {
			return err
		}
	}
	for _, s := range m.sleep.due() {
		m.x.start(s.pack)
		if _, known := m.x.Find(s.sum); !known && !m.sleep.NoNodes {
			panic("macemc bug: search: a step that sleeps leads to a state that was not visited")
		}
	}
	return nil
}

// number sorts a set of steps, and returns the number of the set.
func (z *Sleep) number(all []sleeper) int32 {
	slices.SortFunc(all, func(a, b sleeper) int {
		return cmp.Or(cmp.Compare(a.what, b.what), cmp.Compare(a.ordinal, b.ordinal), cmp.Compare(a.from, b.from), cmp.Compare(a.out, b.out), cmp.Compare(a.to, b.to))
	})
	z.key = z.key[:0]
	for _, e := range all {
		z.key = binary.LittleEndian.AppendUint32(z.key, e.what)
		for _, n := range [4]uint16{uint16(e.ordinal), uint16(e.from), uint16(e.out), e.to} {
			z.key = binary.LittleEndian.AppendUint16(z.key, n)
		}
	}
	k, known := z.known[string(z.key)]
	if !known {
		k = int32(len(z.sets))
		z.known[string(z.key)] = k
		z.sets = append(z.sets, slices.Clip(all))
	}
	return k
}
