// Package visited is the set of states that an exhaustive search has visited. Each state is one word, outside
// of the heap, without pointers or locks. The set is made for a hundred million states, and several
// goroutines may share it.
//
// The caller decides what a word is: a fingerprint of a state, or a tag together with the number under which
// the caller keeps the state itself. See [Words].
//
// # Guarantees
//
//  1. If several goroutines add the same word, Add returns true for exactly one of them.
//  2. With Home, At, Next and Take the caller can search by itself. Such a search may compare
//     states with equal words, and may touch the homes of many words first, so that cache
//     misses overlap.
//  3. The set does not grow by itself. Beyond Cap, searches take long, and without an empty slot
//     they do not end, so the caller must call Grow before.
package visited
