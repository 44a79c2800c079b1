// Package neo checks dBFT, the consensus of Neo: github.com/nspcc-dev/dbft v0.4.0, as it is,
// below a host of its own.
//
// Each node is a validator of one height. All that are up must accept a block in the end,
// the same, also if one fails, or is two validators that share an identity.
//
//	go run ./check search neo --depth 3 --walk-steps 3000
//	go run ./check search neo --byzantine twins@n1 --param proposals=either --faults none --depth 3 --walk-steps 3000
//
// Messages go through a bag, as gossip does, and nobody forges a signature. The timer may
// fire at any step. Blocks are stored, and who has one passes it on, as ledgers do. What
// belongs to a later view waits: the library would keep it in a map, and handle it in the
// map's order.
package neo
