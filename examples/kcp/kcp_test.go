package kcp

import (
	"testing"

	"macemc/choose"
	"macemc/internal/long"
	"macemc/internal/world"
	"macemc/macetest"
	"macemc/sim"
)

// Whatever faults happen within the budgets, no property is violated. Soon after the faults have ended, all
// messages that were written are read.
func TestSurvives(t *testing.T) {
	faults, err := sim.ParseFaults("loss=5,dup=5,reorder=5,partition=1")
	if err != nil {
		t.Fatal(err)
	}
	for _, settings := range [][]string{
		nil,
		{"roundtrips=timed", "pattern=both-ways", "wrap=2"},
		{"messages=6", "parts=3", "send=8", "receive=4", "resend=2", "congestion=on", "roundtrips=timed"},
		{"messages=6", "send=4", "receive=1", "resend=1", "pattern=both-ways", "wrap=3"},
		{"pattern=reconnect", "messages=2", "wrap=1"},
	} {
		params, err := System.Configure(0, settings, nil)
		if err != nil {
			t.Fatal(err)
		}
		w, err := world.New(System, params, world.Config{Conditions: sim.Conditions{Faults: &faults}, Audit: true})
		if err != nil {
			t.Fatal(err)
		}
		walk, longest := choose.NewWalk(1), 0
		for i := range long.Of(8, 200) {
			healed := 0
			walk.Restart(1, uint64(i))
			failure := w.Protect(func() {
				w.Start(walk)
				for w.Judge.Check() == nil && w.Run.Steps() < 15+10*(i%6) {
					walk.Rare = w.Run.Steps()%5 == 0
					walk.Uniform = walk.Rare
					if w.Step(walk) != world.Stepped {
						break
					}
				}
				walk.Rare, walk.Uniform = false, false
				w.Heal(walk)
				for healed = w.Run.Steps(); w.Judge.Check() == nil && !w.Judge.Live() && w.Run.Steps() < healed+10_000; {
					w.Step(walk)
				}
			})
			if failure != nil {
				t.Fatalf("%q: walk %d: step %d: %s %s: %s", settings, i, failure.Step, failure.Verdict, failure.Property, failure.Message)
			}
			if !w.Judge.Live() {
				names, why := w.Judge.NotLive()
				t.Fatalf("%q: walk %d: not live: %q: %q", settings, i, names, why)
			}
			w.State.Hash() // so that the whole state was walked
			longest = max(longest, w.Run.Steps()-healed)
		}
		t.Logf("%q: live at most %d steps after the faults ended", settings, longest)
	}
}

// When the second connection begins while the application has yet to read from the first one, everything is
// read at once. The task that was posted to read then finds nothing.
func TestReadForTheNextConnection(t *testing.T) {
	macetest.Run(t, System, macetest.Options{
		Params: []string{"pattern=reconnect", "messages=2"}, Conditions: sim.Conditions{Faults: &sim.Faults{Reorder: 1}}, Depth: 12, Walks: 1,
	})
}

// Each known bug is found as its entry states.
func TestKnown(t *testing.T) {
	for _, k := range Known {
		t.Run(string(k.ID), func(t *testing.T) {
			if k.Long && !*long.On {
				t.Skip("it takes long")
			}
			faults := System.Tolerates
			if k.Flags.Faults != "" {
				var err error
				if faults, err = sim.ParseFaults(k.Flags.Faults); err != nil {
					t.Fatal(err)
				}
			}
			macetest.Run(t, System, macetest.Options{
				Bugs: []sim.BugID{k.ID}, Expect: k.Verdict, Conditions: sim.Conditions{Faults: &faults}, Params: k.Flags.Params, NoShrink: true,
			})
		})
	}
}
