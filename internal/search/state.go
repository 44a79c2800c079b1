package search

import (
	"encoding/json"
	"errors"
	"fmt"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/observe"
	"macemc/internal/search/internal/run"
	"macemc/internal/search/internal/walk"
)

// A Store keeps the state of a search, so that another process can continue the search after this
// one has ended. Only package search reads the bytes. They are valid for the same build and the
// same options; only Workers, Memory, Stop and the callbacks may differ.
//
// The state is kept at the end of a lot of walks. It consists of the number of walks that were
// taken, the counts, and the corpus. A walk depends on these and on its number alone, so a search
// that is continued has the result of an uninterrupted one. In the exhaustive phase, the state is
// kept at the end of a level: see keptLevels.
type Store interface {
	// Kept returns the last record that Keep was given, and those that Add was given after it. If
	// whole is empty, the search is new.
	Kept() (whole []byte, added [][]byte)
	// Due reports whether the search should keep its state now, and whether it should call Keep
	// (whole) or Add.
	Due() (due, whole bool)
	// Keep stores a whole state, and deletes everything stored before. Add stores a record in
	// addition.
	Keep(whole []byte) error
	Add(record []byte) error
}

// kept is the state of a search at the end of a lot, as it is stored. The first one that is stored is
// a whole state, with the corpus. A later one may be an addition: its fields replace those of the
// state before it, but it has no Corpus, and its Notes and Chosen are added to the corpus that is
// stored already.
type kept struct {
	Safety         Safety
	Liveness       Liveness
	Stop           Stop // the reason why the exhaustive phase ended
	Repeated       Repeated
	Stats          Stats
	Reach, Alarms  int
	Vain           int
	Next, Far, Of  int // see lotEnd
	Length         walk.Length
	Steps, Audited int // of the share of audits
	Alike, Ignored int
	Tried          map[string]int
	Recover        []canon.Hash // the identities of last states of suspected runs that can recover
	Coverage       observe.Counted
	Quarantined    []int
	Unused         []string
	Levels         *keptLevels `json:",omitempty"` // the levels of a search that is in its exhaustive phase
	HasCorpus      bool
	Corpus         *walk.Kept // nil if there is none, or if Notes and Chosen are additions
	Notes          []walk.Noted
	Chosen         []int
}

// states returns the outcome of the exhaustive phase as it was stored in k.
func (k *kept) states() outcome {
	if k == nil {
		return outcome{}
	}
	return outcome{stop: k.Stop, safety: k.Safety, liveness: k.Liveness, repeated: k.Repeated}
}

// pastKept collects what the corpus has gained since the state of the search was last kept, or since the corpus was
// last sent to other processes.
type pastKept struct {
	notes  []walk.Noted
	chosen []int
}

// note adds the states that the walks of a lot have met, and the numbers of the states at which
// they began.
func (p *pastKept) note(notes []*walk.Notes, begun []int) {
	for _, n := range notes {
		p.notes = append(p.notes, n.Noted())
	}
	p.chosen = append(p.chosen, begun...)
}

// keepable returns an error if another process could not continue a search with these options.
func (o *Options) keepable() error {
	switch {
	case o.Store == nil:
		return nil
	case o.Prefixes > 0:
		return errors.New("the state of a search for prefixes cannot be kept: leave Options.Store or Options.Prefixes out")
	case o.ProfileSpace:
		return errors.New("the profile of a space is not kept: leave Options.Store or Options.ProfileSpace out")
	}
	return nil
}

// lotEnd is the progress of the walks between two lots.
type lotEnd struct {
	next   int // the number of the next walk
	far    int // the number of walks of the last lot before one failed or was suspected
	of     int // the number of walks to take in all
	length walk.Length
}

// begins returns the progress with which the walks begin: that of the resumed state, or first if
// the search is new.
func (r *runner) begins(first lotEnd) lotEnd {
	if r.from == nil {
		return first
	}
	r.auditFrom(r.from.Steps, r.from.Audited)
	return lotEnd{r.from.Next, r.from.Far, max(first.of, r.from.Of), r.from.Length}
}

// saves keeps the state of the search at the end of a lot, if the Store says that it is due.
// Findings and suspects that were put off are not part of the state. So nothing is kept after the
// first of them: a search that is continued goes on from an earlier state, and meets them again.
func (r *runner) saves(states outcome, at lotEnd) error {
	if r.opts.Store == nil || len(r.findings.all) > 0 || len(r.dear) > 0 || r.Stopped() {
		return nil
	}
	due, whole := r.opts.Store.Due()
	if !due && at.next > 0 {
		return nil
	}
	k := r.snapshot(states, at, nil)
	r.past = pastKept{}
	keep := r.opts.Store.Add
	if whole || at.next == 0 {
		k.Corpus, k.Notes, k.Chosen, keep = r.corpus.Kept(), nil, nil, r.opts.Store.Keep
	}
	return k.to(keep)
}

// to encodes the state as JSON, and stores it by calling keep.
func (k *kept) to(keep func([]byte) error) error {
	text, err := json.Marshal(k)
	if err != nil {
		panic("macemc bug: search: a state is plain values, and cannot be written: " + err.Error())
	}
	return keep(text)
}

// snapshot returns the state of the search without the corpus. If levels is not nil, the search is
// in its exhaustive phase.
func (r *runner) snapshot(states outcome, at lotEnd, levels *keptLevels) kept {
	r.collect()
	stats := r.now()
	if levels != nil { // levels has the counts of walks from the periphery
		stats = r.stats
	}
	steps, audited := r.share.Counts()
	return kept{
		Safety: states.safety, Liveness: states.liveness, Stop: states.stop, Repeated: states.repeated, Stats: stats,
		Reach: r.reach, Alarms: r.alarms, Vain: r.vain, Steps: steps, Audited: audited,
		Alike: r.findings.alike, Ignored: r.findings.ignored, Tried: r.findings.tried, Recover: r.suspicions.all(),
		Coverage: r.covered().Counted(), Quarantined: r.quarantined, Unused: r.unused(), HasCorpus: r.corpus != nil,
		Next: at.next, Far: at.far, Of: at.of, Length: at.length, Notes: r.past.notes, Chosen: r.past.chosen, Levels: levels,
	}
}

// resumed returns the state from which the search is resumed, or nil if it is new.
func (r *runner) resumed() (*kept, error) {
	if r.opts.Store == nil {
		return nil, nil
	}
	whole, added := r.opts.Store.Kept()
	if k, err := keptInLevels(whole, added); k != nil || err != nil {
		return k, err
	}
	if len(whole) == 0 {
		return nil, nil
	}
	k := &kept{}
	if err := json.Unmarshal(whole, k); err != nil {
		return nil, fmt.Errorf("the state of the search cannot be read: %w", err)
	}
	corpus, err := k.Corpus.Corpus()
	if err != nil {
		return nil, err
	}
	for _, text := range added {
		k = &kept{}
		if err := json.Unmarshal(text, k); err != nil {
			return nil, fmt.Errorf("the state of the search cannot be read: %w", err)
		}
		if corpus == nil && k.HasCorpus {
			corpus = walk.NewCorpus()
		}
		for _, n := range k.Notes {
			notes, err := n.Notes()
			if err != nil {
				return nil, err
			}
			corpus.Add(notes)
		}
		for _, c := range k.Chosen {
			corpus.Chose(c)
		}
	}
	return k, r.restore(k, corpus)
}

// restore makes the search continue from the stored state k, with this corpus.
func (r *runner) restore(k *kept, corpus *walk.Corpus) error {
	r.Run(run.Repeat(choose.NewRaw(nil), run.Fair, 0), false) // makes known what a start does
	r.corpus, r.from, r.quarantined = corpus, k, k.Quarantined
	return r.restoresCounts(k)
}

// restoresCounts sets the counts of the search to those in k.
func (r *runner) restoresCounts(k *kept) error {
	r.counted()
	r.coverage.Clear()
	if err := r.coverage.Add(&k.Coverage); err != nil {
		return err
	}
	r.stats, r.reach, r.alarms, r.vain = k.Stats, k.Reach, k.Alarms, k.Vain
	r.findings.restore(k.Alike, k.Ignored, k.Tried)
	for _, at := range k.Recover {
		r.suspicions.recovers(at)
	}
	return nil
}

// restore sets the counts of failed runs to those of a stored state.
func (f *findings) restore(alike, ignored int, tried map[string]int) {
	f.alike, f.ignored, f.tried = alike, ignored, tried
}
