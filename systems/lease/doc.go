// Package lease is a register that one node at a time may write, for as long as its
// lease lasts: a primary, and backups that wait for their turn.
//
// # The story
//
// The node that has the lease is the primary. It has it for a term, and goes by its own clock:
// a lease lasts until an instant, and a node reads the clock and compares before it writes. A
// write is a task of its own, since the disk is slow, so time goes by between the request and
// the write.
//
// When the term is over the primary hands the lease on, with the value, by a timer:
// to the next node, which begins its term when it hears of that. Nobody asks
// whether the primary's last write is through. That is safe if the timer fires when
// the lease has ended by the clock, for certain: so it is set for the term, with
// something added for a handler that takes its time between setting the timer and
// reading the clock, and with something for a timer that runs faster than the clock.
//
// # What is promised
//
// Only the primary writes, and in the end all writes are done. It rests on what
// System.Clock says: with free timers the lease is handed on while it lasts. No
// clock is compared with another node's.
//
// # Known limits
//
//   - A primary that crashes takes the lease with it: a node may pause, and no more.
//   - The lease goes round for ever, also if there is nothing to write.
package lease
