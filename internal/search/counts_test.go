package search

import (
	"fmt"
	"testing"

	"macemc/internal/long"
	"macemc/sim"
	"macemc/systems/peterson"
	"macemc/systems/twophase"
)

// The published counts of two models check the engines: one that loses a state or a step, or takes
// two states for one, has other counts.
func TestPublishedCounts(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine counts; the long run does it")
	}
	for _, c := range []struct {
		sys         *sim.System
		setting     string
		states      int
		transitions int    // 0 if no count was published
		reference   bool   // is fast enough for the reference engine
		only        string // the property that is checked; "" means all, and liveness is decided
		long        bool
	}{
		{twophase.System, "rms=3", 288, 1_145, true, "", false},
		{twophase.System, "rms=4", 1_568, 8_257, true, "", false},
		{twophase.System, "rms=5", 8_832, 58_145, true, "", true},
		{twophase.System, "rms=6", 50_816, 402_305, false, "", true},
		{twophase.System, "rms=7", 296_448, 2_744_705, false, twophase.System.Properties[0].Name, true},
		{peterson.System, "n=3", 771, 1_787, true, "", false},
		{peterson.System, "n=4", 19_887, 0, false, "", true},
		{peterson.System, "n=5", 576_551, 0, false, peterson.System.Properties[0].Name, true},
	} {
		if c.long && !*long.On {
			continue
		}
		engines := []Engine{EngineLocal, EngineMemo}
		if c.reference && (c.states < 1_000 || *long.On) {
			engines = append(engines, EngineReference)
		}
		for _, engine := range engines {
			t.Run(fmt.Sprint(c.sys.Name, "/", c.setting, "/", engine), func(t *testing.T) {
				opts := Options{Engine: engine, Effort: 1 << 40, NoWalks: true, Reduce: ReduceNone, once: !*long.On}
				if c.only != "" {
					opts.Properties = []string{c.only}
				}
				res := search(t, c.sys, 0, []string{c.setting}, opts)
				s := res.Stats
				if res.Safety.State != StateExhausted || s.States != c.states || c.transitions > 0 && s.Transitions != c.transitions {
					t.Errorf("safety %s, %d states, %d transitions; want %s, %d, %d",
						res.Safety.State, s.States, s.Transitions, StateExhausted, c.states, c.transitions)
				}
				if c.only == "" && engine != EngineReference && res.Liveness.State != StateExhausted {
					t.Errorf("liveness %s", res.Liveness.State)
				}
				if s.Executed != s.Duplicates+s.States-1 && engine != EngineReference {
					t.Errorf("%d steps were taken, %d to known states, and there are %d states", s.Executed, s.Duplicates, s.States)
				}
			})
		}
	}
}
