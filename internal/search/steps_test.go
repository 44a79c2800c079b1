package search

import (
	"testing"

	"macemc/sim"
)

// riser counts up, and now and then may fall back by one.
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

// stairs has two climbers. The first must not step on from stair 2 once the other has reached the
// stair whose number is second. Each state can also be reached by steps that violate nothing.
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

// A property of steps is asked of each step, also of one that leads to a known state and of
// one that commutes with the step before, by every engine and any number of workers.
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
