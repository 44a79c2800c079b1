package critical_test

import (
	"slices"
	"testing"
	"time"

	"macemc/sim"
)

// lease counts its renewals, and how often it was granted. It is wrong if it was granted three times, or if it was granted
// and has been renewed many times. Walks hardly ever grant it.
type lease struct{ Renewed, Granted, Many int }

type (
	renew struct{}
	grant struct{}
)

func (l *lease) Init(env sim.Env) {
	env.After(time.Second, renew{})
	env.After(time.Second, grant{})
}

func (*lease) Deliver(sim.Env, sim.Addr, sim.Message) {}

func (l *lease) Handle(env sim.Env, s sim.Signal) {
	switch s.(type) {
	case renew:
		l.Renewed++
	case grant:
		l.Granted++
	}
	env.After(time.Second, s)
}

func leases(many int) *sim.System {
	return &sim.System{
		Name: "leases", Doc: "A node has a lease.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
		New:   func(sim.Params, sim.Addr) sim.Node { return &lease{Many: many} },
		Weight: func(e sim.Event) float64 {
			if _, is := e.Value.(grant); is {
				return 1e-9
			}
			return 1
		},
		Properties: []sim.Property{sim.Always("nothing is wrong", func(v sim.View[*lease]) bool {
			for _, l := range v.Nodes() {
				if l.Granted == 3 || l.Granted > 0 && l.Renewed >= l.Many {
					return false
				}
			}
			return true
		})},
	}
}

const (
	renewal   = "n0 timer renew{}"
	grantOnce = "n0 timer grant{}"
)

// No step can be taken out of a run in which the lease is granted once, and no walk comes to a shorter one. A run in which
// it is granted three times is shorter, and has events of the same forms. A short run is searched from its start, and if
// that shows that no run is shorter, no steps are moved in vain, which costs as much effort again.
func TestShrinkSearchesShortRuns(t *testing.T) {
	const many = 12
	run := append([]string{grantOnce}, slices.Repeat([]string{renewal}, many)...)
	effort := moves(t, leases(many), 3, run)
	if effort > 30_000 {
		t.Errorf("shrinking takes an effort of %d, want at most 30,000: it is 46,000 if short runs are not searched first", effort)
	}
	if again := moves(t, leases(many), 3, run); again != effort {
		t.Errorf("shrinking takes an effort of %d, and then of %d", effort, again)
	}
}

// A longer run is searched from a state just before its end, and what is found there makes the steps before superfluous.
func TestShrinkSearchesAroundTheFailure(t *testing.T) {
	const many = 24
	moves(t, leases(many), 3, append(slices.Repeat([]string{renewal}, many), grantOnce))
}
