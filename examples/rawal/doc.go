// Package rawal checks the segments of hashicorp/raft-wal, the log of a raft server, on a disk that
// crashes: package segment of v0.4.0, unchanged, over simfs.
//
// One server appends batches of entries, crashes in the middle, and recovers. The promise is that
// an entry for which Append returned is there, and that every entry that is read was passed to
// Append.
//
//	go run ./check search rawal --disk reorder
//
// The code above the segments (wal.go) starts goroutines, and is not checked here. The segment's
// name and number stand for its entry in the database of metadata.
package rawal
