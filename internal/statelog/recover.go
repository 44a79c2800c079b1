package statelog

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Recovered says what Recover has read, and what was damaged.
type Recovered struct {
	Header, Checkpoint []byte
	Records            int   // the number of records after the checkpoint
	Dropped            int64 // the number of bytes behind these records that are not a complete record
	Passed             int   // the number of newer segments that were skipped because their beginnings are damaged
}

// Damaged reports whether anything was dropped or skipped. That may be no more than a part of the
// last record, which is usual after the process was killed.
func (r *Recovered) Damaged() bool { return r.Dropped > 0 || r.Passed > 0 }

// A Reader gets the contents of a log: first the header, then a checkpoint, then its records. An error ends
// the reading, and Recover returns it.
type Reader struct {
	Header     func(header []byte) error
	Checkpoint func(payload []byte) error
	Record     func(kind Kind, payload []byte) error
}

// Recover reads the newest segment with an intact checkpoint, up to its last intact record. Before it appends
// anything, the caller must begin the next segment with a checkpoint of what the Reader got. If there is no
// log, Recover returns ErrNone.
func Recover(fs FS, to Reader) (*Log, *Recovered, error) {
	all, err := segments(fs)
	if err != nil {
		return nil, nil, err
	}
	if len(all) == 0 {
		return nil, nil, ErrNone
	}
	rec := &Recovered{}
	for _, n := range slices.Backward(all) {
		whole, err := rec.read(fs, n, to)
		if err != nil {
			return nil, nil, err
		}
		if whole {
			return &Log{fs: fs, header: rec.Header, number: all[len(all)-1], keeps: n}, rec, nil
		}
		rec.Passed++
	}
	return nil, nil, fmt.Errorf("all %d segments of the log are damaged at their beginning, so the log cannot be used", len(all))
}

// read reads segment n, and reports whether its header and checkpoint are intact.
func (rec *Recovered) read(fs FS, n int, to Reader) (whole bool, err error) {
	file, err := fs.Open(segmentName(n))
	if err != nil {
		return false, err
	}
	defer file.Close()
	f := &frames{r: bufio.NewReaderSize(file, 1<<20)}
	if !f.begins() {
		return false, nil
	}
	header, is := f.next(kindHeader)
	if !is {
		return false, f.failed()
	}
	checkpoint, is := f.next(kindCheckpoint)
	if !is {
		return false, f.failed()
	}
	rec.Header, rec.Checkpoint = bytes.Clone(header), checkpoint
	if err := to.Header(rec.Header); err != nil {
		return false, err
	}
	if err := to.Checkpoint(checkpoint); err != nil {
		return false, err
	}
	good := f.read
	for {
		payload, is := f.next(KindRecord)
		if !is {
			break
		}
		if err := to.Record(f.kind, payload); err != nil {
			return false, err
		}
		rec.Records++
		good = f.read
	}
	if err := f.failed(); err != nil {
		return false, err
	}
	rest, err := io.Copy(io.Discard, f.r)
	rec.Dropped = f.read + rest - good
	return true, err
}

// frames reads the frames of one segment, in order.
type frames struct {
	r    *bufio.Reader
	sum  uint64
	kind Kind
	read int64 // the number of bytes read
	err  error
}

func (f *frames) begins() bool {
	head := make([]byte, len(magic))
	return f.fill(head) && string(head) == magic
}

// next returns the payload of the next frame. The frame must be of the given kind or, for KindRecord, of any
// kind from KindRecord on.
func (f *frames) next(kind Kind) (payload []byte, is bool) {
	var head [frameLength]byte
	if !f.fill(head[:]) {
		return nil, false
	}
	f.kind = Kind(head[4])
	size := binary.LittleEndian.Uint32(head[:])
	if size > payloadMost || f.kind != kind && (kind != KindRecord || f.kind < KindRecord) {
		return nil, false
	}
	var text bytes.Buffer // the buffer grows with the bytes that are read, since a damaged length may be huge
	n, err := io.CopyN(&text, f.r, int64(size))
	f.read += n
	if err != nil {
		f.note(err)
		return nil, false
	}
	f.sum = chained(f.sum, f.kind, text.Bytes())
	return text.Bytes(), f.sum == binary.LittleEndian.Uint64(head[5:])
}

func (f *frames) fill(b []byte) bool {
	n, err := io.ReadFull(f.r, b)
	f.read += int64(n)
	f.note(err)
	return err == nil
}

// note stores an error of reading in f.err, unless it is the end of the file.
func (f *frames) note(err error) {
	if err != nil && err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF) {
		f.err = err
	}
}

func (f *frames) failed() error { return f.err }
