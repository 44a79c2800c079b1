package raft

import (
	"fmt"
	"hash/crc32"

	"macemc/examples/raft/core"
	"macemc/sim"
)

// With storage=files, what a server must not lose is in a log on its stable storage,
// and raft's MemoryStorage is no more than a picture of that: Init makes it from the
// log. Saving is two tasks then, of which the second syncs.

const logName = "raft"

// around is the number of bytes of a record besides its data. A record is its kind, its length, its
// data, and a checksum of these, by which a reader recognizes a whole record.
const around = 7 // bytes besides the data

func record(kind byte, data []byte) []byte {
	if len(data) > 1<<16-1 {
		panic(fmt.Sprintf("raft: a record of %d bytes; a length is two bytes", len(data)))
	}
	out := append([]byte{kind, byte(len(data) >> 8), byte(len(data))}, data...)
	sum := crc32.ChecksumIEEE(out)
	return append(out, byte(sum>>24), byte(sum>>16), byte(sum>>8), byte(sum))
}

// whole returns the length of the first record in log, or 0 if log does not have the whole record.
func whole(log []byte) int {
	if len(log) < around || len(log) < around+int(log[1])<<8+int(log[2]) {
		return 0
	}
	n := around + int(log[1])<<8 + int(log[2])
	sum := crc32.ChecksumIEEE(log[:n-4])
	if [4]byte(log[n-4:n]) != [4]byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)} {
		return 0
	}
	return n
}

// write appends the data that the present Ready asks to save to the log.
func (s *server) write(env sim.Env) {
	file := env.Store().File(logName)
	s.ready.Records(func(kind byte, data []byte) { must(file.Append(record(kind, data))) })
}

// writeCompacted appends a record which says that the log begins behind a snapshot. The earlier
// records stay in the file, and replay skips them.
func (s *server) writeCompacted(env sim.Env, snapshot core.Snapshot) {
	file := env.Store().File(logName)
	must(file.Append(record(core.CompactRecord, snapshot.Record())))
}

// replay reads the file of the log, and restores s.disk from its records. A crash may have torn the
// last record, so replay stops at the first record that is not whole, and cuts off the file there:
// otherwise later records would come after the torn one, and could not be read.
func (s *server) replay(env sim.Env) {
	file := env.Store().File(logName)
	log := file.ReadAll()
	at := 0
	for n := whole(log); n > 0; n = whole(log[at:]) {
		s.disk.Replay(log[at], log[at+3:at+n-4])
		at += n
	}
	if at < len(log) && !env.Bug(RF5) {
		file.Truncate(at)
		must(file.Sync())
	}
}
