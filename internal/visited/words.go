package visited

import (
	"fmt"
	"math/bits"
	"sync/atomic"
)

// Words is a set of words that grows: an open addressing table whose slots are
// found by the high bits of what they hold, so that a larger table is made of a
// smaller one alone. The caller says what a word is, but for two things: it is
// never 0, and its high half is spread evenly.
//
//   - A fingerprint is a word: 64 bits of a state's hash.
//   - A tag and a number are a word, too: 32 bits of a state's hash, and where
//     the state itself is kept. Of words with one tag the caller compares the
//     states, so nothing is taken for what it is not.
//
// All methods but Grow and Close may be called by several goroutines at once.
type Words struct {
	slots   []uint64 // 0 is empty
	release func() error
	used    atomic.Int64
}

// bytesLeast is the smallest table: a few words, so that a home is one of several.
const bytesLeast = 128

// NewWords makes an empty set, and reserves its memory.
func NewWords(bytes int) (*Words, error) {
	slots, release, err := reserve(max(bytes, bytesLeast) / 8)
	if err != nil {
		return nil, fmt.Errorf("a table of visited states in %d bytes: %w; give it less memory", bytes, err)
	}
	return &Words{slots: slots, release: release}, nil
}

// Home is the slot at which the search for a word begins: the words that share
// their high half share it.
func (t *Words) Home(word uint64) int {
	hi, _ := bits.Mul64(word&^(1<<32-1), uint64(len(t.slots)))
	return int(hi)
}

// At is the word in a slot, 0 if it is empty. Slots are looked at one after the
// other, from the home slot on: see Next.
func (t *Words) At(slot int) uint64 { return atomic.LoadUint64(&t.slots[slot]) }

// Next is the slot after a slot.
func (t *Words) Next(slot int) int {
	if slot++; slot == len(t.slots) {
		return 0
	}
	return slot
}

// Take puts a word into a slot that was empty. False: another goroutine was
// faster; look at the slot again. The caller tells Took of it, soon: workers
// that count each word for itself wait for each other.
func (t *Words) Take(slot int, word uint64) bool {
	return atomic.CompareAndSwapUint64(&t.slots[slot], 0, word)
}

// Took counts words that were taken in.
func (t *Words) Took(n int) { t.used.Add(int64(n)) }

// Add adds a word, and reports whether it is new.
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

// Len is the number of words.
func (t *Words) Len() int { return int(t.used.Load()) }

// Cap is the number of words at which the set is to grow, or is full: beyond
// it, searches in it grow long. It holds some more: an eighth of all slots.
func (t *Words) Cap() int { return len(t.slots) / 4 * 3 }

// Bytes is the memory that the set has reserved.
func (t *Words) Bytes() int { return 8 * len(t.slots) }

// Grow gives the set more memory.
func (t *Words) Grow(bytes int) error {
	larger, err := NewWords(bytes)
	if err != nil {
		return err
	}
	for _, word := range t.slots {
		if word == 0 {
			continue
		}
		at := larger.Home(word)
		for larger.slots[at] != 0 {
			at = larger.Next(at)
		}
		larger.slots[at] = word
	}
	old := t.release
	t.slots, t.release = larger.slots, larger.release
	return old()
}

// Close gives the memory back. The set must not be used any more.
func (t *Words) Close() error {
	release := t.release
	if release == nil {
		return nil
	}
	t.slots, t.release = nil, nil
	return release()
}
