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
	most   = 64 // nodes
)

// of are the keys of the nodes, by how they are chosen and the node's place.
// Everybody can work out the key of an address, so that messages carry none.
var of = [...][most]key{hashed: chosen(func(i int) key { return hash(fmt.Sprint("n", i)) }), small: chosen(spread)}

// keyset is how keys are chosen: a place in of.
type keyset uint8

const (
	hashed keyset = iota // SHA-1 of the address
	small                // two digits, then zeros
)

// rows returns the number of digits that distinguish the keys of the set. A routing table has
// that number of rows.
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

// keyOf reads 20 bytes, the most significant first.
func keyOf(b []byte) key {
	return key{binary.BigEndian.Uint32(b), binary.BigEndian.Uint64(b[4:]), binary.BigEndian.Uint64(b[12:])}
}

// spread returns the two digits 03, 4e, 99, e4, 2f, ...: an odd step goes through all of
// them before one comes again, and no two distances of neighbours are equal for long.
func spread(i int) key { return key{high: uint32(3+75*i) << 24} }

// minus returns the distance from b to a, clockwise.
func (a key) minus(b key) key {
	low, borrow := bits.Sub64(a.low, b.low, 0)
	mid, borrow := bits.Sub64(a.mid, b.mid, borrow)
	return key{a.high - b.high - uint32(borrow), mid, low}
}

// compare orders keys, and distances, as numbers.
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

// away returns how far a and b are from each other, either way round.
func (a key) away(b key) key {
	if d := a.minus(b); !d.beyondHalf() {
		return d
	}
	return b.minus(a)
}

// shared returns how many digits a and b begin with in common.
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

// closer reports whether a is closer to k than b is. If both are equally far, the
// closer one is the one before k, clockwise.
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
