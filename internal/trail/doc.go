// Package trail keeps where each run of a process stands, in memory that another
// process holds. A handler may end its process: then the other one still knows
// which answers led there, and how far the search was.
//
// Who searches takes a Slot for each run, and writes the answers into it as they
// are given, before the handler gets them. That costs a store for each, and no
// call of the system. Who holds the Trail reads it when nobody writes any more.
//
// In go answers by number and bytes; out come the same. What they mean is known
// by who wrote them.
package trail
