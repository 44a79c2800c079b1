package broadcast_test

import (
	"fmt"

	"macemc/layers/broadcast"
	"macemc/sim"
)

type word struct{ text string }

type say struct{}

// speaker broadcasts a word when its script asks for it, and counts the words that it hears.
type speaker struct{ heard int }

func (s *speaker) say(env sim.Env, _ say)       { broadcast.Send(env, word{"hello"}) }
func (s *speaker) word(sim.Env, sim.Addr, word) { s.heard++ }

// Over puts the layer below a node. The system lists the layer's known bugs.
func ExampleOver() {
	handlers := sim.Handle(sim.OnSignal((*speaker).say), sim.OnMessage((*speaker).word))
	sys := &sim.System{
		Name:   "speakers",
		Doc:    "Every node says a word to all.",
		New:    func(sim.Params, sim.Addr) sim.Node { return broadcast.Over(handlers.Node(&speaker{})) },
		Script: func(sim.Params, sim.Addr, int) []sim.Signal { return []sim.Signal{say{}} },
	}
	params, _ := sys.Configure(3, nil, nil)
	fmt.Println(sys.Validate(params))
	sys.Bugs = broadcast.Bugs
	fmt.Println(sys.Validate(params))
	// Output:
	// system speakers: *broadcast.Layer has the known bug BC1, which System.Bugs does not list; write Bugs: append(broadcast.Bugs, ...)
	// <nil>
}
