package eventgraph

import (
	"io"
	"syscall"
	"testing"
	"time"

	"macemc/choose"
	"macemc/internal/recording"
	"macemc/internal/world"
	"macemc/systems/jointree"
)

// longRun returns the graph of a long walk of a service that is never at rest, with its states.
func longRun(t testing.TB, steps int) *Graph {
	t.Helper()
	params, err := jointree.System.Configure(4, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := world.New(jointree.System, params, world.Config{Trace: true})
	if err != nil {
		t.Fatal(err)
	}
	var states recording.Recording
	src := choose.NewWalk(1)
	w.Protect(func() {
		w.Start(src)
		states.See(w)
		for w.Run.Steps() < steps && w.Step(src) == world.Stepped {
			states.See(w)
		}
	})
	if w.Run.Steps() != steps {
		t.Fatalf("the walk ended after %d steps: %v", w.Run.Steps(), w.Run.Err())
	}
	g := New(w.Run.Trace(), w.Walker().Text, Marks{Title: "a long run", Critical: steps / 2, Failed: steps, Why: "it is long"})
	g.states = &states
	return g
}

// cpuTime returns the processor time of this process. Benchmarks use it, since the machine may be shared.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

const longSteps = 10_000

// A page of a long run stays small: it has what each step changed, and no
// whole states.
func TestLongPage(t *testing.T) {
	if size := len(drawnBy(t, longRun(t, longSteps).HTML)); size > 5<<20 {
		t.Errorf("the page of a run of %d steps has %d bytes", longSteps, size)
	} else {
		t.Logf("the page of a run of %d steps has %d bytes", longSteps, size)
	}
}

func BenchmarkDrawing(b *testing.B) {
	g := longRun(b, longSteps)
	for _, one := range []struct {
		name string
		draw func(io.Writer, Part) error
	}{
		{"text", func(w io.Writer, p Part) error { return g.Text(w, TextOptions{Part: p}) }},
		{"whole text", func(w io.Writer, p Part) error { return g.Text(w, TextOptions{Part: Part{Whole: true}}) }},
		{"svg", g.SVG}, {"html", g.HTML}, {"mermaid", g.Mermaid}, {"dot", g.DOT},
	} {
		b.Run(one.name, func(b *testing.B) {
			cpu := cpuTime()
			for b.Loop() {
				if err := one.draw(io.Discard, Part{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(cpuTime()-cpu)/float64(b.N), "cpu-ns/op")
		})
	}
}

// BenchmarkNew measures making a graph from a trace.
func BenchmarkNew(b *testing.B) {
	params, err := jointree.System.Configure(4, nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	w, err := world.New(jointree.System, params, world.Config{Trace: true})
	if err != nil {
		b.Fatal(err)
	}
	src := choose.NewWalk(1)
	w.Protect(func() {
		w.Start(src)
		for w.Run.Steps() < longSteps && w.Step(src) == world.Stepped {
		}
	})
	cpu := cpuTime()
	for b.Loop() {
		New(w.Run.Trace(), w.Walker().Text, Marks{})
	}
	b.ReportMetric(float64(cpuTime()-cpu)/float64(b.N), "cpu-ns/op")
}

// BenchmarkCompare puts two runs side by side that have little in common.
func BenchmarkCompare(b *testing.B) {
	x, y := longRun(b, longSteps), longRun(b, longSteps)
	y = &Graph{Marks: y.Marks, nodes: y.nodes, lanes: y.lanes, starts: y.starts, messages: y.messages, points: append(append([]point{}, y.points[:y.starts]...), y.points[y.starts+100:]...)}
	cpu := cpuTime()
	for b.Loop() {
		Compare(x, y)
	}
	b.ReportMetric(float64(cpuTime()-cpu)/float64(b.N), "cpu-ns/op")
}
