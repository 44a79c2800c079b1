// Package disk is the stable storage of a node, and what a crash may leave of it.
//
// A Disk is immutable: writes and syncs, in the order of the handler, return new ones. A
// node reads what it wrote. A crash leaves what was synced, and of the rest one of the
// [Disk.Outcomes]; the caller picks which.
//
// # What a crash leaves
//
//   - What was synced, always.
//   - Of the writes since, a prefix in the order in which they were made, over all
//     files and keys; or any subset, if the caller asks for it. So a write may survive
//     that nobody synced.
//   - Of an append, if it is the last write to its file that survives, possibly a part:
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
