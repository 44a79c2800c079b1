package core

import (
	"math/rand/v2"
	"testing"

	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"
)

// Messages of any fields have the bytes that package proto gives them, and are read as it reads them.
func TestCodec(t *testing.T) {
	if n := new(pb.Message).ProtoReflect().Descriptor().Fields().Len(); n != 14 {
		t.Errorf("a message has %d fields; Encode knows 14, and would leave out the others", n)
	}
	r := rand.New(rand.NewPCG(1, 1))
	some := func() *uint64 {
		if r.IntN(2) == 0 {
			return nil
		}
		return new(r.Uint64() >> r.IntN(65))
	}
	for range 20_000 {
		m := &pb.Message{To: some(), From: some(), Term: some(), LogTerm: some(), Index: some(), Commit: some(), RejectHint: some(), Vote: some()}
		if r.IntN(8) > 0 {
			m.Type = pb.MessageType(r.IntN(300)).Enum()
		}
		if r.IntN(2) > 0 {
			m.Reject = new(r.IntN(2) == 0)
		}
		if r.IntN(4) == 0 {
			m.Context = make([]byte, r.IntN(200))
		}
		if r.IntN(8) == 0 {
			m.Entries = []*pb.Entry{{Term: some(), Index: some(), Data: make([]byte, r.IntN(200))}, {Type: pb.EntryConfChange.Enum()}}
		}
		if r.IntN(8) == 0 {
			m.Snapshot = &pb.Snapshot{Data: []byte("c1")}
		}
		b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if got := (Message{m}).Encode(); got != string(b) {
			t.Fatalf("%v is %q, and not %q", m, got, b)
		}
		if got, err := Decode(string(b)); err != nil || !proto.Equal(got.m, m) {
			t.Fatalf("%v is read as %v, %v", m, got.m, err)
		}
		if cut := b[:r.IntN(len(b)+1)]; len(cut) < len(b) {
			want := new(pb.Message)
			wrong := proto.Unmarshal(cut, want)
			if got, err := Decode(string(cut)); (err == nil) != (wrong == nil) || err == nil && !proto.Equal(got.m, want) {
				t.Fatalf("%q is read as %v, %v, and not as %v, %v", cut, got.m, err, want, wrong)
			}
		}
	}
}
