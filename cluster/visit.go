package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"macemc/internal/jobs"
	"macemc/internal/search"
)

// watched holds the value of the key "space" that the worker has read last. Goroutines can wait until it
// changes.
type watched struct {
	mu   sync.Mutex
	now  *space
	more chan struct{}
}

// get returns the latest value, and a channel that is closed once there is a newer one.
func (s *watched) get() (*space, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.more == nil {
		s.more = make(chan struct{})
	}
	return s.now, s.more
}

func (s *watched) set(now *space) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now = now; s.more != nil {
		close(s.more)
		s.more = nil
	}
}

// followSpace keeps w.space up to date until the context ends.
func (w *worker) followSpace(ctx context.Context, kv jetstream.KeyValue) error {
	watch, err := kv.Watch(ctx, keySpace)
	if err != nil {
		return err
	}
	go func() {
		for e := range watch.Updates() {
			if e != nil && e.Operation() == jetstream.KeyValuePut {
				w.learnSpace(e.Value())
			}
		}
	}()
	return nil
}

// learnSpace stores a value of the key space in w.space, unless w.space has a newer one.
func (w *worker) learnSpace(value []byte) {
	var s space
	if json.Unmarshal(value, &s) == nil {
		w.space.set(&s)
	}
}

// remotes makes a search.Remote for each goroutine of a worker that visits states. The field all does so for
// the job with the epoch of.
type remotes struct {
	mu  sync.Mutex
	of  uint64 // the epoch of the job
	all func() (*search.Remote, error)
}

// another returns a new Remote for a job.
func (w *worker) another(of *job) (*search.Remote, error) {
	r := &w.remotes
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all == nil || r.of != of.Epoch {
		all, err := w.Remotes(of.Job, of.Shards)
		if err != nil {
			return nil, err
		}
		r.of, r.all = of.Epoch, all
	}
	return r.all()
}

// slot is a goroutine of a worker, as the owner of shards whose states it visits.
type slot struct {
	*worker
	*spaces
	of     *job
	name   string
	remote *search.Remote
	ends   func()           // ends the watch of endIfStill over remote
	held   map[int]*holding // by shard
}

// holding is what a slot knows about a shard that it has taken over.
type holding struct {
	epoch uint64
	last  uint64 // the number of the last record, which this slot appended
	read  uint64 // the number of the last message of its states that was read
	alone bool   // the next group is visited by a process of its own, since an earlier owner ended at it
}

var (
	errLost     = errors.New("another worker has the shard")
	errDamaged  = errors.New("the cluster's record of the search is damaged; search again")
	errNoRemote = errors.New("this worker cannot visit the states")
	errVisit    = errors.New("states cannot be visited")
)

// visits visits the states of the shards that goroutine number owns, until no states are left or another job
// begins.
func (w *worker) visits(ctx context.Context, of *job, number int) error {
	s := &slot{worker: w, of: of, name: slotName(w.name, number)}
	defer s.clear()
	for ctx.Err() == nil && w.sharded(of) {
		if s.spaces == nil {
			try, cancel := context.WithTimeout(ctx, w.call)
			var err error
			if s.spaces, err = w.openSpaces(try, of.Shards, nil); err == nil {
				err = w.followSpace(ctx, s.kv)
			}
			cancel()
			if err != nil {
				s.spaces = nil
				w.pause(ctx, true)
				continue
			}
		}
		now, more := w.space.get()
		busy := false
		if now != nil && now.Epoch == of.Epoch {
			var err error
			if busy, err = s.turn(ctx, now); err != nil {
				if errors.Is(err, errNoRemote) {
					return err
				}
				switch {
				case ctx.Err() != nil, errors.Is(err, errLost):
				case errors.Is(err, errDamaged), errors.Is(err, errVisit):
					w.Say(err.Error())
					_ = s.js.Conn().Publish(subjectMoved, []byte(err.Error()))
				default:
					w.Say(fmt.Sprintf("states are visited again: %v", err))
				}
				s.clear()
				w.pause(ctx, true)
				continue
			}
		}
		if !busy {
			select {
			case <-ctx.Done():
			case <-more:
			case <-time.After(w.tell):
				s.asks(ctx)
			}
		}
	}
	return nil
}

// sharded reports whether job of is still the current one, and workers visit states for it rather
// than take walks.
func (w *worker) sharded(of *job) bool {
	now := w.current.Load()
	return now != nil && now.Epoch == of.Epoch && now.Shards > 0
}

// asks reads the value of the key "space" from the cluster. The watch of this key would report each
// new value, but it may have been lost.
func (s *slot) asks(ctx context.Context) {
	if e, err := s.kv.Get(ctx, keySpace); err == nil {
		s.learnSpace(e.Value())
	}
}

// clear makes the slot give up all its shards, and drops the visits for which it has not appended a
// record.
func (s *slot) clear() {
	if s.remote != nil {
		s.ends()
		s.remote.Close()
	}
	s.remote, s.held = nil, nil
}

// turn visits one group of states of each shard that the slot owns. It reports whether there was any group
// to visit.
func (s *slot) turn(ctx context.Context, now *space) (busy bool, err error) {
	for k, h := range s.held {
		if o := &now.Owners[k]; o.Slot != s.name || o.Epoch != h.epoch {
			delete(s.held, k)
			s.remote.Drop(k)
		}
	}
	for k, o := range now.Owners {
		if o.Slot != s.name || !now.Some[k] {
			continue
		}
		if s.held[k] == nil {
			if err := s.takeOver(ctx, now, k); err != nil {
				return false, err
			}
		}
		if s.held[k].read < now.Ends[k] {
			busy = true
			if err := s.group(ctx, now, k); err != nil {
				return false, err
			}
		}
	}
	return busy, nil
}

// takeOver begins the ownership of shard k: it reads all records of the shard, and appends one, after which
// the server refuses those of earlier owners.
func (s *slot) takeOver(ctx context.Context, now *space, k int) error {
	epoch := now.Owners[k].Epoch
	if s.remote == nil {
		var err error
		if s.remote, err = s.another(s.of); err != nil {
			return fmt.Errorf("%w: %w", errNoRemote, err)
		}
		s.held = map[int]*holding{}
		s.ends = s.endIfStill(s.remote)
	}
	h := &holding{epoch: epoch, alone: now.Owners[k].Alone}
	var records [][]byte
	for {
		m, err := s.visited[k].GetMsg(ctx, h.last+1, jetstream.WithGetMsgSubject(subjectVisited(k)))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			if err := s.first(ctx, k, h); err != nil {
				return err
			}
			break
		}
		if err != nil {
			return err
		}
		r, of, err := readRecord(m.Data)
		if err != nil {
			return fmt.Errorf("%w: shard %d: %w", errDamaged, k, err)
		}
		if r.Epoch > epoch { // the same epoch: this slot has dropped the shard since
			return errLost
		}
		if h.last, h.read = m.Sequence, r.Read; len(of) > 0 {
			records = append(records, of)
		}
	}
	if h.read < now.Reads[k] {
		return fmt.Errorf("%w: message %[3]d of the states of shard %[2]d was visited, but the last record says %[4]d", errDamaged, k, now.Reads[k], h.read)
	}
	if err := s.remote.Hold(k, records); err != nil {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	again, err := s.remote.Record(k) // the last record always has the sums
	if err != nil {
		return err
	}
	if err := s.append(ctx, k, h, again); err != nil {
		return err
	}
	s.held[k] = h
	return nil
}

// first sets h.last for a shard that has no records. It is not 0 if an earlier search had records in the
// same stream, since the numbers in the stream go on from theirs.
func (s *slot) first(ctx context.Context, k int, h *holding) error {
	if h.last > 0 {
		return nil
	}
	info, err := s.visited[k].Info(ctx)
	if err == nil && info.State.Msgs == 0 {
		h.last = info.State.LastSeq
	}
	return err
}

// append appends a record, which of is a part of, to the records of shard k. It returns errLost if
// another owner has appended one.
func (s *slot) append(ctx context.Context, k int, h *holding, of []byte) error {
	r := record{h.epoch, h.read}
	ctx, cancel := context.WithTimeout(ctx, s.call)
	defer cancel()
	ack, err := s.js.Publish(ctx, subjectVisited(k), r.bytes(of), jetstream.WithExpectLastSequence(h.last))
	if wrongSequence(err) {
		return errLost
	}
	if err != nil {
		return err
	}
	h.last = ack.Sequence
	_ = s.js.Conn().Publish(subjectMoved, nil)
	return nil
}

// group reads a group of states of shard k, visits the new ones among them, stores the states to which these
// lead, and then appends a record.
func (s *slot) group(ctx context.Context, now *space, k int) error {
	h := s.held[k]
	s.remote.Begin(k, now.Level)
	read := max(h.read, now.Starts[k])
	for read < now.Ends[k] && s.remote.Len() < max(groupStates, groupEach*s.of.Shards) {
		m, err := s.states[k].GetMsg(ctx, read+1, jetstream.WithGetMsgSubject(subjectStates(k)))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return s.missing(ctx, now, k, read+1)
		}
		if err != nil {
			return fmt.Errorf("message %d of the states of shard %d: %w", read+1, k, err)
		}
		if m.Sequence != read+1 {
			return fmt.Errorf("%w: message %d of the states of shard %d is lost", errDamaged, read+1, k)
		}
		if read = m.Sequence; m.Header.Get(headerMark) != "" {
			continue
		}
		take := s.remote.Take
		if h.alone {
			take = s.remote.Aside
		}
		if err := take(m.Data); err != nil {
			return fmt.Errorf("%w: shard %d: %w", errVisit, k, err)
		}
	}
	id := fmt.Sprintf("shard.%d.%d", k, now.Level)
	s.reaches("read", id)
	of, batches, err := s.finish(ctx, now, k)
	if err != nil {
		return err
	}
	s.reaches("expanded", id)
	if err := s.store(ctx, batches); err != nil {
		return err
	}
	if err := s.relies(ctx); err != nil {
		return err
	}
	s.reaches("passed", id)
	h.read = read
	if err := s.append(ctx, k, h, of); err != nil {
		return err
	}
	h.alone = false
	s.reaches("recorded", id)
	return nil
}

// finish visits the states of the group that the slot has read for shard k. If an earlier owner ended at
// this group, it does so in a process of its own. It returns the part of the record that says what was
// visited, and for each shard the batches of states to store.
func (s *slot) finish(ctx context.Context, now *space, k int) (of []byte, batches [][][]byte, err error) {
	h := s.held[k]
	var came []byte
	if alone := h.alone && s.remote.Len() > 0; alone {
		group, err := s.remote.Group(now.Expand)
		if err != nil {
			return nil, nil, err
		}
		over := func() bool {
			now, _ := s.space.get()
			return ctx.Err() != nil || !s.sharded(s.of) || now.Owners[k].Epoch != h.epoch
		}
		one := jobs.Lone{Job: s.of.Job, Shards: s.of.Shards, Group: group}
		whole := false
		id, name := fmt.Sprintf("%d.shard.%d.%d", s.of.Epoch, k, h.read), fmt.Sprintf("level %d of shard %d: state", now.Level, k)
		if came, whole, err = s.isolate(ctx, one, id, name, over); err != nil || !whole {
			return nil, nil, cmp.Or(err, errLost)
		}
		of, batches, err = s.remote.Join(came)
	} else {
		of, batches, err = s.remote.Finish(now.Expand)
	}
	if err != nil {
		err = fmt.Errorf("%w: shard %d: %w", errVisit, k, err)
	}
	return of, batches, err
}

// endIfStill begins to watch r, and ends this process if r is stuck: a handler that it called for a
// state does not return. The next owner of the shard visits these states in a process of its own. The
// caller ends the watch by calling ends.
func (w *worker) endIfStill(r *search.Remote) (ends func()) {
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(w.stuck / looks)
		defer tick.Stop()
		var last uint64
		for same := 0; same < looks; {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			if now := r.Beats(); now == 0 || now != last {
				last, same = now, 0
			} else {
				same++
			}
		}
		w.Say("a step of a state does not return: the process ends")
		os.Exit(4)
	}()
	return func() { close(done) }
}

// missing returns the error for a message of shard k that the server does not have. If the message is lost,
// the error says that the search is damaged. Otherwise another server of the cluster may have it, and the
// caller may try again. Messages are only ever removed from the beginning of a stream, so a gap shows a
// loss.
func (s *slot) missing(ctx context.Context, now *space, k int, message uint64) error {
	info, err := s.states[k].Info(ctx)
	if err == nil {
		if is := &info.State; is.LastSeq < now.Ends[k] || is.FirstSeq > message || is.Msgs != is.LastSeq-is.FirstSeq+1 {
			err = errDamaged
		}
	}
	return fmt.Errorf("message %d of the states of shard %d is not there: %w", message, k, errors.Join(err, jetstream.ErrMsgNotFound))
}

// relies must be called when the batches of the group are stored. It reports this to the other
// goroutines, and waits until they have stored those batches on which the record of this group relies.
func (s *slot) relies(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.call)
	defer cancel()
	return s.remote.Stored(ctx)
}

// store stores batches in the streams of their shards, and waits until all are acknowledged.
func (s *slot) store(ctx context.Context, batches [][][]byte) error {
	ctx, cancel := context.WithTimeout(ctx, s.call)
	defer cancel()
	var sent []jetstream.PubAckFuture
	for k := range batches {
		for _, b := range batches[k] {
			f, err := s.js.PublishAsync(subjectStates(k), b)
			if err != nil {
				return err
			}
			sent = append(sent, f)
		}
	}
	return acknowledged(ctx, sent)
}

// acknowledged waits until the server has stored all that was sent.
func acknowledged(ctx context.Context, sent []jetstream.PubAckFuture) error {
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
}
