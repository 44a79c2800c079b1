package world

import (
	"fmt"

	"macemc/choose"
	"macemc/internal/sight"
	"macemc/sim"
)

// Start begins a run: new nodes, empty networks, and Init on every node, in
// order. Choices that Init makes are asked of src. Call it inside Protect.
func (w *World) Start(src choose.Source) {
	w.source, w.failure, w.err = src, nil, nil
	w.step, w.cause, w.current, w.acting, w.running = 0, 0, sim.Event{}, sim.Addr{}, nil
	w.links.tcp.Reset()
	w.links.udp.Reset()
	w.links.set.Reset()
	w.links.acceptedTCP.Clear()
	w.links.acceptedUDP.Clear()
	w.script.Clear()
	w.actions, w.tasks, w.timers.count, w.links.members, w.links.dirty, w.links.guarded = 0, 0, 0, 0, 0, false
	w.sums.reset()
	w.environ.left, w.environ.early, w.environ.cut, w.environ.away, w.environ.gone = w.environ.budgets, w.environ.firings, nil, 0, 0
	w.environ.paused = 0
	w.links.barred, w.links.disturbed = false, false
	w.environ.weather()
	w.trace = sim.Trace{}
	clear(w.audit.told)
	for i := range w.monitors {
		w.monitors[i].Reset()
		if w.audit.on {
			w.audit.remember(w, i)
		}
	}
	w.sees.Membership++
	for i := range w.nodes {
		ns := &w.nodes[i]
		ns.shared = false
		ns.live(lifeUp)
		ns.lives, ns.script = 0, ns.first
		ns.next, ns.seen.Timers, ns.tasks = 0, ns.seen.Timers[:0], ns.tasks[:0]
		ns.disk, ns.clock, ns.ripe = nil, nil, ns.ripe[:0]
		ns.offers, ns.accepted = ns.offers[:0], ns.accepted[:0]
		w.script.Put(i, len(ns.script) > 0)
		w.install(i, w.sys.New(w.params, addrOf(i)))
		if len(ns.script) > 0 && (sim.Event{Kind: sim.KindScript, Value: ns.script[0]}).Joins() {
			ns.live(lifeLate)
			w.environ.gone++
			w.environ.weather()
		}
	}
	if w.cover != nil && w.cover.listed == nil {
		w.cover.listed = []sight.Handler{}
		for i := range w.nodes {
			w.cover.list(w.nodes[i].node)
		}
	}
	for i := range w.nodes {
		late := w.nodes[i].life == lifeLate
		if w.begin(i, sim.Event{}, -1); !late {
			w.nodes[i].node.Init(w.running)
		}
		w.finish(i)
	}
}

// install puts a node into its place.
func (w *World) install(i int, n sim.Node) {
	if n == nil {
		panic(fmt.Sprintf("macemc: system %s: New made a nil node at %s", w.sys.Name, addrOf(i)))
	}
	ns := &w.nodes[i]
	w.put(i, n)
	ns.guards = guardsOf(n)
	w.links.guarded = w.links.guarded || ns.guards.any()
	w.soil(i)
}

// put replaces a node.
func (w *World) put(i int, n sim.Node) {
	ns := &w.nodes[i]
	ns.node, ns.seen.Node = n, sight.Subject(n)
	ns.seen.Version++
	w.sees.Epoch++
	w.changed |= 1 << i
}

// live begins or ends a node's life.
func (ns *nodeState) live(l life) { ns.life, ns.seen.Up = l, l == lifeUp }

// soil notes that a node's offers, acceptance and sum are out of date.
func (w *World) soil(i int) {
	w.links.dirty |= 1 << i
	w.changed |= 1 << i
	w.sums.node(i)
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
	n := w.enabled()
	if n == 0 {
		return Quiet
	}
	w.source = src
	w.coins = w.coins[:0]
	w.question.Kind, w.question.N = choose.Event, n
	k := src.Answer(&w.question)
	if uint(k) >= uint(n) {
		if err := src.Err(); err != choose.ErrOnlyRare {
			w.err = err
			return Stopped
		}
		return Quiet // and the world stands where it stood: it may heal, and go on
	}
	w.step++
	e, cause := w.take(k)
	i := e.Node.Index()
	w.begin(i, e, cause)
	if w.audit.on {
		w.audit.given(w, e)
	}
	if w.cover != nil && e.Kind != sim.KindTimer {
		w.cover.took(&e)
	}
	if i < 0 {
		w.settle(n)
		return Stepped
	}
	ns := &w.nodes[i]
	switch e.Kind {
	case sim.KindMessage, sim.KindReorder:
		ns.node.Deliver(w.running, e.From, e.Value)
	case sim.KindScript:
		switch {
		case e.Joins():
			ns.node.Init(w.running)
		case e.Leaves():
			w.loseDisk(i)
		default:
			ns.node.Handle(w.running, e.Value)
		}
	case sim.KindAction, sim.KindTask, sim.KindTimer:
		ns.node.Handle(w.running, e.Value)
	case sim.KindError:
		ns.node.Handle(w.running, sim.PeerError{Peer: e.From, Cause: sim.CauseReset})
	case sim.KindRefused:
		if e.Link == sim.LinkTCP {
			ns.node.Handle(w.running, sim.PeerError{Peer: e.From, Cause: sim.CauseRefused})
		}
	case sim.KindClear:
		ns.node.Handle(w.running, sim.ClearToSend{Peer: e.From})
	case sim.KindFlushed:
		ns.node.Handle(w.running, sim.Flushed{})
	case sim.KindRestart:
		ns.node.Init(w.running)
	case sim.KindCrash, sim.KindDown:
		w.loseDisk(i)
	case sim.KindBreak, sim.KindReset, sim.KindLose, sim.KindDuplicate, sim.KindPause, sim.KindResume: // no handler runs
	default:
		panic(fmt.Sprintf("macemc bug: sim: nobody handles a %s event", e.Kind))
	}
	w.finish(i)
	if w.tracing {
		w.trace.Steps[len(w.trace.Steps)-1].Possible = n
	}
	return Stepped
}

// settle ends a step of the network as a whole, in which no handler ran.
func (w *World) settle(possible int) {
	w.running = nil
	if w.tracing {
		w.record(-1)
		w.trace.Steps[len(w.trace.Steps)-1].Possible = possible
	}
}

// begin prepares a handler's run.
func (w *World) begin(i int, e sim.Event, cause int) {
	w.acting, w.current, w.cause = addrOf(i), e, cause
	w.audit.handed = w.audit.handed[:0]
	w.calls, w.effects, w.clocked, w.tossed, w.ticking = 0, w.effects[:0], w.clocked[:0], false, false
	if w.spending {
		clear(w.spent)
		w.spending = false
	}
	if w.tracing {
		w.coins, w.facts = nil, nil
	}
	if i >= 0 {
		if w.nodes[i].shared {
			w.own(i)
		}
		w.unstored, w.stored = w.nodes[i].disk, w.stored[:0]
		w.running = w.envFor(i, e.Kind == 0 || e.Kind == sim.KindRestart || e.Joins())
	}
	if !w.sprint {
		w.watch.start()
	}
}

// finish applies what the handler did.
func (w *World) finish(i int) {
	w.running = nil
	if w.failure != nil || w.err != nil { // the handler recovered what stopped it
		panic(stopRun{})
	}
	if !w.sprint {
		if f := w.strayed(); f != nil {
			w.stop(f)
		}
	}
	if w.nodes[i].disk != nil || len(w.stored) > 0 {
		w.mayCrash(i)
	}
	w.soil(i)
	w.apply(i)
	w.settleTimes(i)
	if w.audit.on {
		w.checkAudit(i)
	}
	if w.tracing {
		w.record(i)
	}
}

// Begun is what is known of the k-th possible event, after Enabled, before it is
// taken: the step that it would be, cut.
func (w *World) Begun(k int) sim.Step {
	e, at := w.event(k)
	return sim.Step{Index: w.step + 1, Node: e.Node, Event: e, Cause: int(at.cause), Cut: true}
}

// record appends the step that has just run to the trace.
func (w *World) record(i int) {
	s := sim.Step{
		Index: w.step, Node: addrOf(i), Event: w.current, Identity: w.identity(), Cause: w.cause,
		Coins: w.coins, Facts: w.facts, Effects: append([]sim.Effect{}, w.effects...),
	}
	if w.current.Kind == 0 {
		w.trace.Starts = append(w.trace.Starts, s)
	} else {
		w.trace.Steps = append(w.trace.Steps, s)
	}
}

// recordCut appends the step that the service failed within, if it did.
func (w *World) recordCut() {
	if !w.tracing || w.failure == nil {
		return
	}
	t := &w.trace
	switch n := len(t.Steps); {
	case w.current.Kind != 0 && (n == 0 || t.Steps[n-1].Index != w.step):
		w.record(w.acting.Index())
		t.Steps[n].Cut, t.Steps[n].Possible = true, w.question.N
	case w.current.Kind == 0 && !w.acting.IsZero() && len(t.Starts) <= w.acting.Index():
		w.record(w.acting.Index())
		t.Starts[len(t.Starts)-1].Cut = true
	}
}

// identity is the identity of the event that is running.
func (w *World) identity() string {
	if w.current.Kind == 0 {
		if w.acting.IsZero() {
			return ""
		}
		return w.acting.String() + " start"
	}
	if w.audit.on && w.current.Kind != sim.KindHeal { // the handler may have changed what it was given
		return w.audit.event
	}
	return w.text(w.current)
}
