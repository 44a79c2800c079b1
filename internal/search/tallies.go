package search

import (
	"sync"

	"macemc/internal/observe"
)

// tallies add up the coverage of the walks of a lot, in the order of their numbers, up to the first walk that
// failed or is suspected. The coverage of later walks is dropped: how many of them were taken depends on the
// number of workers.
type tallies struct {
	mu    sync.Mutex
	to    *observe.Coverage         // the sum
	next  int                       // the number of the next walk to add
	waits map[int]*observe.Coverage // by walk: its coverage, which waits until the walks before it are added
	spare []*observe.Coverage       // empty ones, for use in waits
}

// begin begins another lot. The coverage of its walks will be added to the sum in to.
func (t *tallies) begin(to *observe.Coverage) {
	for _, c := range t.waits {
		c.Clear()
		t.spare = append(t.spare, c)
	}
	t.to, t.next, t.waits = to, 0, map[int]*observe.Coverage{}
}

// add adds the coverage of a walk that found nothing to the sum, as soon as that of all earlier
// walks is there. It sets the counts in of to zero.
func (t *tallies) add(walk int, of *observe.Coverage) {
	t.mu.Lock()
	defer t.mu.Unlock()
	defer of.Clear()
	if walk != t.next {
		t.waits[walk] = t.kept(of)
		return
	}
	t.to.Merge(of)
	for t.next++; t.waits[t.next] != nil; t.next++ {
		c := t.waits[t.next]
		t.to.Merge(c)
		c.Clear()
		t.spare = append(t.spare, c)
		delete(t.waits, t.next)
	}
}

// kept returns a copy of a walk's coverage, to be added later.
func (t *tallies) kept(of *observe.Coverage) *observe.Coverage {
	c := of.Another()
	if last := len(t.spare) - 1; last >= 0 {
		c, t.spare = t.spare[last], t.spare[:last]
	}
	c.Merge(of)
	return c
}
