package live

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"macemc/internal/disk"
	"macemc/internal/guard"
	"macemc/internal/sight"
	"macemc/macetime"
	"macemc/sim"
)

// A Watch takes the handlers of all nodes again from their records, while the nodes run
// or later, and says which properties hold. It takes the steps in an order in which
// nothing is received before it was sent: each state that it judges is a consistent
// snapshot, and between two of them there is one step. Properties of kind Steps are
// left out. A Watch belongs to one goroutine.
type Watch struct {
	sys    *sim.System
	params sim.Params
	sees   sight.State

	nodes      []*mirror
	always     []sight.Check
	eventually []sight.Check
	monitors   []sight.Monitor
	assume     sight.Check
	steps      int
	findings   map[string]bool
	unjudged   map[string]bool
	asked      bool // what is under way
	all        []Violation
}

// Violation is what a Watch found wrong.
type Violation struct {
	Property string // "": a node's own failure, or what it did was not what it did again
	Node     sim.Addr
	Step     int // of all nodes, counted in the Watch's order
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

// mirror is a node as its record tells it.
type mirror struct {
	m       *machine
	seen    sight.Node
	life    uint64
	number  int
	sends   map[uint64]uint64 // by life, how many
	entries []*Entry          // that wait
	up      bool
	ever    bool
	step    *Step // that is being taken
	picked  int
	strayed string
	steps   int
}

// NewWatch makes a watch of a system that runs with these params.
func NewWatch(sys *sim.System, p sim.Params) (*Watch, error) {
	p, err := sys.Resolve(p)
	if err != nil {
		return nil, err
	}
	w := &Watch{sys: sys, params: p, findings: map[string]bool{}, unjudged: map[string]bool{}}
	w.sees.Runtime, w.sees.Params = w, p
	for range p.Nodes {
		n := &mirror{sends: map[uint64]uint64{}}
		w.nodes = append(w.nodes, n)
		w.sees.Nodes = append(w.sees.Nodes, &n.seen)
	}
	for _, prop := range sys.Properties {
		switch rule := prop.Rule(); rule.Kind {
		case sight.RuleAlways:
			w.always = append(w.always, rule.State(&w.sees))
		case sight.RuleEventually:
			w.eventually = append(w.eventually, rule.State(&w.sees))
		case sight.RuleMonitor:
			m := rule.Monitor()
			m.Reset()
			w.monitors = append(w.monitors, m)
		case sight.RuleSometimes: // of a search
		case sight.RuleSteps:
			w.unjudged[prop.Name] = true
		}
	}
	if !sys.Assume.IsZero() {
		w.assume = sys.Assume.Rule().State(&w.sees)
	}
	return w, nil
}

// Timers is the number of timers that are scheduled.
func (w *Watch) Timers() (n int) {
	for _, m := range w.nodes {
		n += len(m.seen.Timers)
	}
	return n
}

// InFlight is not known here: a datagram that is lost is never told of. A property that
// asks is not judged.
func (w *Watch) InFlight() int {
	w.asked = true
	return 0
}

// UnderWay is not known here either.
func (w *Watch) UnderWay(func(sight.Sent) bool) { w.asked = true }

// Unjudged are the properties that are not judged: those of steps, and those that ask
// what is under way.
func (w *Watch) Unjudged() []string { return sim.Keys(w.unjudged) }

// ask is what a property says; true where it cannot be judged.
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

// Steps is how many were taken.
func (w *Watch) Steps() int { return w.steps }

// Waiting is how many entries wait for what was sent to be told.
func (w *Watch) Waiting() (n int) {
	for _, m := range w.nodes {
		n += len(m.entries)
	}
	return n
}

// Violations are what was found wrong, the first of each property.
func (w *Watch) Violations() []Violation { return w.all }

// Add takes an entry of a record, as soon as it can be.
func (w *Watch) Add(e *Entry) {
	if e.Node < 0 || e.Node >= len(w.nodes) {
		return
	}
	w.nodes[e.Node].entries = append(w.nodes[e.Node].entries, e)
	for w.advance() {
	}
}

// Dead tells that the process of a node has ended, and its record with it.
func (w *Watch) Dead(node int) { w.Add(&Entry{Kind: EntryEnd, Node: node}) }

// advance takes what can be taken of each node once.
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

func (w *Watch) ready(e *Entry) bool {
	if e.Kind != EntryStep || e.Step.Event.Kind != sim.KindMessage {
		return true
	}
	from := e.Step.Event.From.Index()
	return from < 0 || from >= len(w.nodes) || w.nodes[from].sends[e.Step.Event.Life] >= e.Step.Event.Serial
}

func (w *Watch) take(i int, n *mirror, e *Entry) {
	switch e.Kind {
	case EntryLife:
		w.begin(i, n, e)
	case EntryStep:
		if n.m != nil && n.strayed == "" {
			w.step(i, n, e.Step)
		}
		n.sends[e.Life] = e.Step.Sends
	case EntryFailed:
		w.end(n)
		w.find(Violation{Node: w.params.Addr(i), Step: w.steps, Message: "a handler panicked: " + e.Text})
	case EntryEnd:
		w.end(n)
	}
}

func (w *Watch) end(n *mirror) {
	if n.up {
		n.up, n.seen.Up = false, false
		w.sees.Epoch++
		w.sees.Membership++
	}
}

func (w *Watch) begin(i int, n *mirror, e *Entry) {
	w.end(n)
	self := w.params.Addr(i)
	dead := n.m
	m, err := newMachine(w.sys, w.params, self, n)
	if err == nil && e.Begin.Kept && dead != nil && w.sys.Crash != nil {
		err = guard.Call("Crash", func() { m.node = w.sys.Crash(w.params, self, dead.node) })
	}
	n.life, n.number, n.strayed = e.Life, e.Begin.Number, ""
	if err != nil {
		n.m, n.strayed = nil, err.Error()
		w.find(Violation{Node: self, Step: w.steps, Message: err.Error()})
		return
	}
	for _, one := range e.Begin.Disk {
		m.disk.write(one)
	}
	n.m = m
	n.seen.Timers = nil
}

// step takes a step again, and judges the state after it.
func (w *Watch) step(i int, n *mirror, s *Step) {
	self := w.params.Addr(i)
	n.step, n.picked = s, 0
	e := &s.Event
	switch e.Kind {
	case sim.KindTask:
		if at := slices.IndexFunc(n.m.tasks, func(t sim.Signal) bool { return same(n.m, t, e.Value) }); at >= 0 {
			n.m.tasks = slices.Delete(n.m.tasks, at, at+1)
		}
	case sim.KindTimer:
		delete(n.m.timers, e.Value)
	}
	failed := n.m.run(e)
	if failed == nil {
		n.m.settle(time.Time{}, 1)
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
	} else {
		n.strayed = "it panicked when it was taken again: " + failed.text
	}
	w.steps++
	n.steps++
	if n.strayed != "" {
		w.find(Violation{Node: self, Step: w.steps, Message: fmt.Sprintf("a %s step is not repeatable: %s", kindName(e.Kind), n.strayed)})
		w.end(n)
		return
	}
	w.show(n)
	for k := range n.m.effects {
		if f := &n.m.effects[k]; f.Kind == sim.EffectEmit {
			for _, m := range w.monitors {
				if err := m.Observe(i, f.Value); err != nil {
					w.find(Violation{Property: m.Name, Node: self, Step: w.steps, Message: err.Error()})
				}
			}
		}
	}
	for k := range w.always {
		if c := &w.always[k]; !w.findings[c.Name] {
			if holds, text := w.ask(c); !holds {
				w.find(Violation{Property: c.Name, Node: self, Step: w.steps, Message: text})
			}
		}
	}
}

func kindName(k sim.Kind) string {
	if k == 0 {
		return "start"
	}
	return k.String()
}

// same reports whether two signals are equal by their identity.
func same(m *machine, a, b sim.Signal) bool {
	x, errX := m.walker.Sum(a)
	y, errY := m.walker.Sum(b)
	return errX == nil && errY == nil && x == y
}

// show makes properties see a node as it is now.
func (w *Watch) show(n *mirror) {
	if !n.up {
		n.up, n.ever, n.seen.Up = true, true, true
		n.seen.Node = sight.Subject(n.m.node)
		n.seen.Version++
		w.sees.Epoch++
		w.sees.Membership++
	}
	n.seen.Timers = n.seen.Timers[:0]
	for s := range n.m.timers {
		n.seen.Timers = append(n.seen.Timers, sight.Scheduled{Timer: &sight.Timer{Signal: s}})
	}
}

// find notes what is wrong, once for each property or node.
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

// Live reports whether all nodes are up and all liveness properties hold in this
// state; else which do not, and why.
func (w *Watch) Live() (live bool, why []string) {
	for i, n := range w.nodes {
		if !n.up {
			why = append(why, fmt.Sprintf("n%d is not up", i))
		}
	}
	for k := range w.eventually {
		c := &w.eventually[k]
		holds, said := w.ask(c)
		if holds {
			continue
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

func (n *mirror) choose(_ []int, k int) int {
	if n.picked >= len(n.step.Picks) || int(n.step.Picks[n.picked]) >= k {
		n.strayed = "it asked for another choice when it was taken again"
		return 0
	}
	n.picked++
	return int(n.step.Picks[n.picked-1])
}

func (n *mirror) before(macetime.Time, macetime.Time) bool { return n.choose(nil, 2) == 1 }

func (n *mirror) room(sim.Addr, int) bool {
	return !slices.Contains(n.step.Refused, n.m.said.tried-1)
}

// now is no matter: what was asked of the clock is in the answers.
func (n *mirror) now() time.Duration { return time.Second }

func (n *mirror) log(string, ...any)        {}
func (n *mirror) tracing() bool             { return false }
func (n *mirror) stored(disk.Write) error   { return nil }
func (n *mirror) synced(string, bool) error { return nil }

// Statuses are how the nodes do, as far as their records tell.
func (w *Watch) Statuses() (all []Status) {
	for i, n := range w.nodes {
		all = append(all, Status{Node: fmt.Sprintf("n%d", i), Life: n.number, Up: n.up, Steps: uint64(n.steps), Timers: len(n.seen.Timers)})
	}
	return all
}
