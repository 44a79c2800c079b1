package lock

import (
	"os"
	"testing"

	"macemc/macetest"
	"macemc/sim"
	"macemc/trace"
)

func TestLock(t *testing.T) { macetest.Run(t, System, macetest.Options{}) }

func TestAskedTwice(t *testing.T) {
	macetest.Run(t, System, macetest.Options{Bugs: []sim.BugID{LK1}})
}

func TestKnown(t *testing.T) {
	macetest.Run(t, System, macetest.Options{Bugs: []sim.BugID{LK1}, Expect: trace.VerdictDead})
}

func TestExpected(t *testing.T) {
	macetest.Run(t, System, macetest.Options{Expect: trace.VerdictSafety})
}

func TestWrong(t *testing.T) {
	macetest.Run(t, System, macetest.Options{Params: []string{"colour=red"}})
}

func TestAll(t *testing.T) {
	for _, nodes := range []int{2, 3, 4} {
		t.Run(map[int]string{2: "two nodes", 3: "three", 4: "four"}[nodes], func(t *testing.T) {
			t.Parallel()
			o := macetest.Options{Nodes: nodes}
			if nodes == 4 {
				o.Bugs = []sim.BugID{LK1}
			}
			macetest.Run(t, System, o)
		})
	}
}

func TestRecorded(t *testing.T) { macetest.Replay(t, System, os.Getenv("RECORDED")) }

func TestRepaired(t *testing.T) {
	repaired := *System
	repaired.New = func(p sim.Params, self sim.Addr) sim.Node { return repairedHandlers.Node(&node{server: p.Addr(0)}) }
	macetest.Replay(t, &repaired, os.Getenv("RECORDED"))
}

// repairedHandlers are those of a node that never asks again.
var repairedHandlers = sim.Handle(
	sim.OnSignal((*node).begin), sim.OnSignal((*node).neverAgain), sim.OnSignal((*node).finish),
	sim.OnMessage((*node).ask), sim.OnMessage((*node).release), sim.OnMessage((*node).grant),
)

func (n *node) neverAgain(sim.Env, retry) {}

// slow is a system of so many states that a search of it does not come to its
// end in time.
type slow struct{ N [4]int }

type up int

func (*slow) Init(sim.Env)                           {}
func (*slow) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (s *slow) Offers(offer func(sim.Signal)) {
	for i := range s.N {
		offer(up(i))
	}
}
func (s *slow) Handle(_ sim.Env, u sim.Signal) { s.N[u.(up)] = (s.N[u.(up)] + 1) % 1000 }

func TestSlow(t *testing.T) {
	macetest.Run(t, &sim.System{
		Name: "slow", Doc: "It counts.",
		New:        func(sim.Params, sim.Addr) sim.Node { return &slow{} },
		Properties: []sim.Property{sim.Always("it counts", func(sim.View[*slow]) bool { return true })},
	}, macetest.Options{Transitions: 1 << 40})
}
