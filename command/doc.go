// Package command is the command line: list, search, replay, graph, mdb, critical, shrink and more, for
// the systems that a program passes to it. The command macemc passes the systems of this module. A
// program of yours passes your own, in a package main of three lines:
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
// A command turns flags into options, calls a package below, and reports the result.
//
// # Words
//
// The code of a service can end the process that runs it. So a command that takes runs works in a child
// process, and the process that the user started only watches it, as its keeper. Both map a file into
// their memory, the trail, in which the child records the answers of the runs that it is taking. If the child
// dies, the keeper starts another child, which takes one of these runs alone. A calling is the way in which the
// user started this program, so that reports can print commands to type.
package command
