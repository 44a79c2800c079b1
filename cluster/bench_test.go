//go:build unix

package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"macemc/internal/catalog"
	"macemc/internal/known"
	"macemc/internal/search"
)

// processor returns the processor time of this process.
func processor(t testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkCalls measures the calls of a coordinator and its workers, 32 at a time over the loopback, for the
// parameters of docs/scale.md. A server that keeps everything in files syncs every write.
func BenchmarkCalls(b *testing.B) {
	for _, in := range []storage{{jetstream.MemoryStorage, 1}, {jetstream.FileStorage, 1}} {
		ns, err := server.NewServer(&server.Options{ServerName: "bench", Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: b.TempDir(), SyncAlways: true, NoSigs: true, NoLog: true})
		if err != nil {
			b.Fatal(err)
		}
		ns.Start()
		if !ns.ReadyForConnections(startWait) {
			b.Fatal("the server does not start")
		}
		nc, err := nats.Connect(ns.ClientURL())
		if err != nil {
			b.Fatal(err)
		}
		p, err := open(b.Context(), nc, 30*time.Second, &in)
		if err != nil {
			b.Fatal(err)
		}
		cons, err := p.work.CreateOrUpdateConsumer(b.Context(), jetstream.ConsumerConfig{Durable: "workers", AckPolicy: jetstream.AckExplicitPolicy, AckWait: time.Hour, MaxAckPending: 1 << 14})
		if err != nil {
			b.Fatal(err)
		}
		var n atomic.Int64
		name := func() string { return fmt.Sprintf("1.1.%d", n.Add(1)) }
		text := make([]byte, 600)
		for _, call := range []struct {
			what string
			do   func() error
		}{
			{"publish", func() error { _, err := p.js.Publish(b.Context(), subjectWork+name(), text); return err }},
			{"create", func() error { _, err := p.results.Create(b.Context(), name(), text); return err }},
			{"heartbeat", func() error { _, err := p.runs.Put(b.Context(), keyOf+"x", text[:2]); return err }},
			{"get", func() error { _, err := p.runs.Get(b.Context(), keyOf+"x"); return err }},
			{"deliver", func() error {
				batch, err := cons.Fetch(1, jetstream.FetchMaxWait(10*time.Second))
				if err != nil {
					return err
				}
				for m := range batch.Messages() {
					return m.Ack()
				}
				return batch.Error()
			}},
		} {
			b.Run(fmt.Sprint(in.kind, "/", call.what), func(b *testing.B) {
				if call.what == "deliver" {
					for range b.N {
						if _, err := p.js.PublishAsync(subjectWork+name(), text); err != nil {
							b.Fatal(err)
						}
					}
					<-p.js.PublishAsyncComplete()
				}
				before := processor(b)
				b.ResetTimer()
				b.SetParallelism(16)
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						if err := call.do(); err != nil {
							b.Error(err)
							return
						}
					}
				})
				b.ReportMetric(float64((processor(b)-before).Microseconds())/float64(b.N), "cpu-µs/op")
			})
		}
		nc.Close()
		ns.Shutdown()
		ns.WaitForShutdown()
	}
}

// meter is a coordinator that measures what the walks of workers cost it.
type meter struct {
	*coordinator
	walks, results, lots, known int // counts, and bytes
	folding, learning           time.Duration
	worker                      *search.Taker
}

func (m *meter) Learn(k search.Knowledge) error {
	text, err := json.Marshal(k)
	if err != nil {
		return err
	}
	m.lots++
	m.known += len(text)
	began := time.Now()
	var again search.Knowledge
	if err := json.Unmarshal(text, &again); err != nil {
		return err
	}
	if err := m.worker.Learn(again); err != nil {
		return err
	}
	m.learning += time.Since(began)
	return m.coordinator.Learn(k)
}

func (m *meter) Take(spans []search.Span, stopped func() bool, came func(search.Spanned) bool) error {
	return m.coordinator.Take(spans, stopped, func(s search.Spanned) bool {
		text, err := json.Marshal(&result{Came: s})
		if err != nil {
			panic(err)
		}
		m.results += len(text)
		m.walks += s.Walks
		began := time.Now()
		var again result
		if err := json.Unmarshal(text, &again); err != nil {
			panic(err)
		}
		more := came(again.Came)
		m.folding += time.Since(began)
		return more
	})
}

// BenchmarkResults measures what a coordinator does for the walks of its workers: the bytes of results
// and of what a lot adds to the corpus, the time to read a result and add it, and the
// time in which a goroutine of a worker learns what a lot added.
func BenchmarkResults(b *testing.B) {
	sys, err := known.System(catalog.Systems(), "randtree")
	if err != nil {
		b.Fatal(err)
	}
	params, err := sys.Configure(0, nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		s := subject{sys, search.Options{Params: params, Depth: 2, Walks: 24_000, Workers: 1}}
		g := newRig(b, s, settings{pace: usual})
		g.worker(1, nil)
		m := &meter{coordinator: g.c}
		if m.worker, err = search.NewTaker(sys, s.opts); err != nil {
			b.Fatal(err)
		}
		s.opts.Afar = m
		before := processor(b)
		r, err := search.Search(sys, s.opts)
		if err != nil {
			b.Fatal(err)
		}
		cpu := processor(b) - before
		per := func(n int, of int) float64 { return float64(n) / float64(max(1, of)) }
		b.ReportMetric(per(m.results, m.walks), "B/walk")
		b.ReportMetric(per(m.known, m.lots), "B-known/lot")
		b.ReportMetric(float64(m.lots), "lots")
		b.ReportMetric(per(int(m.folding.Nanoseconds()), m.walks)/1000, "fold-µs/walk")
		b.ReportMetric(per(int(m.learning.Nanoseconds()), m.walks)/1000, "learn-µs/walk")
		b.ReportMetric(per(int(cpu.Microseconds()), r.Stats.Walks), "all-cpu-µs/walk")
		_, counts := g.c.roster.now()
		b.ReportMetric(per(counts.Walks, counts.Spans), "walks/span")
	}
}

// BenchmarkApart compares walks that a coordinator leaves to a worker of two goroutines with the same walks
// of two goroutines of one search, by processor time, by turns. Both run in this process.
func BenchmarkApart(b *testing.B) {
	e, err := known.Find(catalog.Bugs(), []string{"RT14"})
	if err != nil {
		b.Fatal(err)
	}
	sys := e[0].System
	params, err := sys.Configure(0, nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	for name, walks := range map[string]int{"2000 walks": 2000, "20000 walks": 20_000} {
		b.Run(name, func(b *testing.B) {
			var took [2]time.Duration
			for b.Loop() {
				s := subject{sys, search.Options{Params: params, Depth: 2, Walks: walks, Workers: 2}}
				before := processor(b)
				s.alone(b)
				took[0] += processor(b) - before
				before = processor(b)
				g := newRig(b, s, settings{pace: usual})
				g.worker(2, nil)
				g.search()
				took[1] += processor(b) - before
			}
			b.ReportMetric(took[0].Seconds()/float64(b.N), "s-one-search")
			b.ReportMetric(took[1].Seconds()/float64(b.N), "s-coordinator-and-worker")
			b.ReportMetric(float64(took[0])/float64(took[1]), "efficiency")
		})
	}
}

// BenchmarkLoss measures how long it takes until a span goes to another worker after its worker fell silent.
func BenchmarkLoss(b *testing.B) {
	for b.Loop() {
		g := newRig(b, clean(b, 1200), settings{pace: usual})
		var fell, again atomic.Int64
		var lost atomic.Pointer[string]
		over := make(chan struct{})
		ctx, dies := context.WithCancel(g.ctx)
		g.workerWith(ctx, 1, func(at, id string) {
			if at == "taken" && lost.CompareAndSwap(nil, &id) {
				fell.Store(time.Now().UnixNano())
				close(over)
				dies()
				runtime.Goexit()
			}
		})
		g.all.Go(func() {
			<-over
			g.worker(1, func(at, id string) {
				if at == "fetched" && id == *lost.Load() {
					again.CompareAndSwap(0, time.Now().UnixNano())
				}
			})
		})
		g.search()
		b.ReportMetric(time.Duration(again.Load()-fell.Load()).Seconds(), "s-until-taken-again")
	}
}

// BenchmarkShards compares the processor time of an exhaustive phase in shards with that of one process, by
// turns: a system of one node, whose states are made by their runs, and one of several, whose
// states are made of their parts. Both run in this process; the server syncs each write.
func BenchmarkShards(b *testing.B) {
	for _, s := range []subject{
		whole(b, "peterson", 0, []string{"n=5"}, nil, 200),
		whole(b, "paxos", 0, nil, nil, 200),
		whole(b, "twophase", 0, []string{"rms=7"}, nil, 200),
	} {
		b.Run(s.sys.Name, func(b *testing.B) {
			var took [2]time.Duration
			states := 0
			for b.Loop() {
				before := processor(b)
				if _, err := search.Search(s.sys, s.opts); err != nil {
					b.Fatal(err)
				}
				took[0] += processor(b) - before
				before = processor(b)
				g := newRig(b, s, settings{pace: usual, shards: 4})
				g.worker(2, nil)
				states += g.visits().Stats.States
				took[1] += processor(b) - before
				g.stop()
				g.all.Wait()
			}
			b.ReportMetric(took[0].Seconds()/float64(b.N), "s-alone")
			b.ReportMetric(took[1].Seconds()/float64(b.N), "s-shards")
			b.ReportMetric(float64((took[1]-took[0]).Microseconds())/float64(states), "µs-more/state")
			b.ReportMetric(float64(states)/float64(b.N), "states")
		})
	}
}
