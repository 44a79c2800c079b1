// Package shard encodes the states that processes pass to each other when they visit the states of
// one search together.
//
// The states are divided into shards by their identities, and one process at a time visits the states
// of a shard. A Writer writes a batch of states for a shard. A state in it is the run that leads to
// it, and the identities of its parts. A process that has these parts already makes the state of them;
// otherwise it takes the run. So no value of a service is encoded, and every service whose nodes can be
// copied will do.
//
// A Set has the identities of the states of a shard that were visited.
package shard
