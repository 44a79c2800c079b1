package choose

import (
	"errors"
	"math/bits"
	"math/rand/v2"
)

// RareWeight is what a rare alternative weighs in a weighted walk with Rare.
const RareWeight = 1.0 / 128

// Weights are counted in units of 2^-20, plus one so that none vanishes; above
// 2^24 they are all alike. So half a million alternatives fit in 64 bits.
const (
	unit      = 1 << 20
	maxWeight = 1 << 24
)

// ErrOnlyRare says that all alternatives of a question are rare, and that the
// walk may not pick a rare one. For an event: nothing but faults can happen.
var ErrOnlyRare = errors.New("every alternative is rare (weight 0), and this walk does not pick rare ones")

// Walk answers at random, by weight, and keeps what it picked. The same seed,
// index and questions give the same picks on every machine and Go version:
// PCG is specified, and the rest is done here, in integers, with one draw for
// each question that has at least two alternatives.
//
// Without Rare and Stuck, an alternative of weight 0 is never picked.
type Walk struct {
	Uniform bool // alternatives that are not rare are all alike, whatever their weights
	Rare    bool // rare ones are picked too: alike with Uniform, else with RareWeight
	Stuck   bool // rare ones are picked, all alike, where nothing else can be

	pcg   rand.PCG
	picks []Pick
	room  []stretch
	err   error
}

// A Pick is an answer by number, and of how many.
type Pick struct{ Of, Pick uint32 }

// NewWalk returns walk 0 of seed.
func NewWalk(seed uint64) *Walk {
	w := new(Walk)
	w.Restart(seed, 0)
	return w
}

// Restart begins walk number index of seed. The walks of a seed are
// independent streams: the generator's state is a bijection of (seed, index).
// The slice that Picks returned is overwritten.
func (w *Walk) Restart(seed, index uint64) {
	const golden = 0x9e3779b97f4a7c15 // so that 0 is not a fixed point of mix
	w.pcg.Seed(mix(seed+golden), mix(index+golden))
	w.picks = w.picks[:0]
	w.err = nil
}

// Answer is drawn at random.
func (w *Walk) Answer(q *Question) int {
	w.err = nil // another question may have more alternatives: so after healing
	var i int
	if q.Runs == nil {
		i = w.alike(q.N)
	} else {
		i = w.weighted(q)
	}
	if i < 0 {
		w.err = ErrOnlyRare
		return no
	}
	w.picks = append(w.picks, Pick{Of: uint32(q.N), Pick: uint32(i)})
	return i
}

// Take picks answer i of a question, as if it had been drawn: nothing is. It is for
// who draws otherwise, and leaves it to the walk to be recorded and taken again.
func (w *Walk) Take(q *Question, i int) {
	w.err = nil
	w.picks = append(w.picks, Pick{Of: uint32(q.N), Pick: uint32(i)})
}

// Err is ErrOnlyRare after such a question, or nil.
func (w *Walk) Err() error { return w.err }

// Picks is every pick since the restart, those of one alternative included. It
// is valid until the next restart.
func (w *Walk) Picks() []Pick { return w.picks }

// alike picks one of n. The bias of the reduction is below n/2^64.
func (w *Walk) alike(n int) int {
	if n == 1 {
		return 0
	}
	hi, _ := bits.Mul64(w.pcg.Uint64(), uint64(n))
	return int(hi)
}

// weighted picks by the weights of the runs; "no" if they are all 0. It counts
// in integers: every machine rounds alike, and no draw falls between two runs.
// Which run is drawn cannot be predicted, so it is found without branches.
func (w *Walk) weighted(q *Question) int {
	rare := w.rareWeight()
	stretches := w.scratch(len(q.Runs))
	end, first := uint64(0), 0
	for i := range stretches {
		r := &q.Runs[i]
		end += uint64(r.N) * w.weigh(r.Weight, rare)
		stretches[i] = stretch{end: end, first: first}
		first += r.N
	}
	if end == 0 {
		if !w.Stuck {
			return no
		}
		return w.alike(q.N)
	}
	if q.N == 1 {
		return 0
	}
	x, _ := bits.Mul64(w.pcg.Uint64(), end)
	k := 0 // runs that end at or before x
	for i := range stretches {
		_, before := bits.Sub64(x, stretches[i].end, 0)
		k += 1 - int(before)
	}
	r, s := &q.Runs[k], stretches[k]
	if r.N == 1 {
		return s.first
	}
	behind, weight := s.end-1-x, w.weigh(r.Weight, rare)
	if behind|weight < 1<<32 { // nearly always, and a much shorter division
		return s.first + r.N - 1 - int(uint32(behind)/uint32(weight))
	}
	return s.first + r.N - 1 - int(behind/weight)
}

// A stretch is a run on the line of weights: where it ends, and the number of
// its first alternative.
type stretch struct {
	end   uint64
	first int
}

// scratch is room for n stretches.
func (w *Walk) scratch(n int) []stretch {
	if n > len(w.room) {
		w.room = make([]stretch, n)
	}
	return w.room[:n]
}

// weigh is the weight that counts in this walk, in units of 1/unit.
func (w *Walk) weigh(weight float64, rare uint64) uint64 {
	switch {
	case weight == 0:
		return rare
	case w.Uniform:
		return unit
	default:
		return min(uint64(int64(weight*unit)), maxWeight*unit) + 1
	}
}

// rareWeight is what weight 0 counts, in units of 1/unit.
func (w *Walk) rareWeight() uint64 {
	switch {
	case !w.Rare:
		return 0
	case w.Uniform:
		return unit
	default:
		return unit * RareWeight
	}
}
