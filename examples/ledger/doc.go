// Package ledger is a replicated ledger: two servers that speak HTTP by net/http, unmodified, and a
// client. They are programs with goroutines. Beside them stands a keeper, which is written as handlers: it
// grants one server at a time the lease to be primary.
//
// A deposit is acknowledged when both servers have it on their disks. The ledger promises that nothing
// acknowledged is lost or counted twice, that at most one server holds the lease, and that once the
// faults are over every deposit is acknowledged.
package ledger
