// Package ensemble searches systems of which some nodes are programs with goroutines, as package
// program runs them. All nodes of a run are hosts in one testing/synctest bubble. A node made of
// handlers is a program, too, which calls its handlers.
package ensemble
