package search

import (
	"errors"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/decide"
	"macemc/internal/world"
	"macemc/search/internal/run"
	"macemc/sim"
)

// judge decides whether a run that did not become live is dead. A run at rest always is. It
// returns nil for a false alarm, or if that was not decided.
func (r *runner) judge(answers choose.Source, c run.Climate, w *world.World, steps int, quiet bool) (*Finding, error) {
	defer r.gauge.begin(PhaseSuspect, r.gauge.level, 0)()
	r.tell()
	at := w.State.Healed()
	if !quiet && r.suspicions.known(at) {
		return nil, nil
	}
	f, err := r.confirm(answers, c, run.Dead(w, steps))
	if err != nil || f.Verdict != sim.VerdictDead {
		return f, err
	}
	if quiet {
		return f.isProved(), nil // where it became so is asked once, of the run that is reported
	}
	return r.decideEnd(f, at)
}

// decideEnd decides whether a run that ends in a state is dead.
func (r *runner) decideEnd(f *Finding, at canon.Hash) (*Finding, error) {
	left := r.left()
	if r.suspicions.hopeless(at, left) {
		r.putOff(f, at, left)
		return nil, nil
	}
	return r.looked(f, left-left/endShare, func(lab *Lab, of *Case, d *decide.Finder) (*Finding, error) {
		res, err := d.Find()
		if errors.Is(err, decide.ErrStopped) && !r.Stopped() && !d.Proved() { // where it became so is too much to ask
			d.Allow(left / endShare)
			res, err = d.End()
		}
		switch {
		case errors.Is(err, decide.ErrStopped) && d.Proved():
			return f.isProved(), nil
		case errors.Is(err, decide.ErrStopped) && r.Stopped():
			r.undecided = append(r.undecided, Suspect{Path: f.Path})
			return nil, nil
		case errors.Is(err, decide.ErrStopped):
			r.putOff(f, at, left)
			return nil, nil
		case errors.Is(err, decide.ErrAlive):
			r.suspicions.recovers(at)
			return r.besides(lab, of, d)
		case err != nil:
			return nil, err
		}
		f.Decided(res)
		if res.Proved && res.Critical != nil && res.Critical.Exact {
			return lab.cut(of, f)
		}
		return f, nil
	})
}

// endShare is the part of the effort, one in endShare, that is kept to decide whether the
// end of a run is dead, if the rest was too little to locate the critical step.
const endShare = 4

// putOff records a suspect for which the effort was too little. The search examines the first
// undecidedMost of them again at its end.
func (r *runner) putOff(f *Finding, at canon.Hash, effort int) {
	if r.suspicions.tooDear(at, effort); len(r.dear) < undecidedMost {
		r.dear = append(r.dear, dear{f, at})
	}
}

// dear is a suspect for which the effort was too little, and the state at its end.
type dear struct {
	f  *Finding
	at canon.Hash
}

// reconsider decides about the suspects that were put off. The search has gone on since
// then, so more effort may be spent on them.
func (r *runner) reconsider() error {
	all := r.dear
	r.dear = nil
	for _, one := range all {
		if r.Stopped() || !r.findings.wants() {
			r.dear = append(r.dear, one)
			continue
		}
		f, err := r.decideEnd(one.f, one.at)
		if err != nil {
			return err
		}
		if f != nil {
			if _, err := r.note(f); err != nil {
				return err
			}
		}
	}
	if r.findings.wants() {
		for _, one := range r.dear {
			r.undecided = append(r.undecided, Suspect{Path: one.f.Path})
		}
	}
	return nil
}

// locate has it decided where the run of a dead finding became so, if that is not
// known yet: exactly, or else only whether it was so from its start.
func (r *runner) locate(f *Finding) (*Finding, error) {
	if f == nil || f.Verdict != sim.VerdictDead || f.Critical != nil || !f.Proved {
		return f, nil
	}
	return r.looked(f, r.left(), func(_ *Lab, _ *Case, d *decide.Finder) (*Finding, error) {
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

// isProved records that the end of the run was decided exactly to be dead, and returns f.
func (f *Finding) isProved() *Finding {
	f.Proved = true
	return f
}

// Decided records the decision about the run of a finding.
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

// looked calls into, which examines the run of a finding in the search's own lab with at most the
// given effort. The steps of the lab are added to those of the search. Its coverage is not, since the
// lab takes more or fewer superfluous walks depending on the number of workers.
func (r *runner) looked(f *Finding, effort int, into func(*Lab, *Case, *decide.Finder) (*Finding, error)) (*Finding, error) {
	l, err := r.ownLab()
	if err != nil {
		return nil, err
	}
	defer r.monitor.with(l.hands())()
	of, err := l.Take(f.Path)
	if err != nil {
		return nil, err
	}
	steps, states := l.steps, l.states
	defer func() { r.add(Stats{Steps: l.steps - steps, Judging: l.steps - steps, Settled: l.states - states}) }()
	return into(l, of, l.Finder(of, l.within(effort)))
}

// ownLab returns a lab in which the search looks into runs.
func (r *runner) ownLab() (l *Lab, err error) {
	if r.lab == nil {
		r.lab, err = newLab(r.Sys, r.opts, r.hand)
	}
	return r.lab, err
}

// besides returns another failure that the walks of a lab met while they examined a suspect, or nil if
// there is none, or it is ignored. Failures of walks that begin within the prefix of a search are not
// the search's.
func (r *runner) besides(l *Lab, of *Case, d *decide.Finder) (*Finding, error) {
	for _, m := range d.Others() {
		if m.From >= r.prefix.base() && !r.findings.ignores(m.Failure) {
			return l.Confirm(of, m.Failed)
		}
	}
	return nil, nil
}

// cut removes the steps after the critical step of a run that never comes to rest: they go on for as
// long as walks do, and show nothing. If the run can still reach a state that does not count for
// liveness after the critical step, it is not dead there, and is returned whole.
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
