// Package command is the command line: list, search, replay, graph, mdb,
// critical and shrink, for a program that says which systems there are. The
// command macemc is it, with the systems of this module; a program of yours is
// it with your own, in a package main of three lines:
//
//	package main
//
//	import (
//		"macemc/command"
//		"example.com/lock"
//	)
//
//	func main() { command.Main(lock.System) }
//
// Results go to standard output, progress and errors to standard error. The
// exit status is 0 when nothing was found (or a path was reproduced), 1 when
// something was found (or a path was not), 2 when the input is wrong, and 3
// when a search was stopped before its bound.
//
// The commands turn flags into options, call, and report; what they call is in
// the rooms below.
package command
