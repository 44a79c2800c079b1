package shard

import (
	"encoding/binary"
	"errors"
	"hash/crc32"

	"macemc/internal/canon"
)

// Part identifies a part of a state, such as the state of one node: by its place in the state, and
// by a hash that depends on the place, too.
type Part struct {
	Place int
	Sum   canon.Hash
}

// Sums returns the hash of a part from its place and its number within this process.
type Sums interface {
	Sum(place int, id uint32) canon.Hash
}

// Writer writes a batch of states. The zero Writer is ready to use. It writes each state as the
// difference from the state before.
type Writer struct {
	numbers [][]uint32 // by place and number of a part: its index in the table plus base
	base    uint32     // numbers up to base were stored for earlier batches, so their parts are not in the table
	table   []byte     // the distinct parts of the batch's states
	parts   uint32
	lasts   []byte // the distinct last steps of the batch's states
	steps   map[uint32]uint64
	states  []byte
	n       int
	path    []byte   // the path of the last state written
	last    []uint32 // the parts of the last state written
	changed []int32  // scratch space of Add: places
}

// Len returns the number of states in the batch, and Size its length in bytes.
func (w *Writer) Len() int  { return w.n }
func (w *Writer) Size() int { return len(w.table) + len(w.states) }

// A Last describes the last step on the path to a state. From it, the process that reads the state
// knows which steps commute with the last one, and may leave these out.
type Last struct {
	By   uint32 // the number of a description of what the step touched; 0 means that it may have touched anything
	More bool   // some step is possible in the state
}

// Add adds a state to the batch: the path to it, the last step of the path, and the number of its
// part at each place, which is 0 if there is none.
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

// step returns the number under which this batch describes a last step whose Last.By is by. It
// adds the description to the batch if it is missing.
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

// number returns the index in the table of the part at a place that has the number id. It adds the
// part to the table if it is missing.
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

// baseMost is a limit for Writer.base, which grows with each batch. When base is greater, the
// Writer forgets all indices, and base begins again at 0.
const baseMost = 1 << 31

// Take returns the batch as bytes, and begins another one.
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

// ErrDamaged means that a batch or path was changed after it was written.
var ErrDamaged = errors.New("the data from another process is damaged")

// Batch is a batch that is being read. Its first three fields describe the whole batch; the other
// exported fields describe the state that Next has read last.
type Batch struct {
	Parts  []Part   // the distinct parts of its states; a part whose hash is zero stands for no part
	Steps  []uint32 // the numbers Last.By of the last steps of its states
	Places int      // greater than all places

	Path    []byte
	Last    int        // the index of its last step in Steps plus one, or 0 if that step is not known
	More    bool       // see Last
	Of      []uint32   // by place: the index in Parts of the state's part plus one, or 0 if it has none there
	Changed []uint32   // indices in Parts of the parts that the state before it in the batch does not have
	Sum     canon.Hash // the identity of the state, which is the sum of the hashes of its parts
	input
	left int
}

// Read begins to read a batch that Writer.Take has returned.
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

// placesMost is greater than the number of places that any state has.
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

// AppendHash appends the 16 bytes of h to the slice to.
func AppendHash(to []byte, h canon.Hash) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(to, h.Hi), h.Lo)
}

// input decodes bytes in order. After an error, it returns zeros only.
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
