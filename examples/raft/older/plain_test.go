package older

import (
	"io"
	"log"
	"testing"

	"github.com/coreos/etcd/raft"
	"github.com/coreos/etcd/raft/raftpb"
)

// cluster is three servers, and what they have sent.
type cluster struct {
	nodes  map[uint64]*raft.RawNode
	stores map[uint64]*raft.MemoryStorage
	sent   []raftpb.Message
}

func newCluster(t *testing.T) *cluster {
	c := &cluster{map[uint64]*raft.RawNode{}, map[uint64]*raft.MemoryStorage{}, nil}
	quiet := &raft.DefaultLogger{Logger: log.New(io.Discard, "", 0)}
	for id := uint64(1); id <= 3; id++ {
		c.stores[id] = raft.NewMemoryStorage()
		n, err := raft.NewRawNode(&raft.Config{
			ID: id, ElectionTick: 10, HeartbeatTick: 1, Storage: c.stores[id], MaxSizePerMsg: 1 << 20, MaxInflightMsgs: 16,
			CheckQuorum: true, PreVote: true, Logger: quiet,
		}, []raft.Peer{{ID: 1}, {ID: 2}, {ID: 3}})
		if err != nil {
			t.Fatal(err)
		}
		c.nodes[id] = n
	}
	c.ready()
	return c
}

// ready does the work of the servers' Readies: it saves, applies, and collects the messages to send.
func (c *cluster) ready() {
	for id := uint64(1); id <= 3; id++ {
		for n := c.nodes[id]; n.HasReady(); {
			r := n.Ready()
			_ = c.stores[id].Append(r.Entries)
			if !raft.IsEmptyHardState(r.HardState) {
				_ = c.stores[id].SetHardState(r.HardState)
			}
			for _, e := range r.CommittedEntries {
				if e.Type == raftpb.EntryConfChange {
					var change raftpb.ConfChange
					_ = change.Unmarshal(e.Data)
					n.ApplyConfChange(change)
				}
			}
			c.sent = append(c.sent, r.Messages...)
			n.Advance(r)
		}
	}
}

// only delivers some of the messages, until no messages are left, and loses the others.
func (c *cluster) only(t *testing.T, these func(raftpb.Message) bool) {
	for c.ready(); len(c.sent) > 0; c.ready() {
		m := c.sent[0]
		c.sent = c.sent[1:]
		if !these(m) {
			continue
		}
		if err := c.nodes[m.To].Step(m); err != nil {
			t.Fatal(err)
		}
	}
}

// A server follows another one that was never elected: it takes any answer of a higher term for that of a
// leader. The test passes as long as the library has this bug.
func TestFollowsWhoWasNotElected(t *testing.T) {
	c := newCluster(t)
	if err := c.nodes[1].Campaign(); err != nil {
		t.Fatal(err)
	}
	c.only(t, func(raftpb.Message) bool { return true })
	if s := c.nodes[1].Status(); s.RaftState != raft.StateLeader {
		t.Fatalf("server 1 does not lead: %v", s)
	}

	// Server 1 asks 2 to take over. 2 stands for election, and its requests for votes are lost.
	c.nodes[1].TransferLeader(2)
	c.only(t, func(m raftpb.Message) bool { return m.Type == raftpb.MsgTimeoutNow })
	candidate := c.nodes[2].Status()
	if candidate.RaftState != raft.StateCandidate {
		t.Fatalf("server 2 is no candidate: %v", candidate)
	}

	// 2 answers a heartbeat of 1 by its own term.
	c.nodes[1].Tick()
	c.only(t, func(m raftpb.Message) bool {
		return m.Type == raftpb.MsgHeartbeat && m.To == 2 || m.Type == raftpb.MsgAppResp && m.From == 2
	})
	s := c.nodes[1].Status()
	if s.Lead != 2 || s.Term != candidate.Term || c.nodes[2].Status().RaftState == raft.StateLeader {
		t.Errorf("server 1 follows %d in term %d, and 2 is %v: it is mended", s.Lead, s.Term, c.nodes[2].Status().RaftState)
	}
}
