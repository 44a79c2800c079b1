package live_test

import (
	"fmt"

	"macemc/live"
)

// A Climate says how the network between live nodes misbehaves.
func ExampleParseClimate() {
	climate, err := live.ParseClimate("loss=0.05")
	fmt.Printf("%+v %v\n", climate, err)
	_, err = live.ParseClimate("loss=5")
	fmt.Println(err)
	// Output:
	// loss=0.05,dup=0,reorder=0,reset=0,delay=0s <nil>
	// loss is "5"; it must be a chance from 0 to 1
}
