// Package long has the flag -long, which lets tests take all of the cases that they know.
// Without it they take a few, enough to notice a broken build in seconds; `make long` takes
// all. Only tests import it.
package long

import "flag"

// On reports whether the flag -long was given.
var On = flag.Bool("long", false, "take all cases, and the large ones: minutes for each package")

// Of returns how many cases a test takes: usual or, with the flag -long, all.
func Of(usual, all int) int {
	if *On {
		return all
	}
	return usual
}
