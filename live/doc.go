// Package live runs the nodes of a sim.System on real sockets, clocks and disks: the
// very code that was checked.
//
//	err := live.Run(ctx, lock.System, live.Config{})
//
// runs all nodes in this process, on the loopback interface. With a Book, which says
// where each node is, and Only, a process runs one of them. Start is Run that gives
// out the Host, by which ordinary goroutines ask nodes for something:
//
//	host, err := live.Start(kv.System, live.Config{Book: book, Only: []int{0}, Dir: "data"})
//	...
//	fact, err := host.Node(0).Ask(ctx, put{key, value}, func(fact any) bool { return done(fact, id) })
//
// A request is a Signal, as those of a script are; the answer is a fact that the node
// gives to Env.Emit.
//
// # What holds here as there
//
// Each node has one goroutine on which its handlers run, never two at a time. What a
// handler asks Env to do happens when it has returned. Timers are those that
// were set; equal values are one timer. A connection has a buffer of so many messages
// that were sent and not delivered to the other node's handler, and refuses beyond;
// ClearToSend and Flushed come when it has room again, and when it is empty. A
// connection that breaks is heard of as a sim.PeerError, by each end, ahead of
// all that comes after; what was under way is lost. A first message on a connection
// that was never used survives a break, as in the simulation. Accepts, Offers, Set and Bag
// mean what they mean there. What a handler writes to its Store is in the files when
// it has returned, and on the disk when Sync has.
//
// # What is different
//
// Here what happens is one of the things that may happen there, and docs/live.md lists
// where it is not: who waits for a connection is told nothing for as long as the other
// node was never seen and this one has just started; and a connection that breaks before its end
// was heard of is "refused" where it cannot be known whether anything came by it.
//
// # Records
//
// With Config.Record a node writes down each event with its answers before what it
// does is seen by others. A Watch takes the records of all nodes, takes every handler again
// from them, and evaluates the system's properties after each step, in an order in which
// nothing is received before it was sent. Package internal/merge makes a path of them,
// which the simulator takes.
package live
