package chain

import (
	"slices"

	"macemc/layers/machine"
	"macemc/sim"
	"macemc/systems/service"
)

type ( // messages
	forward struct {
		Number  int
		Command service.Command
	}
	ack struct{ Number int }
)

const (
	head   machine.Name = "head"
	middle machine.Name = "middle"
	tail   machine.Name = "tail"
	alone  machine.Name = "alone"
)

// A replica has a history of commands. It keeps the commands that other replicas may lack.
type replica struct {
	machine.Core
	learner       service.Learner
	checked       bool            // it is a replica of System, which may have known bugs
	before, after service.Members // replicas that may be up, the nearest first
	length        int             // the length of the history
	acked         int             // the number of commands of the history that every replica that is up has
	kept          []service.Answered
	answers       service.Answers
}

// replicas has the handlers of a replica in each role. Every replica begins as the head; if that is not its place in
// the chain, it changes its role at once, in place.
var replicas = machine.Define("replica",
	machine.State[*replica]{
		Name: head, Entry: (*replica).place, May: roles,
		On:     machine.On(machine.OnMessage((*replica).request), machine.OnMessage((*replica).ack), machine.OnSignal((*replica).broken).May(roles...)),
		Ignore: late,
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
		Name:   alone,
		On:     machine.On(machine.OnMessage((*replica).request), machine.OnSignal((*replica).broken).May(roles...)),
		Ignore: late,
	},
)

// late are the messages that a head may still receive from a predecessor that is down. They exist only on real
// sockets, where a client can notice the end of the predecessor, and promote this replica, before they arrive.
// In a simulated run they are lost with the predecessor.
var late = machine.Messages(forward{})

var roles = []machine.Name{head, middle, tail, alone}

// place changes the role of the replica to that of its present place in the chain.
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

// request appends the command of a client to the history, at the head. If the command is acknowledged
// already, it sends the answer again.
func (r *replica) request(env sim.Env, _ sim.Addr, m service.Request) {
	switch {
	case !r.answers.Has(m.Command) || r.bug(env, CH3):
		r.append(env, m.Command)
	case !r.open(m.Command):
		r.answers[m.Command.Client].Send(env) // the answer was lost with the tail
	}
}

// open reports whether command c is in the part of the history that is not known to be
// acknowledged.
func (r *replica) open(c service.Command) bool {
	return slices.ContainsFunc(r.unacked(), func(k service.Answered) bool { return c.Same(k.Command) })
}

// unacked returns the last part of the history, which is not known to be acknowledged.
func (r *replica) unacked() []service.Answered { return r.kept[len(r.kept)-(r.length-r.acked):] }

// bug reports whether a known bug is switched on. Only System has these bugs, and not services that
// use replicas.
func (r *replica) bug(env sim.Env, id sim.BugID) bool { return r.checked && env.Bug(id) }

// promote handles a client's request at a replica that does not know yet that it is the head. The
// sender knows already that the replicas before it are down.
func (r *replica) promote(env sim.Env, from sim.Addr, m service.Request) {
	r.before = nil
	r.place(env)
	r.request(env, from, m)
}

// append appends a command to the history, and sends it to the next replica.
func (r *replica) append(env sim.Env, c service.Command) {
	a := service.Answered{Command: c, Value: r.learner.Apply(c)}
	r.kept, r.answers[c.Client] = append(r.kept, a), a
	r.length++
	if len(r.after) == 0 {
		r.settle(env)
		return
	}
	env.TCP().Send(r.after[0], forward{r.length, c})
	if r.bug(env, CH2) && len(r.before) > 0 {
		env.TCP().Send(r.before[0], ack{r.length})
	}
}

// settle makes the tail answer all commands of its history that were not acknowledged.
func (r *replica) settle(env sim.Env) {
	for _, a := range r.unacked() {
		a.Send(env)
	}
	r.acknowledged(r.length)
	r.acknowledge(env)
}

// acknowledged records that every replica that is up has the first n commands of the history. Of
// these commands, the replica keeps only the last one, which it needs when it gets another successor.
func (r *replica) acknowledged(n int) {
	r.acked = n
	if spare := len(r.kept) - (r.length - n) - 1; spare > 0 {
		r.kept = slices.Clone(r.kept[spare:])
	}
}

func (r *replica) acknowledge(env sim.Env) {
	if len(r.before) > 0 {
		env.TCP().Send(r.before[0], ack{r.acked})
	}
}

func (r *replica) forward(env sim.Env, _ sim.Addr, m forward) {
	switch {
	case m.Number > r.length || r.bug(env, CH4):
		r.append(env, m.Command)
	case m.Number <= r.acked:
		r.acknowledge(env) // to a predecessor that has not heard of it
	}
}

func (r *replica) ack(env sim.Env, _ sim.Addr, m ack) {
	if m.Number > r.acked {
		r.acknowledged(m.Number)
		r.acknowledge(env)
	}
}

// broken closes the gap in the chain that a replica has left by going down.
func (r *replica) broken(env sim.Env, e sim.PeerError) {
	successor := len(r.after) > 0 && r.after[0] == e.Peer
	r.before, r.after = r.before.Without(e.Peer), r.after.Without(e.Peer)
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
	case !r.bug(env, CH1): // the last that is acknowledged, too: so that a next successor that is down is noticed
		for k, a := range r.kept {
			env.TCP().Send(r.after[0], forward{r.length - len(r.kept) + k + 1, a.Command}) //macemc:allow result: what is not acknowledged is as many as there are clients
		}
	}
}

// answerAgain answers the last command of each client once more if it is acknowledged, since the
// answer may have been lost with the tail.
func (r *replica) answerAgain(env sim.Env) {
	for _, client := range r.answers.Clients() {
		if !r.open(r.answers[client].Command) {
			r.answers[client].Send(env)
		}
	}
}

// Learned implements service.Server.
func (r *replica) Learned() service.Learner { return r.learner }

// NewReplica returns replica number k, counted from 0, of a chain. The list of has all replicas of the
// chain, from the head to the tail. The replica applies the commands to its learner l.
func NewReplica(of []sim.Addr, k int, l service.Learner) sim.Node {
	return replicas.Node(newReplica(of, k, l))
}

func newReplica(of []sim.Addr, k int, l service.Learner) *replica {
	before := slices.Clone(of[:k])
	slices.Reverse(before)
	return &replica{learner: l, before: before, after: of[k+1:], answers: service.Answers{}}
}
