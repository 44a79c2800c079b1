package search

import (
	"fmt"

	"macemc/choose"
	"macemc/internal/search/internal/run"
	"macemc/internal/search/internal/walk"
	"macemc/internal/setting"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

// repetitions is the number of times that a nondeterministic step is repeated to count its outcomes, and the largest
// number of times that a run is repeated to see it fail again.
const repetitions = 100

// confirm repeats, from its start, a run that ended in the failure want. It takes the run in two worlds at the
// same time, which must behave in the same way (run.Lockstep), with every check on, and makes a finding of it.
// If the run does not fail again in the same way, the finding is that the service is not deterministic.
func (h *hand) confirm(answers choose.Source, c run.Climate, want *trace.Failure) (*Finding, error) {
	confirming, err := h.tracing()
	if err != nil {
		return nil, err
	}
	record := choose.NewRecord(answers)
	last, watch := run.Repeat(record, c, want.Step), newLooping(want, c)
	if want.Verdict == trace.VerdictHot {
		last.See = watch.see
	}
	end, failure, w := confirming.Run(last, true)
	dead := func() bool {
		switch {
		case w.Run.Steps() != want.Step:
			return false
		case want.Verdict == trace.VerdictHot:
			return watch.holds()
		}
		return want.Verdict == trace.VerdictDead && (c.Faults || !last.Live)
	}
	bound := func() bool { return end == run.EndStopped && world.Unsupported(w.Run.Err()) }
	varied := failure == nil && want.Verdict != trace.VerdictGoroutine && !dead() && !bound() // the run did not fail again, so some step does not do the same each time
	again := func() bool {
		return failure != nil && (!varied || want.Verdict == trace.VerdictNondeterminism || failure.Verdict == trace.VerdictNondeterminism)
	}
	for n := 0; n < repetitions && varied && !again() && !h.Stopped(); n++ {
		record = choose.NewRecord(&run.Lenient{Raw: choose.NewRaw(run.Picks(record.Path()))})
		last = run.Repeat(record, c, want.Step)
		end, failure, w = confirming.Run(last, true)
	}
	shown := *want
	switch {
	case again():
		shown = *failure
	case want.Verdict == trace.VerdictNondeterminism, !varied && dead():
	case bound():
		return nil, w.Run.Err()
	case want.Verdict == trace.VerdictGoroutine: // the goroutine may have ended before this run looked for it; the stack in want proves that there was one
	default:
		shown = unlike(*want, "the run ended in a %s (%s), but not when it was taken again%s")
	}
	f := newFinding(shown, record.Path(), w.Run.Trace(), c)
	if shown.Verdict == trace.VerdictHot {
		f.loops(watch)
	}
	varies := failure != nil && f.Property != "" // a property did not have the same value twice in one state, so no step has several outcomes
	if f.Verdict == trace.VerdictNondeterminism && !varies {
		countOutcomes(&h.Runs, f)
	}
	h.opts.label(h.Sys, f)
	if f.Verdict == trace.VerdictSafety || f.Verdict == trace.VerdictDead || f.Verdict == trace.VerdictHot {
		f.Path.Add("state", w.State.Recorded().String())
	}
	return f, nil
}

// unlike returns the failure that the service is not deterministic, for a run that ended in failure f and
// ended otherwise when it was repeated. say is the format of the failure's message.
func unlike(f trace.Failure, say string) trace.Failure {
	f.Message = fmt.Sprintf(say, f.Verdict, f.Message, run.Hint)
	f.Verdict = trace.VerdictNondeterminism
	return f
}

// record repeats a run of this number of steps, with every check on (see confirm), and returns it as a finding.
// The verdict of the finding is VerdictNone, unless the run failed this time.
func (h *hand) record(answers choose.Source, c run.Climate, steps int) (*Finding, error) {
	confirming, err := h.tracing()
	if err != nil {
		return nil, err
	}
	record := choose.NewRecord(answers)
	_, failure, w := confirming.Run(run.Repeat(record, c, steps), true)
	came := trace.Failure{}
	switch {
	case failure != nil:
		came = *failure
	case w.Run.Steps() != steps:
		return nil, fmt.Errorf("a run of %d steps ended after %d steps when it was repeated%s", steps, w.Run.Steps(), run.Hint)
	}
	f := newFinding(cameAt(came, w.Run.Steps()), record.Path(), w.Run.Trace(), c)
	h.opts.label(h.Sys, f)
	f.Path.Add("state", w.State.Recorded().String())
	return f, nil
}

// cameAt returns a copy of f that says that the failure happened in step number steps, the last
// one of the run.
func cameAt(f trace.Failure, steps int) trace.Failure {
	f.Step = steps
	return f
}

// tracing returns another hand (a hand takes runs) that records the steps of its audited runs. Its counts are
// not added to those of the search.
func (h *hand) tracing() (*hand, error) {
	counts := &Stats{}
	c := &hand{opts: h.opts, counts: counts, Runs: run.Runs{
		Setting: h.Setting, Limits: h.Limits, World: h.World, Pulse: run.Pulse{On: h.Pulse.On, Trail: h.Pulse.Trail},
		Counts: run.Counts{Steps: &counts.Steps, Audited: &counts.Audited},
	}}
	t, err := h.NewLockstep(world.Config{Audit: true, Trace: true})
	c.Lockstep = t
	return h.lends(c), err
}

// label writes the header of the path of finding f: the system, the options and the verdict that a
// replay needs.
func (o Options) label(sys *sim.System, f *Finding) {
	p := f.Path
	s := o.setting(sys)
	p.Header = s.Header(f.climate.Faults)
	p.Add("seed", fmt.Sprint(o.Seed))
	p.Add("verdict", f.Verdict.String())
	if f.Property != "" {
		p.Add("violates", f.Property)
	}
	if f.Verdict == trace.VerdictHot {
		p.Add("repeats", fmt.Sprint(f.Repeats))
	}
	if f.Critical != nil {
		p.Add("critical", fmt.Sprint(f.Critical.Step))
	}
	f.labelManner()
}

// Shortened records in f how its run was found. The run of f is a shorter form of the run of from, and
// Shortened copies the record from there.
func (f *Finding) Shortened(from *Finding) {
	f.Found, f.Manner = from.Path, from.Manner
	f.labelManner()
}

// metBy records that a walk of manner m has met the finding.
func (f *Finding) metBy(m walk.Manner) {
	f.Manner = m.String()
	f.labelManner()
}

// labelManner writes the manner of the walk that met the finding into the header of its path.
func (f *Finding) labelManner() {
	if f.Manner != "" {
		f.Path.Set("walk", f.Manner)
	}
}

// setting returns the system, the parameters and the conditions that determine a run with these options.
func (o *Options) setting(sys *sim.System) setting.Setting {
	return setting.Setting{Sys: sys, Params: o.Params, Conditions: o.Conditions}
}

// Describe returns the header of a path for a run without faults, in which all properties are checked.
func Describe(sys *sim.System, p sim.Params) []choose.Field {
	s := setting.Setting{Sys: sys, Params: p}
	return s.Header(false)
}
