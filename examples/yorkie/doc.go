// Package yorkie checks the trees of yorkie (package pkg/document of v0.6.0), a data type
// for editing together: replicas that have made the same changes show the same tree.
//
// Each of two clients makes an edit at the same time, out of all splits, insertions,
// deletions and styles of a small tree, and then hears of the other's.
//
//	go run ./check search yorkie
//	go run ./check search yorkie --param edits=insert
//
// A node's state is the list of what its replica did. The replica is made anew from that
// in each handler, by the library, so that nothing of the library needs to be copied.
package yorkie
