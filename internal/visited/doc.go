// Package visited is the set of states that an exhaustive search has visited:
// hashes with depths enter, and for each comes out whether its state is to be
// expanded. It is made for a hundred million states: one word per state, outside
// the heap, without pointers, without locks.
//
// # The word
//
// The home slot of a state comes from one half of its hash, and the rest is
// found by going on from there, slot by slot. A slot that is not 0 holds
//
//	 63                     DepthBits DepthBits-1      0
//	+--------------------------------+------------------+
//	| tag: the high bits of Hash.Lo  | depth + 1        |
//	+--------------------------------+------------------+
//
// and home = Hash.Hi * slots / 2^64, so that any number of slots will do and
// the tag is independent of the home.
//
// # What is guaranteed
//
//  1. Of all calls with one state, by however many goroutines, at most one is
//     New; if none is, all are Full.
//  2. Known is said only if the state was New or Shallower before at the same
//     depth or a lesser one. So a search to a bound that expands on New and
//     Shallower reaches whatever it would reach without a table.
//  3. What is stored is the least depth that was offered.
//  4. No call hangs: a table that is full says so.
//
// All are up to an omission: a state with the tag of another, met on the way
// from its home, is taken for that one. ExpectedOmissions bounds how many there
// are.
//
// # Depths
//
// With b DepthBits, depths from 0 to 2^b-3 are told apart. Greater ones are
// stored as "deep", which is Known to nobody: whoever comes to a deep state
// expands it again, at depths that are told apart for the last time. This keeps
// guarantee 2, and costs as much as a search without a table would, below that
// depth; so ask DepthBits for as many as the bound of the search needs. A search
// that needs no depths, because it is breadth-first or has no bound, says 0
// always.
//
// # Touching ahead
//
// A call waits for one cache miss and does little else. Who knows several hashes
// at once, as the successors of one state, touches their slots first, so that
// the misses overlap: InsertAll does it for a slice, Touch for who brings a loop
// of his own.
//
// # Known limits
//
// The table does not grow: the bits of a hash that made its home are not
// stored. Nor does it forget: for another round, Close it and make a new one.
// States are spread over all of it, so that its pages become resident long
// before it is full: as many as there are states, then all. Do not make it
// larger than what may be used.
package visited
