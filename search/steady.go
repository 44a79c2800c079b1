package search

import (
	"fmt"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/world"
	"macemc/search/internal/run"
	"macemc/sim"
)

// steady is a walk in fair weather that ends in steady state: live for so many
// steps, and then at the first moment at which nothing is under way, or after
// as many steps again. A run that comes to rest, live, is steady as well.
type steady struct {
	walk
	calm int // steps
	held int // the state has been live for so many states
	done bool
}

func (s *steady) Visit(w *world.World, depth int) bool {
	if s.held++; !w.Live() {
		s.held = 0
	}
	s.done = s.held > s.calm && w.UnderWay() == 0 || s.held > 2*s.calm
	return !s.done && depth-s.from < s.most
}

// harvest takes walks until there are as many prefixes as are wanted, with
// distinct ends.
func (r *runner) harvest(res *Result) error {
	const tries, least = 20, 100
	if !r.World.CanBeLive() {
		return fmt.Errorf("no liveness property is checked: without one, nobody knows when the system is in steady state")
	}
	s := &steady{walk: walk{Walk: choose.NewWalk(r.opts.Seed), Climate: run.Fair, start: r.beginning(run.Fair), most: r.reach, uniform: r.opts.Uniform}, calm: r.opts.Steady}
	ends := map[canon.Hash]bool{}
	res.Stop = StopPaths
	r.phase(PhasePrefixes, 0, r.opts.Prefixes)
	for i := range tries*r.opts.Prefixes + least {
		if r.Stopped() {
			res.Stop = r.Why()
			return nil
		}
		s.held = 0
		s.begin(r.opts.Seed, 1<<50+uint64(i), r.base())
		end, failure, w := r.Run(s, false)
		r.stats.Paths++
		r.stats.Walks++
		r.at(len(res.Prefixes))
		switch {
		case end == run.EndFailed:
			f, err := r.confirm(s.answers(), run.Fair, failure)
			res.Finding = f
			return err
		case end == run.EndStopped:
			return w.Err()
		case !s.done && !(end == run.EndQuiet && w.Live()):
			continue
		}
		h := w.Hash()
		if ends[h] {
			continue
		}
		ends[h] = true
		path, f, err := r.recorded(s.answers(), w.Steps())
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
	case w.Err() != nil:
		return nil, nil, w.Err()
	}
	path.Header = Describe(r.Sys, r.opts.Params, r.opts.Properties)
	if net := r.opts.Network.String(); net != "" {
		path.Add("net", net)
	}
	path.Add("seed", fmt.Sprint(r.opts.Seed))
	path.Add("verdict", sim.VerdictNone.String())
	return path, nil, nil
}
