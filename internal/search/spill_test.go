package search

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"

	"macemc/internal/catalog"
	"macemc/internal/known"
	"macemc/internal/long"
	"macemc/internal/search/internal/explore"
	"macemc/internal/search/internal/spill"
	"macemc/internal/spec"
	"macemc/internal/toy"
	"macemc/sim"
	"macemc/trace"
)

// visit returns the counts, the answers and the finding of an exhaustive phase, as text.
func visit(res *Result) string {
	f := "none"
	if res.Finding != nil {
		f = fmt.Sprint(res.Finding.Verdict, res.Finding.Step, res.Finding.Property, res.Finding.Path.Steps)
	}
	s := res.Stats
	return fmt.Sprintf("%d states, %d transitions, %d duplicates, depth %d, %s, stopped %s, liveness %s, found %s", s.States, s.Transitions, s.Duplicates, s.Depth, res.Safety.State, res.Stop, res.Liveness.State, f)
}

// deepAndFlat searches twice: with all states in memory (flat), and with at most window states in memory
// and the others on disk (deep). It returns the results of both as text, and the number of states on
// disk.
func deepAndFlat(t *testing.T, sys *sim.System, opts Options, window int) (flat, deep string, spilled int) {
	t.Helper()
	opts.Reduce, opts.NoWalks, opts.once = ReduceNone, true, true
	res, err := Search(sys, opts)
	if err != nil { // a fault that cannot happen
		return "", "", 0
	}
	if res.Stop == StopDepth && opts.Depth == 0 { // what Effort ends, it need not end at the same state
		if opts.Depth = res.Safety.Depth; opts.Depth == 0 {
			return "", "", 0
		}
		if res, err = Search(sys, opts); err != nil {
			t.Fatal(err)
		}
	}
	flat = visit(res)
	before := debug.SetMemoryLimit(-1)
	opts.Spill, opts.window = t.TempDir(), window
	opts.broken.Every = 3 // memos forget everything after three batches
	if res, err = Search(sys, opts); err != nil {
		t.Fatal(err)
	}
	if limit := debug.SetMemoryLimit(-1); limit != before {
		t.Errorf("Go's runtime is left with a limit of %d bytes, and had one of %d", limit, before)
	}
	if left, err := os.ReadDir(opts.Spill); len(left) > 0 || err == nil {
		t.Errorf("left on disk: %v, %v", left, err)
	}
	return flat, visit(res), res.Stats.Spilled
}

// TestSpillMazes: with a few states in memory, the search has the counts and the finding that it
// has with all of them in memory.
func TestSpillMazes(t *testing.T) {
	spilled := 0
	for seed := range uint64(long.Of(15, 500)) {
		r := rand.New(rand.NewPCG(seed, 0))
		sys, err := toy.Parse(randomMaze(r).String())
		if err != nil {
			t.Fatal(err)
		}
		for _, engine := range []Engine{EngineLocal, EngineMemo} {
			flat, deep, n := deepAndFlat(t, sys, Options{Engine: engine, Effort: 1 << 30, Workers: 1}, 1+r.IntN(20))
			if spilled += n; flat != deep {
				t.Errorf("maze %d, %s:\nin memory %s\non disk   %s", seed, engine, flat, deep)
			}
		}
	}
	if spilled < 300 {
		t.Errorf("only %d states were on disk", spilled)
	}
}

// TestSpillServices does the same for random services with faults. Liveness is decided in spaces that
// are exhausted, and dead states are found.
func TestSpillServices(t *testing.T) {
	spilled, decided, dead := 0, 0, 0
	seeds := []uint64{0, 5, 11, 17, 32, 63, 84, 122, 130, 177, 180, 185, 203, 263, 293} // most are live or dead, and closed
	for n := range uint64(long.Of(0, 150)) {
		seeds = append(seeds, 300+n)
	}
	for _, seed := range seeds {
		s := spec.Draw(seed)
		for _, workers := range []int{1, 2}[:long.Of(1, 2)] {
			opts := conditions(s)
			opts.Effort, opts.Workers = 60_000, workers
			if workers > 1 {
				opts.team = 1
			}
			flat, deep, n := deepAndFlat(t, s.System(), opts, 1+int(seed*37)%300)
			if n > 0 {
				decided += count(strings.Contains(deep, "liveness exhausted"))
				dead += count(strings.Contains(deep, "found dead"))
			}
			if spilled += n; flat != deep && workers == 1 {
				t.Errorf("service %d, %d workers:\nin memory %s\non disk   %s\n%s", seed, workers, flat, deep, s)
			}
		}
	}
	if spilled < 1000 || decided < 4 || dead < 8 {
		t.Errorf("only %d states were on disk, liveness was decided in %d spaces, and %d were dead", spilled, decided, dead)
	}
}

// TestSpillSystems does the same for the systems of the catalogue, with known bugs and without.
func TestSpillSystems(t *testing.T) {
	for k, sys := range catalog.Systems() {
		if !*long.On && k%3 != 0 {
			continue
		}
		flat, deep, n := deepAndFlat(t, sys, Options{Depth: long.Of(5, 12), Workers: 1}, long.Of(30, 2000))
		if flat != deep {
			t.Errorf("%s, %d on disk:\nin memory %s\non disk   %s", sys.Name, n, flat, deep)
		}
	}
}

// TestSpillLiveness: in exhausted spaces of systems of the catalogue, with faults and without, a search
// with states on disk decides liveness as one in memory does.
func TestSpillLiveness(t *testing.T) {
	for _, c := range []struct {
		system   string
		settings []string
		faults   sim.Faults
	}{
		{"wal", nil, sim.Faults{Crash: 2}},
		{"commit", nil, sim.Faults{}},
		{"storage", []string{"writes=1"}, sim.Faults{Down: 1}},
	} {
		sys, err := known.System(catalog.Systems(), c.system)
		if err != nil {
			t.Fatal(err)
		}
		params, err := sys.Configure(0, c.settings, nil)
		if err != nil {
			t.Fatal(err)
		}
		opts := Options{Params: params, Conditions: sim.Conditions{Faults: &c.faults}, Effort: 1 << 30, Workers: 1}
		flat, deep, n := deepAndFlat(t, sys, opts, 150)
		if flat != deep || n == 0 || !strings.Contains(deep, "liveness exhausted") {
			t.Errorf("%s, %d on disk:\nin memory %s\non disk   %s", c.system, n, flat, deep)
		}
	}
}

// A space of which one state in a hundred fits into memory is closed with its exact counts, by one
// worker and by several.
func TestSpillCloses(t *testing.T) {
	size := long.Of(15, 25)
	for _, workers := range []int{1, 2, 4} {
		res, err := Search(rounds(size, size-1), Options{Effort: 1 << 40, NoWalks: true, Workers: workers, team: 16, Spill: t.TempDir(), window: size * size * size / 100})
		if err != nil {
			t.Fatal(err)
		}
		if want := (size + 2) * size * size; res.Stats.States != want || res.Safety.State != StateExhausted || res.Stats.Spilled != want {
			t.Errorf("%d workers: %s; want %d states", workers, visit(res), want)
		}
		if f := res.Finding; f == nil || f.Verdict != trace.VerdictDead || !f.Proved || f.Step != size {
			t.Errorf("%d workers: found %+v; want the wheel behind its door", workers, f)
		}
	}
}

// TestSpillMutants: a known state that is not dropped, and a run that is lost, show in the counts.
func TestSpillMutants(t *testing.T) {
	sys := rounds(6, 5)
	for _, broken := range []explore.Depth{{NoDrop: true}, {NoRun: true}} {
		opts := Options{Depth: 40, Effort: 1 << 40, NoWalks: true, Workers: 1, Spill: t.TempDir(), window: 50, broken: broken}
		res, err := Search(sys, opts)
		if err != nil {
			t.Fatal(err)
		}
		if want := 8 * 6 * 6; res.Stats.States == want {
			t.Errorf("%+v: there are %d states all the same", broken, want)
		}
	}
}

// TestSpillLosesAStep: if a step is left out of the log on disk on purpose, the result differs from that
// of a search in memory, since a state then looks dead from which a live one can be reached.
func TestSpillLosesAStep(t *testing.T) {
	sys, err := known.System(catalog.Systems(), "wal")
	if err != nil {
		t.Fatal(err)
	}
	params, err := sys.Configure(0, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	opts := Options{Params: params, Conditions: sim.Conditions{Faults: &sim.Faults{Crash: 2}}, Effort: 1 << 30, Workers: 1}
	for lost, same := range map[int]bool{0: true, 40: false} {
		opts.broken.NoStep = lost
		if flat, deep, _ := deepAndFlat(t, sys, opts, 150); (flat == deep) != same {
			t.Errorf("step %d is lost:\nin memory %s\non disk   %s", lost, flat, deep)
		}
	}
}

// damaged is a file that gives back a wrong bit once enough was read of all files.
type damaged struct {
	*os.File
	left *int
}

func (f damaged) ReadAt(b []byte, at int64) (int, error) {
	n, err := f.File.ReadAt(b, at)
	if *f.left -= n; *f.left < 0 && n > 0 {
		b[n/2] ^= 4
	}
	return n, err
}

// full is a file on a disk on which the number of bytes in left is still free.
type full struct {
	*os.File
	left *int
}

func (f full) Write(b []byte) (int, error) {
	if *f.left -= len(b); *f.left < 0 {
		return 0, syscall.ENOSPC
	}
	return f.File.Write(b)
}

// TestSpillFails: a disk that is full, or gives back something else than was written, ends the search
// with an error, wherever that happens. It has no result.
func TestSpillFails(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	failed := 0
	for n := range long.Of(30, 300) {
		left := r.IntN(1 << r.IntN(22))
		opts := Options{Effort: 1 << 40, NoWalks: true, Workers: 1 + n%2, team: 16, Spill: t.TempDir(), window: 50, once: true}
		opts.files = func(path string) (spill.File, error) {
			f, err := os.Create(path)
			if n%3 == 0 {
				return full{f, &left}, err
			}
			return damaged{f, &left}, err
		}
		res, err := Search(rounds(7, 6), opts)
		switch {
		case left >= 0 && (err != nil || res.Safety.State != StateExhausted || res.Stats.States != 9*7*7):
			t.Errorf("a disk that did not fail: %v", err)
		case left < 0 && (err == nil || !strings.Contains(err.Error(), "states that do not fit into memory cannot be")):
			t.Errorf("a disk that failed: %v", err)
		}
		failed += count(left < 0)
	}
	if failed < 10 {
		t.Errorf("only %d disks have failed", failed)
	}
}

// TestSpillGoesOn: a search with states on disk is interrupted again and again, and resumed from the
// levels that it kept. It has the result of an uninterrupted search in memory.
func TestSpillGoesOn(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 1))
	opts := Options{Effort: 1 << 40, NoWalks: true, Workers: 1, once: true}
	want, err := Search(rounds(9, 8), opts)
	if err != nil {
		t.Fatal(err)
	}
	for range long.Of(2, 10) {
		s, parts := &restless{}, 0
		var got *Result
		for got == nil || s.halted {
			s.halted, s.left = false, 1+r.IntN(10<<min(parts, 16))
			opts := opts
			opts.Store, opts.Stop, opts.Spill, opts.window = s, s.stop, t.TempDir(), 1+r.IntN(200)
			s.fresh = parts%3 == 2
			parts++
			if got, err = Search(rounds(9, 8), opts); err != nil {
				t.Fatal(err)
			}
		}
		if parts < 2 || got.Stats.Spilled == 0 || visit(got) != visit(want) && got.Liveness.State == want.Liveness.State {
			t.Errorf("in %d parts, %d states on disk:\n%s\nin memory:\n%s", parts, got.Stats.Spilled, visit(got), visit(want))
		}
	}
}
