// Package backup is a primary that keeps what a client puts, and a backup that has
// a copy of it. Datagrams may be lost.
package backup

import (
	"time"

	"macemc/sim"
)

// The known bugs are one of each kind: see System.
const (
	PB1 sim.BugID = "PB1"
	PB2 sim.BugID = "PB2"
	PB3 sim.BugID = "PB3"
)

type ( // signals: the application's request, and two timers
	begin  struct{}
	again  struct{}
	recopy struct{}
)

type ( // messages
	put    struct{ Value int }
	cp     struct{ Value int }
	copied struct{}
	done   struct{}
)

type node struct {
	primary, backup, client sim.Addr

	Value int  // at the primary and the backup
	Safe  bool // at the primary: the backup has it
	Done  bool // at the client: it has got the answer
}

var handlers = sim.Handle(
	sim.OnSignal((*node).begin), sim.OnSignal((*node).again), sim.OnSignal((*node).recopy),
	sim.OnMessage((*node).put), sim.OnMessage((*node).cp), sim.OnMessage((*node).copied), sim.OnMessage((*node).done),
)

func (n *node) begin(env sim.Env, _ begin) {
	env.UDP().Send(n.primary, put{7})
	env.After(time.Second, again{})
}

func (n *node) again(env sim.Env, _ again) {
	env.UDP().Send(n.primary, put{7})
	env.After(time.Second, again{})
}

func (n *node) put(env sim.Env, _ sim.Addr, m put) {
	switch {
	case n.Safe:
		env.UDP().Send(n.client, done{}) // the first was lost
		return
	case n.Value == m.Value:
		return // it is under way
	}
	n.Value = m.Value
	env.UDP().Send(n.backup, cp(m))
	if !env.Bug(PB2) {
		env.After(time.Second, recopy{})
	}
	if env.Bug(PB1) {
		env.UDP().Send(n.client, done{})
	}
}

func (n *node) recopy(env sim.Env, _ recopy) {
	env.UDP().Send(n.backup, cp{n.Value})
	env.After(time.Second, recopy{})
}

func (n *node) cp(env sim.Env, from sim.Addr, m cp) {
	n.Value = m.Value
	env.UDP().Send(from, copied{})
}

func (n *node) copied(env sim.Env, _ sim.Addr, _ copied) {
	if n.Safe {
		if env.Bug(PB3) {
			panic("copied, and nobody waits for it")
		}
		return
	}
	n.Safe = true
	env.Cancel(recopy{})
	env.UDP().Send(n.client, done{})
}

func (n *node) done(env sim.Env, _ sim.Addr, _ done) {
	n.Done = true
	env.Cancel(again{})
}

// System is what macemc checks.
var System = &sim.System{
	Name:      "backup",
	Doc:       "A primary, its backup, and a client that puts a value.",
	Nodes:     func(sim.Params) sim.Range { return sim.Range{Default: 3, Least: 3, Most: 3} },
	Tolerates: sim.Faults{Loss: 1},
	Bugs: []sim.Bug{
		{ID: PB1, Story: "The primary answers before the backup has the value."},
		{ID: PB2, Story: "The primary copies the value once. If that is lost, nobody copies it again."},
		{ID: PB3, Story: "The primary takes a second answer of the backup for an error, and there is one if it copied twice."},
	},
	New: func(p sim.Params, self sim.Addr) sim.Node {
		return handlers.Node(&node{primary: p.Addr(0), backup: p.Addr(1), client: p.Addr(2)})
	},
	Script: func(p sim.Params, self sim.Addr, life int) []sim.Signal {
		if self == p.Addr(2) {
			return []sim.Signal{begin{}}
		}
		return nil
	},
	Properties: []sim.Property{
		sim.Always("what the client was told is at the backup", func(v sim.View[*node]) bool {
			told, there := false, false
			for a, n := range v.Nodes() {
				told = told || n.Done
				there = there || a == n.backup && n.Value != 0
			}
			return there || !told
		}),
		sim.Eventually("the client was told", func(v sim.View[*node]) bool {
			for _, n := range v.Nodes() {
				if n.Done {
					return true
				}
			}
			return false
		}),
	},
}
