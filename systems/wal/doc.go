// Package wal is a register over a write-ahead log: a server that logs each write, syncs, and
// answers, and a client that goes on when it has the answer.
//
// # The story
//
// The client writes the numbers 1, 2, ... in order, one at a time. The server
// appends a record for each to its log, syncs the log, and acknowledges, all by
// datagrams, which outlive who sent them; the client asks again by a timer. When it
// starts it reads the log back: records up to the first that is not whole, which it
// cuts off, since a crash may tear the last append.
//
// When the log has three records it is made short. The server writes the register's
// value into the other of two files, syncs that, and switches: the key "log" of its
// store names the file that counts. Once the switch is synced it empties the old
// one. So there are two orders to keep: the new log is on the disk before the
// switch, and the switch before the old log goes.
//
// # What is promised
//
// Once acknowledged, a write is never lost: whatever crashes when, in the middle
// of a step too, the server that runs has at least what the client knows to be
// written. And all writes are acknowledged in the end.
//
// # Known limits
//
//   - The register is a number that only grows, so one record is as good as all.
//   - A client that crashed begins anew: it writes 1 again, and the answer is the present value.
package wal
