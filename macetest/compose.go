package macetest

import (
	"testing"

	"macemc/refine"
)

// Compose checks a system in which a parameter binds a part to an abstraction or to one of several
// implementations. It searches the system over the abstraction, as Run does, and checks that each
// implementation refines the abstraction. If both hold, the system's monitors are not violated over
// an implementation either, since they see only the facts that its nodes emit. This does not extend
// to liveness: for that, search the system over the implementation.
func Compose(t testing.TB, b refine.Binding, o Options) {
	t.Helper()
	a := newReporter(t)
	o.Params = append(append([]string{}, b.Settings...), o.Params...)
	a.run(b.System, o)
	if *replayFlag != "" {
		return
	}
	all, err := b.Check()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		switch {
		case !r.Included:
			t.Errorf("%s over %s does what it cannot do over %s: %s", b.System.Name, r.Over, b.Over.Words[0], r)
		case !r.Exact:
			t.Errorf("%s over %s has more than %d states, so whether it refines %s is not known; bound it, or set States", b.System.Name, r.Over, r.States[0], b.Over.Words[0])
		default:
			t.Logf("%s over %s: %s", b.System.Name, r.Over, r)
		}
	}
}
