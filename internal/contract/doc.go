// Package contract gives packages that run a service, or print its runs, access to values of package sim
// which users of sim do not need: the rules and walkers of a system, the table of kinds of events, and
// the methods that a node may have. Its functions take values of sim, and return values of the packages
// below sim, whose types must not occur in sim's own API.
package contract
