package pastry

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math/bits"

	"macemc/sim"
)

// key is a number of 160 bits. Keys form the ring, modulo 2^160.
type key struct {
	high     uint32
	mid, low uint64
}

const (
	digits = 40 // of 4 bits, in a key
	most   = 64 // the largest number of nodes
)

// of has the keys of all nodes, by key set and by the index of the node. Every node can compute the
// key of an address, so messages carry no keys.
var of = [...][most]key{hashed: chosen(func(i int) key { return hash(fmt.Sprint("n", i)) }), small: chosen(spread)}

// keyset is a way to choose the keys of nodes. It is an index in of.
type keyset uint8

const (
	hashed keyset = iota // SHA-1 of the address
	small                // two digits, then zeros
)

// rows returns the number of digits that distinguish the keys of the set, which is the number of
// rows of a routing table.
func (s keyset) rows() int {
	if s == small {
		return 2
	}
	return digits
}

func chosen(make func(i int) key) (all [most]key) {
	for i := range all {
		all[i] = make(i)
	}
	return all
}

// keyOf returns the key with these 20 bytes, the most significant first.
func keyOf(b []byte) key {
	return key{binary.BigEndian.Uint32(b), binary.BigEndian.Uint64(b[4:]), binary.BigEndian.Uint64(b[12:])}
}

// spread returns keys with the two digits 03, 4e, 99, e4, 2f, ...: since the step is odd, all pairs
// of digits come before one is repeated, and the distances between neighbours are seldom equal.
func spread(i int) key { return key{high: uint32(3+75*i) << 24} }

// minus returns the distance from b to a in the clockwise direction.
func (a key) minus(b key) key {
	low, borrow := bits.Sub64(a.low, b.low, 0)
	mid, borrow := bits.Sub64(a.mid, b.mid, borrow)
	return key{a.high - b.high - uint32(borrow), mid, low}
}

// compare compares two keys, or two distances, as numbers.
func (a key) compare(b key) int {
	if a.high != b.high {
		return cmp.Compare(a.high, b.high)
	}
	if a.mid != b.mid {
		return cmp.Compare(a.mid, b.mid)
	}
	return cmp.Compare(a.low, b.low)
}

func (a key) less(b key) bool { return a.compare(b) < 0 }

// beyondHalf reports whether a distance is more than half of the ring.
func (a key) beyondHalf() bool { return a.high >= 1<<31 }

// away returns the distance between a and b in the direction in which it is shorter.
func (a key) away(b key) key {
	if d := a.minus(b); !d.beyondHalf() {
		return d
	}
	return b.minus(a)
}

// shared returns the number of leading digits that a and b have in common.
func (a key) shared(b key) int {
	switch {
	case a.high != b.high:
		return bits.LeadingZeros32(a.high^b.high) / 4
	case a.mid != b.mid:
		return 8 + bits.LeadingZeros64(a.mid^b.mid)/4
	case a.low != b.low:
		return 24 + bits.LeadingZeros64(a.low^b.low)/4
	default:
		return digits
	}
}

// closer reports whether a is closer to k than b is. If both are equally far away, the one from
// which k is reached clockwise counts as closer.
func closer(k, a, b key) bool {
	if c := a.away(k).compare(b.away(k)); c != 0 {
		return c < 0
	}
	return k.minus(a).less(k.minus(b))
}

// of returns the key of an address.
func (s keyset) of(a sim.Addr) key { return of[s][a.Index()] }

// name returns an address with the beginning of its key, for people.
func (s keyset) name(a sim.Addr) string { return fmt.Sprintf("%s (%04x)", a, s.of(a).high>>16) }
