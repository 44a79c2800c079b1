// Package rawal checks the segments of hashicorp/raft-wal, the log of a raft server, on a
// disk that crashes: package segment of v0.4.0, as it is, over simfs.
//
// One server appends batches of entries, crashes in the middle, and recovers. What is
// promised is that an entry for which Append returned is there, and that whatever is
// read was once given to Append.
//
//	go run ./check search rawal --disk reorder
//
// What is above the segments (wal.go) starts goroutines, and is not checked here. The
// segment's name and number stand for what it keeps in its database of metadata.
package rawal
