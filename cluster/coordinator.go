package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"macemc/command"
	"macemc/search"
)

// job is what the key job holds.
type job struct {
	Job   command.Job
	Epoch uint64 // another one each time that a coordinator begins
}

// result is the result of a span.
type result struct {
	Came   search.Spanned
	Took   time.Duration
	Worker string
}

// coordinator gives spans out, and collects their results.
type coordinator struct {
	*places
	pace
	nc    *nats.Conn
	ns    *server.Server // nil: an external one
	epoch uint64
	lot   int
	say   func(string)

	workers atomic.Int64 // goroutines of workers
	rate    float64      // walks a second of a goroutine of a worker; 0: not known
	ends    context.CancelFunc
}

// spanEach is how many spans a lot has for each goroutine of a worker at least.
const spanEach = 2

func (s *settings) coordinate(j command.Job, dir string, say func(string)) (*command.Coordination, error) {
	c := &coordinator{say: say, pace: s.pace}
	var err error
	if s.url == "" {
		c.ns, c.nc, err = s.start(dir)
	} else {
		c.nc, err = s.connect("coordinator")
	}
	if err != nil {
		return nil, err
	}
	if err := c.begin(j, max(1, s.replicas)); err != nil {
		c.end()
		return nil, err
	}
	url := s.url
	if c.ns != nil {
		url = c.ns.ClientURL()
		say("macemc: workers join by: worker --cluster " + url)
	} else {
		say("macemc: the cluster is not this program's own: whether it syncs its writes is not known")
	}
	return &command.Coordination{Afar: c, End: c.end, Join: s.joins(url)}, nil
}

// begin clears what an earlier coordinator left under way, and publishes the job.
func (c *coordinator) begin(j command.Job, replicas int) (err error) {
	if err := c.sure(nil, func(ctx context.Context) (err error) {
		c.places, err = open(ctx, c.nc, c.call, replicas)
		return err
	}); err != nil {
		return err
	}
	c.epoch = uint64(time.Now().UnixNano()) // a worker may have known another server
	text, err := json.Marshal(job{j, c.epoch})
	if err != nil {
		return err
	}
	if err := c.sure(nil, func(ctx context.Context) error {
		if err := c.work.Purge(ctx); err != nil {
			return err
		}
		for _, bucket := range []string{bucketResults, bucketKnown, bucketTries} {
			if err := c.empty(ctx, bucket, ""); err != nil {
				return err
			}
		}
		_, err := c.runs.Put(ctx, keyJob, text)
		return err
	}); err != nil {
		return err
	}
	watching, ends := context.WithCancel(context.Background())
	c.ends = ends
	return c.watchWorkers(watching)
}

// sure makes a call again until it comes through: servers of a cluster come and go. It gives up if
// the cluster is gone for long, or if stopped reports true.
func (c *coordinator) sure(stopped func() bool, call func(context.Context) error) error {
	for began := time.Now(); ; time.Sleep(c.retry) {
		ctx, cancel := context.WithTimeout(context.Background(), c.call)
		err := call(ctx)
		cancel()
		switch {
		case err == nil:
			return nil
		case stopped != nil && stopped():
			return errStopped
		case time.Since(began) > c.gone:
			return fmt.Errorf("the cluster does not answer: %w", cmp.Or(c.nc.LastError(), err))
		}
	}
}

var errStopped = errors.New("the search is to stop")

// watchWorkers counts the goroutines of workers, and reports those that come and go. A worker that
// gives no sign of life for long is gone.
func (c *coordinator) watchWorkers(ctx context.Context) error {
	w, err := c.runs.Watch(ctx, keyOf+"*", jetstream.UpdatesOnly())
	if err != nil {
		return err
	}
	go func() {
		crew := map[string]sign{}
		tick := time.NewTicker(c.tell)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				for name, s := range crew {
					if time.Since(s.at) > c.ack+2*c.tell {
						c.came(crew, name, 0)
					}
				}
			case e := <-w.Updates():
				if e == nil {
					continue
				}
				n := 0
				if e.Operation() == jetstream.KeyValuePut {
					n, _ = strconv.Atoi(string(e.Value()))
				}
				c.came(crew, strings.TrimPrefix(e.Key(), keyOf), n)
			}
		}
	}()
	return nil
}

// sign is the last sign of life of a worker.
type sign struct {
	n  int // goroutines
	at time.Time
}

// came notes how many goroutines a worker has; 0: it is gone.
func (c *coordinator) came(crew map[string]sign, name string, n int) {
	before := crew[name].n
	if crew[name] = (sign{n, time.Now()}); n == 0 {
		delete(crew, name)
	}
	if before == n {
		return
	}
	all, what := c.workers.Add(int64(n-before)), fmt.Sprintf("has %d goroutines", n)
	if n == 0 {
		what = "is gone"
	}
	c.say(fmt.Sprintf("macemc: worker %s %s; all have %d", name, what, all))
}

// end takes the job back, and closes everything.
func (c *coordinator) end() {
	if c.places != nil && c.runs != nil {
		ctx, cancel := context.WithTimeout(context.Background(), c.ack)
		defer cancel()
		_ = c.runs.Delete(ctx, keyJob)
	}
	if c.ends != nil {
		c.ends()
	}
	_ = c.nc.Drain()
	if c.ns != nil {
		c.ns.Shutdown()
		c.ns.WaitForShutdown()
	}
}

// Size makes spans of about the time of a span, and enough that all workers have some.
func (c *coordinator) Size(n int) int {
	each := spanEach * max(1, int(c.workers.Load()))
	size := (n + each - 1) / each
	if c.rate > 0 {
		size = min(size, int(c.rate*c.span.Seconds()))
	} else {
		size = min(size, 64)
	}
	return max(1, size)
}

// Learn publishes what is known before a lot.
func (c *coordinator) Learn(k search.Knowledge) error {
	c.lot = k.Lot
	text, err := json.Marshal(k)
	if err != nil {
		return err
	}
	return c.sure(nil, func(ctx context.Context) error {
		err := putParts(ctx, c.known, fmt.Sprintf("%d.%d", c.epoch, k.Lot), "coordinator", text)
		if errors.Is(err, jetstream.ErrKeyExists) { // it came through before
			return nil
		}
		return err
	})
}

// lot is the spans of a lot that are under way.
type lot struct {
	*coordinator
	name    string // EPOCH.LOT
	spans   []search.Span
	waiting map[string]result // that came before their turn
	next    int               // the span whose result is due
	heard   time.Time         // when the last result came
	began   time.Time
	alone   bool // it was said that there is no worker
	stopped func() bool
	came    func(search.Spanned) bool
}

// Take gives the spans of a lot out, and passes their results on, in order.
func (c *coordinator) Take(spans []search.Span, stopped func() bool, came func(search.Spanned) bool) error {
	l := &lot{coordinator: c, name: fmt.Sprintf("%d.%d", c.epoch, c.lot), spans: spans, waiting: map[string]result{}, heard: time.Now(), began: time.Now(), stopped: stopped, came: came}
	err := l.take()
	if err == nil || err == errStopped {
		err = c.wants(c.lot+1, stopped)
	}
	if err == nil {
		err = c.sure(stopped, func(ctx context.Context) error {
			return errors.Join(c.work.Purge(ctx), c.empty(ctx, bucketResults, ">"), c.empty(ctx, bucketTries, ">"))
		})
	}
	if err == errStopped {
		return nil
	}
	return err
}

// wants tells workers the first lot whose spans are wanted.
func (c *coordinator) wants(lot int, stopped func() bool) error {
	return c.sure(stopped, func(ctx context.Context) error {
		_, err := c.runs.Put(ctx, keyLot, fmt.Appendf(nil, "%d.%d", c.epoch, lot))
		return err
	})
}

func (l *lot) id(k int) string { return fmt.Sprintf("%s.%d", l.name, k) }

func (l *lot) take() error {
	if err := l.wants(l.lot, l.stopped); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var w jetstream.KeyWatcher
	if err := l.sure(l.stopped, func(context.Context) (err error) {
		w, err = l.results.Watch(ctx, l.name+".*")
		return err
	}); err != nil {
		return err
	}
	defer w.Stop()
	all := make([]int, len(l.spans))
	for k := range all {
		all[k] = k
	}
	if err := l.give(all); err != nil {
		return err
	}
	return l.gather(w)
}

// give publishes spans. One that is published twice costs time and nothing else.
func (l *lot) give(numbers []int) error {
	return l.sure(l.stopped, func(ctx context.Context) error {
		var sent []jetstream.PubAckFuture
		for _, k := range numbers {
			text, err := json.Marshal(l.spans[k])
			if err != nil {
				return err
			}
			f, err := l.js.PublishAsync(subjectWork+l.id(k), text)
			if err != nil {
				return err
			}
			sent = append(sent, f)
		}
		for _, f := range sent {
			select {
			case <-f.Ok():
			case err := <-f.Err():
				return err
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
}

// gather passes results on in order, until the lot is over or the search is to stop.
func (l *lot) gather(w jetstream.KeyWatcher) error {
	tick := time.NewTicker(l.retry)
	defer tick.Stop()
	for l.next < len(l.spans) {
		if r, is := l.waiting[l.id(l.next)]; is {
			delete(l.waiting, l.id(l.next))
			l.took(&r)
			if l.next++; !l.came(r.Came) {
				return nil
			}
			continue
		}
		var err error
		select {
		case e := <-w.Updates():
			if e != nil && e.Operation() == jetstream.KeyValuePut {
				err = l.note(e)
			}
		case <-tick.C:
			if l.stopped() {
				return nil
			}
			err = l.look()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// look asks for the result that is due, should the watch have missed it, and gives spans out again
// that got lost.
func (l *lot) look() error {
	ctx, cancel := context.WithTimeout(context.Background(), l.call)
	defer cancel()
	if e, err := l.results.Get(ctx, l.id(l.next)); err == nil {
		return l.note(e)
	}
	if !l.alone && l.workers.Load() == 0 && time.Since(l.began) > l.tell {
		l.alone = true
		l.say("macemc: there is no worker: the walks wait for one")
	}
	if time.Since(l.heard) < 2*l.ack {
		return nil
	}
	l.heard = time.Now()
	lost, err := l.lost(ctx)
	if err != nil || len(lost) == 0 { // the cluster may not answer now
		return nil
	}
	l.say(fmt.Sprintf("macemc: %d spans of walks got lost, and are given out again", len(lost)))
	return l.give(lost)
}

// lost returns the spans of which there is neither a result nor a message.
func (l *lot) lost(ctx context.Context) (lost []int, err error) {
	info, err := l.work.Info(ctx, jetstream.WithSubjectFilter(subjectWork+">"))
	if err != nil {
		return nil, err
	}
	for k := l.next; k < len(l.spans); k++ {
		if _, is := l.waiting[l.id(k)]; is || info.State.Subjects[subjectWork+l.id(k)] > 0 {
			continue
		}
		if e, err := l.results.Get(ctx, l.id(k)); err == nil {
			if err := l.note(e); err != nil {
				return nil, err
			}
		} else if errors.Is(err, jetstream.ErrKeyNotFound) {
			lost = append(lost, k)
		} else {
			return nil, err
		}
	}
	return lost, nil
}

// note keeps a result until its turn.
func (l *lot) note(e jetstream.KeyValueEntry) error {
	var r result
	err := l.sure(l.stopped, func(ctx context.Context) error {
		text, err := otherParts(ctx, l.results, e.Key(), e.Value())
		if err == nil {
			err = json.Unmarshal(text, &r)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("the result of %s cannot be read: %w", e.Key(), err)
	}
	l.waiting[e.Key()], l.heard = r, time.Now()
	return nil
}

// took notes how fast workers are, and which walks they left out.
func (c *coordinator) took(r *result) {
	if s := r.Took.Seconds(); s > 0 && r.Came.Walks > 0 {
		now := float64(r.Came.Walks) / s
		if c.rate == 0 {
			c.rate = now
		}
		c.rate += (now - c.rate) / 8
	}
	for _, walk := range r.Came.Quarantined {
		c.say(fmt.Sprintf("macemc: walk %d ended %d processes, and is left out", walk, deathsMost))
	}
}
