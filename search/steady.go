package search

import (
	"fmt"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/search/internal/run"
	"macemc/search/internal/walk"
	"macemc/sim"
)

// harvest takes walks until there are as many prefixes as are wanted, with
// distinct ends.
func (r *runner) harvest(res *Result) error {
	const tries, least = 20, 100
	if !r.World.Judge.CanBeLive() {
		return fmt.Errorf("no liveness property is checked: without one, nobody knows when the system is in steady state")
	}
	s := &walk.Steady{Walk: walk.New(r.opts.Seed), Calm: r.opts.Steady}
	s.Wanted = r.wanted
	ends := map[canon.Hash]bool{}
	res.Stop = StopPaths
	r.phase(PhasePrefixes, 0, r.opts.Prefixes)
	for i := range tries*r.opts.Prefixes + least {
		if r.Stopped() {
			res.Stop = r.Why()
			return nil
		}
		s.Begin(walk.Plan{
			Number: 1<<50 + uint64(i), Begin: r.prefix.beginning(run.Fair), Climate: run.Fair, Judged: r.prefix.base(),
			Length: walk.Length{Most: r.reach}, Uniform: r.opts.Walking == WalkUniform,
		})
		end, failure, w := r.Run(s, false)
		r.stats.Paths++
		r.stats.Walks++
		r.at(len(res.Prefixes))
		switch {
		case s.Left:
			res.Stop = r.Why()
			return nil
		case end == run.EndFailed:
			f, err := r.confirm(s.Answers(), run.Fair, failure)
			res.Finding = f
			return err
		case end == run.EndStopped:
			return w.Run.Err()
		case !s.Done && !(end == run.EndQuiet && w.Judge.Live()):
			continue
		}
		h := w.State.Hash()
		if ends[h] {
			continue
		}
		ends[h] = true
		path, f, err := r.recorded(s.Answers(), w.Run.Steps())
		if f != nil || err != nil {
			res.Finding = f
			return err
		}
		path.Add("state", h.String())
		if res.Prefixes = append(res.Prefixes, Prefix{Path: path}); len(res.Prefixes) == r.opts.Prefixes {
			res.Stop = StopDone
			return nil
		}
	}
	return nil
}

// recorded takes a run again, with every check on, and records it.
func (r *runner) recorded(answers choose.Source, steps int) (*choose.Path, *Finding, error) {
	record := choose.NewRecord(answers)
	_, failure, w := r.Run(run.Repeat(record, run.Fair, steps), true)
	path := record.Path()
	switch {
	case failure != nil:
		f, err := r.confirm(choose.NewRaw(run.Picks(path)), run.Fair, failure)
		return nil, f, err
	case w.Run.Err() != nil:
		return nil, nil, w.Run.Err()
	}
	path.Header = r.Setting.Header(false)
	path.Add("seed", fmt.Sprint(r.opts.Seed))
	path.Add("verdict", sim.VerdictNone.String())
	return path, nil, nil
}
