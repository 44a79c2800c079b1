package report

import (
	"strings"
	"testing"
	"time"

	"macemc/internal/known"
	"macemc/internal/verify"
	"macemc/search"
	"macemc/sim"
)

// verified is a report of all that may come of a bug.
func verified() *verify.Report {
	sys := switches
	entry := func(id sim.BugID, paper string, flags known.Flags) known.Entry {
		return known.Entry{
			Bug:    known.Bug{ID: id, Kind: known.Liveness, Verdict: sim.VerdictDead, Paper: paper, Flags: flags},
			System: sys, Story: "It goes wrong. And how.",
		}
	}
	run := func(seed int, problem string, c *search.Critical) verify.Run {
		return verify.Run{
			Seed: seed, Verdict: sim.VerdictDead, Steps: 10 * seed, Critical: c, Time: time.Duration(4-seed) * time.Second,
			Stats: search.Stats{States: 1000 * seed, Paths: seed}, Problem: problem,
		}
	}
	far := &search.Critical{Step: 7, Event: "n1 message aVeryLongOne{with: a lot, of: members} from n0 by tcp"}
	clean, found := &verify.Clean{}, &verify.Clean{Problem: "found is safety: it is broken"}
	return &verify.Report{
		Of: 4, Seeds: 3,
		Bugs: []verify.Bug{
			{Entry: entry("XA1", "6.5 hours", known.Flags{}), Runs: []verify.Run{run(1, "", far), run(2, "", far), run(3, "", far)}, Nodes: 3, Stated: true, Alone: true, Clean: clean},
			{Entry: entry("XA2", "", known.Flags{Faults: "crash=1", Properties: []string{"one lamp is on"}}), Runs: []verify.Run{run(1, "", &search.Critical{}), run(2, "nothing is found, want dead", nil)}, Nodes: 3, Clean: found},
			{Entry: entry("XA3", "", known.Flags{})},
		},
		Stop: search.StopInterrupted,
	}
}

// Medians are of the seeds, what is wrong ends with a command, and what was not
// got to has no row.
func TestVerified(t *testing.T) {
	var b strings.Builder
	if err := Verified(&b, verified(), "macemc"); err != nil {
		t.Fatal(err)
	}
	const want = `bug  system    nodes  found   as    time    paths  states  steps  critical step                                 alone  clean
XA1  switches  3      3 of 3  dead  2.00 s  2      2,000   20     7, n1 message aVeryLongOne{with: a lot,  ...  yes    yes
     the paper: 6.5 hours
XA2  switches  3      1 of 3  dead  3.00 s  2      2,000   20     the start                                     no     no

1 of 4 are found as stated, on the seeds 1 to 3; 1 of them with --bug alone. It was stopped before
its end.
  - XA2, seed 2: nothing is found, want dead:
    macemc search switches --bug XA2 --faults crash=1 --property 'one lamp is on' --seed 2
  - XA2, without the bug: found is safety: it is broken:
    macemc search switches --faults crash=1 --property 'one lamp is on'
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// What bugs verify --json prints is as docs/bugs.schema.json says.
func TestBugsSchema(t *testing.T) {
	s := schema(t, "../../docs/bugs.schema.json", true)
	for _, r := range []*verify.Report{verified(), {Seeds: 1}} {
		var b strings.Builder
		if err := VerifiedJSON(&b, r, "macemc"); err != nil {
			t.Fatal(err)
		}
		validate(t, s, "verified", b.String())
	}
	refused(t, s, `{"version": 2}`)
}
