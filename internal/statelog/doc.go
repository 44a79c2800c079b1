// Package statelog keeps the state of a search on disk: a log of records, each with its
// length and a checksum, and checkpoints from which the log begins anew.
//
// # Layout
//
// A log is a directory of segments, 00000001.seg and so on. A segment is complete in
// itself: it begins with a header, which the caller chose and every segment repeats, and a
// checkpoint, and goes on with records. Resuming needs one segment.
//
//	segment = magic, frame(header), frame(checkpoint), frame(record)...
//	frame   = length uint32, kind uint8, checksum uint64, payload
//
// The checksum of a frame covers its payload, its kind and the checksum of the frame before
// it, so a record that is missing, repeated or out of place is found as one that changed.
//
// # Guarantees
//
//  1. [Log.Commit] returns nil only after everything that was appended is on stable storage.
//  2. [Recover] yields a checkpoint and a prefix of the records that were appended after it,
//     which includes all that were committed unless the storage lost bytes that it had synced.
//  3. A new segment takes its name after its header and checkpoint are on stable storage. The
//     segment before it stays until the next one, so a checkpoint that is damaged later costs the
//     records after it and nothing else.
//  4. After a write or a sync failed, the log accepts nothing more, since nobody knows which of the
//     written bytes are on the disk.
//  5. Recover never appends to what it read. The caller begins the next segment by a checkpoint.
//
// The caller must choose records such that a checkpoint and any prefix of the records after it
// are a valid state of the search, in which only less work is done. Then a damaged log costs
// time, and never leads to a wrong result.
package statelog
