package world

import (
	"fmt"
	"strings"

	"macemc/internal/disk"
	"macemc/internal/state"
	"macemc/sim"
	"macemc/trace"
)

// A node's stable storage (disk.Disk) is part of its state and survives its crashes. A coin
// of the step decides what a crash leaves of unsynced writes. A handler of a node that
// stores may crash, or go down, in its middle: that is a coin with rare sides after its
// last effect, and spends the same budget. A sync or an append that fails, and damage by a
// crash, are coins that spend the budget of disks.

// stored is the disk of the running node after one of the effects of its step.
type stored struct {
	effect int
	disk   *disk.Disk
}

// disks manages the data that nodes have stored, and decides how much of it remains when they fail.
type disks struct {
	*setting
	run     *Run
	nodes   *nodes
	environ *Environment

	stored []stored   // the disk after each effect of the step that changed it
	before *disk.Disk // the disk before the first of these effects
	cuts   []int      // scratch memory
}

// begin clears the list of the changes to disks in the last step.
func (d *disks) begin() { d.stored = d.stored[:0] }

// wrote records that the next effect of the step changes the disk of node i to to.
func (d *disks) wrote(i int, to *disk.Disk) {
	if len(d.stored) == 0 {
		d.before = d.nodes.at[i].disk
	}
	d.stored = append(d.stored, stored{len(d.run.did.Effects()), to})
	d.nodes.at[i].store(to)
	d.environ.writes()
}

// write carries out a write of node i, and returns how much of a file's data was written. A
// write of a file's data may fail after a part of it.
func (d *disks) write(i int, one disk.Write) (int, error) {
	now := d.nodes.at[i].disk
	if one.Kind != disk.Append && one.Kind != disk.Overwrite {
		d.wrote(i, now.Write(one))
		return 0, nil
	}
	ways := []int{0, disk.Torn(one.Data)}[:1+min(1, disk.Torn(one.Data))]
	told := func(k int) string {
		return "yes, after " + disk.Bytes(ways[k])
	}
	k := 0
	if d.breakable() {
		k = d.breaks(i, len(ways), "does it fail to "+one.String(), told)
	}
	if k == 0 {
		d.wrote(i, now.Write(one))
		return 0, nil
	}
	n := ways[k-1]
	if n > 0 {
		part := one
		part.Data = one.Data[:n]
		now = now.Write(part)
	}
	d.wrote(i, now)
	return n, sim.ErrDisk
}

// sync makes the writes to a file of node i durable, or those to its keys if file is "". It
// returns an error if the disk fails.
func (d *disks) sync(i int, file string) error {
	now := d.nodes.at[i].disk
	fails := d.breakable() && d.breaks(i, 1, fmt.Sprintf("does the sync of %s fail", disk.Synced(file)), func(int) string { return "yes" }) > 0
	switch {
	case fails && file == "":
		d.wrote(i, now.FailKeys())
	case fails:
		d.wrote(i, now.Fail(file))
	case file == "":
		d.wrote(i, now.SyncKeys())
	default:
		d.wrote(i, now.Sync(file))
	}
	if fails {
		return sim.ErrDisk
	}
	return nil
}

// mayCrash asks the source whether node i crashes within the step that its handler has just taken.
// If so, it drops the effects after the crash. It is called only for nodes that store data or, with
// Conditions.CrashWithin, for all nodes. Any other node sends all messages of a step at once.
func (d *disks) mayCrash(i int) {
	if d.implicit {
		panic(unsupported("a node stores, and may fail in the middle of a step, so the crash model implicit differs from explicit; use explicit"))
	}
	ns := &d.nodes.at[i]
	if d.run.current.Kind == 0 || ns.life != lifeUp {
		return
	}
	d.cuts = d.run.cuts(d.cuts[:0])
	cuts := d.cuts
	if len(cuts) == 0 {
		return
	}
	d.environ.toss(sim.KindCrash.Budget())
	d.environ.toss(sim.KindDown.Budget())
	e := d.environ
	crash := e.left.Crash != 0 && (e.where == nil || e.where(at(sim.KindCrash, i).Event))
	down := e.left.Down != 0 && (e.where == nil || e.where(at(sim.KindDown, i).Event))
	if !crash && !down {
		return
	}
	var fates []life // which failures the budgets allow
	if crash {
		fates = append(fates, lifeAway)
	}
	if down {
		fates = append(fates, lifeGone)
	}
	effects := d.run.Effects()
	words := func(k int) string {
		if k == 0 {
			return "no"
		}
		cut, text := cuts[(k-1)%len(cuts)], ""
		if fates[(k-1)/len(cuts)] == lifeGone {
			text = "for good, "
		}
		return fmt.Sprintf("%safter effect %d, %s", text, d.run.numbered(cut), effects[cut].Shown(d.walker.Text))
	}
	k := d.run.rarely(asked{why: "does " + state.AddrOf(i).String() + " crash within the step", words: words}, len(cuts)*len(fates)+1)
	if k == 0 {
		return
	}
	n := cuts[(k-1)%len(cuts)] + 1 // the number of effects that happened before the crash
	ns.store(d.after(n, ns.disk))
	if fates[(k-1)/len(cuts)] == lifeGone {
		ns.store(nil)
		d.run.did.CutShort(n, trace.Effect{Kind: trace.EffectDown})
		return
	}
	d.run.did.CutShort(n, trace.Effect{Kind: trace.EffectCrash, Value: d.survive(i)})
}

// after returns the disk after the first n effects of the step. now is the disk after all of them.
func (d *disks) after(n int, now *disk.Disk) *disk.Disk {
	if len(d.stored) == 0 {
		return now
	}
	left := d.before
	for _, s := range d.stored {
		if s.effect < n {
			left = s.disk
		}
	}
	return left
}

// numbered returns the number of an effect in reports of a crash within a step. Log lines
// do not count, since they exist only while a trace is written.
func (r *Run) numbered(effect int) (n int) {
	for _, e := range r.Effects()[:effect+1] {
		if e.Kind != trace.EffectLog {
			n++
		}
	}
	return n
}

// cuts appends to a list the index of each effect after which a node may crash within the step: a send,
// write, sync or fact which another one, or the reset of a connection, follows. A crash after the last
// of these effects is the same as a crash after the step.
func (r *Run) cuts(cuts []int) []int {
	last, effects := -1, r.Effects()
	for k, e := range effects {
		switch e.Kind {
		case trace.EffectSend, trace.EffectWrite, trace.EffectSync, trace.EffectEmit, trace.EffectReset:
			last = k
		}
	}
	for k, e := range effects[:max(last, 0)] {
		switch e.Kind {
		case trace.EffectSend, trace.EffectWrite, trace.EffectSync, trace.EffectEmit:
			cuts = append(cuts, k)
		}
	}
	return cuts
}

// survive asks the source which data a crash leaves on the disk of node i, and whether some of
// it is damaged, drops the rest, and returns a description of the outcome.
func (d *disks) survive(i int) (told string) {
	ns := &d.nodes.at[i]
	if ns.disk == nil && d.environ.budgets.Disk == 0 { // nothing was written, so nothing can be lost or damaged
		return ""
	}
	if ns.disk.Loses() {
		if n := ns.disk.TooMany(d.shuffled); n > 0 {
			panic(unsupported(fmt.Sprintf("%s has %d writes of which a crash may keep any subset, and those are too many outcomes to try all; let it sync more often, or leave Options.DiskReorder out", state.AddrOf(i), n)))
		}
		of := ns.disk
		outcomes := of.Outcomes(d.shuffled)
		words := func(k int) string { return of.Told(outcomes[k]) }
		k := d.run.coin(asked{why: "what survives on the disk of " + state.AddrOf(i).String(), words: words}, len(outcomes), nil)
		ns.store(of.Survive(outcomes[k]))
		told = of.Told(outcomes[k])
	}
	if !d.breakable() {
		return told
	}
	records := ns.disk.Records()
	k := d.breaks(i, len(records), "is something damaged on the disk of "+state.AddrOf(i).String(), func(k int) string { return records[k].String() })
	if k == 0 {
		return told
	}
	ns.store(ns.disk.Damage(records[k-1]))
	return strings.TrimPrefix(fmt.Sprintf("%s, and %s is damaged", told, records[k-1]), ", and ")
}

// breakable reports whether any disk may fail in this run.
func (d *disks) breakable() bool { return d.environ.budgets.Disk != 0 || d.environ.left.Disk != 0 }

// breaks asks in which of n ways the disk of node i fails, and returns its number from 1, or 0 if
// the disk does not fail. It does not fail if n is 0, if the budget of disk failures is spent, or
// if the conditions of the run do not let this disk fail.
func (d *disks) breaks(i, n int, why string, words func(int) string) int {
	e := d.environ
	e.toss(budgetDisk)
	if n == 0 || e.left.Disk == 0 || e.disks != nil && !e.disks(i) {
		return 0
	}
	told := func(k int) string {
		if k == 0 {
			return "no"
		}
		return words(k - 1)
	}
	k := d.run.rarely(asked{why: why, words: told}, n+1)
	if k > 0 {
		e.spend(budgetDisk)
		if d.cover != nil {
			d.cover.DiskFailed()
		}
	}
	return k
}

// loseDisk asks which data remains on the disk of a node that has just failed, and drops the rest.
func (d *disks) loseDisk(i int) {
	switch ns := &d.nodes.at[i]; ns.life {
	case lifeGone: // the node never reads its disk again
		ns.store(nil)
	case lifeAway:
		d.survive(i)
	}
}

// cutShort carries out the crash of a node within its step.
func (d *disks) cutShort(i int, l life) {
	kind := sim.KindCrash
	if l == lifeGone {
		kind = sim.KindDown
	}
	d.environ.spend(kind.Budget())
	if d.cover != nil {
		d.cover.Happened(kind)
	}
	d.environ.crash(i, l)
	d.environ.changes()
}
