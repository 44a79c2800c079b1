package raft

import (
	"math"
	"runtime/debug"
	"testing"
	"time"

	core "go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"

	"macemc/internal/search"
	"macemc/internal/world"
	"macemc/sim"
)

// BenchmarkAgainstBare measures what the checker costs. An operation is a walk of three servers, as a search
// takes it but for coverage; the same with liveness looked at after every step, and not at the end alone; the same by
// bare RawNodes, which get from a tape what raft got in the walk; and bare RawNodes that deliver messages, most of
// which are heartbeats and their answers. search/bare and walk/bare compare equal work, of the walk without and with
// liveness: what is above 1 is the driver's, the codec's, the properties' and the checker's. bare/walk-messages
// compares messages alone, of the walk with liveness, and takes the steps that deliver none as the checker's.
func BenchmarkAgainstBare(b *testing.B) {
	const steps, messages = 500, 200
	d := drive(b, 3, nil, nil, world.Config{Sprint: true})
	share := delivered(b, steps)
	traced := drive(b, 3, nil, nil, world.Config{Trace: true})
	var tapes [50]tape
	for k := range tapes {
		tapes[k] = taped(b, traced, k, steps)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as a search does: see run.Limits.Spares
	live := func() bool { d.Judge.Live(); return false }
	var searching, walking, running, playing time.Duration
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		first := search.Processor()
		if f := d.run(calm, i%len(tapes), steps, never); f != nil {
			b.Fatal(f.Message)
		}
		start := search.Processor()
		if f := d.run(calm, i%len(tapes), steps, live); f != nil {
			b.Fatal(f.Message)
		}
		walked := search.Processor()
		searching += start - first
		wireUp().play(tapes[i%len(tapes)], nil)
		played := search.Processor()
		bare(3, messages)
		walking, playing, running = walking+walked-start, playing+played-walked, running+search.Processor()-played
		i++
	}
	walked := float64(i*steps) / walking.Seconds()
	ran := float64(i*messages) / running.Seconds()
	b.ReportMetric(walked, "steps/s")
	b.ReportMetric(walked*share, "walk-messages/s")
	b.ReportMetric(ran, "bare-messages/s")
	b.ReportMetric(searching.Seconds()/playing.Seconds(), "search/bare")
	b.ReportMetric(walking.Seconds()/playing.Seconds(), "walk/bare")
	b.ReportMetric(ran/(walked*share), "bare/walk-messages")
}

// BenchmarkWalkHashed is the walk with the state's hash after each step.
func BenchmarkWalkHashed(b *testing.B) {
	const steps = 500
	d := drive(b, 3, nil, nil, world.Config{Sprint: true})
	i, start := 0, search.Processor()
	for b.Loop() {
		if f := d.run(calm, i, steps, func() bool { d.State.Hash(); return false }); f != nil {
			b.Fatal(f.Message)
		}
		i++
	}
	b.ReportMetric(float64(i*steps)/(search.Processor()-start).Seconds(), "steps/s")
}

// delivered returns the share of a walk's steps that deliver a message.
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

// bare makes nodes elect a leader, apply three commands and send heartbeats, until this number of messages was
// delivered.
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
