package walk

import (
	"slices"

	"macemc/choose"
	"macemc/internal/world"
	"macemc/sim"
)

// A Corpus has states in the middle of walks at which others begin: those in which a
// node was in a state of its own that no walk had met before, or those scenarios held
// together that had not before. It stays as it is while
// the walks of a lot are under way, which may ask it at once; what these have met is
// added when the lot has ended, in the order of the walks. So it does not matter who
// took them.
//
// A state is kept as the answers that lead to it. They are given again, which is as
// fast as any steps are, and needs no copy of a node.
type Corpus struct {
	seen map[uint64]bool // states of nodes, and scenarios that held together
	kept []kept
}

// kept is a state at which walks begin.
type kept struct {
	answers []choose.Pick // from where walks begin else
	depth   int           // of the whole run
	chosen  int
}

// How much a corpus has, and how far from where walks begin a state may be: so a walk
// that begins at one which was found from another stays short.
const (
	keptMost   = 10_000
	seenMost   = 1 << 20
	farthest   = 400
	candidates = 4 // a walk takes the least used of this many states
)

// CorpusFrom is after how many steps of walks states are kept: what is found before
// that needs none, and noting them makes walks slower. CorpusLot is how many walks of a lot see the
// same corpus; after CorpusLot*CorpusShare walks it is the CorpusShare-th part of those before, so that
// more workers have something to do until the lot ends: see docs/scale.md.
const (
	CorpusFrom  = 1 << 20
	CorpusLot   = 1 << 10
	CorpusShare = 64
)

// NewCorpus returns one without any states.
func NewCorpus() *Corpus { return &Corpus{seen: map[uint64]bool{}} }

// Len returns how many states are kept.
func (c *Corpus) Len() int {
	if c == nil {
		return 0
	}
	return len(c.kept)
}

// Full reports whether nothing more is added.
func (c *Corpus) full() bool { return len(c.kept) >= keptMost || len(c.seen) >= seenMost }

// choose picks a state.
func (c *Corpus) choose(d *draws) int {
	best := d.below(len(c.kept))
	for range candidates - 1 {
		if k := d.below(len(c.kept)); c.kept[k].chosen < c.kept[best].chosen {
			best = k
		}
	}
	return best
}

// Chose counts a walk that began at a state, by its number in the plan.
func (c *Corpus) Chose(k int) { c.kept[k-1].chosen++ }

// Notes are what one walk has met that was not known.
type Notes struct {
	answers []choose.Pick
	met     []note
}

// note is a state of a node, and where it was met.
type note struct {
	sum     uint64
	depth   int
	answers int
}

// Add adds what a walk has met.
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

// Notes returns what the walk has met, to be kept.
func (s *Walk) Notes() *Notes {
	if len(s.met) == 0 {
		return nil
	}
	most := s.met[len(s.met)-1].answers
	return &Notes{answers: slices.Clone(s.Picks()[:most]), met: slices.Clone(s.met)}
}

// note looks at the state that the last step has led to, while faults may still
// happen: one that an environment is in which has healed is of another run.
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

// meet notes what was not known.
func (s *Walk) meet(sum uint64, depth int) {
	if !s.Corpus.seen[sum] && !slices.ContainsFunc(s.met, func(n note) bool { return n.sum == sum }) {
		s.met = append(s.met, note{sum: sum, depth: depth, answers: len(s.Picks())})
	}
}

// leads reports whether the answers that lead to a kept state are still given.
func (s *Walk) leads() bool { return s.Plan.lead != nil && s.led < len(s.Plan.lead.answers) }

// follow gives the next one.
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

// Astray returns the run up to a kept state that could not be taken again, and its steps;
// nil means it could.
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

// Err returns why there was no answer.
func (s *Walk) Err() error {
	if s.astray != nil {
		return s.astray
	}
	return s.Walk.Err()
}
