// Package macemc is the root of an implementation-level model checker for
// event-driven services, in the manner of MaceMC. A service answers messages,
// timers and requests through an Env; because every choice that matters is
// asked for in one place, a simulator can replay any sequence of answers
// without keeping states. It searches the executions of real code, first
// exhaustively to a bound and then by weighted random walks, and finds
// violations of safety and of liveness. Where what can still happen after
// a run is few enough states to be visited, it isolates the critical transition:
// the step after which recovery was no longer possible. The command is cmd/macemc, the
// contract with a service is package sim, and ARCHITECTURE.md describes the
// rooms of the house and what may be where.
//
// This package holds no code, only the tests that keep the house in order.
package macemc
