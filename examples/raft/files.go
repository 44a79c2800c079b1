package raft

import (
	"fmt"
	"hash/crc32"

	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"macemc/sim"
)

// With storage=files, what a server must not lose is in a log on its stable storage,
// and raft's MemoryStorage is no more than a picture of that: Init makes it from the
// log. Saving is two tasks then, of which the second syncs.

const logName = "raft"

// A record is its kind, its length, its data, and a sum of all that: by these a
// reader knows that a record is whole.
const (
	entryRecord     = 'e'
	hardStateRecord = 'h'
	around          = 6 // bytes besides the data
)

func record(kind byte, m proto.Message) []byte {
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	must(err)
	if len(data) > 255 {
		panic(fmt.Sprintf("raft: a record of %d bytes; a length is one byte", len(data)))
	}
	out := append([]byte{kind, byte(len(data))}, data...)
	sum := crc32.ChecksumIEEE(out)
	return append(out, byte(sum>>24), byte(sum>>16), byte(sum>>8), byte(sum))
}

// whole is the length of the first record, or 0 if it is not whole.
func whole(log []byte) int {
	if len(log) < around || len(log) < around+int(log[1]) {
		return 0
	}
	n := around + int(log[1])
	sum := crc32.ChecksumIEEE(log[:n-4])
	if [4]byte(log[n-4:n]) != [4]byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)} {
		return 0
	}
	return n
}

// write appends to the log what the Ready in hand asks to save.
func (s *server) write(env sim.Env) {
	file := env.Store().File(logName)
	for _, e := range s.ready.Entries {
		must(file.Append(record(entryRecord, e)))
	}
	if hard := s.ready.HardState; hard != nil && s.asks(env, save{}) {
		must(file.Append(record(hardStateRecord, hard)))
	}
}

// replay makes the picture from the log, up to the first record that is not whole:
// a crash may tear the last append. What is not whole is cut off, since what is
// appended from now on would stand behind it.
func (s *server) replay(env sim.Env) {
	file := env.Store().File(logName)
	log := file.ReadAll()
	at := 0
	for n := whole(log); n > 0; n = whole(log[at:]) {
		data := log[at+2 : at+n-4]
		if log[at] == entryRecord {
			e := new(pb.Entry)
			must(proto.Unmarshal(data, e))
			must(s.disk.Append([]*pb.Entry{e}))
		} else {
			hard := new(pb.HardState)
			must(proto.Unmarshal(data, hard))
			must(s.disk.SetHardState(hard))
		}
		at += n
	}
	if at < len(log) && !env.Bug(RF5) {
		file.Truncate(at)
		must(file.Sync())
	}
}
