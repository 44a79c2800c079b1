package critical_test

import (
	"fmt"
	"strings"
	"testing"

	"macemc/choose"
	"macemc/internal/critical"
	"macemc/internal/search"
	"macemc/internal/toy"
	"macemc/internal/transcript"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

// TestTranscripts runs testdata. Its commands:
//
//	find run=a-b-c [sampled] [evidence-walks=] [walk-steps=] [max-walk-steps=]
//	    the critical transition of a run of the toy in the input, which goes
//	    along these vertices; sampled: nothing is exhausted
//	shrink run=a-b-c [any] and those of find
//	    the same, and the run made shorter
func TestTranscripts(t *testing.T) {
	transcript.Run(t, "testdata", func(t *testing.T, d *transcript.Data) string {
		options := []string{"run", "sampled", "evidence-walks", "walk-steps", "max-walk-steps", "any"}
		transcript.Allow(t, d, options...)
		sys, err := toy.Parse(d.Input)
		if err != nil {
			d.Fatalf(t, "%v", err)
		}
		f, err := toyRun(sys, strings.Split(transcript.Word(d, "run", ""), "-"))
		if err != nil {
			return err.Error() + "\n"
		}
		opts := critical.Options{Any: d.HasArg("any"), Search: search.Options{
			EvidenceWalks: transcript.Int(t, d, "evidence-walks", 0), WalkSteps: transcript.Int(t, d, "walk-steps", 100), MaxWalkSteps: transcript.Int(t, d, "max-walk-steps", 0),
		}}
		if d.HasArg("sampled") {
			opts.Exhaust = -1
		}
		var r *critical.Result
		switch d.Cmd {
		case "find":
			r, err = critical.Find(sys, f, opts)
		case "shrink":
			r, err = critical.Explain(sys, f, opts, true)
		default:
			d.Fatalf(t, "no command %q", d.Cmd)
		}
		if err != nil {
			return err.Error() + "\n"
		}
		return tell(r)
	})
}

// toyRun returns the run of a toy along the given vertices, as a finding that a search would report.
func toyRun(sys *sim.System, vertices []string) (*search.Finding, error) {
	w, err := world.New(sys, sim.Params{}, world.Config{})
	if err != nil {
		return nil, err
	}
	var steps []choose.Step
	for _, v := range vertices {
		steps = append(steps, choose.Step{Event: choose.Choice{What: fmt.Sprintf("n0 action to(%q)", v)}})
	}
	follow := choose.NewFollow(nil, steps)
	follow.Like = func(what string) string { return strings.Replace(what, "action rare(", "action to(", 1) }
	record := choose.NewRecord(follow)
	failure := w.Protect(func() {
		for w.Start(record); w.Judge.Check() == nil && w.Step(record) == world.Stepped; {
		}
	})
	path := record.Path()
	if len(path.Steps) != len(steps) {
		return nil, fmt.Errorf("of %d steps, %d are possible", len(steps), len(path.Steps))
	}
	if failure == nil {
		failure = w.Run.Failed()
	}
	if failure == nil {
		failure = &trace.Failure{Verdict: trace.VerdictDead, Step: len(steps)}
	}
	path.Header = search.Describe(sys, w.Params())
	path.Add("seed", "1")
	path.Add("verdict", failure.Verdict.String())
	if failure.Property != "" {
		path.Add("violates", failure.Property)
	}
	return &search.Finding{Failure: *failure, Path: path}, nil
}

func tell(r *critical.Result) string {
	var b strings.Builder
	f := r.Finding
	switch {
	case r.Alive:
		return "the end can recover\n"
	case r.Stopped:
		b.WriteString("stopped\n")
	}
	fmt.Fprintf(&b, "%s, after %s\n", f.Verdict, vertices(f.Path))
	if f.Found != nil {
		fmt.Fprintf(&b, "found as %s\n", vertices(f.Found))
	}
	if c := f.Critical; c != nil {
		how := "as far as walks can tell"
		if c.Exact {
			how = "exactly"
		}
		fmt.Fprintf(&b, "critical step %d %s, %s\n", c.Step, c.Event, how)
		if c.Witness != nil {
			fmt.Fprintf(&b, "before it, walk %d succeeds after %d steps\n", c.Witness.Walk, c.Witness.Steps)
		}
		if c.Doubt != "" {
			fmt.Fprintf(&b, "inconclusive: %s\n", c.Doubt)
		}
	}
	if a := f.Avoided; a != nil {
		if !a.Clear {
			b.WriteString("inconclusive: ")
		}
		if a.Step == 0 {
			fmt.Fprintf(&b, "of %d walks of %d steps, %d go on from the start\n", a.Walks, a.WalkSteps, a.Before)
		} else {
			fmt.Fprintf(&b, "of %d walks of %d steps each, %d go on from before step %d, and %d from after it; by chance %.1g\n", a.Walks, a.WalkSteps, a.Before, a.Step, a.After, a.Chance)
		}
	}
	if f.Proved {
		b.WriteString("proved\n")
	}
	if e := f.Evidence; e != nil {
		fmt.Fprintf(&b, "evidence: %d walks of %d steps after step %d, escape below %.4f\n", e.Walks, e.WalkSteps, e.From, e.Escape95)
	}
	if f.Live != nil && len(f.Live.Path.Steps) < 20 {
		fmt.Fprintf(&b, "live: %s\n", vertices(f.Live.Path))
	}
	for _, other := range r.Others {
		fmt.Fprintf(&b, "besides: %s at step %d: %s\n", other.Verdict, other.Step, other.Message)
	}
	return b.String()
}

// vertices returns the vertices along which a path of a toy leads, as text.
func vertices(p *choose.Path) string {
	var all []string
	for _, s := range p.Steps {
		what := strings.TrimPrefix(s.Event.What, "n0 action ")
		what = strings.NewReplacer(`to("`, "", `rare("`, "!", `")`, "").Replace(what)
		all = append(all, what)
	}
	if len(all) == 0 {
		return "no step"
	}
	return strings.Join(all, " ")
}
