package disk

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// Kind is what a write does.
type Kind uint8

// The kinds of writes. The first two are to keys, the others to files.
const (
	Put Kind = iota + 1
	Delete
	Append
	Truncate
)

// Write is one write to a key or to a file.
type Write struct {
	Kind Kind
	Name string // the key, or the file
	Data string // of Put and Append
	Size int    // of Truncate: what is left
}

func (w Write) ofKey() bool { return w.Kind <= Delete }

// String is the write in words.
func (w Write) String() string {
	switch w.Kind {
	case Put:
		return fmt.Sprintf("put %s = %q", w.Name, w.Data)
	case Delete:
		return fmt.Sprintf("delete %s", w.Name)
	case Append:
		return fmt.Sprintf("append %q to %s", w.Data, w.Name)
	case Truncate:
		return fmt.Sprintf("truncate %s to %d bytes", w.Name, w.Size)
	default:
		panic(fmt.Sprintf("macemc bug: disk: no text for a write of kind %d", w.Kind))
	}
}

// Disk is what a node has stored. It never changes: a write makes another. Nil is
// the empty one.
type Disk struct {
	keys    map[string]string // synced
	files   map[string]string // synced; none is empty
	pending []Write           // since then, in order
}

// some is d, or a new one: never nil.
func (d *Disk) some() Disk {
	if d == nil {
		return Disk{}
	}
	return *d
}

// orNil is the disk, nil if nothing is on it.
func orNil(d Disk) *Disk {
	if len(d.keys) == 0 && len(d.files) == 0 && len(d.pending) == 0 {
		return nil
	}
	return &d
}

// Write is the disk after a write, which is not synced.
func (d *Disk) Write(w Write) *Disk {
	out := d.some()
	out.pending = append(slices.Clip(out.pending), w)
	return &out
}

// SyncKeys is the disk with all writes to keys synced.
func (d *Disk) SyncKeys() *Disk { return d.sync(Write.ofKey) }

// Sync is the disk with all writes to a file synced.
func (d *Disk) Sync(file string) *Disk {
	return d.sync(func(w Write) bool { return !w.ofKey() && w.Name == file })
}

func (d *Disk) sync(of func(Write) bool) *Disk {
	out := d.some()
	pending := out.pending
	out.pending = nil
	for _, w := range pending {
		if of(w) {
			out.carryOut(w)
		} else {
			out.pending = append(out.pending, w)
		}
	}
	return orNil(out)
}

// carryOut makes a write part of what was synced.
func (d *Disk) carryOut(w Write) {
	if w.ofKey() {
		if d.keys = maps.Clone(d.keys); w.Kind == Delete {
			delete(d.keys, w.Name)
			return
		}
		if d.keys == nil {
			d.keys = map[string]string{}
		}
		d.keys[w.Name] = w.Data
		return
	}
	if d.files = maps.Clone(d.files); d.files == nil {
		d.files = map[string]string{}
	}
	if d.files[w.Name] = w.on(d.files[w.Name]); d.files[w.Name] == "" {
		delete(d.files, w.Name)
	}
}

// on is a file after the write.
func (w Write) on(file string) string {
	if w.Kind == Append {
		return file + w.Data
	}
	return file[:min(w.Size, len(file))]
}

// Get is the value of a key, as the node wrote it.
func (d *Disk) Get(key string) (value string, is bool) {
	if d == nil {
		return "", false
	}
	for _, w := range slices.Backward(d.pending) {
		if w.ofKey() && w.Name == key {
			return w.Data, w.Kind == Put
		}
	}
	value, is = d.keys[key]
	return value, is
}

// Keys are the keys that have values, in order.
func (d *Disk) Keys() (keys []string) {
	if d == nil {
		return nil
	}
	all := maps.Clone(d.keys)
	for _, w := range d.pending {
		if w.ofKey() {
			if all == nil {
				all = map[string]string{}
			}
			all[w.Name] = ""
		}
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if _, is := d.Get(key); is {
			keys = append(keys, key)
		}
	}
	return keys
}

// Read is what is in a file, as the node wrote it.
func (d *Disk) Read(file string) (data string) {
	if d == nil {
		return ""
	}
	data = d.files[file]
	for _, w := range d.pending {
		if !w.ofKey() && w.Name == file {
			data = w.on(data)
		}
	}
	return data
}

// Outcomes is how many outcomes a crash has: 1 where all was synced.
func (d *Disk) Outcomes() (n int) {
	if d == nil {
		return 1
	}
	for _, w := range d.pending {
		if n++; w.tears() {
			n++
		}
	}
	return n + 1
}

// tears reports whether a part of the write may survive.
func (w Write) tears() bool { return w.Kind == Append && len(w.Data) > 1 }

// outcome is how many writes survive in the k-th outcome, and how many bytes of the
// next one: the first outcome keeps all, the last none.
func (d *Disk) outcome(k int) (writes, bytes int) {
	for writes = len(d.pending); k > 0; k-- {
		if bytes > 0 {
			bytes = 0
			continue
		}
		if writes--; d.pending[writes].tears() {
			bytes = len(d.pending[writes].Data) / 2
		}
	}
	return writes, bytes
}

// Survive is what the k-th outcome of a crash leaves. All of it is synced then:
// what was read back after a crash stays.
func (d *Disk) Survive(k int) *Disk {
	if d == nil {
		return nil
	}
	out := *d
	writes, bytes := d.outcome(k)
	out.pending = nil
	for _, w := range d.pending[:writes] {
		out.carryOut(w)
	}
	if bytes > 0 {
		torn := d.pending[writes]
		torn.Data = torn.Data[:bytes]
		out.carryOut(torn)
	}
	return orNil(out)
}

// Told is the k-th outcome in words.
func (d *Disk) Told(k int) string {
	writes, bytes := d.outcome(k)
	switch n := len(d.pending); {
	case bytes > 0:
		return fmt.Sprintf("write %d of %d torn after %d bytes (%s)", writes+1, n, bytes, d.pending[writes])
	case writes == n:
		return "all that was not synced"
	case writes == 0:
		return "nothing that was not synced"
	default:
		return fmt.Sprintf("%d of %d writes that were not synced", writes, n)
	}
}

// Lines are what is on the disk: a name and a value each.
func (d *Disk) Lines() (lines [][2]string) {
	if d == nil {
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(d.keys)) {
		lines = append(lines, [2]string{"store " + key, strconv.Quote(d.keys[key])})
	}
	for _, file := range slices.Sorted(maps.Keys(d.files)) {
		lines = append(lines, [2]string{"file " + file, strconv.Quote(d.files[file])})
	}
	for _, w := range d.pending {
		lines = append(lines, [2]string{"unsynced", w.String()})
	}
	return lines
}

// Append adds the disk's canonical bytes.
func (d *Disk) Append(buf []byte) []byte {
	text := func(s string) {
		buf = binary.AppendUvarint(buf, uint64(len(s)))
		buf = append(buf, s...)
	}
	for _, of := range []map[string]string{d.keys, d.files} {
		buf = binary.AppendUvarint(buf, uint64(len(of)))
		for _, name := range slices.Sorted(maps.Keys(of)) {
			text(name)
			text(of[name])
		}
	}
	for _, w := range d.pending {
		buf = binary.AppendUvarint(append(buf, byte(w.Kind)), uint64(w.Size))
		text(w.Name)
		text(w.Data)
	}
	return buf
}
