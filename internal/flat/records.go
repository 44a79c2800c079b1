package flat

import "encoding/binary"

// Records keeps byte strings by number, from 0. A record is written as its difference from
// an earlier one if that is short, and else from nothing, which leaves out its zeros.
//
// Records only grow. A copy of the struct is a view of the records that were there; it can
// be read while others are appended.
type Records struct {
	chunks [][]byte // each is written once, from its start
	ends   []uint64 // by number: the chunk, and where the record ends in it
	used   int      // of the last chunk
	spare  []byte   // of Append
}

const (
	recordChunk = 1 << 18 // bytes
	recordSame  = 3       // equal bytes that end a run of others
	recordDeep  = 8       // differences from differences
)

// Len returns the number of records.
func (r *Records) Len() int { return len(r.ends) }

// Append adds a record, which is like the one before, if there is any: a number plus one, or
// 0. It returns its number.
func (r *Records) Append(record []byte, like int) (number int) {
	base, from := []byte(nil), r.near(like)
	if from > 0 {
		base = r.Get(from-1, nil)
	}
	r.spare = difference(binary.AppendUvarint(r.spare[:0], uint64(from)), record, base)
	if from > 0 && len(r.spare) > len(record)/2 {
		r.spare = difference(append(r.spare[:0], 0), record, nil)
	}
	r.write(r.spare)
	return len(r.ends) - 1
}

// near returns the record that the next one is written as a difference from: a similar one, or
// the first record of all. The chain of differences stays short, so that no record takes long
// to read.
func (r *Records) near(like int) int {
	first, deep := like, 0
	for first > 0 {
		before := r.base(first - 1)
		if before == 0 {
			break
		}
		first, deep = before, deep+1
	}
	if deep < recordDeep {
		return like
	}
	return first
}

// write adds the bytes of a record.
func (r *Records) write(b []byte) {
	if len(r.chunks) == 0 || r.used+len(b) > len(r.chunks[len(r.chunks)-1]) {
		r.chunks, r.used = append(r.chunks, make([]byte, max(recordChunk, len(b)))), 0
	}
	chunk := len(r.chunks) - 1
	r.used += copy(r.chunks[chunk][r.used:], b)
	r.ends = append(r.ends, uint64(chunk)<<32|uint64(r.used))
}

// written returns the bytes of a record.
func (r *Records) written(number int) []byte {
	end, from := r.ends[number], uint32(0)
	if number > 0 && r.ends[number-1]>>32 == end>>32 {
		from = uint32(r.ends[number-1])
	}
	return r.chunks[end>>32][from:uint32(end)]
}

// base returns the number, plus one, of the record from which one is a difference, or 0.
func (r *Records) base(number int) int {
	from, _ := binary.Uvarint(r.written(number))
	return int(from)
}

// Get returns a record, in the memory of into if it fits there.
func (r *Records) Get(number int, into []byte) []byte {
	b := r.written(number)
	from, n := binary.Uvarint(b)
	var base []byte
	if from > 0 {
		base = r.Get(int(from-1), nil)
	}
	return apply(into, b[n:], base)
}

// difference appends how a record differs from a base: its length, how many bytes at its end
// are those at the end of the base, and runs of bytes that are equal and of those that are
// not. Beyond the base there are zeros.
func difference(to, record, base []byte) []byte {
	same := 0
	for same < min(len(record), len(base)) && record[len(record)-1-same] == base[len(base)-1-same] {
		same++
	}
	to = binary.AppendUvarint(to, uint64(len(record)))
	to = binary.AppendUvarint(to, uint64(same))
	head, was := record[:len(record)-same], base[:len(base)-same]
	for at := 0; at < len(head); {
		equal := at
		for equal < len(head) && head[equal] == byteAt(was, equal) {
			equal++
		}
		end := differing(head, was, equal)
		to = binary.AppendUvarint(to, uint64(equal-at))
		to = binary.AppendUvarint(to, uint64(end-equal))
		to = append(to, head[equal:end]...)
		at = end
	}
	return to
}

// differing returns the end of a run of different bytes.
func differing(head, was []byte, at int) int {
	equal := 0
	for k := at; k < len(head); k++ {
		if head[k] != byteAt(was, k) {
			equal = 0
		} else if equal++; equal == recordSame {
			return k + 1 - recordSame
		}
	}
	return len(head) - equal
}

func byteAt(b []byte, i int) byte {
	if i < len(b) {
		return b[i]
	}
	return 0
}

// apply returns the record for a base and the bytes of difference.
func apply(into, b, base []byte) []byte {
	next := func() int {
		x, n := binary.Uvarint(b)
		b = b[n:]
		return int(x)
	}
	size, same := next(), next()
	if cap(into) < size {
		into = make([]byte, size)
	}
	into = into[:size]
	head := into[:size-same]
	clear(head[copy(head, base[:len(base)-same]):])
	for at := 0; at < len(head); {
		if at += next(); at > len(head) {
			panic("macemc bug: flat: a record that differs beyond its end")
		}
		n := next()
		copy(head[at:at+n], b[:n])
		at, b = at+n, b[n:]
	}
	copy(into[size-same:], base[len(base)-same:])
	return into
}
