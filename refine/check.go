package refine

import (
	"cmp"
	"fmt"
	"strings"

	"macemc/sim"
)

// A Side is a system with its parameters and conditions.
type Side struct {
	System *sim.System
	Params sim.Params // made by Configure
	sim.Conditions
}

// Options say what is compared. The zero value compares all facts.
type Options struct {
	// Shows returns the text of a fact if it belongs to the interface, and else "". If
	// Shows is nil, every fact belongs to it, with the node and the fact as Go prints them.
	Shows func(at sim.Addr, fact any) string
	// States is the number of states of each side that are explored; 0 means 50,000.
	States int
}

// A Result is the outcome of a Check.
type Result struct {
	Included bool
	Exact    bool     // the answer is certain: a trace was found that differs, or every state of the implementation was explored
	Trace    []string // a shortest trace that differs: the abstraction cannot show its last fact
	Run      []string // the steps of the implementation that lead to the trace
	States   [2]int   // the numbers of states of the implementation and of the abstraction
}

// Check reports whether every trace of the implementation is a trace of the abstraction.
func Check(implementation, abstraction Side, o Options) (*Result, error) {
	if o.Shows == nil {
		o.Shows = func(at sim.Addr, fact any) string { return fmt.Sprintf("%s %T%v", at, fact, fact) }
	}
	o.States = cmp.Or(o.States, 50_000)
	shared := &labels{number: map[string]int{}}
	of, err := explore(implementation, o.States, o.Shows, shared)
	if err != nil {
		return nil, err
	}
	in, err := explore(abstraction, o.States, o.Shows, shared)
	if err != nil {
		return nil, err
	}
	if !in.whole {
		return nil, fmt.Errorf("%s, the abstraction, has more than %d states; bound it, or set States", abstraction.System.Name, o.States)
	}
	run, included := Included(of.Graph, in.Graph)
	r := &Result{Included: included, Exact: of.whole || !included, States: [2]int{len(of.Graph), len(in.Graph)}}
	for _, step := range run {
		r.Run = append(r.Run, of.steps[step])
		if e := of.Graph[step.State][step.Edge]; e.Label != Silent {
			r.Trace = append(r.Trace, shared.texts[e.Label])
		}
	}
	return r, nil
}

func (r *Result) String() string {
	switch {
	case r.Included && r.Exact:
		return fmt.Sprintf("every trace is one of the abstraction (%d states, %d of the abstraction)", r.States[0], r.States[1])
	case r.Included:
		return fmt.Sprintf("every trace to %d states is one of the abstraction; there are more", r.States[0])
	default:
		return fmt.Sprintf("the abstraction cannot show: %s\nthe run:\n  %s", strings.Join(r.Trace, ", "), strings.Join(r.Run, "\n  "))
	}
}
