package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"macemc/internal/jobs"
	"macemc/internal/search"
)

// job is the value that the coordinator publishes under the key "job".
type job struct {
	Job    jobs.Job
	Epoch  uint64 // differs each time a coordinator begins
	Shards int    // the number of shards into which the states are divided, or 0 if workers take walks
}

// task is a message of the work queue. It has either a span of walks or an item, which is a set of runs that
// search.Afar.Grow defines.
type task struct {
	Span *search.Span    `json:",omitempty"`
	Item json.RawMessage `json:",omitempty"`
}

// result is the result of a task, as a worker stores it.
type result struct {
	Came   search.Spanned  // the result, if the task is a span
	Item   json.RawMessage `json:",omitempty"` // the result, if the task is an item
	Took   time.Duration
	Worker string
	Alone  bool // the task was delivered before, so it was taken in a process of its own
}

// coordinator publishes the tasks of a search to the workers, and collects their results.
type coordinator struct {
	*places
	pace
	nc     *nats.Conn
	ns     *server.Server // If it is nil, the servers belong to an external cluster.
	of     jobs.Job
	epoch  uint64
	lot    int
	items  int     // the number of enumerations whose items workers took
	survey *survey // the exhaustive phase in shards, or nil if workers take walks only
	say    func(string)
	roster roster
	status *statusPage // nil if there is no status page
	ends   context.CancelFunc
}

// A lot of walks is cut into spans. spanEach is the least number of these spans for each goroutine
// of the workers, so that all of them have work.
const spanEach = 2

func (s *settings) coordinate(j jobs.Job, dir string, say func(string), now func() jobs.Status) (*jobs.Coordination, error) {
	if s.url == "" && s.replicas > 1 {
		return nil, fmt.Errorf("--replicas %d needs --cluster: the coordinator's own server keeps one copy", s.replicas)
	}
	if err := s.shardable(); err != nil {
		return nil, err
	}
	c := &coordinator{say: say, pace: s.pace}
	var err error
	if c.status, err = s.serveStatus(j, now, &c.roster); err != nil {
		return nil, err
	}
	if c.status != nil {
		say("macemc: the status of the search is at " + c.status.url)
	}
	if s.url == "" {
		c.ns, c.nc, err = s.start(dir)
	} else {
		c.nc, err = s.connect("coordinator")
	}
	if s.shards > 0 {
		own := c.ns != nil
		c.survey = &survey{coordinator: c, n: s.shards, in: s.storage(own), synced: own || s.synced, run: filepath.Join(dir, "run"), reaches: s.at}
	}
	if err == nil {
		err = c.begin(j, s.storage(c.ns != nil))
	}
	if err != nil {
		c.end()
		return nil, err
	}
	url := s.url
	if c.ns != nil {
		url = c.ns.ClientURL()
		say("macemc: start a worker by: worker --cluster " + url)
	} else {
		switch {
		case c.survey == nil:
			say("macemc: the cluster is external, so it is unknown whether its servers sync their writes")
		case !s.synced:
			say("macemc: it is unknown whether the servers of the cluster sync each write, so the search will not be called exhaustive; give --synced if they do")
		}
	}
	return &jobs.Coordination{Afar: c, End: c.end, Join: s.joins(url)}, nil
}

// begin removes what an earlier coordinator left in the cluster, and publishes job j. in says how to create
// the stream and the buckets.
func (c *coordinator) begin(j jobs.Job, in *storage) (err error) {
	if err := c.sure(nil, func(ctx context.Context) (err error) {
		c.places, err = open(ctx, c.nc, c.call, in)
		return err
	}); err != nil {
		return err
	}
	c.epoch = uint64(time.Now().UnixNano()) // the time and not a count, since a worker may know an epoch of another server
	c.of = j
	if err := c.sure(nil, func(ctx context.Context) error {
		if err := c.work.Purge(ctx); err != nil {
			return err
		}
		for _, bucket := range []string{bucketResults, bucketKnown, bucketTries} {
			if err := c.empty(ctx, bucket, ""); err != nil {
				return err
			}
		}
		return c.gives(ctx, c.Shards())
	}); err != nil {
		return err
	}
	watching, ends := context.WithCancel(context.Background())
	c.ends = ends
	return c.watchWorkers(watching)
}

// gives publishes the job for the workers. If shards is not 0, they visit the states of this number
// of shards; otherwise they take walks.
func (c *coordinator) gives(ctx context.Context, shards int) error {
	text, err := json.Marshal(job{c.of, c.epoch, shards})
	if err == nil {
		_, err = c.runs.Put(ctx, keyJob, text)
	}
	return err
}

// sure calls call until it succeeds, since servers of a cluster may be down for a while. It returns an error
// if the cluster has not answered for the time pace.gone, or if stopped reports true.
func (c *coordinator) sure(stopped func() bool, call func(context.Context) error) error {
	for began := time.Now(); ; time.Sleep(c.retry) {
		ctx, cancel := context.WithTimeout(context.Background(), c.call)
		err := call(ctx)
		cancel()
		switch {
		case err == nil, errors.Is(err, errSuperseded):
			return err
		case stopped != nil && stopped():
			return errStopped
		case c.nc.IsClosed():
			return fmt.Errorf("the cluster refuses the connection of this coordinator: %w", cmp.Or(c.nc.LastError(), err))
		case time.Since(began) > c.gone:
			return fmt.Errorf("the cluster does not answer: %w", cmp.Or(c.nc.LastError(), err))
		}
	}
}

var errStopped = errors.New("the search is to stop")

// watchWorkers keeps the roster up to date. A worker counts as gone once its heartbeat is late.
func (c *coordinator) watchWorkers(ctx context.Context) error {
	w, err := c.runs.Watch(ctx, keyOf+"*", jetstream.UpdatesOnly())
	if err != nil {
		return err
	}
	go func() {
		tick := time.NewTicker(c.tell)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				for _, name := range c.roster.silent(c.ack + 2*c.tell) {
					c.came(name, 0)
				}
			case e := <-w.Updates():
				if e == nil {
					continue
				}
				n := 0
				if e.Operation() == jetstream.KeyValuePut {
					n, _ = strconv.Atoi(string(e.Value()))
				}
				c.came(strings.TrimPrefix(e.Key(), keyOf), n)
			}
		}
	}()
	return nil
}

// came records in the roster that the worker with this name has n goroutines, or that it is gone if n is 0,
// and informs the user of a change.
func (c *coordinator) came(name string, n int) {
	changed, all := c.roster.came(name, n)
	if !changed {
		return
	}
	what := fmt.Sprintf("has %d goroutines", n)
	if n == 0 {
		what = "is gone"
	}
	c.say(fmt.Sprintf("macemc: worker %s %s; all have %d", name, what, all))
}

// end withdraws the job, and closes the connection, the status page and the coordinator's own server.
func (c *coordinator) end() {
	c.status.end()
	if c.places != nil && c.runs != nil {
		ctx, cancel := context.WithTimeout(context.Background(), c.ack)
		defer cancel()
		_ = c.runs.Delete(ctx, keyJob)
	}
	if c.ends != nil {
		c.ends()
	}
	if c.nc != nil {
		_ = c.nc.Drain()
	}
	if c.ns != nil {
		c.ns.Shutdown()
		c.ns.WaitForShutdown()
	}
}

// Size returns the number of walks that a span of a lot of n walks should have: all workers should get
// spans, and a span should not take longer than pace.span.
func (c *coordinator) Size(n int) int {
	each := spanEach * max(1, c.roster.goroutines())
	size := (n + each - 1) / each
	if rate := c.roster.pace(); rate > 0 {
		size = min(size, int(rate*c.span.Seconds()))
	} else {
		size = min(size, 64)
	}
	return max(1, size)
}

// Learn implements search.Afar: before a lot of walks it publishes the corpus with which the walks
// begin. After the first lot it publishes only what the previous lot added to the corpus.
func (c *coordinator) Learn(k search.Knowledge) error {
	c.lot = k.Lot
	text, err := json.Marshal(k)
	if err != nil {
		return err
	}
	if k.All && c.survey != nil { // the states were visited
		if err := c.sure(nil, func(ctx context.Context) error { return c.gives(ctx, 0) }); err != nil {
			return err
		}
	}
	return c.sure(nil, func(ctx context.Context) error {
		err := putParts(ctx, c.known, fmt.Sprintf("%d.%d", c.epoch, k.Lot), "coordinator", text)
		if errors.Is(err, jetstream.ErrKeyExists) { // an earlier call succeeded though its answer got lost
			return nil
		}
		return err
	})
}

// lot holds the tasks that are under way: the spans of a lot of walks, or the items of one call of Grow.
type lot struct {
	*coordinator
	name    string // EPOCH.LOT, or EPOCH.items-N
	tasks   []task
	waiting map[string]result // results that arrived before those of earlier tasks
	next    int               // the task whose result is next
	heard   time.Time         // when the last result arrived
	began   time.Time
	alone   bool // the user was informed that there is no worker
	stopped func() bool
	came    func(*result) (more []task, enough bool, err error)
}

func (c *coordinator) newLot(name string, tasks []task, stopped func() bool) *lot {
	return &lot{coordinator: c, name: fmt.Sprintf("%d.%s", c.epoch, name), tasks: tasks, waiting: map[string]result{}, heard: time.Now(), began: time.Now(), stopped: stopped}
}

// Take implements search.Afar: it publishes the spans of a lot, and calls came with their results in order.
func (c *coordinator) Take(spans []search.Span, stopped func() bool, came func(search.Spanned) bool) error {
	var tasks []task
	for k := range spans {
		tasks = append(tasks, task{Span: &spans[k]})
	}
	l := c.newLot(fmt.Sprint(c.lot), tasks, stopped)
	l.came = func(r *result) ([]task, bool, error) { return nil, !came(r.Came), nil }
	err := l.take()
	if err == nil || err == errStopped {
		err = c.wants(c.lot+1, stopped)
	}
	return l.over(err)
}

// itemsEach is the number of items that are under way at a time, for each goroutine of the workers.
const itemsEach = 2

// Grow implements search.Afar: it publishes items, which are sets of runs to enumerate, and calls came
// with the result of each. next returns the next item. Among the items that it returns are those that
// earlier results contained.
func (c *coordinator) Grow(next func(window int) ([]byte, bool), came func([]byte) error, stopped func() bool) error {
	c.items++
	l := c.newLot(fmt.Sprintf("items-%d", c.items), nil, stopped)
	more := func() (all []task) {
		window := itemsEach * max(1, c.roster.goroutines())
		for len(l.tasks)-l.next+len(all) < window {
			item, is := next(window)
			if !is {
				break
			}
			all = append(all, task{Item: item})
		}
		return all
	}
	l.came = func(r *result) ([]task, bool, error) {
		err := came(r.Item)
		return more(), stopped(), err
	}
	l.tasks = more()
	return l.over(l.take())
}

// over removes the tasks of the lot and their results from the cluster, unless err is an error that
// ends the search. It returns err, or nil if err says only that the search was stopped.
func (l *lot) over(err error) error {
	if err == nil || err == errStopped {
		err = l.sure(l.stopped, func(ctx context.Context) error {
			return errors.Join(l.work.Purge(ctx), l.empty(ctx, bucketResults, ">"), l.empty(ctx, bucketTries, ">"))
		})
	}
	if err == errStopped {
		return nil
	}
	return err
}

// wants publishes the number of the first lot whose spans are still needed. Workers drop the spans of
// earlier lots.
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
	if err := l.give(l.from(0)); err != nil {
		return err
	}
	return l.gather(w)
}

// from returns the numbers of the lot's tasks from k on.
func (l *lot) from(k int) (all []int) {
	for ; k < len(l.tasks); k++ {
		all = append(all, k)
	}
	return all
}

// give publishes the tasks with these numbers. If a task is published twice, some work is wasted, but only
// one result counts.
func (l *lot) give(numbers []int) error {
	return l.sure(l.stopped, func(ctx context.Context) error {
		var sent []jetstream.PubAckFuture
		for _, k := range numbers {
			text, err := json.Marshal(&l.tasks[k])
			if err != nil {
				return err
			}
			f, err := l.js.PublishAsync(subjectWork+l.id(k), text)
			if err != nil {
				return err
			}
			sent = append(sent, f)
		}
		return acknowledged(ctx, sent)
	})
}

// gather waits for the results of the lot, and calls came with each of them in order, until the lot is
// complete or the search stops.
func (l *lot) gather(w jetstream.KeyWatcher) error {
	tick := time.NewTicker(l.retry)
	defer tick.Stop()
	for l.next < len(l.tasks) {
		if r, is := l.waiting[l.id(l.next)]; is {
			delete(l.waiting, l.id(l.next))
			l.took(&r)
			l.tasks[l.next] = task{}
			l.next++
			more, enough, err := l.came(&r)
			if err != nil || enough {
				return err
			}
			first := len(l.tasks)
			l.tasks = append(l.tasks, more...)
			if err := l.give(l.from(first)); err != nil {
				return err
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

// look reads the next result from the bucket, in case the watch missed it, and publishes lost tasks again.
func (l *lot) look() error {
	ctx, cancel := context.WithTimeout(context.Background(), l.call)
	defer cancel()
	if e, err := l.results.Get(ctx, l.id(l.next)); err == nil {
		return l.note(e)
	}
	if !l.alone && l.roster.goroutines() == 0 && time.Since(l.began) > l.tell {
		l.alone = true
		l.say("macemc: there is no worker: the walks wait for one")
	}
	if time.Since(l.heard) < 2*l.ack {
		return nil
	}
	l.heard = time.Now()
	lost, err := l.lost(ctx)
	if err != nil || len(lost) == 0 { // an error is no reason to end: the cluster may answer later
		return nil
	}
	l.roster.lose(len(lost))
	l.say(fmt.Sprintf("macemc: %d spans of walks got lost, and are published again", len(lost)))
	return l.give(lost)
}

// lost returns the numbers of the tasks that have neither a result nor a message in the queue.
func (l *lot) lost(ctx context.Context) (lost []int, err error) {
	info, err := l.work.Info(ctx, jetstream.WithSubjectFilter(subjectWork+">"))
	if err != nil {
		return nil, err
	}
	for k := l.next; k < len(l.tasks); k++ {
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

// note keeps the result in e until the results of all earlier tasks have arrived.
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

// took adds a result to the counts of the roster. It informs the user of each walk that a worker has
// left out because the walk ended every process that took it.
func (c *coordinator) took(r *result) {
	c.roster.took(r)
	for _, walk := range r.Came.Quarantined {
		c.say(fmt.Sprintf("macemc: walk %d ended %d processes, and is left out", walk, deathsMost))
	}
}
