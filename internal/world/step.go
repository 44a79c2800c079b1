package world

import (
	"fmt"

	"macemc/choose"
	"macemc/internal/handler"
	"macemc/internal/sight"
	"macemc/sim"
)

// Start begins a run: new nodes, empty networks, and Init on every node, in
// order. Choices that Init makes are asked of src. Call it inside Protect.
func (w *World) Start(src choose.Source) {
	w.Run.start()
	w.Run.follows(src)
	w.Links.start()
	w.nodes.start()
	w.sums.reset()
	w.Environ.start()
	w.Judge.start()
	w.audit.start()
	for i := range w.nodes.at {
		w.nodes.renew(i)
		if w.nodes.joins(i) {
			w.nodes.at[i].live(lifeLate)
			w.Environ.gone++
			w.Environ.weather()
		}
	}
	if w.cover != nil && w.cover.listed == nil {
		w.cover.listed = []sight.Handler{}
		for i := range w.nodes.at {
			w.cover.list(w.nodes.at[i].node)
		}
	}
	for i := range w.nodes.at {
		late := w.nodes.at[i].life == lifeLate
		w.Run.beginStart(i)
		if w.ready(i); !late {
			w.Run.did.Start(w.nodes.at[i].node)
		}
		w.finish(i)
	}
}

// Progress is what became of a call of Step.
type Progress uint8

// The outcomes of Step.
const (
	Stepped Progress = iota + 1 // a step was taken
	Quiet                       // no event is possible, or only rare ones, which the source does not pick
	Stopped                     // the source refused: see Err
)

// Step lets the source choose one of the enabled events and takes it. Call it
// inside Protect: a handler that fails unwinds the run.
func (w *World) Step(src choose.Source) Progress {
	n := w.Events.Count()
	if n == 0 {
		return Quiet
	}
	k := w.Run.ask(src, n, w.Events.runs)
	if uint(k) >= uint(n) {
		if err := src.Err(); err != choose.ErrOnlyRare {
			w.Run.refused(err)
			return Stopped
		}
		return Quiet // and the world stands where it stood: it may heal, and go on
	}
	e := w.Run.next()
	w.Events.write(k, e)
	w.Run.acts()
	w.take(e)
	i := e.Node.Index()
	w.ready(i)
	if w.auditing {
		w.audit.given(e.Event)
	}
	if w.cover != nil && e.Kind != sim.KindTimer {
		w.cover.took(&e.Event)
	}
	if i < 0 {
		w.finishNetwork()
		return Stepped
	}
	w.Run.did.Dispatch(w.nodes.at[i].node, &e.Event)
	switch e.Kind {
	case sim.KindCrash, sim.KindDown:
		w.disks.loseDisk(i)
	case sim.KindScript:
		if e.Leaves() {
			w.disks.loseDisk(i)
		}
	}
	w.finish(i)
	return Stepped
}

// finishNetwork ends a step of the network as a whole, in which no handler ran.
func (w *World) finishNetwork() {
	w.Run.did.End()
	if w.tracing {
		w.Run.record(-1)
	}
}

// ready prepares a handler's run.
func (w *World) ready(i int) {
	if i >= 0 {
		if w.nodes.at[i].shared {
			w.nodes.own(i)
		}
		w.disks.begin()
		if w.auditing {
			w.audit.begin()
		}
		w.Run.did.Run(w.envFor(i), w.nodes.at[i].clock != nil)
		if w.cover != nil && w.cover.hasCharts(w.nodes.at) {
			watchCharts(w.nodes.at[i].node, &w.cover.charts)
		}
	}
	if !w.sprint {
		w.watch.start()
	}
}

// finish applies what the handler did.
func (w *World) finish(i int) {
	w.Run.did.End()
	if w.cover != nil && w.cover.charted == chartedYes {
		watchCharts(w.nodes.at[i].node, nil)
	}
	if w.Run.failure != nil || w.Run.err != nil { // the handler recovered what stopped it
		panic(stopRun{})
	}
	if !w.sprint {
		if f := w.strayed(); f != nil {
			w.Run.stop(f)
		}
	}
	if w.nodes.at[i].disk != nil || len(w.disks.stored) > 0 {
		w.disks.mayCrash(i)
	}
	w.nodes.soil(i)
	w.apply(i)
	w.nodes.settleTimes(i)
	if w.auditing {
		w.audit.check(i)
	}
	if w.tracing {
		w.Run.record(i)
	}
}

// Heal is a step in which the environment stops misbehaving: a partition ends,
// paused nodes go on, and what is left of the budgets is void. What faults have caused stays: a
// connection that broke is still to be heard of, a node that is down for good
// stays down. Crashed nodes may restart, as before.
func (w *World) Heal(src choose.Source) Progress {
	if !w.Run.askHeal(src) {
		w.Run.refused(src.Err())
		return Stopped
	}
	w.Run.heal()
	w.Environ.heal()
	if w.tracing {
		w.Run.record(-1)
	}
	return Stepped
}

// take consumes an event.
func (w *World) take(e *happening) {
	i := int(e.node)
	ns := &w.nodes.at[i]
	switch e.Kind {
	case sim.KindScript:
		ns.next++
		w.nodes.script.Put(i, ns.next < len(ns.script))
		if e.Joins() {
			w.Environ.join(i)
		} else if e.Leaves() {
			w.Environ.leave(i)
		}
	case sim.KindAction: // stays offered for as long as the node offers it
	case sim.KindTask:
		if t := &ns.tasks[e.slot]; t.count > 1 {
			t.count--
		} else {
			ns.tasks = append(ns.tasks[:e.slot], ns.tasks[e.slot+1:]...)
			w.nodes.tasks--
		}
	case sim.KindMessage:
		w.receive(e)
	case sim.KindTimer:
		if w.cover != nil {
			w.timers.noted[ns.seen.Timers[e.slot].Number].tally.happened++
		}
		if w.Environ.early > 0 && w.Links.concerned(i) {
			w.Environ.early--
			w.sums.rest()
		}
		if w.pace != nil {
			w.nodes.fire(i, int(e.slot))
		}
		ns.seen.Timers = append(ns.seen.Timers[:e.slot], ns.seen.Timers[e.slot+1:]...)
		w.timers.count--
	default:
		w.Environ.take(e)
	}
}

// receive takes a message off its link.
func (w *World) receive(e *happening) {
	c := int(e.channel)
	switch link := e.Link; link {
	case sim.LinkTCP:
		p, opened := w.Links.tcp.Pop(c)
		w.Run.gave(p)
		w.sums.tcp(c)
		if opened {
			w.Links.bothEnds(c)
		}
	case sim.LinkUDP:
		w.Run.gave(w.Links.udp.Pop(c))
		w.sums.udp(c)
	case sim.LinkSet, sim.LinkBag:
		w.Run.gave(w.Links.set.Take(int(e.node), int(e.slot)))
		if link == sim.LinkBag {
			w.sums.set(int(e.node))
			w.Links.dirty |= 1 << e.node
		}
	default:
		panic(fmt.Sprintf("macemc bug: sim: cannot receive by %s", link))
	}
}

// envFor is the Env of the handler of node i that is about to run. In an audit each
// handler has a new one, so that no Env that was kept passes for the handler's own.
func (w *World) envFor(i int) *handler.Env {
	e := &w.Run.current
	init := e.Kind == 0 || e.Kind == sim.KindRestart || e.Joins()
	if w.auditing {
		e := new(handler.Env)
		e.Bind(&w.Run.did, addrOf(i), w.peers[i], init)
		return e
	}
	return w.nodes.envs[i].Next(init)
}
