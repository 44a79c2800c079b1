package world_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"macemc/choose"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

// logger is a node that writes a request to its log, answers it, and syncs. It reads the log when it starts.
type logger struct {
	Log     string
	patient bool `mc:"-"` // it goes on when the disk fails
}

func (l *logger) Init(env sim.Env)                       { l.Log = string(env.Store().File("log").ReadAll()) }
func (l *logger) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (l *logger) Handle(env sim.Env, _ sim.Signal) {
	env.Logf("a line, which is there while a trace is written, and is no effect that counts")
	log := env.Store().File("log")
	if err := log.Append([]byte("record")); err != nil && !l.patient {
		panic(err)
	}
	env.Set().Send(env.Peers()[0], "done")
	if err := log.Sync(); err != nil && !l.patient {
		panic(err)
	}
	l.Log = string(log.ReadAll())
}

// asked is a source that picks events and sides of coins from two lists, and keeps the texts of the
// questions.
type asked struct {
	events, coins []int
	about         []string
}

func (a *asked) Answer(q *choose.Question) (k int) {
	list := &a.events
	if q.Kind == choose.Coin {
		list = &a.coins
	}
	if len(*list) > 0 {
		k, *list = (*list)[0], (*list)[1:]
	}
	if q.Kind == choose.Coin {
		a.about = append(a.about, q.Alternatives.Why()+": "+q.Alternatives.Alternative(k))
	}
	return k
}

func (a *asked) Err() error { return choose.ErrEnd }

func loggers(t *testing.T) *world.World { return loggersWith(t, sim.Faults{Crash: 1}) }

func loggersWith(t *testing.T, faults sim.Faults, more ...func(*sim.System, *world.Config)) *world.World {
	t.Helper()
	sys := sound()
	sys.New = func(sim.Params, sim.Addr) sim.Node { return &logger{} }
	sys.Script = func(p sim.Params, self sim.Addr, life int) []sim.Signal {
		if self == p.Addr(0) && life == 0 {
			return []sim.Signal{ask{}}
		}
		return nil
	}
	config := world.Config{Trace: true, Conditions: sim.Conditions{Faults: &faults}}
	for _, change := range more {
		change(sys, &config)
	}
	w, err := world.New(sys, sim.Params{Nodes: 2}, config)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestCrashWithinAStep takes all outcomes of a step that writes, sends and syncs: a crash after each of these
// effects, with each state of the disk that it may leave.
func TestCrashWithinAStep(t *testing.T) {
	want := map[string]string{
		"[0]": `"record"; sent; up`,
		// After the append.
		"[1 0]": `"record"; crashed`,
		"[1 1]": `"rec"; crashed`,
		"[1 2]": `; crashed`,
		// After the send.
		"[2 0]": `"record"; sent; crashed`,
		"[2 1]": `"rec"; sent; crashed`,
		"[2 2]": `; sent; crashed`,
	}
	for _, coins := range [][]int{{0}, {1, 0}, {1, 1}, {1, 2}, {2, 0}, {2, 1}, {2, 2}} {
		w, src := loggers(t), &asked{coins: slices.Clone(coins)}
		if f := w.Protect(func() {
			w.Start(choose.NewFixed())
			w.Step(src)
		}); f != nil || w.Run.Err() != nil {
			t.Fatal(f, w.Run.Err())
		}
		var got []string
		file, up := "", "up"
		for _, l := range w.Text.Lines() {
			switch {
			case l.Path == "n0 file log":
				file = l.Value
			case l.Path == "n0 is":
				up = l.Value
			}
		}
		got = append(got, file)
		for _, l := range w.Text.OtherLines() {
			if strings.HasPrefix(l.Path, "set ") {
				got = append(got, "sent")
			}
		}
		got = append(got, up)
		if text := strings.Join(got, "; "); text != want[fmt.Sprint(coins)] {
			t.Errorf("answers %v lead to %s; want %s", coins, text, want[fmt.Sprint(coins)])
		}
		if fmt.Sprint(coins) == "[2 1]" {
			told := []string{
				`does n0 crash within the step: after effect 2, send "done" to n1 by set`,
				`what survives on the disk of n0: write 1 of 1 torn after 3 bytes (append "record" to log)`,
			}
			if !slices.Equal(src.about, told) {
				t.Errorf("asked was %q; want %q", src.about, told)
			}
			if got, want := w.Run.Trace().Steps[0].CrashedWithin(), `after effect 2, send "done" to n1 by set`; got != want {
				t.Errorf("the step says that the node crashed %q; want %q", got, want)
			}
			effects := w.Run.Trace().Steps[0].Effects
			if got, want := effects[3].Text(w.Walker().Text), `crash; of the disk survives: write 1 of 1 torn after 3 bytes (append "record" to log)`; len(effects) != 4 || got != want {
				t.Errorf("the trace tells %q; want %q", got, want)
			}
		}
	}
}

// TestStoreSurvives checks that a node reads synced data when it starts again.
func TestStoreSurvives(t *testing.T) {
	w := loggers(t)
	if f := w.Protect(func() {
		w.Start(choose.NewFixed())
		w.Step(&asked{})
		for _, kind := range []sim.Kind{sim.KindCrash, sim.KindRestart} {
			n := w.Events.Count()
			for k := range n {
				if e := w.Events.At(k); e.Kind == kind && e.Node == w.Params().Addr(0) {
					w.Step(&asked{events: []int{k}})
					break
				}
			}
		}
	}); f != nil || w.Run.Err() != nil {
		t.Fatal(f, w.Run.Err())
	}
	var lines []string
	for _, l := range w.Text.NodeLines(w.Params().Addr(0)) {
		lines = append(lines, l.Path+" = "+l.Value)
	}
	if got, want := strings.Join(lines, "; "), `n0.Log = "record"; n0 restarts = 1; n0 file log = "record"`; got != want {
		t.Errorf("after a restart the node is %s; want %s", got, want)
	}
}

func TestStoreIsUsedWrongly(t *testing.T) {
	for want, use := range map[string]func(sim.Env){
		`macemc: env.Store().File("a/b"): a file has a name without a slash; there are no folders`: func(env sim.Env) { env.Store().File("a/b") },
		`macemc: File.Truncate(3) of log: it has 0 bytes; Truncate only makes a file shorter`:      func(env sim.Env) { env.Store().File("log").Truncate(3) },
	} {
		if _, f := used(t, world.Config{}, nil, use); f == nil || f.Message != want {
			t.Errorf("found is %+v; want %s", f, want)
		}
	}
}

// TestStoreTexts checks that the effects of a store have the same text whether the step is traced or not, and
// that a handler cannot change data after it has written them.
func TestStoreTexts(t *testing.T) {
	write := func(env sim.Env) {
		data := []byte("abc")
		f := env.Store().File("log")
		env.Store().Put("k", "v")
		env.Store().Delete("k")
		_ = f.Append(data)
		data[0] = 'z'
		_ = f.WriteAt([]byte("x"), 1)
		f.Truncate(2)
		_, _ = env.Store().Sync(), f.Sync()
	}
	var texts [2]string
	for k, config := range []world.Config{{}, {Trace: true}} {
		w, f := used(t, config, nil, write)
		if f != nil {
			t.Fatal(f)
		}
		for _, e := range w.Run.Effects() {
			texts[k] += e.Text(w.Walker().Text) + "; "
		}
	}
	if want := `put k = "v"; delete k; append "abc" to log; write "x" at 1 of log; truncate log to 2 bytes; sync the keys; sync the file log; `; texts != [2]string{want, want} {
		t.Errorf("the effects are\n%q; want both\n%q", texts, want)
	}
}

// TestCrashWithinAStepIsLimited checks that no question about a crash within the step is asked if the budget
// is only for other nodes.
func TestCrashWithinAStepIsLimited(t *testing.T) {
	for faults, asks := range map[string]int{"crash=1@n0": 1, "crash=1@n1": 0, "down=1@n0": 1, "down=1@n1": 0, "crash=1@n0,down=1@n1": 1} {
		budgets, err := sim.ParseFaults(faults)
		if err != nil {
			t.Fatal(err)
		}
		w, src := loggersWith(t, budgets), &asked{coins: []int{1}}
		if f := w.Protect(func() {
			w.Start(choose.NewFixed())
			w.Step(src)
		}); f != nil || strings.Count(strings.Join(src.about, ";"), "within the step") != asks {
			t.Errorf("under %s, asked was %q; %+v", faults, src.about, f)
		}
	}
}

// scribe is a node that calls one function of a test for each of its requests.
type scribe struct {
	Openings int
	do       []func(sim.Env) `mc:"-"`
}

func (s *scribe) Init(sim.Env)                           {}
func (s *scribe) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (s *scribe) Handle(env sim.Env, _ sim.Signal) {
	s.Openings++
	s.do[s.Openings-1](env)
}

func scribes(t *testing.T, faults sim.Faults, openings ...func(sim.Env)) *world.World {
	return loggersWith(t, faults, func(sys *sim.System, _ *world.Config) {
		sys.New = func(sim.Params, sim.Addr) sim.Node { return &scribe{do: openings} }
		sys.Script = func(p sim.Params, self sim.Addr, life int) (all []sim.Signal) {
			for k := range openings {
				if self == p.Addr(0) && life == 0 {
					all = append(all, ask{k})
				}
			}
			return all
		}
	})
}

func record(env sim.Env) { _ = env.Store().File("log").Append([]byte("record")) }

// TestCrashBetweenSends checks that a node that has stored something may crash in the middle of a later step
// in which it stores nothing.
func TestCrashBetweenSends(t *testing.T) {
	w := scribes(t, sim.Faults{Crash: 1}, record, func(env sim.Env) {
		env.Set().Send(env.Peers()[0], "one")
		env.Set().Send(env.Peers()[0], "two")
	})
	src := &asked{coins: []int{1}}
	if f := w.Protect(func() {
		w.Start(choose.NewFixed())
		w.Step(src)
		w.Step(src)
	}); f != nil || w.Run.Err() != nil {
		t.Fatal(f, w.Run.Err())
	}
	if len(src.about) == 0 || src.about[0] != `does n0 crash within the step: after effect 1, send "one" to n1 by set` {
		t.Errorf("asked was %q", src.about)
	}
}

// TestNothingLeftIsAnAnswer checks that a step with a write depends on the budget of disk failures even when
// that budget is used up, and does not depend on it in a run without such a budget.
func TestNothingLeftIsAnAnswer(t *testing.T) {
	for _, c := range []struct {
		budget int
		coins  []int
		want   string
	}{{0, nil, "false 0 false 0"}, {1, []int{1}, "true 1 true 1"}, {1, []int{0, 0}, "true 1 true 2"}} {
		w, src := scribes(t, sim.Faults{Disk: c.budget}, record, record), &asked{coins: c.coins}
		got := ""
		if f := w.Protect(func() {
			w.Start(choose.NewFixed())
			for range 2 {
				w.Step(src)
				got += fmt.Sprint(" ", w.Run.Tossed(), " ", len(src.about))
			}
		}); f != nil || w.Run.Err() != nil {
			t.Fatal(f, w.Run.Err())
		}
		if got[1:] != c.want {
			t.Errorf("with disk=%d and the answers %v, coins were tossed, and so many: %s; want %s", c.budget, c.coins, got[1:], c.want)
		}
	}
}

// TestSyncedIsNeverLost takes every run of a node that logs two records, with a crash at every point, and
// compares the data that the node reads back with its writes and syncs.
func TestSyncedIsNeverLost(t *testing.T) {
	for _, c := range []struct {
		faults  sim.Faults
		reorder bool
		want    string // what is read back after a crash
	}{
		{faults: sim.Faults{Crash: 1}, want: `"" "rec" "record" "recordrec" "recordrecord"`},
		{faults: sim.Faults{Crash: 1}, reorder: true, want: `"" "rec" "record" "recordrec" "recordrecord"`},
		// An append may fail after three bytes, and what follows stands behind them; a
		// sync that fails leaves a hole before what is synced later, or half of it.
		{faults: sim.Faults{Crash: 1, Disk: 1}, want: `"" "r" "rec" "record" "recordr" "recordrec" "recordrecord" "recrec" "recrecord" ` +
			`"\x00\x00\x00\x00\x00\x00rec" "\x00\x00\x00\x00\x00\x00record" ` +
			`"\x8dec" "\x8decord" "\x8decordrec" "\x8decordrecord" "record\x8dec" "record\x8decord"`},
	} {
		w := loggersWith(t, c.faults, func(sys *sim.System, config *world.Config) {
			config.DiskReorder = c.reorder
			sys.Script = func(p sim.Params, self sim.Addr, life int) []sim.Signal {
				if self == p.Addr(0) && life == 0 {
					return []sim.Signal{ask{0}, ask{1}}
				}
				return nil
			}
			sys.New = func(sim.Params, sim.Addr) sim.Node { return &logger{patient: c.faults.Disk > 0} }
		})
		seen := map[string]bool{}
		for o, more := choose.NewOdometer(), true; more; more = o.Next() {
			if f := w.Protect(func() {
				w.Start(o)
				for range 4 {
					if w.Step(o) != world.Stepped {
						break
					}
				}
			}); f != nil || o.Err() != nil {
				t.Fatal(f, o.Err())
			}
			appended, synced, crashed := 0, 0, false
			for _, s := range w.Run.Trace().Steps {
				for _, e := range s.Effects {
					switch {
					case e.Kind == trace.EffectSync && !strings.Contains(e.Value.(string), "fails"):
						synced = appended
					case e.Kind == trace.EffectWrite && !strings.Contains(e.Value.(string), "fails"):
						appended++
					}
				}
				crashed = crashed || s.Fails()
			}
			file := logOf(w)
			if crashed {
				seen[fmt.Sprintf("%q", file)] = true
			}
			if c.faults.Disk == 0 && len(file) < synced*len("record") {
				t.Fatalf("%d records were synced, and %q is read back: %+v", synced, file, w.Run.Trace().Steps)
			}
		}
		var want, got []string
		for word := range strings.FieldsSeq(c.want) {
			want = append(want, word)
		}
		for text := range seen {
			got = append(got, text)
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("with %s, in any order %v, is read back %s; want %s", c.faults, c.reorder, got, want)
		}
	}
}

// logOf returns the contents of the log of the first node.
func logOf(w *world.World) (text string) {
	for _, l := range w.Text.Lines() {
		if l.Path == "n0 file log" {
			for record := range strings.FieldsSeq(l.Value) {
				one, err := strconv.Unquote(record)
				if err != nil {
					panic(err)
				}
				text += one
			}
		}
	}
	return text
}
