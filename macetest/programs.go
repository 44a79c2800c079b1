package macetest

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"macemc/choose"
	"macemc/internal/ensemble"
	"macemc/internal/search"
	"macemc/sim"
	"macemc/trace"
)

// programs searches a system that has programs with goroutines, in processes of this test that are built with
// the overlay.
func (a *reporter) programs(sys *sim.System, o Options) {
	t := a.t
	t.Helper()
	if err := o.honoured(sys); err != nil {
		t.Fatal(err)
	}
	if o.Walks == 0 {
		o.Walks = ensemble.Worlds
	}
	opts, err := o.search(sys, testing.Short())
	if err != nil {
		t.Fatal(err)
	}
	opts.Effort, opts.Workers, opts.Stop = 0, runtime.GOMAXPROCS(0), deadline(t)
	r, err := ensemble.Search(sys, opts, a.taker(o.NoShrink))
	switch {
	case err != nil:
		a.unbuilt(err)
	case r.Verdict() != o.Expect:
		if o.Expect == trace.VerdictNone {
			a.keep(r)
		}
		t.Fatalf("found is %s, and %s was expected\n%s", r.Verdict(), o.Expect, a.tell(r))
	case r.Stop.Early():
		t.Logf("%s: the search was cut short (%s)", sys.Name, r.Stop)
	}
	if testing.Verbose() {
		t.Log(a.tell(r))
	}
}

// ofPrograms lists the fields of Options that a search of programs uses.
var ofPrograms = []string{"Nodes", "Params", "Bugs", "Properties", "Faults", "Walks", "Walking", "Seed", "Prefix", "Engine", "Depth", "NoShrink", "Expect"}

// honoured returns an error if a field is set that a search of programs does not use.
func (o Options) honoured(sys *sim.System) error {
	for _, f := range reflect.VisibleFields(reflect.TypeOf(o)) {
		if f.Anonymous || reflect.ValueOf(o).FieldByIndex(f.Index).IsZero() || slices.Contains(ofPrograms, f.Name) {
			continue
		}
		return fmt.Errorf("macetest: %s has programs with goroutines, whose search takes runs and keeps no states: Options.%s is not for it; leave it out", sys.Name, f.Name)
	}
	return nil
}

// child takes runs if this process is a child that searches a system with programs. It reports
// whether it is one.
func (a *reporter) child(sys *sim.System) bool {
	if sys.Programs == nil {
		return false
	}
	is, err := ensemble.Child(func(string) (*sim.System, error) { return sys, nil })
	if err != nil {
		a.t.Fatal(err)
	}
	return is
}

func (a *reporter) taker(whole bool) ensemble.Taker {
	return ensemble.Taker{Test: a.t.Name(), NoShrink: whole}
}

// tape replays the tape of a run of programs.
func (a *reporter) tape(sys *sim.System, path *choose.Path) (*search.Replayed, error) {
	r, _, err := ensemble.Taken(sys, path, a.taker(false))
	if err != nil {
		a.unbuilt(err)
	}
	return r, nil
}

// unbuilt ends the test because err prevents its runs from being taken: it fails or skips
// the test.
func (a *reporter) unbuilt(err error) {
	a.t.Helper()
	if strings.Contains(err.Error(), "race detector") {
		a.t.Skip(err)
	}
	a.t.Fatal(err)
}
