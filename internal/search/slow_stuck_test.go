package search

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"macemc/sim"
	"macemc/trace"
)

// lag holds a call of a handler up until the handler is called once more, or the test lets it go.
type lag struct {
	calls atomic.Int64  // a run that is taken again may still call when the search is over
	at    int           // the call that is held up
	next  bool          // it goes on with the next call
	goes  chan struct{} // closed when it may go on
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

// lagging counts to three, and is held up on the way.
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

// A handler that is slow once is no finding, in whatever phase: the search finds that the
// handler returns when it is called again, and goes on to the same counts.
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

// A handler that does not return, but does when its run is taken again, does not do the
// same each time: that is the finding.
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
