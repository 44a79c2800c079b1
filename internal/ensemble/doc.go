// Package ensemble searches systems of which some nodes are programs with goroutines. All nodes of a
// run stand in one bubble, as hosts of package program: a handler node is a program, too, which calls
// its handlers.
//
// # Two sides
//
// A child process takes runs: [Child]. A director in it starts the hosts, makes the requests of the
// script and the faults when the search chooses, and judges the properties whenever something has
// happened and all goroutines are blocked. It writes a log of events and states.
//
// The parent makes a finding of the log: [Search], [Taken]. A recording is a system whose nodes do what
// stands in the log and nothing else, with a path through it. So reports, graphs and the debugger show a run of
// programs as they show any other.
package ensemble
