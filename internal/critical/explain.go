package critical

import (
	"slices"

	"macemc/internal/search"
	"macemc/sim"
	"macemc/trace"
)

// Explain analyzes a finding completely: it isolates the critical transition, shortens the run if shrink is
// set, and finds the nearest live run. Finding.Found is then the original run. If Explain is stopped, the rest
// is left out.
func Explain(sys *sim.System, f *search.Finding, opts Options, shrink bool) (*Result, error) {
	return inLab(sys, f, opts, func(b *bench) (*Result, error) {
		out, err := b.explain(f, shrink)
		if err == nil && out.Stopped && !b.stopped() {
			return out.with(out.Finding.Ended(b.opts.Spent + b.lab.Effort())), nil
		}
		return out, err
	})
}

// For returns the options for explaining a finding of the search result r. Locating the critical steps of all
// findings together may cost search.Options.ExplainEffort, of which each finding has an equal part. Making its
// run shorter may cost as much again. The effort that the search has spent on deciding about suspects is added
// to both. All runs are taken by the search.Lab of that search.
func (o Options) For(r *search.Result) Options {
	n := max(1, len(r.Findings))
	effort := r.ExplainEffort() / n
	o.From = r
	o.Spent = min(effort, (r.Stats.Judging+r.Stats.Settled)/n)
	o.Effort = 2*effort + o.Spent
	return o
}

// The parts of the effort. Once locatePart is spent, Explain stops looking for the critical step of the
// finding's run; once shrinkPart is spent, it stops removing steps.
const (
	locatePart = 1.0 / 2
	shrinkPart = 2.0 / 3
)

func (b *bench) explain(f *search.Finding, shrink bool) (*Result, error) {
	if f.Verdict == trace.VerdictHot {
		return b.heated(f, shrink)
	}
	if f.Unlisted() { // such an event fails wherever it comes, so no other step is critical
		return b.shortened(f, shrink)
	}
	if !shrink || !shrinkable(f) {
		return b.find(&Result{}, f, b.opts.NoLive, locatePart)
	}
	out, err := b.located(f)
	if err != nil || out.Alive || out.Stopped && b.stopped() {
		return out, err
	}
	short, err := b.shrink(out)
	if err != nil || short.Alive {
		return short, err
	}
	last, err := b.find(short, short.Finding, b.opts.NoLive, 1)
	if err != nil {
		return nil, err
	}
	found := last.Finding
	switch {
	case last.Alive: // the original run is reported as it is
		return b.find(&Result{}, f, b.opts.NoLive, 1)
	case last.Stopped && found.Critical == nil && found.Avoided == nil: // keep what shrinking has decided
		found = short.Finding
	}
	if len(found.Path.Steps) < len(f.Path.Steps) {
		found.Shortened(f)
		if e := short.Finding.Evidence; e != nil && found.Evidence != nil && e.Walks > found.Evidence.Walks {
			found.Evidence = e
		}
	}
	return &Result{
		Finding: found, Others: slices.Concat(out.Others, short.Others, last.Others),
		Stopped: out.Stopped || last.Stopped || short.Stopped,
	}, nil
}

// with returns a copy of the result with another finding in it.
func (r *Result) with(f *search.Finding) *Result {
	return &Result{Finding: f, Alive: r.Alive, Others: r.Others, Stopped: r.Stopped, Effort: r.Effort}
}

// located returns the finding f. If it is dead, located adds its critical step, unless the search has decided
// that step already. Shrinking needs it, since it cuts a dead run off after its critical step.
func (b *bench) located(f *search.Finding) (*Result, error) {
	if f.Verdict != trace.VerdictDead || decided(f) {
		return &Result{Finding: f}, nil
	}
	return b.find(nil, f, true, locatePart)
}

// shortened shrinks the run of a finding that needs no critical step for that. If shrink is false, it returns
// the finding unchanged.
func (b *bench) shortened(f *search.Finding, shrink bool) (*Result, error) {
	if !shrink {
		return &Result{Finding: f}, nil
	}
	out, err := b.shrink(&Result{Finding: f})
	if err == nil && len(out.Finding.Path.Steps) < len(f.Path.Steps) {
		found := *out.Finding
		found.Shortened(f)
		return out.with(&found), nil
	}
	return out, err
}
