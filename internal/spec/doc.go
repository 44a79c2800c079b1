// Package spec generates random services for tests.
//
// A [Spec] is a service as data: what each node does on each occasion, what is
// promised, how the environment misbehaves. [Draw] draws one from a seed, [Shrink]
// makes one smaller, and a line of JSON keeps one. [Spec.System] is the service that
// a search runs, and the only part of this package that the checker sees.
//
// All rooms draw their random services here: internal/oracle, which works out independently
// what a search of one must find, internal/world and search. A service that fails in one of
// them can be kept and tried in the others.
package spec
