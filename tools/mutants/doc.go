// Command mutants changes the checker itself, one small thing at a time, and sees
// whether its tests notice: make mutants.
//
// A mutant is one change of one file of the rooms that verdicts rest on: a
// condition flipped, a bound moved, an update dropped, an answer turned around.
// Rooms are patterns of packages, so files may move. Which mutants are tried is
// drawn by a fixed seed, in proportion to how much there is to change in each room;
// some have names, and are tried always (named.go). No file of the tree is touched:
// a mutant is built by go test -overlay, and has a minute of the tests that the
// continuous integration runs for its room. A journal lists the mutants that were tried, and
// a run goes on from there.
//
// It prints those that nothing notices. One that means nothing (a bound that is
// never met, a cache that is only slower) goes into equivalent.txt with its reason.
// A mutant's identity is the function, the change, and the text of the line: it
// survives moves, and is gone when the line changes.
package main
