// Package storage is a regular storage: one writer, objects that hold a value, and
// readers, over a network without order that loses nothing. It is the algorithm of
// Attiya, Bar-Noy and Dolev without write-back, message by message.
//
// A write has a number, which is its timestamp and its value; the writer sends it
// to every object and has written when a majority has acknowledged. A reader asks
// every object, and has read, when a majority has answered, the largest of their
// timestamps. It is regular: what is read is not older than the last write that
// was complete when the read began.
//
// With promise=atomic a reader writes the value that it is about to return back to a majority.
// Then all reads and writes are those of one register, which package history checks.
//
// With answers=quorum the answers of a majority are taken in one step, each set of senders by
// itself (see sim.OnQuorum), and nothing is remembered before.
//
// A message whose operation has ended stays in the bag, or is taken without effect
// (late=consumed); that changes the number of states and nothing else.
//
// Its known bugs are in system.go.
package storage
