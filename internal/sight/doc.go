// Package sight is between a property and whoever runs a service.
//
// A runtime keeps a State, which says what can be seen of its nodes now; sim
// binds each property of a system to it once, by the property's Rule, and out
// comes a Check, which the runtime asks as often as it likes. Values of the
// contract (nodes, signals) are any here, since sim imports this package; nodes
// go by their index.
//
// Words: a runtime is what runs a system: a simulated world, or real sockets.
package sight
