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
	w.Run.start(src)
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
		if w.begin(i, sim.Event{}, -1); !late {
			w.nodes.at[i].node.Init(w.Run.running)
		}
		w.finish(i)
	}
}

// start forgets the run that was.
func (r *Run) start(src choose.Source) {
	r.forget()
	r.source = src
	r.step, r.cause, r.current, r.acting = 0, 0, sim.Event{}, sim.Addr{}
	r.trace = sim.Trace{}
}

// forget leaves nothing of the last step: the world is put where another run was.
func (r *Run) forget() {
	r.failure, r.err = nil, nil
	r.running, r.effects = nil, r.effects[:0]
}

// start empties all links.
func (l *Links) start() {
	l.tcp.Reset()
	l.udp.Reset()
	l.set.Reset()
	l.acceptedTCP.Clear()
	l.acceptedUDP.Clear()
	l.members, l.dirty, l.guarded, l.barred, l.disturbed = 0, 0, false, false, false
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

// start gives the environment what it has for a run.
func (e *Environment) start() {
	e.left, e.early, e.cut, e.away, e.gone, e.paused = e.budgets, e.firings, nil, 0, 0, 0
	e.weather()
}

// start makes the monitors forget.
func (j *Judge) start() {
	for i := range j.monitors {
		j.monitors[i].Reset()
	}
}

// install puts a node into its place.
func (all *nodes) install(i int, n sim.Node) {
	if n == nil {
		panic(fmt.Sprintf("macemc: system %s: New made a nil node at %s", all.sys.Name, addrOf(i)))
	}
	ns := &all.at[i]
	all.put(i, n)
	ns.guards = guardsOf(n)
	all.links.guarded = all.links.guarded || ns.guards.any()
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

// live begins or ends a node's life.
func (ns *nodeState) live(l life) { ns.life, ns.seen.Up = l, l == lifeUp }

// soil notes that a node's offers, acceptance and sum are out of date.
func (all *nodes) soil(i int) {
	all.links.dirty |= 1 << i
	all.changed |= 1 << i
	all.sums.node(i)
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
	k := w.Run.ask(src, n, w.Events.runs, possible{&w.Events})
	if uint(k) >= uint(n) {
		if err := src.Err(); err != choose.ErrOnlyRare {
			w.Run.err = err
			return Stopped
		}
		return Quiet // and the world stands where it stood: it may heal, and go on
	}
	w.Run.step++
	e, cause := w.take(k)
	i := e.Node.Index()
	w.begin(i, e, cause)
	if w.auditing {
		w.audit.given(e)
	}
	if w.cover != nil && e.Kind != sim.KindTimer {
		w.cover.took(&e)
	}
	if i < 0 {
		w.finishNetwork(n)
		return Stepped
	}
	ns := &w.nodes.at[i]
	switch e.Kind {
	case sim.KindMessage, sim.KindReorder:
		ns.node.Deliver(w.Run.running, e.From, e.Value)
	case sim.KindScript:
		switch {
		case e.Joins():
			ns.node.Init(w.Run.running)
		case e.Leaves():
			w.disks.loseDisk(i)
		default:
			ns.node.Handle(w.Run.running, e.Value)
		}
	case sim.KindAction, sim.KindTask, sim.KindTimer:
		ns.node.Handle(w.Run.running, e.Value)
	case sim.KindError:
		ns.node.Handle(w.Run.running, sim.PeerError{Peer: e.From, Cause: sim.CauseReset})
	case sim.KindRefused:
		if e.Link == sim.LinkTCP {
			ns.node.Handle(w.Run.running, sim.PeerError{Peer: e.From, Cause: sim.CauseRefused})
		}
	case sim.KindClear:
		ns.node.Handle(w.Run.running, sim.ClearToSend{Peer: e.From})
	case sim.KindFlushed:
		ns.node.Handle(w.Run.running, sim.Flushed{})
	case sim.KindRestart:
		ns.node.Init(w.Run.running)
	case sim.KindCrash, sim.KindDown:
		w.disks.loseDisk(i)
	case sim.KindBreak, sim.KindReset, sim.KindLose, sim.KindDuplicate, sim.KindPause, sim.KindResume: // no handler runs
	default:
		panic(fmt.Sprintf("macemc bug: sim: nobody handles a %s event", e.Kind))
	}
	w.finish(i)
	if w.tracing {
		w.Run.trace.Steps[len(w.Run.trace.Steps)-1].Possible = n
	}
	return Stepped
}

// finishNetwork ends a step of the network as a whole, in which no handler ran.
func (w *World) finishNetwork(possible int) {
	w.Run.running = nil
	if w.tracing {
		w.Run.record(-1)
		w.Run.trace.Steps[len(w.Run.trace.Steps)-1].Possible = possible
	}
}

// begin prepares a handler's run.
func (w *World) begin(i int, e sim.Event, cause int) {
	w.Run.begin(i, e, cause)
	if i >= 0 {
		if w.nodes.at[i].shared {
			w.nodes.own(i)
		}
		w.Run.unstored, w.Run.stored = w.nodes.at[i].disk, w.Run.stored[:0]
		w.Run.running = w.envFor(i, e.Kind == 0 || e.Kind == sim.KindRestart || e.Joins())
	}
	if !w.sprint {
		w.watch.start()
	}
}

// begin makes another event the one that is running.
func (r *Run) begin(i int, e sim.Event, cause int) {
	r.acting, r.current, r.cause, r.named = addrOf(i), e, cause, ""
	r.calls, r.effects, r.clocked, r.tossed, r.ticking = 0, r.effects[:0], r.clocked[:0], false, false
	r.handed = r.handed[:0]
	if r.spending {
		clear(r.spent)
		r.spending = false
	}
	if r.tracing {
		r.coins, r.facts = nil, nil
	}
}

// finish applies what the handler did.
func (w *World) finish(i int) {
	w.Run.running = nil
	if w.Run.failure != nil || w.Run.err != nil { // the handler recovered what stopped it
		panic(stopRun{})
	}
	if !w.sprint {
		if f := w.strayed(); f != nil {
			w.Run.stop(f)
		}
	}
	if w.nodes.at[i].disk != nil || len(w.Run.stored) > 0 {
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

// Begun is what is known of the k-th possible event, after Count, before it is
// taken: the step that it would be, cut.
func (es *Events) Begun(k int) sim.Step {
	e, at := es.event(k)
	return sim.Step{Index: es.run.step + 1, Node: e.Node, Event: e, Cause: int(at.cause), Cut: true}
}

// record appends the step that has just run to the trace.
func (r *Run) record(i int) {
	s := sim.Step{
		Index: r.step, Node: addrOf(i), Event: r.current, Identity: r.identity(), Cause: r.cause,
		Coins: r.coins, Facts: r.facts, Effects: append([]sim.Effect{}, r.effects...),
	}
	if r.current.Kind == 0 {
		r.trace.Starts = append(r.trace.Starts, s)
	} else {
		r.trace.Steps = append(r.trace.Steps, s)
	}
}

// recordCut appends the step that the service failed within, if it did.
func (r *Run) recordCut() {
	if !r.tracing || r.failure == nil {
		return
	}
	all := &r.trace
	switch n := len(all.Steps); {
	case r.current.Kind != 0 && (n == 0 || all.Steps[n-1].Index != r.step):
		r.record(r.acting.Index())
		all.Steps[n].Cut, all.Steps[n].Possible = true, r.question.N
	case r.current.Kind == 0 && !r.acting.IsZero() && len(all.Starts) <= r.acting.Index():
		r.record(r.acting.Index())
		all.Starts[len(all.Starts)-1].Cut = true
	}
}

// identity is the identity of the event that is running.
func (r *Run) identity() string {
	if r.current.Kind == 0 {
		if r.acting.IsZero() {
			return ""
		}
		return r.acting.String() + " start"
	}
	if r.named != "" {
		return r.named
	}
	return r.timers.text(r.current)
}
