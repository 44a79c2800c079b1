package verify

import (
	"strings"
	"testing"
	"testing/fstest"

	"macemc/internal/catalog"
	"macemc/internal/known"
	"macemc/internal/search"
	"macemc/sim"
	"macemc/trace"
)

func entry(t *testing.T, id string) known.Entry {
	t.Helper()
	found, err := known.Find(catalog.Bugs(), []string{id})
	if err != nil {
		t.Fatal(err)
	}
	return found[0]
}

func run(t *testing.T, o Options, entries ...known.Entry) *Report {
	t.Helper()
	r, err := o.Run(entries)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAsStated(t *testing.T) {
	r := run(t, Options{Seeds: 2}, entry(t, "HS1"), entry(t, "ST1"), entry(t, "ST2"))
	if !r.Holds() || r.Of != 3 || len(r.Bugs) != 3 {
		t.Fatalf("%+v", r)
	}
	for _, b := range r.Bugs {
		if !b.Stated || !b.Alone || len(b.Runs) != 2 || b.Clean == nil || !b.Clean.Is() {
			t.Errorf("%s: %+v", b.Entry.ID, b)
		}
	}
	if r.Bugs[1].Clean != r.Bugs[2].Clean || r.Bugs[0].Clean == r.Bugs[1].Clean {
		t.Error("bugs of one system with the same flags share the search without a bug, others do not")
	}
	if len(r.Cleans) != 2 || len(r.Cleans[0].Bugs) != 1 || len(r.Cleans[1].Bugs) != 2 {
		t.Errorf("%d searches without a bug, want one for each of two systems", len(r.Cleans))
	}
}

// TestNotAsStated checks that each deviation from an entry is reported, in words of its own.
func TestNotAsStated(t *testing.T) {
	for _, c := range []struct {
		id     string
		change func(*known.Entry)
		says   string
	}{
		{"HS1", func(e *known.Entry) { e.Verdict = trace.VerdictSafety }, "found is dead"},
		{"HS1", func(e *known.Entry) { e.Critical = []known.Critical{{}} }, "the critical step is step 4, n1 lose confirm{} from n0, want the start"},
		{"HS1", func(e *known.Entry) { e.Critical[0].Role = known.First }, "want lose confirm at the first node"},
		{"HS1", func(e *known.Entry) { e.Critical[0].Role = known.Restarted }, "want lose confirm at a restarted node"},
		{"HS1", func(e *known.Entry) { e.Critical[0].Message = "welcome" }, "want lose welcome"},
		{"HS1", func(e *known.Entry) { e.Critical[0].Kind = sim.KindMessage }, "want message confirm"},
		{"HS1", func(e *known.Entry) { e.Flags.Faults = "none" }, "nothing is found, want dead"},
		{"BT1", func(e *known.Entry) { e.Critical = []known.Critical{{Kind: sim.KindMessage, Message: "join"}} }, "the critical step is the start"},
	} {
		e := entry(t, c.id)
		e.Critical = append([]known.Critical(nil), e.Critical...)
		c.change(&e)
		r := run(t, Options{Seeds: 1, NoClean: true}, e)
		first := r.Bugs[0].Runs[0]
		if got := first.Problem + first.Other; r.Holds() || !strings.Contains(got, c.says) {
			t.Errorf("%s: %q, want %q", c.id, got, c.says)
		}
	}
}

// TestNotClean checks that a finding without a bug is reported: with four nodes, brokentree has a loop even without bugs.
func TestNotClean(t *testing.T) {
	e := entry(t, "BT2")
	e.Flags = known.Flags{Nodes: 4, Params: []string{"children=12"}}
	var kept []*search.Result
	r := run(t, Options{Seeds: 1, NoAlone: true, Keep: func(r *search.Result) (string, error) {
		kept = append(kept, r)
		return "replay it", nil
	}}, e)
	if c := r.Bugs[0].Clean; r.Holds() || !r.Bugs[0].Stated || c == nil || len(c.Short) != 1 || !strings.HasPrefix(c.Short[0], "found is safety: no loops") || c.Replay != "replay it" || len(kept) != 1 {
		t.Fatalf("%+v", r.Bugs[0])
	}
}

// TestUnclean checks that a system does not count as clean if the search had less effort than was required, or
// did not exercise something.
func TestUnclean(t *testing.T) {
	result := func(safety, liveness search.State, states int, never ...string) *search.Result {
		return &search.Result{
			Safety: search.Safety{State: safety}, Liveness: search.Liveness{State: liveness},
			Stats: search.Stats{States: states, Transitions: 100, WalkSteps: 100}, Never: never, Slack: []string{"few"},
		}
	}
	const million = 1_000_000
	for _, c := range []struct {
		result             *search.Result
		transitions, steps int // of the slowest bug
		says               string
	}{
		{result(search.StateExhausted, search.StateExhausted, 3), 11, 11, ""},
		{result(search.StateExhausted, search.StateNone, 3), 11, 11, ""},
		{result(search.StateExhausted, search.StateSampled, 3), 11, 10, ""},
		{result(search.StateExhausted, search.StateSampled, 3), 11, 11, "100 steps of walks are less than 10 times the 11 of the slowest bug"},
		{result(search.StateExhaustedWithin, search.StateExhaustedWithin, 3), 11, 10, ""},
		{result(search.StateExhaustedWithin, search.StateExhaustedWithin, 3), 11, 11, "100 steps of walks are less"},
		{result(search.StateExhausted, search.StateExhausted, 3, "nobody crashed"), 1, 1, "never exercised: nobody crashed"},
		{result(search.StateExhausted, search.StateExhausted, 3, "few"), 1, 1, ""},
		{result(search.StateBounded, search.StateSampled, million, "few", "nobody crashed"), 1, 1, "never exercised: nobody crashed"},
		{result(search.StateBounded, search.StateSampled, million), 10, 10, ""},
		{result(search.StateBounded, search.StateSampled, million), 11, 10, "100 transitions are less than 10 times the 11 of the slowest bug"},
		{result(search.StateBounded, search.StateSampled, million), 10, 11, "100 steps of walks are less than 10 times the 11 of the slowest bug"},
		{result(search.StateBounded, search.StateSampled, million-1), 10, 10, "999999 states are neither all nor 1000000"},
		{result(search.StateIncomplete, search.StateNone, 3), 11, 11, "3 states are neither all nor 1000000; 100 transitions are less than 10 times the 11 of the slowest bug; 100 steps of walks are less than 10 times the 11 of the slowest bug"},
	} {
		clean := &Clean{Transitions: c.transitions, WalkSteps: c.steps, Result: c.result}
		clean.Short = clean.short(c.result)
		if says := strings.Join(clean.Short, "; "); !strings.HasPrefix(says, c.says) || clean.Is() != (c.says == "") {
			t.Errorf("%+v: %q; want %q", c, says, c.says)
		}
	}
}

// TestEffort checks that the effort of the search without bugs follows from the searches for all bugs of the system, and
// is announced before the search begins.
func TestEffort(t *testing.T) {
	var told []Ahead
	near, far := entry(t, "BT1"), entry(t, "BT2")
	r := run(t, Options{Seeds: 1, NoAlone: true, Ahead: func(a Ahead) { told = append(told, a) }}, near, far)
	c, slow := r.Cleans[0], r.Bugs[1].Runs[0].Stats
	if len(r.Cleans) != 1 || c.Transitions != slow.Transitions || c.WalkSteps != max(slow.WalkSteps, r.Bugs[0].Runs[0].Stats.WalkSteps) || c.WalkSteps == 0 {
		t.Errorf("%+v, want the most of %+v", c, slow)
	}
	if s := c.Result.Stats; s.WalkSteps < 10*c.WalkSteps || c.Result.Safety.State != search.StateExhaustedWithin {
		t.Errorf("%+v, want ten times %+v", s, slow)
	}
	if len(told) != 2 || told[0] != (Ahead{Bugs: 2, Seeds: 1, Searches: 1}) || told[1].Searches != 1 || told[1].WalkSteps != 10*c.WalkSteps {
		t.Errorf("%+v", told)
	}
}

// TestStopped checks that a verification which is stopped returns the results so far, and does not hold.
func TestStopped(t *testing.T) {
	asked, begun := 0, 0
	r := run(t, Options{
		Seeds: 2, Begin: func(string) { begun++ },
		Stop: func() search.Stop {
			if asked++; begun >= 4 {
				return search.StopInterrupted
			}
			return ""
		},
	}, entry(t, "ST1"), entry(t, "BT2"), entry(t, "TP1"))
	if r.Stop != search.StopInterrupted || r.Holds() || r.Of != 3 || len(r.Bugs) != 2 || len(r.Bugs[0].Runs) != 2 || begun != 4 {
		t.Errorf("%+v, %d searches", r, begun)
	}
}

// TestPrefix checks that a search for a bug may begin at the end of a recorded run.
func TestPrefix(t *testing.T) {
	e := entry(t, "ST1")
	params, err := e.System.Configure(2, []string{"messages=2"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := search.Search(e.System, search.Options{Params: params, Prefixes: 1})
	if err != nil || len(r.Prefixes) != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	var text strings.Builder
	if _, err := r.Prefixes[0].Path.WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	e.Flags.Prefix, e.Prefixes = "far.path", fstest.MapFS{"far.path": {Data: []byte(text.String())}}
	e.Critical = nil
	got := run(t, Options{Seeds: 1, NoAlone: true}, e)
	far := len(r.Prefixes[0].Path.Steps)
	if b := got.Bugs[0]; !got.Holds() || far == 0 || b.Runs[0].Steps <= far {
		t.Errorf("a prefix of %d steps: %+v", far, b)
	}
	e.Flags.Prefix = "near.path"
	if _, err := (Options{Seeds: 1}).Run([]known.Entry{e}); err == nil || !strings.Contains(err.Error(), "ST1 has no prefix: ") {
		t.Error(err)
	}
}

// TestSeeds checks that the seeds begin with Options.Seed.
func TestSeeds(t *testing.T) {
	r := run(t, Options{Seed: 7, Seeds: 2, NoClean: true, NoAlone: true}, entry(t, "ST1"))
	if runs := r.Bugs[0].Runs; len(runs) != 2 || runs[0].Seed != 7 || runs[1].Seed != 8 || r.Seed != 7 {
		t.Errorf("%+v", r)
	}
}

// TestOtherCriticalSteps checks that, if an entry states on which share of fresh seeds its critical step is found,
// another step is allowed about as often, and no more.
func TestOtherCriticalSteps(t *testing.T) {
	e := entry(t, "HS1")
	e.Critical = []known.Critical{{Kind: sim.KindCrash}}
	for share, want := range map[known.Share]bool{{}: false, {Held: 1, Of: 10}: true, {Held: 20, Of: 20}: false} {
		e.Fresh = share
		b := run(t, Options{Seeds: 2, NoClean: true, NoAlone: true}, e).Bugs[0]
		if b.Stated != want || b.Runs[0].Problem != "" || b.Runs[0].Other == "" {
			t.Errorf("%+v: %+v, want stated %t", share, b, want)
		}
	}
}

// TestAlone checks that a bug which needs other flags than --bug, or more walks, is also searched for without
// these.
func TestAlone(t *testing.T) {
	rare := entry(t, "ST1")
	rare.Paths = 100
	hidden := entry(t, "HS1")
	hidden.Flags.Faults = "loss=1"
	hidden.System = withoutFaults(hidden.System)
	var begun []string
	r := run(t, Options{Seeds: 1, NoClean: true, Begin: func(what string) { begun = append(begun, what) }}, rare, hidden)
	if got := strings.Join(begun, "; "); got != "ST1, seed 1 (1 of 1); ST1 alone; HS1, seed 1 (1 of 1); HS1 alone" {
		t.Error(got)
	}
	if !r.Bugs[0].Alone || r.Bugs[1].Alone || !r.Bugs[1].Stated {
		t.Errorf("%+v", r.Bugs)
	}
}

// withoutFaults returns a copy of sys that promises to survive no faults.
func withoutFaults(sys *sim.System) *sim.System {
	bare := *sys
	bare.Tolerates = sim.Faults{}
	return &bare
}
