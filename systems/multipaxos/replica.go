package multipaxos

import (
	"slices"

	"macemc/layers/machine"
	"macemc/sim"
	"macemc/systems/service"
)

// A replica is proposer, acceptor and learner in one node. It tries to become the leader when it
// gets a request, since the sender then believes that the replicas before it are down. If that is
// wrong, ballots decide.
type replica struct {
	proposer
	mute bool // a known bug of the systems that use it: see NewReplica
}

var replicas = machine.Define("replica",
	machine.State[*replica]{
		Name:   idle,
		On:     append(everywhere(), machine.OnMessage((*replica).request).May(preparing)),
		Ignore: machine.Messages(promise{}, refuse{}, accepted{}),
	},
	machine.State[*replica]{
		Name: preparing, Entry: func(r *replica, env sim.Env) { r.campaign(env) }, May: []machine.Name{leading},
		On: append(everywhere(idle, waiting),
			machine.OnMessage(func(r *replica, env sim.Env, from sim.Addr, m promise) { r.promise(env, from, m) }).May(leading),
			machine.OnMessage(func(r *replica, env sim.Env, from sim.Addr, m refuse) { r.refuse(env, from, m) }).May(waiting)),
		Ignore: machine.Messages(accepted{}),
		Defer:  machine.Messages(service.Request{}),
	},
	machine.State[*replica]{
		Name: leading, Entry: (*replica).lead,
		On: append(voting(idle, waiting),
			machine.OnMessage((*replica).decided),
			machine.OnMessage(func(r *replica, env sim.Env, from sim.Addr, m accepted) { r.accepted(env, from, m) }),
			machine.OnMessage(func(r *replica, env sim.Env, from sim.Addr, m refuse) { r.refuse(env, from, m) }).May(waiting),
			machine.OnMessage((*replica).command)),
		Ignore: machine.Messages(promise{}),
	},
	machine.State[*replica]{
		Name: waiting, Entry: func(r *replica, env sim.Env) { r.wait(env) },
		On:     everywhere(),
		Goto:   map[machine.Name][]machine.Event{preparing: machine.Signals(retry{})},
		Ignore: machine.Messages(promise{}, refuse{}, accepted{}),
		Defer:  machine.Messages(service.Request{}),
	},
)

// everywhere returns the handlers that a replica has in all states, which are those of an acceptor
// and a learner. yields are the states to which the leader may move when it hears of a higher
// ballot.
func everywhere(yields ...machine.Name) []machine.Handler[*replica] {
	return append(voting(yields...), machine.OnMessage(func(r *replica, _ sim.Env, _ sim.Addr, m decided) { r.log.learn(m) }))
}

func voting(yields ...machine.Name) []machine.Handler[*replica] {
	return machine.On(machine.OnMessage((*replica).prepared).May(yields...), machine.OnMessage((*replica).asked).May(yields...))
}

// NewReplica returns the k-th of the replicas in the list of. Fewer than half of them may fail. It applies
// the commands to its learner l. If mute is set, the replica has a known bug of the systems that use it:
// it does not answer commands that the previous leader has decided.
func NewReplica(of []sim.Addr, k int, l service.Learner, mute bool) sim.Node {
	others := slices.Delete(slices.Clone(of), k, k+1)
	return replicas.Node(&replica{mute: mute, proposer: proposer{
		acceptors: others, learners: others, rounds: 1 << 30, step: len(of), ballot: k + 1 - len(of), open: map[int]*slot{},
		own: &voter{votes: map[int]vote{}},
		log: &log{learner: l, answers: service.Answers{}, slots: map[int]service.Command{}},
	}})
}

// Learned implements service.Server.
func (r *replica) Learned() service.Learner { return r.log.learner }

// request makes a replica that does not lead prepare a ballot for the command of a client, unless the
// command was applied before.
func (r *replica) request(env sim.Env, _ sim.Addr, m service.Request) {
	if !r.again(env, m.Command) {
		r.pending = append(r.pending, m.Command)
		r.Goto(preparing)
	}
}

// command handles the command of a client at the leader.
func (r *replica) command(env sim.Env, _ sim.Addr, m service.Request) {
	if !r.again(env, m.Command) && !r.under(m.Command) {
		r.pending = append(r.pending, m.Command)
		r.assign(env)
	}
}

// again answers a command if it was applied before, and reports whether it was.
func (r *replica) again(env sim.Env, c service.Command) bool {
	if !r.log.answers.Has(c) {
		return false
	}
	r.answer(env, []service.Command{c})
	return true
}

// under reports whether command c is being decided.
func (r *replica) under(c service.Command) bool {
	for n := r.next - 1; n > r.learnt(); n-- {
		if s := r.open[n]; s != nil && c.Same(s.value) {
			return true
		}
	}
	return false
}

// decided makes the leader answer the commands that the previous leader has decided and for which
// clients ask again.
func (r *replica) decided(env sim.Env, _ sim.Addr, m decided) {
	if applied := r.log.learn(m); !r.mute {
		r.answer(env, applied)
	}
}

// lead begins to lead. It first answers the commands that were decided while the replica prepared
// its ballot.
func (r *replica) lead(env sim.Env) {
	r.pending = slices.DeleteFunc(r.pending, func(c service.Command) bool { return r.again(env, c) })
	r.proposer.lead(env)
}

func (r *replica) prepared(env sim.Env, from sim.Addr, m prepare) {
	r.own.prepared(env, from, m)
	r.yield()
}

func (r *replica) asked(env sim.Env, from sim.Addr, m accept) {
	r.own.asked(env, from, m)
	r.yield()
}

// yield ends the leadership of the replica because of a higher ballot. The replica prepares another
// ballot only if commands are left to decide.
func (r *replica) yield() {
	switch {
	case !r.Is(preparing, leading) || r.own.promised <= r.ballot:
	case len(r.pending) > 0 || r.next-1 > r.learnt():
		r.Goto(waiting)
	default:
		r.Goto(idle)
	}
}
