package world_test

import (
	"fmt"
	"strings"
	"testing"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/observe"
	"macemc/internal/transcript"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

// TestTranscripts runs testdata. Its commands:
//
//	start [nodes=n] [stacked] [audit] [only=..] [coins=(..)]
//	               begin a run of the play in the input
//	events         what is possible now, in canonical order, with weights
//	take           take events, by identity or by number; after a bar, coins;
//	               and print the step: causes, coins, facts, effects
//	state          all lines of the state
//	properties     what holds now
//	cover          look at the liveness properties of the run, each for itself; state: of a state
//	never          what was possible and has not happened so far, and what held
//	again [coins=(..)]    begin the run again, in the same world
//	keep NAME      remember this state
//	same NAME      is this state the one that was kept under NAME?
func TestTranscripts(t *testing.T) {
	transcript.RunFresh(t, "testdata", func() transcript.Handler {
		return (&desk{kept: map[string]kept{}}).handle
	})
}

// desk is the state that the commands of one transcript share.
type desk struct {
	w       *world.World
	cover   *observe.Coverage
	before  *world.World // one step behind
	steps   *world.Transition
	failure *trace.Failure
	picks   []choose.Pick
	kept    map[string]kept
}

// kept is a state that was remembered.
type kept struct {
	hash  canon.Hash
	lines []canon.Line
}

func (k *desk) handle(t *testing.T, d *transcript.Data) string {
	switch d.Cmd {
	case "start":
		transcript.Allow(t, d, "nodes", "stacked", "audit", "only", "coins")
		return k.start(t, d)
	case "again":
		transcript.Allow(t, d, "coins")
		return k.begin(transcript.Ints(t, d, "coins"))
	case "events":
		transcript.Allow(t, d)
		return k.events()
	case "take":
		transcript.Allow(t, d)
		return k.take(t, d)
	case "state":
		transcript.Allow(t, d)
		return told(k.w.Text.Lines())
	case "properties":
		transcript.Allow(t, d)
		return k.properties()
	case "cover":
		transcript.Allow(t, d, "state")
		if d.HasArg("state") {
			k.w.Judge.CoverState(k.w.Run.Steps())
		} else {
			k.w.Judge.CoverRun()
		}
		return ""
	case "never":
		transcript.Allow(t, d)
		var b strings.Builder
		for _, line := range k.cover.Never() {
			fmt.Fprintln(&b, line)
		}
		for _, h := range k.cover.Held() {
			fmt.Fprintf(&b, "%s first held at %d%s\n", h.Property, h.Depth, map[bool]string{true: " of a run"}[h.Run])
		}
		return b.String()
	case "keep":
		name := d.CmdArgs[0].Key
		k.kept[name] = kept{k.w.State.Hash(), k.w.Text.Lines()}
		return "kept\n"
	case "same":
		return k.same(k.kept[d.CmdArgs[0].Key])
	default:
		d.Fatalf(t, "no command %q", d.Cmd)
		return ""
	}
}

func (k *desk) start(t *testing.T, d *transcript.Data) string {
	sys := parsePlay(d.Input)
	if d.HasArg("stacked") {
		sys = stacked(sys)
	}
	p := sim.Params{Nodes: transcript.Int(t, d, "nodes", 2)}
	if err := sys.Validate(p); err != nil {
		return err.Error() + "\n"
	}
	k.cover = new(observe.Coverage)
	config := world.Config{Trace: true, Audit: d.HasArg("audit"), Coverage: k.cover}
	if only := transcript.Word(d, "only", ""); only != "" {
		config.Properties = strings.Split(only, ",")
	}
	var err error
	if k.w, err = world.New(sys, p, config); err != nil {
		return err.Error() + "\n"
	}
	if k.before, err = world.New(sys, p, world.Config{Conditions: sim.Conditions{Properties: config.Properties}}); err != nil {
		return err.Error() + "\n"
	}
	k.steps = world.StepChecks(k.before, k.w, config.Properties)
	return k.begin(transcript.Ints(t, d, "coins"))
}

// begin starts a run.
func (k *desk) begin(coins []int) string {
	k.picks = nil
	k.failure = k.w.Protect(func() { k.w.Start(&recorder{Source: choose.NewFixed(coins...), desk: k}) })
	var b strings.Builder
	for _, s := range k.w.Run.Trace().Starts {
		if len(s.Effects)+len(s.Coins)+len(s.Facts) > 0 {
			tellStep(&b, k.w, &s)
		}
	}
	k.outcome(&b)
	return b.String()
}

// recorder remembers every answer, so that the run can be taken again.
type recorder struct {
	choose.Source
	desk *desk
}

func (r *recorder) Answer(q *choose.Question) int {
	a := r.Source.Answer(q)
	if a >= 0 {
		r.desk.picks = append(r.desk.picks, choose.Pick{Of: uint32(q.N), Pick: uint32(a)})
	}
	return a
}

// chooser is a source that picks the event with an identity, and then answers coins from a list. It
// refuses to answer if there is no such event.
type chooser struct {
	identity string
	coins    *choose.Fixed
	err      error
}

func (c *chooser) Answer(q *choose.Question) int {
	if q.Kind == choose.Coin {
		return c.coins.Answer(q)
	}
	for k := range q.N {
		if q.Alternatives.Alternative(k) == c.identity || fmt.Sprint(k) == c.identity {
			return k
		}
	}
	c.err = fmt.Errorf("%q is not possible", c.identity)
	return -1
}

func (c *chooser) Err() error {
	if c.err != nil {
		return c.err
	}
	return c.coins.Err()
}

func (k *desk) take(t *testing.T, d *transcript.Data) string {
	var b strings.Builder
	for line := range strings.Lines(d.Input) {
		identity, coins, _ := strings.Cut(strings.TrimSpace(line), " | ")
		var answers []int
		for _, c := range strings.Fields(coins) {
			answers = append(answers, number(c))
		}
		k.catchUp(t)
		c := &chooser{identity: identity, coins: choose.NewFixed(answers...)}
		taken := len(k.w.Run.Trace().Steps)
		var progress world.Progress
		k.failure = k.w.Protect(func() { progress = k.w.Step(&recorder{c, k}) })
		if len(k.w.Run.Trace().Steps) > taken {
			tellStep(&b, k.w, k.last())
		}
		if progress == world.Quiet {
			b.WriteString("no event is possible\n")
		}
		if k.outcome(&b) {
			break
		}
	}
	return b.String()
}

// catchUp repeats the run in the world before, up to the present step.
func (k *desk) catchUp(t *testing.T) {
	t.Helper()
	src := choose.NewRaw(k.picks)
	failure := k.before.Protect(func() {
		k.before.Start(src)
		for !src.Done() && k.before.Step(src) == world.Stepped {
		}
	})
	if failure != nil || k.before.Run.Err() != nil {
		t.Fatalf("the run cannot be taken again: %+v, %v", failure, k.before.Run.Err())
	}
	if k.before.State.Hash() != k.w.State.Hash() {
		t.Fatalf("the same answers led to another state: %v", observe.Diff(k.w.Text.Lines(), k.before.Text.Lines()))
	}
}

// outcome writes how the run failed or stopped, if it did, and reports whether it did.
func (k *desk) outcome(b *strings.Builder) bool {
	f := k.failure
	if f == nil && k.w.Run.Err() == nil {
		f = k.w.Judge.Check()
	}
	if f == nil && k.w.Run.Err() == nil && k.w.Run.Steps() > 0 {
		f = k.steps.Check()
	}
	switch {
	case f != nil:
		fmt.Fprintf(b, "%s at step %d of %s, %q", f.Verdict, f.Step, f.Node, f.Identity)
		if f.Property != "" {
			fmt.Fprintf(b, ", against %q", f.Property)
		}
		fmt.Fprintf(b, ": %s\n", f.Message)
		return true
	case k.w.Run.Err() != nil:
		fmt.Fprintf(b, "stopped: %v\n", k.w.Run.Err())
		return true
	}
	return false
}

func (k *desk) last() *trace.Step {
	steps := k.w.Run.Trace().Steps
	return &steps[len(steps)-1]
}

// tellStep writes one step of a trace.
func tellStep(b *strings.Builder, w *world.World, s *trace.Step) {
	fmt.Fprintf(b, "%d %s", s.Index, s.Identity)
	if s.Index > 0 {
		cut := ""
		if s.Cut {
			cut = ", cut"
		}
		fmt.Fprintf(b, "  (one of %d, caused by %s%s)", s.Possible, cause(s.Cause()), cut)
	}
	b.WriteString("\n")
	for _, c := range s.Coins {
		fmt.Fprintf(b, "  coin %s [%d/%d]\n", c.What, c.Pick, c.Of)
	}
	for _, f := range s.Facts {
		fmt.Fprintf(b, "  asked %s %s: %v\n", f.Asked, w.Walker().Text(f.About), f.Answer)
	}
	for _, e := range s.Effects {
		fmt.Fprintf(b, "  %s\n", e.Text(w.Walker().Text))
	}
}

func cause(step int) string {
	if step < 0 {
		return "none"
	}
	return fmt.Sprintf("step %d", step)
}

// peek is a source that lists the alternatives of a question about an event, and refuses to answer.
type peek struct{ lines []string }

func (p *peek) Answer(q *choose.Question) int {
	k := 0
	for _, run := range q.Runs {
		for range run.N {
			p.lines = append(p.lines, fmt.Sprintf("%d %s  (weight %v)\n", k, q.Alternatives.Alternative(k), run.Weight))
			k++
		}
	}
	if k != q.N {
		p.lines = append(p.lines, fmt.Sprintf("the weights are of %d events, and %d are possible\n", k, q.N))
	}
	return -1
}

func (p *peek) Err() error { return choose.ErrEnd }

// events returns the possible events with their weights. It repeats the run in the world before and asks that
// one, so that k.w can continue.
func (k *desk) events() string {
	p := &peek{}
	src := choose.NewRaw(k.picks)
	k.before.Protect(func() {
		k.before.Start(src)
		for !src.Done() && k.before.Step(src) == world.Stepped {
		}
		k.before.Step(p)
	})
	if n := k.w.Events.Count(); n != len(p.lines) {
		return fmt.Sprintf("%d events are possible, but %d were asked about\n", n, len(p.lines))
	}
	if len(p.lines) == 0 {
		return "none\n"
	}
	return strings.Join(p.lines, "")
}

func told(lines []canon.Line) string {
	var b strings.Builder
	for _, l := range lines {
		fmt.Fprintf(&b, "%s = %s\n", l.Path, l.Value)
	}
	return b.String()
}

func (k *desk) properties() string {
	var b strings.Builder
	if f := k.w.Judge.Check(); f != nil {
		fmt.Fprintf(&b, "unsafe: %s: %s\n", f.Property, f.Message)
	} else {
		b.WriteString("safe\n")
	}
	if k.w.Judge.CanBeLive() {
		names, why := k.w.Judge.NotLive()
		fmt.Fprintf(&b, "live: %v; not live: %q, %q\n", k.w.Judge.Live(), names, why)
	}
	fmt.Fprintf(&b, "within: %v; assumed: %v\n", k.w.Judge.Within(), k.w.Judge.Assumed())
	return b.String()
}

func (k *desk) same(other kept) string {
	differences := observe.Diff(other.lines, k.w.Text.Lines())
	if same := other.hash == k.w.State.Hash(); same != (len(differences) == 0) {
		return fmt.Sprintf("equal hashes: %v; and %d differences\n", same, len(differences))
	}
	if len(differences) == 0 {
		return "the same\n"
	}
	var b strings.Builder
	for _, d := range differences {
		fmt.Fprintf(&b, "%s\n", d)
	}
	return b.String()
}
