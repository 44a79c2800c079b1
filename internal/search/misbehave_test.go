package search

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"macemc/choose"
	"macemc/internal/long"
	"macemc/sim"
	"macemc/trace"
)

// A misbehaving service breaks a rule of the contract, on node n0, when a known event comes.
// The exhaustive phase and walks find each with the expected verdict, and its path reproduces
// it. The correct twin does the same work without breaking the rule.
var misbehaving = []struct {
	name       string
	make       func() service
	verdict    trace.Verdict
	identity   string   // of the step's event
	says       []string // parts of the message or the stack
	bestEffort bool     // whether it is found depends on Go's scheduler, so the finding may be missed
}{
	{
		name: "map-one-peer", make: func() service { return new(mapOnePeer) },
		verdict: trace.VerdictNondeterminism, identity: "n0 timer tick{}",
		says: []string{"note{Text: \"a\"}", "note{Text: \"b\"}", "the order of a map"},
	}, {
		name: "map-two-peers", make: func() service { return new(mapTwoPeers) },
		verdict: trace.VerdictNondeterminism, identity: "n0 timer tick{}",
		says: []string{"to n1", "to n2", "the order of a map"},
	}, {
		name: "map-choice", make: func() service { return new(mapChoice) },
		verdict: trace.VerdictNondeterminism, identity: "n0 timer tick{}",
		says: []string{"asked for other choices", "coin of"},
	}, {
		name: "clock", make: func() service { return new(clockReader) },
		verdict: trace.VerdictNondeterminism, identity: "n0 timer tick{}",
		says: []string{"n0.at: ", "as a clock does"},
	}, {
		name: "randomness", make: func() service { return new(gambler) },
		verdict: trace.VerdictNondeterminism, identity: "n0 timer tick{}",
		says: []string{"send note{Text: ", "small random numbers"},
	}, {
		name: "package-variable", make: func() service { return new(numberer) },
		verdict: trace.VerdictNondeterminism, identity: "n0 timer tick{}",
		says: []string{"n0.number: ", "a package variable"},
	}, {
		name: "shared-variable", make: func() service { return new(sharer) },
		verdict: trace.VerdictMutation, identity: "n0 timer tick{}",
		says: []string{"the state of n1 changed while n0 ran: table", "table[\"n0\"] was (absent), is 1", "share memory"},
	}, {
		name: "goroutine", make: func() service { return new(starter) },
		verdict: trace.VerdictGoroutine, identity: "n0 timer tick{}",
		says: []string{"started a goroutine", "(*starter).work"},
	}, {
		name: "short-goroutine", make: func() service { return new(shortStarter) },
		verdict: trace.VerdictGoroutine, identity: "n0 timer tick{}",
		says:       []string{"started a goroutine", "(*shortStarter).work"},
		bestEffort: true,
	}, {
		name: "changes-sent", make: func() service { return new(reuser) },
		verdict: trace.VerdictMutation, identity: "n0 timer tick{}",
		says: []string{"from n0 to n1", "changed after it was sent", "list[1] became list[2]"},
	}, {
		name: "changes-received", make: func() service { return new(scribbler) },
		verdict: trace.VerdictMutation, identity: "n0 message reply[0] from n1 by tcp",
		says: []string{"changed what it was given: reply[0] became reply[7]"},
	}, {
		name: "shares-pointer", make: func() service { return new(pointerKeeper) },
		verdict: trace.VerdictMutation, identity: "n0 timer tick{}",
		says: []string{"the state of n1 changed while n0 ran", "share memory"},
	}, {
		name: "panics", make: func() service { return new(panicker) },
		verdict: trace.VerdictPanic, identity: "n0 timer tick{}",
		says: []string{"invariant broken: 1 is not 2", "(*panicker).work"},
	}, {
		name: "runtime-error", make: func() service { return new(indexer) },
		verdict: trace.VerdictPanic, identity: "n0 timer tick{}",
		says: []string{"index out of range [3] with length 0", "(*indexer).work"},
	}, {
		name: "loops-choosing", make: func() service { return new(chooser) },
		verdict: trace.VerdictDivergence, identity: "n0 timer tick{}",
		says: []string{"called Env 100000 times in one step (the last: Choose)"},
	}, {
		name: "loops-sending", make: func() service { return new(sender) },
		verdict: trace.VerdictDivergence, identity: "n0 timer tick{}",
		says: []string{"called Env 100000 times in one step (the last: Send)"},
	},
}

// A service is the part of a node that may misbehave. Its work is done at
// every tick of n0; the rest, in base, is the same for all.
type service interface {
	sim.Node
	work(env sim.Env, wrong bool)
	configure(wrong bool)
}

type (
	tick  struct{}
	note  struct{ Text string }
	list  []int
	reply []int
	box   struct{ N int }
)

// base ticks on n0, which sends a message; the other nodes answer, and each answer leads to another
// tick. So runs never end, and the state space is small.
type base struct {
	wrong  bool
	heard  string
	rounds int
}

func (b *base) configure(wrong bool) { b.wrong = wrong }

func (b *base) Init(env sim.Env) {
	if env.Self() == first(env) {
		env.After(time.Second, tick{})
	}
}

func first(env sim.Env) sim.Addr {
	if peers := env.Peers(); peers[0].Less(env.Self()) {
		return peers[0]
	}
	return env.Self()
}

func (b *base) Deliver(env sim.Env, from sim.Addr, m sim.Message) {
	switch m := m.(type) {
	case note:
		b.heard = m.Text
		env.TCP().Send(from, reply{0})
	case list:
		env.TCP().Send(from, reply{len(m)})
	case reply:
		b.rounds = (b.rounds + 1) % 100
		env.After(time.Second, tick{})
	default:
		panic(fmt.Sprintf("unknown message %T", m))
	}
}

// ticks calls the service's work for a tick.
func ticks(s service, wrong bool, env sim.Env, signal sim.Signal) {
	if _, ok := signal.(tick); !ok {
		panic(fmt.Sprintf("unknown signal %T", signal))
	}
	s.work(env, wrong)
}

// mapOnePeer sends to one peer in the order of a map.
type mapOnePeer struct{ base }

func (n *mapOnePeer) Handle(env sim.Env, s sim.Signal) { ticks(n, n.wrong, env, s) }
func (n *mapOnePeer) work(env sim.Env, wrong bool) {
	names := map[string]bool{"a": true, "b": true}
	if !wrong {
		for _, name := range sim.Keys(names) {
			env.TCP().Send(env.Peers()[0], note{name})
		}
		return
	}
	for name := range names {
		env.TCP().Send(env.Peers()[0], note{name})
	}
}

// mapTwoPeers sends to two peers in the order of a map. Both orders lead to the same state; only
// the order of the effects differs.
type mapTwoPeers struct{ base }

func (n *mapTwoPeers) Handle(env sim.Env, s sim.Signal) { ticks(n, n.wrong, env, s) }
func (n *mapTwoPeers) work(env sim.Env, wrong bool) {
	peers := map[sim.Addr]bool{env.Peers()[0]: true, env.Peers()[1]: true}
	if !wrong {
		for _, to := range sim.Addrs(peers) {
			env.TCP().Send(to, note{"hello"})
		}
		return
	}
	for to := range peers {
		env.TCP().Send(to, note{"hello"})
	}
}

// mapChoice tosses a coin; the number of its sides is the first key of a map.
type mapChoice struct{ base }

func (n *mapChoice) Handle(env sim.Env, s sim.Signal) { ticks(n, n.wrong, env, s) }
func (n *mapChoice) work(env sim.Env, wrong bool) {
	sides := map[int]bool{2: true, 3: true}
	for k := range sides {
		if !wrong {
			k = sim.Keys(sides)[0]
		}
		env.Choose(k, "side")
		break
	}
	env.TCP().Send(env.Peers()[0], note{"tossed"})
}

// clockReader stores the time of the real clock.
type clockReader struct {
	base
	at int64
}

func (n *clockReader) Handle(env sim.Env, s sim.Signal) { ticks(n, n.wrong, env, s) }
func (n *clockReader) work(env sim.Env, wrong bool) {
	n.at = 1 + n.at%3
	if wrong {
		n.at = time.Now().UnixNano()
	}
	env.TCP().Send(env.Peers()[0], note{"time"})
}

// gambler sends a random number that it drew itself.
type gambler struct{ base }

var generator = rand.New(rand.NewPCG(1, 2))

func (n *gambler) Handle(env sim.Env, s sim.Signal) { ticks(n, n.wrong, env, s) }
func (n *gambler) work(env sim.Env, wrong bool) {
	k := 0
	if wrong {
		k = generator.IntN(2)
	} else {
		k = env.Choose(2, "number")
	}
	env.TCP().Send(env.Peers()[0], note{fmt.Sprint(k)})
}

// numberer numbers its ticks by a package variable.
type numberer struct {
	base
	number int
}

var numbers int

func (n *numberer) Handle(env sim.Env, s sim.Signal) { ticks(n, n.wrong, env, s) }
func (n *numberer) work(env sim.Env, wrong bool) {
	n.number = (n.number + 1) % 4
	if wrong {
		numbers++
		n.number = numbers
	}
	env.TCP().Send(env.Peers()[0], note{"numbered"})
}

// sharer keeps one map for all nodes that were made together, so a write of one node changes the
// state of every node.
type sharer struct {
	base
	table map[string]int
}

var shared map[string]int // of the nodes that are being made

func (n *sharer) Init(env sim.Env) {
	if n.table = map[string]int{}; n.wrong {
		if env.Self() == first(env) {
			shared = n.table
		}
		n.table = shared
	}
	n.base.Init(env)
}

func (n *sharer) Handle(env sim.Env, s sim.Signal) { ticks(n, n.wrong, env, s) }
func (n *sharer) work(env sim.Env, wrong bool) {
	n.table[env.Self().String()] = (n.table[env.Self().String()] + 1) % 4
	env.TCP().Send(env.Peers()[0], note{"counted"})
}

// starter starts a goroutine that lives on.
type starter struct{ base }

var never = make(chan struct{})

func (n *starter) Handle(env sim.Env, s sim.Signal) { ticks(n, n.wrong, env, s) }
func (n *starter) work(env sim.Env, wrong bool) {
	if wrong {
		go func() { <-never }()
	}
	env.TCP().Send(env.Peers()[0], note{"started"})
}

// shortStarter starts a goroutine that soon ends.
type shortStarter struct{ base }

func (n *shortStarter) Handle(env sim.Env, s sim.Signal) { ticks(n, n.wrong, env, s) }
func (n *shortStarter) work(env sim.Env, wrong bool) {
	if wrong {
		go func() {
			for range 10 {
				runtime.Gosched()
			}
		}()
	}
	env.TCP().Send(env.Peers()[0], note{"started"})
}

// reuser sends a slice, keeps it, and changes it at the next tick, while it
// may still be under way.
type reuser struct {
	base
	sent list
}

func (n *reuser) Handle(env sim.Env, s sim.Signal) { ticks(n, n.wrong, env, s) }
func (n *reuser) work(env sim.Env, wrong bool) {
	switch {
	case n.sent == nil:
		n.sent = list{1}
		env.TCP().Send(env.Peers()[0], n.sent)
		env.After(time.Second, tick{})
		return
	case !wrong:
		n.sent = append(list{}, n.sent...)
	}
	n.sent[0] = 3 - n.sent[0]
}

// scribbler writes into a message that it was given.
type scribbler struct{ base }

func (n *scribbler) Handle(env sim.Env, s sim.Signal) { ticks(n, n.wrong, env, s) }
func (n *scribbler) work(env sim.Env, _ bool)         { env.TCP().Send(env.Peers()[0], note{"hello"}) }
func (n *scribbler) Deliver(env sim.Env, from sim.Addr, m sim.Message) {
	if r, ok := m.(reply); ok {
		if !n.wrong {
			r = append(reply{}, r...)
		}
		r[0] = 7
	}
	n.base.Deliver(env, from, m)
}

// pointerKeeper sends a pointer that it keeps, the receiver keeps it too, and
// the sender writes through it once the message is no longer under way.
type pointerKeeper struct {
	base
	mine, theirs *box
}

func (n *pointerKeeper) Handle(env sim.Env, s sim.Signal) { ticks(n, n.wrong, env, s) }
func (n *pointerKeeper) work(env sim.Env, wrong bool) {
	if n.mine == nil {
		n.mine = &box{1}
		env.TCP().Send(env.Peers()[0], n.mine)
		return
	}
	if !wrong {
		copied := *n.mine
		n.mine = &copied
	}
	n.mine.N = 3 - n.mine.N
	env.TCP().Send(env.Peers()[0], note{"written"})
}
func (n *pointerKeeper) Deliver(env sim.Env, from sim.Addr, m sim.Message) {
	if b, ok := m.(*box); ok {
		n.theirs = b
		env.TCP().Send(from, reply{0})
		return
	}
	n.base.Deliver(env, from, m)
}

// panicker fails its own assertion.
type panicker struct{ base }

func (n *panicker) Handle(env sim.Env, s sim.Signal) { ticks(n, n.wrong, env, s) }
func (n *panicker) work(env sim.Env, wrong bool) {
	if wrong {
		panic(fmt.Sprintf("invariant broken: %d is not %d", 1, 2))
	}
	env.TCP().Send(env.Peers()[0], note{"well"})
}

// indexer reads beyond the end of a slice.
type indexer struct {
	base
	read int
}

func (n *indexer) Handle(env sim.Env, s sim.Signal) { ticks(n, n.wrong, env, s) }
func (n *indexer) work(env sim.Env, wrong bool) {
	items := []int{1, 2, 3, 4}
	if wrong {
		items = items[:0]
	}
	n.read = items[3]
	env.TCP().Send(env.Peers()[0], note{"read"})
}

// chooser asks for coins for ever.
type chooser struct{ base }

func (n *chooser) Handle(env sim.Env, s sim.Signal) { ticks(n, n.wrong, env, s) }
func (n *chooser) work(env sim.Env, wrong bool) {
	for k := 0; wrong || k < 3; k++ {
		env.Choose(2, "again")
	}
	env.TCP().Send(env.Peers()[0], note{"chosen"})
}

// sender sends for ever.
type sender struct{ base }

func (n *sender) Handle(env sim.Env, s sim.Signal) { ticks(n, n.wrong, env, s) }
func (n *sender) work(env sim.Env, wrong bool) {
	to := env.Peers()[0]
	for k := 0; wrong || k < 2; k++ {
		env.TCP().Send(to, note{"on and on"})
	}
}

// systemOf returns a system of three nodes that make returns. If wrong is false, they keep the
// rule.
func systemOf(name string, make func() service, wrong bool) *sim.System {
	return &sim.System{
		Name: name, Doc: "A service that breaks a rule of the contract. Or does not.",
		New: func(sim.Params, sim.Addr) sim.Node {
			n := make()
			n.configure(wrong)
			return n
		},
	}
}

// phases are options for the two phases of a search, each of which must find the misbehaviour.
var phases = []struct {
	name string
	opts Options
}{
	{"exhaustive", Options{NoWalks: true, Effort: 5000}},
	{"walks", Options{Depth: 1, Paths: 100}},
}

func TestMisbehaving(t *testing.T) {
	for i, c := range misbehaving {
		for _, phase := range phases {
			if !*long.On && phase.name == phases[i%len(phases)].name {
				continue // TestBehaving takes this service in this phase
			}
			t.Run(c.name+"/"+phase.name, func(t *testing.T) {
				sys := systemOf(c.name, c.make, true)
				for seed := range uint64(long.Of(1, 5)) {
					opts := phase.opts
					opts.Seed = seed + 1
					res, err := Search(sys, opts)
					if err != nil {
						t.Fatalf("seed %d: %v", opts.Seed, err)
					}
					if res.Finding == nil && c.bestEffort {
						continue
					}
					if res.Verdict() != c.verdict {
						t.Fatalf("seed %d: verdict %s, want %s: %+v", opts.Seed, res.Verdict(), c.verdict, res.Finding)
					}
					if res.Stats.Steps > 10_000 {
						t.Errorf("seed %d: found after %d steps", opts.Seed, res.Stats.Steps)
					}
					f := res.Finding
					if f.Node.String() != "n0" || f.Identity != c.identity {
						t.Errorf("seed %d: found at %s, %q; want %q", opts.Seed, f.Node, f.Identity, c.identity)
					}
					for _, part := range c.says {
						if !strings.Contains(f.Message+"\n"+f.Stack, part) {
							t.Errorf("seed %d: the finding does not say %q: %s\n%s", opts.Seed, part, f.Message, f.Stack)
						}
					}
					if c.verdict == trace.VerdictNondeterminism && len(f.Outcomes) < 2 {
						t.Errorf("seed %d: %d outcomes were counted: %v of %+v\n%+v", opts.Seed, len(f.Outcomes), f.Outcomes, f.Failure, f.Path.Steps)
					}
					replayed(t, sys, f, c.bestEffort)
				}
			})
		}
	}
}

// replayed writes a finding's path as text, reads it, and checks that replaying it reproduces the
// finding.
func replayed(t *testing.T, sys *sim.System, f *Finding, bestEffort bool) {
	t.Helper()
	r, err := Replay(sys, throughText(t, f.Path), Options{ExplainEffort: long.Of(10_000, 0)})
	if err != nil {
		t.Fatalf("replay: %v", err)
	}
	if !r.Reproduced && !bestEffort {
		t.Errorf("the path was replayed to a %s: %s", r.Finding.Verdict, r.Finding.Message)
	}
}

// throughText writes a path and reads it again, as a user would.
func throughText(t *testing.T, p *choose.Path) *choose.Path {
	t.Helper()
	var text bytes.Buffer
	if _, err := p.WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	p, err := choose.Parse(&text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestBehaving(t *testing.T) {
	for i, c := range misbehaving {
		for _, phase := range phases {
			if !*long.On && phase.name != phases[i%len(phases)].name {
				continue // each service is taken in one phase
			}
			t.Run(c.name+"/"+phase.name, func(t *testing.T) {
				sys := systemOf(c.name, c.make, false)
				for seed := range uint64(long.Of(1, 5)) {
					opts := phase.opts
					opts.Seed, opts.Effort = seed+1, opts.Effort/long.Of(4, 1)
					res, err := Search(sys, opts)
					if err != nil {
						t.Fatalf("seed %d: %v", opts.Seed, err)
					}
					if res.Finding != nil {
						t.Fatalf("seed %d: a correct service is found to be wrong: %+v", opts.Seed, res.Finding)
					}
				}
			})
		}
	}
}
