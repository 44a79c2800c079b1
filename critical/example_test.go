package critical_test

import (
	"fmt"

	"macemc/critical"
	"macemc/internal/toy"
	"macemc/search"
)

// Explain returns the step of a dead run after which it could no longer recover, and a run that
// leaves it before that.
func ExampleExplain() {
	sys := toy.MustParse("start: home\nhome -> road\nroad -> home\nroad -> ditch\nditch -> mud\nlive: home")
	found, err := search.Search(sys, search.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	why, err := critical.Explain(sys, found.Finding.Path, critical.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("critical:", why.Step, why.Path.Steps[why.Step-1].Event.What)
	fmt.Println("instead: ", why.Live.Steps[why.From].Event.What)
	// Output:
	// critical: 2 n0 action to("ditch")
	// instead:  n0 action to("home")
}
