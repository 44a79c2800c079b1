package canon

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/bits"

	"github.com/zeebo/xxh3"
)

// Hash identifies a value by 128 bits. The zero Hash is the neutral element of
// Add and no value's hash, short of a collision.
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

// ParseHash reads what String wrote.
func ParseHash(s string) (Hash, error) {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != 16 {
		return Hash{}, fmt.Errorf("canon: %q is not a hash; want 32 hexadecimal digits", s)
	}
	return Hash{binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])}, nil
}

// Add combines h and o without order, modulo 2^128. A multiset of hashes is
// their sum; Sub takes one out again.
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

// Mix returns h as it counts at the position salt. For one salt it is a
// bijection (three Feistel rounds), so it loses nothing.
func (h Hash) Mix(salt uint64) Hash {
	key := scramble(salt + 0x9e3779b97f4a7c15)
	hi, lo := h.Hi, h.Lo
	lo ^= scramble(hi + key)
	hi ^= scramble(lo + bits.RotateLeft64(key, 21))
	lo ^= scramble(hi + bits.RotateLeft64(key, 42))
	return Hash{hi, lo}
}

// Then continues the sequence hashed by h with o: the order counts. A fold may
// start from the zero Hash.
func (h Hash) Then(o Hash) Hash {
	return h.Mix(0x5bd1e995).Add(o).Mix(0x1b873593)
}

// scramble is the finaliser of splitmix64: each input bit reaches all outputs.
func scramble(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
