package counter

import (
	"macemc/history"
	"macemc/layers/rpc"
	"macemc/sim"
)

type ( // messages
	add   struct{}
	value struct{ n int }
)

type begin struct{} // the application's request

const object = "counter"

type server struct{ n int }

var servers = sim.Handle(sim.OnMessage((*server).add))

func (s *server) add(env sim.Env, _ sim.Addr, _ add) {
	s.n++
	rpc.Answer(env, value{s.n})
}

type client struct {
	server sim.Addr
	left   int
	busy   bool // an add has no answer yet
}

var clients = sim.Handle(
	sim.OnSignal((*client).begin), sim.OnSignal((*client).timedOut), sim.OnMessage((*client).value),
)

func (c *client) begin(env sim.Env, _ begin) { c.next(env) }

// next begins the client's next add, if there is one left.
func (c *client) next(env sim.Env) {
	if c.busy = c.left > 0; !c.busy {
		return
	}
	c.left--
	history.Call(env, object, c.left, "add") // first: a node that stores may crash in between
	rpc.Call(env, c.server, add{})
}

func (c *client) value(env sim.Env, _ sim.Addr, v value) {
	history.Return(env, object, c.left, v.n)
	c.next(env)
}

// timedOut goes on to the next add. It is not known whether the add that timed out took
// effect.
func (c *client) timedOut(env sim.Env, _ rpc.TimedOut) { c.next(env) }

// These are the parameters.
var (
	Adds     = &sim.Param{Name: "adds", Doc: "how often each client adds", Range: sim.Range{Default: 2, Least: 1, Most: 5}}
	Sessions = &sim.Param{Name: "sessions", Doc: "a client that crashes takes a new number from its stable storage, and adds again", Words: []string{"no", "yes"}}
	Tries    = &sim.Param{Name: "tries", Doc: "how often a request is sent; 0: until it is answered", Range: sim.Range{Default: 2, Least: 0, Most: 5}}
)

// adding is the sequential specification of the counter: each add returns the new value.
var adding = history.Object("counter", 0, func(n int, _ string) (int, int, bool) { return n + 1, n + 1, true })

// System is the counter.
var System = &sim.System{
	Name:      "counter",
	Doc:       "A counter on the first node that clients add to, over a layer of requests and answers. The adds are those of one counter.",
	Nodes:     func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 4} },
	Params:    []*sim.Param{Adds, Tries, Sessions},
	Bugs:      rpc.Bugs,
	Tolerates: sim.Faults{Loss: 1, Dup: 1, Reorder: 1},
	New: func(p sim.Params, self sim.Addr) sim.Node {
		o := rpc.Options{Tries: p.Int(Tries), Sessions: p.Word(Sessions) == "yes"}
		if self == p.Addr(0) {
			return rpc.Over(servers.Node(&server{}), o)
		}
		return rpc.Over(clients.Node(&client{server: p.Addr(0), left: p.Int(Adds)}), o)
	},
	Script: func(p sim.Params, self sim.Addr, life int) []sim.Signal {
		if self == p.Addr(0) || life > 0 && p.Word(Sessions) == "no" {
			return nil
		}
		return []sim.Signal{begin{}}
	},
	Properties: []sim.Property{
		history.Linearizable("the adds are those of one counter", adding),
		sim.Takes(sim.Eventually("every add ends", func(v sim.View[*client]) bool {
			for _, c := range v.Nodes() {
				if c.busy || c.left > 0 {
					return false
				}
			}
			return true
		}), func(c *client) any { return c.busy || c.left > 0 }),
	},
}
