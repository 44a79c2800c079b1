package search

import (
	"encoding/json"
	"fmt"

	"macemc/internal/canon"
	"macemc/internal/search/internal/explore"
	"macemc/internal/search/internal/run"
)

// keptLevels is the record of some levels of the exhaustive phase, from which a later process continues it.
// It has the step by which each state was first reached. The later process takes only these steps, and
// compares the sum of the identities of each level's states, to notice if a step leads to another state than
// before.
type keptLevels struct {
	First     int // the number of the first level; the start states are level 0
	Levels    []keptLevel
	Lists     [][]int // the lists of answers that steps refer to
	Known     explore.Known
	Periphery Periphery
	Starts    keptLevel // the start states; its steps are empty
}

type keptLevel struct {
	N     int
	Sum   canon.Hash
	Steps []byte
}

// keptInLevels decodes the stored record of a search: the whole state, if it was stored as one, and then what was
// added, in order. It returns nil if the search was past its exhaustive phase when it last stored its state.
func keptInLevels(whole []byte, added [][]byte) (k *kept, err error) {
	if len(whole) > 0 {
		added = append([][]byte{whole}, added...)
	}
	for _, text := range added {
		next := &kept{}
		if err := json.Unmarshal(text, next); err != nil {
			return nil, fmt.Errorf("the state of the search cannot be read: %w", err)
		}
		if next.Levels == nil {
			return nil, nil
		}
		if k != nil {
			if err := next.Levels.follow(k.Levels); err != nil {
				return nil, err
			}
		}
		k = next
	}
	if k != nil && k.Levels.First != 1 {
		return nil, k.Levels.lacks()
	}
	return k, nil
}

// follow adds the levels of an earlier record, before, to the front of k. It returns an error if
// levels between the two are missing.
func (k *keptLevels) follow(before *keptLevels) error {
	if k.First != before.First+len(before.Levels) {
		return k.lacks()
	}
	k.First, k.Levels = before.First, append(before.Levels, k.Levels...)
	return nil
}

func (k *keptLevels) lacks() error {
	return fmt.Errorf("the stored state of the search has no levels before level %d", k.First)
}

// levelLog lists the levels of the exhaustive phase, from the start states on.
type levelLog struct {
	levels []explore.Frontier
	sums   []canon.Hash
	saved  int  // the number of levels that were kept
	again  bool // an earlier process has kept them, with other numbers for the lists of answers
}

func (l *levelLog) add(x *explore.Explorer, level explore.Frontier) {
	l.levels, l.sums = append(l.levels, level), append(l.sums, x.SumOf(level))
}

func (l *levelLog) last() explore.Frontier { return l.levels[len(l.levels)-1] }

// wrote records that all levels were kept.
func (l *levelLog) wrote() { l.saved, l.again = len(l.levels), false }
func (l *levelLog) read()  { l.saved, l.again = len(l.levels), true }

// kept returns the record of the levels from number first on. p counts the walks from the ends of rounds.
func (l *levelLog) kept(x *explore.Explorer, first int, p Periphery) *keptLevels {
	k := &keptLevels{First: first, Lists: x.Lists.All(), Known: x.Known(), Periphery: p, Starts: keptLevel{N: l.levels[0].Len(), Sum: l.sums[0]}}
	for n := first; n < len(l.levels); n++ {
		k.Levels = append(k.Levels, keptLevel{l.levels[n].Len(), l.sums[n], x.Grew(l.levels[n-1], l.levels[n])})
	}
	return k
}

// savesLevel keeps the state of the search at the end of a level, if the Store says that it is due.
// After a finding it keeps nothing: a search that is continued meets the finding again.
func (r *runner) savesLevel(x *explore.Explorer, log *levelLog, level explore.Frontier) error {
	if r.opts.Store == nil {
		return nil
	}
	log.add(x, level)
	if len(r.findings.all) > 0 || len(r.dear) > 0 || len(r.undecided) > 0 || r.periphery.pending != nil || r.Stopped() {
		return nil
	}
	if x.OnDisk() && log.unsaved() > r.opts.Memory/keptShare {
		return nil
	}
	due, whole := r.opts.Store.Due()
	if !due {
		return nil
	}
	first, keep := max(1, log.saved), r.opts.Store.Add
	if whole || log.again {
		first, keep = 1, r.opts.Store.Keep
	}
	k := r.snapshot(outcome{}, lotEnd{}, log.kept(x, first, r.periphery.counted()))
	log.wrote()
	return k.to(keep)
}

// keptShare limits the size of the record of levels while states are on disk. The record may have
// one step, that is one state, for each keptShare bytes of memory that the search may use. When that
// is reached, no more levels are recorded, and a resumed search continues from the last level that
// was.
const keptShare = 256

// unsaved returns the number of states that the next record of levels would contain.
func (l *levelLog) unsaved() (n int) {
	first := l.saved
	if l.again {
		first = 0
	}
	for _, level := range l.levels[first:] {
		n += level.Len()
	}
	return n
}

// rebuilds visits once more the levels that an earlier process has recorded in from. It returns
// the depth of the last one.
func (r *runner) rebuilds(x *explore.Explorer, log *levelLog, starts explore.Frontier, from *kept) (depth int, out outcome, err error) {
	if r.opts.Store == nil {
		return 0, out, nil
	}
	if log.add(x, starts); from == nil {
		return 0, out, nil
	}
	k := from.Levels
	if !k.Starts.holds(log) {
		return 0, out, explore.ErrRebuild
	}
	r.share.GoOn(run.ShareOf(0, 1<<60)) // an audited share that is high enough already, so that no repeated step is audited
	level := starts
	for depth, one := range k.Levels {
		r.gauge.begin(PhaseStates, depth+1, one.N)
		bad, err := r.owner.Guarded(x.Taker, func() error { return x.Rebuild(level, one.N, one.Steps, k.Lists) })
		next := x.Level()
		switch log.add(x, next); {
		case err == explore.ErrHalt:
			return 0, stopped(r.Why()).covers(Safety{State: StateIncomplete}), nil
		case err == explore.ErrFull:
			return 0, stopped(StopMemory).covers(Safety{State: StateIncomplete, Depth: depth}), nil
		case bad != nil, err != nil, !one.holds(log):
			return 0, out, explore.ErrRebuild
		}
		x.Expanded(level, next)
		level = next
	}
	log.read()
	r.share.GoOn(run.ShareOf(from.Steps, from.Audited))
	x.GoOn(k.Known)
	r.periphery.goesOn(k.Periphery)
	return len(k.Levels), out, r.restoresCounts(from)
}

// holds reports whether the last level of log is equal to the recorded level k.
func (k *keptLevel) holds(log *levelLog) bool {
	return k.N == log.last().Len() && k.Sum == log.sums[len(log.sums)-1]
}

// goesOn sets the counts of p to those of a resumed search.
func (p *periphery) goesOn(from Periphery) {
	p.states, p.walked, p.steps = from.States, from.Walked, from.Steps
}
