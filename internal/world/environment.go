package world

import (
	"fmt"
	"slices"

	"macemc/internal/contract"
	"macemc/internal/net"
	"macemc/internal/state"
	"macemc/sim"
)

// The environment is what may misbehave: budgets of faults, crashed and paused
// nodes, a partition. While there is nothing of it, none of this costs a step anything:
// storm is false.

// Environment has the budgets of faults, the failed and paused nodes, the partition, and the faults that are
// possible now.
type Environment struct {
	*setting
	sums  *state.Sums
	run   *Run
	links *net.Links
	nodes *nodes

	budgets    sim.Faults // the budgets of a run
	faulty     bool       // some budget is not zero
	left       sim.Faults // the unused part of the budgets
	firings    int        // the largest number of early firings in a run: timers that fire while messages are under way to or from their node
	early      int        // the number of early firings that are left; Unlimited means no limit
	cut        *cut
	away, gone int           // away is the number of nodes that may restart, gone that of nodes that are down for good
	paused     state.NodeSet // the paused nodes
	storm      bool          // a node is absent or paused, there is a partition, or a budget is left

	consequences []happening          // the possible events that earlier faults cause
	faults       []happening          // the possible faults
	splits       []any                // all partitions, made once
	where        func(sim.Event) bool // reports whether a fault may happen at a place; nil means at any place
	disks        func(node int) bool  // reports whether the disk of a node may fail; nil means any disk
	stored       bool                 // something was written to a store, in any run
	sided        bool                 // a coin with rare sides was asked, in any run
}

// happening is a possible event, together with where it was found among the parts of the
// state.
type happening struct {
	sim.Event
	spot
}

// life is the condition of a node: up, absent or crashed.
type life uint8

const (
	lifeUp   life = iota
	lifeAway      // crashed, and may restart
	lifeGone      // down for good
	lifeLate      // has yet to join: see sim.Join
)

var lifeNames = [...]string{lifeUp: "up", lifeAway: "crashed", lifeGone: "down for good", lifeLate: "yet to join"}

// absent reports whether the node is not there and will not restart.
func (l life) absent() bool { return l >= lifeGone }

// Allow sets the budgets of the runs that start from now on. early is the largest number of early
// firings, which are timers that fire while a message is under way to or from their node; nil means no limit.
func (e *Environment) Allow(f sim.Faults, early *int) {
	e.allow(f, early)
	if e.cover != nil {
		e.cover.Allow(f)
	}
}

func (e *Environment) allow(f sim.Faults, early *int) {
	e.budgets, e.faulty, e.firings = f, f != (sim.Faults{}), sim.Unlimited
	if early != nil {
		e.firings = *early
	}
	where, err := f.Where(e.n)
	if err != nil {
		panic("macemc bug: world: limits of faults that System.CanFail has not seen: " + err.Error())
	}
	e.where = where
	if e.disks, err = f.Disks(); err != nil {
		panic("macemc bug: world: limits of faults that System.CanFail has not seen: " + err.Error())
	}
}

// Fired returns the number of early firings (see Allow) in the run so far, or 0 if they are
// not limited.
func (e *Environment) Fired() int { return e.firings - e.early }

// Spent returns the number of faults in the run so far. Faults whose budget has no limit
// are not counted.
func (e *Environment) Spent() (n int) {
	for _, kind := range faultKinds {
		n += *e.budgets.Of(kind) - *e.left.Of(kind)
	}
	return n
}

// faultKinds are the kinds of events that have a budget.
var faultKinds = func() (all []sim.Kind) {
	for _, kind := range contract.Kinds() {
		if kind.Fault() {
			all = append(all, kind)
		}
	}
	return all
}()

// weather sets e.storm, and tells e.links whether a partition or an absent node may keep messages from
// arriving. It must be called when the life of a node, the partition or a budget has changed.
func (e *Environment) weather() {
	barred := e.away+e.gone > 0 || e.cut != nil
	e.links.Bar(barred)
	e.storm = barred || !e.paused.Empty() || !e.left.IsZero()
}

// list lists the possible events of the environment, in canonical order.
func (e *Environment) list() {
	e.consequences, e.faults = e.consequences[:0], e.faults[:0]
	if e.links.Barred() {
		e.lookRefused()
		e.lookBroken()
		if e.cut != nil {
			e.consequences = append(e.consequences, happening{Event: sim.Event{Kind: sim.KindMend}, spot: spot{cause: -1}})
		}
		for i := range e.nodes.at {
			if e.nodes.at[i].life == lifeAway {
				e.consequences = append(e.consequences, at(sim.KindRestart, i))
			}
		}
	}
	for i := range e.nodes.at {
		if e.pausing(i) {
			e.consequences = append(e.consequences, at(sim.KindResume, i))
		}
	}
	if e.left.IsZero() {
		return
	}
	for i := range e.nodes.at {
		if e.left.Crash != 0 && e.nodes.at[i].life == lifeUp {
			e.faults = append(e.faults, at(sim.KindCrash, i))
		}
	}
	for i := range e.nodes.at {
		if e.left.Down != 0 && e.nodes.at[i].life == lifeUp {
			e.faults = append(e.faults, at(sim.KindDown, i))
		}
	}
	if e.left.Reset != 0 {
		e.lookPairs(&e.faults, sim.KindReset, func(a, b int) bool { return e.links.TCP().Breakable(a, b) })
	}
	if e.links.UDP().Len() > 0 {
		e.lookDatagrams()
	}
	if e.cut == nil {
		e.lookSplits()
	}
	for i := range e.nodes.at {
		if e.left.Pause != 0 && e.nodes.at[i].life == lifeUp && !e.pausing(i) {
			e.faults = append(e.faults, at(sim.KindPause, i))
		}
	}
	for i := range e.nodes.at {
		if e.left.Wipe != 0 && e.nodes.at[i].life == lifeUp {
			e.faults = append(e.faults, at(sim.KindWipe, i))
		}
	}
	if e.where != nil {
		e.faults = slices.DeleteFunc(e.faults, func(h happening) bool { return !e.where(h.Event) })
	}
}

// pausing reports whether a node is paused: it is up, but takes no steps.
func (e *Environment) pausing(i int) bool { return e.paused.Has(i) }

// held reports whether an event has to wait because it would run a handler of a paused node. Events of the
// network do not wait.
func (e *Environment) held(h *happening) bool {
	return h.At >= 0 && e.pausing(int(h.At)) && contract.Row(&h.Event).Runs()
}

func at(kind sim.Kind, i int) happening {
	return happening{sim.Event{Node: state.AddrOf(i), Kind: kind}, spot{net.Spot{At: int32(i)}, -1}}
}

// lookRefused lists the refusals of messages that cannot arrive: the receiver is not up, or the partition
// separates the nodes and the connection is not open.
func (e *Environment) lookRefused() {
	for k := range e.links.TCP().Messages().Len() {
		c := e.links.TCP().Messages().At(k)
		from, to := e.links.Ends(c)
		if e.nodes.at[to].life != lifeUp || !e.links.TCP().Flags(from, to).Open && !e.connects(from, to) {
			var h happening
			h.about(sim.KindRefused, from, to, c)
			e.consequences = append(e.consequences, h)
		}
	}
	for k := range e.links.UDP().Ready().Len() {
		c := e.links.UDP().Ready().At(k)
		from, to := e.links.Ends(c)
		if e.nodes.at[to].life != lifeUp || e.severed(from, to) {
			var h happening
			h.delivery(e.links, sim.LinkUDP, c, e.links.UDP().Head(c))
			h.Kind = sim.KindRefused
			e.consequences = append(e.consequences, h)
		}
	}
}

// lookBroken lists the open connections across the partition. Each of them may break while the partition
// lasts.
func (e *Environment) lookBroken() {
	if e.cut != nil {
		e.lookPairs(&e.consequences, sim.KindBreak, func(a, b int) bool {
			return (e.severed(a, b) || e.severed(b, a)) && e.links.TCP().Breakable(a, b)
		})
	}
}

func (e *Environment) lookPairs(list *[]happening, kind sim.Kind, may func(a, b int) bool) {
	for a := range e.n {
		for b := a + 1; b < e.n; b++ {
			if may(a, b) {
				var h happening
				h.about(kind, a, b, e.links.Channel(b, a))
				*list = append(*list, h)
			}
		}
	}
}

// lookDatagrams lists the faults that are possible for each queued datagram.
func (e *Environment) lookDatagrams() {
	_, capacity := e.links.Capacities()
	for _, f := range []struct {
		kind sim.Kind
		left int
		may  func(c, place int) bool
	}{
		{sim.KindLose, e.left.Loss, func(int, int) bool { return true }},
		{sim.KindDuplicate, e.left.Dup, func(c, _ int) bool { return len(e.links.UDP().Packets(c)) < capacity }},
		{sim.KindReorder, e.left.Reorder, func(c, place int) bool { return place > 0 && e.reorderable(c, place) }},
	} {
		if f.left == 0 {
			continue
		}
		for k := range e.links.UDP().Ready().Len() {
			c := e.links.UDP().Ready().At(k)
			for place := range e.links.UDP().Packets(c) {
				if f.may(c, place) {
					var h happening
					h.delivery(e.links, sim.LinkUDP, c, &e.links.UDP().Packets(c)[place])
					h.Kind, h.Place = f.kind, uint16(place)
					e.faults = append(e.faults, h)
				}
			}
		}
	}
}

// reorderable reports whether a datagram that is not the oldest may be
// delivered.
func (e *Environment) reorderable(c, place int) bool {
	from, to := e.links.Ends(c)
	return e.nodes.at[to].life == lifeUp && !e.severed(from, to) &&
		e.nodes.at[to].guards.Accept(state.AddrOf(from), e.links.UDP().Packets(c)[place].Message)
}

// lookSplits lists the partitions that may begin: each group of nodes against the rest. Of two equal
// partitions it lists one.
func (e *Environment) lookSplits() {
	if e.left.Partition == 0 && e.left.OneWay == 0 {
		return
	}
	if e.splits == nil { // made once: a Split in an interface allocates
		for side := uint64(1); side < 1<<e.n-1; side++ {
			e.splits = append(e.splits, sim.Split{Side: side})
		}
	}
	none := spot{cause: -1}
	if e.left.Partition != 0 {
		for _, s := range e.splits {
			if s.(sim.Split).Side&1 != 0 {
				e.faults = append(e.faults, happening{sim.Event{Kind: sim.KindPartition, Value: s}, none})
			}
		}
	}
	if e.left.OneWay != 0 {
		for _, s := range e.splits {
			e.faults = append(e.faults, happening{sim.Event{Kind: sim.KindOneWay, Value: s}, none})
		}
	}
}

// cut is the partition that is in force.
type cut struct {
	side   uint64
	oneWay bool
}

// severed reports whether the partition stops everything from one node to another.
func (e *Environment) severed(from, to int) bool {
	if e.cut == nil {
		return false
	}
	a, b := e.cut.side&(1<<from) != 0, e.cut.side&(1<<to) != 0
	return a && !b || !e.cut.oneWay && a != b
}

// connects reports whether a message can reach another node over TCP. A connection that is not open yet needs
// both directions.
func (e *Environment) connects(from, to int) bool {
	return !e.severed(from, to) && (e.links.TCP().Flags(from, to).Open || !e.severed(to, from))
}

// take carries out an event as far as the network or the environment is concerned. The handler runs
// afterwards.
func (e *Environment) take(h *happening) {
	i, c := int(h.At), int(h.Channel)
	if k := h.Kind.Budget(); k >= 0 {
		e.spend(k)
	}
	switch h.Kind {
	case sim.KindClear:
		e.links.TakeClear(c)
	case sim.KindFlushed:
		e.links.TakeFlushed(i)
	case sim.KindError:
		e.links.TakeError(c)
	case sim.KindRefused:
		if h.Link == sim.LinkUDP {
			e.run.takes(e.links.DropHead(c))
		} else {
			e.links.Refuse(c)
		}
	case sim.KindBreak, sim.KindReset:
		e.links.Break(i, h.From.Index(), c)
	case sim.KindMend:
		e.cut = nil
		e.sums.Touch(e.sums.Cut())
	case sim.KindRestart:
		e.restart(i)
	case sim.KindCrash:
		e.crash(i, lifeAway)
	case sim.KindDown:
		e.crash(i, lifeGone)
	case sim.KindWipe:
		e.crash(i, lifeAway)
		e.nodes.wipe(i)
	case sim.KindLose:
		e.run.takes(e.links.Drop(c, int(h.Place)).Origin)
	case sim.KindDuplicate:
		e.run.copies(e.links.UDP().Packets(c)[h.Place].Origin, e.links.Duplicate(c, int(h.Place)))
	case sim.KindReorder:
		p := e.links.Drop(c, int(h.Place))
		e.run.takes(p.Origin)
		if e.audit != nil {
			e.audit.Give(p)
		}
	case sim.KindPartition, sim.KindOneWay:
		e.cut = &cut{h.Value.(sim.Split).Side, h.Kind == sim.KindOneWay}
		e.sums.Touch(e.sums.Cut())
	case sim.KindPause:
		e.paused.Add(i)
		e.sums.Touch(e.sums.Pauses())
	case sim.KindResume:
		e.paused.Remove(i)
		e.sums.Touch(e.sums.Pauses())
	default:
		panic(fmt.Sprintf("macemc bug: sim: cannot take a %s event", h.Kind))
	}
	e.changes()
}

// changes marks the actions that nodes offer and the messages that they accept as out of
// date, for all nodes.
func (e *Environment) changes() {
	e.links.SoilAll()
	e.weather()
}

// crash ends a node's life.
func (e *Environment) crash(i int, l life) {
	if e.nodes.at[i].shared { // the next life must not share with the bank what System.Crash keeps
		e.nodes.own(i)
	}
	e.sums.Touched().Add(e.sums.Pauses(), state.Asked)
	if e.pausing(i) {
		e.paused.Remove(i)
		e.sums.Touch(e.sums.Pauses())
	}
	if l == lifeAway {
		e.away++
	} else {
		e.gone++
	}
	e.nodes.crash(i, l)
}

// restart begins a crashed node's next life; its Init follows.
func (e *Environment) restart(i int) {
	e.nodes.at[i].live(lifeUp)
	e.away--
	e.nodes.restart(i)
}

// late records that node i has yet to join.
func (e *Environment) late(i int) {
	e.nodes.at[i].live(lifeLate)
	e.gone++
	e.weather()
}

// lived updates the counts of absent nodes after the life of a node has changed from was to
// is.
func (e *Environment) lived(was, is life) {
	e.away += count(is == lifeAway) - count(was == lifeAway)
	e.gone += count(is.absent()) - count(was.absent())
	e.weather()
}

// fires must be called when a timer of node i fires. It takes one early firing (see Allow) from the budget if
// a message is under way to or from the node.
func (e *Environment) fires(i int) {
	if e.firings != sim.Unlimited {
		e.sums.Touched().Add(e.sums.Budget(budgetEarly), state.Asked)
	}
	if e.early > 0 {
		e.links.Asked(i, state.Asked)
	}
	if e.early > 0 && e.links.Concerned(i) {
		e.early--
		e.sums.Touch(e.sums.Budget(budgetEarly))
	}
}

// part returns one part of the environment, in the form in which a bank keeps it: the number left
// of budget k, the partition, or the paused nodes. sort says which of these three it is.
func (e *Environment) part(sort state.Sort, k int) any {
	switch sort {
	case state.Budget:
		return e.budget(k)
	case state.Cut:
		return e.cut
	}
	return e.paused.Clone()
}

// place sets one part of the environment to of, a value that Environment.part has returned, or to
// an empty part if of is nil. sort and k select the part as for Environment.part.
func (e *Environment) place(sort state.Sort, k int, of any) {
	switch sort {
	case state.Budget:
		left, _ := of.(int)
		e.setBudget(k, left)
	case state.Cut:
		e.cut, _ = of.(*cut)
	default:
		paused, _ := of.(state.NodeSet)
		e.paused.Set(paused)
	}
	e.links.SoilAll()
	e.weather()
}

// join makes a node join. Its Init runs afterwards.
func (e *Environment) join(i int) {
	e.nodes.at[i].live(lifeUp)
	e.gone--
	e.nodes.appeared(i)
	e.links.SoilAll()
	e.weather()
}

// leave makes a node leave for good.
func (e *Environment) leave(i int) {
	e.crash(i, lifeGone)
	e.links.SoilAll()
	e.weather()
}

// heal sets all budgets to 0, and ends the partition and all pauses.
func (e *Environment) heal() {
	e.left, e.cut, e.early = sim.Faults{}, nil, sim.Unlimited
	e.paused.Clear()
	for part := e.sums.Rest(); part < e.sums.Healed(); part++ {
		e.sums.Touch(part)
	}
	e.changes()
}

// Healed reports whether the environment cannot misbehave any more.
func (e *Environment) Healed() bool {
	return e.left.IsZero() && e.cut == nil && e.paused.Empty() && e.early == sim.Unlimited
}

var faultNames = contract.FaultNames()

// Idle returns the text of an error if a budget of f could not be spent in any run of this
// world: no node sent anything by the link that the fault needs, asked a coin with a rare
// side, or stored anything. It returns "" if there is no such budget.
func (e *Environment) Idle(f sim.Faults) string {
	for _, kind := range contract.Kinds() {
		row := contract.RowOf(kind)
		if budget := f.Of(kind); budget != nil && *budget != 0 && row.Link != "" && !e.links.UsedBy(row.Link) {
			return fmt.Sprintf("the fault %s cannot happen in %s: no node has sent anything by %s", row.Budget, e.sys.Name, row.Link)
		}
	}
	if f.Rare != 0 && !e.sided {
		return fmt.Sprintf("the fault rare cannot happen in %s: no node has asked Env.Weighted with a side of weight 0", e.sys.Name)
	}
	if f.Disk != 0 && !e.stored {
		return fmt.Sprintf("the fault disk cannot happen in %s: no node has written to its store", e.sys.Name)
	}
	return ""
}

// Stored reports whether any node has written to its store, in any run of this world.
func (e *Environment) Stored() bool { return e.stored }

// fits is the name of the built-in property of simulated TCP connections. Each end of a connection
// has flags about it, such as whether it is open there. The property is that no two ends have flags
// that contradict each other.
const fits = "tcp: the two ends of a connection keep flags that fit"

// spend takes one from the k-th budget.
func (e *Environment) spend(k int) {
	if n := e.left.Budget(k); *n > 0 {
		*n--
	}
	e.run.spends(k)
	e.sums.Touch(e.sums.Budget(k))
	e.weather()
}

// The indices of some budgets: each is that of the budget's name in contract.FaultNames. The last index is
// that of the budget of early firings (see Allow), whose unused part is counted from Unlimited: 0 means that
// there is no limit, as after healing.
var (
	budgetRare  = slices.Index(faultNames, "rare")
	budgetDisk  = slices.Index(faultNames, "disk")
	budgetReset = sim.KindReset.Budget()
	budgetEarly = len(faultNames)

	datagramBudgets = []int{sim.KindLose.Budget(), sim.KindDuplicate.Budget(), sim.KindReorder.Budget()}
)

// budget returns the unused part of the k-th budget, or 0 if the environment has healed.
func (e *Environment) budget(k int) int {
	if k == budgetEarly {
		return e.early - sim.Unlimited
	}
	return *e.left.Budget(k)
}

// setBudget sets the unused part of the k-th budget.
func (e *Environment) setBudget(k, left int) {
	if k == budgetEarly {
		e.early = left + sim.Unlimited
		return
	}
	*e.left.Budget(k), e.left.Only = left, e.budgets.Only
}

// asksSided records that a coin with rare sides was asked in some run of this world. The method writes records
// that some node wrote to its store.
func (e *Environment) asksSided() { e.sided = true }

// toss records that an answer in the step depends on the budget with this index.
func (e *Environment) toss(budget int) {
	e.run.toss()
	e.sums.Touched().Add(e.sums.Budget(budget), state.Asked)
}

func (e *Environment) writes() { e.stored = true }

// start resets the environment for a new run.
func (e *Environment) start() {
	e.left, e.early, e.cut, e.away, e.gone = e.budgets, e.firings, nil, 0, 0
	e.paused.Clear()
	e.weather()
}

// mayFire reports whether a node's timers may fire: an early firing (see Allow) is left, or no message is under
// way to or from the node.
func (e *Environment) mayFire(i int) bool { return e.early != 0 || !e.links.Concerned(i) }
