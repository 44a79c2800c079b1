package core

import (
	"fmt"

	raft "go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"
)

// Disk is a MemoryStorage.
type Disk struct{ *raft.MemoryStorage }

// NewDisk returns a disk with a first snapshot. These versions reject a snapshot of index 0,
// which is a configuration alone, so it gets an index.
func NewDisk(first Snapshot) *Disk {
	if len(first.Conf.Voters) > 0 && first.Index == 0 {
		first.Index, first.Term = 1, 1
	}
	d := &Disk{raft.NewMemoryStorage()}
	if first.Index > 0 || len(first.Conf.Voters) > 0 {
		must(d.ApplySnapshot(snap(first)))
	}
	if first.Index > 0 {
		must(d.SetHardState(pb.HardState{Term: first.Term, Commit: first.Index}))
	}
	return d
}

// Hard returns the hard state that was saved last.
func (d *Disk) Hard() Hard {
	h, _, err := d.InitialState()
	must(err)
	return hard(h)
}

// ForgetVote removes the vote from the saved hard state, and keeps the rest.
func (d *Disk) ForgetVote() {
	if h, _, err := d.InitialState(); err == nil {
		must(d.SetHardState(pb.HardState{Term: h.Term, Commit: h.Commit}))
	}
}

// Last returns the index of the last entry.
func (d *Disk) Last() uint64 {
	last, err := d.LastIndex()
	must(err)
	return last
}

// Base returns the snapshot after which the log begins.
func (d *Disk) Base() Snapshot {
	s, err := d.MemoryStorage.Snapshot()
	must(err)
	return snapshot(s)
}

// Log returns the entries of the log.
func (d *Disk) Log() (all []Entry) {
	first, err := d.FirstIndex()
	must(err)
	last := d.Last()
	if first > last {
		return nil
	}
	entries, err := d.Entries(first, last+1, 1<<30)
	must(err)
	for _, e := range entries {
		all = append(all, entry(e))
	}
	return all
}

// Save writes the data that a Ready asks to be saved. Of the entries it writes only those from index
// from on. It stores the library's own values without a copy: nobody changes an entry, by the
// library's contract, or a hard state once it is saved.
func (d *Disk) Save(r *Ready, from uint64) {
	if !raft.IsEmptySnap(r.ready.Snapshot) {
		must(d.ApplySnapshot(r.ready.Snapshot))
	}
	entries := r.ready.Entries
	for len(entries) > 0 && entries[0].Index < from {
		entries = entries[1:]
	}
	must(d.Append(entries))
	if !raft.IsEmptyHardState(r.ready.HardState) {
		must(d.SetHardState(r.ready.HardState))
	}
}

// Snap makes a snapshot of what was applied up to an index.
func (d *Disk) Snap(index uint64, c Conf, data string) {
	s := state(c)
	_, err := d.CreateSnapshot(index, &s, []byte(data))
	must(err)
}

// Cut forgets the log up to an index.
func (d *Disk) Cut(index uint64) { must(d.Compact(index)) }

// The kinds of records by which a disk is kept in a file.
const (
	EntryRecord    = 'e'
	HardRecord     = 'h'
	SnapshotRecord = 's' // it replaces the log
	CompactRecord  = 'c' // it replaces the log up to its index
)

// Records writes the records that a Ready asks for. A snapshot and the hard state that comes
// with it are one record, since neither is of use alone.
func (r *Ready) Records(write func(kind byte, data []byte)) {
	var hard []byte
	if h := r.ready.HardState; !raft.IsEmptyHardState(h) {
		hard = bytes(&h)
	}
	if !raft.IsEmptySnap(r.ready.Snapshot) {
		write(SnapshotRecord, append(append([]byte{byte(len(hard))}, hard...), bytes(&r.ready.Snapshot)...))
		hard = nil
	}
	for _, e := range r.ready.Entries {
		write(EntryRecord, bytes(&e))
	}
	if len(hard) > 0 {
		write(HardRecord, hard)
	}
}

// Record returns the record of a snapshot that this server made.
func (s Snapshot) Record() []byte {
	out := snap(s)
	return bytes(&out)
}

// Replay applies a record to the disk.
func (d *Disk) Replay(kind byte, data []byte) {
	switch kind {
	case EntryRecord:
		var e pb.Entry
		must(e.Unmarshal(data))
		must(d.Append([]pb.Entry{e}))
	case HardRecord:
		var h pb.HardState
		must(h.Unmarshal(data))
		must(d.SetHardState(h))
	case SnapshotRecord:
		n := 1 + int(data[0])
		var s pb.Snapshot
		must(s.Unmarshal(data[n:]))
		must(d.ApplySnapshot(s))
		if n > 1 {
			d.Replay(HardRecord, data[1:n])
		}
	case CompactRecord:
		var s pb.Snapshot
		must(s.Unmarshal(data))
		at := snapshot(s)
		d.Snap(at.Index, at.Conf, at.Data)
		d.Cut(at.Index)
	default:
		panic(fmt.Sprintf("raft: no case for a record %q", kind))
	}
}

func bytes(m interface{ Marshal() ([]byte, error) }) []byte {
	b, err := m.Marshal()
	must(err)
	return b
}
