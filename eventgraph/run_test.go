package eventgraph

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"macemc/choose"
	"macemc/internal/world"
	"macemc/sim"
)

// The nodes of these tests follow commands: a script's opening, a timer,
// a task or a message holds commands, with ";" between them:
//
//	wire n1 TEXT                               a message that has a String, over TCP
//	tcp n1 TEXT   udp n1 TEXT   set n1 TEXT    send; n1 does what TEXT says, if that is commands in brackets
//	after TEXT    cancel TEXT   post TEXT      a timer or a task, which does what TEXT says
//	reset n1      room n1       flushed        of the connection with n1
//	toss WHY      log TEXT      emit TEXT
//	panic TEXT    loop n1 TEXT                 which sends without end
type (
	do    string // an opening
	timer string
	task  string
	note  string // a message
	fact  string
	say   struct{ Text string } // an opening that says it in every way
	wire  string                // a message that has a String
)

func (w wire) String() string { return "in words: " + string(w) + "\n" }

type actor struct {
	peers map[string]sim.Addr `mc:"-"`
	Seen  int
	Said  string
}

func (n *actor) Init(env sim.Env) {
	n.peers = map[string]sim.Addr{env.Self().String(): env.Self()}
	for _, a := range env.Peers() {
		n.peers[a.String()] = a
	}
}

func (n *actor) Deliver(env sim.Env, _ sim.Addr, m sim.Message) {
	if m, ok := m.(note); ok {
		n.obey(env, inner(string(m)))
	}
}

func (n *actor) Handle(env sim.Env, s sim.Signal) {
	switch s := s.(type) {
	case do:
		n.obey(env, string(s))
	case timer:
		n.obey(env, inner(string(s)))
	case task:
		n.obey(env, inner(string(s)))
	case say:
		n.Said = s.Text
		env.TCP().Send(n.peers["n1"], note(s.Text))
		env.After(time.Second, timer(s.Text))
		env.Choose(2, s.Text)
		env.Logf("%s", s.Text)
		env.Emit(fact(s.Text))
	}
}

// inner returns the commands between brackets.
func inner(s string) string {
	_, s, _ = strings.Cut(s, "[")
	return strings.TrimSuffix(s, "]")
}

// split cuts at every ";" that is not between brackets.
func split(s string) (parts []string) {
	depth, from := 0, 0
	for i, c := range s {
		switch c {
		case '[':
			depth++
		case ']':
			depth--
		case ';':
			if depth == 0 {
				parts = append(parts, s[from:i])
				from = i + 1
			}
		}
	}
	return append(parts, s[from:])
}

func (n *actor) obey(env sim.Env, commands string) {
	n.Seen++
	for _, one := range split(commands) {
		word, rest, _ := strings.Cut(strings.TrimSpace(one), " ")
		name, text, _ := strings.Cut(rest, " ")
		peer := n.peers[name]
		switch word {
		case "":
		case "tcp":
			env.TCP().Send(peer, note(text))
		case "wire":
			env.TCP().Send(peer, wire(text))
		case "udp":
			env.UDP().Send(peer, note(text))
		case "set":
			env.Set().Send(peer, note(text))
		case "after":
			env.After(time.Second, timer(rest))
		case "cancel":
			env.Cancel(timer(rest))
		case "post":
			env.Post(task(rest))
		case "reset":
			env.TCP().Reset(peer)
		case "room":
			env.TCP().RequestToSend(peer)
		case "flushed":
			env.TCP().NotifyFlushed()
		case "toss":
			env.Choose(2, rest)
		case "log":
			env.Logf("%s", rest)
		case "emit":
			env.Emit(fact(rest))
		case "loop":
			for {
				env.TCP().Send(peer, note(text))
			}
		case "panic":
			panic(rest)
		default:
			panic("no command " + one)
		}
	}
}

// play is a run of actors: their scripts, and the events that happen.
type play struct {
	nodes   int
	faults  sim.Faults
	scripts map[string][]sim.Signal
	events  []string // a part of what identifies each
}

// parsePlay reads lines: "n0: COMMANDS" is an opening of n0, any other line an
// event that happens.
func parsePlay(t testing.TB, nodes int, faults, text string) play {
	t.Helper()
	p := play{nodes: nodes, scripts: map[string][]sim.Signal{}}
	if faults != "" {
		var err error
		if p.faults, err = sim.ParseFaults(faults); err != nil {
			t.Fatal(err)
		}
	}
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		if node, commands, ok := strings.Cut(line, ": "); ok && len(node) <= 3 {
			p.scripts[node] = append(p.scripts[node], do(commands))
		} else if line != "" {
			p.events = append(p.events, line)
		}
	}
	return p
}

// teller is a Source that chooses the event whose text contains want, and answers coins with 1.
type teller struct {
	want string
	err  error
}

func (a *teller) Answer(q *choose.Question) int {
	if q.Kind == choose.Coin {
		return 1
	}
	var all []string
	for i := range q.N {
		is := q.Alternatives.Alternative(i)
		if strings.Contains(is, a.want) {
			return i
		}
		all = append(all, is)
	}
	a.err = fmt.Errorf("%q is not possible; there are %s", a.want, strings.Join(all, ", "))
	return -1
}

func (a *teller) Err() error { return a.err }

// take takes the run, and calls see with the world after the starts and every step.
func (p play) take(t testing.TB, see func(*world.World)) *world.World {
	t.Helper()
	w := p.world(t)
	src := &teller{}
	w.Protect(func() {
		w.Start(src)
		see(w)
		for _, e := range p.events {
			src.want = e
			progress := world.Progress(0)
			if e == "heal" {
				progress = w.Heal(src)
			} else {
				progress = w.Step(src)
			}
			if progress != world.Stepped {
				src.err = errors.Join(src.err, fmt.Errorf("%q: no step was taken", e))
				return
			}
			see(w)
		}
	})
	if src.err != nil {
		t.Fatal(src.err)
	}
	return w
}

// world returns a world in which the play can be taken.
func (p play) world(t testing.TB) *world.World {
	t.Helper()
	sys := &sim.System{
		Name: "actors", Doc: "Nodes that do what they are told. For tests only.",
		Nodes:   func(sim.Params) sim.Range { return sim.Range{Default: p.nodes, Least: p.nodes, Most: p.nodes} },
		Network: func(sim.Params) sim.Network { return sim.Network{TCPBuffer: 3, UDPCapacity: 3} },
		New:     func(sim.Params, sim.Addr) sim.Node { return &actor{} },
		Script: func(_ sim.Params, self sim.Addr, life int) []sim.Signal {
			if life > 0 {
				return []sim.Signal{do("log back again")}
			}
			return p.scripts[self.String()]
		},
		Properties: []sim.Property{sim.Always("nothing", func(sim.View[*actor]) bool { return true })},
	}
	params, err := sys.Configure(p.nodes, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := world.New(sys, params, world.Config{Trace: true, Conditions: sim.Conditions{Faults: &p.faults}})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func (p play) graph(t testing.TB, marks Marks) *Graph {
	t.Helper()
	w := p.take(t, func(*world.World) {})
	return New(w.Run.Trace(), w.Walker().Text, marks)
}
