package world

import (
	"fmt"

	"macemc/choose"
	"macemc/sim"
)

// The environment is what may misbehave: budgets of faults, crashed nodes, a
// partition. While there is nothing of it, none of this costs a step anything:
// storm is false.

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
)

var lifeNames = [...]string{lifeUp: "up", lifeAway: "crashed", lifeGone: "down for good"}

// Allow sets the budgets of the runs that start from now on.
func (w *World) Allow(f sim.Faults, early int) {
	w.faults, w.firings = f, early-1
	if w.cover != nil {
		w.cover.allow(f)
	}
}

// Fired is how many early firings the run has used, where they are limited.
func (w *World) Fired() int { return w.firings - w.early }

// weather sets storm and barred from what they summarise.
func (w *World) weather() {
	barred := w.away+w.gone > 0 || w.cut != nil
	if barred != w.barred {
		w.barred, w.dirty = barred, w.all()
	}
	w.storm = barred || !w.left.IsZero()
}

func (w *World) all() uint64 { return 1<<(w.n-1)<<1 - 1 }

// look lists the events of the environment, in canonical order.
func (w *World) look() {
	w.aftermath, w.faulty = w.aftermath[:0], w.faulty[:0]
	if w.barred {
		w.lookRefused()
		w.lookBroken()
		if w.cut != nil {
			w.aftermath = append(w.aftermath, happening{Event: sim.Event{Kind: sim.KindMend}, spot: spot{cause: -1}})
		}
		for i := range w.nodes {
			if w.nodes[i].life == lifeAway {
				w.aftermath = append(w.aftermath, at(sim.KindRestart, i))
			}
		}
		if w.cover != nil {
			w.cover.possible(w)
		}
	}
	if w.left.IsZero() {
		return
	}
	for i := range w.nodes {
		if w.left.Crash != 0 && w.nodes[i].life == lifeUp {
			w.faulty = append(w.faulty, at(sim.KindCrash, i))
		}
	}
	for i := range w.nodes {
		if w.left.Down != 0 && w.nodes[i].life == lifeUp {
			w.faulty = append(w.faulty, at(sim.KindDown, i))
		}
	}
	if w.left.Reset != 0 {
		w.lookPairs(&w.faulty, sim.KindReset, func(a, b int) bool { return w.tcp.Breakable(a, b) })
	}
	if w.udp.Len() > 0 {
		w.lookDatagrams()
	}
	if w.cut == nil {
		w.lookSplits()
	}
}

func at(kind sim.Kind, i int) happening {
	return happening{sim.Event{Node: addrOf(i), Kind: kind}, spot{node: int32(i), cause: -1}}
}

// lookRefused lists the messages that cannot arrive: nobody listens at the
// other end, or it is across the partition and the connection is not open.
func (w *World) lookRefused() {
	for k := range w.tcp.Messages().Len() {
		c := w.tcp.Messages().At(k)
		from, to := w.tcp.Ends(c)
		if w.nodes[to].life != lifeUp || !w.tcp.Flags(from, to).Open && !w.connects(from, to) {
			e, s := about(sim.KindRefused, from, to, c)
			w.aftermath = append(w.aftermath, happening{e, s})
		}
	}
	for k := range w.udp.Ready().Len() {
		c := w.udp.Ready().At(k)
		from, to := w.udp.Ends(c)
		if w.nodes[to].life != lifeUp || w.severed(from, to) {
			e, s := w.delivery(sim.LinkUDP, c, w.udp.Head(c))
			e.Kind = sim.KindRefused
			w.aftermath = append(w.aftermath, happening{e, s})
		}
	}
}

// lookBroken lists the open connections across the partition: each may give up
// for as long as it lasts.
func (w *World) lookBroken() {
	if w.cut != nil {
		w.lookPairs(&w.aftermath, sim.KindBreak, func(a, b int) bool {
			return (w.severed(a, b) || w.severed(b, a)) && w.tcp.Breakable(a, b)
		})
	}
}

func (w *World) lookPairs(list *[]happening, kind sim.Kind, may func(a, b int) bool) {
	for a := range w.n {
		for b := a + 1; b < w.n; b++ {
			if may(a, b) {
				e, s := about(kind, a, b, w.tcp.Channel(b, a))
				*list = append(*list, happening{e, s})
			}
		}
	}
}

// lookDatagrams lists what may happen to each queued datagram.
func (w *World) lookDatagrams() {
	for _, f := range []struct {
		kind sim.Kind
		left int
		may  func(c, place int) bool
	}{
		{sim.KindLose, w.left.Loss, func(int, int) bool { return true }},
		{sim.KindDuplicate, w.left.Dup, func(c, _ int) bool { return len(w.udp.Packets(c)) < w.net.UDPCapacity }},
		{sim.KindReorder, w.left.Reorder, func(c, place int) bool { return place > 0 && w.reorderable(c, place) }},
	} {
		if f.left == 0 {
			continue
		}
		for k := range w.udp.Ready().Len() {
			c := w.udp.Ready().At(k)
			for place := range w.udp.Packets(c) {
				if f.may(c, place) {
					e, s := w.delivery(sim.LinkUDP, c, &w.udp.Packets(c)[place])
					e.Kind, e.Place = f.kind, uint16(place)
					w.faulty = append(w.faulty, happening{e, s})
				}
			}
		}
	}
}

// reorderable reports whether a datagram that is not the oldest may be
// delivered.
func (w *World) reorderable(c, place int) bool {
	from, to := w.udp.Ends(c)
	return w.nodes[to].life == lifeUp && !w.severed(from, to) &&
		w.nodes[to].guards.accept(addrOf(from), w.udp.Packets(c)[place].Message)
}

// lookSplits lists the partitions that may begin: each group of nodes against
// the rest, symmetric ones once.
func (w *World) lookSplits() {
	if w.left.Partition == 0 && w.left.OneWay == 0 {
		return
	}
	if w.splits == nil { // made once: a Split in an interface allocates
		for side := uint64(1); side < w.all(); side++ {
			w.splits = append(w.splits, sim.Split{Side: side})
		}
	}
	none := spot{cause: -1}
	if w.left.Partition != 0 {
		for _, s := range w.splits {
			if s.(sim.Split).Side&1 != 0 {
				w.faulty = append(w.faulty, happening{sim.Event{Kind: sim.KindPartition, Value: s}, none})
			}
		}
	}
	if w.left.OneWay != 0 {
		for _, s := range w.splits {
			w.faulty = append(w.faulty, happening{sim.Event{Kind: sim.KindOneWay, Value: s}, none})
		}
	}
}

// cut is a partition that is in force.
type cut struct {
	side   uint64
	oneWay bool
}

// severed reports whether nothing gets from one node to another.
func (w *World) severed(from, to int) bool {
	if w.cut == nil {
		return false
	}
	a, b := w.cut.side&(1<<from) != 0, w.cut.side&(1<<to) != 0
	return a && !b || !w.cut.oneWay && a != b
}

// connects reports whether a message can get to another node over TCP: a
// connection that is not open yet needs both directions.
func (w *World) connects(from, to int) bool {
	return !w.severed(from, to) && (w.tcp.Flags(from, to).Open || !w.severed(to, from))
}

// bothEnds notes that a connection has changed, in both directions.
func (w *World) bothEnds(channel int) {
	from, to := w.tcp.Ends(channel)
	w.sums.tcp(channel)
	w.sums.tcp(w.tcp.Channel(to, from))
	w.dirty |= 1<<from | 1<<to
}

// takeRest carries out the part of an event that is the network's or the
// environment's. What a handler hears of it follows.
func (w *World) takeRest(e sim.Event, at spot) {
	i, c := int(at.node), int(at.channel)
	switch e.Kind {
	case sim.KindClear:
		w.tcp.PopClear(c)
		w.bothEnds(c)
	case sim.KindFlushed:
		w.tcp.PopFlushed(i)
		w.sums.node(i)
	case sim.KindError:
		w.tcp.PopError(c)
		w.bothEnds(c)
	case sim.KindRefused:
		if e.Link == sim.LinkUDP {
			w.udp.Pop(c)
			w.sums.udp(c)
		} else {
			w.tcp.Refuse(c)
			w.bothEnds(c)
		}
	case sim.KindBreak, sim.KindReset:
		if e.Kind == sim.KindReset {
			spend(&w.left.Reset)
		}
		w.tcp.Break(i, e.From.Index())
		w.disturbed = true
		w.bothEnds(c)
	case sim.KindMend:
		w.cut = nil
	case sim.KindRestart:
		w.restart(i)
	case sim.KindCrash:
		spend(&w.left.Crash)
		w.crash(i, lifeAway)
	case sim.KindDown:
		spend(&w.left.Down)
		w.crash(i, lifeGone)
	case sim.KindLose:
		spend(&w.left.Loss)
		w.udp.Take(c, int(e.Place))
		w.sums.udp(c)
	case sim.KindDuplicate:
		spend(&w.left.Dup)
		w.udp.Push(c, w.udp.Packets(c)[e.Place])
		w.sums.udp(c)
	case sim.KindReorder:
		spend(&w.left.Reorder)
		w.audit.taken(w.udp.Take(c, int(e.Place)))
		w.sums.udp(c)
	case sim.KindPartition, sim.KindOneWay:
		if e.Kind == sim.KindPartition {
			spend(&w.left.Partition)
		} else {
			spend(&w.left.OneWay)
		}
		w.cut = &cut{e.Value.(sim.Split).Side, e.Kind == sim.KindOneWay}
	default:
		panic(fmt.Sprintf("macemc bug: sim: cannot take a %s event", e.Kind))
	}
	w.dirty = w.all()
	w.sums.rest()
	w.weather()
}

// crash ends a node's life: its connections reset, its timers and tasks are
// gone, datagrams under way stay under way.
func (w *World) crash(i int, l life) {
	ns := &w.nodes[i]
	if ns.shared { // what System.Crash keeps of it is the next life's own
		w.own(i)
	}
	w.timers -= len(ns.seen.Timers)
	w.tasks -= len(ns.tasks)
	ns.seen.Timers, ns.tasks = ns.seen.Timers[:0], ns.tasks[:0]
	ns.script, ns.next = nil, 0
	w.script.Put(i, false)
	w.tcp.Crash(i)
	w.disturbed = true
	for j := range w.n {
		w.bothEnds(w.tcp.Channel(i, j))
	}
	ns.live(l)
	if l == lifeAway {
		w.away++
	} else {
		w.gone++
	}
	next := w.sys.New(w.params, addrOf(i))
	if w.sys.Crash != nil {
		next = w.sys.Crash(w.params, addrOf(i), ns.node)
	}
	w.install(i, next)
	ns.shared = false
	w.sees.Membership++
}

// restart begins a crashed node's next life; its Init follows.
func (w *World) restart(i int) {
	ns := &w.nodes[i]
	ns.live(lifeUp)
	w.away--
	if w.sys.Script != nil { // else nothing depends on which life it is
		ns.lives++
		ns.script = w.sys.Script(w.params, addrOf(i), ns.lives)
		if w.cover != nil {
			w.cover.openings(ns.script)
		}
	}
	w.script.Put(i, len(ns.script) > 0)
	w.sees.Epoch++
	w.sees.Membership++
	w.soil(i)
}

// Heal is a step in which the environment stops misbehaving: a partition ends,
// and what is left of the budgets is void. What faults have caused stays: a
// connection that broke is still to be heard of, a node that is down for good
// stays down. Crashed nodes may restart, as before.
func (w *World) Heal(src choose.Source) Progress {
	w.source = src
	w.coins = w.coins[:0]
	w.question.Runs = nil
	w.question.Kind, w.question.N = choose.Event, 1
	w.healing = true
	k := src.Answer(&w.question)
	w.healing = false
	if k != 0 {
		w.err = src.Err()
		return Stopped
	}
	w.step++
	w.acting, w.current, w.cause = sim.Addr{}, sim.Event{Kind: sim.KindHeal}, -1
	w.effects = w.effects[:0]
	w.left, w.cut, w.early = sim.Faults{}, nil, sim.Unlimited
	w.dirty = w.all()
	w.sums.rest()
	w.weather()
	if w.tracing {
		w.coins, w.facts = nil, nil
		w.record(-1)
	}
	return Stepped
}

// Healed reports whether the environment has nothing left to misbehave with.
func (w *World) Healed() bool {
	return w.left.IsZero() && w.cut == nil && w.early == sim.Unlimited
}

// Settled reports whether the healed form of this state has no event but rare
// ones: nothing will ever change it.
func (w *World) Settled() bool {
	if w.cut != nil || w.away > 0 || w.timers > 0 && (w.sys.Weight == nil || w.early != sim.Unlimited) { // some timers may be held back, others rare
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
	if w.storm {
		n -= len(w.faulty)
	}
	return n == 0
}

var faultNames = sim.FaultNames()

// faultLinks are the links without which a fault cannot happen.
var faultLinks = map[string]sim.Link{"reset": sim.LinkTCP, "loss": sim.LinkUDP, "dup": sim.LinkUDP, "reorder": sim.LinkUDP}

// Idle names a budget that cannot be spent, since nothing was ever sent by the
// link that it needs, or no coin with a rare side was ever asked, in any run of
// this world; "" if there is none.
func (w *World) Idle(f sim.Faults) string {
	for k, name := range faultNames {
		if link := faultLinks[name]; *f.Budget(k) != 0 && link != 0 && !w.used[link] {
			return fmt.Sprintf("the fault %s cannot happen in %s: no node has sent anything by %s", name, w.sys.Name, link)
		}
	}
	if f.Rare != 0 && !w.sided {
		return fmt.Sprintf("the fault rare cannot happen in %s: no node has asked Env.Weighted with a side of weight 0", w.sys.Name)
	}
	return ""
}

// fits is the built-in property of the simulated TCP.
const fits = "tcp: the two ends of a connection keep flags that fit"

func (w *World) checkTCP() *sim.Failure {
	a, b, found := w.tcp.Illegal()
	if !found {
		return nil
	}
	f := w.fail(sim.VerdictSafety, fits, "")
	f.Message = fmt.Sprintf("%s keeps the flags %s about %s, which keeps %s (local error, remote error, open)",
		addrOf(a), w.tcp.Flags(a, b), addrOf(b), w.tcp.Flags(b, a))
	return f
}

// Hasty reports whether the k-th possible event, after Enabled, is a timer that
// fires while a message is under way to its node or from it.
func (w *World) Hasty(k int) bool {
	e, at := w.event(k)
	return e.Kind == sim.KindTimer && w.concerned(int(at.node))
}

// Rare reports whether the k-th possible event is rare, after Enabled.
func (w *World) Rare(k int) bool {
	for _, r := range w.question.Runs {
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
