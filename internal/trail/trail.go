package trail

import (
	"encoding/binary"
	"os"
	"sync/atomic"
	"unsafe"

	"macemc/choose"
)

const (
	slots     = 64      // the number of runs that can be kept at the same time; further runs have no slot
	picksMost = 1 << 19 // the largest number of answers of a run that are kept
	noteMost  = 4096    // the largest size of a note in bytes

	headBytes = 16384
	size      = headBytes + int(unsafe.Sizeof([slots]Slot{}))
)

// head is the part of the shared memory that comes before the slots: facts about the
// process.
type head struct {
	ended  atomic.Uint32 // the exit status plus one, once the process ended regularly
	heard  atomic.Uint32 // the number of interrupts that the process received
	memory atomic.Uint64 // the number of bytes that the process may use; 0 if Allow was not called
	turn   atomic.Uint32 // a counter that is odd while the note is being written
	length atomic.Uint32 // the length of the note
	note   [noteMost]byte
}

// Trail is memory that two processes share: one writes the answers of its runs, the other
// reads them afterwards.
type Trail struct {
	file *os.File
	head *head
	all  *[slots]Slot
	hint atomic.Uint32
}

// Slot is the record of one run, in the shared memory. It belongs to one goroutine, and is read by
// another process only after the process that writes it has ended.
type Slot struct {
	taken  atomic.Uint32
	faults uint32 // 1 if faults may happen
	heal   int64  // the number of steps after which the environment heals
	n      uint64 // the number of answers
	picks  [picksMost]choose.Pick
}

// Run is a run whose answers are known, by number. A pick with an unknown number of alternatives has Of 0.
type Run struct {
	Picks  []choose.Pick
	Faults bool // faults may happen
	Heal   int  // the number of steps after which the environment heals; negative if it never does
	Whole  bool // all answers were kept
}

// File returns the file with which another process opens the trail.
func (t *Trail) File() *os.File { return t.file }

// Slot returns a free slot. It returns nil if there is none, or if t is nil.
func (t *Trail) Slot() *Slot {
	if t == nil {
		return nil
	}
	first := t.hint.Load()
	for i := range uint32(slots) {
		s := &t.all[(first+i)%slots]
		if s.begins() {
			return s
		}
	}
	return nil
}

// begins takes the slot for a new run, without answers. It reports false if the slot is not
// free.
func (s *Slot) begins() bool {
	if s.taken.Load() != 0 || !s.taken.CompareAndSwap(0, 1) {
		return false
	}
	s.n = 0
	return true
}

// Picks returns the memory into which the answers of the run are written.
func (s *Slot) Picks() []choose.Pick { return s.picks[:0] }

// Weather records whether faults may happen in the run, and after how many steps the
// environment heals.
func (s *Slot) Weather(faults bool, heal int) {
	s.faults, s.heal = 0, int64(heal)
	if faults {
		s.faults = 1
	}
}

// Stands records that n answers of the run are written, so that the handler may have got
// them.
func (s *Slot) Stands(n int) { s.n = uint64(n) }

// Leave frees the slot, since the run is over.
func (s *Slot) Leave() { s.taken.Store(0) }

// Runs returns the runs that had not ended when the process did.
func (t *Trail) Runs() (all []Run) {
	for i := range t.all {
		s := &t.all[i]
		if s.taken.Load() == 0 {
			continue
		}
		n := min(s.n, picksMost)
		all = append(all, Run{Picks: append([]choose.Pick{}, s.picks[:n]...), Faults: s.faults != 0, Heal: int(s.heal), Whole: n == s.n})
	}
	return all
}

// Clear removes all runs and the facts about how the last process ended.
func (t *Trail) Clear() {
	for i := range t.all {
		t.all[i].taken.Store(0)
	}
	t.head.ended.Store(0)
	t.head.heard.Store(0)
}

// End records that the process is about to end regularly with this status.
func (t *Trail) End(status int) { t.head.ended.Store(uint32(status) + 1) }

// Ended returns the status given to End; ok is false if End was not called.
func (t *Trail) Ended() (status int, ok bool) {
	n := t.head.ended.Load()
	return int(n) - 1, n != 0
}

// Hear counts an interrupt that the process received. The method Heard returns the count.
func (t *Trail) Hear()      { t.head.heard.Add(1) }
func (t *Trail) Heard() int { return int(t.head.heard.Load()) }

// Allow records how many bytes the process may use. The method Allowed returns the number.
func (t *Trail) Allow(bytes int) { t.head.memory.Store(uint64(bytes)) }
func (t *Trail) Allowed() int    { return int(t.head.memory.Load()) }

// Note stores a text in place of the previous one. A text that is too long is ignored.
func (t *Trail) Note(text []byte) {
	if len(text) > noteMost {
		return
	}
	t.head.notes(text)
}

// notes stores a text in the shared memory. The field turn is odd while the text is incomplete.
func (h *head) notes(text []byte) {
	h.turn.Add(1)
	h.length.Store(uint32(copy(h.note[:], text)))
	h.turn.Add(1)
}

// Noted returns the text given to Note. It returns nil if there is none or it is
// incomplete.
func (t *Trail) Noted() []byte {
	if t.head.turn.Load()%2 != 0 || t.head.length.Load() == 0 {
		return nil
	}
	return append([]byte{}, t.head.note[:t.head.length.Load()]...)
}

// Bytes encodes the run for another process.
func (r Run) Bytes() (b []byte) {
	flags := byte(0)
	if r.Faults {
		flags |= 1
	}
	if r.Whole {
		flags |= 2
	}
	b = binary.AppendVarint(append(b, flags), int64(r.Heal))
	for _, p := range r.Picks {
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(p.Of)), uint64(p.Pick))
	}
	return b
}

// RunOf decodes the result of Bytes.
func RunOf(b []byte) (r Run) {
	if len(b) == 0 {
		return r
	}
	r.Faults, r.Whole = b[0]&1 != 0, b[0]&2 != 0
	heal, n := binary.Varint(b[1:])
	r.Heal = int(heal)
	for b = b[1+n:]; len(b) > 0; {
		of, n := binary.Uvarint(b)
		pick, m := binary.Uvarint(b[n:])
		r.Picks = append(r.Picks, choose.Pick{Of: uint32(of), Pick: uint32(pick)})
		b = b[n+m:]
	}
	return r
}
