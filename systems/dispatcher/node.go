package dispatcher

import (
	"slices"
	"time"

	"macemc/layers/machine"
	"macemc/sim"
)

type ( // the application's requests
	ask      struct{ ID int } // for the dispatcher
	handover struct{}         // for the head
)

// A view is a membership: it says which replica is the head, and which requests were applied before that
// replica became the head.
type view struct {
	Version int
	Head    sim.Addr
	Applied []int
}

type ( // messages
	forward struct {
		ID   int
		View view // the view of the dispatcher
	}
	reply struct{ ID int }
	moved struct {
		ID   int
		View view // the view of the replica
	}
	take   struct{ View view } // from a head that hands over
	update struct{ View view } // from the dispatcher
)

type (
	again   struct{} // a timer
	follows struct{} // a task
)

// These are the facts that nodes emit for the monitors.
type (
	Asked    struct{ ID int }
	Applied  struct{ ID int }
	Answered struct{ ID int }
)

const (
	idle    machine.Name = "idle"
	waiting machine.Name = "waiting"
	moving  machine.Name = "moving"

	head   machine.Name = "head"
	backup machine.Name = "backup"
)

// A dispatcher handles one request at a time.
type dispatcher struct {
	machine.Core
	replicas []sim.Addr
	view     view
	id       int
}

var dispatchers = machine.Define("dispatcher",
	machine.State[*dispatcher]{
		Name: idle, On: machine.On(machine.OnSignal((*dispatcher).ask).Goto(waiting)), Ignore: machine.Messages(reply{}, moved{}),
	},
	machine.State[*dispatcher]{
		Name: waiting, Entry: (*dispatcher).send, Exit: (*dispatcher).rest,
		On: machine.On(
			machine.OnMessage((*dispatcher).reply).May(idle), machine.OnMessage((*dispatcher).moved).May(moving), machine.OnSignal((*dispatcher).again),
		),
		Defer: machine.Signals(ask{}),
	},
	machine.State[*dispatcher]{ // requests that have arrived meanwhile are handled first
		Name: moving, Entry: func(_ *dispatcher, env sim.Env) { env.Post(follows{}) },
		Goto:   map[machine.Name][]machine.Event{waiting: machine.Signals(follows{})},
		Ignore: machine.Messages(moved{}),
		Defer:  slices.Concat(machine.Signals(ask{}), machine.Messages(reply{})),
	},
)

func (d *dispatcher) ask(env sim.Env, m ask) {
	d.id = m.ID
	env.Emit(Asked(m))
}

func (d *dispatcher) send(env sim.Env) {
	m := forward{ID: d.id, View: d.view}
	if env.Bug(DP1) {
		m.View.Version = 0
	}
	env.UDP().Send(d.view.Head, m)
	if !env.Bug(DP6) || d.view.Version == 1 {
		env.After(time.Second, again{})
	}
}

func (d *dispatcher) rest(env sim.Env) { env.Cancel(again{}) }

func (d *dispatcher) reply(env sim.Env, _ sim.Addr, m reply) {
	if m.ID == d.id || env.Bug(DP4) {
		env.Emit(Answered{d.id})
		d.Goto(idle)
	}
}

func (d *dispatcher) moved(env sim.Env, _ sim.Addr, m moved) {
	if m.View.Version > d.view.Version || env.Bug(DP1) && m.ID == d.id && m.View.Head != d.view.Head {
		d.view = m.View
		d.Goto(moving)
	}
}

func (d *dispatcher) again(env sim.Env, _ again) {
	if env.Bug(DP1) { // all hear of it, whoever is behind
		for _, r := range d.replicas {
			env.UDP().Send(r, update{d.view})
		}
	}
	d.send(env)
}

// A replica applies requests while it is the head.
type replica struct {
	machine.Core
	peer    sim.Addr
	view    view
	applied []int
}

var replicas = machine.Define("replica",
	machine.State[*replica]{
		Name: backup, Entry: (*replica).begin, May: []machine.Name{head},
		On: machine.On(
			machine.OnMessage((*replica).forward).May(head), machine.OnMessage((*replica).take).May(head), machine.OnMessage((*replica).update).May(head),
		),
		Ignore: machine.Signals(handover{}),
	},
	machine.State[*replica]{
		Name: head,
		On: machine.On(
			machine.OnMessage((*replica).apply), machine.OnSignal((*replica).handover).May(backup),
		),
		Ignore: machine.Messages(take{}, update{}),
	},
)

// begin makes the first replica the head when its life begins.
func (r *replica) begin(env sim.Env) {
	if r.view.Head == env.Self() {
		r.Goto(head)
	}
}

func (r *replica) apply(env sim.Env, from sim.Addr, m forward) {
	if !slices.Contains(r.applied, m.ID) || env.Bug(DP2) {
		r.applied = append(slices.Clone(r.applied), m.ID)
		env.Emit(Applied{m.ID})
	}
	env.UDP().Send(from, reply{m.ID})
}

// forward handles a request at a replica that is not the head. If the request's view is newer and
// says that this replica is the head, the replica becomes the head and applies the request.
func (r *replica) forward(env sim.Env, from sim.Addr, m forward) {
	if r.learn(env, m.View); r.view.Head == env.Self() {
		r.apply(env, from, m)
		return
	}
	env.UDP().Send(from, moved{m.ID, r.view})
}

// learn adopts view v if it is newer.
func (r *replica) learn(env sim.Env, v view) {
	if v.Version <= r.view.Version && !env.Bug(DP5) {
		return
	}
	r.view = v
	if r.applied = v.Applied; v.Head == env.Self() {
		r.Goto(head)
	}
}

func (r *replica) take(env sim.Env, _ sim.Addr, m take)     { r.learn(env, m.View) }
func (r *replica) update(env sim.Env, _ sim.Addr, m update) { r.learn(env, m.View) }

func (r *replica) handover(env sim.Env, _ handover) {
	r.view = view{r.view.Version + 1, r.peer, r.applied}
	env.UDP().Send(r.peer, take{r.view})
	if !env.Bug(DP3) {
		r.Goto(backup)
	}
}
