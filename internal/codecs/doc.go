// Package codecs encodes and identifies the values of a system for live nodes and for the code that reads
// their records. Of returns the codec of a system's messages, signals and nodes, and Walker
// identifies a node by a hash that a simulation computes, too.
package codecs
