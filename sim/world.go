package sim

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/netsim"
)

// callsMost is how many calls of Env a step may make: a handler that asks for
// more is taken to loop for ever.
const callsMost = 100_000

// World is one run of a system: its nodes, what is under way between them,
// and what is possible now. It takes one step at a time and never searches.
// It is used by one goroutine, and used again for the next run: Start.
type World struct {
	sys    *System
	params Params
	n      int
	peers  [][]Addr
	walker *canon.Walker

	nodes  []nodeState
	net    Network
	tcp    *netsim.TCP
	udp    *netsim.FIFO
	set    *netsim.Set
	openT  netsim.Bits // channels of tcp whose head its receiver accepts
	openU  netsim.Bits
	script netsim.Bits // nodes whose script has an opening left

	// What is enabled, counted as it changes.
	actions, tasks, timers int
	members                int // of sets, that their nodes accept; not kept where nobody could decline: see openSet

	guarded bool   // some node has Offers or Accepts
	barred  bool   // some node does not listen, or there is a partition
	dirty   uint64 // nodes whose offers and acceptance are out of date, where that matters

	// The environment: see environment.go.
	faults     Faults // the budgets of a run
	left       Faults // and what is left of them
	firings    int    // early firings of a run
	early      int    // and how many are left; Unlimited
	cut        *cut
	away, gone int
	storm      bool // there is something of all this
	disturbed  bool // a connection was reset or broke
	healing    bool // the question is whether to heal
	aftermath  []happening
	faulty     []happening
	splits     []any
	used       [links]bool // by which something was sent, in any run
	sided      bool        // a coin with rare sides was asked, in any run

	always     []stateCheck
	eventually []stateCheck
	monitors   []monitor
	within     stateCheck
	assume     stateCheck

	known   map[any]*timerInfo
	recents []*timerInfo // the first few of known

	// The step that is running.
	source   choose.Source
	question choose.Question
	sides    []choose.Run // of the coin that is asked
	asked    asked
	step     int
	acting   Addr
	current  Event
	cause    int
	running  *env
	unwound  bool   // by runtime.Goexit
	hook     string // what else of the system is asked, where it is known
	calls    int
	effects  []Effect
	spent    []int // by node: the room in the buffer to it that this step has used
	tossed   bool  // a coin with rare sides was asked in this step
	spending bool  // some of it is not 0

	failure *Failure
	err     error

	// What the views of properties go by.
	sights     map[reflect.Type]any
	epoch      int  // grows when a node is replaced
	membership int  // grows when another set of nodes is up, or all are replaced
	counted    bool // a view has counted the messages under way

	sums   sums
	audit  auditor
	watch  goroutineWatch
	sprint bool
	cover  *Coverage // nil: nobody asked

	tracing bool
	trace   Trace
	coins   []choose.Choice
	facts   []Fact
}

// nodeState is a node and what the World keeps for it.
type nodeState struct {
	node    Node
	env     env
	shared  bool // the node is a bank's: copy it before a handler runs
	version int  // grows when the node is replaced
	life    life
	lives   int      // how often it was restarted
	first   []Signal // the script of its first life
	script  []Signal
	next    int // the opening that comes next
	timers  []scheduled
	tasks   []posted

	offerers  []Offerer
	accepters []Accepter
	offers    []Signal
	accepted  []int32 // indices of the members of the node's set that it accepts
}

// timerInfo is a timer's value with its identity; there is one per value in a
// World, so that timers are compared by pointer.
type timerInfo struct {
	signal Signal
	sum    canon.Hash
	tally  *tally   // nil: nobody asked
	told   []string // by node, the identity of its event as text, once it was asked for
}

// scheduled is a timer that may fire, and the step that scheduled it. A node's
// are ordered by identity.
type scheduled struct {
	*timerInfo
	step int32
}

// posted is a task that may run, how many equal ones there are, and the step
// that posted the first. A node's are ordered by identity.
type posted struct {
	signal Signal
	sum    canon.Hash
	count  int
	step   int32
}

// Config says what a World does besides running.
type Config struct {
	// Only restricts the properties to these names; nil: all.
	Only []string
	// Trace records every step, with effects and facts.
	Trace bool
	// Audit checks after every step that nothing changed but the node that
	// ran: messages under way, and the other nodes.
	Audit bool
	// Sprint looks for goroutines that handlers have started once, when Protect
	// ends, and not after every step: the step that is told is then the last.
	Sprint bool
	// Faults are the budgets of each run.
	Faults Faults
	// Early is how often timers may fire in a run while messages are under
	// way to or from their node, plus one; 0: unlimited.
	Early int
	// Network overrides what the system says of its links.
	Network Network
	// Coverage is told what runs exercise; nil: nobody is.
	Coverage *Coverage
}

// NewWorld makes a world for runs of sys with these params, which Configure
// made. The system must be valid: see Validate.
func NewWorld(sys *System, params Params, config Config) (*World, error) {
	params, err := sys.resolve(params)
	if err != nil {
		return nil, err
	}
	walker, err := canon.New(canon.Options{
		Opaque: sys.Opaque,
		Skip:   []reflect.Type{reflect.TypeFor[Env](), reflect.TypeFor[simPort]()},
		Named:  []reflect.Type{reflect.TypeFor[Addr]()},
	})
	if err != nil {
		return nil, fmt.Errorf("system %s: %w", sys.Name, err)
	}
	if params.cover = config.Coverage; params.cover != nil {
		params.cover.prepare(params)
	}
	n := params.Nodes
	w := &World{
		sys: sys, params: params, n: n, walker: walker,
		nodes: make([]nodeState, n), peers: make([][]Addr, n), spent: make([]int, n),
		udp: netsim.NewFIFO(n), set: netsim.NewSet(n),
		openT: netsim.NewBits(n * n), openU: netsim.NewBits(n * n), script: netsim.NewBits(n),
		sights: map[reflect.Type]any{}, known: map[any]*timerInfo{}, recents: make([]*timerInfo, 0, 8), tracing: config.Trace,
	}
	if sys.Network != nil {
		if err := guard("Network", func() { w.net = sys.Network(params) }); err != nil {
			return nil, err
		}
	}
	w.net = w.net.over(config.Network)
	w.net.TCPBuffer = cmp.Or(w.net.TCPBuffer, netsim.BufferDefault)
	w.net.UDPCapacity = cmp.Or(w.net.UDPCapacity, udpCapacityDefault)
	w.tcp = netsim.NewTCP(n, w.net.TCPBuffer, w.net.Flaws...)
	w.faults, w.firings = config.Faults, config.Early-1
	if err := sys.CanFail(params, w.faults); err != nil {
		return nil, err
	}
	w.sums.init(n)
	w.audit.on, w.sprint = config.Audit, config.Sprint
	w.asked.w = w
	w.question.Alternatives = &w.asked
	all := params.Addrs()
	for i := range w.nodes {
		w.nodes[i].env.bind(w, addrOf(i))
		if sys.Script != nil {
			if err := guard("Script", func() { w.nodes[i].first = sys.Script(params, addrOf(i), 0) }); err != nil {
				return nil, fmt.Errorf("at %s, %w", addrOf(i), err)
			}
			if slices.Contains(w.nodes[i].first, nil) {
				return nil, fmt.Errorf("the Script of %s has a nil signal; a signal is a value of a type of its own", addrOf(i))
			}
		}
		w.peers[i] = append(append([]Addr{}, all[:i]...), all[i+1:]...)
	}
	if err := w.bindProperties(config.Only); err != nil {
		return nil, err
	}
	if w.audit.on {
		w.auditProperties()
	}
	if w.cover = config.Coverage; w.cover != nil {
		w.cover.bind(w)
	}
	return w, nil
}

func (w *World) bindProperties(only []string) error {
	wanted := map[string]bool{}
	for _, name := range only {
		wanted[name] = true
	}
	for _, p := range w.sys.Properties {
		if len(only) > 0 && !wanted[p.Name] {
			continue
		}
		delete(wanted, p.Name)
		switch p.kind {
		case propertyAlways:
			w.always = append(w.always, p.state(w))
		case propertyEventually:
			w.eventually = append(w.eventually, p.state(w))
		case propertyMonitor:
			w.monitors = append(w.monitors, p.monitor())
		case propertySteps: // needs two worlds: see StepChecks
		default:
			return fmt.Errorf("system %s: property %q was not made by Always, Eventually, Steps or Monitor", w.sys.Name, p.Name)
		}
	}
	for _, name := range only {
		if wanted[name] {
			var names []string
			for _, p := range w.sys.Properties {
				names = append(names, p.Name)
			}
			return fmt.Errorf("%s has no property %q; it has %s", w.sys.Name, name, strings.Join(names, "; "))
		}
	}
	if !w.sys.Within.IsZero() {
		w.within = w.sys.Within.state(w)
	}
	if !w.sys.Assume.IsZero() {
		w.assume = w.sys.Assume.state(w)
	}
	return nil
}

// System is what the world runs.
func (w *World) System() *System { return w.sys }

// Params are the values in force.
func (w *World) Params() Params { return w.params }

// Walker tells values as text, in the way that the state is told.
func (w *World) Walker() *canon.Walker { return w.walker }

// Err is why the run stopped without a failure: the source's refusal, or
// something that this build cannot do.
func (w *World) Err() error { return w.err }

// Unsupported reports whether an error says that this build cannot do what a
// service asked for.
func Unsupported(err error) bool {
	var u unsupported
	return errors.As(err, &u)
}

// Steps is the number of steps taken since Start.
func (w *World) Steps() int { return w.step }

// Trace is the record of the run, if Config asked for it. It is the World's
// own: Start empties it.
func (w *World) Trace() *Trace { return &w.trace }

// Start begins a run: new nodes, empty networks, and Init on every node, in
// order. Choices that Init makes are asked of src. Call it inside Protect.
func (w *World) Start(src choose.Source) {
	w.source, w.failure, w.err = src, nil, nil
	w.step, w.cause, w.current, w.acting, w.running = 0, 0, Event{}, Addr{}, nil
	w.tcp.Reset()
	w.udp.Reset()
	w.set.Reset()
	w.openT.Clear()
	w.openU.Clear()
	w.script.Clear()
	w.actions, w.tasks, w.timers, w.members, w.dirty, w.guarded = 0, 0, 0, 0, 0, false
	w.sums.reset()
	w.left, w.early, w.cut, w.away, w.gone = w.faults, w.firings, nil, 0, 0
	w.barred, w.disturbed = false, false
	w.weather()
	w.trace = Trace{}
	clear(w.audit.told)
	for i := range w.monitors {
		w.monitors[i].reset()
		if w.audit.on {
			w.audit.remember(w, i)
		}
	}
	w.membership++
	for i := range w.nodes {
		ns := &w.nodes[i]
		ns.shared = false
		ns.life, ns.lives, ns.script = lifeUp, 0, ns.first
		ns.next, ns.timers, ns.tasks = 0, ns.timers[:0], ns.tasks[:0]
		ns.offers, ns.accepted = ns.offers[:0], ns.accepted[:0]
		w.script.Put(i, len(ns.script) > 0)
		w.install(i, w.sys.New(w.params, addrOf(i)))
	}
	for i := range w.nodes {
		w.begin(i, Event{}, -1)
		w.nodes[i].node.Init(&w.nodes[i].env)
		w.finish(i)
	}
}

// install puts a node into its place.
func (w *World) install(i int, n Node) {
	if n == nil {
		panic(fmt.Sprintf("macemc: system %s: New made a nil node at %s", w.sys.Name, addrOf(i)))
	}
	ns := &w.nodes[i]
	ns.node = n
	ns.version++
	w.epoch++
	ns.offerers, ns.accepters = ns.offerers[:0], ns.accepters[:0]
	for n != nil {
		if o, ok := n.(Offerer); ok {
			ns.offerers = append(ns.offerers, o)
		}
		if a, ok := n.(Accepter); ok {
			ns.accepters = append(ns.accepters, a)
		}
		l, ok := n.(Layer)
		if !ok {
			break
		}
		n = l.Upper()
	}
	if len(ns.offerers)+len(ns.accepters) > 0 {
		w.guarded = true
	}
	w.soil(i)
}

// soil notes that a node's offers, acceptance and sum are out of date.
func (w *World) soil(i int) {
	w.dirty |= 1 << i
	w.sums.node(i)
}

// Progress is what became of a call of Step.
type Progress uint8

// The outcomes of Step.
const (
	Stepped Progress = iota + 1 // a step was taken
	Quiet                       // no event is possible
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
		w.err = src.Err()
		return Stopped
	}
	w.step++
	e, cause := w.take(k)
	i := e.Node.index()
	w.begin(i, e, cause)
	if w.audit.on {
		w.audit.given(w, e)
	}
	if w.cover != nil && e.Kind != KindTimer {
		w.cover.took(&e)
	}
	if i < 0 {
		w.settle(n)
		return Stepped
	}
	ns := &w.nodes[i]
	switch e.Kind {
	case KindMessage, KindReorder:
		ns.node.Deliver(&ns.env, e.From, e.Value)
	case KindScript, KindAction, KindTask, KindTimer:
		ns.node.Handle(&ns.env, e.Value)
	case KindError:
		ns.node.Handle(&ns.env, PeerError{e.From, CauseReset})
	case KindRefused:
		if e.Link == LinkTCP {
			ns.node.Handle(&ns.env, PeerError{e.From, CauseRefused})
		}
	case KindClear:
		ns.node.Handle(&ns.env, ClearToSend{e.From})
	case KindFlushed:
		ns.node.Handle(&ns.env, Flushed{})
	case KindRestart:
		ns.node.Init(&ns.env)
	case KindBreak, KindCrash, KindDown, KindReset, KindLose, KindDuplicate: // no handler runs
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
func (w *World) begin(i int, e Event, cause int) {
	w.acting, w.current, w.cause = addrOf(i), e, cause
	w.calls, w.effects, w.tossed = 0, w.effects[:0], false
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
		w.running = &w.nodes[i].env
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
	w.soil(i)
	w.apply(i)
	if w.audit.on {
		w.checkAudit(i)
	}
	if w.tracing {
		w.record(i)
	}
}

// record appends the step that has just run to the trace.
func (w *World) record(i int) {
	s := Step{
		Index: w.step, Node: addrOf(i), Event: w.current, Identity: w.identity(), Cause: w.cause,
		Coins: w.coins, Facts: w.facts, Effects: append([]Effect{}, w.effects...),
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
		w.record(w.acting.index())
		t.Steps[n].Cut, t.Steps[n].Possible = true, w.question.N
	case w.current.Kind == 0 && !w.acting.IsZero() && len(t.Starts) <= w.acting.index():
		w.record(w.acting.index())
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
	if w.audit.on && w.current.Kind != KindHeal { // the handler may have changed what it was given
		return w.audit.event
	}
	return w.text(w.current)
}

// apply carries out the effects of the handler that ran on node i.
func (w *World) apply(i int) {
	for k := range w.effects {
		e := &w.effects[k]
		switch e.Kind {
		case EffectSend:
			w.send(i, e)
		case EffectAfter:
			w.arm(i, e.timer)
		case EffectCancel:
			w.disarm(i, e.timer)
		case EffectPost:
			w.post(i, e.Value)
		case EffectEmit:
			w.emit(i, e.Value)
		case EffectReset:
			w.tcp.Close(i, e.To.index())
			w.disturbed = true
			w.bothEnds(w.tcp.Channel(i, e.To.index()))
		case EffectAskClear:
			c := w.tcp.Channel(i, e.To.index())
			w.tcp.AskClear(c)
			w.bothEnds(c)
			if w.cover != nil {
				w.cover.kinds[KindClear].possible++
			}
		case EffectAskFlushed:
			w.tcp.AskFlushed(i)
			if w.cover != nil {
				w.cover.kinds[KindFlushed].possible++
			}
		case EffectRefused:
			if w.cover != nil {
				w.cover.refused++
			}
		case EffectLog:
		default:
			panic(fmt.Sprintf("macemc bug: sim: cannot apply %s", e.Kind))
		}
	}
}

func (w *World) send(i int, e *Effect) {
	to := e.To.index()
	p := netsim.Packet{Message: e.Value, Step: int32(w.step)}
	switch {
	case w.audit.on:
		p.Sum = w.audit.tell(w, e.Value)
	case e.Link == LinkSet:
		p.Sum = w.sum(e.Value)
	}
	w.used[e.Link] = true
	if w.cover != nil {
		w.cover.of(e.Value).of[KindMessage].possible++
	}
	switch e.Link {
	case LinkTCP:
		c := w.tcp.Channel(i, to)
		w.tcp.Push(c, p)
		w.sums.tcp(c)
	case LinkUDP:
		c := w.udp.Channel(i, to)
		if len(w.udp.Packets(c)) >= w.net.UDPCapacity {
			e.Lost = true
			return
		}
		w.udp.Push(c, p)
		w.sums.udp(c)
	case LinkSet:
		if w.set.Add(i, to, p) {
			w.sums.set(to)
		}
	default:
		panic(fmt.Sprintf("macemc bug: sim: cannot send by %s", e.Link))
	}
	w.dirty |= 1 << to
}

// sum is a value's identity; a value that cannot be walked stops the run.
func (w *World) sum(v any) canon.Hash {
	h, err := w.walker.Sum(v)
	if err != nil {
		panic(unsupported(err.Error()))
	}
	return h
}

// timer is the one timerInfo of a signal, which must be comparable.
func (w *World) timer(s Signal) *timerInfo {
	if t := w.recent(s); t != nil {
		return t
	}
	if t, ok := w.known[s]; ok {
		return t
	}
	t := &timerInfo{signal: s, sum: w.sum(s)}
	if w.cover != nil {
		t.tally = &w.cover.of(s).of[KindTimer]
	}
	w.known[s] = t
	if len(w.recents) < cap(w.recents) {
		w.recents = append(w.recents, t)
	}
	return t
}

// recent finds a signal among the first few that were ever scheduled: most
// services have no more, and a comparison beats a map. It never compares a
// value that cannot be compared, since none is among them.
func (w *World) recent(s Signal) *timerInfo {
	for _, t := range w.recents {
		if t.signal == s {
			return t
		}
	}
	return nil
}

func (ns *nodeState) scheduled(t *timerInfo) bool {
	for k := range ns.timers {
		if ns.timers[k].timerInfo == t {
			return true
		}
	}
	return false
}

func (w *World) arm(i int, t *timerInfo) {
	ns := &w.nodes[i]
	if t.tally != nil {
		t.tally.possible++
	}
	at := 0
	for k := range ns.timers {
		if ns.timers[k].timerInfo == t {
			ns.timers[k].step = int32(w.step)
			return
		}
		if netsim.CompareSums(ns.timers[k].sum, t.sum) < 0 {
			at = k + 1
		}
	}
	ns.timers = slices.Insert(ns.timers, at, scheduled{t, int32(w.step)})
	w.timers++
}

func (w *World) disarm(i int, t *timerInfo) {
	ns := &w.nodes[i]
	for k := range ns.timers {
		if ns.timers[k].timerInfo == t {
			ns.timers = append(ns.timers[:k], ns.timers[k+1:]...)
			w.timers--
			return
		}
	}
}

func (w *World) post(i int, task Signal) {
	ns := &w.nodes[i]
	if w.cover != nil {
		w.cover.of(task).of[KindTask].possible++
	}
	sum, at := w.sum(task), 0
	for at < len(ns.tasks) && netsim.CompareSums(ns.tasks[at].sum, sum) < 0 {
		at++
	}
	if at < len(ns.tasks) && ns.tasks[at].sum == sum {
		ns.tasks[at].count++
		return
	}
	ns.tasks = slices.Insert(ns.tasks, at, posted{task, sum, 1, int32(w.step)})
	w.tasks++
}

func (w *World) emit(i int, fact any) {
	if w.cover != nil {
		w.cover.facts++
	}
	for k := range w.monitors {
		m := &w.monitors[k]
		if w.audit.on {
			w.checkMonitors()
			w.hook = fmt.Sprintf("monitor %q", m.name)
		}
		err := m.observe(addrOf(i), fact)
		if w.audit.on {
			w.hook = ""
			w.audit.remember(w, k)
		}
		if err != nil {
			if w.failure == nil {
				w.failure = w.fail(VerdictSafety, m.name, err.Error())
			}
		}
		w.sums.rest()
	}
}
