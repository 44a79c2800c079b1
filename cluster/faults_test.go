package cluster

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// points are the steps of storing a result between which a worker may die.
var points = []string{"fetched", "taken", "stored", "acknowledged"}

// Searches with two workers have the same result as with one process, whether they find nothing, or find
// something and stop.
func TestWorkersComeToTheSame(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]subject{"finding": found(t), "clean": clean(t, 3000)} {
		want := s.alone(t)
		g := newRig(t, s, settings{})
		g.worker(1, nil)
		g.worker(2, nil)
		holds(t, name, want, g.search())
		g.losesNothing()
	}
}

// A worker that dies between two steps of a commit costs nothing but time.
func TestWorkerDiesBetweenSteps(t *testing.T) {
	t.Parallel()
	s := clean(t, 1200)
	want := s.alone(t)
	for _, point := range points {
		g := newRig(t, s, settings{})
		dies := make(chan struct{})
		var first sync.Once
		g.worker(1, func(at, _ string) {
			if at == point {
				first.Do(func() {
					close(dies)
					runtime.Goexit()
				})
			}
		})
		g.all.Go(func() {
			select {
			case <-dies:
				g.worker(1, nil)
			case <-g.ctx.Done():
			}
		})
		holds(t, point, want, g.search())
		g.losesNothing()
		if _, counts := g.c.roster.now(); (counts.Redelivered > 0) != (point == "taken") {
			t.Errorf("a worker died after %s: the status has %d spans that were delivered again", point, counts.Redelivered)
		}
	}
}

// A worker that stops beyond its lease and then continues changes nothing: the first result counts.
func TestZombieChangesNothing(t *testing.T) {
	t.Parallel()
	s := clean(t, 1200)
	want := s.alone(t)
	for _, point := range points[:3] {
		g := newRig(t, s, settings{})
		held, back := make(chan string, 1), make(chan struct{})
		var first atomic.Bool
		hold := func(at, id string) {
			if at == "alive" && first.Load() {
				<-back
			}
			if at == point && first.CompareAndSwap(false, true) {
				held <- id
				<-back
			}
		}
		g.worker(1, hold)
		g.all.Go(func() {
			var id string
			select {
			case id = <-held:
			case <-g.ctx.Done():
				return
			}
			var once sync.Once
			comes := func() { close(back) }
			if _, err := g.c.results.Get(g.ctx, id); err == nil { // it was held up after it had stored the result
				once.Do(comes)
			}
			g.worker(1, func(at, of string) {
				if at == "stored" && of == id {
					once.Do(comes)
				}
			})
			<-g.ctx.Done()
			once.Do(comes)
		})
		holds(t, point, want, g.search())
	}
}

// Workers that come and go all the time change nothing.
func TestSparesComeAndGo(t *testing.T) {
	t.Parallel()
	s := clean(t, 4000)
	want := s.alone(t)
	g := newRig(t, s, settings{})
	g.worker(1, nil)
	g.all.Go(func() {
		for g.ctx.Err() == nil {
			ctx, cancel := context.WithTimeout(g.ctx, 60*time.Millisecond)
			g.workerWith(ctx, 1, nil)
			<-ctx.Done()
			cancel()
		}
	})
	holds(t, "spares", want, g.search())
}

// A span that was acknowledged, though its result was not stored, is published again.
func TestLostSpanIsGivenOutAgain(t *testing.T) {
	t.Parallel()
	s := clean(t, 1300)
	want := s.alone(t)
	g := newRig(t, s, settings{})
	go func() {
		for g.ctx.Err() == nil && !g.heard("got lost") {
			cons, err := g.c.work.CreateOrUpdateConsumer(g.ctx, jetstream.ConsumerConfig{
				Durable: "workers", AckPolicy: jetstream.AckExplicitPolicy, AckWait: brisk.ack, MaxDeliver: -1, MaxAckPending: 1 << 14,
			})
			if err != nil {
				continue
			}
			m, err := cons.Next(jetstream.FetchMaxWait(brisk.ack))
			if err == nil {
				_ = m.Ack()
			}
		}
		g.worker(2, nil)
	}()
	holds(t, "lost", want, g.search())
	if !g.heard("got lost") {
		t.Error("no span got lost")
	}
	if _, counts := g.c.roster.now(); counts.Lost == 0 {
		t.Error("the status has no lost span")
	}
}

// The goroutines of a worker read the additions of a lot from the cluster only once, and never those of another
// coordinator.
func TestCorpusIsReadOnce(t *testing.T) {
	g := newRig(t, clean(t, 1), settings{})
	var c corpora
	for epoch, want := range map[uint64]string{1: "one", 2: "another"} {
		key := fmt.Sprintf("%d.7", epoch)
		if err := putParts(g.ctx, g.c.known, key, "coordinator", []byte(want)); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if text, err := c.text(g.ctx, g.c.known, epoch, 7); err != nil || string(text) != want {
				t.Errorf("epoch %d: %q, %v; want %q", epoch, text, err, want)
			}
			if err := g.c.known.Purge(g.ctx, key); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := c.text(g.ctx, g.c.known, 2, 8); err == nil {
		t.Error("a lot that nobody published has a text")
	}
}

// Results of spans of an earlier coordinator do not count for this one.
func TestEarlierResultsDoNotCount(t *testing.T) {
	s := clean(t, 1300)
	want := s.alone(t)
	g := newRig(t, s, settings{})
	earlier := g.c.epoch
	if err := g.c.begin(g.job, g.of.storage(true)); err != nil {
		t.Fatal(err)
	}
	for k := range 10 {
		text := []byte{0, 1, 1, 'x'}
		text = append(text, `{"Came":{"From":1000,"Walks":7},"Took":1}`...)
		if _, err := g.c.results.Create(g.ctx, fmt.Sprintf("%d.0.%d", earlier, k), text); err != nil {
			t.Fatal(err)
		}
	}
	g.worker(1, nil)
	holds(t, "earlier results", want, g.search())
}

// A coordinator without workers informs the user of that.
func TestWithoutWorkersItSaysSo(t *testing.T) {
	g := newRig(t, clean(t, 1300), settings{})
	g.all.Go(func() {
		if g.said.hears(g.ctx.Done(), "there is no worker") {
			g.worker(1, nil)
		}
	})
	g.search()
	if !g.heard("there is no worker") {
		t.Error("nothing was said")
	}
}

// A value of several parts is read as it was stored, and only the first writer's counts.
func TestPartsOfLargeValues(t *testing.T) {
	g := newRig(t, clean(t, 1), settings{})
	value := make([]byte, 3*partMost+17)
	for k := range value {
		value[k] = byte(k * k >> 3)
	}
	if err := putParts(g.ctx, g.c.known, "some", "a", value); err != nil {
		t.Fatal(err)
	}
	if err := putParts(g.ctx, g.c.known, "some", "b", value[:2*partMost]); err == nil {
		t.Error("a second writer was let in")
	}
	got, err := getParts(g.ctx, g.c.known, "some")
	if err != nil || string(got) != string(value) {
		t.Errorf("read %d bytes (%v), want %d as written", len(got), err, len(value))
	}
}
