package canon

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"math/bits"

	"github.com/zeebo/xxh3"
)

// Hash identifies a value by 128 bits. The zero Hash is the neutral element of Add. A value
// has the zero Hash only with the probability of a collision, which is negligible.
type Hash struct{ Hi, Lo uint64 }

// OfString returns the hash of the bytes of s.
func OfString(s string) Hash {
	u := xxh3.HashString128(s)
	return Hash{u.Hi, u.Lo}
}

func ofBytes(b []byte) Hash {
	u := xxh3.Hash128(b)
	return Hash{u.Hi, u.Lo}
}

// String returns h as 32 hexadecimal digits, Hi first.
func (h Hash) String() string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], h.Hi)
	binary.BigEndian.PutUint64(b[8:], h.Lo)
	return hex.EncodeToString(b[:])
}

// Compare compares hashes for sorting. Their order has no meaning, but it is the same in
// every process.
func (h Hash) Compare(o Hash) int { return cmp.Or(cmp.Compare(h.Hi, o.Hi), cmp.Compare(h.Lo, o.Lo)) }

// Add combines h and o, modulo 2^128. The order in which hashes are added does not matter,
// so their sum stands for a multiset; Sub takes one out again.
func (h Hash) Add(o Hash) Hash {
	lo, carry := bits.Add64(h.Lo, o.Lo, 0)
	hi, _ := bits.Add64(h.Hi, o.Hi, carry)
	return Hash{hi, lo}
}

// Sub undoes Add: h.Add(o).Sub(o) == h.
func (h Hash) Sub(o Hash) Hash {
	lo, borrow := bits.Sub64(h.Lo, o.Lo, 0)
	hi, _ := bits.Sub64(h.Hi, o.Hi, borrow)
	return Hash{hi, lo}
}

// Mix combines h with a number, such as a position. For each salt it is a bijection (three
// Feistel rounds), so it maps different hashes to different hashes.
func (h Hash) Mix(salt uint64) Hash {
	salt *= 0x9e3779b97f4a7c15
	lo := h.Lo ^ fold(h.Hi^salt^0x2d358dccaa6c78a5, 0x8bb84b93962eacc9)
	hi := h.Hi ^ fold(lo^salt^0x4b33a62ed433d4a3, 0x4d5a2da51de1aa47)
	lo ^= fold(hi^0xa0761d6478bd642f, 0xe7037ed1a0b428db)
	return Hash{hi, lo}
}

// Then returns the hash of a sequence of hashes that is extended by o, where h is the hash
// of the sequence before. The order counts. The zero Hash may stand for the empty sequence.
func (h Hash) Then(o Hash) Hash {
	return Hash{h.Lo, h.Hi}.Add(o).Mix(0x5bd1e995)
}

// fold multiplies x and y to 128 bits and combines the halves by exclusive-or, so that each
// bit of x affects all bits of the result.
func fold(x, y uint64) uint64 {
	hi, lo := bits.Mul64(x, y)
	return hi ^ lo
}
