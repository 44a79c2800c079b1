// Package neo checks dBFT, the consensus of Neo: github.com/nspcc-dev/dbft v0.4.0, unchanged,
// under a host of its own.
//
// Each node is a validator of one height. In the end, all nodes that are up must accept the same
// block, even if one of them fails, or consists of two validators that share an identity.
//
//	go run ./check search neo --depth 3 --walk-steps 3000
//	go run ./check search neo --byzantine twins@n1 --param proposals=either --faults none --depth 3 --walk-steps 3000
//
// Messages go through a bag, as gossip does, and nobody forges a signature. The timer may fire
// at any step. Blocks are stored, and a node that has one passes it on, as ledgers do. Messages
// of a later view wait: the library would keep them in a map, and handle them in the map's
// order.
package neo
