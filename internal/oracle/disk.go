package oracle

import (
	"fmt"
	"slices"
	"strings"

	"macemc/internal/spec"
)

// Stable storage has two keys and a file. By the documents, a crash keeps what was synced,
// and of the other writes the first few in their order, or any subset; of the last
// survivor, if it is an append, possibly the first half. An append goes to the offset where
// it was made, behind zeros if an earlier write is lost. After a sync that failed, any of
// the writes that it covers may survive, whatever is synced later. A node that stores may
// crash, or go down, after any send, write, sync or fact of a handler if another of these,
// or a reset, follows.

// disk has the data that is certainly on a node's disk, and in Pending the later writes, in
// order.
type disk struct {
	Keys    [2]string // "" if the key has no value
	File    []string  // the records of the file
	Pending []write
}

// write is one write to a key or to the file.
type write struct {
	Verb string // Put, Delete, Append or Truncate
	Key  int    // of Put and Delete
	Data string // the data of Put and Append
	At   int    // for Append, the offset; for Truncate, the new length
	Fate fate
}

// fate says whether a write that is not yet a part of the certain data was synced.
type fate int

const (
	open     fate = iota // not synced
	doubtful             // a sync of it failed
	certain              // synced, but behind a write that is doubtful
)

func (w write) String() string {
	switch w.Verb {
	case spec.Put:
		return fmt.Sprintf("put %s = %q", spec.Keys[w.Key], w.Data)
	case spec.Delete:
		return "delete " + spec.Keys[w.Key]
	case spec.Append:
		return fmt.Sprintf("append %q to %s", w.Data, spec.File)
	default:
		return fmt.Sprintf("truncate %s to %s", spec.File, bytes(w.At))
	}
}

func bytes(n int) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}

func (w write) ofFile() bool { return w.Verb == spec.Append || w.Verb == spec.Truncate }

// alike reports whether two writes are to the same key, or both to the file.
func (w write) alike(o write) bool { return w.ofFile() == o.ofFile() && w.Key == o.Key }

func (d *disk) none() bool { return d.Keys == [2]string{} && len(d.File)+len(d.Pending) == 0 }

func (d disk) clone() disk {
	return disk{d.Keys, slices.Clone(d.File), slices.Clone(d.Pending)}
}

// told appends the contents of the disk as text to b.
func (d *disk) told(b []byte) []byte {
	b = fmt.Appendf(b, "%q %q", d.Keys, d.File)
	for _, w := range d.Pending {
		b = fmt.Appendf(b, " %s %d %d", w, w.At, w.Fate)
	}
	return b
}

func (d *disk) carry(w write) {
	switch w.Verb {
	case spec.Put:
		d.Keys[w.Key] = w.Data
	case spec.Delete:
		d.Keys[w.Key] = ""
	case spec.Truncate:
		d.File, _ = split(d.File, w.At)
	case spec.Append:
		before, rest := split(d.File, w.At)
		if missing := w.At - len(strings.Join(before, "")); missing > 0 {
			before = append(before, strings.Repeat("\x00", missing))
		}
		_, behind := split(rest, len(w.Data))
		d.File = append(append(before, w.Data), behind...)
	}
}

// split cuts the records of a file into those of its first n bytes and those of the rest.
func split(file []string, n int) (before, behind []string) {
	for _, r := range file {
		k := min(n, len(r))
		if k > 0 {
			before = append(before, r[:k])
		}
		if k < len(r) {
			behind = append(behind, r[k:])
		}
		n -= k
	}
	return before, behind
}

// all returns the disk as the node sees it: with all of its writes.
func (d *disk) all() disk {
	all := disk{Keys: d.Keys, File: slices.Clone(d.File)}
	for _, w := range d.Pending {
		all.carry(w)
	}
	return all
}

func (d *disk) size() int { return len(strings.Join(d.all().File, "")) }

// write adds a write that is not synced.
func (d *disk) write(w write) {
	if w.Verb == spec.Append {
		w.At = d.size()
	}
	d.Pending = append(d.Pending, w)
}

// sync ends a sync of the keys or, if file is true, of the file. It changes the fate of all their
// writes that were not synced before to as: certain if the sync succeeded, doubtful if it failed.
func (d *disk) sync(file bool, as fate) {
	var rest []write
	for _, w := range d.Pending {
		if w.ofFile() == file && w.Fate == open {
			w.Fate = as
		}
		if w.Fate == certain && !slices.ContainsFunc(rest, w.alike) {
			d.carry(w)
		} else {
			rest = append(rest, w)
		}
	}
	d.Pending = rest
}

// letters returns the number of letters in the data that the node reads. It does not count
// damaged bytes and zeros.
func (d *disk) letters() (n int) {
	all := d.all()
	for _, c := range []byte(strings.Join(append(all.File, all.Keys[:]...), "")) {
		if 'a' <= c && c <= 'z' {
			n++
		}
	}
	return n
}

// outcome is a disk that a crash may leave, with a description.
type outcome struct {
	told string
	disk disk
}

// outcomes returns the disks that a crash may leave, in the order in which paths number
// them. If writes may survive in any order, the last one is lost first; if they survive in
// order, the last ones are always lost.
func (d *disk) outcomes(anyOrder bool) (all []outcome) {
	var free, ordered []int // places of what may be lost by itself, and in order
	for k, w := range d.Pending {
		switch {
		case w.Fate == doubtful || w.Fate == open && anyOrder:
			free = append(free, k)
		case w.Fate == open:
			ordered = append(ordered, k)
		}
	}
	slices.Reverse(free)
	for lose := range 1 << len(free) {
		for kept := len(ordered); kept >= 0; kept-- {
			lost := map[int]bool{}
			for bit, k := range free {
				lost[k] = lose&(1<<bit) != 0
			}
			for _, k := range ordered[kept:] {
				lost[k] = true
			}
			all = append(all, outcome{d.tells(lost, -1), d.without(lost, -1)})
			for k := range d.Pending {
				last := slices.Contains(free, k) || kept > 0 && ordered[kept-1] == k
				if last && d.tears(k, lost) {
					all = append(all, outcome{d.tells(lost, k), d.without(lost, k)})
				}
			}
		}
	}
	return all
}

// tears reports whether a crash that loses the writes in lost may keep only the first half
// of write k. It must be an append, and the last surviving write to the file.
func (d *disk) tears(k int, lost map[int]bool) bool {
	w := d.Pending[k]
	if w.Verb != spec.Append || len(w.Data) < 2 || lost[k] {
		return false
	}
	for l := k + 1; l < len(d.Pending); l++ {
		if d.Pending[l].ofFile() && !lost[l] {
			return false
		}
	}
	return true
}

// without returns the disk after the loss of some writes, and of the second half of write
// torn.
func (d *disk) without(lost map[int]bool, torn int) disk {
	left := disk{Keys: d.Keys, File: slices.Clone(d.File)}
	for k, w := range d.Pending {
		if k == torn {
			w.Data = w.Data[:len(w.Data)/2]
		}
		if !lost[k] {
			left.carry(w)
		}
	}
	return left
}

// tells describes the loss of some writes, and of half of write torn. It numbers the
// uncertain writes from 1.
func (d *disk) tells(lost map[int]bool, torn int) string {
	n, kept, place, inOrder := 0, 0, 0, true
	var gone []string
	for k, w := range d.Pending {
		if w.Fate == certain {
			continue
		}
		n++
		if lost[k] {
			gone = append(gone, fmt.Sprintf("write %d (%s)", n, w))
			continue
		}
		kept++
		inOrder = inOrder && len(gone) == 0
		if k == torn {
			place = n
		}
	}
	told, but := "what was not synced", ", without "+strings.Join(gone, ", ")
	switch {
	case torn >= 0:
		told = fmt.Sprintf("write %d of %d torn after %s (%s)", place, n, bytes(len(d.Pending[torn].Data)/2), d.Pending[torn])
		if inOrder {
			but = ""
		}
	case len(gone) == 0:
		told, but = "all that was not synced", ""
	case kept == 0:
		told, but = "nothing that was not synced", ""
	case inOrder:
		told, but = fmt.Sprintf("%d of %d writes that were not synced", kept, n), ""
	}
	return told + but
}

// records returns the names of the records that a crash may damage, and for each a function
// that damages it.
func (d *disk) records() (names []string, damage []func(*disk)) {
	spoil := func(s *string) { *s = string([]byte{^(*s)[0]}) + (*s)[1:] }
	for k, v := range d.Keys {
		if v != "" {
			names, damage = append(names, "the key "+spec.Keys[k]), append(damage, func(d *disk) { spoil(&d.Keys[k]) })
		}
	}
	for k := range d.File {
		names, damage = append(names, fmt.Sprintf("record %d of the file %s", k+1, spec.File)), append(damage, func(d *disk) { spoil(&d.File[k]) })
	}
	return names, damage
}

// breaks asks a coin whether the disk of node i fails, and returns in which of the ways,
// counted from 1. 0 means that it does not fail.
func (r *run) breaks(i int, why string, ways ...string) int {
	if r.s.Left.Disk == 0 || !allows(r.spec, "disk", [2]int{i, i}) {
		return 0
	}
	k := r.ask(1+len(ways), func(k int) string { return why + ": " + append([]string{"no"}, ways...)[k] })
	if k > 0 {
		r.s.payDisk()
	}
	return k
}

// stores performs the operation op of node i on its disk. A write uses one unit of the
// node's fuel, which limits its writes and sends. If the operation fails, move sends the
// node to its next place.
func (r *run) stores(i int, op spec.Op, move func(int)) {
	does := func(text string, do func(*disk)) {
		r.does(effect{text: text, cut: true, after: true, disk: true, do: func() { do(&r.s.Nodes[i].Disk) }})
	}
	n := &r.s.Nodes[i]
	if op.Verb == spec.SyncKeys || op.Verb == spec.SyncFile {
		what := "the keys"
		if op.Verb == spec.SyncFile {
			what = "the file " + spec.File
		}
		if r.breaks(i, "does the sync of "+what+" fail", "yes") > 0 {
			r.seen("a sync fails")
			does("sync "+what+": it fails", func(d *disk) { d.sync(op.Verb == spec.SyncFile, doubtful) })
			move(1)
			return
		}
		does("sync "+what, func(d *disk) { d.sync(op.Verb == spec.SyncFile, certain) })
		return
	}
	if n.Fuel == 0 || op.Verb == spec.Truncate && n.Disk.size() < op.X {
		return
	}
	n.burn()
	w := write{Verb: op.Verb}
	switch op.Verb {
	case spec.Put:
		w.Key, w.Data = op.To, spec.Letters(op.X)
	case spec.Delete:
		w.Key = op.To
	case spec.Append:
		w.Data = spec.Letters(op.X)
	case spec.Truncate:
		w.At = op.X
	}
	text := w.String()
	if op.Verb == spec.Append {
		half := len(w.Data) / 2
		ways := []string{"yes, after 0 bytes", "yes, after " + bytes(half)}[:1+min(half, 1)]
		if k := r.breaks(i, "does it fail to "+text, ways...); k > 0 {
			r.seen("an append fails")
			half *= k - 1
			w.Data = w.Data[:half]
			does(text+": it fails after "+bytes(half), func(d *disk) {
				if w.Data != "" {
					d.write(w)
				}
			})
			move(1)
			return
		}
	}
	r.seen(op.Verb)
	does(text, func(d *disk) { d.write(w) })
}

// survive asks a coin which writes a crash leaves on the disk of node i.
func (r *run) survive(i int) {
	d := &r.s.Nodes[i].Disk
	all := d.outcomes(r.spec.AnyOrder)
	k := r.ask(len(all), func(k int) string { return fmt.Sprintf("what survives on the disk of n%d: %s", i, all[k].told) })
	if len(all) > 1 {
		r.seen("disk: " + all[k].told[:3])
		if strings.Contains(all[k].told, "without") {
			r.seen("disk: a hole")
			if !slices.ContainsFunc(d.Pending, func(w write) bool { return w.Fate == doubtful }) {
				r.seen("disk: in any order")
			}
		}
	}
	*d = all[k].disk
	names, damage := d.records()
	if len(names) == 0 {
		return
	}
	if k := r.breaks(i, fmt.Sprintf("is something damaged on the disk of n%d", i), names...); k > 0 {
		r.seen("disk: damaged")
		damage[k-1](d)
	}
}

// effect is one effect of a handler. do carries it out. If the node crashes within the step, the
// effects before the crash are carried out again on the state before the step, and the others are
// lost.
type effect struct {
	text  string
	do    func()
	cut   bool // a crash may come right after it
	after bool // a crash may come right before it
	disk  bool
}

// does records an effect and carries it out.
func (r *run) does(e effect) {
	r.effects = append(r.effects, e)
	e.do()
}

// handled asks a coin whether node i crashes within the step of its handler, which has just
// run. before is the state in which the step began.
func (r *run) handled(i int, before *state) {
	if r.broken || !r.spec.Midstep && r.s.Nodes[i].Disk.none() && !slices.ContainsFunc(r.effects, func(e effect) bool { return e.disk }) {
		return
	}
	last := -1
	for k, e := range r.effects {
		if e.after {
			last = k
		}
	}
	var cuts []int
	for k, e := range r.effects[:max(last, 0)] {
		if e.cut {
			cuts = append(cuts, k)
		}
	}
	type fate struct {
		as     life
		budget *int
		prefix string
	}
	var fates []fate
	if r.s.Left.Crash != 0 && allows(r.spec, "crash", [2]int{i, i}) {
		fates = append(fates, fate{crashed, &before.Left.Crash, ""})
	}
	if r.s.Left.Down != 0 && allows(r.spec, "down", [2]int{i, i}) {
		fates = append(fates, fate{down, &before.Left.Down, "for good, "})
	}
	k := r.ask(1+len(cuts)*len(fates), func(k int) string {
		text := "no"
		if k > 0 {
			cut := cuts[(k-1)%len(cuts)]
			text = fmt.Sprintf("%safter effect %d, %s", fates[(k-1)/len(cuts)].prefix, cut+1, r.effects[cut].text)
		}
		return fmt.Sprintf("does n%d crash within the step: %s", i, text)
	})
	if k == 0 {
		return
	}
	of := fates[(k-1)/len(cuts)]
	r.seen(strings.TrimSuffix("within a step, "+of.prefix, ", "))
	before.keep(i, r.s)
	if *of.budget > 0 {
		*of.budget--
	}
	r.s, r.wrong = before, nil
	for _, e := range r.effects[:cuts[(k-1)%len(cuts)]+1] {
		e.do()
	}
	if r.die(i, of.as); of.as == crashed {
		r.survive(i)
	}
}
