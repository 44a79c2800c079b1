// Package leveldb checks the journal of syndtr/goleveldb v1.0.0 (package leveldb/journal),
// unchanged, on a disk that crashes, over simfs.
//
// A server writes records, and syncs after each batch. When it starts it reads its journal, copies
// it into a new one, and switches to that by a rename, as a database does. The promise is that a
// synced record is read after every crash, and that all records that are read were written, in this
// order and without a gap.
//
//	go run ./check search leveldb --disk reorder
package leveldb
