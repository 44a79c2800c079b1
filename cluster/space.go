package cluster

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"macemc/internal/search"
)

// The states of the exhaustive phase are divided into shards by their identities. Each shard has two
// streams: the states that were found for it, and records of those that were visited. A worker that
// owns a shard reads states in their order, a group at a time:
//
//  1. it takes all steps of the states that are new, stores the states to which they lead in the
//     streams of their shards, and waits until the server has acknowledged them;
//  2. it appends one record: the new states, the counts, and the number of the last message that it has
//     read. The server refuses the record if another one was appended since the worker's last one.
//
// So a state that is recorded as visited has all its successors stored, and a state that was read and
// is not recorded is read again by the next owner. Which states are new follows from the order of the
// stream alone. What was read is removed at the end of a level.
//
// An owner begins by reading all records and appending one with its epoch, which is larger than all
// before. From then on the records of an earlier owner are refused.
//
// The coordinator assigns shards, and ends a level once the records of all shards say that everything
// was read. In one pass it compares, for each shard, the last message that was read with the end of the
// stream of states. Then it appends a mark to each of these streams, on the condition that nothing was appended
// since the pass. If a mark is refused, it begins the pass again. If all were accepted, nothing was under
// way between the two passes, and the marks are the end of the next level.

const (
	bucketSpace  = "macemc-space"
	keySpace     = "space"
	shardsMost   = 256
	removesLeast = 64      // the least number of read messages that are removed together
	groupStates  = 1 << 12 // the least number of new states of a group
	groupEach    = 1 << 9  // the same, for each shard of the search, since a group sends a message to every shard
	stillMost    = 10      // a shard without a new record for stillMost times the longest time of a walk gets another owner

	subjectMoved = "macemc.moved" // a worker has appended a record, or says what is damaged
)

func streamStates(k int) string       { return fmt.Sprintf("macemc-states-%d", k) }
func streamVisited(k int) string      { return fmt.Sprintf("macemc-visited-%d", k) }
func subjectStates(k int) string      { return fmt.Sprintf("macemc.states.%d", k) }
func subjectVisited(k int) string     { return fmt.Sprintf("macemc.visited.%d", k) }
func slotName(w string, k int) string { return fmt.Sprintf("%s.%d", w, k) }

// space is the value of the key space: it says what the owners of shards have to do. Only the coordinator
// writes it.
type space struct {
	Run    string // differs for each search
	Epoch  uint64 // of the job
	Last   uint64 // the largest epoch that an owner has got so far
	Level  int
	Expand bool
	Starts []uint64 // for each shard, the message before the first state of the level
	Ends   []uint64 // for each shard, the mark after the last state of the level
	Some   []bool   // for each shard, whether there are states before the mark
	Reads  []uint64 // for each shard, the last message that its records had read at the end of the previous level
	Owners []owner  // for each shard, the goroutine that visits its states
}

type owner struct {
	Slot  string // a goroutine of a worker, or ""
	Epoch uint64
	Alone bool // an earlier owner ended while it visited the next states, so a process of its own visits them
}

// record is the beginning of each record in a stream of visited states. After it, the stream's record has
// the bytes that a search.Remote has returned.
type record struct {
	Epoch uint64
	Read  uint64 // the last message of the states' stream that was read
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var errPoison = errors.New("states end the processes that visit them")

var errRecord = errors.New("a record of visited states is damaged")

func (r *record) bytes(of []byte) []byte {
	b := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, r.Epoch), r.Read)
	b = append(b, of...)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

func readRecord(b []byte) (r record, of []byte, err error) {
	if len(b) < 20 || crc32.Checksum(b[:len(b)-4], castagnoli) != binary.LittleEndian.Uint32(b[len(b)-4:]) {
		return r, nil, errRecord
	}
	return record{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])}, b[16 : len(b)-4], nil
}

// headerMark is the header by which a reader of a shard's stream recognizes a mark, which is a
// message that ends the states of a level.
const headerMark = "Macemc-Mark"

// spaces has the streams of all shards, and the bucket of the key space.
type spaces struct {
	kv              jetstream.KeyValue
	states, visited []jetstream.Stream
}

// openSpaces opens the streams of n shards, and the bucket of the key space. If in is not nil, it creates those
// that do not exist.
func (p *places) openSpaces(ctx context.Context, n int, in *storage) (*spaces, error) {
	s := &spaces{}
	var err error
	if in != nil {
		s.kv, err = p.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: bucketSpace, History: 1, Storage: jetstream.FileStorage, Replicas: in.copies})
	} else {
		s.kv, err = p.js.KeyValue(ctx, bucketSpace)
	}
	for k := 0; k < n && err == nil; k++ {
		for _, of := range []struct {
			name, subject string
			to            *[]jetstream.Stream
		}{{streamStates(k), subjectStates(k), &s.states}, {streamVisited(k), subjectVisited(k), &s.visited}} {
			var stream jetstream.Stream
			if in != nil {
				stream, err = p.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{Name: of.name, Subjects: []string{of.subject}, Storage: jetstream.FileStorage, Replicas: in.copies, AllowDirect: true})
			} else {
				stream, err = p.js.Stream(ctx, of.name)
			}
			if err != nil {
				return nil, err
			}
			*of.to = append(*of.to, stream)
		}
	}
	return s, err
}

// last returns the last message of a stream, or nil if it has none.
func last(ctx context.Context, of jetstream.Stream, subject string) (*jetstream.RawStreamMsg, error) {
	m, err := of.GetLastMsgForSubject(ctx, subject)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, nil
	}
	return m, err
}

// survey is the part of the coordinator that conducts an exhaustive phase whose states are divided
// into shards.
type survey struct {
	*coordinator
	*spaces
	n        int
	in       *storage
	synced   bool
	run      string // a file with the name of the run
	now      space
	revision uint64
	at       []uint64 // for each shard, the number of the last record that the coordinator has read
	read     []uint64 // for each shard, the last message of its states that the owner had read, according to that record
	removed  []uint64 // for each shard, the last message of its states that was removed from the stream
	records  [][]byte
	moved    chan *nats.Msg
	since    []time.Time // for each shard, when a new record of it was last seen
	tries    []int       // for each shard, the number of owners that it has lost since its last new record
	reaches  func(point, what string)
	refused  int // how often a mark was refused
}

// Shards implements search.Shards. It returns 0 if workers visit no states.
func (c *coordinator) Shards() int {
	if c.survey == nil {
		return 0
	}
	return c.survey.n
}

// Synced reports whether the server syncs its writes.
func (c *coordinator) Synced() bool { return c.survey.synced }

// Open implements search.Shards: it begins a search, or finds what an earlier coordinator of the
// same search has left in the cluster. It returns the level to visit next, and whether that level
// has any states.
func (c *coordinator) Open(starts [][][]byte) (level int, some bool, err error) {
	return c.survey.open(starts)
}

// Visit implements search.Shards: it lets workers visit the states of a level. It returns StopQuarantined
// if states end the processes that visit them.
func (c *coordinator) Visit(level int, stopped func() bool, came func([][]byte) (bool, error)) (some bool, why search.Stop, err error) {
	some, err = c.survey.visit(level, stopped, came)
	if errors.Is(err, errPoison) {
		return false, search.StopQuarantined, nil
	}
	return some, "", err
}

// name returns the name of this run of the search. It reads the name from a file beside the search's own state;
// if there is no such file, it makes up a name and writes the file. The name shows whether the states in the
// cluster belong to this search.
func (s *survey) name() (string, error) {
	text, err := os.ReadFile(s.run)
	if err == nil && len(text) > 0 {
		return string(text), nil
	}
	name := nuid.Next()
	return name, errors.Join(os.MkdirAll(filepath.Dir(s.run), 0o777), os.WriteFile(s.run, []byte(name), 0o666))
}

func (s *survey) open(starts [][][]byte) (level int, some bool, err error) {
	name, err := s.name()
	if err != nil {
		return 0, false, err
	}
	if err := s.sure(nil, func(ctx context.Context) (err error) {
		s.spaces, err = s.openSpaces(ctx, s.n, s.in)
		return err
	}); err != nil {
		return 0, false, err
	}
	s.at, s.read, s.removed, s.records = make([]uint64, s.n), make([]uint64, s.n), make([]uint64, s.n), make([][]byte, s.n)
	s.since, s.tries = make([]time.Time, s.n), make([]int, s.n)
	s.moved = make(chan *nats.Msg, 64)
	if _, err := s.nc.ChanSubscribe(subjectMoved, s.moved); err != nil {
		return 0, false, err
	}
	if err := s.sure(nil, s.find); err != nil {
		return 0, false, err
	}
	if s.now.Run != name || len(s.now.Ends) != s.n || len(s.now.Reads) != s.n {
		if err := s.anew(name, starts); err != nil {
			return 0, false, err
		}
	}
	s.now.Epoch = s.epoch
	for k := range s.now.Owners {
		s.now.Owners[k] = owner{}
	}
	if err := s.put(nil); err != nil {
		return 0, false, err
	}
	return s.now.Level, slices.Contains(s.now.Some, true), nil
}

// find reads the value of the key space that an earlier coordinator left, if there is one.
func (s *survey) find(ctx context.Context) error {
	e, err := s.kv.Get(ctx, keySpace)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	s.now, s.revision = space{}, e.Revision()
	return json.Unmarshal(e.Value(), &s.now)
}

// anew begins another run with this name: it removes the states and records of an earlier one, and stores the
// states in which runs begin.
func (s *survey) anew(name string, starts [][][]byte) error {
	s.now = space{Run: "", Last: s.now.Last, Starts: make([]uint64, s.n), Ends: make([]uint64, s.n), Some: make([]bool, s.n), Reads: make([]uint64, s.n), Owners: make([]owner, s.n)}
	if err := s.put(nil); err != nil { // first, so that the next coordinator repeats this if it is not completed
		return err
	}
	if err := s.sure(nil, func(ctx context.Context) error {
		for k := range s.n {
			if err := errors.Join(s.states[k].Purge(ctx), s.visited[k].Purge(ctx)); err != nil {
				return err
			}
			info, err := s.states[k].Info(ctx)
			if err != nil {
				return err
			}
			s.now.Ends[k] = info.State.LastSeq
		}
		return nil
	}); err != nil {
		return err
	}
	if err := s.sure(nil, func(ctx context.Context) error {
		for k, batches := range starts {
			for _, b := range batches {
				if _, err := s.js.Publish(ctx, subjectStates(k), b); err != nil {
					return err
				}
			}
		}
		return nil
	}); err != nil {
		return err
	}
	s.now.Run, s.now.Level, s.now.Expand = name, 0, true
	_, err := s.ends(nil, func() error { return nil })
	return err
}

// put publishes s.now for the owners. It returns errSuperseded if a coordinator with a larger epoch has published
// since.
func (s *survey) put(stopped func() bool) error {
	text, err := json.Marshal(&s.now)
	if err != nil {
		return err
	}
	return s.sure(stopped, func(ctx context.Context) error {
		revision, err := s.kv.Update(ctx, keySpace, text, s.revision)
		if wrongSequence(err) {
			e, again := s.kv.Get(ctx, keySpace)
			if again == nil && string(e.Value()) == string(text) { // the answer to an earlier call got lost
				revision, err = e.Revision(), nil
			} else if again == nil && e.Revision() > s.revision {
				s.revision = e.Revision() // of a call of ours whose answer got lost, or of another coordinator
				var other space
				if json.Unmarshal(e.Value(), &other) == nil && other.Epoch > s.epoch {
					return errSuperseded
				}
			}
		}
		if err == nil {
			s.revision = revision
		}
		return err
	})
}

var errSuperseded = errors.New("another coordinator has taken the search over")

// visit lets the owners of shards visit the states of a level, and reports whether the next level has any
// states. Afterwards it removes the states that were read from their streams, except from a stream with
// fewer than removesLeast of them.
func (s *survey) visit(level int, stopped func() bool, came func([][]byte) (bool, error)) (some bool, err error) {
	s.now.Level, s.now.Expand = level, true
	for k := range s.since {
		s.since[k] = time.Now()
	}
	s.assign()
	tell := func() error {
		expand, err := came(s.records)
		if err == nil && expand != s.now.Expand {
			s.now.Expand = expand
			err = s.put(stopped)
		}
		return err
	}
	if err := s.reads(stopped); err != nil {
		return false, err
	}
	if s.now.Expand, err = came(s.records); err != nil {
		return false, err
	}
	if err := s.put(stopped); err != nil {
		return false, stops(err)
	}
	read := slices.Clone(s.now.Ends)
	if some, err = s.ends(stopped, tell); err != nil {
		return false, stops(err)
	}
	s.reached("removes", level)
	return some, stops(s.sure(stopped, func(ctx context.Context) error {
		for k := range read {
			if read[k] < s.removed[k]+removesLeast {
				continue
			}
			if err := s.states[k].Purge(ctx, jetstream.WithPurgeSequence(read[k]+1)); err != nil {
				return err
			}
			s.removed[k] = read[k]
		}
		return nil
	}))
}

func stops(err error) error {
	if errors.Is(err, errStopped) {
		return search.ErrStopped
	}
	return err
}

func (s *survey) reached(point string, k int) {
	if s.reaches != nil {
		s.reaches(point, fmt.Sprint(k))
	}
}

// ends waits until the owners of all shards have read the states of the level, calling tell when there is
// something new. Then it appends to each shard's stream the mark that ends the next level, and reports
// whether that level has any states.
func (s *survey) ends(stopped func() bool, tell func() error) (some bool, err error) {
	next, marks := make([]uint64, s.n), make([]uint64, s.n)
	for {
		done, err := s.pass(stopped, next, tell)
		if err == nil && done {
			done, err = s.mark(stopped, next, marks)
		}
		if err != nil {
			return false, err
		}
		if done {
			break
		}
	}
	for k := range next {
		s.now.Some[k] = next[k] > s.now.Ends[k]
		s.now.Starts[k], s.now.Ends[k], s.now.Reads[k] = s.now.Ends[k], marks[k], s.read[k]
		some = some || s.now.Some[k]
	}
	return some, nil
}

// done reports whether shard k has read all states of the level.
func (s *survey) done(k int) bool { return !s.now.Some[k] || s.read[k] >= s.now.Ends[k] }

// pass looks once at the progress of all shards, and reports whether they have read all states of the level.
// For each shard it reads the last record, and stores in next the number of the last message among the shard's
// states. If there are new records, it calls tell. If the level is not complete, pass waits for a new record,
// and gives the shards of workers that are gone to others.
func (s *survey) pass(stopped func() bool, next []uint64, tell func() error) (done bool, err error) {
	done = true
	moved := false
	for k := range s.n {
		if !s.done(k) {
			before := s.at[k]
			if err := s.sure(stopped, func(ctx context.Context) error { return s.look(ctx, k) }); err != nil {
				return false, err
			}
			if s.at[k] != before {
				moved = true
				s.since[k] = time.Now()
			}
		}
		if done = done && s.done(k); !done {
			continue
		}
		if err := s.sure(stopped, func(ctx context.Context) error {
			info, err := s.states[k].Info(ctx)
			if err == nil {
				next[k] = info.State.LastSeq
			}
			return err
		}); err != nil {
			return false, err
		}
		s.reached("looked", k)
	}
	if moved {
		if err := tell(); err != nil {
			return false, err
		}
	}
	if done {
		return true, nil
	}
	if stopped != nil && stopped() {
		return false, errStopped
	}
	select {
	case m := <-s.moved:
		for ; len(m.Data) == 0 && len(s.moved) > 0; m = <-s.moved {
		}
		if len(m.Data) > 0 {
			return false, errors.New(string(m.Data))
		}
	case <-time.After(s.retry):
	}
	if s.assign() {
		return false, s.put(stopped)
	}
	return false, s.poisoned()
}

// reads reads the last record of every shard.
func (s *survey) reads(stopped func() bool) error {
	for k := range s.n {
		if err := s.sure(stopped, func(ctx context.Context) error { return s.look(ctx, k) }); err != nil {
			return stops(err)
		}
	}
	return nil
}

// look reads the last record of shard k.
func (s *survey) look(ctx context.Context, k int) error {
	m, err := last(ctx, s.visited[k], subjectVisited(k))
	if err != nil || m == nil || m.Sequence <= s.at[k] { // the server may give an old answer, which is ignored
		return err
	}
	r, of, err := readRecord(m.Data)
	if err != nil {
		return err
	}
	if r.Read > s.read[k] {
		s.tries[k], s.now.Owners[k].Alone = 0, false
	}
	s.at[k], s.read[k] = m.Sequence, r.Read
	s.records[k] = nil
	if len(of) > 0 {
		s.records[k] = of
	}
	return nil
}

// mark appends a mark to the states of each shard. A server accepts it only if the last message there still has
// the number in next. mark stores the numbers of the marks in marks, and reports whether all were accepted.
func (s *survey) mark(stopped func() bool, next, marks []uint64) (accepted bool, err error) {
	err = s.sure(stopped, func(ctx context.Context) error {
		accepted = true
		return s.all(func(k int) error {
			m := nats.NewMsg(subjectStates(k))
			m.Header.Set(headerMark, "1")
			ack, err := s.js.PublishMsg(ctx, m, jetstream.WithExpectLastSequence(next[k]))
			if err == nil {
				marks[k] = ack.Sequence
			}
			return err
		}, func(err error) error {
			if wrongSequence(err) {
				accepted = false
				return nil
			}
			return err
		})
	})
	if !accepted {
		s.refused++
	}
	return accepted && err == nil, err
}

// all calls do for every shard, for all at the same time. As each call of do returns, all calls each
// with its error. all returns the errors that the calls of each have returned.
func (s *survey) all(do func(k int) error, each func(error) error) error {
	came := make(chan error, s.n)
	for k := range s.n {
		go func() { came <- do(k) }()
	}
	var failed error
	for range s.n {
		failed = errors.Join(failed, each(<-came))
	}
	return failed
}

func wrongSequence(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence
}

// assign gives each shard without an owner to a worker that is there, so that all have about the same
// number of shards. A shard that has had no new record for a long time gets another owner. assign
// reports whether any shard has got another owner.
func (s *survey) assign() (changed bool) {
	slots := s.roster.slots()
	load := map[string]int{}
	for _, slot := range slots {
		load[slot] = 0
	}
	if len(slots) == 0 {
		for k := range s.now.Owners {
			s.loses(k)
		}
		return false
	}
	most := (s.n + len(slots) - 1) / len(slots)
	var free []int
	stuck := map[int]string{} // by shard, its owner
	for k := range s.now.Owners {
		o := &s.now.Owners[k]
		busy := !s.done(k)
		n, there := load[o.Slot]
		switch {
		case o.Slot != "" && !there:
			s.loses(k)
			free = append(free, k)
		case o.Slot == "" || n >= most:
			free = append(free, k)
		case busy && !o.Alone && time.Since(s.since[k]) > stillMost*s.stuck:
			s.say(fmt.Sprintf("macemc: shard %d has not moved for %s: another worker gets it", k, stillMost*s.stuck))
			stuck[k] = o.Slot
			s.loses(k)
			free = append(free, k)
		default:
			load[o.Slot]++
		}
	}
	for _, k := range free {
		least := slices.MinFunc(slots, func(a, b string) int {
			return cmp.Or(near(a, stuck[k])-near(b, stuck[k]), load[a]-load[b], strings.Compare(a, b))
		})
		load[least]++
		s.now.Last++
		s.now.Owners[k] = owner{least, s.now.Last, s.tries[k] > 0}
		s.since[k] = time.Now()
	}
	return len(free) > 0
}

// near returns 2 if two slots are the same, 1 if they belong to the same worker, and 0 otherwise.
func near(slot, other string) int {
	switch worker, _, _ := strings.Cut(slot, "."); {
	case slot == other:
		return 2
	case strings.HasPrefix(other, worker+"."):
		return 1
	}
	return 0
}

// loses removes the owner of shard k. If the shard still has states of this level to read, it
// counts as one more owner that the shard has lost.
func (s *survey) loses(k int) {
	if s.now.Owners[k].Slot != "" && !s.done(k) {
		s.tries[k]++
	}
	s.now.Owners[k] = owner{}
}

// poisoned returns an error if a shard has lost deathsOther owners one after another, and none of
// them has appended a new record.
func (s *survey) poisoned() error {
	for k, n := range s.tries {
		if n >= deathsOther {
			s.say(fmt.Sprintf("macemc: shard %d has lost %d workers at the same states of level %d: the search is incomplete", k, n, s.now.Level))
			return errPoison
		}
	}
	return nil
}
