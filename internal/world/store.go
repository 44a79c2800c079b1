package world

import (
	"fmt"
	"strings"

	"macemc/choose"
	"macemc/internal/disk"
	"macemc/sim"
)

// A node's stable storage (disk.Disk) is part of its state, and survives its
// crashes. What a crash leaves of what was not synced is a coin of the step. A
// handler of a node that stores may crash within, or go down: that is a coin with
// rare sides, after its last effect, and costs the budget of that. So are a sync
// that fails, an append that does, and what a crash damages: they cost that of
// disks.

// store is the Store of one node, and file one file in it.
type store struct{ e *env }

type file struct {
	e    *env
	name string
}

// RuntimePort says that a store is no part of a node's state: see sight.Port.
func (s *store) RuntimePort() {}

// RuntimePort says that a file is no part of a node's state: see sight.Port.
func (f *file) RuntimePort() {}

// stored is the disk of the node that runs, after an effect of its step.
type stored struct {
	effect int
	disk   *disk.Disk
}

func (e *env) Store() sim.Store {
	e.use("Store")
	return &e.store
}

// disk is what the node has stored, for who asks.
func (e *env) disk(what string) *disk.Disk {
	return e.use("Store." + what).nodes.at[e.self.Index()].disk
}

// wrote notes an effect by which the disk is another.
func (e *env) wrote(kind sim.EffectKind, text string, to *disk.Disk) {
	w := e.w
	w.Run.effects = append(w.Run.effects, sim.Effect{Kind: kind, Value: text})
	w.Run.stored = append(w.Run.stored, stored{len(w.Run.effects) - 1, to})
	w.nodes.at[e.self.Index()].disk, w.Environ.stored = to, true
}

// sync syncs a file, or the keys, or fails to.
func (e *env) sync(what string, synced, failed *disk.Disk) error {
	if e.w.disks.breaks(e.self.Index(), 1, "does the sync of "+what+" fail", func(int) string { return "yes" }) > 0 {
		e.wrote(sim.EffectSync, what+": it fails", failed)
		return sim.ErrDisk
	}
	e.wrote(sim.EffectSync, what, synced)
	return nil
}

func (e *env) write(what string, one disk.Write) {
	e.wrote(sim.EffectWrite, one.String(), e.disk(what).Write(one))
}

func (s *store) Get(key string) (string, bool) { return s.e.disk("Get").Get(key) }
func (s *store) Keys() []string                { return s.e.disk("Keys").Keys() }
func (s *store) Files() []string               { return s.e.disk("Files").Files() }

func (s *store) Put(key, value string) {
	s.e.write("Put", disk.Write{Kind: disk.Put, Name: key, Data: value})
}

func (s *store) Delete(key string) {
	s.e.write("Delete", disk.Write{Kind: disk.Delete, Name: key})
}

func (s *store) Sync() error {
	d := s.e.disk("Sync")
	return s.e.sync("the keys", d.SyncKeys(), d.FailKeys())
}

func (s *store) File(name string) sim.File {
	s.e.use("Store.File")
	if name == "" || strings.ContainsAny(name, "/\\") {
		panic(fmt.Sprintf("macemc: env.Store().File(%q): a file has a name without a slash; there are no folders", name))
	}
	return &file{s.e, name}
}

func (f *file) Append(data []byte) error {
	return f.write(disk.Write{Kind: disk.Append, Name: f.name, Data: string(data)})
}

func (f *file) WriteAt(data []byte, offset int) error {
	if offset < 0 {
		panic(fmt.Sprintf("macemc: File.WriteAt(%d) of %s: an offset is 0 or more", offset, f.name))
	}
	return f.write(disk.Write{Kind: disk.Overwrite, Name: f.name, Data: string(data), Size: offset})
}

// write appends or overwrites, or fails to.
func (f *file) write(one disk.Write) error {
	d := f.e.disk(writeNames[one.Kind])
	if one.Data == "" {
		return nil
	}
	ways := []int{0, disk.Torn(one.Data)}[:1+min(1, disk.Torn(one.Data))]
	told := func(k int) string {
		return "yes, after " + disk.Bytes(ways[k])
	}
	if k := f.e.w.disks.breaks(f.e.self.Index(), len(ways), "does it fail to "+one.String(), told); k > 0 {
		text := fmt.Sprintf("%s: it fails after %s", one, disk.Bytes(ways[k-1]))
		if one.Data = one.Data[:ways[k-1]]; one.Data != "" {
			d = d.Write(one)
		}
		f.e.wrote(sim.EffectWrite, text, d)
		return sim.ErrDisk
	}
	f.e.wrote(sim.EffectWrite, one.String(), d.Write(one))
	return nil
}

var writeNames = [...]string{disk.Append: "Append", disk.Overwrite: "WriteAt"}

func (f *file) Sync() error {
	d := f.e.disk("Sync")
	return f.e.sync("the file "+f.name, d.Sync(f.name), d.Fail(f.name))
}

func (f *file) ReadAll() []byte { return []byte(f.e.disk("ReadAll").Read(f.name)) }

func (f *file) Truncate(size int) {
	d := f.e.disk("Truncate")
	if n := len(d.Read(f.name)); size < 0 || size > n {
		panic(fmt.Sprintf("macemc: File.Truncate(%d) of %s: it has %d bytes; a file is only ever cut", size, f.name, n))
	}
	one := disk.Write{Kind: disk.Truncate, Name: f.name, Size: size}
	f.e.wrote(sim.EffectWrite, one.String(), d.Write(one))
}

// disks are what the nodes have stored, and what becomes of it when they fail.
type disks struct {
	*setting
	sums    *sums
	run     *Run
	links   *Links
	nodes   *nodes
	environ *Environment
}

// mayCrash asks whether the node crashes within the step that its handler has just
// done, and cuts the effects where it does. It is only asked of nodes that store:
// of others, what they send in a step is sent as one.
func (d *disks) mayCrash(i int) {
	ns := &d.nodes.at[i]
	if d.run.current.Kind == 0 || ns.life != lifeUp {
		return
	}
	cuts := d.run.cuts()
	if len(cuts) == 0 {
		return
	}
	d.run.tossed = true // what is asked depends on the budget
	e := d.environ
	var fates []life // which failures the budgets allow
	if e.left.Crash != 0 && (e.where == nil || e.where(at(sim.KindCrash, i).Event)) {
		fates = append(fates, lifeAway)
	}
	if e.left.Down != 0 && (e.where == nil || e.where(at(sim.KindDown, i).Event)) {
		fates = append(fates, lifeGone)
	}
	if len(fates) == 0 {
		return
	}
	d.run.asked.why, d.run.asked.weights, d.run.asked.sides = "does "+addrOf(i).String()+" crash within the step", nil, nil
	d.run.asked.words = func(k int) string {
		if k == 0 {
			return "no"
		}
		cut, text := cuts[(k-1)%len(cuts)], ""
		if fates[(k-1)/len(cuts)] == lifeGone {
			text = "for good, "
		}
		return fmt.Sprintf("%safter effect %d, %s", text, d.run.numbered(cut), d.run.effects[cut].Text(d.walker))
	}
	n := len(cuts) * len(fates)
	k := d.run.coin(n+1, []choose.Run{{N: 1, Weight: 1}, {N: n, Weight: 0}})
	if k == 0 {
		return
	}
	d.run.effects = d.run.effects[:cuts[(k-1)%len(cuts)]+1]
	d.run.handed = d.run.handed[:min(len(d.run.handed), len(d.run.effects))]
	ns.disk = d.run.unstored
	for _, s := range d.run.stored {
		if s.effect < len(d.run.effects) {
			ns.disk = s.disk
		}
	}
	if fates[(k-1)/len(cuts)] == lifeGone {
		ns.disk = nil
		d.run.effects = append(d.run.effects, sim.Effect{Kind: sim.EffectDown})
		return
	}
	d.run.effects = append(d.run.effects, sim.Effect{Kind: sim.EffectCrash, Value: d.survive(i)})
}

// numbered is the number of an effect, by which a crash within a step is told. Log lines
// do not count: they are there only while a trace is written.
func (r *Run) numbered(effect int) (n int) {
	for _, e := range r.effects[:effect+1] {
		if e.Kind != sim.EffectLog {
			n++
		}
	}
	return n
}

// cuts are the effects of the step after which a crash is neither one before all of
// them nor one after: sends, writes, syncs and facts with another after them.
func (r *Run) cuts() (cuts []int) {
	last := -1
	for k, e := range r.effects {
		switch e.Kind {
		case sim.EffectSend, sim.EffectWrite, sim.EffectSync, sim.EffectEmit, sim.EffectReset:
			last = k
		}
	}
	for k, e := range r.effects[:max(last, 0)] {
		switch e.Kind {
		case sim.EffectSend, sim.EffectWrite, sim.EffectSync, sim.EffectEmit:
			cuts = append(cuts, k)
		}
	}
	return cuts
}

// survive asks what a crash leaves on the disk of a node, and tells.
func (d *disks) survive(i int) (told string) {
	ns := &d.nodes.at[i]
	if ns.disk == nil && d.environ.budgets.Disk == 0 { // nothing was written, and nothing is asked
		return ""
	}
	if ns.disk.Loses() {
		if n := ns.disk.TooMany(d.shuffled); n > 0 {
			panic(unsupported(fmt.Sprintf("%s has %d writes of which a crash may leave any, and those are too many ways to take all of; let it sync more often, or leave --disk reorder out", addrOf(i), n)))
		}
		of := ns.disk
		outcomes := of.Outcomes(d.shuffled)
		d.run.asked.why, d.run.asked.weights, d.run.asked.sides = "what survives on the disk of "+addrOf(i).String(), nil, nil
		d.run.asked.words = func(k int) string { return of.Told(outcomes[k]) }
		k := d.run.coin(len(outcomes), nil)
		ns.disk = of.Survive(outcomes[k])
		told = of.Told(outcomes[k])
	}
	records := ns.disk.Records()
	k := d.breaks(i, len(records), "is something damaged on the disk of "+addrOf(i).String(), func(k int) string { return records[k].String() })
	if k == 0 {
		return told
	}
	ns.disk = ns.disk.Damage(records[k-1])
	return strings.TrimPrefix(fmt.Sprintf("%s, and %s is damaged", told, records[k-1]), ", and ")
}

// breaks asks which of n ways a disk fails in, if the budget allows any; 0: none.
func (d *disks) breaks(i, n int, why string, words func(int) string) int {
	e := d.environ
	if e.budgets.Disk == 0 && e.left.Disk == 0 {
		return 0
	}
	d.run.tossed = true
	if n == 0 || e.left.Disk == 0 || e.disks != nil && !e.disks(i) {
		return 0
	}
	d.run.asked.why, d.run.asked.weights, d.run.asked.sides = why, nil, nil
	d.run.asked.words = func(k int) string {
		if k == 0 {
			return "no"
		}
		return words(k - 1)
	}
	k := d.run.coin(n+1, []choose.Run{{N: 1, Weight: 1}, {N: n, Weight: 0}})
	if k > 0 {
		spend(&e.left.Disk)
		if d.cover != nil {
			d.cover.disk++
		}
		d.sums.rest()
		e.weather()
	}
	return k
}

// loseDisk is what becomes of the disk of a node that has just failed.
func (d *disks) loseDisk(i int) {
	switch ns := &d.nodes.at[i]; ns.life {
	case lifeGone: // nobody reads it any more
		ns.disk = nil
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
	spend(d.environ.left.Of(kind))
	if d.cover != nil {
		d.cover.kinds[kind].happened++
	}
	d.environ.crash(i, l)
	d.links.dirty = d.links.all()
	d.sums.rest()
	d.environ.weather()
}
