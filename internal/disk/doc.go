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
//     files and keys; or any of them, as the caller wants it. So a write may survive
//     that nobody synced.
//   - Of one append that is the last to its file that survives, possibly a part:
//     records are torn in one place within, at half their length. So is one overwrite
//     of which no later write that survives changes a byte.
//
// An append goes where it went when it was made. Where one before it is lost, there
// are zeros.
//
// A sync of a file, or of the keys, makes all earlier writes to it survive, and says
// nothing of the others: these are then the rest by themselves. Where a sync fails,
// each of the writes that it was to sync may survive or not, and no later sync makes
// up for it: whoever wants to be sure writes them again.
//
// A file is kept by its records, each as it was appended, so that one of them can be
// damaged.
//
// # Known limits
//
// A record is torn in one place only, and damaged in one way. Reading does not fail.
package disk
