// Package history checks that the calls and returns of a service are linearizable:
// that every call took effect at one moment between its call and its return, as if the
// object that it was made on stood in one place and served one call after the other.
//
// A node tells when it begins an operation and when it has ended, by Call and Return;
// Linearizable is the property. What the object does is a Model: Register, Map, Queue
// and Lock are here, and Object makes others. An operation whose caller crashed never
// returns: it may have taken effect, at any time since, or not.
//
// # How it is decided
//
// The monitor keeps, of each object, what may be so: every state that the object may be
// in, with the pending operations that have taken effect there and what they will
// return. A return strikes out what contradicts it, after those operations that are
// pending took effect in every order in which they may have; where nothing is left, the
// history is not linearizable. This is exact, and as soon as can be. What it keeps is
// a part of the state of the run, as any monitor's memory is, and it is all that the
// past means for the future: so two runs that differ in how they came about, and not in
// what may be so, are one state, and nothing is lost by taking it once. The history
// itself would make every state a different one.
//
// A run that is found is checked once more, by github.com/anishathalye/porcupine, which
// others use for the histories of real systems: the two must agree, and its picture of
// the history lies in the folder of the finding.
//
// Words: an operation is pending from its call to its return; a possibility is what may
// be so.
package history
