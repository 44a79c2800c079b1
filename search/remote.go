package search

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"macemc/internal/canon"
	"macemc/internal/observe"
	"macemc/search/internal/explore"
	"macemc/search/internal/run"
	"macemc/search/internal/shard"
	"macemc/sim"
)

// A Remote visits the states of shards for a search in another process. It belongs to one goroutine.
//
// The records of a shard say which of its states were visited, and what came of it. Whoever holds a
// shard has read all of its records, and appends one for each group of states: see Finish.
type Remote struct {
	of     *remotes
	h      *hand
	g      *explore.Remote
	out    *explore.Outbox
	shards int // in all
	held   map[int]*heldShard
	now    *heldShard // of the group that is visited
	level  int
	before int          // states of the shard before the group
	group  *shard.Group // of the states that are sent, or nil if none is under way
}

// heldShard is a shard that the remote holds.
type heldShard struct {
	known    shard.Set
	sum      shardSum
	coverage *observe.Coverage
}

// shardSum is what the visits of a shard have come to. Each record has that of all records before, too.
type shardSum struct {
	Level                   int // of the last states that were visited
	Deepest                 int // the deepest level that had a new state
	States, Transitions     int
	Earlier                 int // of the transitions, those from levels before Level
	Steps, Runs             int // that were taken; handlers that were run
	Audited, Made           int // runs that were taken twice; states that were made by their runs
	Outside, Sampled, Spare bool
	Dear                    uint64
	Wrongs                  []explore.RemoteWrong // the one to report for each depth, of those at Level and beyond it
	coverage                []byte
}

// remotes makes the Remotes of one process. They share the parts of states, and the list of states that
// they have sent, so a process sends most states once.
type remotes struct {
	sys    *sim.System
	opts   Options
	shards int
	common explore.Common
	sent   shard.Sent
}

// NewRemotes returns a function that makes the Remotes of one process, for a search of these options,
// which divides its states into that many shards. Several goroutines may call the function.
func NewRemotes(sys *sim.System, opts Options, shards int) func() (*Remote, error) {
	opts.Afar, opts.Store, opts.Stop = nil, nil, nil
	return (&remotes{sys: sys, opts: opts, shards: shards}).another
}

func (of *remotes) another() (*Remote, error) {
	h, err := newHand(of.sys, of.opts, nil, nil)
	if err != nil {
		return nil, err
	}
	r := &Remote{of: of, h: h, shards: of.shards, held: map[int]*heldShard{}}
	h.owner.Few, h.owner.Depth = h.few(), func() int { return r.g.Depth() }
	r.out = explore.NewOutbox(of.shards, r.knows)
	r.g, err = h.owner.NewRemote(run.Climate{Faults: h.Stormy(), Heal: -1}, h.opts.Engine != EngineLocal, &of.common, r.out)
	return r, err
}

func (s *heldShard) holds(sum *shardSum) { s.sum = *sum }

// knows reports whether a state is known in a shard that is held. Then a batch that is stored has it.
func (r *Remote) knows(h canon.Hash) bool {
	s := r.held[shard.Of(h, r.shards)]
	return s != nil && s.known.Has(h)
}

// Close gives back memory, and gives up the states that were not stored: see Stored.
func (r *Remote) Close() {
	r.givesUp()
	r.g.Close()
}

func (r *Remote) givesUp() {
	if r.group != nil {
		r.group.GiveUp()
		r.group = nil
	}
}

// Hold begins to hold a shard, of which these are all records.
func (r *Remote) Hold(k int, records [][]byte) error {
	s := &heldShard{coverage: r.h.coverage.Another()}
	for _, text := range records {
		sum, states, err := readRecord(text)
		if err != nil {
			return fmt.Errorf("a record of shard %d: %w", k, err)
		}
		for ; len(states) > 0; states = states[16:] {
			if !s.known.Add(shard.HashOf(states)) {
				return fmt.Errorf("a record of shard %d has a state that an earlier one has: the records cannot be relied on", k)
			}
		}
		if s.holds(sum); sum.States != s.known.Len() {
			return fmt.Errorf("the records of shard %d have %d states of %d: some are lost", k, s.known.Len(), sum.States)
		}
	}
	r.held[k] = s
	if err := s.sum.coverInto(s.coverage); err != nil {
		return err
	}
	return s.sum.covered(s.coverage)
}

// Record returns a record of a shard that is held, without new states.
func (r *Remote) Record(k int) ([]byte, error) { return r.held[k].sum.record() }

// Drop stops holding a shard.
func (r *Remote) Drop(k int) { delete(r.held, k) }

// Begin begins a group of states of a shard and a level.
func (r *Remote) Begin(k, level int) {
	r.givesUp()
	r.group = r.of.sent.Begin()
	r.out.Begin(r.group)
	r.now, r.level = r.held[k], level
	r.before = r.now.known.Len()
	r.g.Begin(level)
	r.h.counted()
	r.h.coverage.Clear()
}

// Len returns how many states of the group are new so far.
func (r *Remote) Len() int { return r.g.Len() }

// Take adds the states of a batch to the group, if they are new, and judges them.
func (r *Remote) Take(batch []byte) error {
	b, err := shard.Read(batch)
	if err != nil {
		return err
	}
	return r.apart(func() error { return r.g.Take(b, &r.now.known) })
}

// Finish ends the group. If expand is set, it takes all steps of its new states. It returns a record,
// and for each shard the batches that must be stored before the record is: see Stored.
func (r *Remote) Finish(expand bool) (record []byte, batches [][][]byte, err error) {
	if expand {
		if err := r.apart(r.g.Expand); err != nil {
			return nil, nil, err
		}
	}
	s := r.now
	counts := r.h.counted()
	wrongs, inside, sampled, spared, made := r.g.Came()
	s.coverage.Merge(r.h.coverage)
	s.sum.add(r.level, s.known.Len()-r.before, &counts, made)
	s.sum.wrong(wrongs)
	s.sum.limits(!inside, sampled, spared, r.g.Dear())
	if err := s.sum.covered(s.coverage); err != nil {
		return nil, nil, err
	}
	if record, err = s.sum.record(); err != nil {
		return nil, nil, err
	}
	for _, h := range s.known.From(r.before) {
		record = shard.AppendHash(record, h)
	}
	return record, r.out.Take(), nil
}

// Stored says that the batches which Finish has returned are stored. It returns once those are stored,
// too, that other Remotes were to store, and on which the record relies. If that fails, it returns an
// error, and the record must not be appended.
func (r *Remote) Stored(ctx context.Context) error {
	g := r.group
	g.Stored()
	r.group = nil
	return g.Wait(ctx)
}

// apart does a part of a group on a goroutine of its own, since a handler may end its goroutine.
func (r *Remote) apart(do func() error) error {
	_, returned, err := run.Apart(func() (struct{}, error) {
		r.h.here()
		return struct{}{}, do()
	})
	if !returned {
		r.h.Pulse.Rest()
		return errors.New("a handler ended its goroutine, which only a search in one process can report; leave the shards out")
	}
	return err
}

// add adds a group of a level.
func (s *shardSum) add(level, states int, counts *Stats, made int) {
	if level > s.Level {
		s.Level, s.Earlier = level, s.Transitions
		s.Wrongs = slices.DeleteFunc(s.Wrongs, func(w explore.RemoteWrong) bool { return w.Depth < level })
	}
	if states > 0 {
		s.Deepest = level
	}
	s.States, s.Transitions = s.States+states, s.Transitions+counts.Transitions
	s.Steps, s.Runs, s.Audited, s.Made = s.Steps+counts.Steps, s.Runs+counts.HandlerRuns, s.Audited+counts.Audited, s.Made+made
}

// wrong keeps the failure of each depth that is reported.
func (s *shardSum) wrong(all []explore.RemoteWrong) {
	for _, w := range all {
		at := slices.IndexFunc(s.Wrongs, func(o explore.RemoteWrong) bool { return o.Depth == w.Depth })
		switch {
		case at < 0:
			s.Wrongs = append(s.Wrongs, w)
		case w.Before(&s.Wrongs[at]):
			s.Wrongs[at] = w
		}
	}
}

func (s *shardSum) limits(outside, sampled, spared bool, dear uint64) {
	s.Outside, s.Sampled, s.Spare, s.Dear = s.Outside || outside, s.Sampled || sampled, s.Spare || spared, s.Dear|dear
}

// covered sets what the visits covered.
func (s *shardSum) covered(c *observe.Coverage) (err error) {
	counted := c.Counted()
	s.coverage, err = json.Marshal(&counted)
	return err
}

// coverInto adds what the visits covered to c.
func (s *shardSum) coverInto(c *observe.Coverage) error {
	if len(s.coverage) == 0 {
		return nil
	}
	var counted observe.Counted
	return errors.Join(json.Unmarshal(s.coverage, &counted), c.Add(&counted))
}

// record returns the sum as a record without states. Its parts begin with their lengths.
func (s *shardSum) record() (record []byte, err error) {
	text, err := json.Marshal(s)
	for _, part := range [][]byte{text, s.coverage} {
		record = append(binary.AppendUvarint(record, uint64(len(part))), part...)
	}
	return record, err
}

// earlier returns the transitions from levels before one.
func (s *shardSum) earlier(level int) int {
	if s.Level < level {
		return s.Transitions
	}
	return s.Earlier
}

// readRecord returns the parts of a record.
func readRecord(text []byte) (sum *shardSum, states []byte, err error) {
	var parts [2][]byte
	for k := range parts {
		n, size := binary.Uvarint(text)
		if size <= 0 || n > uint64(len(text)-size) {
			return nil, nil, shard.ErrDamaged
		}
		parts[k], text = text[size:size+int(n)], text[size+int(n):]
	}
	if len(text)%16 != 0 {
		return nil, nil, shard.ErrDamaged
	}
	sum = &shardSum{coverage: parts[1]}
	return sum, text, json.Unmarshal(parts[0], sum)
}
