// Package critical analyzes a finding: it finds the critical transition (the last step
// before which the run could recover, and after which it could not) and the nearest live
// run, and makes the run short.
//
// The input is a finding of package search, and the result is the same finding with more
// facts. A search.Lab takes all runs, and internal/decide decides what is dead or critical.
// This package decides which runs are taken besides, and what they show.
//
// Steps that do not depend on each other have no order of their own, so it is chance which
// of them came last. Among the possible critical steps of a short run, this package prefers
// one in which a message could not be sent, and otherwise one in which a timer fired, since
// these explain most.
package critical
