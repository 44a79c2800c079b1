package mdb

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"macemc/choose"
	"macemc/internal/account"
	"macemc/internal/critical"
	"macemc/internal/decide"
	"macemc/internal/numerals"
	"macemc/internal/search"
	"macemc/internal/wording"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

func recovering() []*command {
	return []*command{
		{
			Name: "recovers", Meant: "live dead recoverable recovery liveness", Group: groupBranch, Usage: "[K]",
			Short: "decide whether a live state can still be reached from here: exactly if few states can follow, else by K walks (by default 60)",
			Help: `The environment heals first, and rare events do not happen. A walk that becomes live is the proof, and is
kept as the branch recovery. Without K it gives up after two million steps.`,
			Example: "jump 3; recovers; branches; jump end; recovers",
			run:     (*Session).recovers,
		},
		{
			Name: "critical", Meant: "why isolate bisect culprit", Group: groupBranch,
			Short: "find the critical step of the branch, and the nearest live run, which becomes the branch live",
			Help: `It is the last step before which the run could recover, and after which it could not; in a run that
violates safety, the step after which the violation could no longer be avoided. jump critical goes there,
and diff live compares the branch with the live run.`,
			Example: "critical; jump critical; diff live; branches",
			run:     (*Session).findCritical,
		},
	}
}

// options returns the options for a search that the user can stop and that takes this
// number of walks.
func (s *Session) options(walks int) search.Options {
	b := s.opener.Busy
	opts := search.Options{EvidenceWalks: walks, Stop: func() (stop search.Stop) {
		if b.Stop != nil && b.Stop() {
			stop = search.StopInterrupted
		}
		return stop
	}}
	if b.OnStuck != nil {
		opts.Stuck, opts.OnStuck = b.Stuck, func(r *search.Result) {
			where := "a step after healing"
			if f := r.Finding; f.Step > 0 {
				where = f.Identity
			}
			b.OnStuck(where, r.Finding.Message, r.Finding.Stack)
		}
	}
	return opts
}

// recoversEffort limits the work of the command recovers if no number of walks is given: it takes
// about 20 seconds.
const recoversEffort = 2_000_000

func (s *Session) recovers(args []word) (Page, error) {
	walks, effort := 60, recoversEffort
	if len(args) > 0 {
		n, err := strconv.Atoi(args[0].text)
		if err != nil || n < 1 || len(args) > 1 {
			return nil, usageOf("recovers")
		}
		walks, effort = n, 0
	}
	sys := s.run.player.World().System()
	switch {
	case !s.run.player.World().Judge.CanBeLive():
		return nil, fmt.Errorf("%s has no liveness property", s.run.name())
	case s.here.failure != nil && s.step == s.Len():
		return nil, fmt.Errorf("nothing happens after step %s: the service failed in it; choose an earlier step", numerals.Count(s.step))
	case s.run.verdicts[s.here.verdict(s.step)].live:
		return page("the state is live"), nil
	}
	lab, err := search.NewLab(sys, s.looked(s.step, trace.VerdictDead), s.options(walks))
	if err != nil {
		return nil, err
	}
	defer lab.Close()
	p, err := s.recoversIn(lab, walks, effort)
	switch {
	case errors.Is(err, search.ErrStopped) && lab.Stopped():
		return append(p, page("stopped before it was decided")...), nil
	case errors.Is(err, search.ErrStopped):
		return append(p, page("undecided: %s did not decide it; recovers %d takes so many walks without that bound", numerals.Many(effort, "step"), walks)...), nil
	}
	return p, err
}

// recoversIn decides in a lab whether the run recovers from the cursor's state. It takes at
// least this number of walks before it calls the state dead. effort limits the number of
// steps and states; 0 means no limit.
func (s *Cursor) recoversIn(lab *search.Lab, walks, effort int) (p Page, err error) {
	of, err := lab.Take(s.looked(s.step, trace.VerdictDead))
	if err != nil {
		return nil, err
	}
	d := lab.Finder(of, decide.Options{Walks: walks, Effort: effort})
	r, err := d.Recovers()
	if err != nil {
		return nil, err
	}
	switch {
	case r.Exact && !r.Alive:
		p.line(Span{Bad, "dead"}, plain(": proved: every state that can still be reached without faults was visited, and none is live"))
	case r.Exact:
		p.line(Span{Good, "recoverable"}, plain(": proved: of all states that can still be reached without faults, some are live"))
	}
	for _, m := range d.Others() {
		p.line(Span{Bad, "! "}, plain("in a walk the service failed: %s: %s", m.Failure.Verdict, m.Failure.Message))
	}
	none := fmt.Sprintf(": none of %s of %s became live", numerals.Many(r.Taken, "walk"), numerals.Many(r.WalkSteps, "step"))
	switch {
	case r.Exact && !r.Alive:
		return p, nil
	case r.Exact && r.Walk == nil:
		p.line(plain("  but it is unlikely%s", none))
		return p, nil
	case r.Walk == nil:
		p.line(Span{Bad, "it seems dead"}, plain("%s, nor did any of those that look for a narrow escape", none))
		return p, nil
	case !r.Plain:
		p.line(Span{Good, "recoverable"}, plain("%s, but one that looks for a narrow escape did, after %s", none, numerals.Many(r.Walk.Steps, "step")))
	case !r.Exact:
		p.line(Span{Good, "recoverable"}, plain(": walk %s of %s became live after %s", numerals.Count(r.Walk.Number+1), numerals.Count(walks), numerals.Many(r.Walk.Steps, "step")))
	}
	path, err := lab.PathOf(of, *r.Walk)
	if err != nil {
		return p, err
	}
	name, err := s.keep("recovery", path, s.step)
	if err != nil {
		return p, err
	}
	p.add(Plain, "the walk is kept as the branch %s", name)
	return p, nil
}

// keep makes a branch of a path that shares its first steps, up to the number shared, with
// the current branch, and returns the branch's name. The cursor does not move.
func (s *Cursor) keep(name string, path *choose.Path, shared int) (string, error) {
	if b := s.run.branches.taking(path); b != nil {
		return b.name, nil
	}
	b := s.run.branches.leave(s.here, shared, name)
	rest := choose.NewReplay(&choose.Path{Steps: path.Steps[shared:]})
	for _, t := range path.Steps[shared:] {
		progress, err := s.run.extend(b, rest, wording.Identify(t.Event.What).Kind == sim.KindHeal)
		if err != nil {
			return b.name, err
		}
		if progress != world.Stepped {
			return b.name, fmt.Errorf("the run could not be taken again: %s", search.Diverged(s.run.player.Err()))
		}
		if b.failure != nil {
			break
		}
	}
	return b.name, nil
}

// takes reports whether the steps of a path are those of the branch.
func (b *branch) takes(path *choose.Path) bool {
	if b.len() != len(path.Steps) {
		return false
	}
	for i, t := range b.path(nil, b.len()).Steps {
		if t.Event != path.Steps[i].Event || !slices.Equal(t.Coins, path.Steps[i].Coins) {
			return false
		}
	}
	return true
}

func (s *Session) findCritical(args []word) (Page, error) {
	if len(args) > 0 {
		return nil, usageOf("critical")
	}
	sys, b := s.run.player.World().System(), s.here
	f := &search.Finding{Failure: trace.Failure{Verdict: trace.VerdictDead, Step: b.len()}}
	if b.failure != nil {
		f.Failure = *b.failure
	} else if !s.run.player.World().Judge.CanBeLive() {
		return nil, fmt.Errorf("%s has no liveness property, and the run does not fail", s.run.name())
	}
	f.Path = s.looked(b.len(), f.Verdict)
	out, err := critical.Find(sys, f, critical.Options{Search: s.options(0), Progress: func(c critical.Progress) {
		if s.run.busy != nil && s.run.busy.Progress != nil {
			s.run.busy.Progress(string(c.Doing)+" the critical step", 0, 0)
		}
	}})
	switch {
	case err != nil:
		return nil, err
	case out.Stopped:
		return page("stopped before it was decided"), nil
	case out.Alive:
		return page("no step is critical: the end of the run can recover; recovers shows how"), nil
	}
	return s.toldCritical(out.Finding)
}

// toldCritical records the critical step of finding f in the branch, and describes it.
func (s *Session) toldCritical(f *search.Finding) (p Page, err error) {
	c, w := f.Critical, s.run.player.World()
	s.here.critical = c
	a := account.Of(&search.Result{System: w.System(), Params: w.Params()}, f)
	switch a.Turn() {
	case account.TurnUnknown, account.TurnUnclear:
		p.add(Plain, "no step is critical, as far as walks can tell: at none do clearly fewer of them go on without a failure than before")
	case account.TurnHopeless:
		p.add(Plain, "critical step 0, as far as walks can tell: none avoids the failure, from wherever on the run it begins")
	case account.TurnBegins:
		p.add(Plain, "critical step 0: every run begins with the failure")
	case account.TurnAlways, account.TurnSeems:
		if a.Dead() {
			p.add(Plain, "critical step 0: never recoverable, the run was dead from its start")
		} else {
			p.add(Plain, "critical step 0: no run avoids the failure")
		}
	default:
		p.line(plain("critical step "), Span{Bad, numerals.Count(c.Step)}, plain(": %s", c.Event))
	}
	well, run := "became live", "live run"
	if !a.Dead() {
		well, run = "went on without a failure", "run that goes on without a failure"
	}
	switch e, v, basis := f.Evidence, f.Avoided, a.Basis(); {
	case v != nil && v.Step == 0:
		p.add(Plain, "  %d of %s of %s from the start %s", v.Before, numerals.Many(v.Walks, "walk"), numerals.Many(v.WalkSteps, "step"), well)
	case v != nil:
		p.add(Plain, "  of %s of %s each, %d from before step %s %s, and %d from after it: that is chance with a probability of %.2g",
			numerals.Many(v.Walks, "walk"), numerals.Many(v.WalkSteps, "step"), v.Before, numerals.Count(v.Step), well, v.After, v.Chance)
	case c != nil && c.Exact:
		p.add(Plain, "  proved: all that can still happen was visited")
	case basis&account.BasisWalks != 0:
		p.add(Plain, "  believed: none of %s from step %s, of %s, %s; the chance of one is below %.1f %% (with 95 %% confidence)",
			numerals.Many(e.Walks, "walk"), numerals.Count(e.From), numerals.Range(e.WalkSteps, e.Longest, "step"), well, 100*e.Escape95)
	}
	if d := f.Deviates; d != nil && d.Step > 0 {
		p.line(plain("it deviates in step "), Span{Bad, numerals.Count(d.Step)}, plain(": %s", d.Event))
		if len(d.Without) > 0 {
			p.add(Plain, "  without %s the service does otherwise there, and the same until then", account.Bugs(d.Without))
		} else {
			p.add(Plain, "  at a node in the same state, none of %s that kept the promise did this, and %d of %d that broke it did", numerals.Many(d.Kept, "walk"), d.Did, d.Broke)
		}
	}
	if a.Basis()&account.BasisDoubt != 0 {
		p.add(Bad, "  in doubt: %s", c.Doubt)
	}
	if f.Live == nil {
		return p, nil
	}
	if b := s.run.branches.named(liveBranch); b != nil && !b.takes(f.Live.Path) {
		b.name = s.run.branches.free(liveBranch)
	}
	name, err := s.keep(liveBranch, f.Live.Path, f.Live.From)
	if err != nil {
		return p, err
	}
	if b := s.run.branches.named(name); b.parent != nil { // the live run may have been kept under another name
		name, b.name = liveBranch, liveBranch
	}
	s.against = name
	p.add(Plain, "the nearest %s leaves it after step %s: the branch %s", run, numerals.Count(f.Live.From), name)
	return p, nil
}

// liveBranch is the name of the branch that is the nearest live run.
const liveBranch = "live"
