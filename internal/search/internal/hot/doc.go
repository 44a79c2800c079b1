// Package hot decides exactly whether a fair run can stay hot for ever once the environment has
// healed: whether a property made by sim.Cools is violated. It takes a set of states of an
// explorer, and gathers the graph of the states that their healed forms reach. internal/fair
// decides about the graph.
//
// A violation that is found in a partial graph is one, since the graph claims nothing about a
// state that was not expanded. But if no violation is found, that means something only if the
// graph is whole.
package hot
