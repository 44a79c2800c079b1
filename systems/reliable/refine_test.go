package reliable

import (
	"fmt"
	"testing"

	"macemc/internal/long"
	"macemc/refine"
	"macemc/sim"
)

// The channel refines its abstraction, whatever is lost, duplicated or reordered. With a known bug it does
// something that the abstraction cannot do.
func TestRefines(t *testing.T) {
	for _, c := range []struct {
		bug, want string
	}{
		{"", "[]"},
		{"RL6", "[n1 sends 1 n0 delivers 1 n0 delivers 1]"},
		{"RL3", "[n1 sends 1 n0 delivers 1 n1 sends 2 n1 sends 3 n0 delivers 3]"},
		{"RL4", "[]"}, // it is not live, which traces do not show
	} {
		if c.bug == "RL3" && !*long.On {
			continue // has ten times the number of states
		}
		settings, bugs := []string{"values=2"}, []string(nil)
		if c.bug != "" {
			bugs = []string{c.bug}
		}
		faults := sim.Faults{Loss: 1, Dup: 1}
		if c.bug == "RL3" {
			settings[0] = "values=3"
		}
		of, err := System.Configure(0, settings, bugs)
		if err != nil {
			t.Fatal(err)
		}
		in, err := Abstract.Configure(0, settings, nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := refine.Check(
			refine.Side{System: System, Params: of, Conditions: sim.Conditions{Faults: &faults}},
			refine.Side{System: Abstract, Params: in},
			refine.Options{Shows: func(at sim.Addr, fact any) string {
				switch f := fact.(type) {
				case Sent:
					return fmt.Sprint(at, " sends ", f.Value)
				case Delivered:
					return fmt.Sprint(at, " delivers ", f.Value)
				default:
					return ""
				}
			}})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(r.Trace); got != c.want || r.Included != (c.want == "[]") || !r.Exact {
			t.Errorf("%s: exact %v, %s, want %s\n%s", c.bug, r.Exact, got, c.want, r)
		}
		t.Log(c.bug, r.States, len(r.Run))
	}
}
