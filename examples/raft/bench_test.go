package raft

import (
	"math"
	"testing"
	"time"

	core "go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"

	"macemc/internal/search"
	"macemc/internal/world"
	"macemc/sim"
)

// BenchmarkAgainstBare tells what the checker costs: the steps that a walk of
// three servers takes in a second, and the messages that three RawNodes, wired
// to each other in memory and to nothing else, take in a second. An operation
// is a run of each. Walks do more than messages: they save, send and apply in
// steps of their own, encode and decode, and check all properties after each
// step.
func BenchmarkAgainstBare(b *testing.B) {
	const steps, messages = 500, 200
	d := drive(b, 3, nil, nil, world.Config{})
	share := delivered(b, steps)
	var walking, running time.Duration
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		start := search.Processor()
		if f := d.run(calm, i, steps, func() bool { d.Judge.Live(); return false }); f != nil {
			b.Fatal(f.Message)
		}
		middle := search.Processor()
		bare(3, messages)
		walking, running = walking+middle-start, running+search.Processor()-middle
		i++
	}
	walked := float64(i*steps) / walking.Seconds()
	ran := float64(i*messages) / running.Seconds()
	b.ReportMetric(walked, "steps/s")
	b.ReportMetric(walked*share, "walk-messages/s")
	b.ReportMetric(ran, "bare-messages/s")
	b.ReportMetric(ran/walked, "bare-messages/step")
	b.ReportMetric(ran/(walked*share), "bare/walk-messages")
}

// BenchmarkWalkHashed is the walk with the state's hash after each step.
func BenchmarkWalkHashed(b *testing.B) {
	const steps = 500
	d := drive(b, 3, nil, nil, world.Config{})
	i, start := 0, search.Processor()
	for b.Loop() {
		if f := d.run(calm, i, steps, func() bool { d.State.Hash(); return false }); f != nil {
			b.Fatal(f.Message)
		}
		i++
	}
	b.ReportMetric(float64(i*steps)/(search.Processor()-start).Seconds(), "steps/s")
}

// delivered is the share of a walk's steps that deliver a message.
func delivered(b *testing.B, steps int) float64 {
	d := drive(b, 3, nil, nil, world.Config{Trace: true})
	messages, all := 0, 0
	for i := range 50 {
		if f := d.run(calm, i, steps, never); f != nil {
			b.Fatal(f.Message)
		}
		for _, s := range d.Run.Trace().Steps {
			all++
			if s.Event.Kind == sim.KindMessage {
				messages++
			}
		}
	}
	return float64(messages) / float64(all)
}

// mute is a logger that says nothing.
type mute struct{ core.Logger }

func (mute) Debugf(string, ...any)   {}
func (mute) Infof(string, ...any)    {}
func (mute) Warningf(string, ...any) {}

// bare has a leader elected, three commands applied, and heartbeats sent until
// so many messages were delivered.
func bare(nodes, messages int) {
	all := make([]*core.RawNode, nodes)
	disks := make([]*core.MemoryStorage, nodes)
	var voters []uint64
	for i := range all {
		voters = append(voters, uint64(i)+1)
	}
	for i := range all {
		disks[i] = core.NewMemoryStorage()
		must(disks[i].ApplySnapshot(&pb.Snapshot{Metadata: &pb.SnapshotMetadata{ConfState: &pb.ConfState{Voters: voters}}}))
		node, err := core.NewRawNode(&core.Config{
			ID: uint64(i) + 1, Storage: disks[i], Logger: mute{},
			HeartbeatTick: 1, ElectionTick: outOfReach,
			MaxSizePerMsg: math.MaxUint64, MaxInflightMsgs: 16,
		})
		must(err)
		all[i] = node
	}
	must(all[0].Campaign())
	for proposed := 0; messages > 0; {
		progress := false
		for i, n := range all {
			for n.HasReady() {
				progress = true
				ready := n.Ready()
				must(disks[i].Append(ready.Entries))
				if !core.IsEmptyHardState(ready.HardState) {
					must(disks[i].SetHardState(ready.HardState))
				}
				for _, m := range ready.Messages {
					must(all[m.GetTo()-1].Step(m))
					messages--
				}
				n.Advance(ready)
			}
		}
		switch {
		case progress:
		case proposed < 3:
			proposed++
			must(all[0].Propose([]byte{'c', byte('0' + proposed)}))
		default:
			all[0].Tick()
		}
	}
}
