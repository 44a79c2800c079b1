package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

// result is what a span came to.
type result struct {
	Came   search.Spanned
	Took   time.Duration
	Worker string
}

// coordinator gives spans out, and takes what they came to.
type coordinator struct {
	*places
	nc    *nats.Conn
	ns    *server.Server // nil: an external one
	epoch uint64
	lot   int
	say   func(string)

	workers atomic.Int64
	rate    float64 // walks a second of a goroutine of a worker; 0: not known
	ends    context.CancelFunc
}

// How long the walks of a span are to take, and how many spans a lot has for each worker at least.
const (
	spanTime = 700 * time.Millisecond
	spanEach = 2
)

func (s *settings) coordinate(j command.Job, dir string, say func(string)) (search.Afar, func(), error) {
	c := &coordinator{say: say}
	var err error
	if s.url == "" {
		c.ns, c.nc, err = s.start(dir)
	} else {
		c.nc, err = s.connect("coordinator")
	}
	if err != nil {
		return nil, nil, err
	}
	if err := c.begin(j, max(1, s.replicas)); err != nil {
		c.end()
		return nil, nil, err
	}
	if c.ns != nil {
		say("macemc: workers join by: worker --cluster " + c.ns.ClientURL())
	} else {
		say("macemc: the cluster is not this program's own: whether it syncs its writes is not known")
	}
	return c, c.end, nil
}

// begin clears what an earlier coordinator left under way, and publishes the job.
func (c *coordinator) begin(j command.Job, replicas int) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), callWait)
	defer cancel()
	if c.places, err = open(ctx, c.nc, replicas); err != nil {
		return err
	}
	c.epoch = uint64(time.Now().UnixNano()) // a worker may have known another server
	if err := c.work.Purge(ctx); err != nil {
		return err
	}
	for _, bucket := range []string{bucketResults, bucketKnown, bucketTries} {
		if err := c.empty(ctx, bucket, ""); err != nil {
			return err
		}
	}
	text, err := json.Marshal(job{j, c.epoch})
	if err != nil {
		return err
	}
	if _, err := c.runs.Put(ctx, keyJob, text); err != nil {
		return err
	}
	watching, ends := context.WithCancel(context.Background())
	c.ends = ends
	return c.watchWorkers(watching)
}

// watchWorkers counts the goroutines of workers, and tells of those that come.
func (c *coordinator) watchWorkers(ctx context.Context) error {
	w, err := c.runs.Watch(ctx, keyOf+"*", jetstream.UpdatesOnly())
	if err != nil {
		return err
	}
	go func() {
		has := map[string]int{}
		for e := range w.Updates() {
			if e == nil {
				continue
			}
			n, name := 0, strings.TrimPrefix(e.Key(), keyOf)
			if e.Operation() == jetstream.KeyValuePut {
				_, _ = fmt.Sscan(string(e.Value()), &n)
			}
			if before, is := has[name]; before != n || !is {
				c.workers.Add(int64(n - before))
				has[name] = n
				c.say(fmt.Sprintf("macemc: worker %s has %d goroutines; all have %d", name, n, c.workers.Load()))
			}
		}
	}()
	return nil
}

// end takes the job back, and closes everything.
func (c *coordinator) end() {
	if c.places != nil && c.runs != nil {
		ctx, cancel := context.WithTimeout(context.Background(), callWait)
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

// Size makes spans of about spanTime, and so many that all workers have some.
func (c *coordinator) Size(n int) int {
	size := (n + spanEach*max(1, int(c.workers.Load())) - 1) / (spanEach * max(1, int(c.workers.Load())))
	if c.rate > 0 {
		size = min(size, int(c.rate*spanTime.Seconds()))
	} else {
		size = min(size, 64)
	}
	return max(1, size)
}

// Learn tells workers what is known before a lot.
func (c *coordinator) Learn(k search.Knowledge) error {
	ctx, cancel := context.WithTimeout(context.Background(), 6*callWait)
	defer cancel()
	c.lot = k.Lot
	text, err := json.Marshal(k)
	if err != nil {
		return err
	}
	return putParts(ctx, c.known, fmt.Sprintf("%d.%d", c.epoch, k.Lot), text)
}

// Take gives the spans of a lot out, and passes on what they came to, in order.
func (c *coordinator) Take(spans []search.Span, stopped func() bool, came func(search.Spanned) bool) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	lot := fmt.Sprintf("%d.%d", c.epoch, c.lot)
	if _, err := c.runs.Put(ctx, keyLot, []byte(lot)); err != nil {
		return err
	}
	w, err := c.results.Watch(ctx, lot+".*")
	if err != nil {
		return err
	}
	defer w.Stop()
	for k, span := range spans {
		text, err := json.Marshal(span)
		if err != nil {
			return err
		}
		if _, err := c.js.PublishAsync(fmt.Sprintf("%s%s.%d", subjectWork, lot, k), text, jetstream.WithMsgID(fmt.Sprintf("%s.%d", lot, k))); err != nil {
			return err
		}
	}
	if err := c.gather(ctx, w, lot, len(spans), stopped, came); err != nil {
		return err
	}
	if _, err := c.runs.Put(ctx, keyLot, nil); err != nil { // nothing of the lot is wanted any more
		return err
	}
	return errors.Join(c.work.Purge(ctx), c.empty(ctx, bucketResults, ">"), c.empty(ctx, bucketTries, ">"))
}

// gather waits for results, and passes them on in order, until the lot is over or the search is to stop.
func (c *coordinator) gather(ctx context.Context, w jetstream.KeyWatcher, lot string, n int, stopped func() bool, came func(search.Spanned) bool) error {
	waiting, next := map[string]result{}, 0
	tick := time.NewTicker(retryWait)
	defer tick.Stop()
	for next < n {
		name := fmt.Sprintf("%s.%d", lot, next)
		r, is := waiting[name]
		if is {
			delete(waiting, name)
			c.took(&r)
			if next++; !came(r.Came) {
				return nil
			}
			continue
		}
		select {
		case e := <-w.Updates():
			if e == nil || e.Operation() != jetstream.KeyValuePut {
				continue
			}
			if err := c.note(waiting, e); err != nil {
				return err
			}
		case <-tick.C:
			if stopped() {
				return nil
			}
			if e, err := c.results.Get(ctx, name); err == nil { // should the watch have missed it
				if err := c.note(waiting, e); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (c *coordinator) note(waiting map[string]result, e jetstream.KeyValueEntry) error {
	var r result
	if err := json.Unmarshal(e.Value(), &r); err != nil {
		return fmt.Errorf("what a worker says of %s cannot be read: %w", e.Key(), err)
	}
	waiting[e.Key()] = r
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
