package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"macemc/command"
	"macemc/search"
)

const (
	deathsMost = 3 // of processes, after which a walk is left out
	tellEvery  = time.Second
	stuckAfter = time.Minute // a walk that takes longer ends the worker's process, as one that never returns
)

// try is what is known of a span that was delivered before.
type try struct {
	Walk   int // that was under way; -1: any
	Deaths map[int]int
}

// worker takes spans on several goroutines.
type worker struct {
	*places
	name    string
	take    func(command.Job) (*search.Taker, error)
	say     func(string)
	lot     atomic.Value // the lot that is under way
	current atomic.Pointer[job]
}

func (s *settings) work(ctx context.Context, n int, take func(command.Job) (*search.Taker, error), say func(string)) error {
	if n == 0 {
		n = runtime.GOMAXPROCS(0)
	}
	host, _ := os.Hostname()
	w := &worker{name: strings.Map(plain, host) + "-" + nuid.Next()[16:], take: take, say: say}
	nc, err := s.connect(w.name)
	if err != nil {
		return err
	}
	defer nc.Close()
	for w.places == nil { // until a coordinator has made them
		try, cancel := context.WithTimeout(ctx, callWait)
		w.places, err = open(try, nc, 0)
		cancel()
		if !pause(ctx, err != nil) {
			return nil
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if err := w.watch(ctx, n); err != nil {
		return err
	}
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			if err := w.loop(ctx); err != nil {
				cancel(err)
			}
		})
	}
	all.Wait()
	bye, done := context.WithTimeout(context.Background(), callWait)
	defer done()
	_ = w.runs.Delete(bye, keyOf+w.name)
	if err := context.Cause(ctx); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// plain leaves of a host's name what a key may have.
func plain(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
		return r
	}
	return '-'
}

// pause waits a little, if it is to, and reports whether ctx goes on.
func pause(ctx context.Context, wait bool) bool {
	if wait {
		select {
		case <-ctx.Done():
		case <-time.After(retryWait):
		}
	}
	return ctx.Err() == nil
}

// watch follows the job and the lot, and tells that the worker is there.
func (w *worker) watch(ctx context.Context, n int) error {
	follow, err := w.runs.WatchFiltered(ctx, []string{keyJob, keyLot})
	if err != nil {
		return err
	}
	go func() {
		for e := range follow.Updates() {
			switch {
			case e == nil:
			case e.Key() == keyLot:
				w.lot.Store(string(e.Value()))
			case e.Operation() != jetstream.KeyValuePut:
				w.current.Store(nil)
			default:
				var j job
				if err := json.Unmarshal(e.Value(), &j); err != nil {
					w.say("the job cannot be read: " + err.Error())
					continue
				}
				w.current.Store(&j)
			}
		}
	}()
	go func() {
		for {
			_, _ = w.runs.Put(ctx, keyOf+w.name, []byte(fmt.Sprint(n)))
			select {
			case <-ctx.Done():
				return
			case <-time.After(5 * tellEvery):
			}
		}
	}()
	return nil
}

// loop takes spans, one after another, of whatever job there is.
func (w *worker) loop(ctx context.Context) error {
	var of *job
	var taker *search.Taker
	for ctx.Err() == nil {
		now := w.current.Load()
		if now == nil {
			pause(ctx, true)
			continue
		}
		if of == nil || of.Epoch != now.Epoch {
			var err error
			if taker, err = w.take(now.Job); err != nil {
				return err
			}
			of = now
		}
		m, err := w.next(ctx)
		if m == nil {
			pause(ctx, err != nil)
			continue
		}
		if err := w.span(ctx, of, taker, m); err != nil {
			if errors.Is(err, errKnown) { // it is made anew, and learns everything
				of = nil
				continue
			}
			w.say(err.Error())
		}
	}
	return nil
}

var errKnown = errors.New("what is known before the lot cannot be had")

// next fetches a span; nil: there is none now.
func (w *worker) next(ctx context.Context) (jetstream.Msg, error) {
	cons, err := w.js.CreateOrUpdateConsumer(ctx, streamWork, jetstream.ConsumerConfig{
		Durable: "workers", AckPolicy: jetstream.AckExplicitPolicy, AckWait: ackWait, MaxDeliver: -1, MaxAckPending: 1 << 14,
	})
	if err != nil {
		return nil, err
	}
	batch, err := cons.Fetch(1, jetstream.FetchMaxWait(2*time.Second))
	if err != nil {
		return nil, err
	}
	for m := range batch.Messages() {
		return m, nil
	}
	return nil, batch.Error()
}

// span takes the walks of a span, stores what they came to unless somebody has, and acknowledges it.
func (w *worker) span(ctx context.Context, of *job, t *search.Taker, m jetstream.Msg) error {
	var s search.Span
	if err := json.Unmarshal(m.Data(), &s); err != nil {
		return errors.Join(err, m.Term())
	}
	id := strings.TrimPrefix(m.Subject(), subjectWork)
	lot := id[:strings.LastIndexByte(id, '.')]
	wanted := func() bool { now, _ := w.lot.Load().(string); return now == lot }
	if !strings.HasPrefix(id, fmt.Sprint(of.Epoch)+".") {
		if now := w.current.Load(); now != nil && now.Epoch != of.Epoch {
			return errors.Join(errKnown, m.Nak())
		}
		return m.Ack() // of an earlier coordinator
	}
	for t.Lot() < s.Lot {
		text, err := getParts(ctx, w.known, fmt.Sprintf("%d.%d", of.Epoch, t.Lot()+1))
		var k search.Knowledge
		if err == nil {
			err = json.Unmarshal(text, &k)
		}
		if err == nil {
			err = t.Learn(k)
		}
		if err != nil {
			return errors.Join(errKnown, m.Nak())
		}
	}
	if t.Lot() > s.Lot {
		return m.Ack() // the lot is over
	}
	watch := w.accompany(m)
	defer watch.end()
	next, err := w.tries(ctx, id, &s, wanted, watch)
	if err != nil {
		return err
	}
	began := time.Now()
	came, whole, err := t.Take(s, next)
	if err != nil || !whole {
		return errors.Join(err, m.Ack())
	}
	text, err := json.Marshal(result{came, time.Since(began), w.name})
	if err != nil {
		return err
	}
	if _, err := w.results.Create(ctx, id, text); err != nil && !errors.Is(err, jetstream.ErrKeyExists) {
		return errors.Join(err, m.Nak())
	}
	return m.Ack()
}

// tries returns what becomes of each walk of a span. One that was delivered before is taken walk by walk,
// and each is noted before: so it is known which walk ends processes.
func (w *worker) tries(ctx context.Context, id string, s *search.Span, wanted func() bool, watch *company) (func(int) search.Next, error) {
	known := try{Walk: -1}
	put := func() error {
		text, err := json.Marshal(&known)
		if err == nil {
			_, err = w.places.tries.Put(ctx, id, text)
		}
		return err
	}
	e, err := w.places.tries.Get(ctx, id)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return func(walk int) search.Next {
			watch.at(walk)
			if !wanted() {
				return search.NextStop
			}
			return search.NextTake
		}, put()
	}
	if err == nil {
		err = json.Unmarshal(e.Value(), &known)
	}
	if err != nil {
		return nil, err
	}
	if known.Deaths == nil {
		known.Deaths = map[int]int{}
	}
	if known.Walk >= 0 {
		known.Deaths[known.Walk]++
	}
	return func(walk int) search.Next {
		watch.at(walk)
		if !wanted() {
			return search.NextStop
		}
		if known.Deaths[walk] >= deathsMost {
			return search.NextLeave
		}
		known.Walk = walk
		if err := put(); err != nil {
			return search.NextStop
		}
		return search.NextTake
	}, nil
}

func (w *worker) placesTries() jetstream.KeyValue { return w.places.tries }

// company goes with a span while it is taken: it tells the server that the worker is there, and ends
// the process if a walk never returns.
type company struct {
	walk atomic.Int64
	done chan struct{}
}

func (w *worker) accompany(m jetstream.Msg) *company {
	c := &company{done: make(chan struct{})}
	go func() {
		was, since := int64(-1), time.Now()
		tick := time.NewTicker(ackWait / 3)
		defer tick.Stop()
		for {
			select {
			case <-c.done:
				return
			case <-tick.C:
			}
			if now := c.walk.Load(); now != was {
				was, since = now, time.Now()
			}
			if time.Since(since) > stuckAfter {
				w.say(fmt.Sprintf("walk %d does not return: the process ends", was))
				os.Exit(4)
			}
			_ = m.InProgress()
		}
	}()
	return c
}

func (c *company) at(walk int) { c.walk.Store(int64(walk)) }
func (c *company) end()        { close(c.done) }
