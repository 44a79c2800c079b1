package world

import (
	"fmt"
	"macemc/internal/canon"
	"macemc/internal/disk"
	"macemc/internal/handler"
	"macemc/internal/sight"
	"macemc/macetime"
	"macemc/netsim"
	"macemc/sim"
	"slices"
)

// nodes are the nodes of a system, and what the world keeps of all of them.
type nodes struct {
	*setting
	sums   *sums
	timers *timers
	run    *Run
	links  *Links

	at       []nodeState
	envs     []handler.Envs // of their handlers
	sees     sight.State    // what the views of properties go by
	changed  uint64         // those that changed since Judge.Check held
	script   netsim.Bits    // those whose script has an opening left
	actions  int            // that they offer: see Events.refresh
	tasks    int            // different ones
	instants *instants      // where they hold times; nil: none was read in this world
}

// nodeState is a node and what the World keeps for it.
type nodeState struct {
	node   sim.Node
	seen   sight.Node // as properties see it: the same node, its timers
	index  int
	shared bool // the node is a bank's: copy it before a handler runs
	life   life
	lives  int          // how often it was restarted
	first  []sim.Signal // the script of its first life
	script []sim.Signal
	next   int // the opening that comes next
	tasks  []posted
	disk   *disk.Disk      // what it has stored; nil: nothing
	clock  *macetime.Clock // what is known of its times; nil: it holds none
	ripe   []int32         // which of its timers may fire, where they keep to the clock

	guards   handler.Guards
	offers   []sim.Signal
	accepted []int32 // indices of the members of the node's set that it accepts
}

// posted is a task that may run, how many equal ones there are, and the step
// that posted the first. A node's are ordered by identity.
type posted struct {
	signal sim.Signal
	sum    canon.Hash
	count  int
	step   int32
}

// start makes room for the nodes of another run.
func (all *nodes) start() {
	all.script.Clear()
	all.actions, all.tasks, all.timers.count = 0, 0, 0
	all.sees.Membership++
}

// renew makes a node as a run begins with it.
func (all *nodes) renew(i int) {
	ns := &all.at[i]
	ns.shared = false
	ns.live(lifeUp)
	ns.lives, ns.script = 0, ns.first
	ns.next, ns.seen.Timers, ns.tasks = 0, ns.seen.Timers[:0], ns.tasks[:0]
	ns.disk, ns.clock, ns.ripe = nil, nil, ns.ripe[:0]
	ns.offers, ns.accepted = ns.offers[:0], ns.accepted[:0]
	all.script.Put(i, len(ns.script) > 0)
	all.install(i, all.sys.New(all.params, addrOf(i)))
}

// joins reports whether a node's script begins with that it joins: until then it
// is not there.
func (all *nodes) joins(i int) bool {
	first := all.at[i].script
	return len(first) > 0 && (sim.Event{Kind: sim.KindScript, Value: first[0]}).Joins()
}

// install puts a node into its place.
func (all *nodes) install(i int, n sim.Node) {
	if n == nil {
		panic(fmt.Sprintf("macemc: system %s: New made a nil node at %s", all.sys.Name, addrOf(i)))
	}
	ns := &all.at[i]
	all.put(i, n)
	ns.guards = handler.GuardsOf(n)
	all.links.guarded = all.links.guarded || ns.guards.Any()
	all.soil(i)
}

// put replaces a node.
func (all *nodes) put(i int, n sim.Node) {
	ns := &all.at[i]
	ns.node, ns.seen.Node = n, sight.Subject(n)
	ns.seen.Version++
	all.sees.Epoch++
	all.changed |= 1 << i
}

// opens reports whether the script has an opening left that the node lets happen now.
func (ns *nodeState) opens() bool {
	return ns.next < len(ns.script) && ns.guards.Opens(ns.script[ns.next])
}

// store makes the node have stored this.
func (ns *nodeState) store(d *disk.Disk) { ns.disk = d }

// live begins or ends a node's life.
func (ns *nodeState) live(l life) { ns.life, ns.seen.Up = l, l == lifeUp }

// soil notes that a node's offers, acceptance and sum are out of date.
func (all *nodes) soil(i int) {
	all.links.dirty |= 1 << i
	all.changed |= 1 << i
	all.sums.node(i)
}

// own makes a node the world's own, before a handler changes it.
func (all *nodes) own(i int) {
	ns := &all.at[i]
	ns.shared = false
	if all.sys.Clone != nil {
		all.install(i, all.clone(i))
	} else {
		all.install(i, all.copied(ns.node).(sim.Node))
	}
}

// adopt makes the world's own what a node part of another world refers to.
func (all *nodes) adopt(ns *nodeState) {
	all.links.guarded = all.links.guarded || ns.guards.Any()
	for k := range ns.seen.Timers {
		ns.seen.Timers[k].Timer = all.timers.timer(ns.seen.Timers[k].Signal)
	}
}

// crash ends a node's life: its connections reset, its timers and tasks are
// gone, datagrams under way stay under way.
func (all *nodes) crash(i int, l life) {
	ns := &all.at[i]
	all.timers.count -= len(ns.seen.Timers)
	all.tasks -= len(ns.tasks)
	ns.seen.Timers, ns.tasks = ns.seen.Timers[:0], ns.tasks[:0]
	ns.script, ns.next = nil, 0
	all.script.Put(i, false)
	all.links.crash(i)
	ns.live(l)
	next := all.sys.New(all.params, addrOf(i))
	if all.sys.Crash != nil {
		next = all.sys.Crash(all.params, addrOf(i), ns.node)
	}
	all.install(i, next)
	ns.shared = false
	all.settleTimes(i)
	all.sees.Membership++
}

// restart gives a node the script of its next life.
func (all *nodes) restart(i int) {
	ns := &all.at[i]
	if all.sys.Script != nil { // else nothing depends on which life it is
		ns.lives++
		ns.script = all.sys.Script(all.params, addrOf(i), ns.lives)
		if err := sim.CheckScript(addrOf(i), ns.script, ns.lives); err != nil {
			panic("macemc: " + err.Error())
		}
		if all.cover != nil {
			all.cover.openings(ns.script)
		}
	}
	all.script.Put(i, len(ns.script) > 0)
	all.appeared(i)
}

// appeared notes that a node is there that was not.
func (all *nodes) appeared(i int) {
	all.sees.Epoch++
	all.sees.Membership++
	all.soil(i)
}

func (all *nodes) post(i int, task sim.Signal) {
	ns := &all.at[i]
	if all.cover != nil {
		all.cover.of(task).of[sim.KindTask].possible++
	}
	sum, at := all.sum(task), 0
	for at < len(ns.tasks) && netsim.CompareSums(ns.tasks[at].sum, sum) < 0 {
		at++
	}
	if at < len(ns.tasks) && ns.tasks[at].sum == sum {
		ns.tasks[at].count++
		return
	}
	ns.tasks = slices.Insert(ns.tasks, at, posted{task, sum, 1, int32(all.run.step)})
	all.tasks++
}

// firing is the number of a node's timers that may fire, as far as the clock says.
func (all *nodes) firing(i int) int {
	if all.pace != nil {
		return len(all.at[i].ripe)
	}
	return len(all.at[i].seen.Timers)
}

// countOffers is the number of guarded actions that a node has now.
func (ns *nodeState) countOffers() (n int) {
	if ns.life == lifeUp {
		ns.guards.Offer(func(sim.Signal) { n++ })
	}
	return n
}
