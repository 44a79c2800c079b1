package toy

import (
	"fmt"
	"strings"
	"testing"

	"macemc/choose"
	"macemc/internal/transcript"
	"macemc/internal/world"
	"macemc/sim"
)

// TestToy runs transcripts, each of which has a graph and every run of it to a depth, as an odometer
// enumerates them, or the error.
func TestToy(t *testing.T) {
	transcript.Run(t, "testdata", func(t *testing.T, d *transcript.Data) string {
		switch d.Cmd {
		case "runs":
			depth := 4
			d.MaybeScanArgs(t, "depth", &depth)
			sys, err := Parse(d.Input)
			if err != nil {
				return err.Error()
			}
			return runs(t, sys, depth)
		case "properties":
			var b strings.Builder
			for _, p := range MustParse(d.Input).Properties {
				fmt.Fprintf(&b, "%s: %s\n", p.Kind(), p.Name)
			}
			return b.String()
		default:
			t.Fatalf("%s is no command; there are runs and properties", d.Cmd)
			return ""
		}
	})
}

// runs returns every run to a depth as text.
func runs(t *testing.T, sys *sim.System, depth int) string {
	t.Helper()
	if err := sys.Validate(sim.Params{}); err != nil {
		t.Fatal(err)
	}
	w, err := world.New(sys, sim.Params{}, world.Config{Conditions: sim.Conditions{Faults: &sim.Faults{Rare: sim.Unlimited}}})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for o := choose.NewOdometer(); ; {
		f := w.Protect(func() {
			w.Start(o)
			tell(&b, w)
			for w.Judge.Check() == nil && w.Run.Steps() < depth && w.Step(o) == world.Stepped {
				b.WriteString(" > ")
				tell(&b, w)
			}
		})
		switch {
		case f != nil:
			fmt.Fprintf(&b, ": %s\n", f.Message)
		case w.Events.Count() == 0:
			b.WriteString(" and no further\n")
		default:
			b.WriteString(" ...\n")
		}
		if !o.Next() {
			return b.String()
		}
	}
}

// tell writes the vertices of the nodes, and a star if the state is live.
func tell(b *strings.Builder, w *world.World) {
	for i, l := range w.Text.Lines() {
		if l.Path == "faults left" { // so that coins fall on their rare sides too
			continue
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strings.Trim(l.Value, `"`))
	}
	if w.Judge.CanBeLive() && w.Judge.Live() {
		b.WriteByte('*')
	}
}

// TestRareIsNotWalked checks that walks do not take rare steps.
func TestRareIsNotWalked(t *testing.T) {
	w, err := world.New(MustParse(`
		start: a
		a -> b rare
		a -?-> a b rare
		bad: b`), sim.Params{}, world.Config{})
	if err != nil {
		t.Fatal(err)
	}
	source := choose.NewWalk(1)
	if f := w.Protect(func() {
		w.Start(source)
		for range 1_000 {
			w.Step(source)
			w.Judge.Check()
		}
	}); f != nil {
		t.Error(f.Message)
	}
	if w.Run.Steps() != 1_000 {
		t.Errorf("%d steps", w.Run.Steps())
	}
}
