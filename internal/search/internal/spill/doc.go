// Package spill keeps on disk what an exhaustive search has visited and what does not fit into
// memory.
//
// A Store has two kinds of files. Blocks hold packed states, and are read back by their position in
// the file. Runs hold keys, which are identities of states with their numbers, in ascending order. To
// find states that were visited twice, new keys are merged with those of all runs (Runs.Known): both
// are in order, so no run is read at random, and a part of a run that cannot contain a new key is not
// read at all. A Sorter sorts more keys than fit into memory.
//
// # Guarantees
//
//  1. Every piece that is read has a checksum that depends on its position in the file. A piece that is
//     damaged or out of place is an error, and is never taken for states.
//  2. After an error of the disk, every later call returns that error.
//  3. The files mean nothing to another process. Open removes those that a killed process has left,
//     and Close removes them all.
package spill
