package search

import (
	"errors"

	"macemc/choose"
	"macemc/internal/decide"
	"macemc/internal/world"
	"macemc/search/internal/run"
	"macemc/sim"
)

// wanted reports whether a run goes on: nobody has told the search to stop.
func (r *runner) wanted() bool { return !r.Stopped() }

// judge has it decided whether a run that did not become live is dead. At rest, it
// is. Nil: a false alarm, or undecided.
func (r *runner) judge(answers choose.Source, c run.Climate, w *world.World, steps int, quiet bool) (*Finding, error) {
	defer r.during(PhaseSuspect)()
	f, err := r.confirm(answers, c, run.Dead(w, steps))
	if err != nil || f.Verdict != sim.VerdictDead {
		return f, err
	}
	if quiet {
		f.Proved = true
		return f, nil // where it became so is asked once, of the run that is reported
	}
	return r.looked(f, func(lab *Lab, of *Case, d *decide.Finder) (*Finding, error) {
		res, err := d.Find()
		switch {
		case errors.Is(err, decide.ErrStopped) && d.Proved():
			f.Proved = true
			return f, nil
		case errors.Is(err, decide.ErrStopped):
			r.undecided = append(r.undecided, Suspect{Path: f.Path})
			return nil, nil
		case errors.Is(err, decide.ErrAlive):
			return r.besides(lab, of, d)
		case err != nil:
			return nil, err
		}
		f.Decided(res)
		if res.Proved && res.Critical.Exact {
			return lab.cut(of, f)
		}
		return f, nil
	})
}

// locate has it decided where the run of a dead finding became so, if that is not
// known yet: exactly, or else only whether it was so from its start.
func (r *runner) locate(f *Finding) (*Finding, error) {
	if f == nil || f.Verdict != sim.VerdictDead || f.Critical != nil || !f.Proved {
		return f, nil
	}
	return r.looked(f, func(_ *Lab, _ *Case, d *decide.Finder) (*Finding, error) {
		res, err := d.Start()
		if err == nil {
			f.Decided(res)
		}
		if errors.Is(err, decide.ErrStopped) || errors.Is(err, decide.ErrAlive) { // the latter: the service fails on the way
			err = nil
		}
		return f, err
	})
}

// Decided notes what was decided about the run of a finding.
func (f *Finding) Decided(res *decide.Result) {
	f.Proved = f.Proved || res.Proved
	f.Critical, f.Avoided, f.Deviates = res.Critical, res.Avoided, res.Deviates
	if res.Evidence != nil || res.Critical != nil && res.Critical.Exact {
		f.Evidence = res.Evidence
	}
	if f.Critical != nil {
		f.Path.Set("critical", f.Critical.Header())
	} else {
		f.Path.Unset("critical")
	}
}

// looked looks into the run of a finding, in a lab of the search's own. The steps
// that it takes are the search's; what it meets counts for nothing as exercised, since
// how much of it is met in vain depends on the number of workers.
func (r *runner) looked(f *Finding, into func(*Lab, *Case, *decide.Finder) (*Finding, error)) (*Finding, error) {
	l, err := r.ownLab()
	if err != nil {
		return nil, err
	}
	before := r.pulses.others()
	r.pulses.set(append(before[:len(before):len(before)], l.crew.runners...))
	defer r.pulses.set(before)
	of, err := l.Take(f.Path)
	if err != nil {
		return nil, err
	}
	spent := l.Effort() - l.first.settledStates
	defer func() { r.stats.took(l.Effort() - l.first.settledStates - spent) }()
	return into(l, of, l.Finder(of, decide.Options{}))
}

// ownLab is a lab in which the search looks into runs.
func (r *runner) ownLab() (l *Lab, err error) {
	if r.lab == nil {
		r.lab, err = r.labOf(r.Sys, r.opts)
	} else {
		r.lab.like(r)
	}
	return r.lab, err
}

// labOf is a lab of a search, which tells its progress itself.
func (r *runner) labOf(sys *sim.System, opts Options) (*Lab, error) {
	opts.Progress = nil
	c, err := newCrew(sys, opts)
	if err != nil {
		return nil, err
	}
	l := &Lab{crew: c, first: c.runners[0], end: func() {}}
	l.like(r)
	return l, nil
}

// like makes a lab take walks as a search does.
func (l *Lab) like(r *runner) {
	for _, hand := range l.crew.runners {
		hand.like(r)
	}
}

// besides is what walks met instead of showing that a run is dead; nil: nothing
// that is looked for. One that begins within the prefix of a search is of no such
// search.
func (r *runner) besides(l *Lab, of *Case, d *decide.Finder) (*Finding, error) {
	for _, m := range d.Others() {
		if m.From >= r.prefix.base() && !r.findings.ignores(m.Failure) {
			return l.Confirm(of, m.Failed)
		}
	}
	return nil, nil
}

// cut takes off what follows the critical step of a run that never comes to rest:
// it is as long as walks are, and tells nothing. What cannot recover any more may
// yet come to what does not count for liveness: then it is not dead there, and the
// run stays as it is.
func (l *Lab) cut(of *Case, f *Finding) (*Finding, error) {
	critical, n := f.Critical, f.Critical.Step
	if n == 0 {
		return f, nil
	}
	path := f.Path.Prefix(n)
	path.Header = f.Path.Header
	short, err := l.Take(path)
	if err != nil || !short.MayBeDead() {
		return f, nil
	}
	if last, decided, err := l.Settle(short, n, decide.Most); !decided || last == n || err != nil {
		return f, err
	}
	g, err := l.ConfirmCase(short)
	if err != nil || g.Verdict != sim.VerdictDead {
		return f, err
	}
	g.Decided(&decide.Result{Proved: true, Critical: critical})
	return g, nil
}
