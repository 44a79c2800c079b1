package raft

import (
	"context"
	"fmt"
	"io"
	"log"
	"math"
	"net"
	"slices"
	syncs "sync"
	"sync/atomic"
	"testing"
	"time"

	core "go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"macemc/live"
	"macemc/sim"
)

// BenchmarkProposals measures the time from a proposal to the leader of three servers until it is applied
// there, for one client at a time and for sixteen at once: with the servers of this package run live, and with
// the loop in the package comment of go.etcd.io/raft/v3, over the same sockets, which are UDP on the loopback
// interface. Both keep what they store in memory. It also reports the time that 99 of a hundred proposals do
// not exceed.
func BenchmarkProposals(b *testing.B) {
	for _, clients := range []int{1, 16} {
		for _, of := range []struct {
			name  string
			start func(testing.TB) (propose func(ctx context.Context, text string) error, stop func())
		}{{"live", startLive}, {"loop", startLoop}} {
			b.Run(fmt.Sprintf("%s, clients %d", of.name, clients), func(b *testing.B) {
				ask, stop := of.start(b)
				defer stop()
				ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
				defer cancel()
				if err := ask(ctx, "the first"); err != nil {
					b.Fatal(err)
				}
				took := make([]time.Duration, b.N)
				var next atomic.Int64
				var all syncs.WaitGroup
				b.ResetTimer()
				for range clients {
					all.Go(func() {
						for i := int(next.Add(1)) - 1; i < b.N; i = int(next.Add(1)) - 1 {
							began := time.Now()
							if err := ask(ctx, fmt.Sprint("c", i)); err != nil {
								b.Error(err)
								return
							}
							took[i] = time.Since(began)
						}
					})
				}
				all.Wait()
				slices.Sort(took)
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "proposals/s")
				b.ReportMetric(float64(took[(b.N-1)*99/100].Microseconds()), "p99-µs")
			})
		}
	}
}

// startLive runs the servers of this package, and finds their leader.
func startLive(t testing.TB) (func(context.Context, string) error, func()) {
	p, err := System.Configure(3, []string{"proposals=0"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	leads := make(chan int, 100)
	h, err := live.Start(System, live.Config{Params: p, Facts: func(at sim.Addr, fact any) {
		if _, is := fact.(elected); is {
			leads <- at.Index()
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	leader := h.Node(<-leads)
	return func(ctx context.Context, text string) error {
			_, err := leader.Ask(ctx, Propose(text), func(fact any) bool {
				_, done, ok := Applied(fact)
				return ok && done == text
			})
			return err
		}, func() {
			if err := h.Stop(); err != nil {
				t.Error(err)
			}
		}
}

// member is a server by the loop of the package comment.
type member struct {
	node    core.Node
	storage *core.MemoryStorage
	conn    *net.UDPConn
	peers   []*net.UDPAddr // by id, from 1
	leads   chan bool

	mu      syncs.Mutex
	waiting map[string]chan struct{}
}

// startLoop runs three members. The first one campaigns at once.
func startLoop(t testing.TB) (func(context.Context, string) error, func()) {
	var members []*member
	at := []*net.UDPAddr{nil}
	for range 3 {
		conn, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
		if err != nil {
			t.Fatal(err)
		}
		at = append(at, conn.LocalAddr().(*net.UDPAddr))
		members = append(members, &member{conn: conn, leads: make(chan bool, 1), waiting: map[string]chan struct{}{}})
	}
	stop := make(chan struct{})
	var all syncs.WaitGroup
	for i, m := range members {
		m.peers, m.storage = at, core.NewMemoryStorage()
		m.node = core.StartNode(&core.Config{
			ID: uint64(i) + 1, Storage: m.storage, Logger: &core.DefaultLogger{Logger: log.New(io.Discard, "", 0)},
			HeartbeatTick: 1, ElectionTick: 10, MaxSizePerMsg: math.MaxUint64, MaxInflightMsgs: 256,
		}, []core.Peer{{ID: 1}, {ID: 2}, {ID: 3}})
		all.Go(func() { m.run(stop) })
		all.Go(m.receive)
	}
	leader := members[0]
	for ctx := t.Context(); ; { // its own configuration has to be applied first
		if err := leader.node.Campaign(ctx); err != nil {
			t.Fatal(err)
		}
		select {
		case <-leader.leads:
		case <-time.After(20 * time.Millisecond):
			continue
		}
		break
	}
	return leader.propose, func() {
		close(stop)
		for _, m := range members {
			_ = m.conn.Close()
		}
		all.Wait()
	}
}

// run is the loop of a member.
func (m *member) run(stop <-chan struct{}) {
	defer m.node.Stop()
	ticker := time.NewTicker(heartbeatEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			m.node.Tick()
		case rd := <-m.node.Ready():
			if !core.IsEmptyHardState(rd.HardState) {
				must(m.storage.SetHardState(rd.HardState))
			}
			must(m.storage.Append(rd.Entries))
			for _, msg := range rd.Messages {
				data, err := proto.Marshal(msg)
				must(err)
				_, _ = m.conn.WriteToUDP(data, m.peers[msg.GetTo()])
			}
			if rd.SoftState != nil && rd.SoftState.RaftState == core.StateLeader {
				m.leads <- true
			}
			for _, e := range rd.CommittedEntries {
				m.apply(e)
			}
			m.node.Advance()
		case <-stop:
			return
		}
	}
}

func (m *member) apply(e *pb.Entry) {
	if e.GetType() == pb.EntryConfChange {
		var cc pb.ConfChange
		must(proto.Unmarshal(e.GetData(), &cc))
		m.node.ApplyConfChange(&cc)
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if done := m.waiting[string(e.GetData())]; done != nil {
		delete(m.waiting, string(e.GetData()))
		close(done)
	}
}

func (m *member) receive() {
	buf := make([]byte, 1<<16)
	for {
		k, _, err := m.conn.ReadFromUDP(buf)
		if err != nil {
			return
		}
		msg := new(pb.Message)
		must(proto.Unmarshal(buf[:k], msg))
		_ = m.node.Step(context.Background(), msg) // its error is that the node has stopped
	}
}

func (m *member) propose(ctx context.Context, text string) error {
	done := make(chan struct{})
	m.mu.Lock()
	m.waiting[text] = done
	m.mu.Unlock()
	if err := m.node.Propose(ctx, []byte(text)); err != nil {
		return err
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
