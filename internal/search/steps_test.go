package search

import (
	"fmt"
	"strings"
	"testing"

	"macemc/internal/world"
	"macemc/sim"
)

// riser counts up. With bug R1, it may decrease by one about every 300 steps.
type riser struct{ Count int }

func (*riser) Init(sim.Env)                           {}
func (*riser) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (*riser) Offers(offer func(sim.Signal))          { offer(year{}) }
func (r *riser) Handle(env sim.Env, _ sim.Signal) {
	if r.Count++; r.Count%300 == 299 && env.Bug("R1") && env.Choose(4, "fall") == 0 {
		r.Count -= 2
	}
}

var risers = &sim.System{
	Name: "risers", Doc: "It only rises.", Bugs: []sim.Bug{{ID: "R1", Story: "It falls."}},
	Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
	New:   func(sim.Params, sim.Addr) sim.Node { return &riser{} },
	Properties: []sim.Property{
		sim.Steps("it rises", func(before, after sim.View[*riser]) bool {
			was, _ := before.At(before.Params().Addr(0))
			is, _ := after.At(after.Params().Addr(0))
			return is.Count > was.Count
		}),
		sim.Eventually("it is up", func(v sim.View[*riser]) bool {
			for _, r := range v.Nodes() {
				return r.Count >= 310
			}
			return false
		}),
	},
}

// A property of steps is evaluated at every step of every walk, and does not increase the number
// of audited runs.
func TestStepsAreNotAudited(t *testing.T) {
	opts := Options{Depth: 5, Paths: 200, Workers: 1}
	with := search(t, risers, 0, nil, opts)
	opts.Ignore = []Ignore{{Property: "it rises"}}
	without := search(t, risers, 0, nil, opts)
	if a, b := with.Stats, without.Stats; with.Finding != nil || a.Walks != b.Walks || a.Audited > b.Audited+20 || a.Audited > a.Walks/2 {
		t.Errorf("found is %v; of %d walks and %d runs in all %d were audited, without the property of steps %d of %d", with.Finding, a.Walks, a.Paths, a.Audited, b.Audited, b.Paths)
	}
	if e := Engine(with.Stats.Engine); e != EngineMemo {
		t.Errorf("the engine is %s", e)
	}
	for _, workers := range []int{1, 3} {
		for _, o := range []Options{{Depth: 1, Paths: 200, Workers: workers}, {Depth: 5, Workers: workers}} {
			r := search(t, risers, 0, nil, o, "R1")
			if f := r.Finding; f == nil || f.Property != "it rises" || f.Step < 299 {
				t.Errorf("%+v: found is %+v", o, f)
			}
		}
	}
}

// stepper climbs three stairs, each time by one of two actions.
type stepper struct{ Stair int }

type stair struct{ Left bool }

func (*stepper) Init(sim.Env)                           {}
func (*stepper) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (c *stepper) Handle(sim.Env, sim.Signal)           { c.Stair++ }
func (c *stepper) Offers(offer func(sim.Signal)) {
	if c.Stair < 3 {
		offer(stair{})
		offer(stair{Left: true})
	}
}

// stairs returns a system of two steppers. A property of steps says: the first stepper does not leave
// stair 2 once the other has reached the stair with the number second. Each state can also be reached
// by steps that do not violate it, so only a check of every step finds a violation.
func stairs(second int) *sim.System {
	return &sim.System{
		Name: "stairs", Doc: "Two climb stairs.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
		New:   func(sim.Params, sim.Addr) sim.Node { return &stepper{} },
		Properties: []sim.Property{sim.Steps("the first goes first", func(before, after sim.View[*stepper]) bool {
			p := before.Params()
			first, _ := before.At(p.Addr(0))
			then, _ := after.At(p.Addr(0))
			other, _ := before.At(p.Addr(1))
			return first.Stair == then.Stair || first.Stair != 2 || other.Stair < second
		})},
	}
}

// TestStepsToKnownStates: every engine, with any number of workers, evaluates a property of steps for
// every step, even for one that leads to a known state or commutes with the step before.
func TestStepsToKnownStates(t *testing.T) {
	for second := 1; second <= 4; second++ {
		var depth []int
		for _, o := range []Options{
			{Engine: EngineReference}, {Engine: EngineLocal}, {Engine: EngineMemo}, {Engine: EngineMemo, Workers: 3, team: 1}, {Engine: EngineMemo, Visited: VisitedFingerprint},
			{Engine: EngineMemo, Findings: 3},
		} {
			o.NoWalks, o.Depth = true, 10
			res := search(t, stairs(second), 0, nil, o)
			at := -1
			if f := res.Finding; f != nil {
				at = f.Step
			}
			depth = append(depth, at)
			if o.Engine == EngineMemo && res.Stats.Engine != string(EngineMemo) {
				t.Errorf("the engine is %s", res.Stats.Engine)
			}
		}
		want := 3 + second
		if second > 3 {
			want = -1
		}
		for i, at := range depth {
			if at != want {
				t.Errorf("second %d: search %d finds it after %d steps, and it is after %d", second, i, at, want)
			}
		}
	}
}

// laden is a node above a layer. Its steps change a map, a slice and an interface.
type laden struct {
	Counts map[sim.Addr]int
	Names  []string
	Last   any
	keeps  bool // after some steps, Last holds a pointer
}

type (
	ladenTick struct{ Nth int }
	ladenWord string
)

func (l *laden) Init(env sim.Env) { l.note(env, "init") }
func (l *laden) Deliver(env sim.Env, from sim.Addr, m sim.Message) {
	l.Counts[from]++
	l.note(env, string(m.(ladenWord)))
}
func (l *laden) Handle(env sim.Env, s sim.Signal) { l.note(env, fmt.Sprint(s)) }
func (l *laden) note(env sim.Env, what string) {
	l.Names = append(l.Names, what)
	if l.Last = any(len(l.Names)); l.keeps && len(l.Names) > 3 {
		l.Last = &stair{Left: len(l.Names)%2 == 0}
	}
	if len(l.Names) < 20 {
		env.After(1, ladenTick{len(l.Names) % 3})
		env.UDP().Send(env.Peers()[0], ladenWord("word"))
	}
	if len(l.Names) > 10 {
		env.Cancel(ladenTick{1})
		delete(l.Counts, env.Peers()[0])
		l.Names = l.Names[:3]
	}
}

// beneath is the layer below a laden node. It counts the signals that it passes on.
type beneath struct {
	sim.Node
	Passed int
}

func (b *beneath) Upper() sim.Node { return b.Node }
func (b *beneath) Handle(env sim.Env, s sim.Signal) {
	b.Passed++
	b.Node.Handle(env, s)
}

// TestStepsSeeWhatWas: the state before a step looks the same to a property of steps as it looked to the
// other properties after the step before, in walks with crashes and restarts. A copy of the last state is
// kept for this. If the property reads values that the copy does not have, the run goes on with a second
// world.
func TestStepsSeeWhatWas(t *testing.T) {
	for _, c := range []struct {
		name    string
		see     func(b *strings.Builder, v sim.View[*laden])
		keeps   bool
		lagging bool // a second world is needed
	}{
		{name: "nodes, timers and the number of messages"},
		{name: "messages", lagging: true, see: func(b *strings.Builder, v sim.View[*laden]) {
			for m := range sim.UnderWay[any](v) {
				fmt.Fprint(b, m)
			}
		}},
		{name: "messages of an odd number alone", lagging: true, see: func(b *strings.Builder, v sim.View[*laden]) {
			for m := range sim.UnderWay[any](v) {
				if v.InFlight()%2 == 0 {
					break
				}
				fmt.Fprint(b, m)
			}
		}},
		{name: "the layer", lagging: true, see: func(b *strings.Builder, v sim.View[*laden]) {
			for _, l := range sim.See[*beneath](v).Nodes() {
				fmt.Fprint(b, l.Passed)
			}
		}},
		{name: "a pointer in an interface, after some steps", keeps: true, lagging: true},
	} {
		seen := func(v sim.View[*laden]) string {
			var b strings.Builder
			fmt.Fprint(&b, v.Len(), v.Timers(), v.InFlight())
			for a, n := range v.Nodes() {
				fmt.Fprint(&b, " ", a, n.Counts, n.Names, v.Scheduled(a, ladenTick{0}), v.Scheduled(a, ladenTick{1}))
				if p, is := n.Last.(*stair); is {
					fmt.Fprint(&b, *p)
				} else {
					fmt.Fprint(&b, n.Last)
				}
			}
			if c.see != nil {
				c.see(&b, v)
			}
			return b.String()
		}
		last, asked, worlds := "", 0, 0
		sys := &sim.System{
			Name: "laden", Doc: "Two send each other words.", Tolerates: sim.Faults{Crash: 2, Loss: 2, Partition: 1},
			Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
			New: func(sim.Params, sim.Addr) sim.Node {
				return &beneath{Node: &laden{Counts: map[sim.Addr]int{}, keeps: c.keeps}}
			},
			Properties: []sim.Property{
				sim.Always("it is seen", func(v sim.View[*laden]) bool {
					last = seen(v)
					return true
				}),
				sim.Steps("it was seen", func(before, _ sim.View[*laden]) bool {
					asked++
					return seen(before) == last
				}, func(before, _ sim.View[*laden]) string { return seen(before) + " was " + last }),
			},
		}
		opts := Options{Depth: 1, Walks: 60, WalkSteps: 100, Workers: 1, Engine: EngineReference}
		Watch(&opts, func(*world.World) { worlds++ })
		res := search(t, sys, 0, nil, opts)
		if f := res.Finding; f != nil {
			t.Errorf("%s: %s", c.name, f.Message)
		}
		if asked < 1000 || (worlds > 1) != c.lagging {
			t.Errorf("%s: the state before %d steps was seen, with %d worlds", c.name, asked, worlds)
		}
	}
}
