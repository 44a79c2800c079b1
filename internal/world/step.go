package world

import (
	"macemc/choose"
	"macemc/internal/handler"
	"macemc/internal/state"
	"macemc/sim"
)

// Start begins a run: it makes new nodes, empties the networks, and calls Init on every node, in order. src
// answers the choices that Init makes. It must be called inside Protect.
func (w *World) Start(src choose.Source) {
	w.Run.stand(0)
	w.Run.follows(src)
	w.Links.Start()
	w.nodes.start()
	w.sums.Reset()
	w.Environ.start()
	w.Judge.Start()
	if w.audit != nil {
		w.audit.Start()
	}
	for i := range w.nodes.at {
		w.nodes.renew(i)
		if w.nodes.at[i].joins() {
			w.Environ.late(i)
		}
	}
	if w.cover != nil && !w.cover.Listed() {
		w.cover.List(w.nodes.all())
	}
	for i := range w.nodes.at {
		late := w.nodes.at[i].life == lifeLate
		w.Run.beginStart(i)
		w.Links.Forget()
		if w.ready(i); !late {
			w.Run.did.Start(w.nodes.at[i].node)
		}
		w.finish(i)
	}
}

// Progress is the result of a call of Step.
type Progress uint8

// The outcomes of Step.
const (
	Stepped Progress = iota + 1 // a step was taken
	Quiet                       // no event is possible, or only rare ones that the source does not pick
	Stopped                     // the source did not answer: Err returns the reason
)

// Step lets the source choose one of the possible events, and takes it. It must be called inside Protect,
// since a handler that fails unwinds the run.
func (w *World) Step(src choose.Source) Progress {
	w.settle()
	n := w.Events.Count()
	if n == 0 {
		return Quiet
	}
	k := w.Run.ask(src, n, w.Events.runs)
	if uint(k) >= uint(n) {
		if err := src.Err(); err != choose.ErrOnlyRare {
			w.Run.refused()
			return Stopped
		}
		return Quiet // the state is unchanged, so the caller may heal the environment and continue
	}
	e := w.Run.next()
	w.Events.write(k, e)
	w.happens(e)
	return Stepped
}

// Follow takes the step that another world of the same system has just taken from the same state, without
// listing the possible events. src repeats the answers to its coins. Follow does nothing and reports false if
// no node handles the event.
func (w *World) Follow(of *World, src choose.Source) bool {
	switch of.Run.current.Kind {
	case sim.KindMessage, sim.KindTimer, sim.KindTask, sim.KindAction, sim.KindScript:
	default:
		return false
	}
	e := w.Run.next()
	*e = of.Run.current
	w.Run.follows(src)
	w.happens(e)
	return true
}

// happens takes event e, which the run already has as its present step.
func (w *World) happens(e *happening) {
	w.Run.acts()
	w.Links.Forget()
	if w.sums.Touched().On() {
		w.sums.Touched().Begin()
		w.Events.enabled(e)
	}
	w.take(e)
	i := e.Node.Index()
	w.ready(i)
	if w.audit != nil {
		w.Run.gives(w.audit.GiveEvent(e.Event))
	}
	if w.cover != nil && e.Kind != sim.KindTimer {
		w.cover.Took(&e.Event)
	}
	if i < 0 {
		w.finishNetwork()
		return
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
}

// finishNetwork ends a step of the network in which no handler ran.
func (w *World) finishNetwork() {
	w.Run.did.End()
	if w.tracing {
		w.Run.record(-1, w.Links.TCP().Lost())
	}
}

// ready prepares for a handler of node i.
func (w *World) ready(i int) {
	if i >= 0 {
		w.work.ran()
		if w.nodes.at[i].shared {
			w.nodes.own(i)
		}
		w.disks.begin()
		if w.audit != nil {
			w.audit.Begin()
		}
		w.Run.did.Run(w.envFor(i), w.nodes.at[i].clock != nil)
		if w.cover != nil && w.charted() {
			w.cover.Watch(w.nodes.at[i].node)
		}
	}
	if !w.sprint {
		w.watch.Start()
	}
}

// finish applies the effects of the handler, and checks and records the step.
func (w *World) finish(i int) {
	w.Run.did.End()
	if w.cover != nil && w.charted() {
		w.cover.Unwatch(w.nodes.at[i].node)
	}
	if w.Run.failure != nil || w.Run.err != nil { // the handler recovered from the panic by which the run was stopped
		panic(stopRun{})
	}
	if !w.sprint {
		if f := w.strayed(); f != nil {
			w.Run.stop(f)
		}
	}
	if w.within || w.nodes.at[i].disk != nil || len(w.disks.stored) > 0 {
		w.disks.mayCrash(i)
	}
	w.nodes.soil(i)
	w.apply(i)
	if w.Run.did.WroteTime() {
		w.untold(i)
	}
	w.nodes.settleTimes(i)
	if w.audit != nil {
		w.audited(i)
	}
	if w.tracing {
		w.Run.record(i, w.Links.TCP().Lost())
	}
}

// Heal takes a step in which the environment stops misbehaving: a partition ends, paused
// nodes continue, and the remaining budgets are void. The consequences of faults stay: a
// broken connection is still reported to its node, and a node that is down for good stays
// down. Crashed nodes may restart, as before.
func (w *World) Heal(src choose.Source) Progress {
	w.settle()
	if !w.Run.askHeal(src) {
		w.Run.refused()
		return Stopped
	}
	w.Run.heal()
	w.Links.Forget()
	w.Environ.heal()
	if w.tracing {
		w.Run.record(-1, w.Links.TCP().Lost())
	}
	return Stepped
}

// charted reports whether any node of the system is a state machine. It may be called when a handler runs,
// since all nodes exist by then.
func (w *World) charted() bool {
	is, known := w.cover.Charted()
	if !known {
		is = w.cover.Examine(w.nodes.all())
	}
	return is
}

// audited checks that the step of node i changed nothing but the node.
func (w *World) audited(i int) {
	changed := w.audit.Check(i, w.Run.current.Kind == 0)
	if w.cover != nil {
		w.cover.Audited(&w.Run.current.Event, len(w.Run.Effects()) > 0 || changed)
	}
	w.audit.CheckMonitors(w.Run.acting)
}

// take consumes the message, task, timer or request of an event.
func (w *World) take(e *happening) {
	i := int(e.At)
	switch e.Kind {
	case sim.KindScript:
		w.nodes.script.Put(i, w.nodes.at[i].advance())
		if e.Joins() {
			w.Environ.join(i)
		} else if e.Leaves() {
			w.Environ.leave(i)
		}
	case sim.KindAction: // nothing is consumed: the action is possible for as long as the node offers it
	case sim.KindTask:
		w.nodes.do(i, int(e.Slot))
	case sim.KindMessage:
		if w.audit != nil {
			w.audit.Give(w.Links.Head(e.Link, e.Spot))
		}
		w.Run.takes(w.Links.Receive(e.Link, e.Spot))
	case sim.KindQuorum:
		w.nodes.at[i].assembly.gather(&w.Links, int(e.Slot), w.Run.takes)
	case sim.KindTimer:
		w.Environ.fires(i)
		w.nodes.fire(i, int(e.Slot))
	default:
		w.Environ.take(e)
	}
}

// envFor returns the Env for the next handler of node i. In an audit each handler has a new Env, so that the
// use of an earlier one is always noticed.
func (w *World) envFor(i int) *handler.Env {
	e := &w.Run.current
	init := e.Kind == 0 || e.Kind == sim.KindRestart || e.Joins()
	if w.audit != nil {
		e := new(handler.Env)
		e.Bind(&w.Run.did, state.AddrOf(i), w.peers[i], init)
		return e
	}
	return w.nodes.envs[i].Next(init)
}
