package critical

import (
	"macemc/search"
	"macemc/sim"
)

// Explain does all that can be done about a finding: it isolates the critical
// transition, makes the run short, and finds the live run that is nearest to
// what is left. Finding.Found is then the run as it was.
func Explain(sys *sim.System, f *search.Finding, opts Options, shrink bool) (*Result, error) {
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
	case last.Alive: // the run that was found is told as it is
		return Find(sys, f, opts)
	case last.Stopped:
		out.Stopped = true
		return out, nil
	}
	if len(last.Finding.Path.Steps) < len(f.Path.Steps) {
		last.Finding.Found = f.Path
		if e := short.Finding.Evidence; e != nil && last.Finding.Evidence != nil && e.Walks > last.Finding.Evidence.Walks {
			last.Finding.Evidence = e
		}
	}
	last.Others = append(out.Others, append(short.Others, last.Others...)...)
	last.Stopped = short.Stopped
	return last, nil
}
