package refine_test

import (
	"fmt"

	"macemc/refine"
)

// The implementation shows a, and then b or c; the abstraction only b after a.
func ExampleIncluded() {
	const a, b, c = 0, 1, 2
	implementation := refine.Graph{{{a, 1}}, {{b, 2}, {c, 2}}, {}}
	abstraction := refine.Graph{{{a, 1}}, {{b, 2}}, {}}
	run, included := refine.Included(implementation, abstraction)
	fmt.Println(included, run)
	// Output:
	// false [{0 0} {1 1}]
}
