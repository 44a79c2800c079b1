// Package disk simulates the stable storage of a node, and the ways in which a crash may damage it.
//
// A Disk is immutable: writes and syncs, in the order of the handler, return new ones. A
// node reads its own writes at once. A crash keeps the synced data, and one of the
// [Disk.Outcomes] of the other writes, which the caller picks.
//
// # What a crash leaves
//
//   - Synced data always survives.
//   - The first few of the later writes survive, in the order in which they were made, over all
//     files and keys; or any subset of them, if the caller asks for it. So a write may survive
//     without a sync.
//   - If an append is the last write to its file that survives, only a part of it may survive:
//     records are torn in one place, at half their length. The same holds for an overwrite
//     if no later write that survives changes one of its bytes.
//
// An append goes to the offset where it was made. If one before it is lost, zeros take its
// place.
//
// A sync of a file, or of the keys, makes all earlier writes to it survive, and does not
// affect the others. If a sync fails, each of the writes that it covers may survive or not,
// and no later sync changes that: a service that wants to be sure has to write them again.
//
// A file is kept as its records, one for each append, so that one of them can be damaged.
//
// # Known limits
//
// A record is torn in one place only, and damaged in one way. Reading does not fail.
package disk
