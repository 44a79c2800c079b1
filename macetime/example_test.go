package macetime_test

import (
	"fmt"
	"time"

	"macemc/macetime"
)

// A Clock knows of two readings only that the second is not before the first, so a
// deadline between them may have passed or not. An answer rules out others.
func ExampleClock() {
	clock := macetime.Of(0)
	first := clock.Read()
	second := clock.Read()
	fmt.Println(clock.Compare(second, first))
	fmt.Println(clock.Compare(second, first.Add(time.Minute)))

	clock.Assume(second, first.Add(time.Minute), true) // less than a minute has passed
	fmt.Println(clock.Compare(second, first.Add(time.Hour)))
	// Output:
	// false true
	// true true
	// true false
}
