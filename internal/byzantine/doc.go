// Package byzantine makes a system whose Byzantine nodes deviate as sim.Byzantine says:
// System returns a copy of a system in which New, Crash, Clone and Weight know them. Such
// a node is a node like any other, so that every engine, walk and replay takes it.
//
// A node decides by coins which of its twins gets a message, and offers its lies as actions.
// Each such choice is therefore a part of the path of a run.
package byzantine
