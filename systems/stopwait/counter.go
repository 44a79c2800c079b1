package stopwait

import "macemc/sim"

// start is the application's request: send the increments.
type start struct{}

// increment is a message with its number among those from the same sender.
type increment struct{ number int }

// counted is the fact that an increment was counted.
type counted struct {
	from   sim.Addr
	number int
}

// counter sends increments to its peers, and counts those that arrive.
type counter struct {
	increments int // number to send to each peer
	sent       map[sim.Addr]int
	got        map[sim.Addr]int
}

var counters = sim.Handle(sim.OnSignal((*counter).start), sim.OnMessage((*counter).increment))

func newCounter(increments int) sim.Node {
	return counters.Node(&counter{increments: increments, sent: map[sim.Addr]int{}, got: map[sim.Addr]int{}})
}

func (c *counter) start(env sim.Env, _ start) {
	for _, peer := range env.Peers() {
		for range c.increments {
			c.sent[peer]++
			env.TCP().Send(peer, increment{c.sent[peer]}) //macemc:allow result: the layer below refuses nothing
		}
	}
}

func (c *counter) increment(env sim.Env, from sim.Addr, m increment) {
	c.got[from]++
	env.Emit(counted{from, m.number})
}
