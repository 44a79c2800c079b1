package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"macemc/internal/jobs"
	"macemc/internal/search"
)

const (
	deathsMost  = 3 // A walk or a state is left out once it has ended this number of processes of its own.
	deathsOther = 8 // A task or a group fails once this number of processes have ended before their first walk or state.
	looks       = 8 // A goroutine is stuck once it was seen at the same step this number of times in a row.
)

// A try is a value in the bucket of tries, for one task or one group of states. It counts the
// processes that ended while they took this task or visited this group by themselves, after an earlier
// process had ended.
type try struct{ Deaths map[int]int } // by the number of the walk or state during which the processes ended

// worker takes tasks on several goroutines, and visits the states of shards.
type worker struct {
	*places
	jobs.Hands
	pace
	name    string
	corpora corpora
	at      func(point, span string) // for tests: called between the steps by which a result is stored; may be nil
	wanted  atomic.Pointer[wanted]
	current atomic.Pointer[job]
	space   watched
	remotes remotes
}

// wanted is the number of the first lot whose spans are still needed.
type wanted struct {
	epoch uint64
	lot   int
}

func (s *settings) work(ctx context.Context, hands jobs.Hands) error {
	host, _ := os.Hostname()
	w := &worker{Hands: hands, pace: s.pace, at: s.at, name: strings.Map(plain, host) + "-" + nuid.Next()[16:]}
	nc, err := s.connect(w.name)
	if err != nil {
		return err
	}
	defer nc.Close()
	for began, last := time.Now(), ""; w.places == nil; { // the coordinator creates them
		try, cancel := context.WithTimeout(ctx, w.call)
		w.places, err = open(try, nc, w.call, nil)
		cancel()
		if !w.pause(ctx, err != nil) {
			return nil
		}
		switch reason := nc.LastError(); {
		case err == nil || reason == nil:
		case nc.IsClosed():
			return fmt.Errorf("the server at %s refuses the connection of this worker: %w", s.url, reason)
		case reason.Error() != last && time.Since(began) > w.call: // before that, the coordinator may just be starting
			last = reason.Error()
			w.Say(fmt.Sprintf("this worker cannot join at %s, and goes on trying: %v", s.url, reason))
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if err := w.follow(ctx); err != nil {
		return err
	}
	var all sync.WaitGroup
	for k := range w.N {
		all.Go(func() {
			if err := w.loop(ctx, k); err != nil {
				cancel(err)
			}
		})
	}
	all.Wait()
	bye, done := context.WithTimeout(context.Background(), w.call)
	defer done()
	_ = w.runs.Delete(bye, keyOf+w.name)
	if err := context.Cause(ctx); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// plain replaces a character of a host's name by one that a key may contain.
func plain(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
		return r
	}
	return '-'
}

// pause waits for the time p.retry if wait is true, and reports whether ctx is still alive.
func (p *pace) pause(ctx context.Context, wait bool) bool {
	if wait {
		select {
		case <-ctx.Done():
		case <-time.After(p.retry):
		}
	}
	return ctx.Err() == nil
}

// follow learns each change of the job and of the first lot that is still needed, and sends heartbeats. A
// watch reports the changes at once. The worker also asks from time to time, since a server that restarts
// may lose the watch.
func (w *worker) follow(ctx context.Context) error {
	watch, err := w.runs.WatchFiltered(ctx, []string{keyJob, keyLot})
	if err != nil {
		return err
	}
	go func() {
		for e := range watch.Updates() {
			if e != nil {
				w.learns(e.Key(), e.Operation() == jetstream.KeyValuePut, e.Value())
			}
		}
	}()
	go func() {
		for w.ask(ctx); w.pause(ctx, true); {
			select {
			case <-ctx.Done():
			case <-time.After(w.tell):
				w.ask(ctx)
			}
		}
	}()
	return nil
}

// ask sends the coordinator a heartbeat, and reads the job and the number of the first lot whose spans are
// still needed.
func (w *worker) ask(ctx context.Context) {
	w.reaches("asks", w.name)
	_, _ = w.runs.Put(ctx, keyOf+w.name, []byte(strconv.Itoa(w.N)))
	for _, key := range []string{keyJob, keyLot} {
		if e, err := w.runs.Get(ctx, key); err == nil {
			w.learns(key, true, e.Value())
		} else if errors.Is(err, jetstream.ErrKeyNotFound) {
			w.learns(key, false, nil)
		}
	}
}

// learns records the value of a key, which is "job" or "lot". If is is false, the key has no value.
func (w *worker) learns(key string, is bool, value []byte) {
	switch {
	case key == keyLot:
		var now wanted
		if n, _ := fmt.Sscanf(string(value), "%d.%d", &now.epoch, &now.lot); n == 2 {
			w.wanted.Store(&now)
		}
	case !is:
		w.current.Store(nil)
	default:
		var j job
		if err := json.Unmarshal(value, &j); err != nil {
			w.Say("the job cannot be read: " + err.Error())
		} else if now := w.current.Load(); now == nil || now.Epoch != j.Epoch || now.Shards != j.Shards {
			w.current.Store(&j)
		}
	}
}

// over reports whether the spans of a lot are no longer needed. The worker may not have heard of the latest lot
// yet: then over may return false for a lot that is over, but never true for one that is under way.
func (w *worker) over(epoch uint64, lot int) bool {
	now := w.wanted.Load()
	return now != nil && (now.epoch > epoch || now.epoch == epoch && now.lot > lot)
}

// loop is the work of goroutine number of the worker: it visits states of the current job, or takes its
// tasks, one after another.
func (w *worker) loop(ctx context.Context, number int) error {
	var of *job
	var taker *search.Taker
	queue := &queue{w: w}
	for ctx.Err() == nil {
		now := w.current.Load()
		if now == nil {
			w.pause(ctx, true)
			continue
		}
		if of == nil || of.Epoch != now.Epoch {
			var err error
			if taker, err = w.Taker(now.Job); err != nil {
				return err
			}
			of = now
		}
		if now.Shards > 0 {
			if err := w.visits(ctx, now, number); err != nil {
				return err
			}
			continue
		}
		m, err := queue.next(ctx)
		if m == nil {
			w.pause(ctx, err != nil)
			continue
		}
		if err := w.span(ctx, of, taker, m); errors.Is(err, errKnown) { // a new taker learns everything
			of = nil
		} else if err != nil && ctx.Err() == nil {
			w.Say(err.Error())
		}
	}
	return nil
}

// queue fetches tasks for one goroutine.
type queue struct {
	w        *worker
	consumer jetstream.Consumer
}

// next fetches the message of a task. If none arrives for a while, m is nil.
func (q *queue) next(ctx context.Context) (m jetstream.Msg, err error) {
	if q.consumer == nil {
		if q.consumer, err = q.w.work.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
			Durable: "workers", AckPolicy: jetstream.AckExplicitPolicy, AckWait: q.w.ack, MaxDeliver: -1, MaxAckPending: 1 << 14,
		}); err != nil {
			return nil, err
		}
	}
	batch, err := q.consumer.Fetch(1, jetstream.FetchMaxWait(10*q.w.retry))
	if err == nil {
		for m := range batch.Messages() {
			return m, nil
		}
		err = batch.Error()
	}
	if err != nil {
		q.consumer = nil // a server that restarted may have lost it
	}
	return nil, err
}

var errKnown = errors.New("the corpus with which a lot of walks begins cannot be read from the cluster")

// span takes the task in m, stores the result, and only then acknowledges m: the task stays in the queue
// until its result is stored, or is no longer needed. If another worker has already stored a result,
// that one stays.
func (w *worker) span(ctx context.Context, of *job, t *search.Taker, m jetstream.Msg) error {
	var what task
	if err := json.Unmarshal(m.Data(), &what); err != nil || what.Span == nil && what.Item == nil {
		return errors.Join(err, m.Term())
	}
	id := strings.TrimPrefix(m.Subject(), subjectWork)
	w.reaches("fetched", id)
	switch epoch, _, _ := strings.Cut(id, "."); {
	case epoch == strconv.FormatUint(of.Epoch, 10):
	case w.newer(of):
		return errors.Join(errKnown, m.NakWithDelay(w.retry))
	default:
		return m.Ack() // an earlier coordinator published it
	}
	if s := what.Span; s != nil {
		if err := w.know(ctx, of, t, s.Lot); err != nil {
			return errors.Join(errKnown, m.NakWithDelay(w.retry))
		}
		if t.Lot() > s.Lot || w.over(of.Epoch, s.Lot) {
			return m.Ack()
		}
	}
	defer w.accompany(m)()
	came, kept, whole, err := w.take(ctx, of, t, id, &what)
	if err != nil {
		return errors.Join(err, m.NakWithDelay(w.retry))
	}
	if !whole {
		return m.Ack()
	}
	w.reaches("taken", id)
	switch first, err := w.store(ctx, id, came); {
	case err != nil:
		return errors.Join(err, m.NakWithDelay(w.retry))
	case first:
		kept()
	}
	w.reaches("stored", id)
	err = m.Ack()
	w.reaches("acknowledged", id)
	return err
}

func (w *worker) reaches(point, id string) {
	if w.at != nil {
		w.at(point, id)
	}
}

// newer reports whether the worker has learnt that the current job is not of any more.
func (w *worker) newer(of *job) bool {
	now := w.current.Load()
	return now != nil && now.Epoch != of.Epoch
}

// know brings taker t to the corpus with which a lot begins: it reads from the cluster what the
// lots before it have added.
func (w *worker) know(ctx context.Context, of *job, t *search.Taker, lot int) error {
	for t.Lot() < lot {
		text, err := w.corpora.text(ctx, w.known, of.Epoch, t.Lot()+1)
		if err != nil {
			return err
		}
		var k search.Knowledge
		if err := json.Unmarshal(text, &k); err != nil {
			return err
		}
		if err := t.Learn(k); err != nil {
			return err
		}
	}
	return nil
}

// corpora has the additions to the corpus by recent lots. The goroutines of a worker share it, so that each
// addition is read only once from the cluster.
type corpora struct {
	mu    sync.Mutex
	epoch uint64
	texts map[int][]byte // by lot
}

// corporaMost is the largest number of lots in corpora.
const corporaMost = 4

// text returns the additions to the corpus before a lot. While one goroutine reads them, the others wait.
func (c *corpora) text(ctx context.Context, from jetstream.KeyValue, epoch uint64, lot int) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.epoch != epoch || len(c.texts) >= corporaMost {
		c.epoch, c.texts = epoch, map[int][]byte{}
	}
	if text, is := c.texts[lot]; is {
		return text, nil
	}
	text, err := getParts(ctx, from, fmt.Sprintf("%d.%d", epoch, lot))
	if err == nil {
		c.texts[lot] = text
	}
	return text, err
}

// take takes the task what, whose message has this id, and returns its result. A task that was delivered
// before is taken in a process of its own, since one of its runs may have ended the earlier process. whole
// reports whether the result is complete. Once the caller has stored the result, as the first one of this
// task, it must call kept.
func (w *worker) take(ctx context.Context, of *job, t *search.Taker, id string, what *task) (r result, kept func(), whole bool, err error) {
	began := time.Now()
	over := func() bool {
		return ctx.Err() != nil || what.Span != nil && w.over(of.Epoch, what.Span.Lot) || w.newer(of)
	}
	kept = func() {}
	switch _, err := w.tries.Create(ctx, id, []byte("{}")); {
	case errors.Is(err, jetstream.ErrKeyExists):
		r.Alone = true
		whole, err = w.alone(ctx, of, t, id, what, &r, over)
		if err != nil {
			return r, nil, false, err
		}
	case err != nil:
		return r, nil, false, err
	default:
		begins, ends := w.endIfStuck()
		defer ends()
		if what.Item != nil {
			runs := 0
			r.Item, kept, err = t.Enumerate(what.Item, func() bool {
				runs++
				begins(runs)
				return time.Since(began) > w.pace.span || over()
			})
			whole = !over()
		} else {
			r.Came, whole, err = t.Take(*what.Span, func(walk int) search.Next {
				begins(walk)
				if over() {
					return search.NextStop
				}
				return search.NextTake
			})
		}
		if err != nil {
			return r, nil, false, err
		}
	}
	if ctx.Err() != nil { // another worker takes the span
		return r, nil, false, ctx.Err()
	}
	r.Took, r.Worker = time.Since(began), w.name
	return r, kept, whole, nil
}

// alone takes a task in a process of its own, and sets its result in r: see isolate.
func (w *worker) alone(ctx context.Context, of *job, t *search.Taker, id string, what *task, r *result, over func() bool) (whole bool, err error) {
	if _, err := w.results.Get(ctx, id); err == nil { // the result was stored, and only the acknowledgement got lost
		return false, nil
	}
	if what.Item != nil {
		r.Item, whole, err = w.isolate(ctx, jobs.Lone{Job: of.Job, Group: what.Item}, id, "an item of runs: state", over)
		return whole, err
	}
	text, whole, err := w.isolate(ctx, jobs.Lone{Job: of.Job, Known: t.Knowledge(), Span: *what.Span}, id, "walk", over)
	if err == nil && whole {
		err = json.Unmarshal(text, &r.Came)
	}
	return whole, err
}

// isolate takes one, which is a span, an item or a group of states, in a process of its own. When such a
// process ends, isolate starts another one. A walk or a state that has ended deathsMost processes is left out.
// The bucket of tries counts these processes under id, including those of other workers. name is the word for a
// walk or a state in messages to the user.
func (w *worker) isolate(ctx context.Context, one jobs.Lone, id, name string, over func() bool) (came []byte, whole bool, err error) {
	known := try{map[int]int{}}
	if e, err := w.tries.Get(ctx, id); err == nil {
		if err := json.Unmarshal(e.Value(), &known); err != nil {
			return came, false, err
		}
	} else if !errors.Is(err, jetstream.ErrKeyNotFound) {
		return came, false, err
	}
	one.Stuck, one.Most = w.stuck, w.Memory
	for ends := 0; ; {
		one.Leave = known.leave()
		came, number, err := w.Lone(ctx, one, over)
		switch {
		case err == nil:
			return came, true, nil
		case errors.Is(err, jobs.ErrUnwanted):
			return came, false, nil
		case ctx.Err() != nil:
			return came, false, ctx.Err()
		case number < 0 && ends >= deathsOther:
			return came, false, fmt.Errorf("each process that was started for one task ended before its first walk or state: %w", err)
		case number < 0:
			ends++
			continue
		}
		known.Deaths[number]++
		w.Say(fmt.Sprintf("%s %d ended a process of its own (%d of %d): %v", name, number, known.Deaths[number], deathsMost, err))
		text, err := json.Marshal(&known)
		if err != nil {
			return came, false, err
		}
		if _, err := w.tries.Put(ctx, id, text); err != nil {
			return came, false, err
		}
	}
}

// leave returns the numbers of the walks or states that have ended deathsMost processes, and so
// must be left out.
func (t *try) leave() (all []int) {
	for number, n := range t.Deaths {
		if n >= deathsMost {
			all = append(all, number)
		}
	}
	return all
}

// store stores the result of a task unless the task has a result, and reports whether it has stored it.
func (w *worker) store(ctx context.Context, id string, r result) (first bool, err error) {
	text, err := json.Marshal(r)
	if err != nil {
		return false, err
	}
	err = putParts(ctx, w.results, id, w.name, text)
	if errors.Is(err, jetstream.ErrKeyExists) {
		return false, nil
	}
	return err == nil, err
}

// accompany tells the server again and again that m is being worked on, so that the server does not
// deliver m to another worker, until end is called.
func (w *worker) accompany(m jetstream.Msg) (end func()) {
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(w.ack / 3)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				w.reaches("alive", m.Subject())
				_ = m.InProgress()
			}
		}
	}()
	return func() { close(done) }
}

// endIfStuck returns two functions. The caller must call begins before each walk, and ends after the last
// one. If a walk goes on for the time w.stuck, this process ends, and another process takes the span by
// itself.
func (w *worker) endIfStuck() (begins func(walk int), ends func()) {
	var now atomic.Int64
	t := time.AfterFunc(w.stuck, func() {
		w.Say(fmt.Sprintf("walk %d does not return: the process ends", now.Load()))
		os.Exit(4)
	})
	return func(walk int) { now.Store(int64(walk)); t.Reset(w.stuck) }, func() { t.Stop() }
}
