package choose

import (
	"errors"
	"math/bits"
	"math/rand/v2"
)

// RareWeight is what a rare alternative weighs in a weighted walk with Rare.
const RareWeight = 0.01

// ErrOnlyRare says that all alternatives of a question are rare, and that the
// walk may not pick a rare one. For an event: nothing but faults can happen.
var ErrOnlyRare = errors.New("every alternative is rare (weight 0), and this walk does not pick rare ones")

// Walk answers at random, by weight, and keeps what it picked. The same seed,
// index and questions give the same picks on every machine and Go version:
// PCG is specified, and the rest is done here, one draw for each question that
// has at least two alternatives.
//
// Without Rare, an alternative of weight 0 is never picked.
type Walk struct {
	Uniform bool // alternatives that are not rare are all alike, whatever their weights
	Rare    bool // rare ones are picked too: alike with Uniform, else with RareWeight

	pcg   rand.PCG
	picks []Pick
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

func (w *Walk) Answer(q *Question) int {
	if w.err != nil {
		return no
	}
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

// Err is ErrOnlyRare, or nil.
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

// weighted picks by the weights of the runs; "no" if they are all 0.
// NB: the conversions of products to float64 keep a compiler from fusing
// multiplication and addition, which would round differently by machine.
func (w *Walk) weighted(q *Question) int {
	rare, uniform := w.rareWeight(), w.Uniform
	total := 0.0
	for i := range q.Runs {
		total += float64(float64(q.Runs[i].N) * weigh(q.Runs[i].Weight, rare, uniform))
	}
	if !(total > 0) {
		return no
	}
	if q.N == 1 {
		return 0
	}
	x := float64(float64(w.pcg.Uint64()>>11) * (1.0 / (1 << 53)) * total)
	base, last := 0, no
	for i := range q.Runs {
		r := &q.Runs[i]
		weight := weigh(r.Weight, rare, uniform)
		span := float64(float64(r.N) * weight)
		if x < span {
			return base + min(int(x/weight), r.N-1)
		}
		x -= span
		base += r.N
		if span > 0 {
			last = base - 1
		}
	}
	return last // rounding put x at the very end
}

// rareWeight is what weight 0 counts in this walk.
func (w *Walk) rareWeight() float64 {
	switch {
	case !w.Rare:
		return 0
	case w.Uniform:
		return 1
	default:
		return RareWeight
	}
}

func weigh(weight, rare float64, uniform bool) float64 {
	if weight == 0 {
		return rare
	}
	if uniform {
		return 1
	}
	return weight
}
