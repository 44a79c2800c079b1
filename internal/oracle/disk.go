package oracle

import (
	"fmt"
	"slices"
	"strings"
)

// Stable storage has a key and a file. By the documents: a crash leaves what was
// synced, and of the other writes the first few, in their order; of the last that
// survives, if it appends, possibly the first half. A node that stores may crash, or
// go down, after any send, write, sync or fact of a handler that does another of
// them, or a reset, later.

// disk is what a node has stored, and what it has written since, in order.
type disk struct {
	Key     string // "": it is not there
	File    []string
	Pending []write
}

// write is one of the two.
type write struct {
	File bool
	Data string
}

const theKey, theFile = "at", "log"

// stuff is what is written, of X+1 letters.
func stuff(x int) string { return "ab"[:x+1] }

func (w write) String() string {
	if w.File {
		return fmt.Sprintf("append %q to %s", w.Data, theFile)
	}
	return fmt.Sprintf("put %s = %q", theKey, w.Data)
}

func (d *disk) none() bool { return d.Key == "" && len(d.File)+len(d.Pending) == 0 }

func (d disk) clone() disk {
	return disk{d.Key, slices.Clone(d.File), slices.Clone(d.Pending)}
}

func (d *disk) carry(w write) {
	if w.File {
		d.File = append(d.File, w.Data)
	} else {
		d.Key = w.Data
	}
}

func (d *disk) sync(file bool) {
	var rest []write
	for _, w := range d.Pending {
		if w.File == file {
			d.carry(w)
		} else {
			rest = append(rest, w)
		}
	}
	d.Pending = rest
}

// letters is how many the node reads.
func (d *disk) letters() int {
	all := d.clone()
	for _, w := range d.Pending {
		all.carry(w)
	}
	return len(all.Key) + len(strings.Join(all.File, ""))
}

// outcome is what a crash may leave, in words.
type outcome struct {
	told string
	disk disk
}

func (d *disk) outcomes() (all []outcome) {
	n := len(d.Pending)
	for kept := n; kept >= 0; kept-- {
		left := disk{Key: d.Key, File: slices.Clone(d.File)}
		for _, w := range d.Pending[:kept] {
			left.carry(w)
		}
		told := fmt.Sprintf("%d of %d writes that were not synced", kept, n)
		switch kept {
		case n:
			told = "all that was not synced"
		case 0:
			told = "nothing that was not synced"
		}
		all = append(all, outcome{told, left})
		if kept == 0 || !d.Pending[kept-1].File || len(d.Pending[kept-1].Data) < 2 {
			continue
		}
		torn := left.clone()
		half := len(d.Pending[kept-1].Data) / 2
		torn.File[len(torn.File)-1] = d.Pending[kept-1].Data[:half]
		all = append(all, outcome{fmt.Sprintf("write %d of %d torn after %d byte (%s)", kept, n, half, d.Pending[kept-1]), torn})
	}
	return all
}

// survive asks what a crash leaves on the disk of a node.
func (r *run) survive(i int) {
	d := &r.s.Nodes[i].Disk
	all := d.outcomes()
	k := r.ask(len(all), func(k int) string { return fmt.Sprintf("what survives on the disk of n%d: %s", i, all[k].told) })
	if len(all) > 1 {
		r.seen("disk: " + all[k].told[:3])
	}
	*d = all[k].disk
}

// effect is one thing that a handler did, so that it can be done again where a
// crash cuts off what came later.
type effect struct {
	text  string
	do    func()
	cut   bool // a crash may come after it
	after bool // or before it
	disk  bool
}

// does notes an effect, and does it.
func (r *run) does(e effect) {
	r.effects = append(r.effects, e)
	e.do()
}

// handled asks whether the node crashes within the step that its handler has just
// done, of which before is the state where it began.
func (r *run) handled(i int, before *state) {
	if r.broken || r.s.Nodes[i].Disk.none() && !slices.ContainsFunc(r.effects, func(e effect) bool { return e.disk }) {
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
	if r.s.Left.Crash != 0 && r.spec.allows("crash", [2]int{i, i}) {
		fates = append(fates, fate{crashed, &before.Left.Crash, ""})
	}
	if r.s.Left.Down != 0 && r.spec.allows("down", [2]int{i, i}) {
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
	memory, rare := r.s.Nodes[i], r.s.Left.Rare
	memory.Disk = before.Nodes[i].Disk
	before.Nodes[i] = memory
	before.Left.Rare = rare
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
