package work

import (
	"sync"
	"sync/atomic"

	"macemc/internal/observe"
	"macemc/internal/search/internal/walk"
)

// A Unit is a part of some work that consists of numbered items: the items From to To-1.
type Unit struct{ From, To int }

// An Outcome is the result of a unit.
type Outcome struct {
	Stats Stats
	Ends  bool // the unit has ended the work: no unit after this one is wanted

	// The following fields are set if the unit is a walk.
	Judged int         // number of steps that the walk adds to those of which a share is audited
	Met    *walk.Notes // the states that the walk met and that may be added to the corpus, or nil
	Kept   int         // the number of the corpus's state at which the walk began, or 0
}

// A Pool is a set of hands, which are values of type H that share the units of some work. Each hand
// works on one goroutine at a time, in worlds of its own.
type Pool[H any] struct {
	Hands []H

	// Here, if it is not nil, is called on the goroutine of a hand before its first unit,
	// and Over after its last one.
	Here, Over func(H)

	// Gone is called if a handler has ended the goroutine of hand k in the middle of a unit. It
	// returns the outcome of that unit, and reports whether Hands[k] can take more units. It may
	// have replaced Hands[k].
	Gone func(k int, u Unit) (came Outcome, goesOn bool)
}

// A Take is the function by which hand h does unit u. It may call wanted to ask whether the unit's
// outcome is still needed, and return early if it is not.
type Take[H any] func(h H, u Unit, wanted func() bool) (Outcome, error)

// Do divides the numbers from 0 to n-1 into units of the given size, and gives each unit, in order,
// to the next free hand, until a unit fails or sets Outcome.Ends. It returns the outcomes up to
// that unit. Later units may have been taken by then; their outcomes are dropped.
func (p *Pool[H]) Do(n, size int, take Take[H]) ([]Outcome, error) {
	came := make([]Outcome, (n+size-1)/size)
	count, err := p.Share(n, size, take, came)
	return came[:count], err
}

// Share is like Do, but returns only the number of outcomes. If came is not nil, Share stores the
// outcomes there.
func (p *Pool[H]) Share(n, size int, take Take[H], came []Outcome) (count int, err error) {
	units := (n + size - 1) / size
	j := &job[H]{pool: p, take: take, n: n, size: size, units: int64(units), last: int64(units), came: came}
	j.begun = make(chan struct{})
	for k := range min(len(p.Hands), units) {
		j.start(k)
	}
	close(j.begun)
	j.all.Wait()
	return int(min(j.last+1, j.units)), j.err
}

// job is one call of Do or Share.
type job[H any] struct {
	pool    *Pool[H]
	take    Take[H]
	n, size int
	units   int64
	next    atomic.Int64
	came    []Outcome
	all     sync.WaitGroup
	begun   chan struct{} // closed when all hands have started

	mu   sync.Mutex
	last int64 // the first unit that ended the work
	err  error // the error of that unit
}

func (j *job[H]) unit(i int64) Unit {
	from := int(i) * j.size
	return Unit{from, min(from+j.size, j.n)}
}

// wanted reports whether no unit before unit i has ended the work.
func (j *job[H]) wanted(i int64) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return i <= j.last
}

// start makes hand k take units on a goroutine of its own. No unit is taken before all hands have
// started, since a handler is checked for goroutines that it leaves behind, and the start of
// another hand would look like one.
func (j *job[H]) start(k int) {
	j.all.Go(func() {
		defer observe.Helps(-1)
		<-j.begun
		j.work(k)
	})
	observe.Helps(1)
}

// work makes hand k take units until there are none left.
func (j *job[H]) work(k int) {
	i, returned := int64(-1), false
	defer func() {
		if returned {
			return
		}
		if thrown := recover(); thrown != nil {
			panic(thrown)
		}
		came, goesOn := j.pool.Gone(k, j.unit(i))
		j.ends(i, came, nil)
		if goesOn {
			j.start(k)
		}
	}()
	h := j.pool.Hands[k]
	if j.pool.Here != nil {
		j.pool.Here(h)
	}
	for {
		if i = j.next.Add(1) - 1; i >= j.units || !j.wanted(i) {
			break
		}
		came, err := j.take(h, j.unit(i), func() bool { return j.wanted(i) })
		j.ends(i, came, err)
	}
	if j.pool.Over != nil {
		j.pool.Over(h)
	}
	returned = true
}

// ends records the outcome of unit i, and whether it ended the work.
func (j *job[H]) ends(i int64, came Outcome, err error) {
	if i >= j.units { // a handler ended the goroutine after its last unit
		return
	}
	if j.came != nil {
		j.came[i] = came
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if (came.Ends || err != nil) && i < j.last {
		j.last, j.err = i, err
	}
}
