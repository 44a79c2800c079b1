package search

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/decide"
	"macemc/internal/world"
	"macemc/sim"
)

// repetitions is how often a step is taken again to count what it comes to.
const repetitions = 100

// again repeats a run to a depth.
type again struct {
	choose.Source
	climate
	whole
	steps int
	live  bool // the last state is
	see   func(*world.World)
}

// visit asks what the repeated run may have asked: a property may panic.
func (a *again) visit(w *world.World, depth int) bool {
	a.live = w.Probe()
	if a.see != nil {
		a.see(w)
	}
	return depth < a.steps
}

func repeat(answers choose.Source, c climate, steps int) *again {
	return &again{Source: answers, climate: c, steps: steps}
}

// lenient repeats a run for as long as it asks as before, and goes on with the
// first alternatives: a run that is not deterministic must get to the step
// where it differs, which lockstep then shows.
type lenient struct {
	*choose.Raw
	left bool
}

func (l *lenient) Answer(q *choose.Question) int {
	if !l.left {
		if k := l.Raw.Answer(q); k >= 0 {
			return k
		}
		l.left = true
	}
	return 0
}

// confirm takes a failed run again from its start, in lockstep and with every
// check on, and makes the finding from what it sees this time. A run that does
// not fail again as it did is a finding too: the service is not deterministic.
func (r *runner) confirm(answers choose.Source, c climate, want *sim.Failure) (*Finding, error) {
	confirming, err := r.tracing()
	if err != nil {
		return nil, err
	}
	record := choose.NewRecord(answers)
	last := repeat(record, c, want.Step)
	end, failure, w := confirming.run(last, true)
	for n := 0; n < repetitions && failure == nil && (want.Verdict == sim.VerdictNondeterminism || isMismatch(w.Err())); n++ {
		record = choose.NewRecord(&lenient{Raw: choose.NewRaw(picks(record.Path()))})
		last = repeat(record, c, want.Step)
		end, failure, w = confirming.run(last, true)
	}
	f := &Finding{Path: record.Path(), Trace: w.Trace(), climate: c}
	switch {
	case failure != nil:
		f.Failure = *failure
	case want.Verdict == sim.VerdictNondeterminism:
		f.Failure = *want
	case want.Verdict == sim.VerdictDead && w.Steps() == want.Step && (c.faults || !last.live):
		f.Failure = *want
	case end == endStopped && world.Unsupported(w.Err()):
		return nil, w.Err()
	case want.Verdict == sim.VerdictGoroutine: // it may end before it is looked for; its stack proves that it was
		f.Failure = *want
	default:
		f.Failure = *want
		f.Verdict = sim.VerdictNondeterminism
		f.Message = fmt.Sprintf("the run ended in a %s (%s), but not when it was taken again%s", want.Verdict, want.Message, hint)
	}
	varies := failure != nil && f.Property != "" // a property, within one state: no step is to blame
	if f.Verdict == sim.VerdictNondeterminism && !varies {
		r.count(f)
	}
	r.label(f)
	if f.Verdict == sim.VerdictSafety || f.Verdict == sim.VerdictDead {
		f.Path.Add("state", w.Hash().String())
	}
	return f, nil
}

// record takes a run again in the same way, and makes a finding of nothing of
// it: a run that ended well.
func (r *runner) record(answers choose.Source, c climate, steps int) (*Finding, error) {
	confirming, err := r.tracing()
	if err != nil {
		return nil, err
	}
	record := choose.NewRecord(answers)
	_, failure, w := confirming.run(repeat(record, c, steps), true)
	f := &Finding{Path: record.Path(), Trace: w.Trace(), climate: c}
	switch {
	case failure != nil:
		f.Failure = *failure
	case w.Steps() != steps:
		return nil, fmt.Errorf("a run of %d steps came to its end after %d when it was taken again%s", steps, w.Steps(), hint)
	}
	f.Step = w.Steps()
	r.label(f)
	f.Path.Add("state", w.Hash().String())
	return f, nil
}

// tracing is a runner whose careful runs are recorded.
func (r *runner) tracing() (*runner, error) {
	c := &runner{runs: runs{sys: r.sys, opts: r.opts, limits: r.limits, world: r.world}, reach: r.reach}
	c.pulse.on = r.pulse.on
	t, err := r.newTwin(world.Config{Audit: true, Trace: true})
	c.twin, r.confirming = t, c
	return c, err
}

// count takes the steps up to a nondeterministic one again and again, and
// counts what they come to.
func (r *runner) count(f *Finding) {
	told := map[canon.Hash]*Outcome{}
	answers := picks(f.Path)
	for n := 0; n < repetitions || len(told) < 2 && n < 1000; n++ { // a map of two keys is turned around one time in eight
		src := &unanswered{Source: choose.NewRaw(answers)}
		_, failure, w := r.run(repeat(src, f.climate, f.Step), false)
		h, text := outcome(w, failure)
		if src.asked != "" {
			text += src.asked
			h = canon.OfString(text)
		}
		if told[h] == nil {
			told[h] = &Outcome{Told: text}
		}
		told[h].Times++
	}
	for _, o := range told {
		f.Outcomes = append(f.Outcomes, *o)
	}
	slices.SortFunc(f.Outcomes, func(a, b Outcome) int {
		return cmp.Or(cmp.Compare(b.Times, a.Times), strings.Compare(a.Told, b.Told))
	})
}

// unanswered remembers the question that its source refused.
type unanswered struct {
	choose.Source
	asked string
}

func (u *unanswered) Answer(q *choose.Question) int {
	k := u.Source.Answer(q)
	if k < 0 && u.asked == "" {
		u.asked = fmt.Sprintf("ask one of %d", q.N)
		if why := q.Alternatives.Why(); why != "" {
			u.asked += " for " + why
		}
	}
	return k
}

// label writes the header of a finding's path.
func (r *runner) label(f *Finding) {
	p := f.Path
	p.Header = Describe(r.sys, r.opts.Params, r.opts.Properties)
	if f.climate.faults {
		p.Add("faults", r.opts.Budgets(r.sys).String())
		if r.opts.Early > 0 {
			p.Add("early", fmt.Sprint(r.opts.Early-1))
		}
	}
	if net := r.opts.Network.String(); net != "" {
		p.Add("net", net)
	}
	p.Add("seed", fmt.Sprint(r.opts.Seed))
	p.Add("verdict", f.Verdict.String())
	if f.Property != "" {
		p.Add("violates", f.Property)
	}
	if f.Critical != nil {
		p.Add("critical", fmt.Sprint(f.Critical.Step))
	}
}

// Describe is the part of a path's header that says what was run.
func Describe(sys *sim.System, p sim.Params, only []string) []choose.Field {
	h := []choose.Field{{Key: "system", Value: sys.Name}, {Key: "nodes", Value: fmt.Sprint(p.Nodes)}}
	for _, s := range p.Settings(sys) {
		h = append(h, choose.Field{Key: "param", Value: s})
	}
	for _, b := range p.Bugs() {
		h = append(h, choose.Field{Key: "bug", Value: string(b)})
	}
	for _, name := range only {
		h = append(h, choose.Field{Key: "property", Value: name})
	}
	return h
}

// dead is the failure of a run whose end, where the world is, is taken to be dead.
func dead(w *world.World, steps int) *sim.Failure {
	names, explanations := w.NotLive()
	if declined := w.Declined(); declined != "" {
		explanations = append(explanations, declined)
	}
	return decide.Dead(steps, names, explanations)
}
