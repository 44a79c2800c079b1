package search

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"macemc/sim"
	"macemc/trace"
)

// lag delays one call of a handler, until the handler is called once more or the test ends the delay.
type lag struct {
	calls atomic.Int64  // number of calls; atomic, since a repeated run may still call when the search is over
	at    int           // the number of the call that is delayed
	next  bool          // the next call ends the delay
	goes  chan struct{} // closed to end the delay
}

func newLag(at int, next bool) *lag { return &lag{at: at, next: next, goes: make(chan struct{})} }

func (l *lag) call() {
	switch n := int(l.calls.Add(1)); {
	case n == l.at:
		<-l.goes
	case n == l.at+1 && l.next:
		close(l.goes)
	}
}

type lagged struct{}

// lagging counts to three. Its lag delays one of its steps.
type lagging struct {
	N   int
	lag *lag
}

func (n *lagging) Init(env sim.Env)                     { env.Post(lagged{}) }
func (*lagging) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (n *lagging) Handle(env sim.Env, _ sim.Signal) {
	n.lag.call()
	if n.N++; n.N < 3 {
		env.Post(lagged{})
	}
}

func laggingSystem(l *lag) *sim.System {
	return &sim.System{
		Name: "lagging", Doc: "It is held up.", Opaque: []string{"macemc/internal/search.lagging.lag"},
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
		New:   func(sim.Params, sim.Addr) sim.Node { return &lagging{lag: l} },
	}
}

// TestStuckIsSlow: a handler that is slow once is no finding, in any phase. The search finds out that
// the handler returns when it is called again, and goes on to the same counts as without the delay.
func TestStuckIsSlow(t *testing.T) {
	for _, c := range []struct {
		engine Engine
		at     int
	}{{EngineReference, 2}, {EngineReference, 40}, {EngineLocal, 2}, {EngineLocal, 20}, {EngineMemo, 2}, {EngineMemo, 20}} {
		opts := Options{Engine: c.engine, once: true, NoWalks: true}
		want, err := Search(laggingSystem(newLag(0, true)), opts)
		if err != nil {
			t.Fatal(err)
		}
		l := newLag(c.at, true)
		opts.Stuck, opts.OnStuck = 40*time.Millisecond, func(r *Result) {
			t.Errorf("%s, call %d: a slow handler is a finding: %v", c.engine, c.at, r.Finding)
			close(l.goes)
		}
		got, err := Search(laggingSystem(l), opts)
		if err != nil {
			t.Fatal(err)
		}
		if n := l.calls.Load(); int(n) <= c.at {
			t.Errorf("%s: the handler is called %d times, and call %d was to be held up", c.engine, n, c.at)
		}
		if got.Finding != nil || got.Safety != want.Safety || got.Stats != want.Stats {
			t.Errorf("%s, call %d: found %v, %+v, %+v, want %+v, %+v", c.engine, c.at, got.Finding, got.Safety, got.Stats, want.Safety, want.Stats)
		}
	}
}

// TestStuckOnce: if a handler does not return, but returns when its run is taken again, the search
// reports nondeterminism.
func TestStuckOnce(t *testing.T) {
	l := newLag(3, false)
	var told *Result
	_, err := Search(laggingSystem(l), Options{NoWalks: true, Stuck: 40 * time.Millisecond, OnStuck: func(r *Result) {
		told = r
		close(l.goes)
	}})
	if err != nil {
		t.Fatal(err)
	}
	if told == nil || told.Finding.Verdict != trace.VerdictNondeterminism || !strings.Contains(told.Finding.Message, "(chan receive)") || !strings.Contains(told.Finding.Stack, "(*lag).call") {
		t.Fatalf("told is %+v", told)
	}
}
