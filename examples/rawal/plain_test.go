package rawal_test

import (
	"bytes"
	"io"
	"io/fs"
	"testing"

	"github.com/hashicorp/raft-wal/segment"
	"github.com/hashicorp/raft-wal/types"
)

// memory is a disk of one file, in memory.
type memory struct{ data []byte }

func (m *memory) ListDir(string) ([]string, error) { return nil, nil }
func (m *memory) Delete(string, string) error      { return nil }
func (m *memory) Sync() error                      { return nil }
func (m *memory) Close() error                     { return nil }

func (m *memory) Create(_, _ string, size uint64) (types.WritableFile, error) {
	m.data = make([]byte, size)
	return m, nil
}

func (m *memory) OpenReader(string, string) (types.ReadableFile, error) { return m, nil }
func (m *memory) OpenWriter(string, string) (types.WritableFile, error) {
	if m.data == nil {
		return nil, fs.ErrNotExist
	}
	return m, nil
}

func (m *memory) ReadAt(p []byte, off int64) (int, error) {
	if n := copy(p, m.data[min(off, int64(len(m.data))):]); n < len(p) {
		return n, io.EOF
	}
	return len(p), nil
}

func (m *memory) WriteAt(p []byte, off int64) (int, error) { return copy(m.data[off:], p), nil }

// crash returns the disk after a crash in which some sectors were written and others not.
func crash(before, after []byte, written ...int) *memory {
	data := bytes.Clone(before)
	for _, sector := range written {
		copy(data[sector*512:(sector+1)*512], after[sector*512:])
	}
	return &memory{data}
}

// The error also shows without macemc. After two torn batches, an entry is read that has 512 zero bytes in its
// middle, and that nobody has appended in this form.
func TestTornEntryIsRead(t *testing.T) {
	info := types.SegmentInfo{ID: 1, BaseIndex: 1, MinIndex: 1, SizeLimit: 4096}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}

	// The first batch is an entry of three sectors. In the crash the second one is lost.
	disk := &memory{}
	w, err := segment.NewFiler("", disk).Create(info)
	must(err)
	must(w.Append([]types.LogEntry{{Index: 1, Data: bytes.Repeat([]byte("a"), 1488)}}))
	disk = crash(make([]byte, 4096), disk.data, 0, 2)

	// Recovery finds that the checksum is wrong. The log is empty, as it should be.
	w, err = segment.NewFiler("", disk).RecoverTail(info)
	must(err)
	if w.LastIndex() != 0 {
		t.Fatalf("after the first crash the last index is %d; want 0", w.LastIndex())
	}

	// Of the second batch only the fourth sector is written.
	before := bytes.Clone(disk.data)
	must(w.Append([]types.LogEntry{
		{Index: 1, Data: bytes.Repeat([]byte("b"), 1496)},
		{Index: 2, Data: bytes.Repeat([]byte("b"), 400)},
	}))
	disk = crash(before, disk.data, 3)

	// Recovery finds a wrong checksum again, and goes back to the commit frame of the first
	// batch, whose checksum it does not look at.
	w, err = segment.NewFiler("", disk).RecoverTail(info)
	must(err)
	if w.LastIndex() != 1 {
		t.Fatalf("after the second crash the last index is %d, and not 1: the library is mended", w.LastIndex())
	}
	buf, err := w.GetLog(1)
	must(err)
	if n := bytes.Count(buf.Bs, []byte{0}); n != 512 || len(buf.Bs) != 1488 {
		t.Fatalf("the entry has %d bytes, and %d of them are zero; want 1,488 and 512", len(buf.Bs), n)
	}
}
