package chain

import (
	"slices"

	"macemc/history"
	"macemc/layers/machine"
	"macemc/sim"
)

type put struct { // the application's request
	ID int
	Op any
}

// A Command is an operation that a client asks for. The replicated service defines Op; nil does
// nothing.
type Command struct {
	Client sim.Addr
	ID     int
	Op     any
}

// A Learner is the service that is replicated. It keeps nothing itself.
type Learner interface {
	// Apply returns what an operation comes to after other commands.
	Apply(before []Command, op any) (value any)
}

type ( // messages
	request struct {
		ID int
		Op any
	}
	reply struct {
		ID    int
		Value any
	}
	forward struct {
		Number  int
		Command Command
	}
	ack struct{ Number int }
)

const (
	free    machine.Name = "free"
	waiting machine.Name = "waiting"

	head   machine.Name = "head"
	middle machine.Name = "middle"
	tail   machine.Name = "tail"
	alone  machine.Name = "alone"
)

// A client has one command under way.
type client struct {
	machine.Core
	service string     // whose history it keeps; "" means of none
	up      []sim.Addr // replicas, the head first
	id      int
	op      any
}

var clients = machine.Define("client",
	machine.State[*client]{
		Name:   free,
		On:     machine.On(machine.OnSignal((*client).put).Goto(waiting), machine.OnSignal((*client).down)),
		Ignore: machine.Messages(reply{}),
	},
	machine.State[*client]{
		Name: waiting, Entry: (*client).ask,
		On:    machine.On(machine.OnMessage((*client).reply).May(free), machine.OnSignal((*client).again)),
		Defer: machine.Signals(put{}),
	},
)

func (c *client) put(env sim.Env, m put) {
	c.id, c.op = m.ID, m.Op
	if c.service != "" {
		history.Call(env, c.service, m.ID, m.Op)
	}
}

func (c *client) ask(env sim.Env) {
	if len(c.up) > 0 {
		env.TCP().Send(c.up[0], request{c.id, c.op})
	}
}

func (c *client) reply(env sim.Env, _ sim.Addr, m reply) {
	if m.ID == c.id {
		if c.service != "" {
			history.Return(env, c.service, m.ID, m.Value)
		}
		c.Goto(free)
	}
}

func (c *client) down(_ sim.Env, e sim.PeerError) { c.up = without(c.up, e.Peer) }

// again asks once more: what the replica that is down was to do is done by others.
func (c *client) again(env sim.Env, e sim.PeerError) {
	c.down(env, e)
	c.ask(env)
}

func without(set []sim.Addr, a sim.Addr) []sim.Addr {
	return slices.DeleteFunc(slices.Clone(set), func(b sim.Addr) bool { return a == b })
}

// A replica has a history of commands.
type replica struct {
	machine.Core
	learner       Learner    // nil means that commands come to nothing
	before, after []sim.Addr // replicas that may be up, by their distance
	history       []Command
	acked         int // commands of the history that every replica that is up has
}

// replicas begin as the head, which the others leave at once: see place.
var replicas = machine.Define("replica",
	machine.State[*replica]{
		Name: head, Entry: (*replica).place, May: roles,
		On: machine.On(machine.OnMessage((*replica).request), machine.OnMessage((*replica).ack), machine.OnSignal((*replica).broken).May(roles...)),
	},
	machine.State[*replica]{
		Name: middle,
		On: machine.On(
			machine.OnMessage((*replica).promote).May(roles...), machine.OnMessage((*replica).forward), machine.OnMessage((*replica).ack),
			machine.OnSignal((*replica).broken).May(roles...),
		),
	},
	machine.State[*replica]{
		Name: tail,
		On: machine.On(
			machine.OnMessage((*replica).promote).May(roles...), machine.OnMessage((*replica).forward),
			machine.OnSignal((*replica).broken).May(roles...),
		),
	},
	machine.State[*replica]{
		Name: alone,
		On:   machine.On(machine.OnMessage((*replica).request), machine.OnSignal((*replica).broken).May(roles...)),
	},
)

var roles = []machine.Name{head, middle, tail, alone}

// place goes to the role that the replica has.
func (r *replica) place(sim.Env) {
	role := head
	switch first, last := len(r.before) == 0, len(r.after) == 0; {
	case first && last:
		role = alone
	case last:
		role = tail
	case !first:
		role = middle
	}
	if !r.Is(role) {
		r.Goto(role)
	}
}

// request takes a command, at the head.
func (r *replica) request(env sim.Env, from sim.Addr, m request) {
	k := slices.IndexFunc(r.history, func(c Command) bool { return c.Client == from && c.ID == m.ID })
	switch {
	case k < 0 || r.bug(env, CH3):
		r.append(env, Command{from, m.ID, m.Op})
	case k < r.acked:
		r.answer(env, k) // the answer was lost with the tail
	}
}

// bug reports whether a known bug is switched on. They are System's, and not of services that have
// replicas.
func (r *replica) bug(env sim.Env, id sim.BugID) bool { return r.learner == nil && env.Bug(id) }

// answer answers the k-th command of the history.
func (r *replica) answer(env sim.Env, k int) {
	c := r.history[k]
	var value any
	if r.learner != nil {
		value = r.learner.Apply(r.history[:k], c.Op)
	}
	env.TCP().Send(c.Client, reply{c.ID, value})
}

// promote handles a request to a replica that is not the head yet: the client has seen those
// before it go down.
func (r *replica) promote(env sim.Env, from sim.Addr, m request) {
	r.before = nil
	r.place(env)
	r.request(env, from, m)
}

// append takes a command into the history, and sends it on.
func (r *replica) append(env sim.Env, c Command) {
	r.history = append(slices.Clone(r.history), c)
	if len(r.after) == 0 {
		r.settle(env)
		return
	}
	env.TCP().Send(r.after[0], forward{len(r.history), c})
	if r.bug(env, CH2) && len(r.before) > 0 {
		env.TCP().Send(r.before[0], ack{len(r.history)})
	}
}

// settle answers for all of the history that was not acknowledged, at the tail.
func (r *replica) settle(env sim.Env) {
	for k := r.acked; k < len(r.history); k++ {
		r.answer(env, k)
	}
	r.acked = len(r.history)
	r.acknowledge(env)
}

func (r *replica) acknowledge(env sim.Env) {
	if len(r.before) > 0 {
		env.TCP().Send(r.before[0], ack{r.acked})
	}
}

func (r *replica) forward(env sim.Env, _ sim.Addr, m forward) {
	switch {
	case m.Number > len(r.history) || r.bug(env, CH4):
		r.append(env, m.Command)
	case m.Number <= r.acked:
		r.acknowledge(env) // to a predecessor that has not heard of it
	}
}

func (r *replica) ack(env sim.Env, _ sim.Addr, m ack) {
	if m.Number > r.acked {
		r.acked = m.Number
		r.acknowledge(env)
	}
}

// broken closes the chain where a replica is down.
func (r *replica) broken(env sim.Env, e sim.PeerError) {
	successor := len(r.after) > 0 && r.after[0] == e.Peer
	r.before, r.after = without(r.before, e.Peer), without(r.after, e.Peer)
	r.place(env)
	switch {
	case !successor:
	case len(r.after) == 0:
		if !r.bug(env, CH8) {
			r.answerAgain(env)
		}
		if !r.bug(env, CH5) {
			r.settle(env)
		}
	case !r.bug(env, CH1):
		first := max(0, r.acked-1) // the last that is acknowledged, too: so that a next successor that is down is noticed
		for k, c := range r.history[first:] {
			env.TCP().Send(r.after[0], forward{first + k + 1, c}) //macemc:allow result: there are at most 10 commands
		}
	}
}

// answerAgain answers the last command of each client that is acknowledged: the answer may be lost with
// the tail. A client has one under way.
func (r *replica) answerAgain(env sim.Env) {
	answered := []sim.Addr(nil)
	for k := r.acked - 1; k >= 0; k-- {
		if c := r.history[k].Client; !slices.Contains(answered, c) {
			answered = append(answered, c)
			r.answer(env, k)
		}
	}
}
