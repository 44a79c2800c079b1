package world

import (
	"fmt"
	"slices"

	"macemc/choose"
	"macemc/sim"
)

// The environment is what may misbehave: budgets of faults, crashed and paused
// nodes, a partition. While there is nothing of it, none of this costs a step anything:
// storm is false.

// environment is the state of what may misbehave, and what it could do now.
type environment struct {
	links *links
	nodes []nodeState

	budgets    sim.Faults // of a run
	left       sim.Faults // and what is left of them
	firings    int        // early firings of a run
	early      int        // and how many are left; Unlimited
	cut        *cut
	away, gone int    // nodes that may restart, and that are down for good
	paused     uint64 // nodes that take no step
	storm      bool   // there is something of all this

	consequences []happening          // that are possible now, of faults that were
	faults       []happening          // that are possible now
	splits       []any                // all partitions, made once
	where        func(sim.Event) bool // a fault may happen; nil: anywhere
	disks        func(node int) bool  // a disk may fail; nil: any
	stored       bool                 // something was written to a store, in any run
	healing      bool                 // the question is whether to heal
	sided        bool                 // a coin with rare sides was asked, in any run
}

// happening is an event of the environment and where it is.
type happening struct {
	sim.Event
	spot
}

// life is a node's condition.
type life uint8

const (
	lifeUp   life = iota
	lifeAway      // crashed, and may restart
	lifeGone      // down for good
	lifeLate      // has yet to join: see sim.Join
)

var lifeNames = [...]string{lifeUp: "up", lifeAway: "crashed", lifeGone: "down for good", lifeLate: "yet to join"}

// absent reports whether nobody is there, and no restart is due.
func (l life) absent() bool { return l >= lifeGone }

// Allow sets the budgets of the runs that start from now on. early: see Config.
func (w *World) Allow(f sim.Faults, early *int) {
	w.environ.allow(f, early)
	if w.cover != nil {
		w.cover.allow(f)
	}
}

func (e *environment) allow(f sim.Faults, early *int) {
	e.budgets, e.firings = f, sim.Unlimited
	if early != nil {
		e.firings = *early
	}
	where, err := f.Where(e.links.n)
	if err != nil {
		panic("macemc bug: world: limits of faults that System.CanFail has not seen: " + err.Error())
	}
	e.where = where
	if e.disks, err = f.Disks(); err != nil {
		panic("macemc bug: world: limits of faults that System.CanFail has not seen: " + err.Error())
	}
}

// Fired is how many early firings the run has used, where they are limited.
func (w *World) Fired() int { return w.environ.firings - w.environ.early }

// weather sets storm and barred from what they summarise.
func (e *environment) weather() {
	barred := e.away+e.gone > 0 || e.cut != nil
	if barred != e.links.barred {
		e.links.barred, e.links.dirty = barred, e.links.all()
	}
	e.storm = barred || e.paused != 0 || !e.left.IsZero()
}

func (l *links) all() uint64 { return 1<<(l.n-1)<<1 - 1 }

// list lists the events of the environment, in canonical order.
func (e *environment) list() {
	e.consequences, e.faults = e.consequences[:0], e.faults[:0]
	if e.links.barred {
		e.lookRefused()
		e.lookBroken()
		if e.cut != nil {
			e.consequences = append(e.consequences, happening{Event: sim.Event{Kind: sim.KindMend}, spot: spot{cause: -1}})
		}
		for i := range e.nodes {
			if e.nodes[i].life == lifeAway {
				e.consequences = append(e.consequences, at(sim.KindRestart, i))
			}
		}
	}
	for i := range e.nodes {
		if e.pausing(i) {
			e.consequences = append(e.consequences, at(sim.KindResume, i))
		}
	}
	if e.left.IsZero() {
		return
	}
	for i := range e.nodes {
		if e.left.Crash != 0 && e.nodes[i].life == lifeUp {
			e.faults = append(e.faults, at(sim.KindCrash, i))
		}
	}
	for i := range e.nodes {
		if e.left.Down != 0 && e.nodes[i].life == lifeUp {
			e.faults = append(e.faults, at(sim.KindDown, i))
		}
	}
	if e.left.Reset != 0 {
		e.lookPairs(&e.faults, sim.KindReset, func(a, b int) bool { return e.links.tcp.Breakable(a, b) })
	}
	if e.links.udp.Len() > 0 {
		e.lookDatagrams()
	}
	if e.cut == nil {
		e.lookSplits()
	}
	for i := range e.nodes {
		if e.left.Pause != 0 && e.nodes[i].life == lifeUp && !e.pausing(i) {
			e.faults = append(e.faults, at(sim.KindPause, i))
		}
	}
	if e.where != nil {
		e.faults = slices.DeleteFunc(e.faults, func(h happening) bool { return !e.where(h.Event) })
	}
}

// pausing reports whether a node is paused: it is up, and takes no step.
func (e *environment) pausing(i int) bool { return e.paused&(1<<i) != 0 }

// held reports whether an event has to wait, since a handler of a paused node
// would run. What happens to the network does not ask the node.
func (e *environment) held(h *happening) bool {
	return h.node >= 0 && e.pausing(int(h.node)) && h.Row().Runs()
}

func at(kind sim.Kind, i int) happening {
	return happening{sim.Event{Node: addrOf(i), Kind: kind}, spot{node: int32(i), cause: -1}}
}

// lookRefused lists the messages that cannot arrive: nobody listens at the
// other end, or it is across the partition and the connection is not open.
func (e *environment) lookRefused() {
	for k := range e.links.tcp.Messages().Len() {
		c := e.links.tcp.Messages().At(k)
		from, to := e.links.tcp.Ends(c)
		if e.nodes[to].life != lifeUp || !e.links.tcp.Flags(from, to).Open && !e.connects(from, to) {
			var h happening
			h.about(sim.KindRefused, from, to, c)
			e.consequences = append(e.consequences, h)
		}
	}
	for k := range e.links.udp.Ready().Len() {
		c := e.links.udp.Ready().At(k)
		from, to := e.links.udp.Ends(c)
		if e.nodes[to].life != lifeUp || e.severed(from, to) {
			var h happening
			h.delivery(e.links, sim.LinkUDP, c, e.links.udp.Head(c))
			h.Kind = sim.KindRefused
			e.consequences = append(e.consequences, h)
		}
	}
}

// lookBroken lists the open connections across the partition: each may give up
// for as long as it lasts.
func (e *environment) lookBroken() {
	if e.cut != nil {
		e.lookPairs(&e.consequences, sim.KindBreak, func(a, b int) bool {
			return (e.severed(a, b) || e.severed(b, a)) && e.links.tcp.Breakable(a, b)
		})
	}
}

func (e *environment) lookPairs(list *[]happening, kind sim.Kind, may func(a, b int) bool) {
	for a := range e.links.n {
		for b := a + 1; b < e.links.n; b++ {
			if may(a, b) {
				var h happening
				h.about(kind, a, b, e.links.tcp.Channel(b, a))
				*list = append(*list, h)
			}
		}
	}
}

// lookDatagrams lists what may happen to each queued datagram.
func (e *environment) lookDatagrams() {
	for _, f := range []struct {
		kind sim.Kind
		left int
		may  func(c, place int) bool
	}{
		{sim.KindLose, e.left.Loss, func(int, int) bool { return true }},
		{sim.KindDuplicate, e.left.Dup, func(c, _ int) bool { return len(e.links.udp.Packets(c)) < e.links.net.UDPCapacity }},
		{sim.KindReorder, e.left.Reorder, func(c, place int) bool { return place > 0 && e.reorderable(c, place) }},
	} {
		if f.left == 0 {
			continue
		}
		for k := range e.links.udp.Ready().Len() {
			c := e.links.udp.Ready().At(k)
			for place := range e.links.udp.Packets(c) {
				if f.may(c, place) {
					var h happening
					h.delivery(e.links, sim.LinkUDP, c, &e.links.udp.Packets(c)[place])
					h.Kind, h.Place = f.kind, uint16(place)
					e.faults = append(e.faults, h)
				}
			}
		}
	}
}

// reorderable reports whether a datagram that is not the oldest may be
// delivered.
func (e *environment) reorderable(c, place int) bool {
	from, to := e.links.udp.Ends(c)
	return e.nodes[to].life == lifeUp && !e.severed(from, to) &&
		e.nodes[to].guards.accept(addrOf(from), e.links.udp.Packets(c)[place].Message)
}

// lookSplits lists the partitions that may begin: each group of nodes against
// the rest, symmetric ones once.
func (e *environment) lookSplits() {
	if e.left.Partition == 0 && e.left.OneWay == 0 {
		return
	}
	if e.splits == nil { // made once: a Split in an interface allocates
		for side := uint64(1); side < e.links.all(); side++ {
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

// cut is a partition that is in force.
type cut struct {
	side   uint64
	oneWay bool
}

// severed reports whether nothing gets from one node to another.
func (e *environment) severed(from, to int) bool {
	if e.cut == nil {
		return false
	}
	a, b := e.cut.side&(1<<from) != 0, e.cut.side&(1<<to) != 0
	return a && !b || !e.cut.oneWay && a != b
}

// connects reports whether a message can get to another node over TCP: a
// connection that is not open yet needs both directions.
func (e *environment) connects(from, to int) bool {
	return !e.severed(from, to) && (e.links.tcp.Flags(from, to).Open || !e.severed(to, from))
}

// bothEnds notes that a connection has changed, in both directions.
func (w *World) bothEnds(channel int) {
	from, to := w.links.tcp.Ends(channel)
	w.sums.tcp(channel)
	w.sums.tcp(w.links.tcp.Channel(to, from))
	w.links.dirty |= 1<<from | 1<<to
}

// takeRest carries out the part of an event that is the network's or the
// environment's. What a handler hears of it follows.
func (w *World) takeRest(e sim.Event, at spot) {
	i, c := int(at.node), int(at.channel)
	if budget := w.environ.left.Of(e.Kind); budget != nil {
		spend(budget)
	}
	switch e.Kind {
	case sim.KindClear:
		w.links.tcp.PopClear(c)
		w.bothEnds(c)
	case sim.KindFlushed:
		w.links.tcp.PopFlushed(i)
		w.sums.node(i)
	case sim.KindError:
		w.links.tcp.PopError(c)
		w.bothEnds(c)
	case sim.KindRefused:
		if e.Link == sim.LinkUDP {
			w.links.udp.Pop(c)
			w.sums.udp(c)
		} else {
			w.links.tcp.Refuse(c)
			w.bothEnds(c)
		}
	case sim.KindBreak, sim.KindReset:
		w.links.tcp.Break(i, e.From.Index())
		w.links.disturbed = true
		w.bothEnds(c)
	case sim.KindMend:
		w.environ.cut = nil
	case sim.KindRestart:
		w.restart(i)
	case sim.KindCrash:
		w.crash(i, lifeAway)
	case sim.KindDown:
		w.crash(i, lifeGone)
	case sim.KindLose:
		w.links.udp.Take(c, int(e.Place))
		w.sums.udp(c)
	case sim.KindDuplicate:
		w.links.udp.Push(c, w.links.udp.Packets(c)[e.Place])
		w.sums.udp(c)
	case sim.KindReorder:
		w.audit.taken(w.links.udp.Take(c, int(e.Place)))
		w.sums.udp(c)
	case sim.KindPartition, sim.KindOneWay:
		w.environ.cut = &cut{e.Value.(sim.Split).Side, e.Kind == sim.KindOneWay}
	case sim.KindPause:
		w.environ.paused |= 1 << i
	case sim.KindResume:
		w.environ.paused &^= 1 << i
	default:
		panic(fmt.Sprintf("macemc bug: sim: cannot take a %s event", e.Kind))
	}
	w.links.dirty = w.links.all()
	w.sums.rest()
	w.environ.weather()
}

// crash ends a node's life: its connections reset, its timers and tasks are
// gone, datagrams under way stay under way.
func (w *World) crash(i int, l life) {
	ns := &w.nodes[i]
	if ns.shared { // what System.Crash keeps of it is the next life's own
		w.own(i)
	}
	w.timers.count -= len(ns.seen.Timers)
	w.tasks -= len(ns.tasks)
	ns.seen.Timers, ns.tasks = ns.seen.Timers[:0], ns.tasks[:0]
	ns.script, ns.next = nil, 0
	w.script.Put(i, false)
	w.links.tcp.Crash(i)
	w.links.disturbed = true
	for j := range w.n {
		w.bothEnds(w.links.tcp.Channel(i, j))
	}
	ns.live(l)
	w.environ.paused &^= 1 << i
	if l == lifeAway {
		w.environ.away++
	} else {
		w.environ.gone++
	}
	next := w.sys.New(w.params, addrOf(i))
	if w.sys.Crash != nil {
		next = w.sys.Crash(w.params, addrOf(i), ns.node)
	}
	w.install(i, next)
	ns.shared = false
	w.settleTimes(i)
	w.sees.Membership++
}

// restart begins a crashed node's next life; its Init follows.
func (w *World) restart(i int) {
	ns := &w.nodes[i]
	ns.live(lifeUp)
	w.environ.away--
	if w.sys.Script != nil { // else nothing depends on which life it is
		ns.lives++
		ns.script = w.sys.Script(w.params, addrOf(i), ns.lives)
		if err := sim.CheckScript(addrOf(i), ns.script, ns.lives); err != nil {
			panic("macemc: " + err.Error())
		}
		if w.cover != nil {
			w.cover.openings(ns.script)
		}
	}
	w.script.Put(i, len(ns.script) > 0)
	w.sees.Epoch++
	w.sees.Membership++
	w.soil(i)
}

// join makes a node be there; its Init follows.
func (w *World) join(i int) {
	w.nodes[i].live(lifeUp)
	w.environ.gone--
	w.sees.Epoch++
	w.sees.Membership++
	w.soil(i)
	w.links.dirty = w.links.all()
	w.environ.weather()
}

// leave makes a node be gone for good.
func (w *World) leave(i int) {
	w.crash(i, lifeGone)
	w.links.dirty = w.links.all()
	w.environ.weather()
}

// Heal is a step in which the environment stops misbehaving: a partition ends,
// paused nodes go on, and what is left of the budgets is void. What faults have caused stays: a
// connection that broke is still to be heard of, a node that is down for good
// stays down. Crashed nodes may restart, as before.
func (w *World) Heal(src choose.Source) Progress {
	w.source = src
	w.coins = w.coins[:0]
	w.question.Runs = nil
	w.question.Kind, w.question.N = choose.Event, 1
	w.environ.healing = true
	k := src.Answer(&w.question)
	w.environ.healing = false
	if k != 0 {
		w.err = src.Err()
		return Stopped
	}
	w.step++
	w.acting, w.current, w.cause = sim.Addr{}, sim.Event{Kind: sim.KindHeal}, -1
	w.effects = w.effects[:0]
	w.environ.left, w.environ.cut, w.environ.paused, w.environ.early = sim.Faults{}, nil, 0, sim.Unlimited
	w.links.dirty = w.links.all()
	w.sums.rest()
	w.environ.weather()
	if w.tracing {
		w.coins, w.facts = nil, nil
		w.record(-1)
	}
	return Stepped
}

// Healed reports whether the environment has nothing left to misbehave with.
func (w *World) Healed() bool {
	return w.environ.left.IsZero() && w.environ.cut == nil && w.environ.paused == 0 && w.environ.early == sim.Unlimited
}

// Settled reports whether the healed form of this state has no event but rare
// ones: nothing will ever change it.
func (w *World) Settled() bool {
	e := &w.environ
	timers := w.timers.count > 0 && (w.sys.Weight == nil || e.early != sim.Unlimited) // else some may be held back, others rare
	if e.cut != nil || e.paused != 0 || e.away > 0 || timers {
		return false
	}
	n := w.enabled()
	if w.sys.Weight != nil {
		n = 0
		for _, r := range w.question.Runs {
			if r.Weight > 0 {
				n++
			}
		}
		return n == 0
	}
	if w.environ.storm {
		n -= len(w.environ.faults)
	}
	return n == 0
}

var faultNames = sim.FaultNames()

// Idle names a budget that cannot be spent, since nothing was ever sent by the
// link that it needs, or no coin with a rare side was ever asked, in any run of
// this world; "" if there is none.
func (w *World) Idle(f sim.Faults) string {
	for _, kind := range sim.Kinds() {
		row := kind.Row()
		if budget := f.Of(kind); budget != nil && *budget != 0 && row.Link != "" && !w.links.usedBy(row.Link) {
			return fmt.Sprintf("the fault %s cannot happen in %s: no node has sent anything by %s", row.Budget, w.sys.Name, row.Link)
		}
	}
	if f.Rare != 0 && !w.environ.sided {
		return fmt.Sprintf("the fault rare cannot happen in %s: no node has asked Env.Weighted with a side of weight 0", w.sys.Name)
	}
	if f.Disk != 0 && !w.environ.stored {
		return fmt.Sprintf("the fault disk cannot happen in %s: no node has written to its store", w.sys.Name)
	}
	return ""
}

// Stored reports whether anything was written to a store, in any run of this world.
func (w *World) Stored() bool { return w.environ.stored }

// fits is the built-in property of the simulated TCP.
const fits = "tcp: the two ends of a connection keep flags that fit"

func (w *World) checkTCP() *sim.Failure {
	a, b, found := w.links.tcp.Illegal()
	if !found {
		return nil
	}
	f := w.fail(sim.VerdictSafety, fits, "")
	f.Message = fmt.Sprintf("%s keeps the flags %s about %s, which keeps %s (local error, remote error, open)",
		addrOf(a), w.links.tcp.Flags(a, b), addrOf(b), w.links.tcp.Flags(b, a))
	return f
}

// Hasty reports whether the k-th possible event, after Enabled, is a timer that
// fires while a message is under way to its node or from it.
func (w *World) Hasty(k int) bool {
	e, at := w.event(k)
	return e.Kind == sim.KindTimer && w.links.concerned(int(at.node))
}

// Rare reports whether the k-th possible event is rare, after Enabled.
func (t *turn) Rare(k int) bool {
	for _, r := range t.question.Runs {
		if k < r.N {
			return r.Weight == 0
		}
		k -= r.N
	}
	panic("macemc bug: sim: the event asked about is beyond the last one that was counted")
}

// spend takes one from a budget.
func spend(n *int) {
	if *n > 0 {
		*n--
	}
}
