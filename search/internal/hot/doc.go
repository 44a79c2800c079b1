// Package hot decides exactly whether a fair run can stay hot for ever once the environment has
// healed: whether a property made by sim.Cools is violated. It takes a set of states of an
// explorer, and gathers the graph of what their healed forms reach. internal/fair decides about
// the graph.
//
// What a partial graph shows is true all the same: of a state that was not expanded nothing is
// said. But that nothing was found means something only if the graph is whole.
package hot
