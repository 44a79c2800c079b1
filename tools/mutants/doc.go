// Command mutants changes the checker itself, one small thing at a time, and checks whether the
// tests notice: make mutants.
//
// A mutant is one change of one file in the packages that verdicts rest on: a condition negated, a
// bound moved, an update removed, an answer inverted. Rooms are patterns of packages, so files may
// move. The mutants to try are drawn with a fixed seed, in proportion to the amount of code in each
// room; some have names, and are always tried (named.go). No file of the tree is changed: a mutant
// is built by go test -overlay. It is tried for a minute with the tests that the continuous
// integration runs for its room. A journal lists the mutants that were tried, and the next run
// continues from there.
//
// The command prints the mutants that no test notices. A mutant that changes no result (a bound
// that is never reached, a cache that only gets slower) goes into equivalent.txt with its reason. A
// mutant is identified by the function, the change, and the text of the line: the identity survives
// moves, and ends when the line changes.
package main
