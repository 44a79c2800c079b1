// Package spec generates random services for tests.
//
// A [Spec] is a service as data: the actions of each node on each occasion, the properties, and the
// faults of the environment. [Draw] draws one from a seed, [Shrink] makes one smaller, and a line of
// JSON stores one. [Spec.System] returns the service that a search runs.
//
// The packages internal/oracle, internal/world and search draw their random services here. (The oracle
// computes independently what a search must find.) A service that fails in one of them can be kept and
// tried in the others.
package spec
