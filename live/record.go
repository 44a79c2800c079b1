package live

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"macemc/internal/canon"
	"macemc/internal/codec"
	"macemc/internal/disk"
	"macemc/internal/sight"
	"macemc/sim"
)

// A record has the steps of one node in one life: frames of entries, each written when its step
// is done and before its effects are visible to others. The last frame may be torn by the end
// of the process. A torn frame is left out, unless the node had kept the result of the step;
// its next life records that: see LastStep.

// EntryKind is the kind of an entry.
type EntryKind uint8

// The kinds of entries.
const (
	EntryLife   EntryKind = iota + 1 // a life begins: the first entry
	EntryStep                        // a handler ran; the kind of its event is 0 at the start
	EntryOpened                      // a connection with a peer is open
	EntryClosed                      // and is closed
	EntryFailed                      // a handler failed; nothing comes after it
	EntryEnd                         // the node stopped, as it was asked to
)

// Entry is one entry of a record.
type Entry struct {
	Kind EntryKind
	Node int    // the node; set by the reader
	Life uint64 // the name of the node's life; set by the reader
	At   int64  // nanoseconds of the wall clock, which only break ties

	Begin *Beginning // of EntryLife
	Step  *Step      // of EntryStep; of EntryFailed, the part of the step that ran
	Peer  int        // of EntryOpened and EntryClosed
	Conn  uint64     // the connection's name, the same at both ends
	Other uint64     // of EntryOpened: the peer's life
	Text  string     // of EntryFailed
}

// Beginning is the state of a life at its start.
type Beginning struct {
	System string
	Nodes  int
	Params []string
	Bugs   []string
	Number int          // of the life, 0 for the first
	Buffer int          // messages that a connection queues
	Kept   bool         // the dead node's value was there for System.Crash
	Disk   []disk.Write // the contents of the storage
	Last   *LastStep    // of the life before, if System.Crash's node came from the folder; nil if it is not known

	last []byte // the encoded LastStep, for the writer
}

// LastStep is the last step of a life that ended suddenly. Its result was kept; the reader has
// to check whether that life's record has the step.
type LastStep struct {
	Life   uint64
	Number uint64 // the number of steps, this one included
	Step   *Step
}

// Lost returns the entry that the previous life's record lacks if that record has the given
// number of steps, or nil if it lacks none.
func (b *Beginning) Lost(life, steps uint64) *Entry {
	if b.Last == nil || b.Last.Life != life || b.Last.Number != steps+1 {
		return nil
	}
	return &Entry{Kind: EntryStep, Life: life, Step: b.Last.Step}
}

// Event is an event that a node handled.
type Event struct {
	Kind   sim.Kind // 0 means the start of the first life
	From   sim.Addr
	Link   sim.Link
	Value  any
	Asked  bool   // a KindScript that is not of the script: a request from outside
	Serial uint64 // of a message: which of its sender's sends it is, from 1
	Life   uint64 // of a message: the sender's life
	Conn   uint64 // of a message by TCP, and of an error: the connection, or 0 if there was none

	came time.Time // live: the time since which it waits; zero if it did not wait
}

// Step is an event with the answers that its handler got and its results.
type Step struct {
	Event   Event
	Picks   []uint32 // of Choose, Weighted and Before, in order
	Refused []uint32 // which of the step's calls of Send were refused, from 0
	Acked   []Acked  // for each peer of such a refusal, the messages known to be delivered
	Resets  []Acked  // connections that the handler reset
	Sends   uint64   // of the life, with this step's
	State   canon.Hash
	Stored  int // writes to the storage in this life, with this step's
}

// Acked is a peer and the number of a send to it, or of a connection with it.
type Acked struct {
	Peer int
	Of   uint64
}

type recordWriter struct {
	to    io.Writer
	codec *codec.Codec
	buf   []byte
	err   error
}

// magicRecord begins a record; the number is its version.
const magicRecord = "macemc live record 2\n"

func (w *recordWriter) uint(x uint64) { w.buf = binary.AppendUvarint(w.buf, x) }
func (w *recordWriter) text(s string) { w.uint(uint64(len(s))); w.buf = append(w.buf, s...) }

// write writes an entry in one go.
func (w *recordWriter) write(e *Entry) error {
	if w.err != nil {
		return w.err
	}
	w.buf = append(w.buf[:0], 0, 0, 0, 0, byte(e.Kind))
	w.buf = binary.BigEndian.AppendUint64(w.buf, uint64(e.At))
	switch e.Kind {
	case EntryLife:
		w.text(e.Begin.System)
		for _, x := range []int{e.Node, e.Begin.Nodes, e.Begin.Number, e.Begin.Buffer, count(e.Begin.Kept), len(e.Begin.Params)} {
			w.uint(uint64(x))
		}
		w.buf = binary.BigEndian.AppendUint64(w.buf, e.Life)
		for _, s := range e.Begin.Params {
			w.text(s)
		}
		w.uint(uint64(len(e.Begin.Bugs)))
		for _, s := range e.Begin.Bugs {
			w.text(s)
		}
		w.uint(uint64(len(e.Begin.Disk)))
		for _, d := range e.Begin.Disk {
			w.uint(uint64(d.Kind))
			w.text(d.Name)
			w.text(d.Data)
		}
		w.text(string(e.Begin.last))
	case EntryStep:
		w.step(e.Step)
	case EntryOpened, EntryClosed:
		w.uint(uint64(e.Peer))
		w.uint(e.Conn)
		w.uint(e.Other)
	case EntryFailed:
		w.text(e.Text)
		if e.Step != nil {
			w.step(e.Step)
		}
	}
	if w.err != nil {
		return w.err
	}
	binary.BigEndian.PutUint32(w.buf, uint32(len(w.buf)-4))
	_, w.err = w.to.Write(w.buf)
	return w.err
}

func (w *recordWriter) step(s *Step) {
	e := &s.Event
	asked := byte(0)
	if e.Asked {
		asked = 1
	}
	w.buf = append(w.buf, byte(e.Kind), byte(e.From.Index()+1), byte(e.Link), asked)
	for _, x := range []uint64{e.Serial, e.Life, e.Conn, s.Sends, uint64(s.Stored)} {
		w.uint(x)
	}
	w.buf = binary.BigEndian.AppendUint64(w.buf, s.State.Hi)
	w.buf = binary.BigEndian.AppendUint64(w.buf, s.State.Lo)
	for _, list := range [][]uint32{s.Picks, s.Refused} {
		w.uint(uint64(len(list)))
		for _, x := range list {
			w.uint(uint64(x))
		}
	}
	for _, list := range [][]Acked{s.Acked, s.Resets} {
		w.uint(uint64(len(list)))
		for _, x := range list {
			w.uint(uint64(x.Peer))
			w.uint(x.Of)
		}
	}
	if e.Value != nil {
		if w.buf, w.err = w.codec.Append(w.buf, e.Value); w.err != nil {
			w.err = fmt.Errorf("a %T cannot be recorded: %w", e.Value, w.err)
		}
	}
}

// Records reads one record up to its last whole entry.
type Records struct {
	from  *bufio.Reader
	codec *codec.Codec
	node  int
	life  uint64
	addrs []sim.Addr
	buf   []byte
	begun bool
}

// NewRecords reads a record of a system.
func NewRecords(r io.Reader, sys *sim.System) *Records {
	return &Records{from: bufio.NewReaderSize(r, 1<<16), codec: codecOf(sys), addrs: sim.Params{Nodes: sight.NodesMost}.Addrs()}
}

// SystemOf returns the name of the system of a record, or "" if the record is torn before the
// name.
func SystemOf(r io.Reader) (string, error) {
	head := make([]byte, len(magicRecord)+4)
	if _, err := io.ReadFull(r, head); err != nil {
		return "", nil
	}
	if string(head[:len(magicRecord)]) != magicRecord {
		return "", errors.New("this is no record of a live node, or one of another version")
	}
	n := int(binary.BigEndian.Uint32(head[len(magicRecord):]))
	if n > entryMost {
		return "", errors.New("the record is damaged: its first entry is too large")
	}
	body, err := readAll(r, nil, n)
	if err != nil {
		return "", nil
	}
	d := &entryReader{data: body}
	if d.byte() != byte(EntryLife) {
		return "", errors.New("the record is damaged: it does not begin with a life")
	}
	d.fixed()
	return d.text(), nil
}

// entryMost is the largest size of an entry. The reader rejects longer ones.
const entryMost = 64 << 20

// Next returns the next entry. It returns io.EOF at the end of the record, or where the rest is
// torn.
func (r *Records) Next() (*Entry, error) {
	if !r.begun {
		head := make([]byte, len(magicRecord))
		if _, err := io.ReadFull(r.from, head); err != nil {
			return nil, io.EOF
		}
		if string(head) != magicRecord {
			return nil, errors.New("this is no record of a live node, or one of another version")
		}
		r.begun = true
	}
	var length [4]byte
	if _, err := io.ReadFull(r.from, length[:]); err != nil {
		return nil, io.EOF
	}
	n := int(binary.BigEndian.Uint32(length[:]))
	if n > entryMost {
		return nil, fmt.Errorf("an entry of %d bytes is no entry of a record", n)
	}
	if cap(r.buf) < n {
		r.buf = make([]byte, n)
	}
	r.buf = r.buf[:n]
	if _, err := io.ReadFull(r.from, r.buf); err != nil {
		return nil, io.EOF
	}
	d := &entryReader{data: r.buf}
	e := &Entry{Kind: EntryKind(d.byte()), At: int64(d.fixed())}
	switch e.Kind {
	case EntryLife:
		b := &Beginning{System: d.text()}
		r.node, b.Nodes, b.Number, b.Buffer = d.int(), d.int(), d.int(), d.int()
		b.Kept = d.int() == 1
		params := d.count()
		r.life = d.fixed()
		for range params {
			b.Params = append(b.Params, d.text())
		}
		for range d.count() {
			b.Bugs = append(b.Bugs, d.text())
		}
		for range d.count() {
			b.Disk = append(b.Disk, disk.Write{Kind: disk.Kind(d.int()), Name: d.text(), Data: d.text()})
		}
		if last := (&entryReader{data: d.take(d.count())}); len(last.data) > 0 {
			b.Last = &LastStep{Life: last.fixed(), Number: last.uint()}
			b.Last.Step = r.step(last)
			d.bad, d.err = d.bad || last.bad, last.err
		}
		e.Begin = b
	case EntryStep:
		e.Step = r.step(d)
	case EntryOpened, EntryClosed:
		e.Peer, e.Conn, e.Other = d.int(), d.uint(), d.uint()
	case EntryFailed:
		if e.Text = d.text(); len(d.data) > 0 {
			e.Step = r.step(d)
		}
	case EntryEnd:
	default:
		d.bad = true
	}
	if d.bad {
		return nil, errors.New("the record is damaged: an entry is malformed")
	}
	if d.err != nil {
		return nil, d.err
	}
	e.Node, e.Life = r.node, r.life
	return e, nil
}

func (r *Records) step(d *entryReader) *Step {
	s := new(Step)
	e := &s.Event
	e.Kind = sim.Kind(d.byte())
	if from := int(d.byte()); from > 0 && from <= len(r.addrs) {
		e.From = r.addrs[from-1]
	}
	e.Link, e.Asked = sim.Link(d.byte()), d.byte() == 1
	e.Serial, e.Life, e.Conn, s.Sends, s.Stored = d.uint(), d.uint(), d.uint(), d.uint(), d.int()
	s.State.Hi, s.State.Lo = d.fixed(), d.fixed()
	for _, list := range []*[]uint32{&s.Picks, &s.Refused} {
		for range d.count() {
			*list = append(*list, uint32(d.uint()))
		}
	}
	for _, list := range []*[]Acked{&s.Acked, &s.Resets} {
		for range d.count() {
			*list = append(*list, Acked{d.int(), d.uint()})
		}
	}
	if !d.bad && len(d.data) > 0 {
		var err error
		if e.Value, err = r.codec.Decode(d.data); err != nil {
			d.err = fmt.Errorf("a value of the record cannot be read: %w", err)
		}
	}
	return s
}

type entryReader struct {
	data []byte
	bad  bool
	err  error
}

func (d *entryReader) take(n int) []byte {
	if n < 0 || len(d.data) < n {
		d.bad, d.data = true, nil
		return make([]byte, min(max(n, 0), 8))
	}
	b := d.data[:n]
	d.data = d.data[n:]
	return b
}

func (d *entryReader) byte() byte    { return d.take(1)[0] }
func (d *entryReader) fixed() uint64 { return binary.BigEndian.Uint64(d.take(8)) }

func (d *entryReader) uint() uint64 {
	x, n := binary.Uvarint(d.data)
	if n <= 0 {
		d.bad, d.data = true, nil
		return 0
	}
	d.data = d.data[n:]
	return x
}

func (d *entryReader) int() int { return int(min(d.uint(), 1<<40)) }

// count returns the number of the items that follow, each of at least a byte.
func (d *entryReader) count() int {
	n := d.int()
	if n > len(d.data) {
		d.bad, d.data, n = true, nil, 0
	}
	return n
}

func (d *entryReader) text() string { return string(d.take(d.count())) }

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

func now() int64 { return time.Now().UnixNano() }
