// Package state keeps the identities of the parts of a state.
//
// A state consists of parts, each at a place: every node, every direction of a connection,
// every channel of datagrams, every set, every budget of faults, the partition, the set of
// paused nodes, and the memory of every monitor. Its identity is the sum of the
// identities of its parts, so a step recomputes only those of the parts that it touched.
// [Places] maps parts to places, and [NodeSet] is a set of nodes. [Sums] records which identities are out of date, and which
// parts have changed since the state was saved or loaded. [Touched] has the parts that one step read
// and wrote, which a memo and a reduction need.
package state
