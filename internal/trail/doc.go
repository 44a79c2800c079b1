// Package trail keeps the progress of each run of a process in memory that another process
// shares. If a handler ends its process, the other process still knows which answers led
// there, and how far the search had got.
//
// A search takes a Slot for each run, and writes each answer into it before the handler
// gets it. That costs a store for each answer and no system call. The other process reads
// the Trail after the writing process has ended. The trail does not interpret answers and
// bytes.
package trail
