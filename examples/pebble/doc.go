// Package pebble checks how cockroachdb/pebble v2.1.7 switches to a new manifest: its packages
// record and vfs/atomicfs, as they are, on a disk that crashes, over simfs.
//
// A server writes records to a manifest, and syncs after each batch. When it starts it
// follows the marker to the manifest, copies that into a new one, syncs it, and moves the
// marker, as pebble does. What is promised is that a record that was synced is read after
// every crash, and that whatever is read was written, in its order and without a gap.
//
//	go run ./check search pebble --disk reorder
//
// What type LogWriter of package record does is not checked: it starts a goroutine.
package pebble
