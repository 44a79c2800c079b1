package critical_test

import (
	"strings"
	"testing"

	"macemc/choose"
	"macemc/internal/critical"
	"macemc/internal/long"
	"macemc/internal/search"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/systems/brokentree"
	"macemc/systems/handshake"
	"macemc/systems/peterson"
	"macemc/systems/simtcp"
	"macemc/systems/stopwait"
	"macemc/systems/twophase"
	"macemc/systems/wal"
	"macemc/trace"
)

// found returns the finding of a search for a known bug. With a depth of 1, walks find it.
func found(t *testing.T, sys *sim.System, bug sim.BugID, depth int) *search.Finding {
	t.Helper()
	params, err := sys.Configure(0, nil, []string{string(bug)})
	if err != nil {
		t.Fatal(err)
	}
	res, err := search.Search(sys, search.Options{Params: params, Depth: depth})
	if err != nil || res.Finding == nil {
		t.Fatalf("%s: nothing was found, %v", bug, err)
	}
	return res.Finding
}

func find(t *testing.T, sys *sim.System, f *search.Finding, opts critical.Options) *search.Finding {
	t.Helper()
	r, err := critical.Find(sys, f, opts)
	if err != nil || r.Alive || r.Stopped || r.Finding.Critical == nil {
		t.Fatalf("%s: %v, %+v", sys.Name, err, r)
	}
	return r.Finding
}

// TestKnownBugs: for each known bug that makes a service dead, walks alone find the same critical step as an
// exact decision, and the nearest live path leaves the run before that step and ends live. For the other
// bugs, the critical step and the nearest run without a failure agree with each other.
func TestKnownBugs(t *testing.T) {
	for _, sys := range []*sim.System{brokentree.System, handshake.System, peterson.System, simtcp.System, stopwait.System, twophase.System} {
		for _, b := range sys.Bugs {
			for _, depth := range []int{0, 1}[:long.Of(1, 2)] {
				f := found(t, sys, b.ID, depth)
				exact := find(t, sys, f, critical.Options{})
				sampled := find(t, sys, f, critical.Options{Exhaust: -1})
				if f.Verdict != trace.VerdictDead {
					if exact.Critical.Step > f.Step || sampled.Critical.Step > f.Step {
						t.Errorf("%s: critical is %+v, sampled %+v, of %d steps", b.ID, exact.Critical, sampled.Critical, f.Step)
					}
					checkParting(t, string(b.ID), exact)
					checkParting(t, string(b.ID), sampled)
					continue
				}
				if !exact.Critical.Exact || !exact.Proved || exact.Evidence != nil {
					t.Errorf("%s: %+v, proved %v, evidence %+v", b.ID, exact.Critical, exact.Proved, exact.Evidence)
				}
				if sampled.Critical.Exact || sampled.Critical.Step != exact.Critical.Step || sampled.Critical.Event != exact.Critical.Event {
					t.Errorf("%s: walks say %+v, and it is %+v", b.ID, sampled.Critical, exact.Critical)
				}
				if e := sampled.Evidence; e == nil || e.From != sampled.Critical.Step || e.Walks < 60 || e.Escape95 > 0.049 {
					t.Errorf("%s: evidence is %+v", b.ID, e)
				}
				for _, f := range []*search.Finding{exact, sampled} {
					checkLive(t, sys, string(b.ID), f)
				}
			}
		}
	}
}

// checkLive takes the nearest live path again, from its text.
func checkLive(t *testing.T, sys *sim.System, name string, f *search.Finding) {
	t.Helper()
	if f.Critical.Step == 0 {
		if f.Live != nil {
			t.Errorf("%s: dead from the start, and there is a live path", name)
		}
		return
	}
	if f.Live == nil || f.Live.From != f.Critical.Step-1 {
		t.Fatalf("%s: critical is %+v, the live path %+v", name, f.Critical, f.Live)
	}
	checkParting(t, name, f)
	var text strings.Builder
	if _, err := f.Live.Path.WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	path, err := choose.Parse(strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	live := false
	r, err := search.Replay(sys, path, search.Options{See: func(w *world.World) { live = w.Judge.Live() }})
	if err != nil || !r.Reproduced || !live {
		t.Errorf("%s: the live path: %v, %+v, live %v", name, err, r, live)
	}
}

// checkParting checks that the nearest live path does not take the critical step
// itself: it would show that this was not critical.
func checkParting(t *testing.T, name string, f *search.Finding) {
	t.Helper()
	if f.Live == nil {
		return
	}
	if a := choose.Align(f.Path, f.Live.Path); a.Prefix != f.Live.From {
		t.Errorf("%s: the live path leaves the run after %d steps, and should after %d", name, a.Prefix, f.Live.From)
	}
}

// The critical step is reported with its node, its event and its message.
func TestHandshake(t *testing.T) {
	f := find(t, handshake.System, found(t, handshake.System, handshake.HS1, 0), critical.Options{})
	if f.Critical.Event != "n1 lose confirm{} from n0" || !f.Critical.Exact {
		t.Errorf("critical is %+v", f.Critical)
	}
}

// A run that is dead from its start is reported as such.
func TestBrokenTree(t *testing.T) {
	f := find(t, brokentree.System, found(t, brokentree.System, brokentree.BT1, 0), critical.Options{})
	if f.Critical.Step != 0 || !f.Critical.Exact || f.Live != nil {
		t.Errorf("critical is %+v, the live path %+v", f.Critical, f.Live)
	}
	f = find(t, brokentree.System, f, critical.Options{Exhaust: -1, Search: search.Options{WalkSteps: 500, MaxWalkSteps: 2_000}})
	if f.Critical.Step != 0 || f.Critical.Exact || f.Evidence == nil || f.Evidence.Longest != 2_000 {
		t.Errorf("by walks, critical is %+v, evidence %+v", f.Critical, f.Evidence)
	}
}

// TestRestartIsNotAvoided: if a node violates a property when it restarts after a crash, the crash is the
// critical step. A walk in which the node never restarts does not count as avoiding the violation, since
// the restart comes in every fair run.
func TestRestartIsNotAvoided(t *testing.T) {
	f := found(t, wal.System, wal.WL3, 0)
	c := find(t, wal.System, f, critical.Options{}).Critical
	if !c.Exact || c.Step != f.Step-1 || !strings.HasSuffix(f.Path.Steps[f.Step-1].Event.What, "restart") {
		t.Errorf("the run violates in step %d, %s, and critical is %+v", f.Step, f.Path.Steps[f.Step-1].Event.What, c)
	}
}

// TestWorkers: the result does not depend on the number of workers that take the walks.
func TestWorkers(t *testing.T) {
	f := found(t, peterson.System, peterson.PE2, 1)
	tell := func(workers int) string {
		r, err := critical.Explain(peterson.System, f, critical.Options{Exhaust: -1, Search: search.Options{Workers: workers}}, true)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, p := range []*choose.Path{r.Finding.Path, r.Finding.Live.Path} {
			if _, err := p.WriteTo(&b); err != nil {
				t.Fatal(err)
			}
		}
		return b.String()
	}
	one := tell(1)
	for _, workers := range []int{2, 3, 7} {
		if many := tell(workers); many != one {
			t.Errorf("one runner finds\n%s\n%d find\n%s", one, workers, many)
		}
	}
}
