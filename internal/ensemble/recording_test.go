package ensemble

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/happens"
	"macemc/internal/search"
	"macemc/internal/setting"
	"macemc/internal/worlds"
	"macemc/program"
	"macemc/sim"
)

// two returns a system of two programs.
func two() *sim.System {
	return &sim.System{
		Name: "two", Doc: "Two programs.",
		Programs:  &sim.Programs{New: func(sim.Params, sim.Addr) program.Program { return nil }},
		Tolerates: sim.Faults{Crash: 2, Partition: 1},
		Properties: []sim.Property{
			sim.Always("it is well", func(sim.View[int]) bool { return true }),
		},
	}
}

func settingOf(t *testing.T) setting.Setting {
	t.Helper()
	sys := two()
	p, err := sys.Resolve(sim.Params{Nodes: 2})
	if err != nil {
		t.Fatal(err)
	}
	return setting.Setting{Sys: sys, Params: p}
}

// logged returns the log of a run. In it n0 sends to n1, crashes and restarts, a partition begins and ends, and
// finally the state of n1 violates the property.
func logged(t *testing.T) (log []json.RawMessage) {
	t.Helper()
	say := func(e entry) {
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		log = append(log, text)
	}
	at := time.Duration(0)
	event := func(e program.Event) { e.At = at; say(entry{Event: &e}) }
	state := func(host, text string) {
		say(entry{Quiet: &quiet{At: at, States: map[string][]canon.Line{host: {{Path: "N", Value: text}}}}})
	}
	event(program.Event{Kind: happens.Start, Host: "n0"})
	event(program.Event{Kind: happens.Start, Host: "n1"})
	event(program.Event{Kind: happens.Send, Host: "n0", Peer: "n1", Link: "tcp", Number: 1, Text: "one"})
	event(program.Event{Kind: happens.Send, Host: "n0", Peer: "elsewhere", Link: "tcp", Number: 2, Text: "no node"})
	state("n0", "1")
	at = 5 * time.Millisecond
	event(program.Event{Kind: happens.Send, Host: "n0", Peer: "n1", Link: "udp", Number: 3, Text: "two"})
	at = 6 * time.Millisecond
	event(program.Event{Kind: happens.Arrive, Host: "n1", Peer: "n0", Link: "udp", Number: 3, Text: "two"})
	event(program.Event{Kind: happens.Log, Host: "n1", Text: "got it"})
	state("n1", "2")
	at = 7 * time.Millisecond
	event(program.Event{Kind: happens.Crash, Host: "n0"})
	event(program.Event{Kind: happens.Partition, Text: "n1"})
	event(program.Event{Kind: happens.Heal})
	event(program.Event{Kind: happens.Clock, Host: "n1", Text: "it jumps"})
	event(program.Event{Kind: happens.Start, Host: "n0"})
	event(program.Event{Kind: happens.Arrive, Host: "n0", Link: "script", Text: "begin"})
	at = 9 * time.Millisecond
	event(program.Event{Kind: happens.Arrive, Host: "n1", Peer: "n0", Link: "tcp", Number: 1, Text: "one"})
	say(entry{Quiet: &quiet{At: at, States: map[string][]canon.Line{"n1": {{Path: "N", Value: "3"}}}}})
	say(entry{Quiet: &quiet{At: at, Violated: "it is well", Message: "it is not"}})
	return log
}

// A recording takes the steps of the log, and violates the property that the run violated.
func TestRecording(t *testing.T) {
	s := settingOf(t)
	r, err := record(s, logged(t))
	if err != nil {
		t.Fatal(err)
	}
	of, err := r.recording("it is well", "it is not")
	if err != nil {
		t.Fatal(err)
	}
	var steps []string
	for _, s := range of.Path.Steps {
		steps = append(steps, s.Event.What)
	}
	want := []string{
		`n0 action wakes{At: "5ms"}`,
		`n1 message udp{Number: 3, What: "two"} from n0 by bag`,
		`n0 crash`,
		`partition n0 | n1`,
		`mend`,
		`n1 action clock{How: "it jumps"}`,
		`n0 restart`,
		`n0 action asked{What: "begin"}`,
		`n1 message tcp{Number: 1, What: "one"} from n0 by bag`,
	}
	if got := strings.Join(steps, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("the steps are\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	again, err := search.Replay(of.System, of.Path, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if f := again.Finding; !again.Reproduced || f.Message != "it is not" || f.Step != len(want) {
		t.Errorf("the recording ends with %+v", f.Failure)
	}
	if e := again.Finding.Trace.Steps[1].Effects; len(e) != 1 || e[0].Value != "got it" {
		t.Errorf("the second step has the effects %v", e)
	}
}

// If a run ends with a crash, its last step, judged, is at another node.
func TestJudged(t *testing.T) {
	s := settingOf(t)
	log := logged(t)
	text, _ := json.Marshal(entry{Event: &program.Event{At: 10 * time.Millisecond, Kind: happens.Crash, Host: "n1"}})
	r, err := record(s, append(log[:len(log)-1], text))
	if err != nil {
		t.Fatal(err)
	}
	of, err := r.recording(noDeadlock, "all wait")
	if err != nil {
		t.Fatal(err)
	}
	if last := of.Path.Steps[len(of.Path.Steps)-1].Event.What; last != `n0 action judged{At: "10ms"}` {
		t.Errorf("the last step is %s", last)
	}
}

// Each kind of failure violates a property of its own, and has a stack if the failure has one.
func TestProperty(t *testing.T) {
	for _, c := range []struct {
		f                    worlds.Failure
		end                  quiet
		name, message, stack string
	}{
		{worlds.Failure{Kind: "failed", Message: "property \"x\" is violated: y"}, quiet{Violated: "x", Message: "y"}, "x", "y", ""},
		{worlds.Failure{Kind: "failed", Message: "n0 has stopped\nstack"}, quiet{}, nothingOf, "n0 has stopped", "stack"},
		{worlds.Failure{Kind: "panic", Message: "panic: no\n\nat"}, quiet{}, noPanic, "panic: no", "at"},
		{worlds.Failure{Kind: "deadlock", Message: "all\nat"}, quiet{}, noDeadlock, "all", "at"},
		{worlds.Failure{Kind: "exit", Message: "status 3"}, quiet{}, goesOn, "exit: status 3", ""},
	} {
		name, message, stack := property(&c.f, &c.end)
		if name != c.name || message != c.message || stack != c.stack {
			t.Errorf("%v is %q, %q, %q", c.f, name, message, stack)
		}
	}
}

// Properties, faults and options that programs do not have are refused by name.
func TestRefused(t *testing.T) {
	s := settingOf(t)
	steps := *s.Sys
	steps.Properties = []sim.Property{sim.Steps("grows", func(_, _ sim.View[int]) bool { return true })}
	for _, c := range []struct {
		s    setting.Setting
		says string
	}{
		{setting.Setting{Sys: &steps, Params: s.Params}, `property "grows" was made by Steps`},
		{setting.Setting{Sys: s.Sys, Params: s.Params, Conditions: sim.Conditions{Faults: &sim.Faults{Pause: 1}}}, "a fault of pause=1 is not possible"},
		{setting.Setting{Sys: s.Sys, Params: s.Params, Conditions: sim.Conditions{Byzantine: "lies=1@n0"}}, "no Byzantine nodes"},
	} {
		if err := unfit(c.s); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v; want %q", err, c.says)
		}
	}
	if err := unfit(s); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		o    search.Options
		says string
	}{
		{search.Options{Walking: search.WalkChain}, "Options.Walking is chain; for them it is one of auto, weighted, uniform, swarm"},
		{search.Options{Engine: search.EngineReference, Prefix: new(choose.Path)}, "leave Options.Prefix and Options.Walking out"},
		{search.Options{Engine: search.EngineReference, Depth: 2, Walking: search.WalkAuto}, ""},
		{search.Options{Walking: search.WalkSwarm, Prefix: new(choose.Path)}, ""},
	} {
		if err := refuse(s.Sys, c.o); (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v; want %q", err, c.says)
		}
	}
	if err := refuse(s.Sys, search.Options{Depth: 3}); err == nil || !strings.Contains(err.Error(), "Options.Depth is not for it") {
		t.Error(err)
	}
}

// A report names a draw by the step of the recording. It leaves out a draw that chose a fault,
// since the fault is a step itself.
func TestDrawsAreNamedByStepsOfTheRecording(t *testing.T) {
	m := made{steps: []uint32{1, 1, 4, 9}}
	draws := []string{
		"step 1 yield 0: 1 of 2", "step 3 select 1: 1 of 2", "step 9 host 0: 1 of 2", "step 12 yield 5: 1 of 2",
		"step 9 choice 20: 2 of 10, in macemc/internal/ensemble.(*director).strikes",
	}
	want := []string{"step 1 yield 0: 1 of 2", "step 3 select 1: 1 of 2", "step 4 host 0: 1 of 2", "step 5 yield 5: 1 of 2"}
	if got := m.inRun(draws); !slices.Equal(got, want) {
		t.Errorf("the draws are %q, want %q", got, want)
	}
	if got := (made{}).inRun(draws[1:2]); !slices.Equal(got, draws[1:2]) {
		t.Errorf("without a recording the draws are %q, want those of the tape", got)
	}
}
