package critical_test

import (
	"fmt"

	"macemc/critical"
	"macemc/internal/toy"
	"macemc/search"
)

// Find returns the step of a dead run after which it could no longer recover.
func ExampleFind() {
	sys := toy.MustParse("start: home\nhome -> road\nroad -> home\nroad -> ditch\nditch -> mud\nlive: home")
	res, err := search.Search(sys, search.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	looked, err := critical.Find(sys, res.Finding, critical.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	f := looked.Finding
	fmt.Println("critical:", f.Critical.Step, f.Path.Steps[f.Critical.Step-1].Event.What)
	fmt.Println("instead: ", f.Live.Path.Steps[f.Critical.Step-1].Event.What)
	// Output:
	// critical: 2 n0 action to("ditch")
	// instead:  n0 action to("home")
}
