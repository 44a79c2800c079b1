// Package hot decides exactly whether a fair run can stay hot for ever once the environment has
// healed: whether a property made by sim.Cools is violated. Such a property is hot or cold in each
// state, and a fair run violates it that is hot for ever from some point on. The package takes states
// that an exploration has visited (internal/search/internal/explore), and collects the graph of the states that can be
// reached after the environment has healed in one of them. internal/fair decides about the graph.
//
// A violation that is found in a partial graph is one, since the graph claims nothing about a
// state that was not expanded. But if no violation is found, that means something only if the
// graph is whole.
package hot
