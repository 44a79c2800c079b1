package search

import (
	"testing"

	"macemc/internal/search/internal/closure"
	"macemc/sim"
	"macemc/systems/handshake"
)

// A closure may look for alive states for long without running a handler. The monitor must not
// mistake this for a handler that does not return.
func TestSpreadingIsNoHandler(t *testing.T) {
	none := sim.Faults{}
	params, err := handshake.System.Configure(0, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, x := explored(t, handshake.System, Options{Params: params, Conditions: sim.Conditions{Faults: &none}, Engine: EngineMemo})
	g, err := closure.New(&r.owner, x)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if err := g.Resolve(x); err != nil {
		t.Fatal(err)
	}
	r.Pulse.On = true
	ran, felt := r.now().HandlerRuns, r.Pulse.Asked
	clear(g.Alive)
	if err := g.Spread(); err != nil {
		t.Fatal(err)
	}
	if r.now().HandlerRuns != ran {
		t.Fatalf("%d handlers ran: the test shows nothing", r.now().HandlerRuns-ran)
	}
	if r.Pulse.Asked == felt {
		t.Error("the monitor feels nothing of it")
	}
}
