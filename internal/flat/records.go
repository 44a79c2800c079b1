package flat

import "encoding/binary"

// Records keeps byte strings (records) by number, from 0. It stores a record as its difference from an
// earlier one if that is short. Otherwise it stores the whole record, without its zeros.
//
// Records only grow. A copy of the struct is a view: it keeps showing the records that were there when it was
// made, and can be read while others are appended.
type Records struct {
	chunks [][]byte // each is written once, from its start
	from   []recordsFrom
	n      int    // the number of records
	used   int    // the bytes used in the last chunk
	spare  []byte // scratch memory of Append
}

// recordsFrom has the places of a group of consecutive records. A place is a number: its high bits count the chunks
// after chunk, and its low recordBits bits are the position in that chunk.
type recordsFrom struct {
	chunk int
	at    *[recordsTogether]uint32
}

const (
	recordBits      = 18 // of a place in a chunk
	recordChunk     = 1 << recordBits
	recordsTogether = 1 << 10
	recordSame      = 3 // the number of equal bytes that end a run of different ones
	recordDeep      = 8 // the largest number of differences in a chain
)

// Len returns the number of records.
func (r *Records) Len() int { return r.n }

// Append adds a record, and returns its number. like is the number, plus one, of an earlier record that
// resembles it, or 0 if none is known. Append stores the record as the difference from that one or, to keep
// chains of differences short, from the first record of its chain.
func (r *Records) Append(by *Reader, record []byte, like int) (number int) {
	base, from := []byte(nil), like
	if from > 0 {
		near := by.find(r, from-1)
		if near.deep >= recordDeep {
			from = near.root + 1
			near = by.find(r, near.root)
		}
		base = near.record
	}
	r.spare = difference(binary.AppendUvarint(r.spare[:0], uint64(from)), record, base)
	if from > 0 && len(r.spare) > len(record)/2 {
		r.spare = difference(append(r.spare[:0], 0), record, nil)
	}
	r.write(r.spare)
	return r.n - 1
}

// write adds bytes to the chunks.
func (r *Records) write(b []byte) {
	if len(r.chunks) == 0 || r.used+len(b) > len(r.chunks[len(r.chunks)-1]) {
		r.chunks, r.used = append(r.chunks, make([]byte, max(recordChunk, len(b)))), 0
	}
	chunk := len(r.chunks) - 1
	if r.n%recordsTogether == 0 {
		r.from = append(r.from, recordsFrom{chunk, new([recordsTogether]uint32)})
	}
	from := &r.from[len(r.from)-1]
	from.at[r.n%recordsTogether] = uint32(chunk-from.chunk)<<recordBits | uint32(r.used)
	r.n++
	r.used += copy(r.chunks[chunk][r.used:], b)
}

// written returns the bytes in which the record with this number is stored.
func (r *Records) written(number int) []byte {
	from := &r.from[number/recordsTogether]
	at := from.at[number%recordsTogether]
	return r.chunks[from.chunk+int(at>>recordBits)][at%recordChunk:]
}

// A Reader reads the records of one Records, or of views of it. It keeps records that it has read lately,
// since the next ones are mostly stored as differences from these. It belongs to one goroutine.
type Reader struct {
	lately  []lately // recordsLately places, made when the first record is read
	chain   []step
	nothing lately // the base of records that are not stored as a difference
	spare   []byte
}

// recordsLately is the number of records that a Reader keeps.
const recordsLately = 1 << 8

// lately is a record that a Reader keeps.
type lately struct {
	number int // the number of the record plus one; 0 means that the place is free
	root   int // the first record of its chain of differences
	deep   int // the length of that chain
	record []byte
}

// step is one difference in a chain of differences: the bytes in which the record with this number is stored,
// after the number of its base.
type step struct {
	number int
	is     []byte
}

// Get returns the record with this number. It is valid until the next call of a method.
func (d *Reader) Get(r *Records, number int) []byte { return d.find(r, number).record }

// find returns the record with this number, which is valid until find is called with another one.
func (d *Reader) find(r *Records, number int) *lately {
	if d.lately == nil {
		d.lately = make([]lately, recordsLately)
	}
	d.chain = d.chain[:0]
	at := &d.nothing
	for {
		if k := &d.lately[number%recordsLately]; k.number == number+1 {
			at = k
			break
		}
		written := r.written(number)
		from, n := uvarint(written)
		d.chain = append(d.chain, step{number, written[n:]})
		if from == 0 {
			d.nothing = lately{root: number, deep: -1}
			break
		}
		number = from - 1
	}
	for k := len(d.chain) - 1; k >= 0; k-- {
		s := &d.chain[k]
		d.spare = apply(d.spare, s.is, at.record)
		to := &d.lately[s.number%recordsLately]
		*to, d.spare = lately{s.number + 1, at.root, at.deep + 1, d.spare}, to.record // at may be to
		at = to
	}
	return at
}

// uvarint is binary.Uvarint, but faster for small numbers.
func uvarint(b []byte) (x, n int) {
	if b[0] < 0x80 {
		return int(b[0]), 1
	}
	long, n := binary.Uvarint(b)
	return int(long), n
}

// difference appends to to the difference of a record from another one, the base: the length of the record,
// the number of bytes at its end that equal those at the end of the base, and runs of equal and of different
// bytes by turns. Beyond its end, the base counts as zeros.
func difference(to, record, base []byte) []byte {
	same, least := 0, min(len(record), len(base))
	for same+8 <= least && binary.LittleEndian.Uint64(record[len(record)-8-same:]) == binary.LittleEndian.Uint64(base[len(base)-8-same:]) {
		same += 8
	}
	for same < least && record[len(record)-1-same] == base[len(base)-1-same] {
		same++
	}
	to = binary.AppendUvarint(to, uint64(len(record)))
	to = binary.AppendUvarint(to, uint64(same))
	head, was := record[:len(record)-same], base[:len(base)-same]
	for at := 0; at < len(head); {
		equal := at
		for equal+8 <= min(len(head), len(was)) && binary.LittleEndian.Uint64(head[equal:]) == binary.LittleEndian.Uint64(was[equal:]) {
			equal += 8
		}
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

// differing returns the end of a run of bytes of head, beginning at index at, that differ from
// those of was. A few equal bytes, less than recordSame, do not end the run.
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

// apply computes a record from the base and from b, which difference has written. It uses the memory of into if
// that is large enough.
func apply(into, b, base []byte) []byte {
	size, n := uvarint(b)
	same, m := uvarint(b[n:])
	b = b[n+m:]
	if cap(into) < size {
		into = make([]byte, size)
	}
	into = into[:size]
	head := into[:size-same]
	clear(head[copy(head, base[:len(base)-same]):])
	for at := 0; at < len(head); {
		equal, n := uvarint(b)
		differ, m := uvarint(b[n:])
		if at += equal; at > len(head) {
			panic("macemc bug: flat: a record that differs beyond its end")
		}
		b = b[n+m:]
		copy(head[at:at+differ], b[:differ])
		at, b = at+differ, b[differ:]
	}
	copy(into[size-same:], base[len(base)-same:])
	return into
}
