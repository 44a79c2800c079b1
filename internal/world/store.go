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
// handler of a node that stores may crash within: that is a coin with rare sides,
// after its last effect, and costs the budget of crashes.

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
	return e.use("Store." + what).nodes[e.self.Index()].disk
}

// wrote notes an effect by which the disk is another.
func (e *env) wrote(kind sim.EffectKind, text string, to *disk.Disk) {
	w := e.w
	w.effects = append(w.effects, sim.Effect{Kind: kind, Value: text})
	w.stored = append(w.stored, stored{len(w.effects) - 1, to})
	w.nodes[e.self.Index()].disk = to
}

func (e *env) write(what string, one disk.Write) {
	e.wrote(sim.EffectWrite, one.String(), e.disk(what).Write(one))
}

func (s *store) Get(key string) (string, bool) { return s.e.disk("Get").Get(key) }
func (s *store) Keys() []string                { return s.e.disk("Keys").Keys() }

func (s *store) Put(key, value string) {
	s.e.write("Put", disk.Write{Kind: disk.Put, Name: key, Data: value})
}

func (s *store) Delete(key string) {
	s.e.write("Delete", disk.Write{Kind: disk.Delete, Name: key})
}

func (s *store) Sync() error {
	s.e.wrote(sim.EffectSync, "the keys", s.e.disk("Sync").SyncKeys())
	return nil
}

func (s *store) File(name string) sim.File {
	s.e.use("Store.File")
	if name == "" || strings.ContainsAny(name, "/\\") {
		panic(fmt.Sprintf("macemc: env.Store().File(%q): a file has a name without a slash; there are no folders", name))
	}
	return &file{s.e, name}
}

func (f *file) Append(data []byte) error {
	if d := f.e.disk("Append"); len(data) > 0 {
		one := disk.Write{Kind: disk.Append, Name: f.name, Data: string(data)}
		f.e.wrote(sim.EffectWrite, one.String(), d.Write(one))
	}
	return nil
}

func (f *file) Sync() error {
	f.e.wrote(sim.EffectSync, "the file "+f.name, f.e.disk("Sync").Sync(f.name))
	return nil
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

// mayCrash asks whether the node crashes within the step that its handler has just
// done, and cuts the effects where it does. It is only asked of nodes that store:
// of others, what they send in a step is sent as one.
func (w *World) mayCrash(i int) {
	ns := &w.nodes[i]
	if w.current.Kind == 0 || ns.life != lifeUp {
		return
	}
	cuts := w.cuts()
	if len(cuts) == 0 {
		return
	}
	w.tossed = true // what is asked depends on the budget
	if !w.environ.mayCrash(i) {
		return
	}
	w.asked.why, w.asked.weights, w.asked.sides = "does "+addrOf(i).String()+" crash within the step", nil, nil
	w.asked.words = func(k int) string {
		if k == 0 {
			return "no"
		}
		return fmt.Sprintf("after effect %d, %s", cuts[k-1]+1, w.effects[cuts[k-1]].Text(w.walker))
	}
	k := w.coin(len(cuts)+1, []choose.Run{{N: 1, Weight: 1}, {N: len(cuts), Weight: 0}})
	if k == 0 {
		return
	}
	w.effects = w.effects[:cuts[k-1]+1]
	w.audit.handed = w.audit.handed[:min(len(w.audit.handed), len(w.effects))]
	ns.disk = w.unstored
	for _, s := range w.stored {
		if s.effect < len(w.effects) {
			ns.disk = s.disk
		}
	}
	w.effects = append(w.effects, sim.Effect{Kind: sim.EffectCrash, Value: w.survive(i)})
}

// mayCrash reports whether the budgets allow a crash of a node.
func (e *environment) mayCrash(i int) bool {
	return e.left.Crash != 0 && (e.where == nil || e.where(at(sim.KindCrash, i).Event))
}

// cuts are the effects of the step after which a crash is neither one before all of
// them nor one after: sends, writes, syncs and facts with another after them.
func (w *World) cuts() (cuts []int) {
	last := -1
	for k, e := range w.effects {
		switch e.Kind {
		case sim.EffectSend, sim.EffectWrite, sim.EffectSync, sim.EffectEmit, sim.EffectReset:
			last = k
		}
	}
	for k, e := range w.effects[:max(last, 0)] {
		switch e.Kind {
		case sim.EffectSend, sim.EffectWrite, sim.EffectSync, sim.EffectEmit:
			cuts = append(cuts, k)
		}
	}
	return cuts
}

// survive asks what a crash leaves on the disk of a node, and tells.
func (w *World) survive(i int) string {
	ns, k := &w.nodes[i], 0
	of := ns.disk
	n := of.Outcomes()
	if n == 1 {
		return ""
	}
	w.asked.why, w.asked.weights, w.asked.sides, w.asked.words = "what survives on the disk of "+addrOf(i).String(), nil, nil, of.Told
	k = w.coin(n, nil)
	ns.disk = of.Survive(k)
	return of.Told(k)
}

// loseDisk is what becomes of the disk of a node that has just failed.
func (w *World) loseDisk(i int) {
	switch ns := &w.nodes[i]; ns.life {
	case lifeGone: // nobody reads it any more
		ns.disk = nil
	case lifeAway:
		w.survive(i)
	}
}

// cutShort carries out the crash of a node within its step.
func (w *World) cutShort(i int) {
	spend(&w.environ.left.Crash)
	if w.cover != nil {
		w.cover.kinds[sim.KindCrash].happened++
	}
	w.crash(i, lifeAway)
	w.links.dirty = w.links.all()
	w.sums.rest()
	w.environ.weather()
}
