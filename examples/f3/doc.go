// Package f3 checks Filecoin's fast finality: package gpbft of github.com/filecoin-project/go-f3
// v0.8.10, unchanged, under a host of its own.
//
// Each node is a participant of one instance of consensus. It proposes a chain. In the end, all
// nodes that are up must have decided for the same chain.
//
//	go run ./check search f3 --depth 2 --walk-steps 1000
//
// Messages go through a set without order that loses nothing, as gossip does. Signatures are
// checksums and are not verified, since no node lies. Each node has its own time: its alarm may ring
// at any step, and its clock then jumps to the time of the alarm.
package f3
