// Command macemc finds failures of event-driven services, and replays them.
//
//	macemc list [SYSTEM]      the systems, their properties, parameters and known bugs
//	macemc search SYSTEM      look for a failure; write a folder that shows it
//	macemc replay FILE        take the path of a finding again
//	macemc graph FILE         draw what happened before what
//	macemc mdb FILE           debug a run, forwards and backwards
//	macemc critical FILE      find the step that made recovery impossible
//	macemc shrink FILE        make the run of a finding shorter
//
// Results go to standard output, progress and errors to standard error. The
// exit status is 0 when nothing was found (or a path was reproduced), 1 when
// something was found (or a path was not), 2 when the input is wrong, and 3
// when a search was stopped before its bound.
//
// The commands are implemented in package command, for any systems. This program passes the
// systems of the catalogue to it.
package main
