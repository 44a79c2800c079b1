// Package program runs the second kind of node: an unmodified program with goroutines. A
// [Program] is a function of a context and a [Host]. It starts goroutines and uses
// channels, select, sync, time, context and math/rand as any Go program does. For the
// network and for storage it uses its Host.
//
//	w.Start("n0", func(ctx context.Context, h *program.Host) {
//		l, err := h.Listen("tcp", ":80")
//		...
//	})
//
// A [World] has the hosts, the network between them and their disks. It lives in one
// testing/synctest bubble, whose clock advances only while every goroutine is blocked.
// macetest.Explore makes worlds and searches them.
//
// # Steps
//
// A step is an instant of the bubble's clock: bytes arrive at one host, a fault happens,
// the script continues, or a timer fires. Then everything runs until it blocks. No two
// segments arrive at the same instant.
//
// # What the search chooses
//
// The search chooses the latency of each segment and datagram, whether a segment arrives in
// two parts, whether a datagram is lost or duplicated (within the budget), how much
// unsynced data survives a crash, which fault comes next, and the answers to
// [World.Choose]. These are draws like those of Go's runtime. Answer 0 is always the
// undisturbed one.
//
// # Lives
//
// Start begins a life of a host. [World.Crash] ends it: its goroutines are never scheduled
// again, no deferred call runs, its connections are reset, and its disk keeps what was
// synced and a part of the rest. [World.Stop] cancels the context of the life. Goroutines
// that are left after the program has returned are a failure.
package program
