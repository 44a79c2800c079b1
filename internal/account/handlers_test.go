package account

import (
	"testing"

	"macemc/internal/search"
	"macemc/sim"
	"macemc/trace"
)

type (
	stall struct{ sold int }
	knock struct{}
)

func (s *stall) open(sim.Env) {} // stall open

func (s *stall) buy(sim.Env, sim.Addr, order) { s.sold++ } // stall buy

func (s *stall) knocked(sim.Env, knock) {} // stall knocked

var stalls = sim.Handle(sim.OnInit((*stall).open), sim.OnMessage((*stall).buy), sim.OnSignal((*stall).knocked))

var market = &sim.System{Name: "market", Doc: "A stall. It sells.",
	New: func(sim.Params, sim.Addr) sim.Node { return &carrier{stalls.Node(&stall{})} }} // market new

// If a service lists its handlers, the source of a step is the method, and no file is read for
// it.
func TestSourceOfHandlers(t *testing.T) {
	params, err := market.Configure(0, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	n0, n1 := params.Addr(0), params.Addr(1)
	all := NewSources(market, params)
	for _, c := range []struct {
		event sim.Event
		file  string
		mark  string
	}{
		{sim.Event{Node: n0, Kind: sim.KindMessage, From: n1, Value: order{}}, "handlers_test.go", "stall buy"},
		{sim.Event{Node: n0, Kind: sim.KindTimer, Value: knock{}}, "handlers_test.go", "stall knocked"},
		{sim.Event{Node: n0, Kind: sim.KindTimer, Value: resend{}}, "source_test.go", "carrier resend"},
	} {
		got := all.Handler(c.event)
		if got.File != "internal/account/"+c.file || got.Line != lineOf(t, c.file, c.mark) {
			t.Errorf("%v: %s:%d, want the line marked %q", c.event.Value, got.File, got.Line, c.mark)
		}
	}
	if len(all.files) > 1 {
		t.Errorf("%d files were read", len(all.files))
	}
	stack := "macemc/sim.(*handled[...]).unhandled\n\t/somewhere/sim/handlers.go:12\n"
	if got := all.Of(&search.Finding{Failure: trace.Failure{Stack: stack}, Trace: &trace.Trace{}}); got.Line != lineOf(t, "handlers_test.go", "market new") {
		t.Errorf("what nobody handles: %s:%d", got.File, got.Line)
	}
}
