package world_test

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"macemc/sim"
)

// A puppet is a node that does what a play says. A play is written in a
// transcript, one line for an occasion of a node, and what it does then:
//
//	n0 init: after 1s alarm             when it starts
//	n0: send n1 tcp hello; post flush   its next opening
//	n1 on hello: send n0 tcp hi         for a message, timer, task or action
//	n1 offers work if busy=0            a guarded action
//	n1 accepts hello if busy=0          a guarded message
//	always calm: busy=9                 no node's variable busy is 9
//	eventually busy: busy=1             some node's variable busy is 1
//	steps grow: busy                    no node's variable busy decreases
//	within small: busy=2                no node's ...; and the same for assume
//	monitor                             no fact is emitted twice in a row
//	weight timer 0.5                    of events of a kind
//
// The commands of a puppet: send TO LINK TEXT, after D NAME, cancel NAME, scheduled NAME, post
// NAME, emit TEXT, log TEXT, choose N WHY, weighted W,W,.. WHY, set VARIABLE=N, add VARIABLE=N,
// panic TEXT, recover (from the next panic). The answers of scheduled, choose and weighted
// become variables.
type puppet struct {
	Vars map[string]int
	play *play    `mc:"-"`
	self sim.Addr `mc:"-"`
}

type (
	opening string
	alarm   struct{ Name string }
	job     struct{ Name string }
	deed    struct{ Name string }
	text    string
)

// play has the commands and guards of the puppets of a system.
type play struct {
	openings map[string][]sim.Signal
	on       map[string]string // by node and occasion
	offers   map[string][]guard
	accepts  map[string][]guard
}

// guard is an action or a message, with the value that a variable must have so that it is offered or accepted.
type guard struct {
	name, variable string
	value          int
}

func (p *puppet) Init(env sim.Env) {
	p.self, p.Vars = env.Self(), map[string]int{}
	p.do(env, p.play.on[p.occasion("init")])
}

func (p *puppet) occasion(what string) string { return p.self.String() + " " + what }

func (p *puppet) Deliver(env sim.Env, _ sim.Addr, m sim.Message) {
	p.do(env, p.play.on[p.occasion(string(m.(text)))])
}

func (p *puppet) Handle(env sim.Env, s sim.Signal) {
	switch s := s.(type) {
	case opening:
		p.do(env, string(s))
	case alarm:
		p.do(env, p.play.on[p.occasion(s.Name)])
	case job:
		p.do(env, p.play.on[p.occasion(s.Name)])
	case deed:
		p.do(env, p.play.on[p.occasion(s.Name)])
	default:
		panic(fmt.Sprintf("a puppet has no use for a %T", s))
	}
}

func (p *puppet) Offers(offer func(sim.Signal)) {
	for _, g := range p.play.offers[p.self.String()] {
		if p.Vars[g.variable] == g.value {
			offer(deed{g.name})
		}
	}
}

func (p *puppet) Accepts(_ sim.Addr, m sim.Message) bool {
	for _, g := range p.play.accepts[p.self.String()] {
		if m == text(g.name) && p.Vars[g.variable] != g.value {
			return false
		}
	}
	return true
}

// do executes a list of commands, separated by semicolons.
func (p *puppet) do(env sim.Env, line string) {
	for one := range strings.SplitSeq(line, ";") {
		word, rest, _ := strings.Cut(strings.TrimSpace(one), " ")
		if word == "recover" {
			defer func() { _ = recover() }()
			continue
		}
		p.act(env, word, rest)
	}
}

func (p *puppet) act(env sim.Env, word, rest string) {
	first, second, _ := strings.Cut(rest, " ")
	switch word {
	case "":
	case "send":
		link, what, _ := strings.Cut(second, " ")
		port(env, link).Send(peer(env, first), text(what))
	case "after":
		d, err := time.ParseDuration(first)
		must(err)
		env.After(d, alarm{second})
	case "cancel":
		env.Cancel(alarm{rest})
	case "scheduled":
		p.Vars[rest] = 0
		if env.Scheduled(alarm{rest}) {
			p.Vars[rest] = 1
		}
	case "post":
		env.Post(job{rest})
	case "emit":
		env.Emit(rest)
	case "log":
		env.Logf("%s, says %s", rest, env.Self())
	case "choose":
		p.Vars[second] = env.Choose(number(first), second)
	case "weighted":
		var weights []int
		for w := range strings.SplitSeq(first, ",") {
			weights = append(weights, number(w))
		}
		p.Vars[second] = env.Weighted(weights, second)
	case "set", "add":
		g := guardOf("", rest)
		if word == "add" {
			g.value += p.Vars[g.variable]
		}
		p.Vars[g.variable] = g.value
	case "panic":
		panic(rest)
	default:
		panic("macemc test: a puppet cannot " + word)
	}
}

func port(env sim.Env, link string) sim.Port {
	switch link {
	case "tcp":
		return env.TCP()
	case "udp":
		return env.UDP()
	case "set":
		return env.Set()
	case "bag":
		return env.Bag()
	default:
		panic("macemc test: there is no link " + link)
	}
}

// peer returns the node with a name.
func peer(env sim.Env, name string) sim.Addr {
	for _, a := range append(env.Peers(), env.Self()) {
		if a.String() == name {
			return a
		}
	}
	panic("macemc test: there is no node " + name)
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	must(err)
	return n
}

func must(err error) {
	if err != nil {
		panic("macemc test: " + err.Error())
	}
}

// guardOf parses variable=value as the guard of name.
func guardOf(name, s string) guard {
	variable, value, _ := strings.Cut(s, "=")
	return guard{name, variable, number(value)}
}

// parsePlay makes a system of the play in input.
func parsePlay(input string) *sim.System {
	p := &play{map[string][]sim.Signal{}, map[string]string{}, map[string][]guard{}, map[string][]guard{}}
	weights := map[string]float64{}
	sys := &sim.System{
		Name: "puppets", Doc: "Nodes that do what a play says.",
		New:    func(sim.Params, sim.Addr) sim.Node { return &puppet{play: p} },
		Script: func(_ sim.Params, self sim.Addr, _ int) []sim.Signal { return p.openings[self.String()] },
	}
	for line := range strings.Lines(input) {
		head, does, _ := strings.Cut(strings.TrimSpace(line), ": ")
		words := strings.Fields(head)
		switch {
		case head == "":
		case sentence(sys, words, does):
		case words[0] == "weight":
			factor, err := strconv.ParseFloat(words[2], 64)
			must(err)
			weights[words[1]] = factor
		case len(words) == 1:
			p.openings[words[0]] = append(p.openings[words[0]], opening(does))
		case words[1] == "init":
			p.on[head] = does
		case words[1] == "on":
			p.on[words[0]+" "+words[2]] = does
		case words[1] == "offers":
			p.offers[words[0]] = append(p.offers[words[0]], guardOf(words[2], words[4]))
		case words[1] == "accepts":
			p.accepts[words[0]] = append(p.accepts[words[0]], guardOf(words[2], words[4]))
		default:
			panic("macemc test: no play has the line " + line)
		}
	}
	if len(weights) > 0 {
		sys.Weight = func(e sim.Event) float64 {
			if w, ok := weights[e.Kind.String()]; ok {
				return w
			}
			return 1
		}
	}
	return sys
}

// sentence parses a line about a property or a constraint and adds that to sys. It returns false for other lines.
func sentence(sys *sim.System, words []string, does string) bool {
	switch words[0] {
	case "always":
		g := guardOf(words[1], does)
		sys.Properties = append(sys.Properties, sim.Always(g.name, g.nowhere, g.told))
	case "eventually":
		g := guardOf(words[1], does)
		sys.Properties = append(sys.Properties, sim.Eventually(g.name,
			func(v sim.View[*puppet]) bool { return !g.nowhere(v) },
			func(sim.View[*puppet]) string { return fmt.Sprintf("no node has %s=%d", g.variable, g.value) }))
	case "steps":
		g := guard{words[1], does, 0}
		sys.Properties = append(sys.Properties, sim.Steps(g.name, g.grows, g.shrunk))
	case "within":
		sys.Within = sim.While(words[1], guardOf("", does).nowhere)
	case "assume":
		sys.Assume = sim.While(words[1], guardOf("", does).nowhere)
	case "monitor":
		sys.Properties = append(sys.Properties, sim.Monitor("no fact twice in a row", notAgain))
	default:
		return false
	}
	return true
}

// nowhere reports whether no node's variable has the value.
func (g guard) nowhere(v sim.View[*puppet]) bool { return g.told(v) == "" }

// told names the nodes whose variable has the value.
func (g guard) told(v sim.View[*puppet]) string {
	var at []string
	for a, p := range v.Nodes() {
		if p.Vars[g.variable] == g.value {
			at = append(at, fmt.Sprintf("%s has %s=%d", a, g.variable, g.value))
		}
	}
	return strings.Join(at, ", ")
}

// grows reports whether no node's variable has become smaller in a step.
func (g guard) grows(before, after sim.View[*puppet]) bool { return g.shrunk(before, after) == "" }

func (g guard) shrunk(before, after sim.View[*puppet]) string {
	for a, p := range before.Nodes() {
		if q, ok := after.At(a); ok && q.Vars[g.variable] < p.Vars[g.variable] {
			return fmt.Sprintf("%s had %s=%d, has %d", a, g.variable, p.Vars[g.variable], q.Vars[g.variable])
		}
	}
	return ""
}

// lastFact is the memory of the monitor that forbids the same fact twice in a row.
type lastFact struct {
	Fact  string
	Times map[string]int
}

func (m *lastFact) Init() { m.Times = map[string]int{} }

func notAgain(m *lastFact, at sim.Addr, fact any) error {
	f := fact.(string)
	m.Times[f]++ // a nil map, had Init not been called
	if f == m.Fact {
		return fmt.Errorf("%s emitted %q again, of %d times", at, f, m.Times[f])
	}
	m.Fact = f
	return nil
}

// stack is a node of two layers. The lower layer counts the messages that pass through it, wraps them in
// packets of its own, and has guards of its own; the upper layer is a puppet.
type stack struct {
	Upward int
	above  sim.Above `mc:"-"`
	upper  *puppet
}

type packet struct{ Inner sim.Message }

func (l *stack) Upper() sim.Node { return l.upper }

func (l *stack) env(env sim.Env) sim.Env {
	l.above = sim.Above{Env: env, Port: wrapping{env.TCP()}}
	return &l.above
}

type wrapping struct{ sim.Conn }

func (w wrapping) Send(to sim.Addr, m sim.Message) bool { return w.Conn.Send(to, packet{m}) }

func (l *stack) Init(env sim.Env) {
	l.upper.Init(l.env(env))
}

func (l *stack) Deliver(env sim.Env, from sim.Addr, m sim.Message) {
	l.Upward++
	if p, ok := m.(packet); ok {
		m = p.Inner
	}
	l.upper.Deliver(l.env(env), from, m)
}

type reset struct{}

func (l *stack) Handle(env sim.Env, s sim.Signal) {
	switch s.(type) {
	case reset:
		l.Upward = 0
	default:
		l.upper.Handle(l.env(env), s)
	}
}

func (l *stack) Offers(offer func(sim.Signal)) {
	if l.Upward > 1 {
		offer(reset{})
	}
}

func (l *stack) Accepts(_ sim.Addr, m sim.Message) bool { return m != text("bare") }

// stacked makes each puppet of a play the upper layer of a stack.
func stacked(sys *sim.System) *sim.System {
	inner := sys.New
	sys.Name = "stacks"
	sys.New = func(p sim.Params, self sim.Addr) sim.Node {
		return &stack{upper: inner(p, self).(*puppet)}
	}
	sys.Properties = append(sys.Properties,
		sim.Always("few passed", func(v sim.View[*stack]) bool {
			most := 0
			for _, l := range v.Nodes() {
				most = max(most, l.Upward)
			}
			return most < 3
		}))
	return sys
}
