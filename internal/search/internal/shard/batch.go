package shard

import (
	"encoding/binary"
	"errors"
	"hash/crc32"

	"macemc/internal/canon"
)

// Part is a part of a state: its place and its identity. The identity depends on the place, too.
type Part struct {
	Place int
	Sum   canon.Hash
}

// Sums returns the identities of parts by their numbers.
type Sums interface {
	Sum(place int, id uint32) canon.Hash
}

// Writer writes a batch. The zero Writer is ready to use. It writes each state as the difference
// from the state before.
type Writer struct {
	numbers [][]uint32 // by place and number of a part: its index in the table, plus base
	base    uint32     // greater than every number of an earlier batch
	table   []byte     // the parts
	parts   uint32
	lasts   []byte // the last steps of the states
	steps   map[uint32]uint64
	states  []byte
	n       int
	path    []byte   // the path of the last state
	last    []uint32 // the parts of the last state
	changed []int32  // scratch space of Add: places
}

// Len returns the number of states in the batch, and Size its length in bytes.
func (w *Writer) Len() int  { return w.n }
func (w *Writer) Size() int { return len(w.table) + len(w.states) }

// A Last describes the step that led to a state. The reader of the state may leave out steps that
// commute with it.
type Last struct {
	By   uint32 // what the step touched; 0 means that it may have touched anything
	More bool   // some step is possible after it
}

// Add adds a state: the path to it, its last step, and the numbers of its parts by place. The
// number 0 stands for no part.
func (w *Writer) Add(path []byte, last Last, parts []uint32, of Sums) {
	same := 0
	for same < len(path) && same < len(w.path) && path[same] == w.path[same] {
		same++
	}
	w.states = binary.AppendUvarint(binary.AppendUvarint(w.states, uint64(same)), uint64(len(path)-same))
	w.states = append(w.states, path[same:]...)
	w.path = append(w.path[:same], path[same:]...)
	more := uint64(0)
	if last.More {
		more = 1
	}
	w.states = binary.AppendUvarint(w.states, w.step(last.By)<<1|more)
	if len(w.last) != len(parts) {
		w.last = make([]uint32, len(parts))
	}
	w.changed = w.changed[:0]
	for place, was := range w.last {
		if parts[place] != was {
			w.changed = append(w.changed, int32(place))
		}
	}
	w.states = binary.AppendUvarint(w.states, uint64(len(w.changed)))
	for _, place := range w.changed {
		id := parts[place]
		w.last[place] = id
		w.states = binary.AppendUvarint(w.states, uint64(w.number(int(place), id, of)))
	}
	w.n++
}

// step returns the number of a last step within the batch.
func (w *Writer) step(by uint32) uint64 {
	if by == 0 {
		return 0
	}
	n, known := w.steps[by]
	if !known {
		if w.steps == nil {
			w.steps = map[uint32]uint64{}
		}
		n = uint64(len(w.steps) + 1)
		w.steps[by] = n
		w.lasts = binary.LittleEndian.AppendUint32(w.lasts, by)
	}
	return n
}

// number returns the index of a part in the table, and adds the part if it is missing.
func (w *Writer) number(place int, id uint32, of Sums) uint32 {
	for len(w.numbers) <= place {
		w.numbers = append(w.numbers, nil)
	}
	at := w.numbers[place]
	if int(id) >= len(at) {
		at = append(at, make([]uint32, int(id)+1+len(at)/2-len(at))...)
		w.numbers[place] = at
	}
	if at[id] <= w.base {
		var h canon.Hash // of no part
		if id != 0 {
			h = of.Sum(place, id)
		}
		w.table = binary.AppendUvarint(w.table, uint64(place))
		w.table = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(w.table, h.Hi), h.Lo)
		w.parts++
		at[id] = w.base + w.parts
	}
	return at[id] - w.base - 1
}

// When base exceeds baseMost, the Writer forgets all indices.
const baseMost = 1 << 31

// Take returns the batch, and begins another one.
func (w *Writer) Take() []byte {
	b := binary.AppendUvarint(nil, uint64(w.parts))
	b = binary.AppendUvarint(append(b, w.table...), uint64(len(w.steps)))
	b = binary.AppendUvarint(append(b, w.lasts...), uint64(w.n))
	b = append(b, w.states...)
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
	if w.base += w.parts; w.base > baseMost {
		w.base, w.numbers = 0, nil
	}
	w.table, w.lasts, w.states, w.path, w.parts, w.n = w.table[:0], w.lasts[:0], w.states[:0], w.path[:0], 0, 0
	clear(w.steps)
	clear(w.last)
	return b
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ErrDamaged means that bytes differ from what was written.
var ErrDamaged = errors.New("the data from another process is damaged")

// Batch is a batch that is being read. Its first three fields describe the whole batch; the others
// describe the state that Next has read, until the next call of Next.
type Batch struct {
	Parts  []Part   // a part whose identity is zero stands for no part
	Steps  []uint32 // the last steps of states: see Last
	Places int      // greater than all places

	Path    []byte
	Last    int        // index of its last step in Steps plus one, or 0 if the step is not known
	More    bool       // see Last
	Of      []uint32   // by place: the index of its part in Parts plus one, or 0 if it has none
	Changed []uint32   // indices in Parts of the parts that the state before did not have
	Sum     canon.Hash // the identity of the state, which is the sum of its parts' identities
	input
	left int
}

// Read begins to read a batch, as Take returned it.
func Read(data []byte) (*Batch, error) {
	if len(data) < 4 || crc32.Checksum(data[:len(data)-4], castagnoli) != binary.LittleEndian.Uint32(data[len(data)-4:]) {
		return nil, ErrDamaged
	}
	b := &Batch{input: input{rest: data[:len(data)-4]}}
	n := b.uint()
	b.Parts = make([]Part, 0, min(n, len(data)/17))
	for range n {
		place, sum := b.uint(), b.bytes(16)
		if b.bad || place >= placesMost {
			return nil, ErrDamaged
		}
		b.Parts = append(b.Parts, Part{place, HashOf(sum)})
		b.Places = max(b.Places, place+1)
	}
	for range b.uint() {
		step := b.bytes(4)
		if b.bad {
			return nil, ErrDamaged
		}
		b.Steps = append(b.Steps, binary.LittleEndian.Uint32(step))
	}
	b.Of = make([]uint32, b.Places)
	b.left = b.uint()
	return b, b.err()
}

// placesMost is greater than the number of places of any state.
const placesMost = 1 << 20

// Next reads the next state, and reports whether there is one.
func (b *Batch) Next() (more bool, err error) {
	if b.left == 0 {
		return false, b.err()
	}
	b.left--
	same, length := b.uint(), b.uint()
	if same > len(b.Path) {
		return false, ErrDamaged
	}
	b.Path = append(b.Path[:same], b.bytes(length)...)
	last := b.uint()
	if b.Last, b.More = last>>1, last&1 != 0; b.Last > len(b.Steps) {
		return false, ErrDamaged
	}
	b.Changed = b.Changed[:0]
	for range b.uint() {
		k := b.uint()
		if b.bad || k >= len(b.Parts) {
			return false, ErrDamaged
		}
		p := &b.Parts[k]
		at := &b.Of[p.Place]
		if *at != 0 {
			b.Sum = b.Sum.Sub(b.Parts[*at-1].Sum)
		}
		b.Sum = b.Sum.Add(p.Sum)
		*at = uint32(k) + 1
		b.Changed = append(b.Changed, uint32(k))
	}
	return true, b.err()
}

// HashOf decodes a hash that AppendHash encoded.
func HashOf(b []byte) canon.Hash {
	return canon.Hash{Hi: binary.LittleEndian.Uint64(b), Lo: binary.LittleEndian.Uint64(b[8:])}
}

// AppendHash appends a hash as 16 bytes.
func AppendHash(to []byte, h canon.Hash) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(to, h.Hi), h.Lo)
}

// input reads bytes from their beginning. Once it finds an error, it returns zeros.
type input struct {
	rest []byte
	bad  bool
}

func (i *input) err() error {
	if i.bad {
		return ErrDamaged
	}
	return nil
}

func (i *input) uint() int {
	x, n := binary.Uvarint(i.rest)
	if n <= 0 || x > 1<<40 {
		i.bad, i.rest = true, nil
		return 0
	}
	i.rest = i.rest[n:]
	return int(x)
}

func (i *input) bytes(n int) []byte {
	if n > len(i.rest) {
		i.bad, i.rest = true, nil
		return nil
	}
	b := i.rest[:n]
	i.rest = i.rest[n:]
	return b
}
