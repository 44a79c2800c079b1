package raft

import (
	"fmt"
	"strings"

	core "go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"
)

// wire is a message of raft's as it is on the wire. A message must not change
// once it is sent, and a *pb.Message does: even looking at its size writes to
// it, and its entries are those of the sender's log. A string cannot.
type wire string

// encode is deterministic: equal messages are equal strings.
func encode(m *pb.Message) wire {
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		panic(fmt.Sprintf("raft: a message cannot be encoded: %v", err))
	}
	return wire(b)
}

func (w wire) decode() (*pb.Message, error) {
	m := new(pb.Message)
	return m, proto.Unmarshal([]byte(w), m)
}

// String is for people.
func (w wire) String() string {
	m, err := w.decode()
	if err != nil {
		return fmt.Sprintf("%q, which is no message of raft's: %v", string(w), err)
	}
	return describe(m)
}

// describe is one line.
func describe(m *pb.Message) string {
	return strings.Join(strings.Fields(core.DescribeMessage(m, nil)), " ")
}
