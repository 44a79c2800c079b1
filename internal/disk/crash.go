package disk

import (
	"fmt"
	"slices"
	"strings"
)

// Loses reports whether a crash now may have several outcomes.
func (d *Disk) Loses() bool {
	return d != nil && slices.ContainsFunc(d.pending, func(w Write) bool { return w.fate != certain })
}

// openMost limits how many outcomes of a crash are listed. If any subset of n writes may survive, there are
// 2^n outcomes; they are listed only if n is at most openMost.
const openMost = 12

// TooMany returns 0 if all outcomes of a crash can be listed. Otherwise it returns n, the number of writes
// of which any subset may survive: the writes whose sync failed and, if reorder is set, all others that were
// not synced.
func (d *Disk) TooMany(reorder bool) (n int) {
	if d == nil {
		return 0
	}
	for _, w := range d.pending {
		n += count(w.fate == doubtful || reorder && w.fate == open)
	}
	if n <= openMost {
		return 0
	}
	return n
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Outcome is one outcome of a crash: which writes survive, and which are lost or torn.
type Outcome struct {
	lost []bool // for each write that is not in the synced contents, whether it is lost
	torn int    // the position of the write that survives in part, or -1
}

// Outcomes returns all outcomes of a crash. The first one keeps all writes, and the last one loses all that
// were not synced. In between, the first few writes that were not synced survive or, if reorder is set, any
// subset of them; and any subset of the writes whose sync failed. If the last surviving write to a file is
// an append, it may be torn, so that only its first half survives; so may an overwrite that no later
// surviving write overlaps.
func (d *Disk) Outcomes(reorder bool) (all []Outcome) {
	if !d.Loses() {
		return []Outcome{{torn: -1}}
	}
	var inOrder, free []int // positions of writes that survive as a prefix, and of those that survive independently; in reverse
	for k, w := range slices.Backward(d.pending) {
		switch {
		case w.fate == doubtful || w.fate == open && reorder:
			free = append(free, k)
		case w.fate == open:
			inOrder = append(inOrder, k)
		}
	}
	for mask := range 1 << len(free) {
		for gone := range len(inOrder) + 1 {
			lost := make([]bool, len(d.pending))
			for at, k := range free {
				lost[k] = mask&(1<<at) != 0
			}
			for _, k := range inOrder[:gone] {
				lost[k] = true
			}
			all = append(all, Outcome{lost, -1})
			for k := range d.pending {
				if tail := gone < len(inOrder) && inOrder[gone] == k || slices.Contains(free, k); tail && d.tears(lost, k) {
					all = append(all, Outcome{lost, k})
				}
			}
		}
	}
	return all
}

// tears reports whether the write at position k may survive in part: it is an append and no later write to
// its file survives, or an overwrite and no later write that survives changes the same bytes.
func (d *Disk) tears(lost []bool, k int) bool {
	w := d.pending[k]
	if lost[k] || w.Kind != Append && w.Kind != Overwrite || len(w.Data) < 2 {
		return false
	}
	for l := k + 1; l < len(d.pending); l++ {
		if later := d.pending[l]; !lost[l] && later.alike(w) && (w.Kind == Append || later.touches(w)) {
			return false
		}
	}
	return true
}

// touches reports whether w changes bytes that o, an overwrite of the same file, has written.
func (w Write) touches(o Write) bool {
	return w.Size < o.Size+len(o.Data) && (w.Kind == Truncate || o.Size < w.Size+len(w.Data))
}

// Torn returns how many bytes of data survive if the append or overwrite that writes it is torn.
func Torn(data string) int { return len(data) / 2 }

// Bytes returns a number of bytes as text, with its unit.
func Bytes(n int) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}

// Survive returns the disk after a crash with this outcome. All its data counts as synced: data that a node
// has read after a crash is not lost later.
func (d *Disk) Survive(o Outcome) *Disk {
	if d == nil {
		return nil
	}
	out := *d
	out.pending = nil
	for k, w := range d.pending {
		if o.lost != nil && o.lost[k] {
			continue
		}
		if k == o.torn {
			w.Data = w.Data[:Torn(w.Data)]
		}
		out.carryOut(w)
	}
	return orNil(out)
}

// Told describes an outcome. It numbers the writes that were not synced from 1.
func (d *Disk) Told(o Outcome) string {
	if !d.Loses() {
		return "all"
	}
	n, kept, torn, ordered := 0, 0, 0, true
	var lost []string
	for k, w := range d.pending {
		if w.fate == certain {
			continue
		}
		if n++; o.lost[k] {
			lost = append(lost, fmt.Sprintf("write %d (%s)", n, w))
			continue
		}
		kept++
		ordered = ordered && len(lost) == 0
		if k == o.torn {
			torn = n
		}
	}
	if torn > 0 {
		w := d.pending[o.torn]
		text := fmt.Sprintf("write %d of %d torn after %s (%s)", torn, n, Bytes(Torn(w.Data)), w)
		if ordered {
			return text
		}
		return text + ", without " + strings.Join(lost, ", ")
	}
	switch {
	case len(lost) == 0:
		return "all that was not synced"
	case kept == 0:
		return "nothing that was not synced"
	case ordered:
		return fmt.Sprintf("%d of %d writes that were not synced", kept, n)
	}
	return "what was not synced, without " + strings.Join(lost, ", ")
}

// Record identifies a synced record of a file, or the synced value of a key, which may be damaged.
type Record struct {
	key  bool
	name string
	at   int // for a file, the number of the record from 0
}

func (r Record) String() string {
	if r.key {
		return "the key " + r.name
	}
	return fmt.Sprintf("record %d of the file %s", r.at+1, r.name)
}

// Records returns all records and values on the disk that can be damaged, in order. Empty ones cannot.
func (d *Disk) Records() (all []Record) {
	if d == nil {
		return nil
	}
	for _, k := range d.keys {
		if k.value != "" {
			all = append(all, Record{true, k.name, 0})
		}
	}
	for _, f := range d.files {
		for at := range f.value {
			all = append(all, Record{false, f.name, at})
		}
	}
	return all
}

// Damage returns the disk after damage to a record: all bits of its first byte are inverted.
func (d *Disk) Damage(r Record) *Disk {
	out := *d
	spoilt := func(s string) string { return string([]byte{^s[0]}) + s[1:] }
	if r.key {
		value, _ := d.keys.get(r.name)
		out.keys = d.keys.set(r.name, spoilt(value))
		return &out
	}
	records, _ := d.files.get(r.name)
	records = slices.Clone(records)
	records[r.at] = spoilt(records[r.at])
	out.files = d.files.set(r.name, records)
	return &out
}
