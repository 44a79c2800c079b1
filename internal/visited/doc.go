// Package visited is the set of states that an exhaustive search has visited,
// as words: one for each state, outside the heap, without pointers, without
// locks. It is made for a hundred million of them, and several goroutines may
// share it.
//
// What a word is, the caller says: a fingerprint of a state, or a tag with the
// number under which the caller keeps the state itself. See [Words].
//
// # What is guaranteed
//
//  1. Of all goroutines that add a word, one is told that it is new.
//  2. Home, At, Next and Take are enough for a search of the caller's own, which
//     may compare states where words are alike, and which touches the homes of
//     many words first, so that the cache misses overlap.
//  3. The set does not grow by itself. Beyond Cap searches get long, and with no
//     empty slot left they do not end: whoever adds makes room before.
package visited
