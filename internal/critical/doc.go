// Package critical analyzes a finding: it finds the critical transition (the last step
// before which the run could recover, and after which it could not) and the nearest live
// run, and makes the run short.
//
// The input is a finding of package search, and the result is the same finding with more
// facts. A search.Lab takes all runs, and internal/decide decides whether a run is dead and which
// step is critical. This package chooses the other runs to take, and interprets their results.
//
// # Words
//
//   - finding's run: the run with which shrinking begins.
//   - candidate: a run that may replace the present run. Most candidates are shorter, and consist of some of the
//     present run's steps. A candidate is accepted if it fails in the same way; for a dead run, walks decide that.
//   - present run: the candidate that was accepted last, or the finding's run.
//   - way: a list of steps that a walk took. To repeat a way is to take its steps from another state, as far as
//     they are possible there.
//   - round: a step that no other step has caused, such as a request, a timer or a fault, with all that it caused.
//   - detour: a part of a dead run that a shorter way can replace, since both lead to the same state after healing.
//   - class: the steps of one event, of one kind, or at one node.
//   - wild step: one that might be impossible if the environment had healed before, such as a fault.
//
// # Which step
//
// Steps that do not depend on each other have no order of their own, so it is chance which
// of them came last. Among the possible critical steps of a short run, this package prefers
// one in which a message could not be sent, and otherwise one in which a timer fired, since
// these explain most.
package critical
