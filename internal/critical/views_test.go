package critical_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"macemc/choose"
	"macemc/internal/critical"
	"macemc/internal/long"
	"macemc/internal/search"
	"macemc/internal/world"
	"macemc/sim"
)

// member is a replica of a value that is written once. The leader of a view is the node whose index is the view modulo three,
// and each message has the view of its sender. The bug: a leader that begins a view does not take over the value of those who join it.
type member struct {
	Self                     sim.Addr
	Others                   []sim.Addr
	View, Value              int
	Ready, Wrote, Acked, Bad bool
}

type (
	suspect struct{}
	write   struct{}
	change  struct{ View int }
	invite  struct{ View int }
	joined  struct{ View, Value int }
	store   struct{ View, Value int }
	stored  struct{ View int }
)

func (m *member) leads() bool { return m.View%3 == m.Self.Index() }

func (m *member) enter(view int) {
	if view > m.View {
		m.View, m.Ready = view, false
	}
}

func (m *member) tell(env sim.Env, msg sim.Message) {
	for _, o := range m.Others {
		env.UDP().Send(o, msg)
	}
}

func (m *member) Init(env sim.Env) { env.After(time.Second, suspect{}) }

func (m *member) Handle(env sim.Env, s sim.Signal) {
	switch s.(type) {
	case suspect:
		env.After(time.Second, suspect{})
		if m.enter(m.View + 1); m.leads() {
			m.tell(env, invite{m.View})
			return
		}
		env.UDP().Send(m.Others[slices.IndexFunc(m.Others, func(o sim.Addr) bool { return o.Index() == m.View%3 })], change{m.View})
	case write:
		if !m.leads() || !m.Ready || m.Wrote {
			env.After(time.Second, write{})
			return
		}
		m.Wrote, m.Value = true, 1
		m.tell(env, store{m.View, m.Value})
	}
}

func (m *member) Deliver(env sim.Env, from sim.Addr, msg sim.Message) {
	switch msg := msg.(type) {
	case change:
		if msg.View > m.View && msg.View%3 == m.Self.Index() {
			m.enter(msg.View)
			m.tell(env, invite{m.View})
		}
	case invite:
		if msg.View >= m.View {
			m.enter(msg.View)
			env.UDP().Send(from, joined{m.View, m.Value})
		}
	case joined:
		m.Ready = m.Ready || msg.View == m.View && m.leads()
	case store:
		if msg.View >= m.View {
			m.enter(msg.View)
			m.Value = msg.Value
			env.UDP().Send(from, stored{m.View})
		}
	case stored:
		m.Acked = m.Acked || msg.View == m.View
	}
}

func members() *sim.System {
	return &sim.System{
		Name: "views", Doc: "Replicas change their view.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 3, Least: 3, Most: 3} },
		New: func(p sim.Params, self sim.Addr) sim.Node {
			others := slices.DeleteFunc(slices.Clone(p.Addrs()), func(a sim.Addr) bool { return a == self })
			return &member{Self: self, Others: others}
		},
		Script: func(sim.Params, sim.Addr, int) []sim.Signal { return []sim.Signal{write{}} },
		Properties: []sim.Property{sim.Always("a write that was acknowledged is known to each later leader", func(v sim.View[*member]) bool {
			for _, a := range v.Nodes() {
				for _, b := range v.Nodes() {
					if a.Acked && b.Ready && b.leads() && b.View > a.View && b.Value == 0 {
						return false
					}
				}
			}
			return true
		})},
	}
}

// TestShrinkDropsViews: ten runs of 164 to 353 steps, in which every message has the number of a view, become hardly longer than the
// shortest known run, which has ten steps. Superfluous changes of the view are removed, although later messages then have other numbers.
func TestShrinkDropsViews(t *testing.T) {
	if long.Of(0, 1) == 0 {
		t.Skip("it shrinks ten runs to the end; -long does it")
	}
	sum := 0
	for _, n := range shortViews(t, 10, 0) {
		sum += n
	}
	if sum > 105 {
		t.Errorf("%d steps are left of ten runs, want at most 105: 100 are the fewest, and 130 are left if no more walks are taken at last", sum)
	}
}

// TestShrinkDropsRoundsFirst: since whole rounds are removed first, runs become much shorter even with little effort.
func TestShrinkDropsRoundsFirst(t *testing.T) {
	sum := 0
	for _, n := range shortViews(t, 4, 8_000) {
		sum += n
	}
	if sum > 500 {
		t.Errorf("%d steps are left of four runs, want at most 500: 703 are left if rounds are not removed first", sum)
	}
}

// TestShrinkTakesShortcutsFirst: since walks for shortcuts are taken once before steps are moved, runs become shorter with limited
// effort.
func TestShrinkTakesShortcutsFirst(t *testing.T) {
	if long.Of(0, 1) == 0 {
		t.Skip("it shrinks ten runs to the end; -long does it")
	}
	sum := 0
	for _, n := range shortViews(t, 10, 100_000) {
		sum += n
	}
	if sum > 155 {
		t.Errorf("%d steps are left of ten runs, want at most 155: 167 are left if no walks are taken before steps are moved", sum)
	}
}

// shortViews shrinks some long runs with the given effort, twice each with -long, and returns the numbers of steps that remain.
func shortViews(t *testing.T, runs uint64, effort int) (left []int) {
	sys := members()
	for seed := range runs {
		f := lateViolation(t, sys, 1000*seed)
		var before []choose.Step
		for range long.Of(1, 2) {
			r, err := critical.Shrink(sys, f, critical.Options{Effort: effort, Search: search.Options{Workers: 1}})
			if err != nil {
				t.Fatal(err)
			}
			steps := r.Finding.Path.Steps
			if before != nil && !reflect.DeepEqual(steps, before) {
				t.Errorf("run %d: shrunk again, other steps are left", seed)
			}
			before = steps
		}
		left = append(left, len(before))
	}
	return left
}

// lateViolation returns a walk of at least 150 steps that violates safety: the first one, for seeds from the given one on.
func lateViolation(t *testing.T, sys *sim.System, seed uint64) *search.Finding {
	t.Helper()
	w, err := world.New(sys, sim.Params{}, world.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for ; ; seed++ {
		record := choose.NewRecord(choose.NewWalk(seed))
		w.Start(record)
		for w.Judge.Check() == nil && w.Run.Steps() < 1000 && w.Step(record) == world.Stepped {
		}
		failure := w.Run.Failed()
		if failure == nil || w.Run.Steps() < 150 {
			continue
		}
		path := record.Path()
		path.Header = search.Describe(sys, w.Params())
		path.Add("seed", "1")
		path.Add("verdict", failure.Verdict.String())
		return &search.Finding{Failure: *failure, Path: path}
	}
}
