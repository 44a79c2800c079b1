package search

import (
	"errors"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/decide"
	"macemc/internal/search/internal/run"
	"macemc/internal/world"
	"macemc/trace"
)

// judge decides whether a run that was not live for too long is dead. If quiet is true, no event is
// possible at the end of the run, so the run is dead. judge returns a finding if the run is dead, or
// if another failure was met on the way, and nil if it can recover or if that could not be decided.
// answers returns the answers of the run, which ended in w after this number of steps.
func (r *runner) judge(answers func() choose.Source, c run.Climate, w *world.World, steps int, quiet bool) (*Finding, error) {
	defer r.gauge.begin(PhaseSuspect, r.gauge.level, 0)()
	r.tell()
	at := w.State.Healed()
	if !quiet && r.suspicions.known(at) {
		return nil, nil
	}
	s := &suspect{answers: answers, climate: c, dead: run.Dead(w, steps)}
	if !quiet {
		return r.decideEnd(s, at)
	}
	f, err := s.confirmed(r)
	if err == nil && f.Verdict == trace.VerdictDead {
		f.isProved() // note locates the critical step, if the finding is reported
	}
	return f, err
}

// suspect is a run that was not live for too long. Most suspects can recover. Repeating a run to
// confirm it takes longer than showing that its end can recover, so a suspect is confirmed only if
// it seems dead.
type suspect struct {
	answers func() choose.Source
	climate run.Climate
	dead    *trace.Failure
	f       *Finding // the confirmed run, or nil if it was not confirmed
}

// confirmed repeats the run, and returns it as a finding. The finding may have another verdict than
// dead.
func (s *suspect) confirmed(r *runner) (f *Finding, err error) {
	if s.f == nil {
		s.f, err = r.confirm(s.answers(), s.climate, s.dead)
	}
	return s.f, err
}

// take returns the confirmed run as a case of lab l. It returns nil if the run was not dead when it
// was repeated, which happens only if the service is not deterministic.
func (s *suspect) take(r *runner, l *Lab) (*Case, error) {
	if s.f == nil {
		of, err := alone(l, func() (*Case, error) {
			of, _, _ := l.examine(s.answers(), s.climate, s.dead.Step)
			return of, nil
		})
		if err == nil && of.Failure == nil && of.Steps() == s.dead.Step {
			return of, nil
		}
	}
	f, err := s.confirmed(r)
	if err != nil || f.Verdict != trace.VerdictDead {
		return nil, err
	}
	return l.Take(f.Path)
}

// decideEnd decides whether a run whose last state has the identity at is dead.
func (r *runner) decideEnd(s *suspect, at canon.Hash) (*Finding, error) {
	left := r.left()
	if r.suspicions.hopeless(at, left) {
		return r.putOff(s, at, left)
	}
	take := func(l *Lab) (*Case, error) { return s.take(r, l) }
	return r.looked(take, left-left/endShare, func(lab *Lab, of *Case, d *decide.Finder) (*Finding, error) {
		if of == nil {
			return s.f, nil
		}
		res, err := d.Find()
		if errors.Is(err, decide.ErrStopped) && !r.Stopped() && !d.Proved() { // the effort did not suffice for the critical step: decide about the end alone
			d.Allow(left / endShare)
			res, err = d.End()
		}
		cut := errors.Is(err, decide.ErrStopped)
		switch {
		case cut && !d.Proved() && !r.Stopped():
			return r.putOff(s, at, left)
		case errors.Is(err, decide.ErrAlive):
			r.suspicions.recovers(at)
			return r.besides(lab, of, d)
		}
		f, failed := s.confirmed(r)
		switch {
		case failed != nil || f.Verdict != trace.VerdictDead:
			return f, failed
		case err != nil && !cut: // the run is deterministic, so this is another error
			return nil, err
		case cut && d.Proved():
			return f.isProved(), nil
		case cut:
			r.undecided = append(r.undecided, Suspect{Path: f.Path})
			return nil, nil
		}
		f.Decided(res)
		if res.Proved && res.Critical != nil && res.Critical.Exact {
			return lab.cut(of, f)
		}
		return f, nil
	})
}

// endShare divides the effort for examining a suspect: a quarter of it is reserved for deciding
// whether the end of the run is dead, since locating the critical step may use up the rest.
const endShare = 4

// putOff records a suspect about which this effort did not suffice to decide. At its end, the
// search examines the first undecidedMost of them again. It returns a finding only if the run was
// not the same when it was repeated.
func (r *runner) putOff(s *suspect, at canon.Hash, effort int) (*Finding, error) {
	if r.suspicions.tooDear(at, effort); len(r.dear) >= undecidedMost {
		return nil, nil
	}
	f, err := s.confirmed(r)
	if err != nil || f.Verdict != trace.VerdictDead {
		return f, err
	}
	r.dear = append(r.dear, dear{s, at})
	return nil, nil
}

// dear is a confirmed suspect about which the effort did not suffice to decide, with the identity
// of its last state.
type dear struct {
	*suspect
	at canon.Hash
}

// reconsider decides about the suspects that were put off. There is more effort for them than
// before, since it grows with the work of the search.
func (r *runner) reconsider() error {
	all := r.dear
	r.dear = nil
	for _, one := range all {
		if r.Stopped() || !r.findings.wants() {
			r.dear = append(r.dear, one)
			continue
		}
		f, err := r.decideEnd(one.suspect, one.at)
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

// locate finds the step at which the run of a dead finding became dead, unless that is known. If it
// cannot locate it exactly, it only finds out whether the run was dead from its start.
func (r *runner) locate(f *Finding) (*Finding, error) {
	if f == nil || f.Verdict != trace.VerdictDead || f.Critical != nil || !f.Proved {
		return f, nil
	}
	return r.looked(f.take, r.left(), func(_ *Lab, _ *Case, d *decide.Finder) (*Finding, error) {
		res, err := d.Start()
		if err == nil {
			f.Decided(res)
		}
		if errors.Is(err, decide.ErrStopped) || errors.Is(err, decide.ErrAlive) { // ErrAlive can be returned only if the service fails in a state that follows
			err = nil
		}
		return f, err
	})
}

// isProved records that the end of the run is proved to be dead, and returns f.
func (f *Finding) isProved() *Finding {
	f.Proved = true
	return f
}

// Decided records res, the decision about the finding's run, in the finding.
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

// looked examines one run in the search's own lab. It calls take, which returns the run as a case,
// and then into, with the lab, the case, and a Finder that may use at most the given effort. If
// take returns nil, the Finder is nil. The lab's steps are added to those of the search. Its
// coverage is not, since the number of superfluous walks in the lab depends on the number of
// workers.
func (r *runner) looked(take func(*Lab) (*Case, error), effort int, into func(*Lab, *Case, *decide.Finder) (*Finding, error)) (*Finding, error) {
	l, err := r.ownLab()
	if err != nil {
		return nil, err
	}
	defer r.monitor.with(l.hands())()
	of, err := take(l)
	if err != nil {
		return nil, err
	}
	steps, states := l.steps, l.states
	defer func() { r.add(Stats{Steps: l.steps - steps, Judging: l.steps - steps, Settled: l.states - states}) }()
	if of == nil {
		return into(l, nil, nil)
	}
	return into(l, of, l.Finder(of, l.within(effort)))
}

// take repeats the run of a finding in a lab.
func (f *Finding) take(l *Lab) (*Case, error) { return l.Take(f.Path) }

// ownLab returns the lab in which the search examines runs.
func (r *runner) ownLab() (l *Lab, err error) {
	if r.lab == nil {
		r.lab, err = newLab(r.Sys, r.opts, r.hand)
	}
	return r.lab, err
}

// besides returns another failure that the lab's walks met while they examined a suspect, or nil if
// all that they met are ignored. It leaves out failures of walks that begin before the end of the
// search's prefix, the steps with which each of its runs begins.
func (r *runner) besides(l *Lab, of *Case, d *decide.Finder) (*Finding, error) {
	for _, m := range d.Others() {
		if m.From >= r.prefix.base() && !r.findings.ignores(m.Failure) {
			return l.Confirm(of, m.Failed)
		}
	}
	return nil, nil
}

// cut removes the steps after the critical step of a run that never comes to rest: they go on for
// as long as walks do, and show nothing. It returns the whole run if a state that does not count
// for liveness can be reached after the critical step, since the shorter run would not be dead.
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
	if err != nil || g.Verdict != trace.VerdictDead {
		return f, err
	}
	g.Decided(&decide.Result{Proved: true, Critical: critical})
	return g, nil
}
