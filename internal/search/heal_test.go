package search

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/long"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/systems/brokentree"
	"macemc/systems/handshake"
	"macemc/systems/simtcp"
)

// A service that survives its faults is as likely to become live after the environment has healed
// as it is if no fault ever happened. Healing changes no part of a state but what the environment
// could still do.
func TestHealed(t *testing.T) {
	states, within := long.Of(400, 1_000), 2_000
	for _, c := range []struct {
		name   string
		sys    *sim.System
		nodes  int
		faults sim.Faults
	}{
		{"simtcp, 2 nodes", simtcp.System, 2, sim.Faults{Crash: 1, Reset: 1, Partition: 1}},
		{"simtcp, 3 nodes", simtcp.System, 3, sim.Faults{Crash: 1, Reset: 1, Partition: 1}},
		// NB: it promises none of this, and very rare runs of it are dead (see TestClean).
		{"brokentree", brokentree.System, 3, sim.Faults{Crash: 1, Reset: 1, Partition: 1}},
		{"handshake", handshake.System, 2, handshake.System.Tolerates},
	} {
		params, err := c.sys.Configure(c.nodes, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		w, err := world.New(c.sys, params, world.Config{})
		if err != nil {
			t.Fatal(err)
		}
		healed := sample(t, w, c.faults, states, within)
		never := sample(t, w, sim.Faults{}, states, within)
		t.Logf("%s: live within %d steps: %s after faults, %s without", c.name, within, healed, never)
		if low, high := healed.minus(never); low > 0 || high < 0 {
			t.Errorf("%s: the shares %s and %s differ: by %.4f to %.4f with 95 %% confidence", c.name, healed, never, low, high)
		}
	}
}

// sample returns the share of states that become live within some steps of a walk without
// faults. The states are reached by random steps. With faults, at least one fault has happened
// before each state, and the environment heals before the walk.
func sample(t *testing.T, w *world.World, faults sim.Faults, states, within int) (s share95) {
	t.Helper()
	src := choose.NewWalk(1)
	stormy, early := !faults.IsZero(), (*int)(nil)
	if stormy {
		early = new(2) // timers may fire early twice: healing must end that, too
	}
	for walk := uint64(0); s.of < states; walk++ {
		src.Restart(1, walk)
		src.Rare, src.Uniform = stormy, stormy
		w.Environ.Allow(faults, early)
		failure := w.Protect(func() {
			w.Start(src)
			for range 1 + walk*walk%120 {
				if w.Judge.Check() != nil || w.Step(src) != world.Stepped {
					break
				}
			}
			if w.Run.Failed() != nil || stormy && spared(w, faults) {
				return
			}
			src.Rare, src.Uniform = false, false
			if stormy {
				heal(t, w, src)
			}
			s.of++
			for range within {
				if w.Judge.Check() != nil || w.Judge.Live() || w.Step(src) != world.Stepped {
					break
				}
			}
			if w.Judge.Live() {
				s.live++
			}
		})
		if failure != nil {
			t.Fatalf("walk %d: %s: %s", walk, failure.Property, failure.Message)
		}
	}
	return s
}

// spared reports whether no fault has happened.
func spared(w *world.World, faults sim.Faults) bool {
	return slices.ContainsFunc(w.Text.Lines(), func(l canon.Line) bool { return l.Path == "faults left" && l.Value == faults.String() })
}

// heal heals the environment, and checks that nothing else changes.
func heal(t *testing.T, w *world.World, src choose.Source) {
	t.Helper()
	want := slices.DeleteFunc(w.Text.Lines(), func(l canon.Line) bool {
		return slices.Contains([]string{"faults left", "early firings left", "partition"}, l.Path)
	})
	if p := w.Heal(src); p != world.Stepped {
		t.Fatalf("healing came to %v: %v", p, w.Run.Err())
	}
	if got := w.Text.Lines(); !slices.Equal(got, want) {
		t.Fatalf("healing changed\n%v\nto\n%v", want, got)
	}
}

// share95 is a share in a sample: live of this number of runs.
type share95 struct{ live, of int }

func (s share95) String() string {
	return fmt.Sprintf("%d of %d", s.live, s.of)
}

// wilson is the interval in which the true share is, with 95 % confidence.
func (s share95) wilson() (low, high float64) {
	const z = 1.96
	n, p := float64(s.of), float64(s.live)/float64(s.of)
	middle, half := p+z*z/(2*n), z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return (middle - half) / (1 + z*z/n), (middle + half) / (1 + z*z/n)
}

// minus is the interval of the difference of two shares, after Newcombe.
func (s share95) minus(o share95) (low, high float64) {
	p, q := float64(s.live)/float64(s.of), float64(o.live)/float64(o.of)
	l1, u1 := s.wilson()
	l2, u2 := o.wilson()
	return p - q - math.Hypot(p-l1, u2-q), p - q + math.Hypot(u1-p, q-l2)
}
