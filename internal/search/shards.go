package search

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/search/internal/explore"
	"macemc/internal/search/internal/run"
)

// Shards visits the states of the exhaustive phase in other processes, level by level. The states
// are divided into shards by their identities. The search uses it if Options.Afar implements it.
// The search itself begins and ends each level, and makes a finding of a failure.
type Shards interface {
	// Shards returns the number of shards into which the states are divided. If it is 0, the search
	// visits the states itself.
	Shards() int
	// Synced reports whether stored data is known to survive a loss of power.
	Synced() bool
	// Open begins a search: it stores the states in which runs begin, as batches for each shard. If
	// a search is continued, it stores nothing. It returns the level to visit next, and whether
	// that level has any states.
	Open(starts [][][]byte) (level int, some bool, err error)
	// Visit visits the states of a level. After each change it calls came with the last record of
	// each shard, or nil if a shard has none; came reports whether the other states of the level
	// should be expanded. Visit reports whether the next level has any states. It returns
	// StopQuarantined if states of a shard end every process that visits them, and ErrStopped soon
	// after stopped returns true.
	Visit(level int, stopped func() bool, came func(records [][]byte) (expand bool, err error)) (some bool, why Stop, err error)
}

// shards returns the Shards that visits the states, or nil if the search itself does.
func (o *Options) shards() Shards {
	if s, is := o.Afar.(Shards); is && s.Shards() > 0 {
		return s
	}
	return nil
}

// shardable returns an error if these options do not allow other processes to visit the states.
func (o *Options) shardable() error {
	field, value := "", any(nil)
	switch {
	case o.shards() == nil:
	case o.Engine == EngineReference:
		field, value = "Engine", o.Engine
	case o.Visited != "" && o.Visited != VisitedVectors:
		field, value = "Visited", o.Visited
	case o.Reduce != "" && o.Reduce != ReduceNone && o.Reduce != ReduceAuto:
		field, value = "Reduce", o.Reduce
	case o.Findings > 1:
		field, value = "Findings", o.Findings
	case len(o.Ignore) > 0:
		field, value = "Ignore", o.Ignore[0]
	case o.ProfileSpace:
		field, value = "ProfileSpace", true
	case o.Prefix != nil:
		field, value = "Prefix", o.PrefixName
	case o.Prefixes > 0:
		field, value = "Prefixes", o.Prefixes
	}
	if field == "" {
		return nil
	}
	return fmt.Errorf("states in shards do not go with Options.%s %v; leave one of them out", field, value)
}

// sharded is the exhaustive phase when other processes visit the states.
type sharded struct {
	*runner
	by    Shards
	x     *explore.Explorer // the states in which runs begin
	sums  []shardSum
	texts [][]byte // the records that sums were read from
	level int
}

// exhaustShards makes other processes visit all states, level by level.
func (r *runner) exhaustShards(by Shards) (out outcome, err error) {
	r.auditAnew()
	x, err := r.owner.NewExplorer(run.Climate{Faults: r.Stormy(), Heal: -1}, nil)
	if err != nil {
		return out, err
	}
	defer x.Close()
	if r.opts.Engine != EngineLocal {
		x.ByMemo()
	}
	switch _, out, err := r.level(x, 0, x.Roots); {
	case err == explore.ErrBound: // see exhaustLocal
		return r.exhaustLocal(nil)
	case out.over() || err != nil:
		return out, err
	}
	r.add(Stats{Engine: string(cmp.Or(r.opts.Engine, EngineMemo)), Cloned: r.Sys.Clone != nil})
	if err := cmp.Or(r.interchanges(x), r.reduces(x)); err != nil { // both record why nothing is left out
		return out, err
	}
	s := &sharded{runner: r, by: by, x: x, sums: make([]shardSum, by.Shards()), texts: make([][]byte, by.Shards())}
	starts := explore.NewOutbox(len(s.sums), func(canon.Hash) bool { return false })
	x.Starts(starts)
	level, some, err := by.Open(starts.Take())
	if err != nil {
		return out, err
	}
	r.counted() // drops the counts of the start states, which the shards visit again
	out, err = s.levels(level, some)
	if err == nil {
		err = cmp.Or(s.count(out.finding != nil), s.leaves())
	}
	return out, err
}

// levels visits one level after the other, from number level on. If some is false, that first
// level has no states.
func (s *sharded) levels(level int, some bool) (outcome, error) {
	deepest := cmp.Or(s.opts.Depth, math.MaxInt)
	for ; ; level++ {
		s.level = level
		s.gauge.begin(PhaseStates, level, 0)
		var why Stop
		var err error
		if some { // else a step that failed led here, and no other
			some, why, err = s.by.Visit(level, s.Stopped, func(records [][]byte) (bool, error) {
				if err := s.read(records); err != nil {
					return false, err
				}
				s.gauge.at(0, s.soFarIn)
				return level < deepest && s.wrong(level) == nil, nil
			})
		}
		switch {
		case errors.Is(err, ErrStopped):
			return stopped(s.Why()).covers(s.safety(level-1, true)), nil
		case err != nil:
			return outcome{}, err
		case why != "":
			return stopped(why).covers(s.safety(level-1, true)), nil
		}
		if wrong := s.wrong(level); wrong != nil {
			out, err := s.reports(level, wrong)
			return out.covers(s.safety(level-1, true)), err
		}
		switch {
		case !some && s.wrong(level+1) == nil && s.deepest() < level, !some && level < deepest && s.wrong(level+1) == nil:
			if s.spared() {
				return stopped(StopDepth).covers(s.safety(s.deepest()+1, true)), nil
			}
			return stopped(s.unless(StopDone)).covers(s.safety(s.deepest()+1, false)), nil
		case level == deepest, s.opts.enough(s.soFarIn()):
			return stopped(s.unless(StopDepth)).covers(s.safety(level, true)), nil
		}
	}
}

// unless returns StopQuarantined if states were left out, otherwise end.
func (s *sharded) unless(end Stop) Stop {
	if s.leftOut() > 0 {
		return StopQuarantined
	}
	return end
}

// leftOut returns the number of states that were left out, since they ended every process that
// visited them.
func (s *sharded) leftOut() (n int) {
	for k := range s.sums {
		n += s.sums[k].LeftOut
	}
	return n
}

// leaves records the states that were left out, with the runs that lead to them.
func (s *sharded) leaves() error {
	var all []explore.RemoteLeft
	for k := range s.sums {
		all = append(all, s.sums[k].Left...)
	}
	slices.SortStableFunc(all, func(a, b explore.RemoteLeft) int {
		return cmp.Or(a.Depth-b.Depth, bytes.Compare(a.Path, b.Path))
	})
	for _, one := range all[:min(len(all), leftMost)] {
		answers, err := explore.AnswersOf(one.Path)
		if err != nil {
			return err
		}
		path, _, err := s.recorded(answers, s.x.Climate, one.Depth)
		if err != nil {
			return err
		}
		if path != nil { // else the run fails now
			s.leftAt = append(s.leftAt, Prefix{Path: path})
		}
	}
	s.leftStates = s.leftOut()
	return nil
}

// read reads the last record of each shard. The caller must not change a record after passing it.
func (s *sharded) read(records [][]byte) error {
	for k, text := range records {
		if before := s.texts[k]; text == nil || len(before) == len(text) && &before[0] == &text[0] {
			continue
		}
		sum, _, err := readRecord(text)
		if err != nil {
			return fmt.Errorf("cannot read the last record of shard %d: %w", k, err)
		}
		if sum.Level > s.level { // then the level of the search is an old one, and all depths would be wrong
			return fmt.Errorf("the last record of shard %d is of level %d, and the search is at level %d: the stored state of the search is damaged; search again", k, sum.Level, s.level)
		}
		s.sums[k], s.texts[k] = *sum, text
	}
	return nil
}

// wrong returns the failure to report at the given depth, or nil if no state there has a failure.
func (s *sharded) wrong(depth int) (least *explore.RemoteWrong) {
	for k := range s.sums {
		for i := range s.sums[k].Wrongs {
			if w := &s.sums[k].Wrongs[i]; w.Depth == depth && (least == nil || w.Before(least)) {
				least = w
			}
		}
	}
	return least
}

func (s *sharded) deepest() (n int) {
	for k := range s.sums {
		n = max(n, s.sums[k].Deepest)
	}
	return n
}

func (s *sharded) spared() (some bool) {
	for k := range s.sums {
		some = some || s.sums[k].Spare
	}
	return some
}

// safety returns the answer about safety after all states up to a depth were visited. If open is
// true, there are states beyond this depth.
func (s *sharded) safety(depth int, open bool) Safety {
	safety := Safety{State: StateExhausted, Depth: max(0, depth)}
	var sampled, outside bool
	for k := range s.sums {
		sampled, outside = sampled || s.sums[k].Sampled, outside || s.sums[k].Outside
	}
	switch {
	case s.leftOut() > 0:
		safety.State = StateIncomplete
	case sampled:
		safety.State = StateSampled
	case open:
		safety.State = StateBounded
	case !s.by.Synced(): // a state that was stored may be lost, and nobody would know
		safety.State = StateIncomplete
	case outside:
		safety.State = StateExhaustedWithin
	}
	if s.spared() {
		safety.Faults = s.owner.Few
	}
	return safety
}

// reports makes a finding of failure w at a depth.
func (s *sharded) reports(depth int, w *explore.RemoteWrong) (outcome, error) {
	answers, err := explore.AnswersOf(w.Path)
	if err != nil {
		return outcome{}, err
	}
	source := func() choose.Source { return answers.Again() }
	bad := &explore.Wrong{Strayed: w.Strayed, Dead: w.Dead, Of: answers}
	end, failure, at := s.Run(run.Repeat(source(), s.x.Climate, depth), false)
	switch {
	case w.Strayed:
	case failure != nil:
		bad.Failure = failure
		bad.Dead = false
	case w.Dead && end == run.EndLeft:
		f, err := s.judge(source, s.x.Climate, at, depth, true)
		return found(f), err
	default:
		bad.Strayed = true
	}
	return s.conclude(s.x, depth, bad, source)
}

// soFarIn returns the counts so far of the shards and of the search together.
func (s *sharded) soFarIn() Stats {
	all := s.now()
	all.Add(s.counts(false))
	return all
}

// counts returns the counts of the shards. If there is a finding, transitions from the last level
// do not count, since only some of its states were expanded.
func (s *sharded) counts(found bool) (all Stats) {
	roots := s.x.Len()
	for k := range s.sums {
		one := &s.sums[k]
		transitions := one.Transitions
		if found {
			transitions = one.earlier(s.level)
		}
		all.Add(Stats{
			States: one.States, Transitions: transitions, Executed: transitions, Steps: one.Steps, HandlerRuns: one.Runs,
			Audited: one.Audited, Dear: one.Dear,
		})
	}
	all.Add(Stats{Duplicates: max(0, all.Transitions-(all.States-roots)), Depth: s.deepest() + 1})
	n := float64(all.States)
	all.Add(Stats{Collision: n * n / 2 / math.Exp2(128)})
	return all
}

// count adds the counts of the shards to those of the search.
func (s *sharded) count(found bool) error {
	all := s.counts(found)
	if found {
		all.Depth = max(0, s.level-1)
	} else if s.level == s.opts.Depth {
		all.Depth = min(all.Depth, s.level)
	}
	s.add(all)
	for k := range s.sums {
		if err := s.sums[k].coverInto(s.coverage); err != nil {
			return err
		}
	}
	return nil
}
