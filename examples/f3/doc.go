// Package f3 checks Filecoin's fast finality: package gpbft of
// github.com/filecoin-project/go-f3 v0.8.10, as it is, below a host of its own.
//
// Each node is a participant of one instance of consensus. It proposes a chain, and in
// the end all that are up must have decided, the same.
//
//	go run ./check search f3 --depth 2 --walk-steps 1000
//
// Messages go through a set without order that loses nothing, as gossip does. Signatures
// are checksums, and are not verified: no node lies. Time is the node's own: an alarm may
// ring at any step, and its time is then over.
package f3
