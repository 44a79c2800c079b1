// Package merge joins the records of live nodes into one path, which the simulator replays.
//
// It takes the entries of all records in an order in which no message is received before it
// was sent; the clock breaks ties. It takes each event in a World, a simulation, with the recorded
// answers. If the World lacks a fault without which the event would be impossible (a broken
// connection, a datagram that was lost, doubled or reordered, a killed node), it takes that
// fault first. After each step it compares the node's state with the recorded one. If they
// differ, the result lists the difference, and the path ends before that step.
package merge
