// Package hashiraft checks github.com/hashicorp/raft, unmodified: three servers, each a
// program with its goroutines, over simulated TCP and disks, under crashes, partitions,
// slow disks, clocks that jump and drift, membership changes and, in a test of its own, leadership transfers.
//
// Properties: at most one leader in a term, all servers apply the same commands in the
// same order, an acknowledged write survives, and once the network is healed and every
// server runs, a write commits.
package hashiraft
