// Package live runs the nodes of a sim.System on real sockets, clocks and disks: the same
// code that was checked.
//
//	err := live.Run(ctx, lock.System, live.Config{})
//
// runs all nodes in this process, on the loopback interface. With a Book, which says where
// each node is, and Only, a process runs some of them. Start does the same and returns the
// Host, with which ordinary goroutines make requests of nodes:
//
//	host, err := live.Start(kv.System, live.Config{Book: book, Only: []int{0}, Dir: "data"})
//	...
//	fact, err := host.Node(0).Ask(ctx, put{key, value}, func(fact any) bool { return done(fact, id) })
//
// A request is a Signal, like those of a script. The answer is a fact that the node passes
// to Env.Emit.
//
// # What is the same as in the simulator
//
// Each node has one goroutine on which its handlers run, one at a time. The effects that a
// handler asks of Env happen after it has returned. Timers with equal values are one timer. A
// connection buffers a limited number of messages that were sent and not yet delivered to the
// other node's handler, and refuses further ones. ClearToSend and Flushed arrive when it has
// room again, and when it is empty. When a connection breaks, each end gets a sim.PeerError
// ahead of everything later, and the messages in it are lost. A first message on a connection
// that was never used survives a break, as in the simulation. Accepts, Offers, Set and Bag have
// the same meaning as in the simulation. When a handler has returned, its writes to its Store
// are in the files; when Sync has returned, they are on the disk.
//
// # What is different
//
// A real run is one of the runs that the simulator allows. docs/live.md lists the exceptions: a
// node that has just started gets no error while it waits for a node that was never seen; and a
// connection that breaks before its end was reported is "refused" if it cannot be known whether
// anything arrived on it.
//
// # Records
//
// With Config.Record a node writes each event with its answers before the effects are
// visible to others. A Watch repeats every handler from the records of all nodes, and
// evaluates the system's properties after each step, in an order in which no message is
// received before it was sent. Package internal/merge makes a path of the records, which
// the simulator replays.
//
// # Parts
//
// A Host has the nodes of a process. A Node is the goroutine on which handlers run; it composes
// parts that know nothing of each other's state: machine runs the handlers and is Env, reality
// answers its questions, clock says when timers fire, keeper stores, recorder writes each step,
// requests are those of other goroutines, and links are the connections, by the rules of
// netsim. Below the links run goroutines of their own: door opens connections and identifies
// peers, a session serves each connection, and a reader and a writer serve datagrams. They pass
// received messages to the node's inbox; packer converts messages to bytes. Faults are a
// Weather of links, and events of a Fleet: Trouble draws them by a seed, a Timetable lists them
// in a script.
//
// # Words
//
// A life of a node lasts from its start to its end. It has a number, counted from 0, and a name, which is a
// random number that no other life has; so has each connection. A peer is another node, or the node itself, as
// one node sees it. A hello is the first message on a connection, by which each end says what it is. The serial
// of a message is its number among the messages that its sender has sent in this life, counted from 1. A step
// is one run of a handler, with its effects.
//
// # Operation
//
// Host.Handler serves metrics for Prometheus, and whether the nodes are healthy and ready. While
// nodes run, their certificates may change (Config.TLSNow), and nodes may be added to the
// book (Host.Grow).
package live
