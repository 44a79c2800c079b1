package world

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/observe"
	settings "macemc/internal/setting"
	"macemc/internal/state"
	"macemc/internal/transcript"
	"macemc/sim"
)

// The transcripts of the environment: testdata/fault/*.txt.
//
//	system
//	    a new world of puppets. A line "n0: COMMANDS" is an opening of n0, in
//	    order; a line "n0 again: COMMANDS" is one of every later life. Other
//	    lines: nodes: 3, faults: crash=1, network: tcp-buffer=1, early: 1,
//	    flaw: NAME (of netsim), keeps: disk (System.Crash carries over how
//	    often the node crashed).
//	allow
//	    faults: and early: for the runs from now on; begins one
//	run
//	    one event a line, by the beginning of its text; " / 1 0" gives the
//	    answers of its coins. The effects of the step are indented below it.
//	possible
//	    the events that are possible now, with their weights in walks
//	state
//	    the state as text, and a number for its hash: equal hashes, one number
//	heal
//	    the environment stops misbehaving
//	live
//	    whether the state is live (no node is away), whether it is settled, and
//	    which nodes the property saw after the last step
//	never
//	    what was possible, or asked for, and has not happened so far
//	faults, network
//	    what ParseFaults and ParseNetwork make of each line
//
// COMMANDS are what one handler does, separated by semicolons: see puppet.
func TestFaultTranscripts(t *testing.T) {
	transcript.RunFresh(t, "testdata/fault", func() transcript.Handler {
		s := &stage{seen: map[canon.Hash]int{}}
		return s.command
	})
}

// stage is the world of one transcript.
type stage struct {
	w     *World
	cover *observe.Coverage
	seen  map[canon.Hash]int
	view  []sim.Addr // the nodes that the property saw last
}

func (s *stage) command(t *testing.T, d *transcript.Data) string {
	transcript.Allow(t, d)
	if s.w != nil {
		s.w.watch.Child() // the transcript's own goroutine is none of the service's
	}
	switch d.Cmd {
	case "system":
		return s.system(t, d)
	case "run":
		return lines(d, s.run)
	case "possible":
		return s.possible()
	case "state":
		return s.state()
	case "heal":
		if p := s.w.Heal(choose.NewFixed()); p != Stepped {
			d.Fatalf(t, "not healed: %v", s.w.Run.Err())
		}
		trace := s.w.Run.Trace().Steps
		return fmt.Sprintf("step %d: %s, healed: %t", s.w.Run.Steps(), trace[len(trace)-1].Identity, s.w.Environ.Healed())
	case "allow":
		return s.allow(t, d)
	case "live":
		live := s.w.Judge.Live()
		return fmt.Sprintf("live: %t, settled: %t, in view: %v", live, s.w.Events.Settled(), s.view)
	case "never":
		return strings.Join(append(s.cover.Never(), ""), "\n")
	case "faults":
		return lines(d, func(line string) string { return parsed(sim.ParseFaults(line)) })
	case "network":
		return lines(d, func(line string) string { return parsed(settings.ParseNetwork(line)) })
	default:
		d.Fatalf(t, "no command %q", d.Cmd)
		return ""
	}
}

func parsed(v fmt.Stringer, err error) string {
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	return v.String() + "\n"
}

// lines calls do with each line of the input, and returns the results joined.
func lines(d *transcript.Data, do func(string) string) string {
	out := ""
	for line := range strings.SplitSeq(d.Input, "\n") {
		out += do(line)
	}
	return out
}

// system makes the world that the input describes, and starts it.
func (s *stage) system(t *testing.T, d *transcript.Data) string {
	first, again := map[string][]sim.Signal{}, map[string][]sim.Signal{}
	nodes, config := 2, Config{Trace: true, Audit: true, Coverage: new(observe.Coverage)}
	s.cover = config.Coverage
	var err error
	sys := &sim.System{
		Name: "puppets", Doc: "Nodes that do what their script says.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 1, Most: 64} },
		New:   func(sim.Params, sim.Addr) sim.Node { return &puppet{} },
		Script: func(_ sim.Params, self sim.Addr, life int) []sim.Signal {
			if life > 0 {
				return again[self.String()]
			}
			return first[self.String()]
		},
		Properties: []sim.Property{sim.Always("nothing in particular", func(v sim.View[*puppet]) bool {
			s.view = s.view[:0]
			for a := range v.Nodes() {
				s.view = append(s.view, a)
			}
			return true
		})},
	}
	for line := range strings.SplitSeq(strings.TrimSpace(d.Input), "\n") {
		key, value, _ := strings.Cut(line, ": ")
		switch key {
		case "nodes":
			nodes, err = strconv.Atoi(value)
		case "faults":
			config.Faults = new(sim.Faults)
			*config.Faults, err = sim.ParseFaults(value)
		case "network":
			config.Network, err = settings.ParseNetwork(value)
		case "early":
			config.Early = new(int)
			*config.Early, err = strconv.Atoi(value)
		case "flaw":
			sys.Network = func(sim.Params) sim.Network { return sim.Network{Flaws: []string{value}} }
		case "keeps":
			sys.Crash = func(_ sim.Params, _ sim.Addr, dead sim.Node) sim.Node { return &puppet{Disk: dead.(*puppet).Disk + 1} }
		default:
			if node, later := strings.CutSuffix(key, " again"); later {
				again[node] = append(again[node], do(value))
			} else {
				first[key] = append(first[key], do(value))
			}
		}
		if err != nil {
			d.Fatalf(t, "%s: %v", line, err)
		}
	}
	p, err := sys.Configure(nodes, nil, nil)
	if err == nil {
		s.w, err = New(sys, p, config)
	}
	if err != nil {
		return "error: " + err.Error()
	}
	if f := s.w.Protect(func() { s.w.Start(choose.NewFixed()) }); f != nil {
		return "failure: " + f.Message
	}
	return ""
}

// allow changes the budgets, and starts the world again.
func (s *stage) allow(t *testing.T, d *transcript.Data) string {
	var faults sim.Faults
	var early *int
	for line := range strings.SplitSeq(d.Input, "\n") {
		var err error
		switch key, value, _ := strings.Cut(line, ": "); key {
		case "faults":
			faults, err = sim.ParseFaults(value)
		case "early":
			early = new(int)
			*early, err = strconv.Atoi(value)
		default:
			d.Fatalf(t, "no setting %q", line)
		}
		if err != nil {
			d.Fatalf(t, "%s: %v", line, err)
		}
	}
	s.w.Environ.Allow(faults, early)
	s.w.Protect(func() { s.w.Start(choose.NewFixed()) })
	return ""
}

// run takes the step that a line describes.
func (s *stage) run(line string) string {
	event, coins, _ := strings.Cut(line, " / ")
	source := &named{event: event}
	for coin := range strings.FieldsSeq(coins) {
		n, _ := strconv.Atoi(coin)
		source.coins = append(source.coins, n)
	}
	steps := s.w.Run.Steps()
	var progress Progress
	failure := s.w.Protect(func() {
		if progress = s.w.Step(source); progress == Stepped {
			s.w.Judge.Check()
		}
	})
	if s.w.Run.Steps() == steps {
		s.w.Run.err = nil // the run may go on
		return "(" + line + ": not possible now)\n"
	}
	trace := s.w.Run.Trace().Steps
	if failure != nil && len(trace) < s.w.Run.Steps() { // it failed inside the handler
		return line + "\n  failure: " + failure.Message + "\n"
	}
	last := &trace[len(trace)-1]
	out := last.Identity + "\n"
	for _, c := range last.Coins {
		out += fmt.Sprintf("  coin %s, of %d\n", c.What, c.Of)
	}
	for _, e := range last.Effects {
		out += "  " + e.Text(s.w.walker.Text) + "\n"
	}
	if failure != nil {
		out += "  failure: " + failure.Message + "\n"
	}
	return out
}

func (s *stage) possible() string {
	out := ""
	n := s.w.Events.Count()
	var weights []float64
	for _, r := range s.w.Events.runs {
		for range r.N {
			weights = append(weights, r.Weight)
		}
	}
	if len(weights) != n {
		return fmt.Sprintf("%d events, %d weights", n, len(weights))
	}
	for k := range n {
		out += fmt.Sprintf("%2v %s\n", weights[k], s.w.timers.text(s.w.Events.At(k)))
	}
	return out
}

func (s *stage) state() string {
	out := ""
	for _, l := range s.w.Text.Lines() {
		out += l.Path + ": " + l.Value + "\n"
	}
	h := s.w.State.Hash()
	if s.seen[h] == 0 {
		s.seen[h] = len(s.seen) + 1
	}
	return out + fmt.Sprintf("hash %d\n", s.seen[h])
}

// named is a source that picks the first event whose text begins with event, and then answers coins
// from a list.
type named struct {
	event string
	coins []int
}

var errNone = errors.New("no such event")

func (n *named) Err() error { return errNone }

func (n *named) Answer(q *choose.Question) int {
	if q.Kind == choose.Coin {
		if len(n.coins) == 0 {
			return 0
		}
		k := n.coins[0]
		n.coins = n.coins[1:]
		return k
	}
	for k := range q.N {
		if strings.HasPrefix(q.Alternatives.Alternative(k), n.event) {
			return k
		}
	}
	return -1
}

type (
	// do is the value of a request, a timer or a task: the commands that the puppet executes.
	do string
	// say is a message.
	say string
)

// puppet executes the commands of its requests, timers and tasks, and logs the messages and
// signals that it gets.
//
//	send PEER WORD...   by tcp, each word a message
//	udp PEER WORD...    by udp
//	ask PEER            for room
//	flush               asks for a Flushed signal
//	reset PEER          the connection
//	timer WORD          schedules one, which does the word
//	toss                a coin with a rare side
type puppet struct {
	Disk int // how often it crashed, where that is kept
}

func (p *puppet) Init(env sim.Env) { env.Logf("starts, disk %d", p.Disk) }

func (p *puppet) Deliver(env sim.Env, from sim.Addr, m sim.Message) {
	env.Logf("got %s from %s", m, from)
}

func (p *puppet) Handle(env sim.Env, s sim.Signal) {
	switch s := s.(type) {
	case do:
		for command := range strings.SplitSeq(string(s), "; ") {
			p.do(env, strings.Fields(command))
		}
	case sim.PeerError:
		env.Logf("heard of an error with %s: %s", s.Peer, s.Cause)
	case sim.ClearToSend:
		env.Logf("heard that there is room to %s", s.Peer)
	case sim.Flushed:
		env.Logf("heard that all is flushed")
	default:
		panic(fmt.Sprintf("puppet: no case for the signal %T", s))
	}
}

func (p *puppet) do(env sim.Env, word []string) {
	peer := func() sim.Addr {
		n, _ := strconv.Atoi(strings.TrimPrefix(word[1], "n"))
		return state.AddrOf(n)
	}
	switch word[0] {
	case "send":
		for _, m := range word[2:] {
			if !env.TCP().Send(peer(), say(m)) {
				env.Logf("%s was refused", m)
			}
		}
	case "udp":
		for _, m := range word[2:] {
			env.UDP().Send(peer(), say(m))
		}
	case "ask":
		env.TCP().RequestToSend(peer())
	case "flush":
		env.TCP().NotifyFlushed()
	case "reset":
		env.TCP().Reset(peer())
	case "timer":
		env.After(time.Second, do(word[1]))
	case "toss":
		env.Logf("the coin shows %d", env.Weighted([]int{3, 0, 1}, "coin"))
	case "tick":
	default:
		panic(fmt.Sprintf("puppet: no command %q", word))
	}
}
