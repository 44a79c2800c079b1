package netsim_test

import (
	"fmt"

	"macemc/netsim"
)

// A FIFO keeps the packets from each node to each other one in their order.
func ExampleFIFO() {
	net := netsim.NewFIFO(3)
	channel := net.Channel(0, 2)
	net.Push(channel, netsim.Packet{Message: "first"})
	net.Push(channel, netsim.Packet{Message: "second"})
	from, to := net.Ends(channel)
	fmt.Println(net.Len(), "packets, the next one from", from, "to", to, "is", net.Head(channel).Message)
	// Output:
	// 2 packets, the next one from 0 to 2 is first
}
