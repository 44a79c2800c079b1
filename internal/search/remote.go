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
	"macemc/internal/search/internal/explore"
	"macemc/internal/search/internal/run"
	"macemc/internal/search/internal/shard"
	"macemc/sim"
)

// A Remote visits the states of shards for a search in another process. It belongs to one
// goroutine.
//
// The records of a shard say which of its states were visited, and with what result. A Remote that
// holds a shard has read all of the shard's records, and makes a new one for each group of states:
// see Finish.
type Remote struct {
	of     *remotes
	h      *hand
	g      *explore.Remote
	out    *explore.Outbox
	shards int                // number of all shards
	held   map[int]*heldShard // the shards that this process holds, by number
	now    *heldShard         // the shard of the group that is being visited
	level  int
	before int          // number of the shard's states before the group
	group  *shard.Group // collects the states to send, or nil if no group is begun
	aside  loneGroup    // the part of the group that another process visits
	fresh  *shard.Set   // the new states of that part, or nil if there are none
}

// loneGroup is a group of states that a process of its own visits, since one of the states may end
// the process.
type loneGroup struct {
	Shard, Level int
	Expand       bool
	Batches      [][]byte
	New          []bool // by number of the state in all batches: it is new
}

// loneCame is the result of a visit of a loneGroup.
type loneCame struct {
	Record  []byte // the record of this group alone, without the earlier groups of the shard
	Batches [][][]byte
}

// heldShard is a shard that a Remote holds.
type heldShard struct {
	known    shard.Set
	sum      shardSum
	coverage *observe.Coverage
}

// shardSum adds up the visits of a shard. Each record contains the sum of all records before it.
type shardSum struct {
	Level                   int // the level of the last states that were visited
	Deepest                 int // the deepest level that had a new state
	States, Transitions     int
	Earlier                 int // transitions from levels before Level
	Steps, Runs             int // steps taken; handlers run
	Audited, Made           int // runs that were taken twice; states that were made by their runs
	Outside, Sampled, Spare bool
	Dear                    uint64
	Wrongs                  []explore.RemoteWrong // one for each depth, from Level on
	LeftOut                 int                   // states that were neither judged nor expanded, since they ended processes
	Left                    []explore.RemoteLeft  // the first leftMost of them
	coverage                []byte
}

// leftMost is the largest number of states that a record lists as left out: states that were not
// visited, since they ended every process that visited them.
const leftMost = 16

// remotes makes the Remotes of one process. They share the parts of states, and a list of the
// states they have sent, so that a process sends most states once.
type remotes struct {
	sys    *sim.System
	opts   Options
	shards int
	common explore.Common
	sent   shard.Sent
}

// NewRemotes returns a function that makes the Remotes of one process, for a search with these
// options that divides its states into this number of shards. Several goroutines may call the
// function.
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
	h.Pulse.Watch()
	h.owner.Few, h.owner.Depth = h.few(), func() int { return r.g.Depth() }
	r.out = explore.NewOutbox(of.shards, r.knows)
	r.g, err = h.owner.NewRemote(run.Climate{Faults: h.Stormy(), Heal: -1}, h.opts.Engine != EngineLocal, &of.common, r.out)
	return r, err
}

func (s *heldShard) holds(sum *shardSum) { s.sum = *sum }

// knows reports whether this process holds the shard of the state with identity h, and the shard has
// the state already. If so, the state need not be sent to that shard again.
func (r *Remote) knows(h canon.Hash) bool {
	s := r.held[shard.Of(h, r.shards)]
	return s != nil && s.known.Has(h)
}

// Close frees memory. States that were sent but not stored are dropped: see Stored.
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

// Hold makes this process the one that holds shard k. records are all the records of the shard so far.
func (r *Remote) Hold(k int, records [][]byte) error {
	s := &heldShard{coverage: r.h.coverage.Another()}
	for _, text := range records {
		sum, states, err := readRecord(text)
		if err != nil {
			return fmt.Errorf("cannot read a record of shard %d: %w", k, err)
		}
		for ; len(states) > 0; states = states[16:] {
			if !s.known.Add(shard.HashOf(states)) {
				return fmt.Errorf("two records of shard %d have the same state: the records are damaged", k)
			}
		}
		if s.holds(sum); sum.States != s.known.Len() {
			return fmt.Errorf("the records of shard %d have %d of its %d states: some records are lost", k, s.known.Len(), sum.States)
		}
	}
	r.held[k] = s
	if err := s.sum.coverInto(s.coverage); err != nil {
		return err
	}
	return s.sum.covered(s.coverage)
}

// Record returns a record of shard k, which this process holds, without new states.
func (r *Remote) Record(k int) ([]byte, error) { return r.held[k].sum.record() }

// Drop ends the holding of shard k by this process.
func (r *Remote) Drop(k int) { delete(r.held, k) }

// Begin begins a group of states of shard k, at a level.
func (r *Remote) Begin(k, level int) {
	r.givesUp()
	r.group = r.of.sent.Begin()
	r.out.Begin(r.group)
	r.now, r.level = r.held[k], level
	r.before = r.now.known.Len()
	r.aside, r.fresh = loneGroup{Shard: k, Level: level}, nil
	r.begin(nil)
}

func (r *Remote) begin(alone *explore.Alone) {
	r.g.Begin(r.level, alone)
	r.h.counted()
	r.h.coverage.Clear()
}

// Len returns the number of new states in the group so far.
func (r *Remote) Len() int {
	if r.fresh != nil {
		return r.fresh.Len()
	}
	return r.g.Len()
}

// Beats returns a number that changes while states are being visited. It is 0 at other times.
func (r *Remote) Beats() uint64 { return r.h.Pulse.Count() }

// Take adds those states of a batch to the group that are new to the shard, and checks the properties
// in them.
func (r *Remote) Take(batch []byte) error {
	b, err := shard.Read(batch)
	if err != nil {
		return err
	}
	return r.apart(func() error { return r.g.Take(b, &r.now.known) })
}

// Aside adds the states of a batch to the part of the group that another process visits: see Group.
func (r *Remote) Aside(batch []byte) error {
	b, err := shard.Read(batch)
	if err != nil {
		return err
	}
	if r.fresh == nil {
		r.fresh = &shard.Set{}
	}
	r.aside.Batches = append(r.aside.Batches, batch)
	for {
		if more, err := b.Next(); !more || err != nil {
			return err
		}
		r.aside.New = append(r.aside.New, !r.now.known.Has(b.Sum) && r.fresh.Add(b.Sum))
	}
}

// Group encodes the states that Aside has added. The caller passes them to another process, whose
// Remote visits them by Alone. expand says whether their steps are to be taken.
func (r *Remote) Group(expand bool) ([]byte, error) {
	r.aside.Expand = expand
	return json.Marshal(&r.aside)
}

// Alone visits the states of a group one after another, except those whose numbers are in leave. It
// calls begins with the number of a state before it judges that state, and again before it takes the
// steps of that state. So the caller knows which state ended this process. Join reads the result.
func (r *Remote) Alone(group []byte, leave []int, begins func(state int)) (came []byte, err error) {
	var a loneGroup
	if err := json.Unmarshal(group, &a); err != nil {
		return nil, err
	}
	if err := r.Hold(a.Shard, nil); err != nil {
		return nil, err
	}
	r.Begin(a.Shard, a.Level)
	r.begin(&explore.Alone{New: a.New, Leave: leave, Begins: begins})
	for _, b := range a.Batches {
		if err := r.Take(b); err != nil {
			return nil, err
		}
	}
	var out loneCame
	if out.Record, out.Batches, err = r.Finish(a.Expand); err != nil {
		return nil, err
	}
	return json.Marshal(&out)
}

// Join ends a group that another process has visited. came is what Alone returned there. Join
// returns the same results as Finish.
func (r *Remote) Join(came []byte) (record []byte, batches [][][]byte, err error) {
	var in loneCame
	if err := json.Unmarshal(came, &in); err != nil {
		return nil, nil, err
	}
	of, states, err := readRecord(in.Record)
	if err != nil {
		return nil, nil, err
	}
	s := r.now
	for ; len(states) > 0; states = states[16:] {
		s.known.Add(shard.HashOf(states))
	}
	if n := s.known.Len() - r.before; n != of.States || n != r.Len() || len(in.Batches) != r.shards {
		return nil, nil, shard.ErrDamaged
	}
	if err := of.coverInto(s.coverage); err != nil {
		return nil, nil, err
	}
	s.sum.add(r.level, of.States, &Stats{Transitions: of.Transitions, Steps: of.Steps, HandlerRuns: of.Runs, Audited: of.Audited}, of.Made)
	s.sum.wrong(of.Wrongs)
	s.sum.leaves(of.LeftOut, of.Left)
	s.sum.limits(of.Outside, of.Sampled, of.Spare, of.Dear)
	record, err = r.records(s)
	return record, in.Batches, err
}

// Finish ends the group. If expand is set, it takes all steps of the group's new states. It returns
// a record, and for each shard the batches that must be stored before the record is: see Stored.
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
	s.sum.leaves(len(r.g.Left()), r.g.Left())
	s.sum.limits(!inside, sampled, spared, r.g.Dear())
	record, err = r.records(s)
	return record, r.out.Take(), err
}

// records returns the record of the group. The caller appends it to the stored records of shard s:
// from then on the group's states count as visited.
func (r *Remote) records(s *heldShard) ([]byte, error) {
	if err := s.sum.covered(s.coverage); err != nil {
		return nil, err
	}
	record, err := s.sum.record()
	for h := range s.known.From(r.before) {
		record = shard.AppendHash(record, h)
	}
	return record, err
}

// Stored must be called when the batches that Finish returned are stored. It waits until other
// Remotes have stored the batches that the record relies on. If it returns an error, the record
// must not be appended.
func (r *Remote) Stored(ctx context.Context) error {
	g := r.group
	g.Stored()
	r.group = nil
	return g.Wait(ctx)
}

// apart calls do on a goroutine of its own, since a handler may end its goroutine.
func (r *Remote) apart(do func() error) error {
	_, returned, err := run.Apart(func() (struct{}, error) {
		r.h.here()
		return struct{}{}, do()
	})
	if !returned {
		r.h.Pulse.Rest()
		return errors.New("a handler ended its goroutine, which only a search in one process can report; search without shards")
	}
	return err
}

// add adds the counts of a group of a level.
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

// wrong adds failures. It keeps only one for each depth, the one to be reported.
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

// leaves records that n more states of the shard were not visited, since they ended processes.
// first lists the first few of them.
func (s *shardSum) leaves(n int, first []explore.RemoteLeft) {
	s.LeftOut += n
	s.Left = append(s.Left, first[:min(len(first), leftMost-len(s.Left))]...)
}

func (s *shardSum) limits(outside, sampled, spared bool, dear uint64) {
	s.Outside, s.Sampled, s.Spare, s.Dear = s.Outside || outside, s.Sampled || sampled, s.Spare || spared, s.Dear|dear
}

// covered sets the coverage of the visits.
func (s *shardSum) covered(c *observe.Coverage) (err error) {
	counted := c.Counted()
	s.coverage, err = json.Marshal(&counted)
	return err
}

// coverInto adds the coverage of the visits to c.
func (s *shardSum) coverInto(c *observe.Coverage) error {
	if len(s.coverage) == 0 {
		return nil
	}
	var counted observe.Counted
	return errors.Join(json.Unmarshal(s.coverage, &counted), c.Add(&counted))
}

// record encodes the sum as a record without states. Each part of the record begins with its length.
func (s *shardSum) record() (record []byte, err error) {
	text, err := json.Marshal(s)
	for _, part := range [][]byte{text, s.coverage} {
		record = append(binary.AppendUvarint(record, uint64(len(part))), part...)
	}
	return record, err
}

// earlier returns the number of transitions from the levels before the given one.
func (s *shardSum) earlier(level int) int {
	if s.Level < level {
		return s.Transitions
	}
	return s.Earlier
}

// readRecord splits a record into the sum and the states.
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
