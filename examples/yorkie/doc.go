// Package yorkie checks the trees of yorkie (package pkg/document of v0.6.0), a data type that
// several people edit together: replicas that have made the same changes show the same tree.
//
// Each of two clients makes an edit at the same time, one of all splits, insertions, deletions and
// styles of a small tree, and then receives the edit of the other.
//
//	go run ./check search yorkie
//	go run ./check search yorkie --param edits=insert
//
// A node's state is the list of its replica's changes. Each handler makes the replica anew from that
// list, by the library, so that nothing of the library needs to be copied.
package yorkie
