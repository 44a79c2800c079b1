package macetest

import (
	"runtime"
	"strings"
	"testing"

	"macemc/choose"
	"macemc/internal/ensemble"
	"macemc/internal/report"
	"macemc/sim"
)

// programs searches a system that has programs with goroutines, in processes of this test that are built with
// the overlay.
func (a *reporter) programs(sys *sim.System, o Options) {
	t := a.t
	t.Helper()
	if is, err := ensemble.Child(func(string) (*sim.System, error) { return sys, nil }); is || err != nil {
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	by := ensemble.Taker{Test: t.Name()}
	if *replayFlag != "" {
		a.retake(sys, *replayFlag, by)
		return
	}
	opts, err := o.search(sys, testing.Short())
	if err != nil {
		t.Fatal(err)
	}
	times, err := scale(testing.Short())
	if err != nil {
		t.Fatal(err)
	}
	opts.Depth, opts.Effort = 0, 0
	opts.Roam, opts.Workers, opts.Stop = max(1, int(ensemble.Worlds*times)), runtime.GOMAXPROCS(0), deadline(t)
	r, err := ensemble.Search(sys, opts, by)
	switch {
	case err != nil && strings.Contains(err.Error(), "race detector"):
		t.Skip(err)
	case err != nil:
		t.Fatal(err)
	case r.Verdict() != o.Expect:
		t.Fatalf("found is %s, and %s was expected\n%s", r.Verdict(), o.Expect, a.tell(r))
	case r.Stop.Early():
		t.Logf("%s: the search was cut short (%s)", sys.Name, r.Stop)
	}
	if testing.Verbose() {
		t.Log(a.tell(r))
	}
}

// retake takes the run of a path again.
func (a *reporter) retake(sys *sim.System, file string, by ensemble.Taker) {
	a.t.Helper()
	path, err := choose.Open(file)
	if err != nil {
		a.t.Fatal(err)
	}
	r, _, err := ensemble.Taken(sys, path, by)
	if err != nil {
		a.t.Fatalf("%s: %v", file, err)
	}
	var b strings.Builder
	if err := report.Replayed(&b, path, r, testing.Verbose()); err != nil {
		a.t.Fatal(err)
	}
	if r.Finding.Verdict != sim.VerdictNone {
		a.t.Fatal(b.String())
	}
	a.t.Log(b.String())
}
