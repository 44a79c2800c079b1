package netsim

import "math/bits"

// Bits is a set of small numbers. It yields them in ascending order, so two equal sets yield the
// same sequence, however they were made.
type Bits struct {
	words []uint64
	count int
}

// NewBits returns an empty set for numbers from 0 to n-1.
func NewBits(n int) Bits { return Bits{words: make([]uint64, (n+63)/64)} }

// Len returns the number of members.
func (b *Bits) Len() int { return b.count }

// Has reports whether i is a member.
func (b *Bits) Has(i int) bool { return b.words[i>>6]&(1<<(i&63)) != 0 }

// Put adds i to the set if in is true, and otherwise removes it.
func (b *Bits) Put(i int, in bool) {
	w, bit := &b.words[i>>6], uint64(1)<<(i&63)
	switch had := *w&bit != 0; {
	case in && !had:
		*w |= bit
		b.count++
	case !in && had:
		*w &^= bit
		b.count--
	}
}

// Clear empties the set.
func (b *Bits) Clear() {
	clear(b.words)
	b.count = 0
}

// At returns the k-th member in ascending order, where 0 <= k < Len().
func (b *Bits) At(k int) int {
	for i, w := range b.words {
		if c := bits.OnesCount64(w); k >= c {
			k -= c
			continue
		}
		for ; k > 0; k-- {
			w &= w - 1
		}
		return i<<6 + bits.TrailingZeros64(w)
	}
	panic("macemc bug: netsim: there are fewer members than Len returned")
}

// Next returns the first member that is not below i, or -1 if there is none.
func (b *Bits) Next(i int) int {
	for at := i >> 6; at < len(b.words); at, i = at+1, 0 {
		if w := b.words[at] >> (i & 63); w != 0 {
			return at<<6 + i&63 + bits.TrailingZeros64(w)
		}
	}
	return -1
}
