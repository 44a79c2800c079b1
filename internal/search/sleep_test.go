package search

import (
	"strings"
	"testing"

	"macemc/internal/search/internal/explore"
	"macemc/internal/spec"
	"macemc/sim"
)

// asleep searches with the reduction how, and returns those results that must be the same with sleep sets and
// without, and the number of steps that slept.
func asleep(t *testing.T, sys *sim.System, opts Options, how Reduce) (same struct {
	verdict, property        string
	safety                   Safety
	liveness                 State
	states, transitions, far int
}, slept int) {
	t.Helper()
	opts.Reduce, opts.NoWalks, opts.once, opts.Workers, opts.ExplainEffort = how, true, true, 1, 1
	got, err := Search(sys, opts)
	if err != nil && (strings.Contains(err.Error(), "cannot happen") || strings.Contains(err.Error(), "changes nothing in") || how == reduceSleep && strings.Contains(err.Error(), "leaves no steps out")) {
		same.verdict = "refused"
		return same, 0
	}
	if err != nil {
		t.Fatalf("%s: %v", sys.Name, err)
	}
	same.verdict, same.safety, same.liveness = got.Verdict().String(), got.Safety, got.Liveness.State
	if got.Finding != nil {
		same.far, same.liveness = got.Finding.Step, ""
	} else {
		same.states, same.transitions = got.Stats.States, got.Stats.Transitions
	}
	return same, got.Stats.Slept
}

// TestSleep: on random services, with faults and without, a search with sleep sets visits the same states at the
// same depths as one without, and its finding has the same verdict and depth.
func TestSleep(t *testing.T) {
	met := reduces(t, 60, func(seed uint64, met map[string]int) {
		s := reducible(seed)
		if seed%3 == 0 {
			s = spec.Draw(seed)
			s.Early, s.Step, s.Slow, s.Gathers = nil, nil, nil, nil
		}
		opts := conditions(s)
		opts.Effort = 10_000
		whole, _ := asleep(t, s.System(), opts, ReduceNone)
		if whole.safety.State == StateBounded { // the two would go to other depths
			met["too large"]++
			return
		}
		opts.Effort = 1 << 30
		got, slept := asleep(t, s.System(), opts, reduceSleep)
		if whole.verdict == "refused" || got.verdict == "refused" {
			met["refused"]++
			return
		}
		if met[whole.verdict]++; slept > 0 {
			met["slept"]++
		}
		if got != whole {
			t.Errorf("service %d: %+v, and with sleep %+v: %s", seed, whole, got, s)
		}
	})
	for _, what := range []string{"none", "dead", "safety", "slept"} {
		if met[what] == 0 {
			t.Errorf("no search is %q: %v", what, met)
		}
	}
}

// TestSleepPitfalls: on a certain random service, sleep sets without one of their rules lose states, and complete
// sleep sets do not.
func TestSleepPitfalls(t *testing.T) {
	s := reducible(703)
	opts := conditions(s)
	opts.Effort = 1 << 30
	whole, _ := asleep(t, s.System(), opts, ReduceNone)
	if got, _ := asleep(t, s.System(), opts, reduceSleep); got != whole { // it has messages that are alike from two senders
		t.Errorf("%+v, and with sleep %+v", whole, got)
	}
	for name, tune := range map[string]func(*explore.Sleep){
		"steps of one node depend on each other": func(z *explore.Sleep) { z.NoNodes = true },
	} {
		opts.sleep = tune
		if got, _ := asleep(t, s.System(), opts, reduceSleep); got.states >= whole.states {
			t.Errorf("%d states of %d are visited without this: %s", got.states, whole.states, name)
		}
	}
}

// TestSleepIsRefused: where steps cannot sleep, an error says why.
func TestSleepIsRefused(t *testing.T) {
	for want, opts := range map[string]Options{"the engine local": {Engine: EngineLocal}, "goes on after a finding": {Findings: 2}} {
		opts.Reduce, opts.NoWalks, opts.Depth = reduceSleep, true, 2
		if _, err := Search(reducible(703).System(), opts); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, and should have %q", err, want)
		}
	}
}
