package program_test

import (
	"fmt"

	"macemc/program"
)

// Addr returns an address for the WriteTo method of a Host's packet connection. Programs
// themselves run in a test: see macetest.Explore.
func ExampleAddr() {
	at := program.Addr("udp", "n1:53")
	fmt.Println(at.Network(), at)
	// Output:
	// udp n1:53
}
