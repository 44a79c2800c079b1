// Package critical looks into a finding: when the run went wrong (the critical
// transition, the last step that left a recoverable state for good), which live run
// is nearest to it, and what of it matters: it makes the run short.
//
// A finding of package search enters, and the same finding leaves, with what
// was found out about it. All runs are taken by a search.Lab, and what is dead or
// critical internal/decide says; this room decides which runs are taken besides, and
// what they show.
//
// Steps that do not depend on each other have no order of their own, and which of
// them came last is chance. Of those that may as well be the critical step of a
// short run, the one that tells most is: one in which something could not be
// sent, or else one in which a timer fired.
package critical
