package live

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"macemc/choose"
	"macemc/internal/record"
	"macemc/internal/world"
	"macemc/macetime"
	"macemc/sim"
)

// misuser does one thing in Init that a handler must not do.
type misuser struct {
	misuse func(n *misuser, env sim.Env) `mc:"-"`
	Read   macetime.Time
}

func (n *misuser) Init(env sim.Env)                       { n.misuse(n, env) }
func (n *misuser) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (n *misuser) Handle(sim.Env, sim.Signal)             {}

type (
	pointing struct{ At *int }
	dated    struct{ At macetime.Time }
	sliced   struct{ Of []int }
)

var misuses = []struct {
	name, says string
	do         func(n *misuser, env sim.Env)
}{
	{"a timer with a pointer", "must not hold a pointer", func(_ *misuser, env sim.Env) { env.After(time.Second, pointing{new(int)}) }},
	{"a timer with a NaN", "must be equal to itself", func(_ *misuser, env sim.Env) { env.Cancel(math.NaN()) }},
	{"a timer with a slice", "must be a comparable value", func(_ *misuser, env sim.Env) { env.Scheduled(sliced{[]int{1}}) }},
	{"a nil timer", "must be a comparable value", func(_ *misuser, env sim.Env) { env.Cancel(nil) }},
	{"a timer in the past", "cannot be in the past", func(_ *misuser, env sim.Env) { env.After(-1, 1) }},
	{"a time in a message", "puts a time into a message", func(_ *misuser, env sim.Env) { env.TCP().Send(env.Peers()[0], dated{env.Now()}) }},
	{"a time in a task", "puts a time into a task", func(_ *misuser, env sim.Env) { env.Post(dated{env.Now()}) }},
	{"a time in a timer", "puts a time into a timer", func(_ *misuser, env sim.Env) { env.After(time.Second, dated{env.Now()}) }},
	{"a time in a fact", "puts a time into a fact", func(_ *misuser, env sim.Env) { env.Emit(dated{env.Now()}) }},
	{"a counter in a message", "puts a time into a message", func(_ *misuser, env sim.Env) { env.UDP().Send(env.Peers()[0], []macetime.Monotone{env.Monotone()}) }},
	{"a time as text in a message", "as text into a message", func(_ *misuser, env sim.Env) { env.TCP().Send(env.Peers()[0], fmt.Sprint(env.Now())) }},
	{"a time as text in the store", "as text into the store", func(_ *misuser, env sim.Env) { env.Store().Put("since", env.Now().String()) }},
	{"a time of another node", "is a time of node 7", func(_ *misuser, env sim.Env) { env.Before(env.Now(), macetime.Wall(7, 1)) }},
	{"no weight of a comparison", "at least one is more than 0", func(_ *misuser, env sim.Env) { env.BeforeWeighted(env.Now(), env.Now(), 0, 0) }},
	{"too many alternatives", "at most 1<<31 alternatives", func(_ *misuser, env sim.Env) { env.Choose(1<<31+1, "which") }},
	{"no alternative", "at least one alternative", func(_ *misuser, env sim.Env) { env.Choose(0, "which") }},
	{"a negative weight", "a weight is 0 or more", func(_ *misuser, env sim.Env) { env.Weighted([]int{2, -1}, "which") }},
	{"no weight", "must be more than 0", func(_ *misuser, env sim.Env) { env.Weighted([]int{0}, "which") }},
	{"nobody as a receiver", "which is no node; check the address before sending", func(_ *misuser, env sim.Env) { env.Set().Send(sim.Addr{}, 1) }},
	{"a nil message", "sends nil to", func(_ *misuser, env sim.Env) { env.Bag().Send(env.Peers()[0], nil) }},
	{"a nil task", "posts nil", func(_ *misuser, env sim.Env) { env.Post(nil) }},
	{"room at nobody's", "which is no node", func(_ *misuser, env sim.Env) { env.TCP().RequestToSend(sim.Addr{}) }},
	{"a bug of no list", "which System.Bugs does not list", func(_ *misuser, env sim.Env) { env.Bug("no-such-bug") }},
	{"a file in a folder", "a file has a name without a slash", func(_ *misuser, env sim.Env) { env.Store().File("a/b") }},
	{"a longer file", "Truncate only makes a file shorter", func(_ *misuser, env sim.Env) { env.Store().File("log").Truncate(3) }},
	{"a loop", "it loops for ever", func(_ *misuser, env sim.Env) {
		for {
			env.Self()
		}
	}},
}

// Each misuse of Env is rejected with the same sentence in a simulation and in live.
func TestMisusesAreRejectedAlike(t *testing.T) {
	for _, m := range misuses {
		t.Run(m.name, func(t *testing.T) {
			sys := &sim.System{
				Name: "misuser", Doc: "Misuses Env.", Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} }, Bugs: []sim.Bug{{ID: "bug", Story: "Nothing."}},
				New: func(sim.Params, sim.Addr) sim.Node { return &misuser{misuse: m.do} },
			}
			p, err := sys.Configure(0, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			w, err := world.New(sys, p, world.Config{Audit: true})
			if err != nil {
				t.Fatal(err)
			}
			simulated := w.Protect(func() { w.Start(choose.NewWalk(1)) })
			if simulated == nil || !strings.Contains(simulated.Message, m.says) {
				t.Fatalf("the simulation says %v, not %q", simulated, m.says)
			}
			r := &retold{step: &record.Step{Picks: []uint32{0, 0, 0}}}
			if r.m, err = newMachine(sys, p, p.Addr(0), r); err != nil {
				t.Fatal(err)
			}
			real := r.m.run(&record.Event{})
			if real == nil || !strings.Contains(real.text, m.says) || untimed(real.text) != untimed(simulated.Message) {
				t.Errorf("for real it is %v\nsimulated %q", real, simulated.Message)
			}
		})
	}
}

// untimed replaces the times in a sentence, which are names in a simulation and readings in live.
func untimed(text string) string {
	return strings.NewReplacer("{At: last}", "{}", "[r1]", "[-]", "last+1s", "T", "last", "T", "t1", "T").Replace(text)
}

// An Env that a node kept is rejected in the sentence of the simulation.
func TestKeptEnvIsRejected(t *testing.T) {
	var kept sim.Env
	sys := &sim.System{Name: "keeper", Doc: "Keeps its Env.", Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} }, New: func(sim.Params, sim.Addr) sim.Node {
		return &misuser{misuse: func(_ *misuser, env sim.Env) {
			if kept != nil {
				kept.Self()
			}
			kept = env
		}}
	}}
	p, err := sys.Configure(0, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := &retold{step: &record.Step{}}
	if r.m, err = newMachine(sys, p, p.Addr(0), r); err != nil {
		t.Fatal(err)
	}
	if f := r.m.run(&record.Event{}); f != nil {
		t.Fatal(f)
	}
	r.m.step.End()
	func() {
		defer func() {
			if got, _ := recover().(string); !strings.Contains(got, "was kept from Init") {
				t.Errorf("it says %q", got)
			}
		}()
		kept.Choose(2, "which")
	}()
}

// A system with Byzantine nodes is not run live, and its error says so in one line.
func TestByzantineNodesAreRejected(t *testing.T) {
	sys := *echoes
	sys.Byzantine = func(p sim.Params) []sim.Byzantine { return []sim.Byzantine{{Node: p.Addr(1), Twins: true}} }
	_, err := Start(&sys, Config{})
	if err == nil || !strings.Contains(err.Error(), "has the Byzantine node n1 (twins), and live runs honest ones only") {
		t.Errorf("the error is %v", err)
	}
}
