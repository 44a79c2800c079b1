// Package search decides which runs of a system are worth taking, and reports honestly what
// they showed.
//
// Programs of users call macemc/search, a thin package above this one, and tests call package
// macetest. The command, and what analyzes findings, use this package.
//
// # How a search goes
//
// First comes the exhaustive phase, in rounds that are a few steps deeper each, by one of
// three engines that must agree. The reference engine enumerates runs, each from its start;
// it is slow and simple, and the oracle for the others. The other two take each step of
// each state once, level by level (internal/search/internal/explore): local in the world, and memo
// from a table of footprints. At the end of a round, walks begin at its states that are not
// live, and each goes on until it is live; a service that cannot recover is found early in
// this way. If the space was exhausted, a closure decides liveness exactly
// (internal/search/internal/closure).
//
// Then come random walks (internal/search/internal/walk); each goes on until it is live. If the
// environment may misbehave, a walk begins with a storm of faults, and liveness is judged
// after healing. A walk that is not live for too long is suspected, and internal/decide
// decides about it. Several goroutines take the walks beyond the first thousand, in lots.
// If a walk of a lot fails or is suspected, the first such walk is taken again by the
// search's own goroutine, so results do not depend on the number of goroutines.
//
// A share of the work is audited: steps are taken again from the start of their run, in
// lockstep and with every check on. Every finding is confirmed by plain re-execution before
// it is reported.
//
// A [Lab] takes runs that begin in the middle of others, for packages above that analyze a
// finding, and exhausts what can follow their states.
//
// # Words
//
// A state is live if all liveness properties hold in it. The environment heals in a step of its
// own: from then on partitions are mended, pauses are over, and no fault is possible. The healed
// form of a state is that state after healing. A climate says whether faults may happen in a run,
// and when it heals. A fork is a saved state in the middle of a run, at which other runs begin.
// The prefix is a recorded run with which all runs of a search begin, if the user has given one.
// The periphery is the states at the end of a round. The corpus is states that walks have met, at
// which others begin. A lot is a range of walks that are taken with the same corpus. A case is a
// run that a lab examines.
//
// # Which code decides that a run is dead
//
// The loop decides it only for a state at rest: if that is not live, it is dead. For any
// other state, internal/decide decides it in a lab (judge.go), unless the whole space was
// exhausted: then the closure has the answer (liveness.go). A new reason to call a run dead
// belongs in decide, and a new way to test a run belongs in the [Lab].
//
// # Where a new engine goes
//
// An engine that takes each step of each state once is a Stepper of
// internal/search/internal/explore, with a Visitor there. One that takes runs is a Strategy of
// internal/search/internal/run, as in reference.go. Both are chosen by Options.Engine in
// exhaustLocal and search; engines_test.go compares any engine with the reference. A way of
// walking is a Strategy of internal/search/internal/walk.
//
// # Who writes what
//
// A runner is a search: it adds up what its phases return (outcome.go), and only fold
// decides why the search stopped, and sets Result.Safety and Result.Liveness. A hand takes
// runs, and belongs to one goroutine at a time; its method counted returns its counts,
// which the caller must add to those of the search. Several hands share units of work in a pool
// (internal/search/internal/work): the members of a team, the scouts, and the hands of a lab.
// options.go defines what an option means, and only hand.go changes options on the way. A
// finding begins in newFinding; findings.go decides whether it is kept, and confirm.go
// writes the header of its path.
package search
