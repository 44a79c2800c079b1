package flat

import "macemc/internal/canon"

// Hashes is a list of hashes that only grows. Growing does not copy hashes, except among the first hashChunk. A
// copy of the struct is a view: it keeps showing the hashes that were there when it was made, and can be read while
// others are appended.
type Hashes struct {
	first []canon.Hash // at most hashChunk
	rest  []*[hashChunk]canon.Hash
	n     int
}

const hashChunk = 1 << 12

// Len returns the number of hashes.
func (l *Hashes) Len() int { return l.n }

// At returns the i-th hash.
func (l *Hashes) At(i uint32) canon.Hash {
	if i < hashChunk {
		return l.first[i]
	}
	return l.rest[i/hashChunk-1][i%hashChunk]
}

// Append adds a hash.
func (l *Hashes) Append(h canon.Hash) {
	if l.n < hashChunk {
		l.first = append(l.first, h)
	} else {
		if l.n%hashChunk == 0 {
			l.rest = append(l.rest, new([hashChunk]canon.Hash))
		}
		l.rest[len(l.rest)-1][l.n%hashChunk] = h
	}
	l.n++
}
