// Package history checks that the calls and returns of a service are linearizable: every
// call took effect at one moment between its call and its return, as if the object stood in
// one place and served one call after the other.
//
// A node records the beginning and the end of an operation with Call and Return.
// Linearizable is the property. A Model defines what an object does: Register, Map, Queue
// and Lock are here, and Object makes others. An operation whose caller crashed never
// returns. It may take effect at any later time, or never.
//
// # How it is decided
//
// For each object, the monitor keeps all possibilities: every state that the object may be
// in, with the pending operations that have taken effect in it and the values that they
// will return. A return removes the possibilities that contradict it, after pending
// operations took effect in every order that is possible. If none remains, the history is
// not linearizable. The check is exact, and fails at the earliest possible step.
//
// The possibilities are part of the state of the run, as the memory of any monitor is. They
// are all that the past means for the future. So two runs with different pasts and equal
// possibilities are in one state, and exploring it once loses nothing. If the history
// itself were kept, no two runs would ever meet in a state.
//
// A violating run is checked once more by github.com/anishathalye/porcupine, which others
// use for the histories of real systems. The two must agree. Its picture of the history is
// part of the folder of the finding.
//
// Words: an operation is pending from its call to its return.
package history
