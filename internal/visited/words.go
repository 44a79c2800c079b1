package visited

import (
	"fmt"
	"math/bits"
	"sync"
	"sync/atomic"
)

// Words is a set of words that can grow: a hash table with open addressing that is indexed
// by the high bits of the words, so a larger table can be built from a smaller one alone. A
// word must not be 0, and its high half must be evenly distributed. Callers use two kinds of
// words:
//
//   - a fingerprint: 64 bits of a state's hash;
//   - a tag and a number: 32 bits of a state's hash, and where the state itself is kept.
//     If the tags of two words are equal, the caller compares the states, so no state is
//     mistaken for another.
//
// Several goroutines may call all methods except Grow and Close at the same time.
type Words struct {
	slots   []uint64 // the table; 0 is an empty slot
	release func() error
	used    atomic.Int64
}

// bytesLeast is the size of the smallest table, which has several slots.
const bytesLeast = 128

// NewWords returns an empty set that uses this number of bytes of memory.
func NewWords(bytes int) (*Words, error) {
	slots, release, err := reserve(max(bytes, bytesLeast) / 8)
	if err != nil {
		return nil, fmt.Errorf("a table of visited states in %d bytes: %w; give it less memory", bytes, err)
	}
	return &Words{slots: slots, release: release}, nil
}

// Home returns the slot at which the search for a word begins. Words with the same high
// half have the same home.
func (t *Words) Home(word uint64) int {
	hi, _ := bits.Mul64(word&^(1<<32-1), uint64(len(t.slots)))
	return int(hi)
}

// At returns the word in a slot, or 0 if it is empty. A search looks at the slots from the
// home slot on, one after the other: see Next.
func (t *Words) At(slot int) uint64 { return atomic.LoadUint64(&t.slots[slot]) }

// Next returns the slot after a slot.
func (t *Words) Next(slot int) int {
	if slot++; slot == len(t.slots) {
		return 0
	}
	return slot
}

// Take puts a word into an empty slot. If it returns false, another goroutine was faster,
// and the caller must look at the slot again. The caller must count the word with Took;
// counting several words at once avoids contention.
func (t *Words) Take(slot int, word uint64) bool {
	return atomic.CompareAndSwapUint64(&t.slots[slot], 0, word)
}

// Took counts n words that were put into the set with Take.
func (t *Words) Took(n int) { t.used.Add(int64(n)) }

// Add adds a word to the set, and reports whether it was not in the set before.
func (t *Words) Add(word uint64) bool {
	for at := t.Home(word); ; at = t.Next(at) {
		switch old := t.At(at); {
		case old == word:
			return false
		case old == 0 && t.Take(at, word):
			t.Took(1)
			return true
		case old == 0:
			if t.At(at) == word {
				return false
			}
		}
	}
}

// Has reports whether a word is in the set.
func (t *Words) Has(word uint64) bool {
	for at := t.Home(word); ; at = t.Next(at) {
		switch t.At(at) {
		case word:
			return true
		case 0:
			return false
		}
	}
}

// Len returns the number of words.
func (t *Words) Len() int { return int(t.used.Load()) }

// Cap returns the number of words at which the set should grow, or counts as full if it cannot: with more
// words, finding a slot takes long. Add still accepts words beyond Cap, as long as there is an empty slot.
func (t *Words) Cap() int { return len(t.slots) / 4 * 3 }

// Bytes returns the memory that the set has reserved.
func (t *Words) Bytes() int { return 8 * len(t.slots) }

// returned is the number of slots that are moved together to a larger table. After that, the memory
// of these slots is given back to the operating system. Both tables are in the order of the words,
// so the pages of the larger one are first used when their words are moved, and the two tables
// together take little more memory than the larger one.
const returned = 1 << 17

// Grow gives the set a larger table.
func (t *Words) Grow(bytes int) error {
	g := NewGrowth()
	if err := g.Begin(t, bytes); err != nil {
		return err
	}
	g.Help()
	return g.End()
}

// A Growth gives a set a larger table. Its creator calls Begin, Help and End. Other goroutines, which must not use the
// set meanwhile, may call Help at any time, so that the words are moved sooner.
type Growth struct {
	of, larger *Words
	gate       sync.Mutex // locked until Begin
	parts      int64
	next       atomic.Int64
	moving     sync.WaitGroup // counts the parts of the old table that were not moved yet
}

// NewGrowth returns a Growth that has not begun. Goroutines that call Help wait until it begins.
func NewGrowth() *Growth {
	g := new(Growth)
	g.gate.Lock()
	return g
}

// Forgo wakes the goroutines that wait for a Growth that does not begin after all.
func (g *Growth) Forgo() { g.gate.Unlock() }

// Begin makes the larger table. If it returns an error, nothing is moved.
func (g *Growth) Begin(t *Words, bytes int) (err error) {
	defer g.gate.Unlock()
	if g.larger, err = NewWords(bytes); err == nil {
		g.of, g.parts = t, int64((len(t.slots)+returned-1)/returned)
		g.moving.Add(int(g.parts))
	}
	return err
}

// Help moves parts of the table until every part was moved or is being moved by another goroutine.
// It waits until the Growth has begun.
func (g *Growth) Help() {
	g.gate.Lock()
	parts := g.parts
	g.gate.Unlock()
	for {
		part := int(g.next.Add(1) - 1)
		if part >= int(parts) {
			return
		}
		g.move(g.of.slots[part*returned : min((part+1)*returned, len(g.of.slots))])
		g.moving.Done()
	}
}

// move moves the words of a part of the old table. The new slots of neighbouring parts adjoin, so
// two goroutines may want the same slot; Take decides which of them gets it.
func (g *Growth) move(part []uint64) {
	for _, word := range part {
		if word == 0 {
			continue
		}
		at := g.larger.Home(word)
		for g.larger.At(at) != 0 || !g.larger.Take(at, word) {
			at = g.larger.Next(at)
		}
	}
	if len(part) == returned {
		returns(part)
	}
}

// End waits until all words are moved, and replaces the table.
func (g *Growth) End() error {
	g.moving.Wait()
	old := g.of.release
	g.of.slots, g.of.release = g.larger.slots, g.larger.release
	return old()
}

// Close frees the memory. The set must not be used afterwards.
func (t *Words) Close() error {
	release := t.release
	if release == nil {
		return nil
	}
	t.slots, t.release = nil, nil
	return release()
}
