// Package leveldb checks the journal of syndtr/goleveldb v1.0.0 (package leveldb/journal), as
// it is, on a disk that crashes, over simfs.
//
// A server writes records, and syncs after each batch. When it starts it reads its
// journal, copies it into a new one, and switches to that by a rename, as a database
// does. What is promised is that a record that was synced is read after every crash, and
// that whatever is read was written, in its order and without a gap.
//
//	go run ./check search leveldb --disk reorder
package leveldb
