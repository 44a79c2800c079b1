// Package macemc is the root of an implementation-level model checker for event-driven
// services, in the manner of MaceMC. A service handles messages, timers and requests, and acts
// through an Env. It asks the Env for every choice that matters, so a simulator can replay a
// run from its list of answers. The checker searches the executions of real code, first
// exhaustively to a bound and then by weighted random walks, and finds violations of safety and
// of liveness. In a run that can no longer recover it finds the critical transition, the last
// step before which recovery was possible. The command is cmd/macemc, the contract with a
// service is package sim, and ARCHITECTURE.md describes the packages.
//
// This package holds no code, only the tests that keep the house in order.
package macemc
