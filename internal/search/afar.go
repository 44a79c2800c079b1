package search

import (
	"cmp"
	"fmt"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/observe"
	"macemc/internal/search/internal/run"
	"macemc/internal/search/internal/walk"
	"macemc/internal/search/internal/work"
	"macemc/sim"
)

// Afar takes walks in other processes. Walks are taken in lots, which are ranges of walks; the size of a lot does
// not depend on the processes. A walk depends only on its number and on the corpus, the states that the walks of
// earlier lots have met. So a search has the same findings wherever its walks are taken. The search itself repeats a
// walk that failed, or that is suspected to be dead.
type Afar interface {
	// Size returns the number of walks that a span, a part of a lot that one process takes, should have in a
	// lot of n walks.
	Size(n int) int
	// Learn sends the corpus to the other processes before a lot. The first call has all of it; each later
	// call has what the last lot added.
	Learn(k Knowledge) error
	// Take makes other processes take the spans of a lot, and calls came with the result of each span, in
	// the order of the spans. It returns when came has all results or returns false, or soon after stopped
	// returns true.
	Take(spans []Span, stopped func() bool, came func(Spanned) (more bool)) error
	// Grow enumerates runs for the exhaustive phase with EngineReference. An item is a set of runs that begin
	// alike, and a Taker enumerates it. The item's result covers some of these runs, and has the states from
	// which the others continue, which become further items. Grow calls next for another item while fewer
	// items than the window are being taken; next returns false if there is none at present. Grow calls came
	// once with the result of each item. It returns when no item is left, or soon after stopped returns true.
	Grow(next func(window int) (item []byte, is bool), came func(result []byte) error, stopped func() bool) error
}

// Knowledge is what Afar.Learn sends to the other processes: a corpus, or the states that were
// added to one. Callers only pass it on; the package search reads and writes its fields.
type Knowledge struct {
	Lot    int          // the number of the lot that is taken with this corpus
	All    bool         // the corpus is in Whole; otherwise Notes and Chosen hold what the last lot added to it
	Whole  *walk.Kept   // the corpus, or nil if it is empty
	Notes  []walk.Noted // the states that walks of the last lot have met
	Chosen []int        // the states of the corpus at which walks of the last lot began, counted from 1
}

// A Span is a range of the walks of a lot.
type Span struct {
	Lot      int         // the number of the lot
	From, To int         // the first walk, and the one after the last
	Walks    walk.Lot    // the walks of the lot, and which of them are audited
	Length   walk.Length // the number of steps of the walks
	Noting   bool        // record the states that the walks meet, for the corpus
}

// Spanned is the result of a span. It covers only the walks before the first one that failed or
// that is suspected to be dead: the search itself takes that walk again, and those after it.
type Spanned struct {
	From, Walks int  // the first walk of the span, and the number of walks before the one that failed or is suspected
	Ends        bool // there is such a walk: number From+Walks
	Stats       Stats
	Steps       int // steps that count when the share of audited steps is computed
	Audited     int
	Notes       []walk.Noted
	Chosen      []int
	Coverage    observe.Counted
	Quarantined []int // numbers of walks that were left out, since they ended every process that took them
}

// afar makes other processes take the walks of lot l, and adds their results to those of the search. nothing is the
// number of walks before the first one that failed or is suspected to be dead.
func (r *runner) afar(length walk.Length, l walk.Lot) (nothing int, err error) {
	r.collect()
	if err := r.teach(); err != nil {
		return 0, err
	}
	size := max(1, r.opts.Afar.Size(l.To-l.From))
	var spans []Span
	for from := l.From; from < l.To; from += size {
		spans = append(spans, Span{Lot: r.lots, From: from, To: min(from+size, l.To), Walks: l, Length: length, Noting: r.corpus != nil})
	}
	r.lots++
	var failed error
	err = r.opts.Afar.Take(spans, r.Stopped, func(s Spanned) bool {
		if s.From != l.From+nothing {
			failed = fmt.Errorf("another process returned the walks from %d on, but those from %d on were expected", s.From, l.From+nothing)
			return false
		}
		failed = r.folds(s)
		nothing += s.Walks
		r.at(l.From + nothing)
		return failed == nil && !s.Ends && !r.Stopped()
	})
	return nothing, cmp.Or(failed, err)
}

// folds adds the result of a span to the result of the search.
func (r *runner) folds(s Spanned) error {
	r.share.Add(s.Steps, s.Audited)
	r.add(s.Stats)
	for _, n := range s.Notes {
		notes, err := n.Notes()
		if err != nil {
			return err
		}
		r.notes = append(r.notes, notes)
	}
	r.begun = append(r.begun, s.Chosen...)
	r.add(Stats{Restarted: len(s.Chosen)})
	r.quarantined = append(r.quarantined, s.Quarantined...)
	return r.coverage.Add(&s.Coverage)
}

// teach sends the other processes what was added to the corpus since the last lot, or all of it before the first.
func (r *runner) teach() error {
	k := Knowledge{Lot: r.lots, Notes: r.untold.notes, Chosen: r.untold.chosen}
	if r.lots == 0 {
		k = Knowledge{All: true, Whole: r.corpus.Kept()}
	}
	r.untold = pastKept{}
	return r.opts.Afar.Learn(k)
}

// A Taker takes spans of walks for a search in another process. It belongs to one goroutine.
type Taker struct {
	pool   work.Pool[*scout]
	corpus *walk.Corpus
	lot    int // the number of the lot of the last call of Learn
	seed   uint64
	round  int                 // the round of the last call of Enumerate
	known  map[canon.Hash]mark // the states of this round that the Taker has expanded and whose results were accepted
}

// NewTaker returns a Taker for a search with these options.
func NewTaker(sys *sim.System, opts Options) (*Taker, error) {
	opts.Afar, opts.Store = nil, nil
	h, err := newHand(sys, opts, nil, nil)
	if err != nil {
		return nil, err
	}
	t := &Taker{seed: h.opts.Seed, lot: -1, pool: work.Pool[*scout]{Hands: []*scout{{hand: h, known: &findings{opts: &h.opts}}}}}
	t.pool.Here = func(one *scout) { one.here() }
	t.pool.Gone = func(k int, _ work.Unit) (work.Outcome, bool) {
		_, another := t.pool.Hands[k].gone()
		t.pool.Hands[k] = &scout{hand: another, known: &findings{opts: &another.opts}}
		return work.Outcome{Ends: true}, false
	}
	return t, nil
}

// Lot returns the number of the last lot that Learn added.
func (t *Taker) Lot() int { return t.lot }

// Knowledge returns the whole corpus that the Taker has learnt, for another Taker.
func (t *Taker) Knowledge() Knowledge {
	return Knowledge{Lot: t.lot, All: true, Whole: t.corpus.Kept()}
}

// Learn updates the corpus, the states at which walks may begin, before a lot. If k has a whole
// corpus, that replaces the present one; otherwise k has what the last lot added.
func (t *Taker) Learn(k Knowledge) error {
	if k.All {
		c, err := k.Whole.Corpus()
		t.corpus, t.lot = c, k.Lot
		return err
	}
	if k.Lot != t.lot+1 {
		return fmt.Errorf("the additions of lot %d came after those of lot %d; lots must come in order", k.Lot, t.lot)
	}
	if t.corpus == nil && len(k.Notes) > 0 {
		t.corpus = walk.NewCorpus()
	}
	for _, n := range k.Notes {
		notes, err := n.Notes()
		if err != nil {
			return err
		}
		t.corpus.Add(notes)
	}
	for _, c := range k.Chosen {
		t.corpus.Chose(c)
	}
	t.lot = k.Lot
	return nil
}

// Take takes the walks of a span. Learn must have been called for the lot of the span. Before each walk it
// calls next, which decides whether Take takes that walk, skips it, or ends the span. wanted is false if next
// ended the span.
func (t *Taker) Take(s Span, next func(walk int) Next) (out Spanned, wanted bool, err error) {
	if s.Lot != t.lot || s.From < 0 || s.To < s.From {
		return out, false, fmt.Errorf("walks %d to %d belong to lot %d, but this process has the corpus of lot %d", s.From, s.To, s.Lot, t.lot)
	}
	if t.corpus == nil && s.Noting {
		t.corpus = walk.NewCorpus()
	}
	one := t.pool.Hands[0]
	one.Walk, one.how = walk.New(t.seed), one.strategy(t.corpus)
	one.Walk.Corpus = t.corpus
	if _, _, w := one.Run(run.Repeat(choose.NewRaw(nil), run.Fair, 0), false); w.Run.Failed() == nil {
		one.counted() // the start does not count
	}
	one.coverage.Clear()
	covered := one.coverage.Another()
	out.From, wanted = s.From, true
	came, err := t.pool.Do(s.To-s.From, 1, func(one *scout, u work.Unit, _ func() bool) (work.Outcome, error) {
		i := s.From + u.From
		switch next(i) {
		case NextLeave:
			out.Quarantined = append(out.Quarantined, i)
			return work.Outcome{}, nil
		case NextStop:
			wanted = false
			return work.Outcome{Ends: true}, nil
		}
		came := one.take(one.how.Plan(i, s.Length), s.Walks.Careful(i), func() bool { return true })
		if !came.Ends {
			covered.Merge(one.coverage)
		}
		one.coverage.Clear()
		return came, nil
	})
	for k, c := range came {
		if out.Ends = c.Ends; c.Ends {
			break
		}
		out.add(c, s.Walks.Careful(s.From+k))
	}
	out.Coverage = covered.Counted()
	return out, wanted, err
}

func (s *Spanned) add(c work.Outcome, careful bool) {
	s.Walks++
	s.Stats.Add(c.Stats)
	s.Steps += c.Judged
	if careful {
		s.Audited += c.Judged + 1
	}
	if c.Met != nil {
		s.Notes = append(s.Notes, c.Met.Noted())
	}
	if c.Kept > 0 {
		s.Chosen = append(s.Chosen, c.Kept)
	}
}

// Next is what the function passed to Taker.Take decides about one walk.
type Next uint8

// The decisions that next may return.
const (
	NextTake  Next = iota
	NextLeave      // leave the walk out, and list it in Quarantined
	NextStop       // end the span
)
