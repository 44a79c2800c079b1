package critical

import (
	"macemc/search"
	"macemc/sim"
)

// Explain does everything that can be done about a finding: it isolates the critical
// transition, shortens the run, and finds the live run nearest to it. Finding.Found is then
// the original run. If Explain is stopped, the rest is left out.
func Explain(sys *sim.System, f *search.Finding, opts Options, shrink bool) (*Result, error) {
	opts.spent = new(int)
	if f.Unlisted() { // the step is itself the cause: that is wherever such an event comes
		return shortened(sys, f, opts, shrink)
	}
	if !shrink || !shrinkable(f) {
		return Find(sys, f, opts)
	}
	first := opts
	first.NoLive = true
	out, err := Find(sys, f, first)
	if err != nil || out.Alive || out.Stopped {
		return out, err
	}
	short, err := Shrink(sys, out.Finding, opts)
	if err != nil {
		return nil, err
	}
	last, err := Find(sys, short.Finding, opts)
	if err != nil {
		return nil, err
	}
	switch {
	case last.Alive: // the original run is reported as it is
		return Find(sys, f, opts)
	case last.Stopped && last.Finding.Critical == nil && last.Finding.Avoided == nil: // what shrinking knows of it
		last.Finding = short.Finding
	}
	if len(last.Finding.Path.Steps) < len(f.Path.Steps) {
		last.Finding.Shortened(f)
		if e := short.Finding.Evidence; e != nil && last.Finding.Evidence != nil && e.Walks > last.Finding.Evidence.Walks {
			last.Finding.Evidence = e
		}
	}
	last.Others = append(out.Others, append(short.Others, last.Others...)...)
	last.Stopped = last.Stopped || short.Stopped
	return last, nil
}

// shortened returns a finding without a critical step, whose run is made short if shrink is
// set.
func shortened(sys *sim.System, f *search.Finding, opts Options, shrink bool) (*Result, error) {
	if !shrink {
		return &Result{Finding: f}, nil
	}
	out, err := Shrink(sys, f, opts)
	if err == nil && len(out.Finding.Path.Steps) < len(f.Path.Steps) {
		found := *out.Finding
		found.Shortened(f)
		out.Finding = &found
	}
	return out, err
}
