// Package contract has what packages that run a service, or print its runs, need of package sim and
// a user does not: a system's rules and walkers, the table of kinds, and the methods that a node may
// have. Runtimes and reports call it with values of sim; it returns types of rooms below sim, which must
// not stand in sim's own signatures.
package contract
