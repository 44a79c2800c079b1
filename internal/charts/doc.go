// Package charts counts what the state machines of a service do: how often a state took each
// event, and how often the machine moved from it to each other state.
//
// Package layers/machine counts into a Tally while a handler runs. Tallies of several workers and
// processes are added up, and package eventgraph draws the sum.
package charts
