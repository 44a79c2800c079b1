// Package disk is what a node has on stable storage, and what of it a crash leaves.
//
// # What enters and what leaves
//
// Writes and syncs enter, in the order of the handler; a Disk leaves, which is a
// plain value that nobody changes any more. A node reads what it wrote. A crash
// leaves what was synced, and of the rest one of the [Disk.Outcomes]: which, the
// caller picks.
//
// # What a crash leaves
//
//   - What was synced, always.
//   - Of the writes since, a prefix in the order in which they were made, over all
//     files and keys. So a write may survive that nobody synced.
//   - Of the first that does not survive, if it appended, possibly a part: records
//     are torn in one place within, at half their length.
//
// A sync of a file, or of the keys, makes all earlier writes to it survive, and says
// nothing of the others: these are then the rest by themselves.
//
// # Known limits
//
// Writes do not overtake each other, but for what a sync does. A sync never fails,
// nothing that was synced is damaged, and a record is torn in one place only.
package disk
