package search

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"macemc/internal/canon"
	"macemc/internal/long"
	"macemc/internal/search/internal/explore"
	"macemc/internal/spec"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

// shown has the facts about a space that a reduction must preserve. Its field of has a text for each
// state of each node, for each state in which no event is possible, and for each combination of the
// values that properties over several nodes take and the states of the monitors.
type shown struct {
	states int
	passed int // steps that were not looked up, since they commute with the last one
	of     map[string]bool
	wrong  string // a failure, which ends the exploration
}

// both begins the texts in shown about values of properties over several nodes and states of monitors.
const both = "together they saw "

// shows explores a space to its end. If it has more than most states, or cannot be reduced as the
// options demand, shows returns false. tune may change the reduction.
func shows(t *testing.T, sys *sim.System, opts Options, most int, tune func(*explore.Reduction)) (s shown, whole bool) {
	t.Helper()
	r, x := rooted(t, sys, opts)
	defer x.Close()
	if opts.Engine != EngineLocal {
		x.ByMemo()
	}
	s.of = map[string]bool{}
	bad, err := r.owner.Guarded(x.Taker, x.Roots)
	if bad == nil && err == nil {
		if err := r.reduces(x); err != nil {
			return s, false
		}
		if tune != nil && x.Reduction != nil {
			tune(x.Reduction)
		}
	}
	for level := x.Level(); err == nil && bad == nil && level.Len() > 0; level = x.Level() {
		bad, err = r.owner.Guarded(x.Taker, func() (err error) {
			level.Some(0, level.Len(), func(_ int, at uint32) bool {
				if !x.Outside(at) {
					err = x.Expand(at)
				}
				return err == nil
			})
			if err != nil {
				return err
			}
			if err := x.Settle(); err != nil {
				return err
			}
			return x.Mend()
		})
		if x.Len() > most {
			return s, false
		}
	}
	if err != nil {
		t.Fatalf("%v", err)
	}
	s.states = x.Len()
	if m := x.Memo(); m != nil {
		s.passed = m.Unasked
	}
	if bad != nil {
		s.wrong = fmt.Sprint(bad.Failure.Verdict, " ", bad.Failure.Property)
		return s, true
	}
	v, n := make(world.Vector, x.Bank.Places()), r.Params.Nodes
	for at := range x.Each {
		x.Get(at, v)
		for i := range n {
			s.of[fmt.Sprint("n", i, " was ", x.Bank.Sum(i, v[i]))] = true
		}
		x.World.State.Load(x.Bank, v)
		var seen canon.Hash
		for i := range n {
			seen = seen.Then(x.World.Judge.Taken(i))
		}
		s.of[fmt.Sprint("properties saw ", seen)] = true
		for p := x.Bank.At().Healed(); p < len(v); p++ {
			s.of[fmt.Sprint("a monitor at ", p, " had ", x.Bank.Sum(p, v[p]))] = true
			seen = seen.Then(x.Bank.Sum(p, v[p]))
		}
		s.of[fmt.Sprint(both, seen)] = true
		if x.World.Events.Count() == 0 {
			s.of[fmt.Sprint("the end ", x.World.State.Hash())] = true
		}
	}
	return s, true
}

// reducible returns a random service from which steps can be left out: it has no feature for which a
// search refuses to, such as Within, slow links or rare events.
func reducible(seed uint64) *spec.Spec {
	s := spec.Draw(seed)
	s.Within, s.Assume, s.Rare, s.Early, s.Step, s.Slow, s.Gathers = nil, nil, nil, nil, nil, nil, nil
	if seed%4 != 0 { // most of all states have a budget left else
		s.Budgets = spec.Budgets{}
		s.Only, s.Midstep, s.AnyOrder = nil, false, false
	}
	if seed%3 != 0 { // many spaces end at once else
		s.Eventually, s.Limit = nil, false
		s.Always = slices.DeleteFunc(s.Always, func(p spec.Pred) bool { return !p.Not })
	}
	seen := func(p spec.Pred) bool {
		return slices.Contains([]string{spec.Quiet, spec.Flying, spec.NoTimers, spec.Armed, spec.UnderWay}, p.Kind)
	}
	s.Always = slices.DeleteFunc(s.Always, seen)
	return s
}

var (
	reducedServices = flag.Int("reduced", 0, "the number of random services of which a test compares the reduced spaces; 0 means as many as -long says")
	reducedJournal  = flag.String("reduced-journal", "", "the beginning of the names of files in which such tests note how far they came, and from which they go on")
)

// A campaign is the progress of a test with many random services.
type campaign struct {
	Next uint64         // the seed of the next service
	Met  map[string]int // how often the test has met each kind of case
}

// reduces calls compare with the seed of each random service, and returns the counts that compare adds
// to met. If the flag for a journal is set, an interrupted campaign goes on from there.
func reduces(t *testing.T, usual int, compare func(seed uint64, met map[string]int)) (met map[string]int) {
	t.Helper()
	journal, done := *reducedJournal, campaign{Met: map[string]int{}}
	if journal != "" {
		journal += t.Name()
	}
	if text, err := os.ReadFile(journal); err == nil {
		if err := json.Unmarshal(text, &done); err != nil {
			t.Fatal(err)
		}
	}
	for most := uint64(cmp.Or(*reducedServices, long.Of(usual, 10_000))); done.Next < most; {
		if compare(done.Next, done.Met); t.Failed() {
			t.Fatalf("service %d", done.Next)
		}
		if done.Next++; journal == "" || done.Next%50 != 0 && done.Next < most {
			continue
		}
		text, err := json.Marshal(done)
		if err == nil {
			err = os.WriteFile(journal, text, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Log(done.Met)
	return done.Met
}

// TestReducedServices compares the reduced spaces of random services with the whole ones.
func TestReducedServices(t *testing.T) {
	met := reduces(t, 40, func(seed uint64, met map[string]int) {
		s := reducible(seed)
		reducedService(t, s, conditions(s), seed, met)
	})
	for _, what := range []string{"compared", "smaller", "fails"} {
		if met[what] == 0 {
			t.Errorf("no service is %q: %v", what, met)
		}
	}
}

// failures are the ways in which nodes fail in TestReducedFailures, and losses those in which datagrams are lost in
// TestReducedLosses.
var (
	failures = []sim.Faults{{Down: 1}, {Crash: 1}, {Wipe: 1}, {Down: 2}, {Crash: 1, Down: 1}, {Down: sim.Unlimited}, {Crash: 2}}
	losses   = []sim.Faults{{Loss: 1}, {Loss: 2}, {Loss: 1, Down: 1}, {Loss: sim.Unlimited}, {Loss: 1, Crash: 1}}
)

// frail returns a random service from which steps can be left out, with options that have one of the given budgets of
// faults.
func frail(seed uint64, budgets []sim.Faults) (*spec.Spec, Options) {
	s := reducible(seed)
	s.Budgets, s.Only, s.Midstep, s.AnyOrder = spec.Budgets{}, nil, false, false
	opts := conditions(s)
	opts.Faults = &budgets[seed%uint64(len(budgets))]
	return s, opts
}

// TestReducedFailures compares the reduced spaces of random services whose nodes fail with the whole ones.
func TestReducedFailures(t *testing.T) {
	s, opts := frail(121, failures) // it loses a state if failures count for the proviso
	reducedService(t, s, opts, 121, map[string]int{})
	reducedFaults(t, failures)
}

// TestReducedLosses compares the reduced spaces of random services with the whole ones if datagrams may be lost.
func TestReducedLosses(t *testing.T) { reducedFaults(t, losses) }

func reducedFaults(t *testing.T, budgets []sim.Faults) {
	t.Helper()
	met := reduces(t, 40, func(seed uint64, met map[string]int) {
		s, opts := frail(seed, budgets)
		reducedService(t, s, opts, seed, met)
	})
	for _, what := range []string{"compared", "smaller", "fails"} {
		if met[what] == 0 {
			t.Errorf("no service is %q: %v", what, met)
		}
	}
}

func reducedService(t *testing.T, s *spec.Spec, opts Options, seed uint64, met map[string]int) {
	t.Helper()
	opts.Engine = []Engine{EngineMemo, EngineMemo, EngineLocal}[seed%3]
	most := long.Of(1_000, 20_000)
	whole, done := shows(t, s.System(), opts, most, nil)
	if !done {
		met["too large"]++
		return
	}
	opts.Reduce = ReduceStubborn
	part, done := shows(t, s.System(), opts, most, nil)
	if !done {
		met["refused"]++
		return
	}
	met["compared"]++
	if part.passed > 0 { // levels are not expanded as a whole
		t.Errorf("%d steps were not looked up", part.passed)
	}
	if whole.wrong != "" {
		met[whole.wrong[:4]]++
	}
	if compareShown(t, whole, part); t.Failed() {
		t.Log(s)
	}
	switch {
	case whole.wrong != "":
		met["fails"]++
	case part.states < whole.states:
		met["smaller"]++
		met["states"] += whole.states
		met["of them visited"] += part.states
	}
}

func compareShown(t *testing.T, whole, part shown) {
	t.Helper()
	if (whole.wrong == "") != (part.wrong == "") {
		t.Errorf("the whole space has the failure %q, the reduced one %q", whole.wrong, part.wrong)
	}
	if whole.wrong != "" || part.wrong != "" {
		return
	}
	for _, what := range slices.Sorted(maps.Keys(whole.of)) {
		if !part.of[what] {
			t.Errorf("%q is in the whole space of %d states, and not in the reduced one of %d", what, whole.states, part.states)
			return
		}
	}
	for _, what := range slices.Sorted(maps.Keys(part.of)) {
		if !whole.of[what] {
			t.Errorf("%q is in the reduced space alone", what)
			return
		}
	}
}

// TestReductionPitfalls: on some random services, a reduction without one of its parts loses a fact
// about the space (see shown) or a failure. The whole reduction loses nothing there.
func TestReductionPitfalls(t *testing.T) {
	for _, c := range []struct {
		without string
		seeds   []uint64
		tune    func(*explore.Reduction)
	}{
		{"taking states up again after an observation", []uint64{31, 106, 177}, func(r *explore.Reduction) { r.NoVoid = true }},
		{"the proviso", []uint64{13, 15, 74}, func(r *explore.Reduction) { r.NoProviso = true }},
		{"visible steps", []uint64{1061}, func(r *explore.Reduction) { r.NoVisible = true }},
	} {
		for _, seed := range c.seeds {
			s := reducible(seed)
			opts := conditions(s)
			whole, _ := shows(t, s.System(), opts, 3_000, nil)
			opts.Reduce = ReduceStubborn
			part, _ := shows(t, s.System(), opts, 3_000, nil)
			compareShown(t, whole, part)
			broken, _ := shows(t, s.System(), opts, 3_000, c.tune)
			if whole.wrong == broken.wrong && !slices.ContainsFunc(slices.Collect(maps.Keys(whole.of)), func(what string) bool { return !broken.of[what] }) {
				t.Errorf("service %d: nothing is lost without %s", seed, c.without)
			}
		}
	}
}

// TestReductionIsRefused: if steps cannot be left out, ReduceStubborn is an error with the reason.
// ReduceAuto takes all steps, and the result has the reason.
func TestReductionIsRefused(t *testing.T) {
	s := reducible(1)
	s.Always = []spec.Pred{{Kind: spec.Quiet}}
	for _, c := range []struct {
		sys  *sim.System
		opts func(*Options)
		want string
	}{
		{s.System(), func(*Options) {}, "may depend on all of every node"},
		{reducible(2).System(), func(o *Options) { o.Findings = 2 }, "goes on after a finding"},
		{reducible(2).System(), func(o *Options) { o.Visited = VisitedFingerprint }, "Options.Visited fingerprint"},
		{reducible(2).System(), func(o *Options) { o.Early = new(int) }, "Options.Early"},
		{heated(reducible(2).System()), func(*Options) {}, "hot for ever"},
		{altered(2, func(s *spec.Spec) { s.Within = &spec.Pred{Kind: spec.Quiet, Not: true} }), func(*Options) {}, "System.Within ends"},
		{altered(0, func(s *spec.Spec) {
			s.Eventually, s.Assume = []spec.Pred{{Kind: spec.Quiet}}, &spec.Pred{Kind: spec.Quiet, Not: true}
		}), func(*Options) {}, "System.Assume leaves"},
		{altered(0, func(s *spec.Spec) {
			s.Eventually, s.Rare = []spec.Pred{{Kind: spec.Quiet}}, []spec.Rare{{Kind: "timer", Value: -1}}
		}), func(*Options) {}, "System.Weight makes"},
		{altered(2, func(s *spec.Spec) { s.Step = new(int) }), func(*Options) {}, "is about steps"},
		{altered(2, func(s *spec.Spec) { s.Slow = [][2]int{{0, 0}} }), func(*Options) {}, "a slow link waits"},
		{altered(2, func(s *spec.Spec) { s.Gathers = spec.Draw(gathers()).Gathers }), func(*Options) {}, "what is in its set"},
		{altered(2, func(*spec.Spec) {}), func(o *Options) { o.Ignore = []Ignore{{Verdict: trace.VerdictPanic}} }, "goes on after a finding"},
	} {
		opts := Options{NoWalks: true, Depth: 2, Reduce: ReduceStubborn, Conditions: sim.Conditions{Faults: &sim.Faults{}}}
		c.opts(&opts)
		if _, err := Search(c.sys, opts); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("the error is %v, and should have %q", err, c.want)
		}
		opts.Reduce = ReduceAuto
		res, err := Search(c.sys, opts)
		if err != nil || res.Stats.Reduced || !strings.Contains(res.Stats.Unreduced, c.want) {
			t.Errorf("auto: %v, %+v, and the reason should have %q", err, res, c.want)
		}
	}
	for _, r := range []Reduce{"sleepy", "Auto"} {
		if _, err := Search(reducible(2).System(), Options{Reduce: r}); err == nil || !strings.Contains(err.Error(), "Options.Reduce is") {
			t.Errorf("%s: the error is %v", r, err)
		}
	}
}

// altered returns a random service after a change.
func altered(seed uint64, change func(*spec.Spec)) *sim.System {
	s := reducible(seed)
	change(s)
	return s.System()
}

// gathers returns the first seed of a service with nodes that offer actions because of what is in their sets.
func gathers() (seed uint64) {
	for len(spec.Draw(seed).Gathers) == 0 {
		seed++
	}
	return seed
}

// heated returns sys with one more property, a monitor that may stay hot: it waits for something that need not come.
func heated(sys *sim.System) *sim.System {
	sys.Properties = append(sys.Properties, sim.Cools("cools", func(*struct{}, sim.Addr, any) {}, func(*struct{}) bool { return false }))
	return sys
}
