package guard

import (
	"strings"
	"testing"
)

// porter has a method that records the address of its caller.
type porter struct{ by []uintptr }

func (p *porter) Carry() bool {
	p.by = append(p.by, Caller(0))
	return true
}

// TestDropped checks that a call is identified by its caller, and that its result counts as dropped only if the
// calling statement does not use it.
func TestDropped(t *testing.T) {
	p := &porter{}
	p.Carry()
	_ = p.Carry()
	if p.Carry() {
		p.
			Carry()
	}
	for k, want := range []bool{true, false, false, true} {
		place, dropped := Dropped(p.by[k], "Carry")
		if dropped != want || !strings.HasPrefix(place, "guard/dropped_test.go:") {
			t.Errorf("call %d is at %s, and dropped: %v", k, place, dropped)
		}
		if _, dropped := Dropped(p.by[k], "Send"); dropped {
			t.Errorf("call %d is said to be of another method", k)
		}
	}
	if place, dropped := Dropped(0, "Carry"); dropped {
		t.Errorf("a call by nobody, at %s", place)
	}
}
