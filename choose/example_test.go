package choose_test

import (
	"fmt"

	"macemc/choose"
)

// An Odometer enumerates the runs of a program that asks questions. The second question
// of this program has fewer alternatives if the answer to the first one was 1.
func ExampleOdometer() {
	runs := choose.NewOdometer()
	for more := true; more; more = runs.Next() {
		first := runs.Answer(&choose.Question{Kind: choose.Coin, N: 2})
		second := runs.Answer(&choose.Question{Kind: choose.Coin, N: 3 - first})
		fmt.Println(first, second)
	}
	// Output:
	// 0 0
	// 0 1
	// 0 2
	// 1 0
	// 1 1
}
