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
	"macemc/internal/happens"
)

// A Disk is the file system of a host. File names are paths with slashes; directories need
// not be created. Synced data survives a crash. Of the writes that were not synced, only
// the first few survive; the search chooses how many. A part of the next one may survive,
// too.
type Disk struct {
	world  *World
	host   string
	files  map[string][]byte // the files as the host sees them
	stable map[string][]byte // the files as they are after the longest run of synced changes from the beginning
	open   []change          // the changes after these, in order
	slow   time.Duration
}

// A change is an operation that a crash may undo.
type change struct {
	kind   byte // 'w'rite, 't'runcate, 'm'ove, 'r'emove
	name   string
	to     string
	at     int
	data   []byte
	synced bool
}

// Slow makes each sync take up to most; the search chooses how long.
func (d *Disk) Slow(most time.Duration) { d.slow = most }

func (c change) String() string {
	switch c.kind {
	case 'w':
		return fmt.Sprintf("write %s at %d: %s", c.name, c.at, summary(c.data))
	case 't':
		return fmt.Sprintf("truncate %s to %d", c.name, c.at)
	case 'm':
		return fmt.Sprintf("rename %s to %s", c.name, c.to)
	}
	return "remove " + c.name
}

// apply performs a change on files.
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
	if d.world.observe != nil {
		d.world.happened(Event{Kind: happens.Write, Host: d.host, Text: c.String()})
	}
	d.world.mu.Lock()
	defer d.world.mu.Unlock()
	if d.files == nil {
		d.files, d.stable = map[string][]byte{}, map[string][]byte{}
	}
	c.apply(d.files)
	d.open = append(d.open, c)
}

// sync makes the changes of some files survive a crash. selects reports whether a file with this
// name is one of them.
func (d *Disk) sync(selects func(name string) bool) {
	if d.slow > 0 {
		time.Sleep(d.slow * time.Duration(bubble.Ask(8)) / 7)
	}
	d.world.happened(Event{Kind: happens.Sync, Host: d.host})
	d.world.mu.Lock()
	defer d.world.mu.Unlock()
	for i, c := range d.open {
		if selects(c.name) || c.kind == 'm' && selects(c.to) {
			d.open[i].synced = true
		}
	}
	d.settle()
}

// settle applies to the stable files all open changes that come before the first one that is not
// synced.
func (d *Disk) settle() {
	for len(d.open) > 0 && d.open[0].synced {
		d.open[0].apply(d.stable)
		d.open = d.open[1:]
	}
}

// crash keeps the synced changes, and the first of the others; the search chooses their number.
func (d *Disk) crash() {
	loose := d.loose()
	lost := bubble.Ask(loose + 1)
	torn := lost > 0 && bubble.Ask(2) == 1
	d.survive(lost, torn)
	if lost > 0 {
		d.world.note(fmt.Sprintf("of %d writes that were not synced, %d are lost%s", loose, lost, map[bool]string{true: ", and one is torn"}[torn]))
	}
}

// loose returns the number of changes that are not synced.
func (d *Disk) loose() (n int) {
	for _, c := range d.open {
		if !c.synced {
			n++
		}
	}
	return n
}

// survive determines what is left of the files after a crash: everything but the last changes that
// are not synced, whose number is lost. If torn is set and the first lost change is a write, half
// of that write is left, too.
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
			continue // the file to move does not exist
		}
		c.apply(d.stable)
	}
	d.open = nil
	d.files = maps.Clone(d.stable)
}

// ReadFile returns the contents of a file.
func (d *Disk) ReadFile(name string) ([]byte, error) {
	d.world.mu.Lock()
	defer d.world.mu.Unlock()
	data, is := d.files[name]
	if !is {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return slices.Clone(data), nil
}

// WriteFile replaces the contents of a file. It does not sync.
func (d *Disk) WriteFile(name string, data []byte) error {
	d.change(change{kind: 't', name: name})
	d.change(change{kind: 'w', name: name, data: slices.Clone(data)})
	return nil
}

// Rename renames a file, and replaces the file that had the new name. It does not sync:
// sync the file under its new name, or call SyncAll.
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

// SyncAll makes all changes survive.
func (d *Disk) SyncAll() { d.sync(func(string) bool { return true }) }

// Open opens a file, and creates it if it does not exist.
func (d *Disk) Open(name string) *File {
	if _, err := d.ReadFile(name); err != nil {
		d.change(change{kind: 't', name: name})
	}
	return &File{disk: d, name: name}
}

// A File is a file that is open for reading and writing.
type File struct {
	disk   *Disk
	name   string
	at     int64
	closed bool
}

// Name returns the name with which the file was opened.
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

// Read reads from the current offset.
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

// Write writes at the current offset. It does not sync.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.WriteAt(p, f.at)
	f.at += int64(n)
	return n, err
}

// Seek sets the offset of the next Read or Write.
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

// Truncate changes the length of the file.
func (f *File) Truncate(size int64) error {
	if f.closed {
		return f.fail("truncate", fs.ErrClosed)
	}
	f.disk.change(change{kind: 't', name: f.name, at: int(size)})
	return nil
}

// Sync makes the contents of the file, and its name, survive a crash.
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
