// Package core is the library under check as the driver sees it: the same names and
// the same plain values for each family of its API. This one is go.etcd.io/raft/v3
// from v3.7.0 on, whose messages are pointers. Another family, or another version, is
// one line of the driver's go.mod: see docs/cores.md.
//
// It decides nothing. What it does besides calling is in clock.go: it reads and writes
// two fields that have to do with ticks.
package core

import (
	"fmt"
	"strings"
	"unsafe"

	raft "go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"
)

// Opaque lists the fields of the library's values that are no part of the state.
var Opaque = []string{
	// Functions; which they are follows from raft.state, which is walked.
	"go.etcd.io/raft/v3.raft.tick",
	"go.etcd.io/raft/v3.raft.step",
	// Random, from a global generator. Nobody reads what was drawn: see Tick.
	"go.etcd.io/raft/v3.raft.randomizedElectionTimeout",
	// Statistics of the storage, which are never read.
	"go.etcd.io/raft/v3.MemoryStorage.callStats",
	// Written when a protobuf is first looked at, by whatever looks: caches of
	// its type and of its size. The size's type is an alias of int32, so that
	// only the field can be named.
	"google.golang.org/protobuf/internal/impl.MessageState",
	"*.sizeCache",
}

// Joint and Learners report whether the versions of this family have joint configurations
// and learners.
const Joint, Learners = true, true

// Logger is the library's Logger.
type Logger = raft.Logger

// ErrProposalDropped is the error of a proposal that no server accepted.
var ErrProposalDropped = raft.ErrProposalDropped

// IsStranger reports whether an error means that the sender of a message is no member,
// as far as this server knows.
func IsStranger(err error) bool { return err == raft.ErrStepPeerNotFound }

// Entry is an entry of the log.
type Entry struct {
	Index, Term uint64
	Data        string // of a change, as it is encoded
	Change      bool   // of the configuration
	V2          bool   // a change that may lead to a joint configuration
}

// Conf is a configuration.
type Conf struct {
	Voters, Outgoing, Learners, Next []uint64
	AutoLeave                        bool
}

// String returns the configuration as text. Equal configurations have equal texts.
func (c Conf) String() string {
	text := fmt.Sprint(c.Voters)
	if len(c.Outgoing) > 0 {
		text += fmt.Sprint(" out of ", c.Outgoing)
	}
	if len(c.Learners)+len(c.Next) > 0 {
		text += fmt.Sprint(" learning ", c.Learners, c.Next)
	}
	return text
}

// Change is a change of the configuration.
type Change struct {
	Add, Learn, Remove []uint64
	Joint              bool // by a joint configuration, which is left by itself, unless
	Stay               bool // it is to be left by a change of its own:
	Leave              bool // this one
}

// Snapshot is the state of the application up to an index.
type Snapshot struct {
	Index, Term uint64
	Conf        Conf
	Data        string
}

// Read has the index that must be applied before a read is answered.
type Read struct {
	Index   uint64
	Context string
}

// Hard is the part of a server's state, besides its log, that must survive a crash.
type Hard struct{ Term, Vote, Commit uint64 }

// Options are the options of a node.
type Options struct {
	ID                           uint64
	Disk                         *Disk
	Logger                       Logger
	Heartbeat, Election          int // ticks
	PreVote, CheckQuorum, Leases bool
	GoesOn                       bool // a leader that is removed goes on as one, where there is a choice
}

// Node is a RawNode.
type Node struct{ *raft.RawNode }

// NewNode starts a node from the data on the disk.
func NewNode(o Options) (*Node, error) {
	c := &raft.Config{
		ID: o.ID, Storage: o.Disk.MemoryStorage, Logger: o.Logger,
		HeartbeatTick: o.Heartbeat, ElectionTick: o.Election,
		PreVote: o.PreVote, CheckQuorum: o.CheckQuorum,
		MaxSizePerMsg: 1 << 20, MaxInflightMsgs: 16,
		StepDownOnRemoval: !o.GoesOn, // not by default
	}
	if o.Leases {
		c.ReadOnlyOption = raft.ReadOnlyLeaseBased
	}
	n, err := raft.NewRawNode(c)
	return &Node{n}, err
}

// Step passes a message to the node.
func (n *Node) Step(m Message) error { return n.RawNode.Step(m.m) }

// Propose proposes a command.
func (n *Node) Propose(data string) error { return n.RawNode.Propose([]byte(data)) }

// ReadIndex asks for the index that must be applied before a read is answered.
func (n *Node) ReadIndex(context string) { n.RawNode.ReadIndex([]byte(context)) }

// SnapshotFailed reports to the node that a snapshot may not have arrived.
func (n *Node) SnapshotFailed(to uint64) { n.ReportSnapshot(to, raft.SnapshotFailure) }

// ProposeChange proposes a change of the configuration.
func (n *Node) ProposeChange(c Change) error {
	var all []*pb.ConfChangeSingle
	add := func(kind pb.ConfChangeType, ids []uint64) {
		for _, id := range ids {
			all = append(all, &pb.ConfChangeSingle{Type: kind.Enum(), NodeId: new(id)})
		}
	}
	add(pb.ConfChangeAddNode, c.Add)
	add(pb.ConfChangeAddLearnerNode, c.Learn)
	add(pb.ConfChangeRemoveNode, c.Remove)
	switch {
	case len(all) == 1 && !c.Joint:
		return n.ProposeConfChange(&pb.ConfChange{Type: all[0].Type, NodeId: all[0].NodeId})
	case c.Leave:
		return n.ProposeConfChange(&pb.ConfChangeV2{})
	case c.Stay:
		return n.ProposeConfChange(&pb.ConfChangeV2{Transition: pb.ConfChangeTransitionJointExplicit.Enum(), Changes: all})
	default:
		return n.ProposeConfChange(&pb.ConfChangeV2{Changes: all})
	}
}

// ApplyChange applies an entry that changes the configuration, and returns the new one.
func (n *Node) ApplyChange(e Entry) Conf {
	if e.V2 {
		c := new(pb.ConfChangeV2)
		must(proto.Unmarshal([]byte(e.Data), c))
		return conf(n.ApplyConfChange(c))
	}
	c := new(pb.ConfChange)
	must(proto.Unmarshal([]byte(e.Data), c))
	return conf(n.ApplyConfChange(c))
}

// Ready is the work that a node asks its driver to do.
type Ready struct{ ready raft.Ready }

// Take returns the next Ready of the node.
func (n *Node) Take() Ready { return Ready{n.RawNode.Ready()} }

// Done reports to the node that the work of a Ready is done.
func (n *Node) Done(r Ready) { n.Advance(r.ready) }

// Hard returns the hard state, if it has changed.
func (r *Ready) Hard() (h Hard, ok bool) {
	if raft.IsEmptyHardState(r.ready.HardState) {
		return Hard{}, false
	}
	return hard(r.ready.HardState), true
}

// Soft returns the leader, and whether this node leads, if that has changed.
func (r *Ready) Soft() (lead uint64, leads, ok bool) {
	if r.ready.SoftState == nil {
		return 0, false, false
	}
	return r.ready.SoftState.Lead, r.ready.SoftState.RaftState == raft.StateLeader, true
}

// Entries returns the number of entries to save.
func (r *Ready) Entries() int { return len(r.ready.Entries) }

// Entry returns the i-th entry to save.
func (r *Ready) Entry(i int) Entry { return entry(r.ready.Entries[i]) }

// Commits returns the number of entries to apply.
func (r *Ready) Commits() int { return len(r.ready.CommittedEntries) }

// Commit returns the i-th entry to apply.
func (r *Ready) Commit(i int) Entry { return entry(r.ready.CommittedEntries[i]) }

// Messages returns the number of messages to send.
func (r *Ready) Messages() int { return len(r.ready.Messages) }

// Message returns the i-th message to send.
func (r *Ready) Message(i int) Message { return Message{r.ready.Messages[i]} }

// Reads returns the reads that may be answered.
func (r *Ready) Reads() (all []Read) {
	for _, s := range r.ready.ReadStates {
		all = append(all, Read{s.Index, string(s.RequestCtx)})
	}
	return all
}

// Snapshot returns the snapshot that came from the leader, if any.
func (r *Ready) Snapshot() (s Snapshot, ok bool) {
	if raft.IsEmptySnap(r.ready.Snapshot) {
		return Snapshot{}, false
	}
	return snapshot(r.ready.Snapshot), true
}

// Message is a message of the library.
type Message struct{ m *pb.Message }

// To returns the receiver.
func (m Message) To() uint64 { return m.m.GetTo() }

// From returns the sender.
func (m Message) From() uint64 { return m.m.GetFrom() }

// IsSnapshot reports whether the message contains a snapshot.
func (m Message) IsSnapshot() bool { return m.m.GetType() == pb.MsgSnap }

// String returns the message as one line for people.
func (m Message) String() string {
	return strings.Join(strings.Fields(raft.DescribeMessage(m.m, nil)), " ")
}

// entry returns an entry of the library as an Entry. Both have the same data in memory, which does
// not change, by the library's contract.
func entry(e *pb.Entry) Entry {
	data := e.GetData()
	return Entry{e.GetIndex(), e.GetTerm(), unsafe.String(unsafe.SliceData(data), len(data)), e.GetType() != pb.EntryNormal, e.GetType() == pb.EntryConfChangeV2}
}

func hard(h *pb.HardState) Hard { return Hard{h.GetTerm(), h.GetVote(), h.GetCommit()} }

func conf(c *pb.ConfState) Conf {
	return Conf{c.GetVoters(), c.GetVotersOutgoing(), c.GetLearners(), c.GetLearnersNext(), c.GetAutoLeave()}
}

func state(c Conf) *pb.ConfState {
	s := &pb.ConfState{Voters: c.Voters, VotersOutgoing: c.Outgoing, Learners: c.Learners, LearnersNext: c.Next}
	if c.AutoLeave {
		s.AutoLeave = new(true)
	}
	return s
}

func snapshot(s *pb.Snapshot) Snapshot {
	m := s.GetMetadata()
	return Snapshot{m.GetIndex(), m.GetTerm(), conf(m.GetConfState()), string(s.GetData())}
}

func snap(s Snapshot) *pb.Snapshot {
	out := &pb.Snapshot{Metadata: &pb.SnapshotMetadata{ConfState: state(s.Conf)}}
	if s.Index > 0 {
		out.Metadata.Index, out.Metadata.Term = new(s.Index), new(s.Term)
	}
	if s.Data != "" {
		out.Data = []byte(s.Data)
	}
	return out
}

func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("raft: %v", err))
	}
}
