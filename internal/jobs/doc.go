// Package jobs has what the command and package macemc/cluster say to each other: searches whose walks
// and states other processes take. A Job travels as a command line; a Cluster distributes it, and
// Hands are the resources of a worker.
package jobs
