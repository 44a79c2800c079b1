// Package byzantine makes a system whose Byzantine nodes deviate as sim.Byzantine says:
// System returns a copy of a system whose functions New, Crash, Clone and Weight make and
// treat such nodes. A Byzantine node is a node like any other, so engines, walks and replays
// need not know of it.
//
// A node decides by coins (random choices that a run records) which of its twins gets a
// message, and offers its lies as actions. Each such choice is therefore a part of the path
// of a run.
package byzantine
