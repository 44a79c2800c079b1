package merge

import (
	"bytes"
	"io"
	"sync/atomic"
	"testing"

	"macemc/internal/search"
	"macemc/live"
	"macemc/sim"
)

// keeping is a system of adders whose sums survive a crash.
var keeping = &sim.System{
	Name: "keeping", Doc: "Nodes that keep what they added up.",
	Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
	New:   func(sim.Params, sim.Addr) sim.Node { return &sums{} },
	Crash: func(_ sim.Params, _ sim.Addr, dead sim.Node) sim.Node { return &sums{Sum: dead.(*sums).Sum} },
}

type sums struct{ Sum int }

func (s *sums) Init(sim.Env)                           {}
func (s *sums) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (s *sums) Handle(_ sim.Env, a sim.Signal)         { s.Sum += a.(add).n }

// tearing is a record that ignores all writes once it is torn, as if the process was killed within a step: after the node
// had kept the result of the step, and before the record had it.
type tearing struct {
	bytes.Buffer
	torn *atomic.Bool
}

func (t *tearing) Write(b []byte) (int, error) {
	if t.torn.Load() {
		return len(b), nil
	}
	return t.Buffer.Write(b)
}

func (t *tearing) Close() error { return nil }

// TestCrashWithinAStep checks the case that a process ends after the node kept the result of a step, and before the step
// was recorded. The record of the next life has the step, and the merge takes it as the last one before the crash.
func TestCrashWithinAStep(t *testing.T) {
	dir := t.TempDir()
	var records []*tearing
	torn := make([]atomic.Bool, 4)
	keep := func(int, int) (io.WriteCloser, error) {
		records = append(records, &tearing{torn: &torn[len(records)]})
		return records[len(records)-1], nil
	}
	for life := range 2 {
		h, err := live.Start(keeping, live.Config{Dir: dir, Record: keep, Life: life})
		if err != nil {
			t.Fatal(err)
		}
		for n := range 3 {
			if n == 2 {
				torn[0].Store(true) // the third request to n0 is not written down
			}
			for i := range 2 {
				if err := h.Node(i).Request(t.Context(), add{1 + 10*n}); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := h.Stop(); err != nil {
			t.Fatal(err)
		}
	}
	var readers []io.Reader
	for _, r := range records {
		readers = append(readers, &r.Buffer)
	}
	follow, err := live.Follow(keeping, sim.Params{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for k, r := range records { // of n0 and n1, life by life
		if err := follow.Read(k%2, k/2, io.NopCloser(bytes.NewReader(r.Bytes()))); err != nil {
			t.Fatal(err)
		}
	}
	follow.Close()
	follow.Look(func(w *live.Watch) {
		if w.Steps() != 16 || len(w.Violations()) > 0 {
			t.Errorf("a watch takes %d steps, and says %v", w.Steps(), w.Violations())
		}
	})
	r, err := Merge(keeping, readers)
	if err != nil {
		t.Fatal(err)
	}
	if r.Parted || r.Steps != 16 {
		t.Fatalf("%d steps; %q", r.Steps, r.Differences)
	}
	sys, err := SystemOf(keeping, r.Path)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := search.Replay(sys, r.Path, search.Options{}); err != nil || !again.Reproduced {
		t.Errorf("the path comes to %+v, %v", again, err)
	}
}
