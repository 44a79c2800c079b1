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

// Ask returns the request by which the application asks a client for an operation. The numbers of a
// client's operations count up.
func Ask(id int, op any) sim.Signal { return put{id, op} }

// Members are the nodes of a service that are up, as far as is known, the one to ask first.
type Members []sim.Addr

// Send asks for a command, unless none is up.
func (m Members) Send(env sim.Env, c Command) {
	if len(m) > 0 {
		env.TCP().Send(m[0], request{c})
	}
}

// Without returns the members but one that is down.
func (m Members) Without(a sim.Addr) Members {
	return slices.DeleteFunc(slices.Clone(m), func(b sim.Addr) bool { return a == b })
}

const (
	free    machine.Name = "free"
	waiting machine.Name = "waiting"
)

// A Client has one command under way.
type Client struct {
	machine.Core
	service string // whose history it keeps; "" means of none
	up      Members
	command Command
}

// Clients is the table of a Client.
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

// Curt are clients with a known bug: they forget that they may be answered twice.
var Curt = Clients.Forget(free, machine.Messages(reply{})...)

// NewClient returns a client of the nodes of a service. It keeps a history of its operations if the service has a
// name.
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

// again asks once more: what the node that is down was to do is done by others.
func (c *Client) again(env sim.Env, e sim.PeerError) {
	c.down(env, e)
	c.ask(env)
}

// Finished returns the property that each client's operations are answered, of which it has a number.
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
