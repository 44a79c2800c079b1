// Command scale simulates a coordinator and up to a thousand workers that take the walks of one search,
// and prints the tables of docs/scale.md. With -cores it simulates the exhaustive phase on one machine with many cores, and
// prints the tables of BENCHMARKS.md on that.
//
// It is a discrete-event simulation of the protocol of package cluster. The NATS server and the
// coordinator handle one call at a time, each with the processor time that the benchmarks BenchmarkCalls
// and BenchmarkResults of package cluster measured. Walks take exponentially distributed times, drawn
// from a seeded generator, so each run prints the same tables.
package main
