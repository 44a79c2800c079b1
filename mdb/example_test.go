package mdb_test

import (
	"fmt"

	"macemc/internal/toy"
	"macemc/mdb"
	"macemc/sim"
)

// An Opener opens a session, which executes lines and returns pages of text.
func ExampleOpener() {
	sys := toy.MustParse("start: home\nhome -> road\nroad -> home\nlive: home")
	o := mdb.Opener{Find: func(string) (*sim.System, error) { return sys, nil }}
	session, err := o.Open("toy", mdb.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, line := range []string{"alternatives", "take 0", "state n0"} {
		page, err := session.Do(line)
		if err != nil {
			fmt.Println(err)
		}
		fmt.Println(page)
	}
	// Output:
	// after step 0, 1 event can happen:
	//   0  n0 action to("road")
	//       then "every node is at a live vertex" fails
	//
	// > 1   ●  n0 action to("road")
	//
	// ~ n0.at: "road"
}
