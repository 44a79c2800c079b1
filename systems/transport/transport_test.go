package transport

import (
	"fmt"
	"strings"
	"testing"

	"macemc/internal/long"
	"macemc/internal/search"
	"macemc/macetest"
	"macemc/sim"
)

// exhaust searches the whole space.
func exhaust(t *testing.T, faults string, params ...string) *search.Result {
	t.Helper()
	p, err := System.Configure(0, params, nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := sim.ParseFaults(faults)
	if err != nil {
		t.Fatal(err)
	}
	r, err := search.Search(System, search.Options{Params: p, Conditions: sim.Conditions{Faults: &f}, Depth: 10_000, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.Finding != nil {
		t.Fatalf("found is %s: %s: %s", r.Finding.Verdict, r.Finding.Property, r.Finding.Message)
	}
	return r
}

// All states of the correct transport are safe, and a live state can be reached from each. At most two
// datagrams are under way in each direction, and timers may fire at any time.
func TestExhausted(t *testing.T) {
	one := []string{"senders=1", "messages=2"}
	for _, c := range []struct {
		faults string
		params []string
		states int
	}{
		{"loss=1", one, 830},
		{"reorder=1", one, 840},
		{"dup=1", one, 1_000},
		{"rare=2,reorder=1", one, 9_000},
		{"crash=1,reorder=1", one, 9_391},
		{"loss=1,dup=1,reorder=1,rare=1", one, 17_954},
		{"reorder=1", []string{"senders=1", "messages=1", "fragments=3"}, 2_350},
		{"reorder=1", []string{"senders=1", "messages=3", "buffer=2"}, 4_740},
		{"none", []string{"messages=2"}, 26_474}, // both send
		// A connection goes on for longer than its numbers are its own.
		{"rare=1", []string{"senders=1", "messages=2", "span=1"}, 1_258},
		{"crash=1,reorder=1", []string{"senders=1", "messages=3", "span=2"}, 26_671},
		{"rare=1,reorder=1", []string{"senders=1", "messages=3", "span=1"}, 7_920},
	} {
		if !*long.On && c.states > 5_000 {
			continue
		}
		t.Run(fmt.Sprint(c.faults, " ", strings.Join(c.params, " ")), func(t *testing.T) {
			r := exhaust(t, c.faults, c.params...)
			if r.Safety.State != search.StateExhausted || r.Liveness.State != search.StateExhausted || r.Stats.States != c.states {
				t.Errorf("safety is %s and liveness %s over %d states; want exhausted over %d", r.Safety.State, r.Liveness.State, r.Stats.States, c.states)
			}
		})
	}
}

// The application never gets a message of an earlier incarnation after one of a later incarnation. With MT3 it
// does.
func TestIncarnations(t *testing.T) {
	p, err := System.Configure(2, []string{"senders=1", "messages=2"}, []string{"MT3"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := search.Search(System, search.Options{Params: p, Conditions: sim.Conditions{Faults: &sim.Faults{Reorder: 1, Rare: 1}}, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if f := r.Finding; f == nil || f.Property != "incarnations come in order" || f.Step != 4 {
		t.Errorf("found is %+v; want a run of 4 steps to an incarnation before one that was heard", f)
	}
}

// Walks in which all kinds of faults may happen together find nothing.
func TestWalks(t *testing.T) {
	faults := &sim.Faults{Crash: 2, Loss: 2, Dup: 2, Reorder: 2, Rare: 2}
	for _, nodes := range []int{2, 3} {
		macetest.Run(t, System, macetest.Options{
			Nodes: nodes, Params: []string{"messages=4", "fragments=2"}, Conditions: sim.Conditions{Faults: faults},
			Transitions: long.Of(1_000, 5_000), Walks: long.Of(40, 150),
		})
	}
}
