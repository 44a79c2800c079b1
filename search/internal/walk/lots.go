package walk

import (
	"macemc/search/internal/run"
)

// A Lot is some walks that come one after another. Which of them are careful
// is said before the first: it depends on what was counted until then, and not
// on who takes them.
type Lot struct {
	From, To int
	Stride   int // those are careful whose number it divides; 0 means none
}

const (
	LotLeast = 1000    // walks that are planned and taken one by one,
	LotSteps = 1 << 20 // or this many steps of walks: a search that ends by then uses one worker
	LotMost  = 1 << 14 // the largest number of walks in a lot; see NextLot
)

// NextLot returns the lot that begins with walk number i, of n, and reports whether it is worth
// several workers. Such a lot has as many walks as came before it, but at most LotMost, since
// scouts wait for each other at its end. s is the audited share of the walks before.
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

// Short returns the lot, cut to the length after which walks see what others added to the corpus. The length depends
// on the number of the first walk alone, so a search finds the same for any number of workers.
func (l Lot) Short() Lot {
	l.To = min(l.To, l.From+max(CorpusLot, l.From/CorpusShare))
	return l
}

// Careful reports whether walk number i is.
func (l Lot) Careful(i int) bool { return l.Stride > 0 && i%l.Stride == 0 }
