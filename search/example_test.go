package search_test

import (
	"fmt"

	"macemc/internal/toy"
	"macemc/search"
)

// The system of this example may go from the road to the ditch. From there it never comes back to
// home, its only live state.
func ExampleSearch() {
	sys := toy.MustParse("start: home\nhome -> road\nroad -> home\nroad -> ditch\nlive: home")
	res, err := search.Search(sys, search.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Finding.Verdict, "after", res.Finding.Step, "steps:")
	for _, step := range res.Finding.Path.Steps {
		fmt.Println(step.Event.What)
	}
	// Output:
	// dead after 2 steps:
	// n0 action to("road")
	// n0 action to("ditch")
}
