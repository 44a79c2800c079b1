package walk

import (
	"macemc/internal/search/internal/run"
)

// A Lot is a range of walks. It is decided before the first of them which ones are careful, from the
// counts until then; so that does not depend on the goroutines that take the walks.
type Lot struct {
	From, To int
	Stride   int // walks whose number it divides are careful; 0 means none
}

const (
	LotLeast = 1000    // walks that are planned and taken one by one,
	LotSteps = 1 << 20 // or this many steps of walks: a search that ends by then uses one worker
	LotMost  = 1 << 14 // the largest number of walks in a lot; see NextLot
)

// NextLot returns the lot that begins with walk number i, of n, and reports whether it is worth
// several workers. The size of such a lot is the number of walks before it, but at most LotMost,
// since scouts wait for each other at its end. s is the audited share of the walks before.
func NextLot(i, n int, s *run.Share) (l Lot, large bool) {
	if i < LotLeast && s.Steps < LotSteps {
		l = Lot{From: i, To: i + 1}
		if s.Due() {
			l.Stride = 1
		}
		return l, false
	}
	l = Lot{From: i, To: min(i+min(max(1, i), LotMost), n)}
	l.Stride = s.Stride(l.To-i, i)
	return l, true
}

// Short returns the lot, cut to the length after which later walks may begin at states that its walks
// added to the corpus. The length depends on the number of the first walk alone, so a search has the
// same result for any number of workers.
func (l Lot) Short() Lot {
	l.To = min(l.To, l.From+max(CorpusLot, l.From/CorpusShare))
	return l
}

// Careful reports whether walk number i is.
func (l Lot) Careful(i int) bool { return l.Stride > 0 && i%l.Stride == 0 }
