package rpc_test

import (
	"strings"
	"testing"

	"macemc/layers/rpc"
	"macemc/sim"
)

type silent struct{}

func (silent) Init(sim.Env)                           {}
func (silent) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (silent) Handle(sim.Env, sim.Signal)             {}

// A system is refused before it is searched if it does not list the known bugs of its
// layers. The error says what to write.
func TestBugsOfLayersAreListed(t *testing.T) {
	sys := &sim.System{Name: "silent", Doc: "It does nothing.", New: func(sim.Params, sim.Addr) sim.Node { return rpc.Over(silent{}, rpc.Options{}) }}
	err := sys.Validate(sim.Params{})
	if err == nil || !strings.Contains(err.Error(), "*rpc.Layer has the known bug RP1, which System.Bugs does not list; write Bugs: append(rpc.Bugs, ...)") {
		t.Error(err)
	}
	if sys.Bugs = rpc.Bugs; sys.Validate(sim.Params{}) != nil {
		t.Error(sys.Validate(sim.Params{}))
	}
}
