package macetest

import (
	"testing"

	"macemc/refine"
)

// Compose checks a system of which a parameter binds a part to an abstraction or to
// implementations. It searches the system over the abstraction, as Run does, and checks that each
// implementation refines the abstraction. If both hold, the monitors of the system, which see nothing but the facts
// that its nodes emit, are not violated over an implementation either. That is not said of liveness: search the system
// over the implementation for it.
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
			t.Errorf("%s over %s has more than %d states, so that it refines %s is not known; bound it, or set States", b.System.Name, r.Over, r.States[0], b.Over.Words[0])
		default:
			t.Logf("%s over %s: %s", b.System.Name, r.Over, r)
		}
	}
}
