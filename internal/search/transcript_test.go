package search

import (
	"fmt"
	"strings"
	"testing"

	"macemc/choose"
	"macemc/internal/search/internal/run"
	"macemc/internal/toy"
	"macemc/internal/transcript"
	"macemc/sim"
)

// TestTranscripts runs testdata. Its commands:
//
//	search [engine=reference] [depth=] [step=] [effort=] [paths=] [evidence-walks=] [walk-steps=] [seed=]
//	       [walk=..] [no-walks] [stop=n] [only=..] [replay]
//	    search the toy in the input; stop=n: interrupt it when it calls Options.Stop
//	    for the n-th time; replay: take the finding's path again; never: print the
//	    events that never happened; space: print in which parts the states differ
//	count [most=] [within=] [back=] [coins=] [sides=] [assume=] and those of search
//	    search a counter, which counts to most in ones and twos; back=n: at n it
//	    goes back to 1; coins=n: it asks n coins each time, of sides sides
func TestTranscripts(t *testing.T) {
	transcript.Run(t, "testdata", func(t *testing.T, d *transcript.Data) string {
		options := []string{"engine", "depth", "step", "effort", "paths", "evidence-walks", "walk-steps", "seed", "walk", "no-walks", "stop", "only", "replay", "never", "space"}
		switch d.Cmd {
		case "search":
			transcript.Allow(t, d, options...)
			sys, err := toy.Parse(d.Input)
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			return searched(t, d, sys)
		case "count":
			transcript.Allow(t, d, append(options, "most", "within", "back", "coins", "sides", "assume")...)
			return searched(t, d, counting(t, d))
		default:
			d.Fatalf(t, "no command %q", d.Cmd)
			return ""
		}
	})
}

func searched(t *testing.T, d *transcript.Data, sys *sim.System) string {
	opts := Options{
		Engine: Engine(transcript.Word(d, "engine", string(EngineReference))),
		Depth:  transcript.Int(t, d, "depth", 0), Step: transcript.Int(t, d, "step", 0),
		Effort: transcript.Int(t, d, "effort", 0), Paths: transcript.Int(t, d, "paths", 0),
		EvidenceWalks: transcript.Int(t, d, "evidence-walks", 0), WalkSteps: transcript.Int(t, d, "walk-steps", 100),
		Seed: uint64(transcript.Int(t, d, "seed", 0)), Walking: Walking(transcript.Word(d, "walk", "")), NoWalks: d.HasArg("no-walks"),
	}
	if only := transcript.Word(d, "only", ""); only != "" {
		opts.Properties = []string{strings.ReplaceAll(only, "_", " ")}
	}
	if n := transcript.Int(t, d, "stop", 0); n > 0 {
		opts.Stop = func() Stop {
			if n--; n > 0 {
				return ""
			}
			return StopInterrupted
		}
	}
	opts.ProfileSpace = d.HasArg("space")
	res, err := Search(sys, opts)
	if err != nil {
		return err.Error() + "\n"
	}
	var b strings.Builder
	tellResult(&b, res)
	if d.HasArg("never") {
		tellNever(&b, res)
	}
	if d.HasArg("space") {
		tellSpace(&b, res.Space)
	}
	if d.HasArg("replay") && res.Finding != nil {
		r, err := Replay(sys, throughText(t, res.Finding.Path), Options{WalkSteps: opts.WalkSteps})
		if err != nil {
			return err.Error() + "\n"
		}
		proved := ""
		if r.Finding.Proved {
			proved = ", proved"
		}
		fmt.Fprintf(&b, "replayed: %s%s, reproduced %v\n", r.Finding.Verdict, proved, r.Reproduced)
	}
	return b.String()
}

func tellResult(b *strings.Builder, res *Result) {
	fmt.Fprintf(b, "safety %s, all states to depth %d; liveness %s; stopped: %s\n",
		res.Safety.State, res.Safety.Depth, res.Liveness.State, res.Stop)
	s := res.Stats
	fmt.Fprintf(b, "%d states, %d transitions, %d executed, %d duplicates; %d paths, %d of them walks, %d suspects\n",
		s.States, s.Transitions, s.Executed, s.Duplicates, s.Paths, s.Walks, s.Suspects)
	f := res.Finding
	if f == nil {
		b.WriteString("nothing was found\n")
		return
	}
	fmt.Fprintf(b, "%s at step %d", f.Verdict, f.Step)
	if f.Identity != "" {
		fmt.Fprintf(b, ", %s", f.Identity)
	}
	fmt.Fprintf(b, ", against %q: %s\n", f.Property, f.Message)
	if f.Proved {
		b.WriteString("proved\n")
	}
	if f.Critical != nil {
		fmt.Fprintf(b, "critical step %d\n", f.Critical.Step)
	}
	if f.Evidence != nil {
		fmt.Fprintf(b, "evidence: %d walks of %d steps, escape below %.3f\n", f.Evidence.Walks, f.Evidence.WalkSteps, f.Evidence.Escape95)
	}
	for _, c := range f.Path.Start {
		fmt.Fprintf(b, "  start %s\n", c.What)
	}
	for i, s := range f.Path.Steps {
		if i == 5 && len(f.Path.Steps) > 8 {
			fmt.Fprintf(b, "  and %d more steps\n", len(f.Path.Steps)-i)
			break
		}
		fmt.Fprintf(b, "  %d %s", i+1, s.Event.What)
		for _, c := range s.Coins {
			fmt.Fprintf(b, " | %s", c.What)
		}
		b.WriteString("\n")
	}
}

func tellNever(b *strings.Builder, res *Result) {
	for _, line := range res.Never {
		fmt.Fprintf(b, "never: %s\n", line)
	}
	for _, h := range res.Held {
		fmt.Fprintf(b, "first held: %q at %d%s\n", h.Property, h.Depth, map[bool]string{true: " of a run"}[h.Run])
	}
}

func tellSpace(b *strings.Builder, s *Space) {
	fmt.Fprintf(b, "levels %d, complete to %d; growth %.2f, %d more to depth %d; %d looked at\n",
		s.Levels, s.Complete, s.Growth, s.Rest, s.RestTo, s.Sampled)
	for _, p := range s.Parts {
		fmt.Fprintf(b, "  %d to depth %d  %s: %q\n", p.Forms, p.Depth, p.Path, p.Samples)
	}
}

// counter counts as its rule says: see the command count of TestTranscripts.
type counter struct {
	N    int
	rule *rule `mc:"-"`
}

type rule struct{ most, back, coins, sides int }

type up int

func (c *counter) Init(sim.Env)                           {}
func (c *counter) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (c *counter) Offers(offer func(sim.Signal)) {
	for k := 1; k <= 2 && c.N+k <= c.rule.most; k++ {
		offer(up(k))
	}
}

func (c *counter) Handle(env sim.Env, s sim.Signal) {
	for range c.rule.coins {
		env.Choose(c.rule.sides, "side")
	}
	if c.N += int(s.(up)); c.N == c.rule.back {
		c.N = 1
	}
	env.Emit(c.N)
}

func counting(t *testing.T, d *transcript.Data) *sim.System {
	r := &rule{
		most: transcript.Int(t, d, "most", 6), back: transcript.Int(t, d, "back", 0),
		coins: transcript.Int(t, d, "coins", 0), sides: transcript.Int(t, d, "sides", 2),
	}
	below := func(n int) func(sim.View[*counter]) bool {
		return func(v sim.View[*counter]) bool {
			for _, c := range v.Nodes() {
				if c.N > n {
					return false
				}
			}
			return true
		}
	}
	sys := &sim.System{
		Name: "counter", Doc: "It counts in ones and twos.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
		New:   func(sim.Params, sim.Addr) sim.Node { return &counter{rule: r} },
		Properties: []sim.Property{
			sim.Steps("it never decreases", func(before, after sim.View[*counter]) bool {
				return total(before) <= total(after)
			}, func(before, after sim.View[*counter]) string {
				return fmt.Sprintf("%d became %d", total(before), total(after))
			}),
			sim.Monitor("no number is told after a larger one", func(last *int, _ sim.Addr, fact any) error {
				n := fact.(int)
				if n < *last {
					return fmt.Errorf("%d was told after %d", n, *last)
				}
				*last = n
				return nil
			}),
			sim.Eventually("it counts to the end", func(v sim.View[*counter]) bool { return total(v) >= r.most }),
		},
	}
	if n := transcript.Int(t, d, "within", -1); n >= 0 {
		sys.Within = sim.While("small numbers", below(n))
	}
	if n := transcript.Int(t, d, "assume", -1); n >= 0 {
		sys.Assume = sim.While("small numbers", below(n))
	}
	return sys
}

func total(v sim.View[*counter]) (n int) {
	for _, c := range v.Nodes() {
		n += c.N
	}
	return n
}

// TestStepPropertiesAreAlwaysChecked: a property of steps is evaluated even in a run that is not audited.
func TestStepPropertiesAreAlwaysChecked(t *testing.T) {
	sys := &sim.System{
		Name: "counter", Doc: "It counts in ones and twos.",
		New: func(sim.Params, sim.Addr) sim.Node { return &counter{rule: &rule{most: 4, back: 4}} },
		Properties: []sim.Property{sim.Steps("it never decreases", func(before, after sim.View[*counter]) bool {
			return total(before) <= total(after)
		})},
	}
	r, err := newRunner(sys, Options{Params: sim.Params{Nodes: 1}})
	if err != nil {
		t.Fatal(err)
	}
	_, failure, w := r.Run(run.Repeat(choose.NewFixed(1, 1), run.Fair, 3), false)
	if failure == nil || failure.Property != "it never decreases" || failure.Step != 2 {
		t.Errorf("found is %+v after %d steps", failure, w.Run.Steps())
	}
}
