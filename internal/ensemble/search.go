package ensemble

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"macemc/choose"
	"macemc/internal/search"
	"macemc/internal/setting"
	"macemc/internal/worlds"
	"macemc/sim"
	"macemc/trace"
)

// The names of properties that every system of programs has.
const (
	noPanic    = "no goroutine panics"
	noDeadlock = "no deadlock"
	nothingOf  = "a stopped program leaves nothing behind"
	goesOn     = "the process goes on"
)

// Built returns the names of the properties that every system of programs has, besides its own.
func Built() []string { return []string{noPanic, noDeadlock, nothingOf, goesOn} }

// Worlds is the default of the number of worlds (runs of programs) that a search takes.
const Worlds = 1000

// A Taker holds the program that child processes run, and whether findings are made shorter.
type Taker struct {
	Build func() (worlds.Binary, error) // builds the program; nil means the running test
	Test  string                        // the name of the running test, if Build is nil

	NoShrink bool // report findings as they were found, and do not make them shorter
}

// Child does the work of a child process of a search, and then returns. It returns is as false, at once, if this
// process is not such a child. The function find returns the system with a name.
func Child(find func(name string) (*sim.System, error)) (is bool, err error) {
	job, err := worlds.Job()
	if job == nil || err != nil || len(job.Of) == 0 {
		return false, err
	}
	path := &choose.Path{Header: job.Of}
	name, _ := path.Get("system")
	sys, err := find(name)
	if err != nil {
		return true, err
	}
	s, err := setting.Parse(sys, path)
	if err != nil {
		return true, err
	}
	return true, worlds.DoSystem(job, body(s))
}

// Search takes runs of a system with programs, in child processes, until one fails.
func Search(sys *sim.System, opts search.Options, by Taker) (*search.Result, error) {
	began, spent := time.Now(), search.Processor()
	s := setting.Setting{Sys: sys, Params: opts.Params, Conditions: opts.Conditions}
	if err := refuse(sys, opts); err != nil {
		return nil, err
	}
	if err := sys.Validate(opts.Params); err != nil {
		return nil, err
	}
	var err error
	if s.Params, err = sys.Resolve(opts.Params); err != nil {
		return nil, err
	}
	if err := unfit(s); err != nil {
		return nil, err
	}
	opts.Seed = max(opts.Seed, 1)
	stop := search.Stop("")
	w := &worlds.Search{Test: by.Test, Seed: opts.Seed, Worlds: many(opts), Workers: workers(opts), Of: s.Header(true), Build: by.Build,
		Walk: string(opts.Walking), Prefix: opts.Prefix, NoShrink: by.NoShrink,
		Stop: func() bool {
			if opts.Stop != nil {
				stop = opts.Stop()
			}
			return stop != ""
		},
		Progress: func(taken int) {
			if opts.Progress != nil {
				opts.Progress(search.Progress{Phase: search.PhaseWalks, Done: taken, Of: many(opts), Stats: search.Stats{Walks: taken}})
			}
		},
	}
	if opts.Engine == search.EngineReference {
		w.Deviate = max(1, opts.Depth)
	}
	if err := w.Prepare(); err != nil {
		return nil, fmt.Errorf("%s has programs with goroutines, and the program that takes their runs cannot be built: %w", sys.Name, err)
	}
	f, taken, err := w.Go()
	if err != nil {
		return nil, err
	}
	stated := s.Stated(sys)
	opts.Faults = &stated
	r := &search.Result{System: system(s, nil, "", ""), Params: s.Params, Options: opts,
		Safety: search.Safety{State: search.StateSampled}, Liveness: search.Liveness{State: search.StateNone}, Stop: search.StopPaths,
		Stats: search.Stats{Engine: string(Engine), Walks: taken}, Programs: &search.Programs{Worlds: taken, Whole: w.Whole, Clocks: clocks(sys, stated)}}
	switch {
	case f != nil:
		r.Stop, r.Safety.State = search.StopFound, search.StateFound
		if err := (&result{r}).found(s, f); err != nil {
			return nil, err
		}
	case stop != "":
		r.Stop, r.Cut = stop, stop
	}
	r.Measured = search.Measured{Elapsed: time.Since(began), CPU: search.Processor() - spent + w.Spent()}
	return r, nil
}

// Engine is the name of this way of searching in results.
const Engine search.Engine = "program"

// clocks returns how many times clocks of the system may begin to be wrong, given the faults.
func clocks(sys *sim.System, f sim.Faults) int {
	if f.IsZero() {
		return 0
	}
	return sys.Programs.Clocks
}

// many returns how many worlds, each a run of all programs, a search with these options takes in all.
func many(o search.Options) int {
	switch {
	case o.Walks > 0:
		return o.Walks
	case o.Paths > 0:
		return o.Paths
	case o.Timed:
		return 1 << 30
	}
	return Worlds
}

func workers(o search.Options) int {
	if o.Workers > 0 {
		return o.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// refuse returns an error if the options ask for what a search of programs does not support.
func refuse(sys *sim.System, o search.Options) error {
	bounded := o.Engine == search.EngineReference
	for _, c := range []struct {
		is   bool
		name string
	}{
		{o.Depth > 0 && !bounded, "Depth"}, {o.Prefixes > 0, "Prefixes"}, {o.Engine != "" && o.Engine != search.EngineMemo && !bounded, "Engine"},
		{o.Store != nil, "Store"}, {o.Afar != nil, "Afar"}, {len(o.Ignore) > 0, "Ignore"}, {o.Findings > 1, "Findings"}, {o.NoWalks, "NoWalks"},
		{o.ProfileSpace, "ProfileSpace"}, {o.Reduce != "" && o.Reduce != search.ReduceNone, "Reduce"}, {o.Symmetry != "" && o.Symmetry != search.ReduceNone, "Symmetry"},
		{o.Early != nil, "Early"}, {o.CrashWithin, "CrashWithin"}, {o.CrashImplicit, "CrashImplicit"}, {o.FreeTimers, "FreeTimers"}, {o.DiskReorder, "DiskReorder"}, {o.Network.String() != "", "Network"},
	} {
		if c.is {
			return fmt.Errorf("%s has programs with goroutines, whose search takes runs and keeps no states: Options.%s is not for it; leave it out", sys.Name, c.name)
		}
	}
	switch {
	case o.Walking != "" && !slices.Contains(worlds.Walks, string(o.Walking)):
		return fmt.Errorf("%s has programs with goroutines, and Options.Walking is %s; for them it is one of %s", sys.Name, o.Walking, strings.Join(worlds.Walks, ", "))
	case bounded && (o.Prefix != nil || o.Walking != "" && o.Walking != search.WalkAuto):
		return fmt.Errorf("%s has programs with goroutines: by Options.Engine reference their runs begin at the start and are not walked; leave Options.Prefix and Options.Walking out", sys.Name)
	}
	return nil
}

// found adds to the result the finding that a failed run makes.
func (r *result) found(s setting.Setting, f *worlds.Finding) error {
	of := &search.Programs{Worlds: f.World + 1, Clocks: r.Programs.Clocks, Exact: f.Exact, Draws: f.Asked, Deviate: f.Deviate, First: f.First, Shrunk: f.Runs}
	if !f.Exact {
		path := &choose.Path{Header: s.Header(true)}
		path.Add("verdict", trace.VerdictNondeterminism.String())
		r.add(of, nil, &search.Finding{Path: path, Tape: path, Failure: trace.Failure{Verdict: trace.VerdictNondeterminism,
			Message: first(f.Failure.Message) + "; replay is not exact: " + strings.Join(f.Differs, "; ")}})
		return nil
	}
	made, critical, err := finding(s, f.Path, &f.Failure, f.Log, f.Turn.Step)
	if err != nil {
		return err
	}
	of.Deviates = made.inRun(f.Left)
	of.Script = len(f.Left) - len(of.Deviates)
	of.Drawn, of.Critical, of.Turns = made.undrawn, turned(f.Turn, critical), made.inRun(f.Turn.Draws)
	r.add(of, made.system, made.finding)
	return nil
}

// turned describes the critical step of a finding, for a report.
func turned(t worlds.Turn, step string) string {
	switch {
	case t.Worlds == 0:
		return ""
	case t.Step == 0:
		return fmt.Sprintf("none: %d of %d runs that are free from the beginning fail so, too", t.Worlds, t.Worlds)
	}
	return fmt.Sprintf("%s: the first step after which %d of %d runs that go on freely fail so", step, t.Worlds, t.Worlds)
}

// result is a search.Result under construction.
type result struct{ *search.Result }

// add adds a finding to the result. sys is the system of the finding's recording, or nil if there is none.
func (r *result) add(of *search.Programs, sys *sim.System, f *search.Finding) {
	r.Programs, r.Finding, r.Findings = of, f, []*search.Finding{f}
	if sys != nil {
		r.System = sys
	}
}

// made is a finding with the system of its recording. The tape of the finding is the answers by which its run
// can be repeated; a step of the tape is an instant of that run.
type made struct {
	finding *search.Finding
	system  *sim.System
	undrawn error    // the reason why there is no recording
	steps   []uint32 // for each step of the recording, its step of the tape; nil if there is no recording
}

// step converts a step of the tape (an instant of the run) to the number of a step of the recording: the step at
// that instant or, if the recording has ended by then, the one after its last.
func (m made) step(ofTape uint32) int {
	at, _ := slices.BinarySearch(m.steps, ofTape)
	return at + 1
}

// inRun returns the descriptions of draws as a report shows them. A description begins with the number of a step
// of the tape, which inRun replaces by the number of the step of the recording. It leaves out draws that chose a
// fault or a request, since these are steps of the recording themselves.
func (m made) inRun(draws []string) (in []string) {
	for _, d := range draws {
		if strings.Contains(d, ".(*director).") {
			continue
		}
		var at uint32
		if n, _ := fmt.Sscanf(d, "step %d ", &at); n == 1 && m.steps != nil {
			_, rest, _ := strings.Cut(strings.TrimPrefix(d, "step "), " ")
			d = fmt.Sprintf("step %d %s", m.step(at), rest)
		}
		in = append(in, d)
	}
	return in
}

// finding makes a finding of a failed run. tape has the answers by which the run can be repeated, of is its
// failure, and log has its events and states. critical describes the critical step, which is step at of the
// tape, as a step of the recording.
func finding(s setting.Setting, tape *choose.Path, of *worlds.Failure, log []json.RawMessage, at uint32) (m made, critical string, err error) {
	rec, err := record(s, log)
	if err != nil {
		return m, "", err
	}
	property, message, stack := property(of, &rec.end)
	tape = &choose.Path{Header: slices.Clone(tape.Header), Start: tape.Start, Steps: tape.Steps}
	tape.Set("verdict", trace.VerdictSafety.String())
	tape.Set("violates", property)
	m.finding = &search.Finding{Path: tape, Tape: tape, Failure: trace.Failure{Verdict: trace.VerdictSafety, Property: property, Message: message, Stack: stack}}
	m.system = system(s, nil, property, message)
	recording, undrawn := rec.recording(property, message)
	if undrawn != nil {
		m.undrawn = undrawn
		return m, fmt.Sprintf("step %d of the tape", at), nil
	}
	again, err := search.Replay(recording.System, recording.Path, search.Options{})
	if err != nil {
		m.undrawn = err
		return m, fmt.Sprintf("step %d of the tape", at), nil
	}
	failure := again.Finding.Failure
	failure.Stack = stack
	m = made{finding: &search.Finding{Failure: failure, Trace: again.Finding.Trace, Path: recording.Path, Tape: tape}, system: recording.System}
	for _, h := range rec.all {
		if h.event.Kind != 0 {
			m.steps = append(m.steps, h.step)
		}
	}
	if step := m.step(at); step <= len(m.steps) {
		return m, fmt.Sprintf("step %d, %s", step, recording.Path.Steps[step-1].Event.What), nil
	}
	return m, "the end", nil
}

// property returns the name of the property that a run violates, with a message and a stack.
func property(f *worlds.Failure, end *quiet) (name, message, stack string) {
	message, stack, _ = strings.Cut(f.Message, "\n")
	message, stack = strings.TrimSpace(message), strings.TrimSpace(stack)
	switch {
	case f.Kind == "failed" && end.Violated != "":
		return end.Violated, end.Message, ""
	case f.Kind == "failed", f.Kind == "left":
		return nothingOf, message, stack
	case f.Kind == "panic":
		return noPanic, message, stack
	case f.Kind == "deadlock":
		return noDeadlock, message, stack
	}
	return goesOn, f.Kind + ": " + message, stack
}

func first(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimSpace(line)
}

// Taken repeats a recorded run: path, its tape, answers all questions again. It returns how the run ended this
// time, and a recording of it.
func Taken(sys *sim.System, path *choose.Path, by Taker) (*search.Replayed, *Recording, error) {
	s, err := setting.Parse(sys, path)
	if err != nil {
		return nil, nil, err
	}
	w := &worlds.Search{Test: by.Test, Of: s.Header(true), Build: by.Build}
	if err := w.Prepare(); err != nil {
		return nil, nil, err
	}
	again, err := w.Take(path)
	if err != nil {
		return nil, nil, err
	}
	if again.Failure == nil {
		rec, err := record(s, again.Log)
		if err != nil {
			return nil, nil, err
		}
		of, err := rec.recording("", "")
		return &search.Replayed{System: sys, Params: s.Params, Recorded: trace.VerdictSafety, Finding: &search.Finding{Path: path, Tape: path}}, of, err
	}
	m, _, err := finding(s, path, again.Failure, again.Log, 0)
	if err != nil {
		return nil, nil, err
	}
	if m.undrawn != nil {
		return nil, nil, m.undrawn
	}
	was, _ := path.Get("violates")
	return &search.Replayed{System: m.system, Params: s.Params, Recorded: trace.VerdictSafety, Finding: m.finding, Reproduced: m.finding.Property == was},
		&Recording{m.system, m.finding.Path}, nil
}
