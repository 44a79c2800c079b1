// Package spill keeps on disk what an exhaustive search has visited and no longer fits into memory.
//
// A Store has two kinds of files. Blocks hold packed states, and are read back by where they were
// written. Runs hold keys, which are the identities of states with the numbers of these, in ascending
// order. A state that was visited twice shows where new keys and those of all runs are merged
// (Runs.Known): both are in order, so no run is read at random, and a part of a run in which no new
// key can be is not read at all. A Sorter sorts more keys than fit into memory.
//
// # Guarantees
//
//  1. Every piece that is read has a checksum that depends on where it was written. A piece that is
//     damaged or out of place is an error, and never taken for states.
//  2. After an error of the disk, every later call returns it.
//  3. The files mean nothing to another process. Open removes those that a killed process has left,
//     and Close removes them all.
package spill
