// Package merge makes one run of the records of live nodes: a path that the simulator
// takes.
//
// It takes the entries of all records in an order in which nothing is received before it
// was sent, and the clock breaks ties; and takes each event in a World, with the answers
// that the node was given. Where the World lacks a fault without which the event could not
// have been (a connection that broke, a datagram that was lost, came twice or out of order, a
// node that was killed), it takes that first. After each step the node's state there is held
// against the state that was recorded. Where the two worlds part, that is a Difference, and
// the path ends before it.
package merge
