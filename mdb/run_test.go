package mdb

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/long"
	"macemc/internal/numerals"
	"macemc/internal/observe"
	"macemc/sim"
	"macemc/systems/brokentree"
	"macemc/systems/handshake"
	"macemc/systems/jointree"
	"macemc/systems/lease"
	"macemc/systems/stopwait"
)

// explored opens a system at its start.
func explored(t testing.TB, sys *sim.System, set Settings) *Session {
	t.Helper()
	s, err := Opener{Find: systems, Tool: "macemc"}.Open(sys.Name, set)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func must(t testing.TB, s *Session, line string) string {
	t.Helper()
	p, err := s.Do(line)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return p.String()
}

// Going to a step again gives the same state as the first time, and the same next step: from a keyframe, from
// the present place or from the start, on the trunk and on branches of branches.
func TestSeek(t *testing.T) {
	for _, sys := range []*sim.System{brokentree.System, handshake.System, jointree.System, stopwait.System} {
		t.Run(sys.Name, func(t *testing.T) {
			faults, _ := sim.ParseFaults("crash=2,reset=2,loss=3,dup=2,reorder=3")
			s := explored(t, sys, Settings{Conditions: sim.Conditions{Faults: &faults}})
			rng := rand.New(rand.NewPCG(7, 7))
			type place struct {
				b    *branch
				step int
			}
			states, hashes := map[place][]canon.Line{}, map[place]canon.Hash{}
			var all []place
			keep := func() {
				at := place{s.here.owner(s.step), s.step}
				if err := s.run.seek(s.here, s.step); err != nil {
					t.Fatal(err)
				}
				if states[at] == nil {
					all = append(all, at)
				}
				states[at], hashes[at] = s.run.player.World().Text.Lines(), s.run.player.World().State.Hash()
			}
			keep()
			branches, seeks := long.Of(6, 12), long.Of(60, 500)
			for range branches { // whose steps are any that are possible, faults too
				from := all[rng.IntN(len(all))]
				s.here, s.step = from.b, from.step
				for range 60 {
					if err := s.run.seek(s.here, s.step); err != nil {
						t.Fatal(err)
					}
					n := s.run.player.World().Events.Count()
					if n == 0 || s.here.failure != nil && s.step == s.Len() {
						break
					}
					if _, err := s.take([]word{{text: numerals.Count(rng.IntN(n))}}); err != nil {
						t.Fatal(err)
					}
					if s.here.failure == nil || s.step < s.Len() {
						keep()
					}
				}
			}
			for _, b := range s.run.branches.all { // a path from the start comes to the same
				again, err := newRun("again", sys, b.path(s.run.header, b.len()), nil)
				if err != nil || again.trunk.len() != b.len() {
					t.Fatalf("%s is taken to step %d of %d: %v", b.name, again.trunk.len(), b.len(), err)
				}
				if want, known := hashes[place{b.owner(b.len()), b.len()}]; known && again.player.World().State.Hash() != want {
					t.Fatalf("%s ends in another state", b.name)
				}
			}
			if len(all) < 30 {
				t.Fatalf("only %d states were met", len(all))
			}
			for range seeks {
				at := all[rng.IntN(len(all))]
				if rng.IntN(400) == 0 {
					s.run.thin()
				}
				if err := s.run.seek(at.b, at.step); err != nil {
					t.Fatal(err)
				}
				w := s.run.player.World()
				if got := w.Text.Lines(); !slices.Equal(got, states[at]) {
					t.Fatalf("step %d of %s is another state: %v", at.step, at.b.name, observe.Diff(states[at], got))
				}
				if w.State.Hash() != hashes[at] {
					t.Fatalf("step %d of %s has another hash", at.step, at.b.name)
				}
			}
		})
	}
}

// Keyframes are thinned out, so that there are never too many.
func TestKeyframesAreFew(t *testing.T) {
	if testing.Short() {
		t.Skip("a walk of 40,000 steps")
	}
	s := explored(t, jointree.System, Settings{})
	must(t, s, "walk 40000")
	if s.Len() != 40000 {
		t.Fatalf("the walk has %d steps", s.Len())
	}
	if n := len(s.here.frames); n > framesMost || n < framesMost/4 || n != s.run.frames {
		t.Errorf("there are %d keyframes, %d are counted", n, s.run.frames)
	}
	for _, f := range s.here.frames {
		if f.Steps()%s.run.spacing != 0 {
			t.Errorf("a keyframe stands at step %d, and their distance is %d", f.Steps(), s.run.spacing)
		}
	}
}

// longPath writes a walk of the given number of steps.
func longPath(t testing.TB, steps string) string {
	t.Helper()
	s := explored(t, jointree.System, Settings{})
	must(t, s, "walk "+steps)
	name := filepath.Join(t.TempDir(), "long.path")
	must(t, s, "save "+name)
	if info, err := os.Stat(name); err != nil || info.Size() < 1000 {
		t.Fatal(err)
	}
	return name
}

// A branch that is saved keeps every condition of its run, so that the file is
// taken again under the same ones.
func TestSaveKeepsConditions(t *testing.T) {
	early := 2
	conditions := sim.Conditions{Faults: &sim.Faults{Crash: 1}, Early: &early, FreeTimers: true, DiskReorder: true}
	s := explored(t, lease.System, Settings{Conditions: conditions})
	name := filepath.Join(t.TempDir(), "saved.path")
	must(t, s, "take 0")
	must(t, s, "save "+name)
	path, err := choose.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"faults": "crash=1", "early": "2", "timers": "free", "disk": "reorder"} {
		if got, _ := path.Get(key); got != want {
			t.Errorf("the saved path says %s: %q, want %q", key, got, want)
		}
	}
}
