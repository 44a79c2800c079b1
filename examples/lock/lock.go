// Package lock is a lock server, and clients that ask it for the lock. They
// ask by TCP, and once more when they have waited.
package lock

import (
	"fmt"
	"slices"
	"time"

	"macemc/sim"
)

// LK1 is a known bug: see System.
const LK1 sim.BugID = "LK1"

type ( // messages: client to server, and back
	ask     struct{}
	release struct{}
	grant   struct{}
)

type ( // signals: the application's request, a timer, a task
	begin  struct{}
	retry  struct{}
	finish struct{}
)

type node struct {
	server sim.Addr
	queue  []sim.Addr // at the server: who asked; the first holds the lock
	state  string     // of a client: "", waiting, holding or done
}

var handlers = sim.Handle(
	sim.OnSignal((*node).begin), sim.OnSignal((*node).retry), sim.OnSignal((*node).finish),
	sim.OnMessage((*node).ask), sim.OnMessage((*node).release), sim.OnMessage((*node).grant),
)

func (n *node) begin(env sim.Env, _ begin) {
	n.state = "waiting"
	env.TCP().Send(n.server, ask{})
	env.After(time.Second, retry{})
}

// retry asks once more. A client that asked without end would fill the buffer.
func (n *node) retry(env sim.Env, _ retry) { env.TCP().Send(n.server, ask{}) }

func (n *node) ask(env sim.Env, from sim.Addr, _ ask) {
	if slices.Contains(n.queue, from) && !env.Bug(LK1) {
		return // asked again
	}
	n.queue = append(n.queue, from)
	if len(n.queue) == 1 {
		env.TCP().Send(from, grant{})
	}
}

func (n *node) grant(env sim.Env, _ sim.Addr, _ grant) {
	if n.state == "waiting" {
		n.state = "holding"
		env.Cancel(retry{})
		env.Post(finish{})
	}
}

func (n *node) finish(env sim.Env, _ finish) {
	n.state = "done"
	env.TCP().Send(n.server, release{})
}

func (n *node) release(env sim.Env, _ sim.Addr, _ release) {
	n.queue = n.queue[1:]
	if len(n.queue) > 0 {
		env.TCP().Send(n.queue[0], grant{})
	}
}

// System is the value that macemc checks.
var System = &sim.System{
	Name: "lock",
	Doc:  "A lock server on the first node. One client holds the lock at a time, and every client gets it.",
	Bugs: []sim.Bug{{ID: LK1, Story: "A client that asks twice is queued twice. It is granted the lock when it does not want it any more."}},
	New:  func(p sim.Params, self sim.Addr) sim.Node { return handlers.Node(&node{server: p.Addr(0)}) },
	Script: func(p sim.Params, self sim.Addr, life int) []sim.Signal {
		if self == p.Addr(0) {
			return nil
		}
		return []sim.Signal{begin{}}
	},
	Properties: []sim.Property{
		sim.Always("at most one client holds the lock", func(v sim.View[*node]) bool { return count(v, "holding") <= 1 }),
		sim.Eventually("every client had the lock", func(v sim.View[*node]) bool { return count(v, "done") == v.Len()-1 },
			func(v sim.View[*node]) string { return fmt.Sprint(count(v, "waiting"), " waiting") }),
	},
}

func count(v sim.View[*node], state string) (n int) {
	for _, node := range v.Nodes() {
		if node.state == state {
			n++
		}
	}
	return n
}
