package choose

import (
	"errors"
	"math/bits"
	"math/rand/v2"
)

// rareWeight is the weight of a rare alternative in a weighted walk with Rare set.
const rareWeight = 1.0 / 128

// Weights are counted in units of 2^-20, plus one unit so that none vanishes. Weights above
// 2^24 count as 2^24. So the sum of half a million alternatives fits into 64 bits.
const (
	unit      = 1 << 20
	maxWeight = 1 << 24
)

// ErrOnlyRare reports that all alternatives of a question are rare, and that the walk may
// not pick a rare one. For an event it means that nothing but faults can happen.
var ErrOnlyRare = errors.New("every alternative is rare (weight 0), and this walk does not pick rare ones")

// Walk answers at random, by weight, and keeps its picks. The same seed, index and
// questions give the same picks on every machine and with every Go version: PCG is
// specified, and everything else is computed here, in integers, with one draw for each
// question of at least two alternatives.
//
// Without Rare and Stuck, an alternative of weight 0 is never picked.
type Walk struct {
	Uniform bool // ignore the weights of alternatives that are not rare
	Rare    bool // pick rare alternatives too: like the others if Uniform, else with rareWeight
	Stuck   bool // pick among rare alternatives, all alike, if there are no others

	pcg   rand.PCG
	picks []Pick
	room  []stretch
	err   error
}

// A Pick is an answer by number, with the number of alternatives.
type Pick struct{ Of, Pick uint32 }

// NewWalk returns walk 0 of seed.
func NewWalk(seed uint64) *Walk {
	w := new(Walk)
	w.Restart(seed, 0)
	return w
}

// Restart begins walk number index of seed. The walks of a seed are independent streams:
// the state of the generator is a bijection of (seed, index). Restart overwrites the slice
// that Picks returned.
func (w *Walk) Restart(seed, index uint64) {
	const golden = 0x9e3779b97f4a7c15 // without it, mix would map 0 to 0
	w.pcg.Seed(mix(seed+golden), mix(index+golden))
	w.picks = w.picks[:0]
	w.err = nil
}

// Answer picks an alternative at random.
func (w *Walk) Answer(q *Question) int {
	w.err = nil // the next question may have other alternatives, as after healing
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

// Take records answer i of a question as if it had been drawn, without drawing. It is for a
// caller that picks by other rules, but records the walk and repeats it by these picks.
func (w *Walk) Take(q *Question, i int) {
	w.err = nil
	w.picks = append(w.picks, Pick{Of: uint32(q.N), Pick: uint32(i)})
}

// Err returns ErrOnlyRare after a question that had no other alternatives, or nil.
func (w *Walk) Err() error { return w.err }

// Picks returns every pick since the restart, including answers to questions with only one alternative.
// The slice is valid until the next restart.
func (w *Walk) Picks() []Pick { return w.picks }

// alike returns a random number below n, all equally likely. The bias of the reduction is
// below n/2^64.
func (w *Walk) alike(n int) int {
	if n == 1 {
		return 0
	}
	hi, _ := bits.Mul64(w.pcg.Uint64(), uint64(n))
	return int(hi)
}

// weighted returns a random alternative, by the weights of the runs. If all weights are 0, it returns -1, or with
// Stuck any alternative. It computes in integers, so that every machine gets the same result. It looks for the
// run that a random number falls into without branches, since a processor would often predict these wrongly.
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
	k := 0 // the number of runs that end at or before x
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

// A stretch is a run of alternatives of equal weight. If the weights of all alternatives are laid
// end to end, the stretch ends at end. first is the number of its first alternative.
type stretch struct {
	end   uint64
	first int
}

// scratch returns room for n stretches.
func (w *Walk) scratch(n int) []stretch {
	if n > len(w.room) {
		w.room = make([]stretch, n)
	}
	return w.room[:n]
}

// weigh returns the weight that an alternative has in this walk, in units of 1/unit. rare
// is the weight for alternatives of weight 0.
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

// rareWeight returns the weight that an alternative of weight 0 has in this walk, in units of 1/unit.
func (w *Walk) rareWeight() uint64 {
	switch {
	case !w.Rare:
		return 0
	case w.Uniform:
		return unit
	default:
		return unit * rareWeight
	}
}
