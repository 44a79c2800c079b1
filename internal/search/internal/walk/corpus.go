package walk

import (
	"slices"

	"macemc/choose"
	"macemc/internal/world"
	"macemc/sim"
)

// A Corpus holds states from the middle of walks, at which other walks begin. It keeps a state if a
// node was there in a state that no walk had met before, or if several scenarios (states that the
// service asks the search to reach) held together for the first time. The corpus does not change
// while the walks of a lot (a range of walks) are under way, so several goroutines may read it. The
// states that these walks have met are added after the lot, in the order of the walks, so the
// result does not depend on which goroutine took a walk.
//
// A state is kept as the answers that lead to it. A walk that begins there gives these answers
// again. That is as fast as taking any other steps, and needs no copy of a node.
type Corpus struct {
	seen map[uint64]bool // hashes of nodes' states, and of sets of scenarios that held together
	kept []kept
}

// kept is a state at which walks may begin.
type kept struct {
	answers []choose.Pick // the answers that lead to it from where other walks begin
	depth   int           // number of steps from the start of the run
	chosen  int           // number of walks that began there
}

// Limits of a corpus. farthest is the largest number of steps from the state where ordinary walks
// begin to a kept state. Without it, states found from other kept states would make walks longer
// and longer.
const (
	keptMost   = 10_000
	seenMost   = 1 << 20
	farthest   = 400
	candidates = 4 // a walk draws this number of states, and takes the least used
)

// CorpusFrom is the number of steps of walks after which states are kept. Recording states makes
// walks slower, and bugs that show in fewer steps need none. CorpusLot is the number of walks
// in a lot that uses one corpus. After CorpusLot*CorpusShare walks, a lot is the CorpusShare-th
// part of the walks before it, so that more workers have something to do until the lot ends: see
// docs/scale.md.
const (
	CorpusFrom  = 1 << 20
	CorpusLot   = 1 << 10
	CorpusShare = 64
)

// NewCorpus returns an empty corpus.
func NewCorpus() *Corpus { return &Corpus{seen: map[uint64]bool{}} }

// Len returns the number of kept states.
func (c *Corpus) Len() int {
	if c == nil {
		return 0
	}
	return len(c.kept)
}

// full reports whether no more states can be added.
func (c *Corpus) full() bool { return len(c.kept) >= keptMost || len(c.seen) >= seenMost }

// choose draws several kept states at random, and returns the number of the one at which the fewest
// walks began.
func (c *Corpus) choose(d *draws) int {
	best := d.below(len(c.kept))
	for range candidates - 1 {
		if k := d.below(len(c.kept)); c.kept[k].chosen < c.kept[best].chosen {
			best = k
		}
	}
	return best
}

// Chose records that a walk began at kept state number k, counted from 1.
func (c *Corpus) Chose(k int) { c.kept[k-1].chosen++ }

// Notes holds the states that one walk has met and that are new to the corpus.
type Notes struct {
	answers []choose.Pick
	met     []note
}

// note is a state that is new to the corpus, because of a node's state or a set of scenarios. It
// gives the place in the walk where the state was met.
type note struct {
	sum     uint64
	depth   int
	answers int
}

// Add adds the states that a walk has met, unless they were added before.
func (c *Corpus) Add(n *Notes) {
	for _, m := range n.met {
		if c.full() {
			return
		}
		if !c.seen[m.sum] {
			c.seen[m.sum] = true
			c.kept = append(c.kept, kept{answers: n.answers[:m.answers:m.answers], depth: m.depth})
		}
	}
}

// Notes returns the new states that the walk has met, to be added to a corpus.
func (s *Walk) Notes() *Notes {
	if len(s.met) == 0 {
		return nil
	}
	most := s.met[len(s.met)-1].answers
	return &Notes{answers: slices.Clone(s.Picks()[:most]), met: slices.Clone(s.met)}
}

// note looks for something new in the state to which the last step has led. It ignores states after
// healing, at which no walk with faults can begin.
func (s *Walk) note(w *world.World, depth int) {
	c := s.Corpus
	if s.closed || s.leads() || depth > s.Plan.near+farthest || c.full() {
		return
	}
	e := w.Run.LastEvent()
	if e.Kind == sim.KindHeal {
		s.closed = true
		return
	}
	if i := e.Node.Index(); i >= 0 {
		s.meet(w.State.NodeSum(i).Lo, depth)
	}
	if holds := w.Judge.Scenarios(); holds > 0 {
		s.meet(mix(holds), depth)
	}
}

// meet records that the walk has met a node's state or a set of scenarios with the hash sum at this
// depth, if both the corpus and the walk have not met it before.
func (s *Walk) meet(sum uint64, depth int) {
	if !s.Corpus.seen[sum] && !slices.ContainsFunc(s.met, func(n note) bool { return n.sum == sum }) {
		s.met = append(s.met, note{sum: sum, depth: depth, answers: len(s.Picks())})
	}
}

// leads reports whether the walk is still repeating the answers that lead to a kept state.
func (s *Walk) leads() bool { return s.Plan.lead != nil && s.led < len(s.Plan.lead.answers) }

// follow answers q with the next answer that leads to the kept state.
func (s *Walk) follow(q *choose.Question) int {
	p := s.Plan.lead.answers[s.led]
	if int(p.Of) != q.N {
		s.astray = &choose.Mismatch{Position: s.led, RecordedOf: int(p.Of), Asked: q.Kind, Of: q.N}
		return -1
	}
	s.led++
	s.Take(q, int(p.Pick))
	return int(p.Pick)
}

// Astray returns the answers and the number of steps of the run to the kept state at which the
// walk should begin, if repeating these answers did not lead there. That shows that the service
// is not deterministic. If the walk did reach the state, Astray returns nil.
func (s *Walk) Astray() (answers func() choose.Source, steps int) {
	if s.astray == nil {
		return nil, 0
	}
	p := s.Plan
	return func() choose.Source {
		raw := choose.NewRaw(p.lead.answers)
		if p.Begin != nil {
			return p.Begin.Then(raw)
		}
		return raw
	}, p.lead.depth
}

// Err returns the reason why the walk could not answer a question.
func (s *Walk) Err() error {
	if s.astray != nil {
		return s.astray
	}
	return s.Walk.Err()
}
