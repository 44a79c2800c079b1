package rpc

import (
	"strings"
	"testing"

	"macemc/sim"
)

// If a node that was made without the layer gets a message of the layer, the report names the function that
// makes a node with the layer. It does not suggest to list the message's type, which is not exported.
func TestBareNode(t *testing.T) {
	type bare struct{}
	type add struct{}
	n := sim.Handle(sim.OnMessage(func(*bare, sim.Env, sim.Addr, add) {})).Node(&bare{})
	defer func() {
		u, is := recover().(sim.Unhandled)
		if !is || !strings.HasSuffix(u.Message, "only nodes of the layer rpc get it: make the node with the function Over of that package") {
			t.Errorf("it says %q", u.Message)
		}
	}()
	n.Deliver(nil, sim.Addr{}, request{})
}
