package walk

import (
	"macemc/internal/search/internal/run"
)

// A Lot is a range of walks that several goroutines may take. Which of them are audited is decided
// before the first is taken, from the counts so far, so it does not depend on the goroutines.
type Lot struct {
	From, To int
	Stride   int // walks whose number is a multiple of Stride are audited; 0 means none
}

const (
	LotLeast = 1000    // walks are planned and taken one by one until there were this many,
	LotSteps = 1 << 20 // or until they took this many steps; a search that ends by then uses one worker
	LotMost  = 1 << 14 // the largest number of walks in a lot: see NextLot
)

// NextLot returns the lot that begins with walk i, of n walks in all. It reports whether the lot is
// large enough for several workers. The size of such a lot is the number of walks before it, but at
// most LotMost, since workers wait for each other at its end. s counts how many steps of the walks so
// far were audited.
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

// Short returns the beginning of the lot. After these walks the states that they met are added to the
// corpus, so that later walks may begin there. The number of walks depends on the number of the first
// walk alone, so a search has the same result for any number of workers.
func (l Lot) Short() Lot {
	l.To = min(l.To, l.From+max(CorpusLot, l.From/CorpusShare))
	return l
}

// Careful reports whether walk i is audited.
func (l Lot) Careful(i int) bool { return l.Stride > 0 && i%l.Stride == 0 }
