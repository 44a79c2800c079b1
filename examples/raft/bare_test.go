package raft

import (
	"testing"

	core "go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"macemc/internal/world"
	"macemc/trace"
)

// A tape is the list of inputs that the RawNodes got in a walk without faults, in order, and of the tasks of a
// Ready that were done between them.
type tape []input

// input is a step of a walk, as it concerns raft.
type input struct {
	node    int
	what    any   // campaign, heartbeat, propose, save, send or apply; nil if a message is delivered
	message int32 // the number of that message
	sent    []int32
	command []byte
}

// taped returns the tape of walk i.
func taped(t testing.TB, d driven, i, steps int) (all tape) {
	if f := d.run(calm, i, steps, never); f != nil {
		t.Fatal(f.Message)
	}
	for _, s := range d.Run.Trace().Steps {
		in := input{node: s.Node.Index(), what: s.Event.Value}
		switch value := s.Event.Value.(type) {
		case wire:
			in.what, in.message = nil, int32(s.Took[0])
		case propose:
			if len(s.Effects) == 0 { // the command is in the log
				continue
			}
			in.command = []byte(value.command)
		case send:
			for _, e := range s.Effects {
				if e.Kind == trace.EffectSend {
					in.sent = append(in.sent, e.Number)
				}
			}
		}
		all = append(all, in)
	}
	return all
}

// wired are RawNodes that are connected to each other in memory, without a driver.
type wired struct {
	nodes []*core.RawNode
	disks []*core.MemoryStorage
	ready []core.Ready // in hand
	tasks []int        // how many tasks of it are not done
	sent  []*pb.Message
}

// wireUp returns three nodes that are configured as the driver's are.
func wireUp() *wired {
	const n = 3
	w := &wired{ready: make([]core.Ready, n), tasks: make([]int, n)}
	for i := range n {
		disk := core.NewMemoryStorage()
		must(disk.ApplySnapshot(&pb.Snapshot{Metadata: &pb.SnapshotMetadata{ConfState: &pb.ConfState{Voters: []uint64{1, 2, 3}}}}))
		node, err := core.NewRawNode(&core.Config{
			ID: uint64(i) + 1, Storage: disk, Logger: mute{},
			HeartbeatTick: 1, ElectionTick: outOfReach,
			MaxSizePerMsg: 1 << 20, MaxInflightMsgs: 16, StepDownOnRemoval: true,
		})
		must(err)
		w.nodes, w.disks = append(w.nodes, node), append(w.disks, disk)
	}
	return w
}

// play gives the inputs of a tape to the nodes. It calls told with each message that is sent, unless told is
// nil.
func (w *wired) play(t tape, told func(number int32, m *pb.Message)) {
	for k := range t {
		in := &t[k]
		i := in.node
		switch in.what.(type) {
		case nil:
			_ = w.nodes[i].Step(w.sent[in.message])
		case campaign:
			must(w.nodes[i].Campaign())
		case heartbeat:
			w.nodes[i].Tick()
		case propose:
			_ = w.nodes[i].Propose(in.command)
		case save:
			must(w.disks[i].Append(w.ready[i].Entries))
			if !core.IsEmptyHardState(w.ready[i].HardState) {
				must(w.disks[i].SetHardState(w.ready[i].HardState))
			}
			w.done(i)
		case send:
			for k, m := range w.ready[i].Messages {
				if told != nil {
					told(in.sent[k], m)
				}
				for int(in.sent[k]) >= len(w.sent) {
					w.sent = append(w.sent, nil)
				}
				w.sent[in.sent[k]] = m
			}
			w.done(i)
		case apply:
			w.done(i)
		}
		w.take(i)
	}
}

// done ends a task of the node's current Ready.
func (w *wired) done(i int) {
	if w.tasks[i]--; w.tasks[i] == 0 {
		w.nodes[i].Advance(w.ready[i])
	}
}

// take takes the next Ready of a node, if there is one and the node has none in work.
func (w *wired) take(i int) {
	for w.tasks[i] == 0 && w.nodes[i].HasReady() {
		r := w.nodes[i].Ready()
		w.ready[i] = r
		for _, asked := range [...]bool{
			len(r.Entries) > 0 || !core.IsEmptyHardState(r.HardState), len(r.Messages) > 0, len(r.CommittedEntries) > 0,
		} {
			if asked {
				w.tasks[i]++
			}
		}
		if w.tasks[i] == 0 {
			w.nodes[i].Advance(r)
		}
	}
}

// Bare nodes with the inputs of a walk send the same messages as in the walk.
func TestTape(t *testing.T) {
	d, messages := drive(t, 3, nil, nil, world.Config{Trace: true}), 0
	for i := range 20 {
		all := taped(t, d, i, 500)
		told := map[int32]wire{}
		for _, s := range d.Run.Trace().Steps {
			for _, e := range s.Effects {
				if e.Kind == trace.EffectSend {
					told[e.Number] = e.Value.(wire)
				}
			}
		}
		wireUp().play(all, func(number int32, m *pb.Message) {
			b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
			if messages++; number != 0 && (err != nil || string(b) != string(told[number])) {
				t.Fatalf("walk %d, message %d: %q by the tape, %q in the walk", i, number, b, told[number])
			}
		})
	}
	if messages < 1000 {
		t.Errorf("%d messages in 20 walks", messages)
	}
}
