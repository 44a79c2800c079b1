// Package lines tells which lines of a service ran in each step of a run. A copy
// of the program that runs now is built with Go's own coverage, once, and takes
// the recorded path again: before each handler the counters are cleared, and after
// it they are read. Properties are not judged there, so that what ran is the service.
//
// A path enters; pieces of code leave, by their files and lines. What stands in
// those files is for who shows it. Where there is no copy (no go command, no sources,
// a program of a test) an error says so in a line.
package lines
