package disk

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Kind is the kind of a write.
type Kind uint8

// The kinds of writes. The first two are about keys, the others about files.
const (
	Put Kind = iota + 1
	Delete
	Append
	Truncate
	Overwrite // from an offset on, possibly beyond the end
)

// Write is one write to a key or to a file.
type Write struct {
	Kind Kind
	Name string // the key, or the file
	Data string // of Put, Append and Overwrite
	Size int    // for Truncate, the new length; for Overwrite and Append, the offset, which the Disk fills in for Append

	fate fate
}

// fate says what may become of a write that is not part of the synced contents.
type fate uint8

const (
	open     fate = iota // it was not synced
	doubtful             // a sync of it failed, so it may survive or not, whatever is synced later
	certain              // synced, but an earlier write to the same place is doubtful
)

func (w Write) ofKey() bool { return w.Kind <= Delete }

// shownMost is the largest number of bytes of data that texts show in full.
const shownMost = 96

// quoted returns data in quotes, for texts. If data is long, it returns its beginning and its length.
func quoted(data string) string {
	if len(data) <= shownMost {
		return strconv.Quote(data)
	}
	return fmt.Sprintf("%q and so on, %s,", data[:16], Bytes(len(data)))
}

// String describes the write.
func (w Write) String() string {
	switch w.Kind {
	case Put:
		return fmt.Sprintf("put %s = %s", w.Name, quoted(w.Data))
	case Delete:
		return fmt.Sprintf("delete %s", w.Name)
	case Append:
		return fmt.Sprintf("append %s to %s", quoted(w.Data), w.Name)
	case Truncate:
		return fmt.Sprintf("truncate %s to %s", w.Name, Bytes(w.Size))
	case Overwrite:
		return fmt.Sprintf("write %s at %d of %s", quoted(w.Data), w.Size, w.Name)
	default:
		panic(fmt.Sprintf("macemc bug: disk: no text for a write of kind %d", w.Kind))
	}
}

// Synced returns a value whose text names what a sync covers: the file or, if file is "", the keys.
func Synced(file string) any {
	if file == "" {
		return "the keys"
	}
	return "the file " + file
}

// Disk has the data that a node has stored. It is immutable: a write returns another Disk. Nil is the
// empty Disk.
type Disk struct {
	keys    contents[string]
	files   contents[[]string] // as records, in the order of their appends; none is empty
	pending []Write            // the writes that are not part of keys and files yet, in order
}

// contents maps names to values. It is a list in the order of the names and, like a Disk, immutable. Since a
// node has few keys and files, copying this list takes a fifth of the time of copying a map.
type contents[V any] []named[V]

type named[V any] struct {
	name  string
	value V
}

func (c contents[V]) find(name string) (at int, is bool) {
	return slices.BinarySearchFunc(c, name, func(n named[V], name string) int { return strings.Compare(n.name, name) })
}

func (c contents[V]) get(name string) (value V, is bool) {
	if at, is := c.find(name); is {
		return c[at].value, true
	}
	return value, false
}

func (c contents[V]) set(name string, value V) contents[V] {
	at, is := c.find(name)
	if !is {
		return slices.Insert(slices.Clip(c), at, named[V]{name, value})
	}
	c = slices.Clone(c)
	c[at].value = value
	return c
}

func (c contents[V]) unset(name string) contents[V] {
	if at, is := c.find(name); is {
		return slices.Concat(c[:at], c[at+1:])
	}
	return c
}

// some returns the value of d, or an empty Disk if d is nil.
func (d *Disk) some() Disk {
	if d == nil {
		return Disk{}
	}
	return *d
}

// orNil returns a pointer to the disk, or nil if it is empty.
func orNil(d Disk) *Disk {
	if len(d.keys) == 0 && len(d.files) == 0 && len(d.pending) == 0 {
		return nil
	}
	return &d
}

// Unsynced reports whether a crash may lose data.
func (d *Disk) Unsynced() bool { return d != nil && len(d.pending) > 0 }

// Write returns the disk after the write w, which is not synced yet.
func (d *Disk) Write(w Write) *Disk {
	out := d.some()
	if w.Kind == Append {
		w.Size = len(d.Read(w.Name))
	}
	out.pending = append(slices.Clip(out.pending), w)
	return &out
}

// SyncKeys returns the disk after a sync of the keys.
func (d *Disk) SyncKeys() *Disk { return d.sync(Write.ofKey, certain) }

// Sync returns the disk after a sync of a file.
func (d *Disk) Sync(file string) *Disk { return d.sync(to(file), certain) }

// FailKeys returns the disk after a failed sync of the keys: whether the writes that it covers are on the disk
// stays open, whatever is synced later.
func (d *Disk) FailKeys() *Disk { return d.sync(Write.ofKey, doubtful) }

// Fail is FailKeys for the sync of a file.
func (d *Disk) Fail(file string) *Disk { return d.sync(to(file), doubtful) }

func to(file string) func(Write) bool {
	return func(w Write) bool { return !w.ofKey() && w.Name == file }
}

// sync returns the disk after a sync of the writes for which the function of returns true. If such a write was
// open (not synced before), its fate is now becomes: certain or, if the sync failed, doubtful. A certain write
// becomes part of the synced contents, unless a doubtful write to the same key or file comes before it.
func (d *Disk) sync(of func(Write) bool, becomes fate) *Disk {
	out := d.some()
	pending := out.pending
	out.pending = nil
	for _, w := range pending {
		if w.fate == open && of(w) {
			w.fate = becomes
		}
		if w.fate == certain && !slices.ContainsFunc(out.pending, w.alike) {
			out.carryOut(w)
		} else {
			out.pending = append(out.pending, w)
		}
	}
	return orNil(out)
}

// alike reports whether w and o are to the same key or the same file.
func (w Write) alike(o Write) bool { return w.Name == o.Name && w.ofKey() == o.ofKey() }

// carryOut applies the write w to the synced contents of d.
func (d *Disk) carryOut(w Write) {
	if w.ofKey() {
		if w.Kind == Delete {
			d.keys = d.keys.unset(w.Name)
		} else {
			d.keys = d.keys.set(w.Name, w.Data)
		}
		return
	}
	file, _ := d.files.get(w.Name)
	if file = w.on(file); len(file) > 0 {
		d.files = d.files.set(w.Name, file)
	} else {
		d.files = d.files.unset(w.Name)
	}
}

// on returns the records of a file after the write w. An append goes to the offset at which it was made; zeros
// fill the gap if the file is shorter.
func (w Write) on(file []string) []string {
	size := length(file)
	if w.Kind == Truncate {
		return cut(file, min(w.Size, size))
	}
	out := cut(file, min(w.Size, size))
	if size < w.Size {
		out = append(out, strings.Repeat("\x00", w.Size-size))
	}
	return append(append(out, w.Data), after(file, w.Size+len(w.Data))...)
}

func length(file []string) (n int) {
	for _, r := range file {
		n += len(r)
	}
	return n
}

// cut returns a copy of the first n bytes of a file, given as records.
func cut(file []string, n int) (out []string) {
	for _, r := range file {
		if n <= 0 {
			break
		}
		out = append(out, r[:min(n, len(r))])
		n -= len(r)
	}
	return out
}

// after returns the bytes of a file after the first n.
func after(file []string, n int) (out []string) {
	for _, r := range file {
		if n < len(r) {
			out = append(out, r[max(n, 0):])
		}
		n -= len(r)
	}
	return out
}

// Get returns the value of a key as the node wrote it, whether or not it is synced.
func (d *Disk) Get(key string) (value string, is bool) {
	if d == nil {
		return "", false
	}
	for _, w := range slices.Backward(d.pending) {
		if w.ofKey() && w.Name == key {
			return w.Data, w.Kind == Put
		}
	}
	return d.keys.get(key)
}

// Keys returns the keys that have values, in order, whether or not these are synced.
func (d *Disk) Keys() (keys []string) {
	if d == nil {
		return nil
	}
	for _, k := range d.keys {
		keys = append(keys, k.name)
	}
	for _, w := range d.pending {
		if w.ofKey() {
			keys = append(keys, w.Name)
		}
	}
	slices.Sort(keys)
	return slices.DeleteFunc(slices.Compact(keys), func(key string) bool {
		_, is := d.Get(key)
		return !is
	})
}

// Read returns the contents of a file as the node wrote it, whether or not they are synced.
func (d *Disk) Read(file string) (data string) {
	if d == nil {
		return ""
	}
	records, _ := d.files.get(file)
	for _, w := range d.pending {
		if !w.ofKey() && w.Name == file {
			records = w.on(records)
		}
	}
	return strings.Join(records, "")
}

// Files returns the names of the files that are not empty, in order. Writes that are not synced count.
func (d *Disk) Files() (names []string) {
	if d == nil {
		return nil
	}
	for _, f := range d.files {
		names = append(names, f.name)
	}
	for _, w := range d.pending {
		if !w.ofKey() {
			names = append(names, w.Name)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return slices.DeleteFunc(names, func(name string) bool { return d.Read(name) == "" })
}

var fates = [...]string{open: "unsynced", doubtful: "sync failed", certain: "synced, behind one that is not"}

// placed describes the write as String does, with its offset.
func (w Write) placed() string {
	if w.Kind == Append && w.fate != open {
		return fmt.Sprintf("%s at %d", w, w.Size)
	}
	return w.String()
}

// Lines returns the contents of the disk as pairs of a name and a value, for texts.
func (d *Disk) Lines() (lines [][2]string) {
	if d == nil {
		return nil
	}
	for _, k := range d.keys {
		lines = append(lines, [2]string{"store " + k.name, strconv.Quote(k.value)})
	}
	for _, f := range d.files {
		var records []string
		for _, r := range f.value {
			records = append(records, strconv.Quote(r))
		}
		lines = append(lines, [2]string{"file " + f.name, strings.Join(records, " ")})
	}
	for _, w := range d.pending {
		lines = append(lines, [2]string{fates[w.fate], w.placed()})
	}
	return lines
}

// Append appends to buf the disk's canonical bytes: equal disks have equal bytes, and different ones have
// different bytes. d must not be nil.
func (d *Disk) Append(buf []byte) []byte {
	text := func(s string) {
		buf = binary.AppendUvarint(buf, uint64(len(s)))
		buf = append(buf, s...)
	}
	buf = binary.AppendUvarint(buf, uint64(len(d.keys)))
	for _, k := range d.keys {
		text(k.name)
		text(k.value)
	}
	buf = binary.AppendUvarint(buf, uint64(len(d.files)))
	for _, f := range d.files {
		text(f.name)
		buf = binary.AppendUvarint(buf, uint64(len(f.value)))
		for _, record := range f.value {
			text(record)
		}
	}
	for _, w := range d.pending {
		buf = binary.AppendUvarint(append(buf, byte(w.Kind), byte(w.fate)), uint64(w.Size))
		text(w.Name)
		text(w.Data)
	}
	return buf
}
