package macetest

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"macemc/choose"
	"macemc/internal/account"
	"macemc/internal/finding"
	"macemc/internal/search"
	"macemc/sim"
	"macemc/trace"
)

// corpus is the folder of paths of earlier findings, beside the test, as testdata/fuzz is
// for go test -fuzz.
const corpus = "testdata/macemc"

// again replays the paths of the corpus that belong to sys with these known bugs. It fails
// the test if a run still has the failure for which its path was kept.
func (a *reporter) again(sys *sim.System, bugs []sim.BugID) {
	a.t.Helper()
	files, err := filepath.Glob(filepath.Join(corpus, "*.path"))
	if err != nil {
		a.t.Fatal(err)
	}
	for _, file := range files {
		path, err := choose.Open(file)
		if err != nil {
			a.t.Fatal(err)
		}
		switch name, _ := path.Get("system"); {
		case name != sys.Name:
			a.t.Logf("%s is of the system %q, and was not taken again by this test of %q", file, name, sys.Name)
		case sameBugs(path.All("bug"), bugs):
			a.replay(sys, file)
		}
	}
}

func sameBugs(of []string, bugs []sim.BugID) bool {
	var ids []string
	for _, b := range bugs {
		ids = append(ids, string(b))
	}
	return slices.Equal(slices.Sorted(slices.Values(of)), slices.Sorted(slices.Values(ids)))
}

// keep writes the paths of findings into the corpus. A finding that ends the process, or
// does not repeat every time, is not kept: it would end all tests, or make them flaky.
func (a *reporter) keep(r *search.Result) {
	a.t.Helper()
	if tests, _ := filepath.Glob("*_test.go"); len(tests) == 0 {
		return // the test binary runs elsewhere
	}
	for _, one := range account.All(r) {
		f := one.Finding
		switch f.Verdict {
		case trace.VerdictSafety, trace.VerdictDead, trace.VerdictPanic, trace.VerdictUnhandled, trace.VerdictMutation:
		default:
			continue
		}
		var text bytes.Buffer
		_, err := f.Written().WriteTo(&text)
		sum := sha256.Sum256(text.Bytes())
		name := filepath.Join(corpus, fmt.Sprintf("%s-%x.path", finding.Name(one), sum[:4]))
		if err == nil {
			err = os.MkdirAll(corpus, 0o777)
		}
		if err == nil {
			err = os.WriteFile(name, text.Bytes(), 0o666)
		}
		if err != nil {
			a.t.Logf("the path is not kept: %v", err)
			continue
		}
		a.t.Logf("the path is kept as %s: this test takes it again before it searches; commit it", name)
	}
}

// Benchmark searches a system repeatedly, each time with another seed, and reports the
// states visited and the steps taken per second.
func Benchmark(b *testing.B, sys *sim.System, o Options) {
	b.Helper()
	opts, err := o.search(sys, testing.Short())
	if err != nil {
		b.Fatal(err)
	}
	states, steps := 0, 0
	for b.Loop() {
		opts.Seed++
		r, err := search.Search(sys, opts)
		if err != nil {
			b.Fatal(err)
		}
		if r.Verdict() != o.Expect {
			b.Fatalf("found is %s, and %s was expected", r.Verdict(), o.Expect)
		}
		states, steps = states+r.Stats.States, steps+r.Stats.Steps
	}
	b.ReportMetric(float64(states)/b.Elapsed().Seconds(), "states/s")
	b.ReportMetric(float64(steps)/b.Elapsed().Seconds(), "steps/s")
}
