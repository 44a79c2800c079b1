package report

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"macemc/choose"
	"macemc/internal/account"
	"macemc/internal/observe"
	"macemc/internal/search"
	"macemc/internal/transcript"
	"macemc/sim"
	"macemc/trace"
)

// ownLine is a line of this file, which moves with every edit above it.
var ownLine = regexp.MustCompile(`(report_test\.go:)\d+`)

// TestTranscripts runs testdata. Its commands:
//
//	result NAME     the text of a hand-made result
//	json NAME       its JSON
//	account NAME    its finding, for somebody who runs tests
//	replay NAME     its finding, as that of a replay; recorded= for what; all: with
//	                every step; json: its JSON
//	progress        lines of progress
//	list            two hand-made systems
func TestTranscripts(t *testing.T) {
	transcript.Run(t, "testdata", func(t *testing.T, d *transcript.Data) string {
		var b strings.Builder
		var err error
		switch d.Cmd {
		case "result":
			r := made(t, d)
			err = Result(&b, r, placed(r)...)
		case "json":
			r := made(t, d)
			err = ResultJSON(&b, r, placed(r)...)
		case "account":
			r := made(t, d)
			err = Account(&b, r, placed(r)[0])
		case "replay":
			r := made(t, d)
			recorded, _ := trace.ParseVerdict(transcript.Word(d, "recorded", "none"))
			again := &search.Replayed{
				System: r.System, Params: r.Params, Recorded: recorded,
				Finding: r.Finding, Reproduced: recorded == r.Finding.Verdict,
			}
			if d.HasArg("json") {
				err = ReplayedJSON(&b, r.Finding.Path, again)
			} else {
				err = Replayed(&b, r.Finding.Path, again, d.HasArg("all"))
			}
		case "progress":
			states := search.Progress{Stats: search.Stats{States: 3_210}, Phase: search.PhaseStates, Level: 10, Done: 100, Of: 1_000, Memory: 20 << 20}
			more := states
			more.States, more.Done, more.Periphery.Walked = 4_210, 250, 17
			next := more
			next.Level, next.Done, next.Of = 11, 3, 900
			walks := search.Progress{Stats: search.Stats{Walks: 4_000, Steps: 9_000_000}, Phase: search.PhaseWalks, Done: 4_000, Of: 10_000, Memory: 64 << 20}
			later := walks
			later.Walks, later.Done, later.Steps, later.Suspects = 5_000, 5_000, 11_000_000, 1
			in := func(p search.Progress, phase search.Phase, of int) search.Progress {
				p.Phase, p.Of = phase, of
				return p
			}
			for _, l := range []struct {
				now, then search.Progress
				elapsed   time.Duration
			}{
				{search.Progress{}, search.Progress{}, 0},
				{states, search.Progress{}, 2 * time.Second},
				{more, states, 4 * time.Second},
				{next, more, 6 * time.Second},
				{in(next, search.PhasePeriphery, 900), more, 61 * time.Second},
				{in(next, search.PhaseSuspect, 0), more, 62 * time.Second},
				{in(next, search.PhaseLiveness, 0), more, 3_599 * time.Second},
				{walks, more, 3_600 * time.Second},
				{later, walks, 36_061 * time.Second},
				{in(later, search.PhasePrefixes, 10_000), walks, 3 * time.Second},
			} {
				fmt.Fprintln(&b, Progress(l.now, l.then, 2*time.Second, l.elapsed, 0))
			}
			for _, limit := range []time.Duration{10_004 * time.Second, 10_011 * time.Second, 9_000 * time.Second} {
				fmt.Fprintln(&b, Progress(more, states, 2*time.Second, 10_001*time.Second, limit))
				fmt.Fprintln(&b, Progress(later, walks, 2*time.Second, 10_001*time.Second, limit))
			}
		case "list":
			err = Systems(&b, []*sim.System{lamp, switches})
		default:
			d.Fatalf(t, "no command %q", d.Cmd)
		}
		if err != nil {
			t.Fatal(err)
		}
		return ownLine.ReplaceAllString(b.String(), "$1...")
	})
}

func made(t *testing.T, d *transcript.Data) *search.Result {
	name := d.CmdArgs[0].Key
	make, ok := results[name]
	if !ok {
		d.Fatalf(t, "no result %q", name)
	}
	return make()
}

var place = account.Place{Path: "found/lamp-dead-1/error.path", Replay: "macemc replay found/lamp-dead-1/error.path"}

// placed returns the accounts of a result's findings, with the places of their folders.
func placed(r *search.Result) []*account.Account {
	all := account.All(r)
	for _, a := range all {
		a.Place = place
	}
	return all
}

type bulb struct{}

func (*bulb) Init(sim.Env)                           {}
func (*bulb) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (*bulb) Handle(sim.Env, sim.Signal)             {}

type press struct{ times int }

func yes(sim.View[*bulb]) bool { return true }

var lamp = &sim.System{
	Name: "lamp", Doc: "A lamp. It can be lit.",
	Bugs: []sim.Bug{{ID: "L1", Story: "The bulb is missing. It was taken out."}},
	New:  func(sim.Params, sim.Addr) sim.Node { return &bulb{} },
	Properties: []sim.Property{
		sim.Always("not too hot", yes), sim.Eventually("lit", yes), sim.Eventually("bright, and warm", yes),
	},
}

var switches = &sim.System{
	Name: "switches",
	Doc: "A very long row of switches with a documentation that does not fit into one line of a hundred columns, " +
		"so that it is wrapped. This is not its title.",
	Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
	Params: []*sim.Param{
		{Name: "many", Doc: "how many there are", Range: sim.Range{Default: 2, Least: 1, Most: 9}},
		{Name: "colour", Doc: "of what colour they are", Words: []string{"white", "black"}},
	},
	New:        func(sim.Params, sim.Addr) sim.Node { return &bulb{} },
	Properties: []sim.Property{sim.Eventually("on", yes)},
	Within:     sim.While("three presses", yes),
	Assume:     sim.While("there is power", yes),
}

// result returns a result of a search of sys without a finding; the function finding adds one.
func result(sys *sim.System) *search.Result {
	p, err := sys.Configure(0, nil, nil)
	if err != nil {
		panic(err)
	}
	return &search.Result{
		System: sys, Params: p, Options: search.Options{Seed: 1, Effort: 100_000, Depth: 10, WalkSteps: 10_000},
		Safety: search.Safety{State: search.StateBounded, Depth: 10}, Liveness: search.Liveness{State: search.StateSampled, Walks: 10_000, WalkSteps: 10_000},
		Stop:     search.StopPaths,
		Stats:    search.Stats{Engine: "reference", Paths: 12_345, Walks: 10_000, Steps: 7_654_321, States: 3_210, Transitions: 9_999, Executed: 11_111, Duplicates: 1_112, Audited: 193, Depth: 10},
		Measured: search.Measured{Elapsed: 2500 * time.Millisecond, Memory: 64 << 20},
	}
}

func finding(v trace.Verdict, property, message string, steps int) *search.Result {
	r := result(lamp)
	n1 := r.Params.Addr(1)
	f := &search.Finding{
		Failure: trace.Failure{Verdict: v, Property: property, Message: message, Step: steps, Node: n1, Identity: "n1 script press{times: 1}"},
		Path:    &choose.Path{Header: search.Describe(r.System, r.Params)},
		Trace:   &trace.Trace{},
	}
	if v == trace.VerdictDead {
		for _, name := range []string{"lit", "bright, and warm"} {
			if strings.Contains(property, name) {
				f.Failing = append(f.Failing, name)
			}
		}
	}
	f.Path.Add("violates", property)
	for i := range steps {
		what := fmt.Sprintf("n1 script press{times: %d}", i+1)
		f.Path.Steps = append(f.Path.Steps, choose.Step{Event: choose.Choice{Kind: choose.Event, Of: 3, What: what}})
		f.Trace.Steps = append(f.Trace.Steps, trace.Step{Index: i + 1, Node: n1, Identity: what})
	}
	r.Finding, r.Findings, r.Stop, r.Options.Depth = f, []*search.Finding{f}, search.StopFound, 0
	return r
}

var results = map[string]func() *search.Result{
	"sampled": func() *search.Result { return result(lamp) },
	"suspects": func() *search.Result {
		r := result(lamp)
		r.Stats.Suspects = 3
		return r
	},
	"assumed": func() *search.Result {
		r := result(switches)
		r.Safety.State, r.Stop = search.StateExhaustedWithin, search.StopPaths
		return r
	},
	"interrupted": func() *search.Result {
		r := result(lamp)
		r.Safety, r.Liveness, r.Stop = search.Safety{State: search.StateIncomplete}, search.Liveness{State: search.StateNone}, search.StopInterrupted
		r.Cut = r.Stop
		return r
	},
	"left_out": func() *search.Result {
		r := result(lamp)
		r.Safety.State, r.Stop, r.Cut = search.StateIncomplete, search.StopQuarantined, search.StopQuarantined
		r.Left, r.Quarantined = 3, []int{17}
		path := finding(trace.VerdictSafety, "not too hot", "it has 451 degrees", 3).Finding.Path
		r.LeftAt = []search.Prefix{{Path: path, File: "found/lamp-left-out-1/1.path"}, {Path: path}}
		return r
	},
	"several": func() *search.Result {
		r := finding(trace.VerdictSafety, "not too hot", "it has 451 degrees", 3)
		other := finding(trace.VerdictPanic, "", "no case for the signal press", 1)
		r.Findings, r.Alike = append(r.Findings, other.Finding), 17
		return r
	},
	"several_cut": func() *search.Result {
		r := finding(trace.VerdictSafety, "not too hot", "it has 451 degrees", 3)
		r.Findings = append(r.Findings, finding(trace.VerdictPanic, "", "no case for the signal press", 1).Finding)
		r.Options.Findings, r.Stop, r.Cut = 5, search.StopTime, search.StopTime
		return r
	},
	"one_cut": func() *search.Result {
		r := finding(trace.VerdictSafety, "not too hot", "it has 451 degrees", 3)
		r.Cut = search.StopMemory
		return r
	},
	"prefixed": func() *search.Result {
		r := finding(trace.VerdictSafety, "not too hot", "it has 451 degrees", 3)
		r.Options.Prefix, r.Options.PrefixName = r.Finding.Path.Prefix(2), "found/lamp-prefixes-1/1.path"
		return r
	},
	"prefixes": func() *search.Result {
		r := result(lamp)
		r.Safety, r.Liveness = search.Safety{State: search.StateNone}, search.Liveness{State: search.StateNone}
		r.Options.Prefixes, r.Options.Steady = 3, 20
		path := finding(trace.VerdictNone, "", "", 3).Finding.Path
		r.Prefixes = []search.Prefix{{Path: path, File: "found/lamp-prefixes-1/1.path"}, {Path: path}}
		return r
	},
	"timed": func() *search.Result {
		r := result(lamp)
		r.Stop, r.Cut = search.StopTime, search.StopTime
		return r
	},
	"stuffed": func() *search.Result {
		r := result(lamp)
		r.Stop, r.Cut = search.StopMemory, search.StopMemory
		return r
	},
	"only": func() *search.Result {
		r := result(lamp)
		r.Options.Properties, r.Liveness.State = []string{"not too hot"}, search.StateNone
		r.Options.Depth, r.Stop = 0, search.StopDepth
		return r
	},
	"never": func() *search.Result {
		r := result(lamp)
		r.Never = []string{"bug L1 is switched on, and its line was never reached"}
		for i := range 12 {
			r.Never = append(r.Never, fmt.Sprintf("message number%d{} was sent %d times and never delivered, which is told in a sentence so long that it is wrapped", i, i))
		}
		r.Held = []observe.Held{{Property: "lit", Depth: 0}, {Property: "bright, and warm", Depth: 1234}, {Property: "of another colour", Depth: -1}, {Property: "late", Depth: 200, Run: true}}
		return r
	},
	"everything": func() *search.Result {
		r := result(lamp)
		r.Never = []string{}
		return r
	},
	"lines": func() *search.Result {
		r := result(lamp)
		r.Lines = &search.Lines{Code: 1_200, Ran: 1_100, Never: []search.Unran{{File: "lamp/lamp.go", From: 17, To: 20, Func: "lamp.(*lamp).press"}}}
		for i := range 24 {
			r.Lines.Never = append(r.Lines.Never, search.Unran{File: "lamp/lamp.go", From: 30 + 2*i, To: 30 + 2*i + i%2, Func: "lamp.(*lamp).press", Called: true, Text: "return // \x1b[31m, and so on to the end of a line that does not end before the column does"})
		}
		return r
	},
	"all_lines": func() *search.Result {
		r := result(lamp)
		r.Lines = &search.Lines{Code: 1_200, Ran: 1_200}
		return r
	},
	"space": func() *search.Result {
		r := result(lamp)
		r.Space = &search.Space{Levels: []int{1, 10, 1000, 2345}, Complete: 2, Growth: 31.6227766, Rest: 29_278, RestTo: 3, Sampled: 2048}
		for i := range 12 {
			r.Space.Parts = append(r.Space.Parts, search.Part{Path: fmt.Sprintf("n*.part%d[*]", i), Forms: 1212 - i*100, Depth: 3, Samples: []string{"[1]=0", "[1]=1", "[1]=a value that does not end before the column does, nor soon after", "[7]=1211"}})
		}
		r.Space.Parts[11] = search.Part{Path: "n*.last", Forms: 1, Samples: []string{"0"}}
		return r
	},
	"known_space": func() *search.Result {
		r := result(lamp)
		r.Space = &search.Space{Levels: []int{1, 2}, Complete: 2, Sampled: 3, Parts: []search.Part{{Path: "n*.last", Forms: 1, Samples: []string{"0"}}}}
		return r
	},
	"dead": func() *search.Result {
		r := finding(trace.VerdictDead, "lit, bright, and warm", "it is dark", 10_000)
		r.Finding.Evidence = &search.Evidence{Walks: 60, WalkSteps: 10_000, Longest: 10_000, Escape95: 0.0487029}
		return r
	},
	"critical": func() *search.Result {
		r := finding(trace.VerdictDead, "bright, and warm", "", 2)
		r.Finding.Evidence = &search.Evidence{Walks: 10_000, WalkSteps: 1, Longest: 1, Escape95: 0.00029952}
		r.Finding.Critical = &search.Critical{Step: 2, Event: "n1 script press{times: 2}"}
		return r
	},
	"once_exactly": func() *search.Result { // of a replay that could not decide it again
		r := finding(trace.VerdictDead, "bright, and warm", "", 2)
		r.Finding.Evidence = &search.Evidence{Walks: 60, WalkSteps: 10_000, Longest: 10_000, Escape95: 0.0487029, From: 2}
		r.Finding.Critical = &search.Critical{Step: 2, Event: "n1 script press{times: 2}", Exact: true}
		return r
	},
	"exactly": func() *search.Result {
		r := finding(trace.VerdictDead, "lit", "", 2)
		r.Finding.Proved, r.Finding.Critical = true, &search.Critical{Exact: true}
		return r
	},
	"start": func() *search.Result {
		r := finding(trace.VerdictDead, "lit, bright, and warm", "", 1)
		r.Finding.Evidence = &search.Evidence{Walks: 1, WalkSteps: 10, Longest: 10, Escape95: 0.95}
		r.Finding.Critical = &search.Critical{}
		return r
	},
	"panic": func() *search.Result {
		r := finding(trace.VerdictPanic, "", "no bulb\nin the lamp", 3)
		r.Finding.Stack = "lamp.(*bulb).Handle\n\t/lamp/bulb.go:7"
		r.Finding.Trace.Steps = r.Finding.Trace.Steps[:2]
		return r
	},
	"nondeterminism": func() *search.Result {
		r := finding(trace.VerdictNondeterminism, "", "two runs of the handler did different things", 1)
		r.Finding.Outcomes = []search.Outcome{{Told: "send on{} to n1 by tcp; ", Times: 31}, {Told: "", Times: 9}}
		return r
	},
	"effects": func() *search.Result {
		r := finding(trace.VerdictSafety, "not too hot", "90 degrees", 1)
		step := &r.Finding.Trace.Steps[0]
		for i := range 12 {
			step.Effects = append(step.Effects, trace.Effect{Kind: trace.EffectPost, Value: press{i}})
		}
		r.Finding.Path.Steps[0].Coins = []choose.Choice{{Kind: choose.Coin, Of: 2, Pick: 1, What: "which: left"}}
		r.Finding.Trace.Starts = []trace.Step{
			{Identity: "n0 start"},
			{Identity: "n1 start", Effects: []trace.Effect{{Kind: trace.EffectEmit, Value: strings.Repeat("long ", 60)}}},
		}
		return r
	},
	"stuck": func() *search.Result {
		r := finding(trace.VerdictDivergence, "", "the handler did not return", 2)
		r.Finding.Trace = nil
		r.Safety.State, r.Liveness = search.StateIncomplete, search.Liveness{State: search.StateFound}
		return r
	},
	"mutation":  func() *search.Result { return finding(trace.VerdictMutation, "", "n0 was changed", 1) },
	"goroutine": func() *search.Result { return finding(trace.VerdictGoroutine, "", "it started a goroutine", 0) },
	"well":      func() *search.Result { return finding(trace.VerdictNone, "", "", 2) },
}

// TestCriticalSaysTheCrashWithin: if a node crashes within the critical step, the report says so, for a
// dead run and for one that ended in a failure.
func TestCriticalSaysTheCrashWithin(t *testing.T) {
	for _, verdict := range []trace.Verdict{trace.VerdictDead, trace.VerdictSafety} {
		r := finding(verdict, "lit", "", 3)
		r.Finding.Critical = &search.Critical{Step: 2, Event: "n1 script press{times: 2}", Exact: true}
		step := &r.Finding.Trace.Steps[1]
		step.Coins = append(step.Coins, choose.Choice{Kind: choose.Coin, Of: 2, Pick: 1, What: "does n1 crash within the step: after effect 1, sync"})
		if got, want := about(r).critical(), "n1 script press{times: 2}, crashes within"; !strings.Contains(got+"\n", want+"\n") {
			t.Errorf("%s: the critical step is %q, which does not end its event with %q", verdict, got, want)
		}
	}
}

// TestSlower: if a search is slower than it could be, the report has the reason.
func TestSlower(t *testing.T) {
	told := func(why string) string {
		r := result(lamp)
		r.Measured.Slow = why
		var b strings.Builder
		if err := Measured(&b, r); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if got := told(""); strings.Contains(got, "slower") {
		t.Errorf("nothing is slower, and the report says\n%s", got)
	}
	const line = "  slower      the maps of go1 are not known, so states are hashed and copied by reflection\n"
	if got := told("the maps of go1 are not known"); !strings.HasSuffix(got, line) {
		t.Errorf("the report says\n%s, want at its end\n%s", got, line)
	}
	r := result(lamp)
	r.Measured.Slow = "the maps of go1 are not known"
	var b strings.Builder
	if err := ResultJSON(&b, r); err != nil || !strings.Contains(b.String(), `"slower": "the maps of go1 are not known, so`) {
		t.Errorf("%v, and the JSON says\n%s", err, b.String())
	}
}

// TestBusy: if a search ended because its time was over, and the machine had much other work, the report
// says so.
func TestBusy(t *testing.T) {
	for _, c := range []struct {
		stop, cut search.Stop
		cpu       time.Duration
		want      string
	}{
		{search.StopTime, "", 400 * time.Millisecond, "  busy        the search had a processor for 20 % of its time: "},
		{search.StopFound, search.StopSpent, 400 * time.Millisecond, "  busy        the search had a processor for 20 % of its time: "},
		{search.StopTime, "", 1900 * time.Millisecond, ""},
		{search.StopTime, "", 0, ""}, // it is not known
		{search.StopDone, "", 400 * time.Millisecond, ""},
	} {
		r := result(lamp)
		r.Stop, r.Cut = c.stop, c.cut
		r.Measured = search.Measured{Elapsed: 2 * time.Second, CPU: c.cpu}
		var b strings.Builder
		if err := Measured(&b, r); err != nil {
			t.Fatal(err)
		}
		if text := b.String(); !strings.Contains(text, c.want) || c.want == "" && strings.Contains(text, "busy") {
			t.Errorf("%+v: it does not say %q:\n%s", c, c.want, text)
		}
	}
}

func TestPercent(t *testing.T) {
	for share, want := range map[float64]string{
		0: "0 %", 1: "100 %", 0.95: "95 %", 0.0487029: "4.9 %", 0.041: "4.1 %", 0.0411: "4.2 %", 0.00029952: "0.03 %", 0.632: "64 %",
	} {
		if got := percent(share); got != want {
			t.Errorf("percent(%v) is %s, want %s", share, got, want)
		}
	}
}

func TestRate(t *testing.T) {
	for _, c := range []struct {
		n    int
		d    time.Duration
		want string
	}{{0, time.Second, "0"}, {5, 0, "0"}, {1, time.Second, "1"}, {123456, time.Second, "120,000"}, {1, 10 * time.Second, "0"}} {
		if got := rate(c.n, c.d); got != c.want {
			t.Errorf("rate(%d, %s) is %s, want %s", c.n, c.d, got, c.want)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"one two three", "one two|three"},
		{"unbreakable words", "unbreakable|words"},
		{"a\nb", "a|b"},
		{"ä ö ü ß é", "ä ö ü ß|é"},
	} {
		if got := strings.Join(Wrap(c.text, 7), "|"); got != c.want {
			t.Errorf("Wrap(%q) is %q, want %q", c.text, got, c.want)
		}
	}
}

// wideWriter is a terminal with a number of columns.
type wideWriter struct {
	strings.Builder
	columns int
}

func (w *wideWriter) Columns() int { return w.columns }

// A report is as wide as the terminal, within limits.
func TestColumns(t *testing.T) {
	for columns, most := range map[int]int{0: 100, 20: 60, 80: 79, 120: 119, 500: 140} {
		w := &wideWriter{columns: columns}
		r := results["dead"]()
		r.Finding.Message = strings.Repeat("it is dark ", 50)
		if err := Result(w, r); err != nil {
			t.Fatal(err)
		}
		widest := 0
		for line := range strings.Lines(w.String()) {
			if strings.HasPrefix(line, "  because") {
				widest = max(widest, len(strings.TrimSpace(line))+2)
			}
		}
		if widest > most || widest < most-12 {
			t.Errorf("on %d columns a line has %d; at most %d are wanted", columns, widest, most)
		}
	}
}

func TestSentence(t *testing.T) {
	for text, want := range map[string]string{
		"One. Two.": "One.", "One": "One", "One,\n  and more.\nTwo.": "One, and more.", "": "",
	} {
		if got := Sentence(text); got != want {
			t.Errorf("Sentence(%q) is %q, want %q", text, got, want)
		}
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("full") }

// A failure to write is reported.
func TestWriterFails(t *testing.T) {
	for name, make := range results {
		r := make()
		if Result(broken{}, r, placed(r)...) == nil || ResultJSON(broken{}, r, placed(r)...) == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
