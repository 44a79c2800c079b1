package walk

import (
	"slices"

	"macemc/choose"
	"macemc/internal/world"
	"macemc/sim"
)

// A Corpus holds states from the middle of walks, at which other walks begin. In each of them a
// node was in a state that no walk had met before, or scenarios held together that had not before.
// The corpus does not change while the walks of a lot are under way, so several goroutines may read
// it then. What these walks have met is added when the lot has ended, in the order of the walks. So
// it does not matter which goroutine took them.
//
// A state is kept as the answers that lead to it. A walk that begins there gives these answers
// again, which is as fast as any steps are, and needs no copy of a node.
type Corpus struct {
	seen map[uint64]bool // hashes of nodes' states, and of sets of scenarios that held together
	kept []kept
}

// kept is a state at which walks may begin.
type kept struct {
	answers []choose.Pick // the answers that lead to it from where other walks begin
	depth   int           // number of steps from the start of the run
	chosen  int
}

// The size of a corpus, and the distance that a kept state may have from where other walks begin.
// The limit keeps walks short that begin at a state which was found from another kept state.
const (
	keptMost   = 10_000
	seenMost   = 1 << 20
	farthest   = 400
	candidates = 4 // a walk draws this number of states, and takes the least used
)

// CorpusFrom is the number of steps of walks after which states are kept: what is found before
// needs none, and recording them makes walks slower. CorpusLot is the number of walks in a lot that
// uses one corpus. After CorpusLot*CorpusShare walks, a lot is the CorpusShare-th part of the walks
// before it, so that more workers have something to do until the lot ends: see docs/scale.md.
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

// full reports whether the corpus takes no more states.
func (c *Corpus) full() bool { return len(c.kept) >= keptMost || len(c.seen) >= seenMost }

// choose draws the number of a kept state at random.
func (c *Corpus) choose(d *draws) int {
	best := d.below(len(c.kept))
	for range candidates - 1 {
		if k := d.below(len(c.kept)); c.kept[k].chosen < c.kept[best].chosen {
			best = k
		}
	}
	return best
}

// Chose counts a walk that began at kept state number k, counted from 1.
func (c *Corpus) Chose(k int) { c.kept[k-1].chosen++ }

// Notes are the states that one walk has met and the corpus does not have.
type Notes struct {
	answers []choose.Pick
	met     []note
}

// note is a new state of a node, or a new set of scenarios that held together, and the place in the
// walk where it was met.
type note struct {
	sum     uint64
	depth   int
	answers int
}

// Add adds the states that a walk has met.
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

// Notes returns the states that the walk has met, to be added to a corpus.
func (s *Walk) Notes() *Notes {
	if len(s.met) == 0 {
		return nil
	}
	most := s.met[len(s.met)-1].answers
	return &Notes{answers: slices.Clone(s.Picks()[:most]), met: slices.Clone(s.met)}
}

// note examines the state to which the last step has led. It ignores states after healing, from
// which a walk with faults cannot begin.
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

// meet records a hash that is new to both the corpus and the walk.
func (s *Walk) meet(sum uint64, depth int) {
	if !s.Corpus.seen[sum] && !slices.ContainsFunc(s.met, func(n note) bool { return n.sum == sum }) {
		s.met = append(s.met, note{sum: sum, depth: depth, answers: len(s.Picks())})
	}
}

// leads reports whether the walk is still on its way to a kept state.
func (s *Walk) leads() bool { return s.Plan.lead != nil && s.led < len(s.Plan.lead.answers) }

// follow gives the next answer on the way to a kept state.
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

// Astray returns the run up to a kept state that could not be reached again, and the number of its
// steps. It returns nil if there is none.
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

// Err returns the reason why there was no answer.
func (s *Walk) Err() error {
	if s.astray != nil {
		return s.astray
	}
	return s.Walk.Err()
}
