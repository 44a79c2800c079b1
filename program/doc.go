// Package program has the second kind of node: a program with goroutines, run as
// it is. A [Program] is a function of a context and a [Host]. It starts goroutines,
// and uses channels, select, sync, time, context and math/rand as any Go program
// does; what it wants of the network and of storage it asks of its Host.
//
//	w.Start("n0", func(ctx context.Context, h *program.Host) {
//		l, err := h.Listen("tcp", ":80")
//		...
//	})
//
// A [World] has the hosts, the network between them and their disks. It lives in one
// testing/synctest bubble, and its time is the bubble's: it goes on when every
// goroutine is blocked. macetest.Explore makes worlds, and searches.
//
// # Steps
//
// A step is an instant of the bubble's clock: bytes arrive at one host, a fault
// happens, the script goes on, or a timer fires; then everything runs until it blocks.
// No two segments arrive in one instant.
//
// # What is drawn
//
// The latency of each segment and datagram, whether a segment arrives in two parts,
// whether a datagram is lost or doubled as far as the budget goes, how much of what was
// not synced a crash leaves, which fault the weather has next, and what the script asks
// by [World.Choose]. They are draws like those of Go's runtime: answer 0 is the plain one.
//
// # Lives
//
// Start begins a life of a host. [World.Crash] ends it: its goroutines are never
// scheduled again, no deferred call runs, its connections are reset, and its disk keeps
// what was synced and a part of the rest. [World.Stop] cancels the context of the
// life; goroutines that are left when the program has returned are a failure.
package program
