// Package pebble checks how cockroachdb/pebble v2.1.7 switches to a new manifest: its packages
// record and vfs/atomicfs, unchanged, on a disk that crashes, over simfs.
//
// A server writes records to a manifest, and syncs after each batch. When it starts it follows the
// marker to the manifest, copies that into a new one, syncs it, and moves the marker, as pebble
// does. The promise is that a synced record is read after every crash, and that all records that are
// read were written, in this order and without a gap.
//
//	go run ./check search pebble --disk reorder
//
// Type LogWriter of package record is not checked, since it starts a goroutine.
package pebble
