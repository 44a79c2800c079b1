package simfs

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

// File is an open file or directory. It stays valid in all handlers of one life.
type File struct {
	fs     *FS
	path   string
	entry  entry
	flag   int
	at     int64 // the offset of the next Read or Write
	listed int   // for a directory: the number of entries that ReadDir has returned
	closed bool
}

// Name returns the path with which the file was opened.
func (f *File) Name() string { return f.path }

func (f *File) fail(op string, err error) error {
	return &fs.PathError{Op: op, Path: f.path, Err: err}
}

// ready returns an error if an operation is not possible on the file now. op is the name of
// the operation, and writes says whether it writes.
func (f *File) ready(op string, writes bool) error {
	mode := f.flag & (os.O_RDONLY | os.O_WRONLY | os.O_RDWR)
	switch {
	case f.closed:
		return f.fail(op, fs.ErrClosed)
	case f.entry.dir:
		return f.fail(op, errIsDir)
	case writes && mode == os.O_RDONLY, !writes && mode == os.O_WRONLY:
		return f.fail(op, fs.ErrPermission)
	}
	return nil
}

func (f *File) content() []byte { return f.fs.store().File(f.entry.id).ReadAll() }

// ReadAt reads from an offset, as io.ReaderAt requires.
func (f *File) ReadAt(p []byte, offset int64) (int, error) {
	if err := f.ready("read", false); err != nil {
		return 0, err
	}
	if offset < 0 {
		return 0, f.fail("read", fs.ErrInvalid)
	}
	data := f.content()
	if offset >= int64(len(data)) {
		if len(p) == 0 {
			return 0, nil
		}
		return 0, io.EOF
	}
	n := copy(p, data[offset:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Read reads from the current offset.
func (f *File) Read(p []byte) (int, error) {
	n, err := f.ReadAt(p, f.at)
	if f.at += int64(n); n > 0 && errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

// WriteAt writes from an offset, sector by sector.
func (f *File) WriteAt(p []byte, offset int64) (n int, err error) {
	if err := f.ready("write", true); err != nil {
		return 0, err
	}
	if offset < 0 || f.flag&os.O_APPEND != 0 {
		return 0, f.fail("write", fs.ErrInvalid)
	}
	return f.writeAt(p, int(offset))
}

func (f *File) writeAt(p []byte, offset int) (n int, err error) {
	file, size := f.fs.store().File(f.entry.id), f.fs.sector()
	for n < len(p) {
		at := offset + n
		begin := at - at%size
		part := p[n:min(len(p), n+begin+size-at)]
		data := f.content()
		sector := make([]byte, max(at+len(part), min(len(data), begin+size))-begin)
		if begin < len(data) {
			copy(sector, data[begin:])
		}
		copy(sector[at-begin:], part)
		if err := file.WriteAt(sector, begin); err != nil {
			return n, f.fail("write", err)
		}
		n += len(part)
	}
	return n, nil
}

// Write writes at the current offset, or at the end of a file opened with O_APPEND.
func (f *File) Write(p []byte) (int, error) {
	if err := f.ready("write", true); err != nil {
		return 0, err
	}
	if f.flag&os.O_APPEND != 0 {
		f.at = int64(len(f.content()))
	}
	n, err := f.writeAt(p, int(f.at))
	f.at += int64(n)
	return n, err
}

// Seek sets the offset of the next Read or Write.
func (f *File) Seek(offset int64, whence int) (int64, error) {
	if f.closed {
		return 0, f.fail("seek", fs.ErrClosed)
	}
	switch whence {
	case io.SeekCurrent:
		offset += f.at
	case io.SeekEnd:
		offset += int64(len(f.content()))
	}
	if offset < 0 {
		return 0, f.fail("seek", fs.ErrInvalid)
	}
	f.at = offset
	return offset, nil
}

// Truncate changes the length of the file. New bytes are zero.
func (f *File) Truncate(size int64) error {
	if err := f.ready("truncate", true); err != nil {
		return err
	}
	if size < 0 {
		return f.fail("truncate", fs.ErrInvalid)
	}
	file, is := f.fs.store().File(f.entry.id), int64(len(f.content()))
	switch {
	case size < is:
		file.Truncate(int(size))
	case size > is:
		if err := file.WriteAt([]byte{0}, int(size)-1); err != nil {
			return f.fail("truncate", err)
		}
	}
	return nil
}

// Sync makes the contents of a file durable; for a directory, the names in it.
func (f *File) Sync() error {
	if f.closed {
		return f.fail("sync", fs.ErrClosed)
	}
	if f.entry.dir {
		return f.fs.syncNames(f.path)
	}
	if err := f.fs.store().File(f.entry.id).Sync(); err != nil {
		return f.fail("sync", err)
	}
	return nil
}

// Close closes the file. It does not sync.
func (f *File) Close() error {
	if f.closed {
		return f.fail("close", fs.ErrClosed)
	}
	f.closed = true
	return nil
}

// Stat describes the file.
func (f *File) Stat() (fs.FileInfo, error) {
	if f.closed {
		return nil, f.fail("stat", fs.ErrClosed)
	}
	return f.fs.info(f.entry), nil
}

// ReadDir returns the next entries of a directory, as fs.ReadDirFile requires.
func (f *File) ReadDir(n int) ([]fs.DirEntry, error) {
	switch {
	case f.closed:
		return nil, f.fail("readdir", fs.ErrClosed)
	case !f.entry.dir:
		return nil, f.fail("readdir", errNotDir)
	}
	all := f.fs.entries(f.entry.id)
	all = all[min(f.listed, len(all)):]
	if n > 0 {
		if len(all) == 0 {
			return nil, io.EOF
		}
		all = all[:min(n, len(all))]
	}
	f.listed += len(all)
	return all, nil
}

type info struct {
	entry entry
	size  int64
}

func (f *FS) info(e entry) fs.FileInfo {
	if e.dir {
		return info{entry: e}
	}
	return info{e, int64(len(f.store().File(e.id).ReadAll()))}
}

func (i info) Name() string       { return i.entry.name }
func (i info) Size() int64        { return i.size }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return i.entry.dir }
func (i info) Sys() any           { return nil }

func (i info) Mode() fs.FileMode {
	if i.entry.dir {
		return fs.ModeDir | 0o777
	}
	return 0o666
}
