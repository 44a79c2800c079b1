package critical

import (
	"cmp"
	"slices"

	"macemc/choose"
	"macemc/internal/decide"
	"macemc/internal/search"
)

// A salt selects the random answers of walks, so that walks for different purposes are
// independent: see internal/decide.
const (
	saltShrink  = 2
	saltExamine = 5 // for accepted runs that are examined
	saltNear    = 0x4000
	saltSure    = 0x8000
	saltWay     = 0xc000 // for shortcuts; the number shrinker.ways is added to it, so that walks differ each time they are taken
)

const (
	nearRounds = 20 // the largest number of rounds of walks until one is live
	nearMost   = 16 // the largest number of live walks that are compared with the run
)

// nearest finds the nearest live run of a finding whose critical step is known, and adds it to
// the finding. It takes walks from the last recoverable state, and compares the shortest ones
// that became live with the run. It picks the walk that has most of the run's other events in
// the same order and, among equals, the shortest. If a walk that takes the critical step
// becomes live, recovery was possible after that step, too: then nearest adds nothing, and
// moved is true. Some failures can sometimes be avoided even after the critical step; for
// these, nearest ignores walks that take the step.
func (p *finder) nearest(f *search.Finding) (moved bool, err error) {
	from := -1
	switch {
	case f.Critical != nil:
		from = f.Critical.Step - 1
	case f.Avoided.Before > 0: // the step is not known, but some walks from before it avoid the failure
		from = f.Avoided.Step - 1
	}
	if from < 0 {
		return false, nil
	}
	live, err := p.liveWalks(from)
	if err != nil || len(live) == 0 {
		return false, err
	}
	for _, w := range live {
		moved = p.Revived(from, w) || moved
	}
	if moved {
		return true, nil
	}
	slices.SortStableFunc(live, func(a, b search.Success) int {
		return cmp.Compare(a.Steps, b.Steps)
	})
	var best *search.Finding
	var chosen search.Success
	most := -1
	for _, w := range live[:min(len(live), nearMost)] {
		if p.Stopped(1) {
			return false, search.ErrStopped
		}
		p.tell(Progress{Doing: DoingCompare, Low: from, High: from + 1, Of: p.of.Steps()})
		path, err := p.lab.PathOf(p.of, w)
		if err != nil {
			return false, err
		}
		a := choose.Align(p.of.Path, path)
		if paired := a.Paired(); paired > most {
			most, chosen = paired, w
		}
	}
	if best, err = p.lab.Record(p.of, chosen); err != nil {
		return false, err
	}
	if f.Critical != nil {
		best.Path.Set("critical", f.Critical.Header())
	}
	f.Live = &search.Live{Path: best.Path, Trace: best.Trace, From: from}
	return false, nil
}

// liveWalks returns walks that became live from the recoverable state after from steps. If few
// walks become live, there may be none. In every second round of walks one event is made to
// wait for a while (see decide.Holding).
func (p *finder) liveWalks(from int) ([]search.Success, error) {
	for round := range uint16(nearRounds) {
		if p.Stopped(1) {
			return nil, search.ErrStopped
		}
		w, err := p.lab.Walk(p.of, search.Walks{
			From: from, Count: p.opts.Search.EvidenceWalks, Steps: p.WalkSteps(), Salt: saltNear + round, All: true, Survive: p.survive(), Manner: decide.Manner(round % 2),
		})
		if err != nil {
			return nil, err
		}
		p.walked += w.Taken
		p.Note(from, w.Failed)
		if p.survive() {
			w.Success = slices.DeleteFunc(w.Success, func(s search.Success) bool { return s.Shared > 0 })
		}
		if len(w.Success) > 0 {
			return w.Success, nil
		}
	}
	if w, ok := p.Alive(from); ok && (!p.survive() || w.Shared == 0) {
		return []search.Success{w}, nil
	}
	return nil, nil
}
