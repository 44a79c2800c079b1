// Package sight connects properties with the runtime that runs a service: a simulated
// world, or nodes on real sockets.
//
// A runtime keeps a State, which holds what can be seen of its nodes now. Package sim binds
// each property of a system to it once, by the property's Rule, and returns a Check, which
// the runtime calls as often as it likes. Nodes and signals have type any here, since sim
// imports this package; nodes are named by their index.
package sight
