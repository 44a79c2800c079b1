package program

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"macemc/internal/bubble"
)

// A Disk is the file system of a host. Names are paths with slashes; folders need
// not be made. What is synced survives a crash; of the rest, the first few writes do,
// and possibly a part of the next.
type Disk struct {
	world  *World
	files  map[string][]byte // as the host sees them
	stable map[string][]byte // as far as everything that changed is synced
	open   []change          // since then, in order
	slow   time.Duration
}

// A change is one that a crash may undo.
type change struct {
	kind   byte // 'w'rite, 't'runcate, 'm'ove, 'r'emove
	name   string
	to     string
	at     int
	data   []byte
	synced bool
}

// Slow makes each sync take up to d, of which the search chooses a part.
func (d *Disk) Slow(most time.Duration) { d.slow = most }

// apply carries a change out.
func (c change) apply(files map[string][]byte) {
	switch c.kind {
	case 'w':
		old := files[c.name]
		grown := make([]byte, max(len(old), c.at+len(c.data)))
		copy(grown, old)
		copy(grown[c.at:], c.data)
		files[c.name] = grown
	case 't':
		grown := make([]byte, c.at)
		copy(grown, files[c.name])
		files[c.name] = grown
	case 'm':
		files[c.to] = files[c.name]
		delete(files, c.name)
	case 'r':
		delete(files, c.name)
	}
}

func (d *Disk) change(c change) {
	d.world.mu.Lock()
	defer d.world.mu.Unlock()
	if d.files == nil {
		d.files, d.stable = map[string][]byte{}, map[string][]byte{}
	}
	c.apply(d.files)
	d.open = append(d.open, c)
}

// sync makes what changed in files of these names survive.
func (d *Disk) sync(is func(name string) bool) {
	if d.slow > 0 {
		time.Sleep(d.slow * time.Duration(bubble.Ask(8)) / 7)
	}
	d.world.mu.Lock()
	defer d.world.mu.Unlock()
	for i, c := range d.open {
		if is(c.name) || c.kind == 'm' && is(c.to) {
			d.open[i].synced = true
		}
	}
	d.settle()
}

// settle moves the changes at the beginning that are synced to what is stable.
func (d *Disk) settle() {
	for len(d.open) > 0 && d.open[0].synced {
		d.open[0].apply(d.stable)
		d.open = d.open[1:]
	}
}

// crash keeps what is synced, and of the rest as much as the search chooses.
func (d *Disk) crash() {
	loose := d.loose()
	lost := bubble.Ask(loose + 1)
	torn := lost > 0 && bubble.Ask(2) == 1
	d.survive(lost, torn)
	if lost > 0 {
		d.world.note(fmt.Sprintf("of %d writes that were not synced, %d are lost%s", loose, lost, map[bool]string{true: ", and one is torn"}[torn]))
	}
}

// loose is how many changes are not synced.
func (d *Disk) loose() (n int) {
	for _, c := range d.open {
		if !c.synced {
			n++
		}
	}
	return n
}

// survive loses the last changes that are not synced, but for a half of the first of
// them if that is torn.
func (d *Disk) survive(lost int, torn bool) {
	loose := d.loose()
	kept := loose - lost
	for _, c := range d.open {
		if !c.synced {
			if kept--; kept < 0 {
				if kept == -1 && torn && c.kind == 'w' {
					c.data = c.data[:len(c.data)/2]
				} else {
					continue
				}
			}
		}
		if c.kind == 'm' && d.stable[c.name] == nil {
			continue // what it would move was never there
		}
		c.apply(d.stable)
	}
	d.open = nil
	d.files = maps.Clone(d.stable)
}

// ReadFile returns the content of a file.
func (d *Disk) ReadFile(name string) ([]byte, error) {
	d.world.mu.Lock()
	defer d.world.mu.Unlock()
	data, is := d.files[name]
	if !is {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return slices.Clone(data), nil
}

// WriteFile makes data the content of a file. It does not sync.
func (d *Disk) WriteFile(name string, data []byte) error {
	d.change(change{kind: 't', name: name})
	d.change(change{kind: 'w', name: name, data: slices.Clone(data)})
	return nil
}

// Rename gives a file another name, and replaces what had it. It does not sync: Sync
// the file under its new name, or SyncAll.
func (d *Disk) Rename(from, to string) error {
	if _, err := d.ReadFile(from); err != nil {
		return &fs.PathError{Op: "rename", Path: from, Err: fs.ErrNotExist}
	}
	d.change(change{kind: 'm', name: from, to: to})
	return nil
}

// Remove removes a file.
func (d *Disk) Remove(name string) error {
	if _, err := d.ReadFile(name); err != nil {
		return &fs.PathError{Op: "remove", Path: name, Err: fs.ErrNotExist}
	}
	d.change(change{kind: 'r', name: name})
	return nil
}

// List returns the names of the files that begin with prefix, in order.
func (d *Disk) List(prefix string) (names []string) {
	d.world.mu.Lock()
	defer d.world.mu.Unlock()
	for name := range d.files {
		if strings.HasPrefix(name, prefix) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// SyncAll makes everything survive.
func (d *Disk) SyncAll() { d.sync(func(string) bool { return true }) }

// Open opens a file, which is made if it is not there.
func (d *Disk) Open(name string) *File {
	if _, err := d.ReadFile(name); err != nil {
		d.change(change{kind: 't', name: name})
	}
	return &File{disk: d, name: name}
}

// A File is open for reading and writing.
type File struct {
	disk   *Disk
	name   string
	at     int64
	closed bool
}

// Name returns the name under which the file was opened.
func (f *File) Name() string { return f.name }

func (f *File) fail(op string, err error) error { return &fs.PathError{Op: op, Path: f.name, Err: err} }

// ReadAt reads from an offset.
func (f *File) ReadAt(p []byte, at int64) (int, error) {
	if f.closed {
		return 0, f.fail("read", fs.ErrClosed)
	}
	data, err := f.disk.ReadFile(f.name)
	if err != nil {
		return 0, err
	}
	if at >= int64(len(data)) {
		return 0, io.EOF
	}
	n := copy(p, data[at:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Read reads on.
func (f *File) Read(p []byte) (int, error) {
	n, err := f.ReadAt(p, f.at)
	f.at += int64(n)
	if n > 0 && errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

// WriteAt writes at an offset. It does not sync.
func (f *File) WriteAt(p []byte, at int64) (int, error) {
	if f.closed {
		return 0, f.fail("write", fs.ErrClosed)
	}
	f.disk.change(change{kind: 'w', name: f.name, at: int(at), data: slices.Clone(p)})
	return len(p), nil
}

// Write writes on.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.WriteAt(p, f.at)
	f.at += int64(n)
	return n, err
}

// Seek sets where the next Read or Write is.
func (f *File) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += f.at
	case io.SeekEnd:
		size, err := f.Size()
		if err != nil {
			return 0, err
		}
		offset += size
	}
	if offset < 0 {
		return 0, f.fail("seek", fs.ErrInvalid)
	}
	f.at = offset
	return offset, nil
}

// Size returns the length of the file.
func (f *File) Size() (int64, error) {
	data, err := f.disk.ReadFile(f.name)
	return int64(len(data)), err
}

// Truncate makes the file so long.
func (f *File) Truncate(size int64) error {
	if f.closed {
		return f.fail("truncate", fs.ErrClosed)
	}
	f.disk.change(change{kind: 't', name: f.name, at: int(size)})
	return nil
}

// Sync makes what was written to the file survive, and its name.
func (f *File) Sync() error {
	if f.closed {
		return f.fail("sync", fs.ErrClosed)
	}
	f.disk.sync(func(name string) bool { return name == f.name })
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
