package report

import (
	"strings"
	"testing"
	"time"

	"macemc/internal/known"
	"macemc/internal/search"
	"macemc/internal/verify"
	"macemc/sim"
	"macemc/trace"
)

// verified returns a report of a verification that has a bug with each possible result.
func verified() *verify.Report {
	sys := switches
	entry := func(id sim.BugID, paper string, flags known.Flags) known.Entry {
		return known.Entry{
			Bug:    known.Bug{ID: id, Kind: known.Liveness, Verdict: trace.VerdictDead, Paper: paper, Flags: flags},
			System: sys, Story: "It goes wrong. And how.",
		}
	}
	run := func(seed int, problem string, c *search.Critical) verify.Run {
		return verify.Run{
			Seed: seed, Verdict: trace.VerdictDead, Steps: 10 * seed, Critical: c, Time: time.Duration(4-seed) * time.Second,
			Stats: search.Stats{States: 1000 * seed, Paths: seed}, Problem: problem,
		}
	}
	far := &search.Critical{Step: 7, Event: "n1 message aVeryLongOne{with: a lot, of: members} from n0 by tcp"}
	searched := func(id sim.BugID, flags known.Flags, r *search.Result) *verify.Clean {
		return &verify.Clean{Entry: entry(id, "", flags), Bugs: []sim.BugID{id}, Transitions: 70, WalkSteps: 9_000, Result: r, Time: 2 * time.Minute}
	}
	crash, broken := known.Flags{Faults: "crash=1", Properties: []string{"one lamp is on"}}, &search.Finding{Failure: trace.Failure{Verdict: trace.VerdictSafety}}
	clean := searched("XA1", known.Flags{}, &search.Result{
		Safety: search.Safety{State: search.StateBounded, Depth: 15}, Liveness: search.Liveness{State: search.StateSampled},
		Stats: search.Stats{States: 1_204_332, Transitions: 4_000_000, WalkSteps: 126_500, Walks: 10_000, Depth: 15},
	})
	found := searched("XA2", crash, &search.Result{
		Finding: broken, Safety: search.Safety{State: search.StateFound}, Liveness: search.Liveness{State: search.StateNone}, Stats: search.Stats{States: 12, Transitions: 20, Depth: 3},
	})
	found.Short, found.Replay = []string{"found is safety: it is broken"}, "macemc replay a/error.path"
	short := searched("XA4", known.Flags{}, &search.Result{
		Safety: search.Safety{State: search.StateExhaustedWithin, Depth: 3}, Liveness: search.Liveness{State: search.StateExhaustedWithin}, Stats: search.Stats{States: 12, Transitions: 20, WalkSteps: 89, Depth: 3, Walks: 5},
		Never: []string{"fault crash=1 never happened"},
	})
	short.Bugs = append(short.Bugs, "XA5")
	short.Short = []string{"89 are too few", "never exercised: fault crash=1 never happened"}
	return &verify.Report{
		Of: 6, Seed: 1, Seeds: 3, Cleans: []*verify.Clean{clean, found, {Entry: entry("XA3", "", known.Flags{}), Bugs: []sim.BugID{"XA3"}}, short},
		Bugs: []verify.Bug{
			{Entry: entry("XA1", "6.5 hours", known.Flags{}), Runs: []verify.Run{run(1, "", far), run(2, "", far), run(3, "", far)}, Nodes: 3, Stated: true, Alone: true, Clean: clean},
			{Entry: entry("XA2", "", crash), Runs: []verify.Run{run(1, "", &search.Critical{}), run(2, "nothing is found, want dead", nil)}, Nodes: 3, Clean: found},
			{Entry: entry("XA3", "", known.Flags{})},
			{Entry: entry("XA4", "", known.Flags{}), Runs: []verify.Run{run(1, "", nil)}, Clean: short, Stated: true},
			{Entry: entry("XA5", "", known.Flags{}), Runs: []verify.Run{run(1, "", nil)}, Clean: short, Stated: true},
		},
		Stop: search.StopInterrupted,
	}
}

// TestVerified: the report has the medians over all seeds, a command for each entry that fails, and no
// row for an entry that was not reached.
func TestVerified(t *testing.T) {
	var b strings.Builder
	if err := Verified(&b, verified(), "macemc"); err != nil {
		t.Fatal(err)
	}
	const want = `bug  system    nodes  found   as    time    paths  states  steps  critical step                                 alone  clean
XA1  switches  3      3 of 3  dead  2.00 s  2      2,000   20     7, n1 message aVeryLongOne{with: a lot,  ...  yes    yes
     the paper: 6.5 hours
XA2  switches  3      1 of 3  dead  3.00 s  2      2,000   20     the start                                     no     no
XA4  switches  0      1 of 3  dead  3.00 s  1      1,000   10     none                                          no     no
XA5  switches  0      1 of 3  dead  3.00 s  1      1,000   10     none                                          no     no

without  system    came to              states     transitions           steps of walks  time      clean
XA1      switches  bounded at depth 15  1,204,332  4,000,000 (57,142 x)  126,500 (14 x)  120.00 s  yes
XA2      switches  found: safety        12         20 (0 x)              0 (0 x)         120.00 s  no
         --faults crash=1 --property 'one lamp is on'
XA4 XA5  switches  exhausted within     12         20 (0 x)              89 (0 x)        120.00 s  no

3 of 6 are found as stated, on the seeds 1 to 3; 1 of them with --bug alone. It was stopped before
its end.
  - XA2, seed 2: nothing is found, want dead:
    macemc search switches --bug XA2 --faults crash=1 --property 'one lamp is on' --seed 2
  - without XA2: found is safety: it is broken:
    macemc replay a/error.path
  - without XA4, XA5: 89 are too few; never exercised: fault crash=1 never happened:
    macemc search switches --depth 3 --paths 5
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// The output of bugs verify --json matches docs/bugs.schema.json.
func TestBugsSchema(t *testing.T) {
	s := schema(t, "../../docs/bugs.schema.json", true)
	for _, r := range []*verify.Report{verified(), {Seed: 1, Seeds: 1}} {
		var b strings.Builder
		if err := VerifiedJSON(&b, r, "macemc"); err != nil {
			t.Fatal(err)
		}
		validate(t, s, "verified", b.String())
	}
	refused(t, s, `{"version": 2}`)
}

// TestAhead: the line about the planned searches names the searches for bugs and those without bugs or,
// before the second half, only the latter.
func TestAhead(t *testing.T) {
	for _, c := range []struct {
		ahead verify.Ahead
		says  string
	}{
		{verify.Ahead{Bugs: 39, Seeds: 5, Searches: 25}, "39 bugs on 5 seeds each, then 25 searches without a bug: to a million states or all, by ten times the effort of the slowest bug"},
		{verify.Ahead{Bugs: 1, Seeds: 1}, "1 bug on 1 seed each"},
		{verify.Ahead{Searches: 1, WalkSteps: 1_000, About: 90 * time.Second}, "1 search without a bug, with 1,000 steps of walks at least: about 1:30 min, as long as the bugs took, and some seconds each for a million states"},
	} {
		if says := Ahead(c.ahead); says != c.says {
			t.Errorf("%q, want %q", says, c.says)
		}
	}
}
