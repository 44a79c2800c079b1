package eventgraph_test

import (
	"os"

	"macemc/eventgraph"
	"macemc/sim"
	"macemc/trace"
)

type ask struct{}

// A graph is made of the steps of a trace. Here a client asks a server, which gets the
// message in the next step.
func ExampleGraph_Text() {
	nodes := sim.Params{Nodes: 2}.Addrs()
	trace := &trace.Trace{Steps: []trace.Step{
		{
			Index: 1, Node: nodes[1], Identity: "n1 script ask{}", Causes: []int{0},
			Event:   sim.Event{Kind: sim.KindScript, Node: nodes[1], Value: ask{}},
			Effects: []trace.Effect{{Kind: trace.EffectSend, Link: sim.LinkTCP, To: nodes[0], Value: ask{}, Number: 1}},
		},
		{
			Index: 2, Node: nodes[0], Identity: "n0 message ask{} from n1 by tcp", Causes: []int{1}, Took: []int{1},
			Event: sim.Event{Kind: sim.KindMessage, Node: nodes[0], From: nodes[1], Link: sim.LinkTCP, Value: ask{}},
		},
	}}
	graph := eventgraph.New(trace, func(any) string { return "ask{}" }, eventgraph.Marks{Title: "a question"})
	if err := graph.Text(os.Stdout, eventgraph.TextOptions{}); err != nil {
		panic(err)
	}
	// Output:
	// a question
	//
	// step     n0      n1
	//   1      │       ●     n1 script ask{}
	//          │◁──────┤       send ask{} to n0 by tcp  #1 delivered at 2
	//   2      ●◀━━━━━━┥     n0 message ask{} from n1 by tcp  #1 sent at 1
	//
	// ● step   ◁──┤ sent   ◀━━┥ delivered
}
