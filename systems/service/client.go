package service

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

// Ask returns the signal by which the application asks a client for operation op. The operations of
// a client are numbered in ascending order.
func Ask(id int, op any) sim.Signal { return put{id, op} }

// Members are the nodes of a service that may be up, in the order in which a client asks them.
type Members []sim.Addr

// Send sends command c to the first member, if there is any.
func (m Members) Send(env sim.Env, c Command) {
	if len(m) > 0 {
		env.TCP().Send(m[0], request{c})
	}
}

// Without returns the members without node a.
func (m Members) Without(a sim.Addr) Members {
	return slices.DeleteFunc(slices.Clone(m), func(b sim.Addr) bool { return a == b })
}

const (
	free    machine.Name = "free"
	waiting machine.Name = "waiting"
)

// A Client asks a service for operations, one at a time.
type Client struct {
	machine.Core
	service string // the service whose history it records; "" means that it records none
	up      Members
	command Command
}

// Clients has the handlers of the states of a Client.
var Clients = machine.Define("client",
	machine.State[*Client]{
		Name:   free,
		On:     machine.On(machine.OnSignal((*Client).put).Goto(waiting), machine.OnSignal((*Client).down)),
		Ignore: machine.Messages(reply{}),
	},
	machine.State[*Client]{
		Name: waiting, Entry: (*Client).ask,
		On:    machine.On(machine.OnMessage((*Client).reply).May(free), machine.OnSignal((*Client).again)),
		Defer: machine.Signals(put{}),
	},
)

// Curt has the handlers of clients with a known bug: they do not handle a second answer to a
// request.
var Curt = Clients.Forget(free, machine.Messages(reply{})...)

// NewClient returns a client of a service. The list of has the nodes of the service. If name is not
// "", the client records a history of its operations under that name.
func NewClient(name string, of []sim.Addr) *Client { return &Client{service: name, up: of} }

func (c *Client) put(env sim.Env, m put) {
	c.command = Command{Client: env.Self(), ID: m.ID, Op: m.Op, Front: env.Self()}
	if c.service != "" {
		history.Call(env, c.service, m.ID, m.Op)
	}
}

func (c *Client) ask(env sim.Env) { c.up.Send(env, c.command) }

func (c *Client) reply(env sim.Env, _ sim.Addr, m reply) {
	if m.ID != c.command.ID {
		return
	}
	if c.service != "" {
		history.Return(env, c.service, m.ID, m.Value)
	}
	c.Goto(free)
}

func (c *Client) down(_ sim.Env, e sim.PeerError) { c.up = c.up.Without(e.Peer) }

// again handles the failure of a member while the client waits for an answer: it removes the member from
// the list, and sends the command to the first of the others.
func (c *Client) again(env sim.Env, e sim.PeerError) {
	c.down(env, e)
	c.ask(env)
}

// Finished returns the property that all operations of each client are answered in the end.
// operations returns the number of operations of a client.
func Finished(name string, operations func(sim.Params) int) sim.Property {
	return sim.Takes(sim.Eventually(name, func(v sim.View[*Client]) bool {
		for _, c := range v.Nodes() {
			if !c.Is(free) || c.command.ID != operations(v.Params()) {
				return false
			}
		}
		return true
	}), (*Client).idle)
}

// idle returns the number of the client's last operation, or nil while it waits for an answer.
func (c *Client) idle() any {
	if c.Is(free) {
		return c.command.ID
	}
	return nil
}
