package live

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"macemc/internal/contract"
	"macemc/internal/disk"
	"macemc/internal/guard"
	"macemc/internal/handler"
	"macemc/internal/record"
	"macemc/internal/sight"
	"macemc/macetime"
	"macemc/sim"
	"macemc/trace"
)

// A Watch repeats the handlers of all nodes from their records, while the nodes run or
// later, and reports which properties hold. It takes the steps in an order in which no
// message is received before it was sent. So each state that it evaluates is a consistent
// snapshot, and consecutive states are one step apart. It knows all messages under way,
// except that the loss of datagrams is not recorded: see underway. A Watch belongs to one
// goroutine.
type Watch struct {
	sys    *sim.System
	params sim.Params
	sees   sight.State // the nodes as the properties see them

	nodes      []*mirror
	way        underway
	always     []sight.Check
	eventually []sight.Check
	monitors   []sight.Monitor
	assume     sight.Check
	between    []sight.Check // the checks of two consecutive states
	before     sight.State   // the state before the step, as these checks see it: see behind
	steps      int
	findings   map[string]bool
	unjudged   map[string]bool
	asked      bool // a property has asked for the messages under way
	all        []Violation
}

// Violation is a violated property that a Watch has found.
type Violation struct {
	Property string // "" if a handler failed, or if repeating a step gave another result
	Node     sim.Addr
	Step     int // the number of the step among those of all nodes, in the order of the Watch
	Message  string
}

func (v *Violation) String() string {
	if v.Property == "" {
		return fmt.Sprintf("%s: %s", v.Node, v.Message)
	}
	text := fmt.Sprintf("%q does not hold after step %d, at %s", v.Property, v.Step, v.Node)
	if v.Message != "" {
		text += ": " + v.Message
	}
	return text
}

// mirror is a node whose steps a Watch repeats.
type mirror struct {
	retold
	seen    sight.Node
	behind  *behind // nil if no property needs the state before a step
	life    uint64  // the name of the life whose steps are repeated
	number  int
	sends   map[uint64]uint64 // by life, the number of sends
	entries []*record.Entry   // entries that wait for their turn

	newest   uint64 // the newest life that has entries
	recorded uint64 // the number of recorded steps of that life

	up     bool
	fails  bool // it goes down for good, now or later
	steps  int
	member membership
}

// behind is a copy of a node that is one step behind it. It takes the step after the properties of steps were
// evaluated, since these compare the states before and after a step.
type behind struct {
	retold
	seen sight.Node
}

// retold is a machine that repeats the steps of a record, with the recorded answers.
type retold struct {
	m       *machine
	step    *record.Step // the step that is being repeated
	picked  int
	strayed string // how the repetition differs from the record, or ""
}

// begin begins the life of node self that entry b of its record describes. dead is the node that System.Crash
// has kept of the previous life, or nil.
func (r *retold) begin(sys *sim.System, p sim.Params, self sim.Addr, b *record.Beginning) error {
	dead := r.m
	r.m, r.strayed = nil, ""
	m, err := newMachine(sys, p, self, r)
	if err == nil && b.Kept && dead != nil && sys.Crash != nil {
		err = guard.Call("Crash", func() { m.node = sys.Crash(p, self, dead.node) })
	}
	if err != nil {
		r.strayed = err.Error()
		return err
	}
	for _, one := range b.Disk {
		m.disk.write(one)
	}
	r.m = m
	return nil
}

// take repeats a step. It returns the failure of the handler, or nil.
func (r *retold) take(s *record.Step) *failure {
	r.step, r.picked = s, 0
	e := &s.Event
	switch e.Kind {
	case sim.KindTask:
		if at := slices.IndexFunc(r.m.Tasks, func(t sim.Signal) bool { return same(r.m, t, e.Value) }); at >= 0 {
			r.m.Task(func(int) int { return at })
		}
	case sim.KindTimer:
		r.m.Fire(e.Value)
	}
	if failed := r.m.run(e); failed != nil {
		return failed
	}
	r.m.settle(time.Time{}, 1)
	return nil
}

// show lets the properties see the state of the machine in seen.
func (r *retold) show(seen *sight.Node) {
	seen.Timers = seen.Timers[:0]
	for s := range r.m.Timers {
		seen.Timers = append(seen.Timers, sight.Scheduled{Timer: &sight.Timer{Signal: s}})
	}
}

// newWatch returns a watch of a system that runs with the parameters p.
func newWatch(sys *sim.System, p sim.Params) (*Watch, error) {
	p, err := sys.Resolve(p)
	if err != nil {
		return nil, err
	}
	w := &Watch{sys: sys, params: p, way: underway{map[lane][]wayfarer{}}, findings: map[string]bool{}, unjudged: map[string]bool{}}
	w.sees.Runtime, w.sees.Params = glimpse{w}, p
	w.before.Runtime, w.before.Params = glimpse{w}, p
	for range p.Nodes {
		n := &mirror{sends: map[uint64]uint64{}}
		w.nodes = append(w.nodes, n)
		w.sees.Nodes = append(w.sees.Nodes, &n.seen)
	}
	for _, prop := range sys.Properties {
		switch rule := contract.Rule(prop); rule.Kind {
		case sight.RuleAlways:
			w.always = append(w.always, rule.State(&w.sees))
		case sight.RuleEventually:
			w.eventually = append(w.eventually, rule.State(&w.sees))
		case sight.RuleMonitor:
			m := rule.Monitor(w.params)
			m.Reset()
			w.monitors = append(w.monitors, m)
		case sight.RuleSometimes, sight.RuleCools: // of a search, and of runs that go on for ever
		case sight.RuleSteps:
			w.between = append(w.between, rule.Step(&w.before, &w.sees))
		}
	}
	if len(w.between) > 0 {
		for _, n := range w.nodes {
			n.behind = new(behind)
			w.before.Nodes = append(w.before.Nodes, &n.behind.seen)
		}
	}
	if !sys.Assume.IsZero() {
		w.assume = contract.Rule(sys.Assume).State(&w.sees)
	}
	return w, nil
}

// A glimpse answers the questions of properties about the timers and the messages under way.
type glimpse struct{ w *Watch }

func (g glimpse) Timers() (n int) {
	for _, m := range g.w.nodes {
		n += len(m.seen.Timers)
	}
	return n
}

// InFlight returns the number of messages under way, according to the records.
func (g glimpse) InFlight() (n int) {
	for range g.w.under(false) {
		n++
	}
	return n
}

func (g glimpse) UnderWay(yield func(sight.Sent) bool) { g.w.under(true)(yield) }

// under yields the messages under way, according to the records. It yields those of sets only if sets is
// true.
func (w *Watch) under(sets bool) iter.Seq[sight.Sent] {
	w.asked = true
	return w.way.all(time.Now().UnixNano(), sets)
}

// Unjudged returns the names of the safety properties that the Watch does not evaluate, since they ask for
// the messages under way, which it does not know for sure. Package internal/merge evaluates them.
func (w *Watch) Unjudged() []string { return sim.Keys(w.unjudged) }

// Judged returns the names of the safety properties that the Watch evaluates after each step.
func (w *Watch) Judged() (names []string) {
	for _, p := range w.sys.Properties {
		switch kind := contract.Rule(p).Kind; {
		case kind != sight.RuleAlways && kind != sight.RuleMonitor && kind != sight.RuleSteps:
		case !w.unjudged[p.Name]:
			names = append(names, p.Name)
		}
	}
	return names
}

// OfSearches returns the names of the properties that a Watch cannot evaluate and only a search can: those
// that some state must fulfil (sim.Sometimes), and those made by sim.Cools, which a run can violate only by
// going on for ever.
func (w *Watch) OfSearches() (names []string) {
	for _, p := range w.sys.Properties {
		if kind := contract.Rule(p).Kind; kind == sight.RuleSometimes || kind == sight.RuleCools {
			names = append(names, p.Name)
		}
	}
	return names
}

// ask reports whether a safety property holds, and returns the text of a violation. If the property
// cannot be evaluated, because it asks for the messages under way, it counts as one that holds.
func (w *Watch) ask(c *sight.Check) (holds bool, text string) {
	if w.unjudged[c.Name] {
		return true, ""
	}
	w.asked = false
	holds, text = c.Asked()
	if w.asked {
		w.unjudged[c.Name] = true
		return true, ""
	}
	if !holds && text == "" {
		text = c.Explained()
	}
	return holds, text
}

// Steps returns the number of steps that were repeated.
func (w *Watch) Steps() int { return w.steps }

// Waiting returns the number of entries that wait because they, or an earlier entry of their node, receive a
// message whose sending was not read from a record yet.
func (w *Watch) Waiting() (n int) {
	for _, m := range w.nodes {
		n += len(m.entries)
	}
	return n
}

// Violations returns the first violation of each property.
func (w *Watch) Violations() []Violation { return w.all }

// add adds an entry of a record. Its step is repeated as soon as the order allows that.
func (w *Watch) add(e *record.Entry) {
	if e.Node < 0 || e.Node >= len(w.nodes) {
		return
	}
	n := w.nodes[e.Node]
	switch e.Kind {
	case record.EntryLife:
		if last := e.Begin.Lost(n.newest, n.recorded); last != nil {
			n.entries = append(n.entries, last)
		}
		n.newest, n.recorded = e.Life, 0
	case record.EntryStep:
		n.recorded++
	}
	n.entries = append(n.entries, e)
	for w.advance() {
	}
}

// dead informs the watch that the process of a node has ended, and the record of its life with it.
func (w *Watch) dead(node int) { w.add(&record.Entry{Kind: record.EntryEnd, Node: node}) }

// advance takes the waiting entries of each node in their order, up to the first whose turn has not come. It
// reports whether it has taken any.
func (w *Watch) advance() (some bool) {
	for i, n := range w.nodes {
		k := 0
		for k < len(n.entries) && w.ready(n.entries[k]) {
			w.take(i, n, n.entries[k])
			k++
		}
		if k > 0 {
			some = true
			n.entries = slices.Delete(n.entries, 0, k)
		}
	}
	return some
}

func (w *Watch) ready(e *record.Entry) bool {
	if e.Kind != record.EntryStep || e.Step.Event.Kind != sim.KindMessage {
		return true
	}
	from := e.Step.Event.From.Index()
	return from < 0 || from >= len(w.nodes) || w.nodes[from].sends[e.Step.Event.Life] >= e.Step.Event.Serial
}

func (w *Watch) take(i int, n *mirror, e *record.Entry) {
	switch e.Kind {
	case record.EntryLife:
		w.begin(i, n, e)
	case record.EntryStep:
		if n.m != nil && n.strayed == "" {
			w.step(i, n, e.Step, e.At)
		}
		n.sends[e.Life] = e.Step.Sends
	case record.EntryFailed:
		w.end(n)
		w.find(Violation{Node: w.params.Addr(i), Step: w.steps, Message: "a handler panicked: " + e.Text})
	case record.EntryEnd:
		w.end(n)
	}
}

func (w *Watch) end(n *mirror) {
	if !n.up {
		return
	}
	n.up, n.seen.Up = false, false
	w.sees.Epoch++
	w.sees.Membership++
	if n.behind != nil {
		n.behind.seen.Up = false
		w.before.Epoch++
		w.before.Membership++
	}
}

func (w *Watch) begin(i int, n *mirror, e *record.Entry) {
	w.end(n)
	w.way.forget(i)
	self := w.params.Addr(i)
	n.life, n.number = e.Life, e.Begin.Number
	if n.behind != nil {
		_ = n.behind.begin(w.sys, w.params, self, e.Begin) // as the other one
	}
	if err := n.begin(w.sys, w.params, self, e.Begin); err != nil {
		w.find(Violation{Node: self, Step: w.steps, Message: err.Error()})
	}
	n.seen.Timers = nil
	if w.sys.Script != nil {
		_ = guard.Call("Script", func() { n.member.late = late(w.sys.Script(w.params, self, n.number)) }) // the node has reported the error
	}
}

// step repeats step s of node i, and evaluates the properties in the state after it. at is the time of the
// step.
func (w *Watch) step(i int, n *mirror, s *record.Step, at int64) {
	self := w.params.Addr(i)
	e := &s.Event
	if failed := n.take(s); failed != nil {
		n.strayed = "it panicked when it was taken again: " + failed.text
	} else {
		state, err := n.m.walker.Sum(n.m.node)
		switch {
		case n.strayed != "":
		case err != nil:
			n.strayed = err.Error()
		case n.picked != len(s.Picks):
			n.strayed = fmt.Sprintf("it asked for %d choices, and for %d when it was taken again", len(s.Picks), n.picked)
		case n.m.sends != s.Sends:
			n.strayed = fmt.Sprintf("it had sent %d messages, and %d when it was taken again", s.Sends, n.m.sends)
		case state != s.State:
			n.strayed = fmt.Sprintf("its state was %s, and %s when it was taken again", s.State, state)
		}
	}
	w.steps++
	n.steps++
	if n.strayed != "" {
		w.find(Violation{Node: self, Step: w.steps, Message: fmt.Sprintf("a %s step is not repeatable: %s", kindName(e.Kind), n.strayed)})
		w.end(n)
		return
	}
	if n.member.stepped(e); n.member.left {
		w.end(n)
		w.way.forget(i)
		return
	}
	first := !n.up
	w.show(n)
	w.way.step(i, n, s, at)
	effects := n.m.step.Effects()
	for k := range effects {
		if f := &effects[k]; f.Kind == trace.EffectEmit {
			for _, m := range w.monitors {
				if err := m.Observe(i, f.Value); err != nil {
					w.find(Violation{Property: m.Name, Node: self, Step: w.steps, Message: err.Error()})
				}
			}
		}
	}
	for k := range w.always {
		w.judge(&w.always[k], self)
	}
	if n.behind == nil || n.behind.m == nil {
		return
	}
	if !first || n.number > 0 { // a first start is no step
		for k := range w.between {
			w.judge(&w.between[k], self)
		}
	}
	n.behind.take(s)
	w.showBehind(n)
}

// judge evaluates safety property c after a step of node at, and records a violation.
func (w *Watch) judge(c *sight.Check, at sim.Addr) {
	if w.findings[c.Name] {
		return
	}
	if holds, text := w.ask(c); !holds {
		w.find(Violation{Property: c.Name, Node: at, Step: w.steps, Message: text})
	}
}

func kindName(k sim.Kind) string {
	if k == 0 {
		return "start"
	}
	return k.String()
}

// same reports whether two signals have the same identity.
func same(m *machine, a, b sim.Signal) bool {
	x, errX := m.walker.Sum(a)
	y, errY := m.walker.Sum(b)
	return errX == nil && errY == nil && x == y
}

// show lets the properties see the present state of node n.
func (w *Watch) show(n *mirror) {
	if !n.up {
		n.up, n.seen.Up = true, true
		n.seen.Node = sight.Subject(n.m.node)
		n.seen.Version++
		w.sees.Epoch++
		w.sees.Membership++
	}
	n.retold.show(&n.seen)
}

// showBehind lets the properties of steps see node n in its state before the step.
func (w *Watch) showBehind(n *mirror) {
	b := n.behind
	if !b.seen.Up || b.seen.Version != n.seen.Version {
		b.seen.Up, b.seen.Version = true, n.seen.Version
		b.seen.Node = sight.Subject(b.m.node)
		w.before.Epoch++
		w.before.Membership++
	}
	b.show(&b.seen)
}

// find records a violation, unless there is one of the same property already, or, if it has no property,
// one of the same node with the same message.
func (w *Watch) find(v Violation) {
	key := v.Property
	if key == "" {
		key = v.Node.String() + "\x00" + v.Message
	}
	if !w.findings[key] {
		w.findings[key] = true
		w.all = append(w.all, v)
	}
}

// Fails records that a node goes down for good, now or later, so that Live does not require that it is up.
func (w *Watch) Fails(node int) { w.nodes[node].fails = true }

// Live reports whether all nodes are up and all liveness properties hold in the present state. Otherwise why
// says which do not hold, and which nodes are down.
func (w *Watch) Live() (live bool, why []string) {
	for i, n := range w.nodes {
		if !n.up && !n.fails && !n.member.late && !n.member.left {
			why = append(why, fmt.Sprintf("n%d is not up", i))
		}
	}
	for k := range w.eventually {
		c := &w.eventually[k]
		holds, said := c.Asked()
		if holds {
			continue
		}
		if said == "" {
			said = c.Explained()
		}
		text := fmt.Sprintf("not %q", c.Name)
		if said != "" {
			text += ": " + strings.TrimSpace(said)
		}
		why = append(why, text)
	}
	if w.assume.Holds != nil && !w.assume.Holds() {
		why = append(why, fmt.Sprintf("not %q, without which nothing is promised", w.assume.Name))
	}
	return len(why) == 0, why
}

// Recovers reports whether the system has liveness properties.
func (w *Watch) Recovers() bool { return len(w.eventually) > 0 }

// The answers of a record: see answerer.

func (r *retold) choose(_ []int, k int) int {
	if r.picked >= len(r.step.Picks) || int(r.step.Picks[r.picked]) >= k {
		r.strayed = "it asked for another choice when it was taken again"
		return 0
	}
	r.picked++
	return int(r.step.Picks[r.picked-1])
}

func (r *retold) before(macetime.Time, macetime.Time) bool { return r.choose(nil, 2) == 1 }

func (r *retold) room(s handler.Send) bool {
	return !slices.Contains(r.step.Refused, uint32(s.Place))
}

// now returns an arbitrary time. It does not matter which, since the record has the results of comparing
// times: see before.
func (r *retold) now() time.Duration { return time.Second }

func (r *retold) log(string)                {}
func (r *retold) tracing() bool             { return false }
func (r *retold) stored(disk.Write) error   { return nil }
func (r *retold) synced(string, bool) error { return nil }

// Statuses returns the statuses of the nodes, according to their records.
func (w *Watch) Statuses() (all []Status) {
	for i, n := range w.nodes {
		all = append(all, Status{Node: fmt.Sprintf("n%d", i), Life: n.number, Up: n.up, Steps: uint64(n.steps), Timers: len(n.seen.Timers)})
	}
	return all
}
