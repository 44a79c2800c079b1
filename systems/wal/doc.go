// Package wal is a register over a write-ahead log: a server that logs each write, syncs, and
// answers, and a client that continues when it has the answer.
//
// # The story
//
// The client writes the numbers 1, 2, ... in order, one at a time. The server
// appends a record for each to its log, syncs the log, and acknowledges, all by
// datagrams, which stay under way if their sender crashes; the client asks again by a timer. When
// the server starts, it reads the log: records up to the first that is not whole, which it
// cuts off, since a crash may tear the last append.
//
// When the log has three records, it is shortened. The server writes the register's
// value into the other of two files, syncs that, and switches: the key "log" of its
// store names the file in use. Once the switch is synced, it empties the old
// file. So two orders matter: the new log must be on the disk before the
// switch, and the switch before the old log is emptied.
//
// # What is promised
//
// Once acknowledged, a write is never lost: whichever node crashes at whatever time, even in the
// middle of a step, a running server has at least the writes that the client knows to be
// acknowledged. And all writes are acknowledged in the end, although datagrams are lost and doubled.
//
// # Known limits
//
//   - The register is a number that only grows, so the last record says as much as all of them.
//   - A client that crashed begins anew: it writes 1 again, and the answer is the present value.
package wal
