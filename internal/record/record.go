package record

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"macemc/internal/canon"
	"macemc/internal/codec"
	"macemc/internal/codecs"
	"macemc/internal/disk"
	"macemc/internal/sight"
	"macemc/sim"
)

// EntryKind is the kind of an entry.
type EntryKind uint8

// The kinds of entries.
const (
	EntryLife   EntryKind = iota + 1 // a life begins; this is the first entry
	EntryStep                        // a handler ran; the kind of its event is 0 at the start
	EntryOpened                      // a connection with a peer is open
	EntryClosed                      // a connection with a peer is closed
	EntryFailed                      // a handler failed; nothing comes after it
	EntryEnd                         // the node stopped, as it was asked to
)

// Entry is one entry of a record.
type Entry struct {
	Kind EntryKind
	Node int    // the node; set by the reader
	Life uint64 // the name of the node's life; set by the reader
	At   int64  // the time of the wall clock in nanoseconds, which only decides the order of entries that nothing else orders

	Begin *Beginning // for EntryLife
	Step  *Step      // for EntryStep, the step; for EntryFailed, the part of the step that ran
	Peer  int        // for EntryOpened and EntryClosed
	Conn  uint64     // the connection's name, the same at both ends
	Other uint64     // for EntryOpened: the peer's life
	Text  string     // for EntryFailed: the failure
}

// Beginning is the state of a node at the start of a life.
type Beginning struct {
	System string
	Nodes  int
	Params []string
	Bugs   []string
	Number int          // the number of the life, 0 for the first
	Buffer int          // the number of messages that a connection queues
	Kept   bool         // the value of the dead node was kept, for System.Crash
	Disk   []disk.Write // the contents of the storage
	Last   *LastStep    // the last step of the life before, if System.Crash got its node from the folder; nil if it is not known

	Encoded []byte // for a writer: LastStep as Writer.Last encoded it; a reader sets Last instead
}

// LastStep is the last step of a life that ended suddenly. The state in which the step left the node is
// stored on disk, but that life's record may lack the step; the reader has to check that.
type LastStep struct {
	Life   uint64
	Number uint64 // the number of steps of the life, including this one
	Step   *Step
}

// Lost returns the entry that is missing at the end of the previous life's record, which has the given number
// of steps. It returns nil if none is missing.
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
	Asked  bool   // a KindScript that is not in the script: a request from outside
	Serial uint64 // for a message: its number among its sender's sends, from 1
	Life   uint64 // for a message: the sender's life
	Conn   uint64 // for a message by TCP, and for an error: the connection, or 0 if there was none
}

// Step is an event with the answers that its handler got and its results.
type Step struct {
	Event   Event
	Picks   []uint32 // the answers to Choose, Weighted and Before, in order
	Refused []uint32 // the indices of the step's calls of Send that were refused
	Acked   []Acked  // for each peer of a refused send: the messages to it that are known to be delivered
	Resets  []Acked  // connections that the handler reset
	Sends   uint64   // the number of sends in this life, including those of this step
	State   canon.Hash
	Stored  int // the number of writes to the storage in this life, including those of this step
}

// Acked is a peer, and the number of a send to it or the name of a connection with it.
type Acked struct {
	Peer int
	Of   uint64
}

// Writer writes a record.
type Writer struct {
	to    io.Writer
	codec *codec.Codec
	buf   []byte
	err   error
}

// NewWriter begins a record of a node of a system.
func NewWriter(to io.Writer, sys *sim.System) (*Writer, error) {
	_, err := to.Write([]byte(magicRecord))
	return &Writer{to: to, codec: codecs.Of(sys)}, err
}

// Last encodes step s as a LastStep. number is how many steps the life has taken so far, including
// s.
func (w *Writer) Last(life, number uint64, s *Step) []byte {
	last := Writer{codec: w.codec, buf: binary.BigEndian.AppendUint64(nil, life)}
	last.uint(number)
	if last.step(s); last.err != nil {
		return nil // Write reports the same error
	}
	return last.buf
}

// magicRecord begins a record; the number is its version.
const magicRecord = "macemc live record 2\n"

func (w *Writer) uint(x uint64) { w.buf = binary.AppendUvarint(w.buf, x) }
func (w *Writer) text(s string) { w.uint(uint64(len(s))); w.buf = append(w.buf, s...) }

// Write writes an entry in one go.
func (w *Writer) Write(e *Entry) error {
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
		w.text(string(e.Begin.Encoded))
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

func (w *Writer) step(s *Step) {
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

// Reader reads one record up to its last whole entry.
type Reader struct {
	from  *bufio.Reader
	codec *codec.Codec
	node  int
	life  uint64
	addrs []sim.Addr
	buf   []byte
	begun bool
}

// NewReader reads a record of a system.
func NewReader(r io.Reader, sys *sim.System) *Reader {
	return &Reader{from: bufio.NewReaderSize(r, 1<<16), codec: codecs.Of(sys), addrs: sim.Params{Nodes: sight.NodesMost}.Addrs()}
}

// SystemOf returns the name of the system of a record, or "" if the record is torn before the
// name.
func SystemOf(r io.Reader) (string, error) {
	head := make([]byte, len(magicRecord)+4)
	if _, err := io.ReadFull(r, head); err != nil {
		return "", nil
	}
	if string(head[:len(magicRecord)]) != magicRecord {
		return "", errors.New("this is not a record of a live node, or it has another version")
	}
	n := int(binary.BigEndian.Uint32(head[len(magicRecord):]))
	if n > entryMost {
		return "", errors.New("the record is damaged: its first entry is too large")
	}
	body, err := io.ReadAll(io.LimitReader(r, int64(n)))
	if err != nil || len(body) < n {
		return "", nil
	}
	d := codec.NewFields(body)
	if d.Byte() != byte(EntryLife) {
		return "", errors.New("the record is damaged: its first entry is not the beginning of a life")
	}
	d.Fixed()
	return d.Text(), nil
}

// entryMost is the largest size of an entry. The reader rejects longer ones.
const entryMost = 64 << 20

// Next returns the next entry. It returns io.EOF at the end of the record, or where the rest is
// torn.
func (r *Reader) Next() (*Entry, error) {
	if !r.begun {
		head := make([]byte, len(magicRecord))
		if _, err := io.ReadFull(r.from, head); err != nil {
			return nil, io.EOF
		}
		if string(head) != magicRecord {
			return nil, errors.New("this is not a record of a live node, or it has another version")
		}
		r.begun = true
	}
	var length [4]byte
	if _, err := io.ReadFull(r.from, length[:]); err != nil {
		return nil, io.EOF
	}
	n := int(binary.BigEndian.Uint32(length[:]))
	if n > entryMost {
		return nil, fmt.Errorf("the record is damaged: an entry has %d bytes, which is too many", n)
	}
	if cap(r.buf) < n {
		r.buf = make([]byte, n)
	}
	r.buf = r.buf[:n]
	if _, err := io.ReadFull(r.from, r.buf); err != nil {
		return nil, io.EOF
	}
	d := codec.NewFields(r.buf)
	e := &Entry{}
	switch err := e.read(d, r); {
	case d.Bad():
		return nil, errors.New("the record is damaged: an entry is malformed")
	case err != nil:
		return nil, err
	}
	return e, nil
}

// read reads the fields of an entry.
func (e *Entry) read(d *codec.Fields, r *Reader) (err error) {
	e.Kind, e.At = EntryKind(d.Byte()), int64(d.Fixed())
	switch e.Kind {
	case EntryLife:
		e.Begin = &Beginning{}
		r.node, r.life, err = e.Begin.read(d, r)
	case EntryStep:
		e.Step = &Step{}
		err = e.Step.read(d, r)
	case EntryOpened, EntryClosed:
		e.Peer, e.Conn, e.Other = d.Int(), d.Uint(), d.Uint()
	case EntryFailed:
		if e.Text = d.Text(); len(d.Rest()) > 0 {
			e.Step = &Step{}
			err = e.Step.read(d, r)
		}
	case EntryEnd:
	default:
		d.Spoil()
	}
	e.Node, e.Life = r.node, r.life
	return err
}

func (b *Beginning) read(d *codec.Fields, r *Reader) (node int, life uint64, err error) {
	b.System = d.Text()
	node, b.Nodes, b.Number, b.Buffer = d.Int(), d.Int(), d.Int(), d.Int()
	b.Kept = d.Int() == 1
	params := d.Count()
	life = d.Fixed()
	for range params {
		b.Params = append(b.Params, d.Text())
	}
	for range d.Count() {
		b.Bugs = append(b.Bugs, d.Text())
	}
	for range d.Count() {
		b.Disk = append(b.Disk, disk.Write{Kind: disk.Kind(d.Int()), Name: d.Text(), Data: d.Text()})
	}
	last := codec.NewFields(d.Take(d.Count()))
	if len(last.Rest()) == 0 {
		return node, life, nil
	}
	b.Last = &LastStep{Life: last.Fixed(), Number: last.Uint(), Step: &Step{}}
	if err = b.Last.Step.read(last, r); last.Bad() {
		d.Spoil()
	}
	return node, life, err
}

func (s *Step) read(d *codec.Fields, r *Reader) (err error) {
	s.Event.read(d, r)
	s.Sends, s.Stored = d.Uint(), d.Int()
	s.State = canon.Hash{Hi: d.Fixed(), Lo: d.Fixed()}
	s.Picks, s.Refused = numbers(d), numbers(d)
	s.Acked, s.Resets = acked(d), acked(d)
	return s.Event.readValue(d, r)
}

func numbers(d *codec.Fields) (list []uint32) {
	for range d.Count() {
		list = append(list, uint32(d.Uint()))
	}
	return list
}

func acked(d *codec.Fields) (list []Acked) {
	for range d.Count() {
		list = append(list, Acked{d.Int(), d.Uint()})
	}
	return list
}

func (e *Event) read(d *codec.Fields, r *Reader) {
	e.Kind = sim.Kind(d.Byte())
	if from := int(d.Byte()); from > 0 && from <= len(r.addrs) {
		e.From = r.addrs[from-1]
	}
	e.Link, e.Asked = sim.Link(d.Byte()), d.Byte() == 1
	e.Serial, e.Life, e.Conn = d.Uint(), d.Uint(), d.Uint()
}

// readValue reads the value of an event, which is the last field of its step in a record.
func (e *Event) readValue(d *codec.Fields, r *Reader) (err error) {
	if d.Bad() || len(d.Rest()) == 0 {
		return nil
	}
	if e.Value, err = r.codec.Decode(d.Rest()); err != nil {
		return fmt.Errorf("a value of the record cannot be read: %w", err)
	}
	return nil
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
