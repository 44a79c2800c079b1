package search

import (
	"encoding/binary"

	"macemc/sim"
)

// slab is a list that grows by chunks: nothing is copied when it does.
type slab[T any] struct {
	chunks [][]T
	n      int
}

const chunk = 1 << 14

func (s *slab[T]) len() int { return s.n }

func (s *slab[T]) at(i int) T { return s.chunks[i/chunk][i%chunk] }

func (s *slab[T]) add(v T) {
	if s.n%chunk == 0 {
		s.chunks = append(s.chunks, make([]T, chunk))
	}
	s.chunks[s.n/chunk][s.n%chunk] = v
	s.n++
}

// marks is a set of numbers, one bit each.
type marks struct {
	words slab[uint64]
	n     int
}

func (m *marks) add(in bool) {
	if m.n%64 == 0 {
		m.words.add(0)
	}
	if in {
		m.words.chunks[m.n/64/chunk][m.n/64%chunk] |= 1 << (m.n % 64)
	}
	m.n++
}

func (m *marks) has(i int) bool { return m.words.at(i/64)&(1<<(i%64)) != 0 }

// vectors are states, one after the other: the places that hold something, and
// what. Nothing of them is a pointer.
type vectors struct {
	bytes [][]byte
	start slab[uint32] // of every state, in the bytes of its block
	block slab[uint32] // of every block of states: see vectorBlock
}

// States lie in pieces of bytes; a run of vectorBlock states shares a piece.
const (
	vectorBlock = 64
	vectorPiece = 1 << 20
)

func (s *vectors) len() int { return s.start.len() }

func (s *vectors) add(v sim.Vector) {
	if s.start.len()%vectorBlock == 0 {
		if n := len(s.bytes); n == 0 || len(s.bytes[n-1]) > vectorPiece-vectorBlock*2*binary.MaxVarintLen32*len(v) {
			s.bytes = append(s.bytes, make([]byte, 0, max(vectorPiece, 2*vectorBlock*2*binary.MaxVarintLen32*len(v))))
		}
		s.block.add(uint32(len(s.bytes) - 1))
	}
	b := s.bytes[len(s.bytes)-1]
	s.start.add(uint32(len(b)))
	last := 0
	for p, id := range v {
		if id != 0 {
			b = binary.AppendUvarint(b, uint64(p-last+1))
			b = binary.AppendUvarint(b, uint64(id))
			last = p
		}
	}
	s.bytes[len(s.bytes)-1] = append(b, 0)
}

func (s *vectors) get(i int, v sim.Vector) {
	clear(v)
	b := s.bytes[s.block.at(i/vectorBlock)][s.start.at(i):]
	p, at := -1, 0
	for b[at] != 0 {
		d := uint64(b[at])
		at++
		if d >= 0x80 {
			x, n := binary.Uvarint(b[at-1:])
			d, at = x, at-1+n
		}
		id := uint64(b[at])
		at++
		if id >= 0x80 {
			x, n := binary.Uvarint(b[at-1:])
			id, at = x, at-1+n
		}
		if p < 0 {
			p = 0
		}
		p += int(d) - 1
		v[p] = uint32(id)
	}
}
