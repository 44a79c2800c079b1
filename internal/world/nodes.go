package world

import (
	"fmt"
	"slices"

	"macemc/internal/canon"
	"macemc/internal/contract"
	"macemc/internal/disk"
	"macemc/internal/handler"
	"macemc/internal/judge"
	"macemc/internal/net"
	"macemc/internal/sight"
	"macemc/internal/state"
	"macemc/macetime"
	"macemc/netsim"
	"macemc/sim"
)

// nodes has the nodes of a system, and the counts that concern all of them.
type nodes struct {
	*setting
	sums   *state.Sums
	timers *timers
	run    *Run
	links  *net.Links
	judge  *judge.Judge

	at       []nodeState
	envs     []handler.Envs // the Envs of their handlers
	sees     sight.State    // the state that the views of properties show
	script   netsim.Bits    // the nodes with a request left in their script
	actions  int            // the number of actions that they offer: see Events.refresh
	quorums  int            // the number of sets of messages that they may take at once: see Events.assemble
	tasks    int            // the number of different tasks
	dataless []dataless     // the types of tasks without data
	instants *instants      // finds the times that they hold; nil if no time was read in this world
}

// nodeState is a node, with its timers, tasks, script and disk.
type nodeState struct {
	node   sim.Node
	seen   sight.Node // the node and its timers, as properties see them
	index  int
	shared bool // a bank holds the node, too: copy it before a handler runs
	mold   *mold
	formed bool // the node is the one in mold
	rigid  bool // no molds can be made of the nodes of this place
	life   life
	lives  int          // how often it was restarted
	first  []sim.Signal // the script of its first life
	script []sim.Signal
	next   int // the index of the next request
	tasks  []posted
	disk   *disk.Disk      // its stored data; nil if there is none
	summed *disk.Disk      // the disk whose identity was computed last
	onDisk canon.Hash      // that identity
	clock  *macetime.Clock // the knowledge about its times; nil if it holds none
	lent   bool            // a nodePart has the clock, too: copy it before it changes
	ripe   []int32         // the slots of timers that may fire, if timers follow the clock

	guards   handler.Guards
	offers   []sim.Signal
	offered  offered
	offering func(sim.Signal) // the method offer, as a function
	accepted []int32          // indices of the members of the node's set that it accepts
	assembly assembly
}

// offered remembers which actions a node offered when it was part id of a bank. Actions that depend on messages in
// its set are left out.
type offered struct {
	bank    any
	id      uint32
	signals []sim.Signal
}

// posted is a task that may run, with the number of equal tasks and the step that posted the first. A node's
// tasks are ordered by identity.
type posted struct {
	signal sim.Signal
	sum    canon.Hash
	count  int
	step   int32
}

// start prepares the nodes for another run.
func (all *nodes) start() {
	all.script.Clear()
	all.actions, all.quorums, all.tasks = 0, 0, 0
	all.timers.clear()
	all.sees.Regrouped()
}

// all returns the nodes.
func (all *nodes) all() (nodes []sim.Node) {
	for i := range all.at {
		nodes = append(nodes, all.at[i].node)
	}
	return nodes
}

// renew makes node i anew, as it is at the beginning of a run.
func (all *nodes) renew(i int) {
	ns := &all.at[i]
	ns.begin()
	all.script.Put(i, len(ns.script) > 0)
	all.install(i, all.sys.New(all.params, state.AddrOf(i)))
}

// begin resets everything but the node itself, such as its life, timers, tasks, script, disk
// and clock, to the beginning of a run.
func (ns *nodeState) begin() {
	ns.shared = false
	ns.live(lifeUp)
	ns.lives, ns.script, ns.next = 0, ns.first, 0
	ns.seen.Clear()
	ns.tasks = ns.tasks[:0]
	ns.disk, ns.clock, ns.ripe = nil, nil, ns.ripe[:0]
	ns.offers, ns.accepted = ns.offers[:0], ns.accepted[:0]
	ns.assembly.clear()
}

// assembled adds n to the number of sets of messages that the nodes may take at once.
func (all *nodes) assembled(n int) { all.quorums += n }

// joins reports whether the first request of the node's script is to join. The node does not
// exist before it has joined.
func (ns *nodeState) joins() bool {
	return len(ns.script) > 0 && (sim.Event{Kind: sim.KindScript, Value: ns.script[0]}).Joins()
}

// install puts a node into its place.
func (all *nodes) install(i int, n sim.Node) {
	if n == nil {
		panic(fmt.Sprintf("macemc: system %s: New made a nil node at %s", all.sys.Name, state.AddrOf(i)))
	}
	ns := &all.at[i]
	all.put(i, n)
	ns.guard()
	all.links.Guard(ns.guards.Any())
	all.soil(i)
}

// reinstall puts a copy of a node into the node's place. The copy has the same types of layers as the node
// had. So only a node that had guards (methods such as Offers and Accepts) is searched for guards.
func (all *nodes) reinstall(i int, n sim.Node) {
	all.put(i, n)
	if ns := &all.at[i]; ns.guards.Any() {
		ns.guard()
		all.links.Guard(ns.guards.Any())
	}
	all.soil(i)
}

// put replaces a node.
func (all *nodes) put(i int, n sim.Node) {
	all.at[i].put(n)
	all.sees.Replaced()
	all.judge.Changes(i)
}

func (ns *nodeState) put(n sim.Node) {
	ns.node, ns.formed = n, false
	ns.seen.Replace(n)
}

// guard finds the guards of the node: the methods, such as Offers, Accepts and Opens, by which its
// layers offer actions and decline messages or requests.
func (ns *nodeState) guard() { ns.guards = handler.GuardsOf(ns.node) }

// opens reports whether a request is left in the script, and the node accepts it now.
func (ns *nodeState) opens() bool {
	return ns.next < len(ns.script) && ns.guards.Opens(ns.script[ns.next])
}

// advance removes the next request from the script, and reports whether another one is left.
func (ns *nodeState) advance() bool {
	ns.next++
	return ns.next < len(ns.script)
}

// store sets the stored data of the node.
func (ns *nodeState) store(d *disk.Disk) { ns.disk = d }

// diskSum returns the identity of the disk. A Disk never changes, so the identity of the last disk is cached.
func (ns *nodeState) diskSum(sum func(any) canon.Hash) canon.Hash {
	if ns.summed != ns.disk {
		ns.summed, ns.onDisk = ns.disk, sum(ns.disk.Append(nil))
	}
	return ns.onDisk
}

// live sets the condition of the node.
func (ns *nodeState) live(l life) { ns.life, ns.seen.Up = l, l == lifeUp }

// soil marks the actions that node i offers, the messages that it accepts, and its identity
// as out of date.
func (all *nodes) soil(i int) {
	all.links.Soil(i)
	all.judge.Changes(i)
	all.sums.TouchNode(i)
}

// own makes sure that only the world holds a node, before a handler changes it. It copies a node that a bank
// holds, too.
func (all *nodes) own(i int) {
	ns := &all.at[i]
	ns.unshare()
	if all.sys.Clone != nil {
		all.reinstall(i, all.clone(i))
	} else {
		all.reinstall(i, all.copied(ns.node).(sim.Node))
	}
}

// share records that a bank holds the node, too, so that it is copied before a handler
// runs. Calling unshare records that the node is the world's own again.
func (ns *nodeState) share()   { ns.shared = true; ns.sheds() }
func (ns *nodeState) unshare() { ns.shared = false }

// adopt makes a loaded node, which another world may have saved, use the sight.Timer values of this
// world.
func (all *nodes) adopt(ns *nodeState) {
	all.links.Guard(ns.guards.Any())
	for k := range ns.seen.Timers {
		t := &ns.seen.Timers[k]
		t.Timer = all.timers.timer(t.Signal)
	}
}

// crash ends a node's life: its connections are reset, and its timers and tasks are lost. Datagrams under way
// stay under way.
func (all *nodes) crash(i int, l life) {
	ns := &all.at[i]
	all.timers.add(-len(ns.seen.Timers))
	all.tasks -= len(ns.tasks)
	ns.end(l)
	all.script.Put(i, false)
	all.links.Crash(i)
	next := all.sys.New(all.params, state.AddrOf(i))
	if all.sys.Crash != nil {
		ns.sheds() // the node of the next life may point into this one
		next = all.sys.Crash(all.params, state.AddrOf(i), ns.node)
	}
	all.replace(i, next)
}

// replace puts another node into the place of a failed one.
func (all *nodes) replace(i int, next sim.Node) {
	all.install(i, next)
	all.at[i].unshare()
	all.settleTimes(i)
	all.sees.Regrouped()
}

// wipe removes everything that a failed node has left: its disk, and the node that System.Crash made.
func (all *nodes) wipe(i int) {
	all.at[i].store(nil)
	all.replace(i, all.sys.New(all.params, state.AddrOf(i)))
}

// end clears the state that is lost when a life ends.
func (ns *nodeState) end(l life) {
	ns.seen.Clear()
	ns.tasks = ns.tasks[:0]
	ns.script, ns.next = nil, 0
	ns.live(l)
}

// restart gives a node the script of its next life.
func (all *nodes) restart(i int) {
	ns := &all.at[i]
	if all.sys.Script != nil { // without a Script, the state does not depend on the number of the life
		ns.again(func(life int) []sim.Signal { return all.sys.Script(all.params, state.AddrOf(i), life) })
		if err := contract.CheckScript(state.AddrOf(i), ns.script, ns.lives); err != nil {
			panic("macemc: " + err.Error())
		}
		if all.cover != nil {
			all.cover.Script(ns.script)
		}
	}
	all.script.Put(i, len(ns.script) > 0)
	all.appeared(i)
}

// again begins the next life of the node. script returns the requests of each life.
func (ns *nodeState) again(script func(life int) []sim.Signal) {
	ns.lives++
	ns.script = script(ns.lives)
}

// appeared records that an absent node is up now.
func (all *nodes) appeared(i int) {
	all.sees.Regrouped()
	all.soil(i)
}

func (all *nodes) post(i int, task sim.Signal) {
	if all.cover != nil {
		all.cover.Offered(sim.KindTask, task)
	}
	if all.at[i].post(posted{task, all.taskSum(task), 1, int32(all.run.step)}) {
		all.tasks++
	}
}

// post adds a task, and reports whether there was no equal one.
func (ns *nodeState) post(p posted) (added bool) {
	at := 0
	for at < len(ns.tasks) && ns.tasks[at].sum.Compare(p.sum) < 0 {
		at++
	}
	if at < len(ns.tasks) && ns.tasks[at].sum == p.sum {
		ns.tasks[at].again()
		return false
	}
	ns.tasks = slices.Insert(ns.tasks, at, p)
	return true
}

func (p *posted) again() { p.count++ }

// once removes one of several equal tasks, and reports false if there is only one.
func (p *posted) once() bool {
	if p.count == 1 {
		return false
	}
	p.count--
	return true
}

// do removes the task in a slot of node i, which is going to be handled.
func (all *nodes) do(i, slot int) {
	ns := &all.at[i]
	if !ns.tasks[slot].once() {
		ns.undo(slot)
		all.tasks--
	}
}

func (ns *nodeState) undo(slot int) { ns.tasks = append(ns.tasks[:slot], ns.tasks[slot+1:]...) }

// part returns a node in the form in which a bank keeps it.
func (all *nodes) part(i int) *nodePart {
	ns := &all.at[i]
	ns.share()
	ns.lend()
	k := new(nodePart)
	k.describe(all, i)
	return k
}

// describe sets k to the part that node i is now, with frozen copies of the node's lists. It does not change
// the field of k that has its twin.
func (k *nodePart) describe(all *nodes, i int) {
	ns := &all.at[i]
	k.of = all
	k.holds(ns.node, ns.guards)
	k.life, k.lives, k.script, k.next = ns.life, ns.lives, ns.script, ns.next
	k.timers, k.firing, k.tasks, k.disk, k.clock = freeze(ns.seen.Timers), all.firing(i), freeze(ns.tasks), ns.disk, ns.clock
	k.flushing = all.links.TCP().Flushing(i)
}

// place sets a node to a part that a bank has kept.
func (all *nodes) place(i int, k *nodePart) {
	ns := &all.at[i]
	all.timers.add(k.timers.len() - len(ns.seen.Timers))
	all.tasks += k.tasks.len() - len(ns.tasks)
	if k.life != ns.life {
		all.sees.Regrouped()
	}
	all.put(i, k.node)
	ns.place(k)
	if k.of != all {
		all.adopt(ns)
	}
	if all.pace != nil {
		ns.ripen()
	}
	all.script.Put(i, k.next < len(k.script))
	if k.flushing != all.links.TCP().Flushing(i) {
		all.links.SetFlushing(i, k.flushing)
	}
	all.links.Soil(i)
}

func (ns *nodeState) place(k *nodePart) {
	ns.shared, ns.formed, ns.guards = !k.molded, k.molded, k.guards
	ns.live(k.life)
	ns.lives, ns.script, ns.next = k.lives, k.script, k.next
	ns.seen.Stand(k.timers.items)
	ns.tasks, ns.disk, ns.clock = k.tasks.thaw(ns.tasks), k.disk, k.clock
	ns.lend()
}

// firing returns the number of timers of node i that may fire now according to their
// deadlines.
func (all *nodes) firing(i int) int {
	if all.pace != nil {
		return len(all.at[i].ripe)
	}
	return len(all.at[i].seen.Timers)
}

// countOffers returns the number of guarded actions that a node has.
func (k *nodePart) countOffers() (n int) {
	if k.life == lifeUp {
		k.guards.Offer(func(sim.Signal) { n++ })
	}
	return n
}
