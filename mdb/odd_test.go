package mdb

import (
	"runtime"
	"strings"
	"testing"

	"macemc/choose"
	"macemc/internal/search"
	"macemc/sim"
)

// odd are systems that are difficult for a debugger, such as one whose handler panics. Each has one node, which
// does something at each request of its script.
var odd = []*sim.System{
	oddSystem("panicking", func(c *counter, env sim.Env) {
		env.Logf("about to count, so far %d", c.n)
		if c.n++; c.n == 3 {
			panic("three is too many")
		}
	}),
	oddSystem("exiting", func(c *counter, _ sim.Env) {
		if c.n++; c.n == 3 {
			runtime.Goexit()
		}
	}),
	oddSystem("looping", func(c *counter, env sim.Env) {
		for c.n++; c.n == 3; {
		}
	}),
	oddSystem("asking", func(c *counter, env sim.Env) {
		c.n += env.Choose(3, "how many")
		c.n += 10 * env.Weighted([]int{5, 1}, "whether to add ten")
	}),
	oddSystem("closing", nil),
	oddSystem("betting", func(c *counter, env sim.Env) {
		if c.n++; env.Choose(2, "heads or tails") == 1 && c.n == 2 {
			panic("tails")
		}
	}),
	{
		Name: "picky", Doc: "Two nodes, which decline everything.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
		New:   func(sim.Params, sim.Addr) sim.Node { return &picky{} },
		Script: func(p sim.Params, self sim.Addr, _ int) []sim.Signal {
			if self == p.Addr(0) {
				return []sim.Signal{again{1}, again{2}}
			}
			return nil
		},
	},
}

// A picky node declines what its peer sends.
type picky struct{}

func (*picky) Init(sim.Env)                           {}
func (*picky) Deliver(sim.Env, sim.Addr, sim.Message) {}

func (*picky) Accepts(sim.Addr, sim.Message) bool { return false }

func (c *picky) Handle(env sim.Env, _ sim.Signal) { env.TCP().Send(env.Peers()[0], again{1}) }

type (
	again   struct{ time int }
	counter struct {
		n    int
		work func(*counter, sim.Env)
		add  func(int)
	}
)

func oddSystem(name string, work func(*counter, sim.Env)) *sim.System {
	sys := &sim.System{
		Name: name, Doc: "One node that counts.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
		New:   func(sim.Params, sim.Addr) sim.Node { return &counter{work: work} },
		Script: func(sim.Params, sim.Addr, int) (all []sim.Signal) {
			for i := range 6 {
				all = append(all, again{i + 1})
			}
			return all
		},
		Opaque: []string{"macemc/mdb.counter.work", "macemc/mdb.counter.add"},
		Properties: []sim.Property{
			sim.Eventually("counted", func(v sim.View[*counter]) bool {
				for _, c := range v.Nodes() {
					return c.n > 3
				}
				return false
			}),
		},
	}
	if work == nil { // its nodes hold a function that has a variable: they are not copied
		sys.New = func(sim.Params, sim.Addr) sim.Node {
			c := &counter{}
			c.add = func(k int) { c.n += k }
			return c
		}
	}
	return sys
}

func (c *counter) Init(sim.Env)                           {}
func (c *counter) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (c *counter) Handle(env sim.Env, s sim.Signal) {
	if c.work == nil {
		c.add(s.(again).time)
		return
	}
	c.work(c, env)
}

// If nodes cannot be copied, back executes the run again from its start.
func TestBackWithoutCopies(t *testing.T) {
	s := explored(t, odd[4], Settings{})
	if s.run.player.CanSnapshot() {
		t.Fatal("the nodes are copied")
	}
	must(t, s, "walk 6")
	for _, step := range []string{"6", "2", "5", "1", "0", "3"} {
		want := map[string]string{"0": "0", "1": "1", "2": "3", "3": "6", "5": "15", "6": "21"}[step]
		if got := must(t, s, "jump "+step+"; field n"); got[len(got)-len(want)-1:] != want+"\n" {
			t.Errorf("at step %s: %s, want %s", step, got, want)
		}
	}
	must(t, s, "jump 2; take 0; jump 0; jump end")
	if frames := len(s.run.trunk.frames); frames > 0 {
		t.Errorf("there are %d keyframes", frames)
	}
}

// A path whose last step never returns is followed to the step before that one, and no line of the session
// takes the last step.
func TestNeverReturns(t *testing.T) {
	sys := odd[2]
	params, err := sys.Configure(1, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	path := &choose.Path{Header: append(search.Describe(sys, params), choose.Field{Key: "verdict", Value: "divergence"})}
	for _, what := range []string{"1", "2", "3"} {
		path.Steps = append(path.Steps, choose.Step{Event: choose.Choice{Kind: choose.Event, Of: 1, What: "n0 script again{time: " + what + "}"}})
	}
	writePath(t, t.TempDir()+"/x.path", path)
	r, err := newRun("x.path", sys, path, nil)
	if err != nil || r.trunk.len() != 2 {
		t.Fatal("the path is not followed to step 2", err)
	}
	s := &Session{Cursor: Cursor{r, r.trunk, 2}, opener: &Opener{}}
	for line, want := range map[string]string{
		"alternatives": "never returns, and is not taken", "take 0": "never returns", "walk 3": "never returns", "summary": "never returns", "next": "never returns",
	} {
		p, err := s.Do(line)
		text := p.String()
		if err != nil {
			text += err.Error()
		}
		if !strings.Contains(text, want) {
			t.Errorf("%s answers %s", line, text)
		}
	}
}
