package statelog

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"
)

// FS is the directory of a log. Dir implements it for the operating system.
type FS interface {
	Create(name string) (File, error) // creates a file, or empties it, for writing
	Open(name string) (io.ReadCloser, error)
	List() ([]string, error)
	Rename(old, name string) error
	Remove(name string) error
	Sync() error // makes the names of files durable
}

// File is a file that is written from its beginning to its end.
type File interface {
	io.WriteCloser
	Sync() error
}

// Kind is the kind of a frame, which is one entry of the log with its length and checksum.
type Kind uint8

// The first kinds are the log's own. Records have the kinds from KindRecord on.
const (
	kindHeader Kind = iota
	kindCheckpoint
	KindRecord
)

const (
	magic       = "macemc log 1\n"
	frameLength = 4 + 1 + 8
	payloadMost = 1 << 30
	bufferMost  = 1 << 20 // the largest number of bytes that are appended before they are written

	suffix     = ".seg"
	unfinished = ".new"
)

// ErrNone is the error that a directory has no log.
var ErrNone = errors.New("the directory has no log of a search")

// Log is a log to which records are appended.
type Log struct {
	fs      FS
	header  []byte
	number  int // the number of the segment
	keeps   int // the number of the segment before, which is not removed yet; 0 means none
	file    File
	sum     uint64
	buffer  []byte
	dirty   bool // something was appended since the last commit
	written int64
	err     error
}

// Create begins a log with a checkpoint in a directory that has none.
func Create(fs FS, header, checkpoint []byte) (*Log, error) {
	if all, err := segments(fs); err != nil {
		return nil, err
	} else if len(all) > 0 {
		return nil, fmt.Errorf("the directory has a log already, with %d segments", len(all))
	}
	l := &Log{fs: fs, header: header}
	return l, l.Checkpoint(checkpoint)
}

// Append adds a record to the log. The record is on stable storage after the next Commit.
func (l *Log) Append(kind Kind, payload []byte) error {
	if kind < KindRecord {
		panic("macemc bug: statelog: records have kinds of their own")
	}
	if l.err != nil {
		return l.err
	}
	l.frame(kind, payload)
	l.dirty = true
	if len(l.buffer) > bufferMost {
		l.flush()
	}
	return l.err
}

// Commit makes all appended records durable.
func (l *Log) Commit() error {
	if l.err != nil || !l.dirty {
		return l.err
	}
	if l.flush(); l.err == nil {
		l.fail("sync", l.file.Sync())
	}
	l.dirty = l.err != nil
	return l.err
}

// Size returns the size of the current segment in bytes.
func (l *Log) Size() int64 { return l.written + int64(len(l.buffer)) }

// Checkpoint begins a new segment with a checkpoint, which must stand for everything that
// was appended, and removes segments that are not needed any more.
func (l *Log) Checkpoint(payload []byte) error {
	if l.err != nil {
		return l.err
	}
	if l.file != nil {
		if err := l.Commit(); err != nil {
			return err
		}
		l.fail("close", l.file.Close())
		l.keeps = l.number
	}
	l.number++
	name := segmentName(l.number)
	file, err := l.fs.Create(name + unfinished)
	if l.fail("create", err); l.err != nil {
		return l.err
	}
	l.file, l.written, l.sum, l.dirty = file, 0, 0, false
	l.buffer = append(l.buffer[:0], magic...)
	l.frame(kindHeader, l.header)
	l.frame(kindCheckpoint, payload)
	if l.flush(); l.err == nil {
		l.fail("sync", file.Sync())
	}
	if l.err == nil {
		l.fail("rename", l.fs.Rename(name+unfinished, name))
	}
	if l.err == nil {
		l.fail("sync", l.fs.Sync())
	}
	if l.err == nil {
		l.tidy()
	}
	return l.err
}

// Close commits, and ends the log.
func (l *Log) Close() error {
	err := l.Commit()
	if l.file != nil {
		err = errors.Join(err, l.file.Close())
		l.file = nil
	}
	l.err = cmp.Or(l.err, errors.New("the log is closed"))
	return err
}

// tidy removes the segments that are older than the previous one, which is kept. If one
// cannot be removed, that is no error, since it only takes space.
func (l *Log) tidy() {
	all, _ := segments(l.fs)
	for _, n := range all {
		if n != l.number && n != l.keeps {
			_ = l.fs.Remove(segmentName(n))
		}
	}
}

func (l *Log) frame(kind Kind, payload []byte) {
	if len(payload) > payloadMost {
		panic("macemc bug: statelog: a record of more than a gigabyte")
	}
	l.sum = chained(l.sum, kind, payload)
	l.buffer = binary.LittleEndian.AppendUint32(l.buffer, uint32(len(payload)))
	l.buffer = append(l.buffer, byte(kind))
	l.buffer = binary.LittleEndian.AppendUint64(l.buffer, l.sum)
	l.buffer = append(l.buffer, payload...)
}

func (l *Log) flush() {
	n, err := l.file.Write(l.buffer)
	l.written += int64(n)
	l.buffer = l.buffer[:0]
	l.fail("write", err)
}

func (l *Log) fail(what string, err error) {
	if err != nil && l.err == nil {
		l.err = fmt.Errorf("the log cannot be written (%s): %w", what, err)
	}
}

// chained returns the checksum of a frame, which depends on the checksum of the previous frame.
func chained(before uint64, kind Kind, payload []byte) uint64 {
	return xxh3.HashSeed(payload, before*0x9E3779B97F4A7C15+uint64(kind)+1)
}

func segmentName(n int) string { return fmt.Sprintf("%08d%s", n, suffix) }

// segments lists the numbers of the segments, in order.
func segments(fs FS) (all []int, err error) {
	names, err := fs.List()
	for _, name := range names {
		if base, is := strings.CutSuffix(name, suffix); is {
			if n, err := strconv.Atoi(base); err == nil && n > 0 && segmentName(n) == name {
				all = append(all, n)
			}
		}
	}
	slices.Sort(all)
	return all, err
}
