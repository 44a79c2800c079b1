package search

import (
	"fmt"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/search/internal/run"
	"macemc/internal/search/internal/walk"
	"macemc/trace"
)

// harvest takes walks to steady states until it has the number of prefixes that the options ask
// for. No two of these end in the same state.
func (r *runner) harvest() (outcome, error) {
	const tries, least = 20, 100
	if !r.World.Judge.CanBeLive() {
		return outcome{}, fmt.Errorf("no liveness property is checked, so there is no steady state; check one")
	}
	s := &walk.Steady{Walk: walk.New(r.opts.Seed), Calm: r.opts.Steady}
	s.Wanted = r.wanted
	ends := map[canon.Hash]bool{}
	var prefixes []Prefix
	came := func(stop Stop, f *Finding) outcome { return outcome{stop: stop, finding: f, prefixes: prefixes} }
	r.gauge.begin(PhasePrefixes, 0, r.opts.Prefixes)
	for i := range tries*r.opts.Prefixes + least {
		if r.Stopped() {
			return came(r.Why(), nil), nil
		}
		s.Begin(walk.Plan{
			Number: 1<<50 + uint64(i), Begin: r.prefix.beginning(run.Fair), Climate: run.Fair, Judged: r.prefix.base(),
			Length: walk.Length{Most: r.reach}, Uniform: r.opts.Walking == WalkUniform,
		})
		end, failure, w := r.Run(s, false)
		r.add(Stats{Paths: 1, Walks: 1})
		r.at(len(prefixes))
		switch {
		case s.Left:
			return came(r.Why(), nil), nil
		case end == run.EndFailed:
			f, err := r.confirm(s.Answers(), run.Fair, failure)
			return came(StopPaths, f), err
		case end == run.EndStopped:
			return outcome{}, w.Run.Err()
		case !s.Done && !(end == run.EndQuiet && w.Judge.Live()):
			continue
		}
		h := w.State.Hash()
		if ends[h] {
			continue
		}
		ends[h] = true
		path, f, err := r.recorded(s.Answers(), run.Fair, w.Run.Steps())
		if f != nil || err != nil {
			return came(StopPaths, f), err
		}
		path.Add("state", h.String())
		if prefixes = append(prefixes, Prefix{Path: path}); len(prefixes) == r.opts.Prefixes {
			return came(StopDone, nil), nil
		}
	}
	return came(StopPaths, nil), nil
}

// recorded repeats a run, with every check on, and records it.
func (h *hand) recorded(answers choose.Source, c run.Climate, steps int) (*choose.Path, *Finding, error) {
	record := choose.NewRecord(answers)
	_, failure, w := h.Run(run.Repeat(record, c, steps), true)
	path := record.Path()
	switch {
	case failure != nil:
		f, err := h.confirm(choose.NewRaw(run.Picks(path)), c, failure)
		return nil, f, err
	case w.Run.Err() != nil:
		return nil, nil, w.Run.Err()
	}
	path.Header = h.Setting.Header(c.Faults)
	path.Add("seed", fmt.Sprint(h.opts.Seed))
	path.Add("verdict", trace.VerdictNone.String())
	return path, nil, nil
}
