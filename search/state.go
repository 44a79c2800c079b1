package search

import (
	"encoding/json"
	"errors"
	"fmt"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/world"
	"macemc/search/internal/run"
	"macemc/search/internal/walk"
)

// A Store keeps what a search has come to, for one that goes on after this process has ended.
// The bytes are the search's own. They mean something for the same build and the same options,
// Workers, Memory, Stop and whoever is told things aside.
//
// The state is that at the end of a lot of walks: how many walks were taken, what was
// counted, and the corpus. A walk depends on these and on its number alone, so a search that goes
// on from there comes to what an uninterrupted one comes to. In the exhaustive phase it is that at
// the end of a level: see keptLevels.
type Store interface {
	// Kept returns what was kept last as a whole, and what was added since. If whole is empty the
	// search begins.
	Kept() (whole []byte, added [][]byte)
	// Due reports whether something is to be kept now, and whether as a whole.
	Due() (due, whole bool)
	// Keep keeps a whole state in the place of everything before; Add adds to it.
	Keep(whole []byte) error
	Add(record []byte) error
}

// kept is the state of a search at the end of a lot. All of it is absolute, but for the corpus
// of a state that is added to another.
type kept struct {
	Safety         Safety
	Liveness       Liveness
	Stop           Stop // why the exhaustive phase ended
	Repeated       Repeated
	Stats          Stats
	Reach, Alarms  int
	Vain           int
	Next, Far, Of  int // of the walks: see lotEnd
	Length         walk.Length
	Steps, Audited int // of the share
	Alike, Ignored int
	Tried          map[string]int
	Recover        []canon.Hash // ends of suspected runs that can recover
	Coverage       world.Counted
	Quarantined    []int
	Unused         []string
	Levels         *keptLevels `json:",omitempty"` // of a search that is in its exhaustive phase
	HasCorpus      bool
	Corpus         *walk.Kept // nil: there is none, or this state is added to another one
	Notes          []walk.Noted
	Chosen         []int
}

// states is what the exhaustive phase had come to.
func (k *kept) states() outcome {
	if k == nil {
		return outcome{}
	}
	return outcome{stop: k.Stop, safety: k.Safety, liveness: k.Liveness, repeated: k.Repeated}
}

// pastKept is what a state has that is added to the one before.
type pastKept struct {
	notes  []walk.Noted
	chosen []int
}

// note notes what the walks of a lot have met, for the next state that is kept.
func (p *pastKept) note(notes []*walk.Notes, begun []int) {
	for _, n := range notes {
		p.notes = append(p.notes, n.Noted())
	}
	p.chosen = append(p.chosen, begun...)
}

// keepable refuses what cannot go on in another process.
func (o *Options) keepable() error {
	switch {
	case o.Store == nil:
		return nil
	case o.Prefixes > 0:
		return errors.New("the state of a search for prefixes cannot be kept: leave --state or --print-prefixes out")
	case o.ProfileSpace:
		return errors.New("what the states of a space differ in is not kept: leave --state or --profile-space out")
	}
	return nil
}

// lotEnd is where a search by walks is between two lots.
type lotEnd struct {
	next   int // the walk
	far    int // how many walks the last lot had before one needed a look
	of     int // walks that are to be taken
	length walk.Length
}

// begins is where the walks begin: at first, unless the search goes on from a state.
func (r *runner) begins(first lotEnd) lotEnd {
	if r.from == nil {
		return first
	}
	r.auditFrom(r.from.Steps, r.from.Audited)
	return lotEnd{r.from.Next, r.from.Far, max(first.of, r.from.Of), r.from.Length}
}

// saves keeps the state of the search at the end of a lot, if it is time to. Findings are not kept:
// a search that has found something goes on from before that, and so does one that
// has put off a suspect.
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

// to passes the state on, as bytes.
func (k *kept) to(keep func([]byte) error) error {
	text, err := json.Marshal(k)
	if err != nil {
		panic("macemc bug: search: a state is plain values, and cannot be written: " + err.Error())
	}
	return keep(text)
}

// snapshot returns the state, without the corpus. In the exhaustive phase, it has levels.
func (r *runner) snapshot(states outcome, at lotEnd, levels *keptLevels) kept {
	r.collect()
	stats := r.now()
	if levels != nil { // they have what walks from the periphery add
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

// resumed returns the state that the search goes on from; nil: it begins.
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

// restore puts the search to where a state was kept.
func (r *runner) restore(k *kept, corpus *walk.Corpus) error {
	r.Run(run.Repeat(choose.NewRaw(nil), run.Fair, 0), false) // makes known what a start does
	r.corpus, r.from, r.quarantined = corpus, k, k.Quarantined
	return r.restoresCounts(k)
}

// restoresCounts makes the search count from what was counted when a state was kept.
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

// restore counts candidates that were looked at before.
func (f *findings) restore(alike, ignored int, tried map[string]int) {
	f.alike, f.ignored, f.tried = alike, ignored, tried
}
