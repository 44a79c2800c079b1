package rpc

import (
	"strings"
	"testing"

	"macemc/sim"
)

// If a node that does not stand on the layer gets one of its messages, what is reported names the function
// that makes such a node, and not a type that nobody can list.
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
