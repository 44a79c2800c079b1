package account

import (
	"testing"

	"macemc/choose"
	"macemc/internal/search"
	"macemc/sim"
)

// A run with more faults than the system promises to survive says which.
func TestBeyond(t *testing.T) {
	path := &choose.Path{}
	for _, what := range []string{"n0 crash", "n1 message m{} from n0", "n1 crash", "n0 lose m{} from n1"} {
		path.Steps = append(path.Steps, choose.Step{Event: choose.Choice{What: what}})
	}
	for _, c := range []struct {
		promised sim.Faults
		want     string
	}{
		{sim.Faults{Crash: 2, Loss: 1}, ""},
		{sim.Faults{Crash: sim.Unlimited, Loss: 1}, ""},
		{sim.Faults{Crash: 1, Loss: 1}, "2 × crash, where 1 is survived"},
		{sim.Faults{Crash: 1}, "2 × crash, where 1 is survived; 1 × lose, where 0 is survived"},
	} {
		a := Of(&search.Result{System: &sim.System{Tolerates: c.promised}}, &search.Finding{Path: path})
		if got := a.Beyond(); got != c.want {
			t.Errorf("%s: %q, want %q", c.promised, got, c.want)
		}
	}
}
