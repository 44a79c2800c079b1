package world_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"macemc/choose"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

// pair is a node of a system with two nodes, n0 and n1. The functions at run at n0's timers 1, 2, ...,
// and the function got runs at n1 for each message that it gets.
type pair struct {
	Kept  any
	Table map[string]int
	at    map[int]func(*pair, sim.Env)      `mc:"-"`
	got   func(*pair, sim.Env, sim.Message) `mc:"-"`
	start func(*pair)                       `mc:"-"`
}

type turn struct{ N int }

func (p *pair) Init(env sim.Env) {
	n1 := env.Self().String() == "n1"
	if p.start != nil {
		p.start(p)
	}
	for n := 1; !n1 && p.at[n] != nil; n++ {
		env.After(time.Second, turn{n})
	}
}
func (p *pair) Deliver(env sim.Env, _ sim.Addr, m sim.Message) { p.got(p, env, m) }
func (p *pair) Handle(env sim.Env, s sim.Signal) {
	if t, ok := s.(turn); ok {
		p.at[t.N](p, env)
		return
	}
	p.got(p, env, s)
}

// play takes the events of the list, in this order, in a system of two pairs.
func (p pair) play(t *testing.T, audit bool, events ...string) *trace.Failure {
	t.Helper()
	sys := sound()
	sys.New = func(sim.Params, sim.Addr) sim.Node { one := p; return &one }
	w, err := world.New(sys, sim.Params{Nodes: 2}, world.Config{Audit: audit})
	if err != nil {
		t.Fatal(err)
	}
	f := w.Protect(func() {
		w.Start(choose.NewFixed())
		for _, e := range events {
			w.Step(&chooser{identity: e, coins: choose.NewFixed()})
		}
	})
	if w.Run.Err() != nil {
		t.Fatal(w.Run.Err())
	}
	return f
}

// TestAudit checks that an audit reports a handler that changes anything but its own node, such as a message
// that it has sent, and reports nothing else.
func TestAudit(t *testing.T) {
	keep := func(p *pair, _ sim.Env, m sim.Message) { p.Kept = m }
	send := func(link string) func(*pair, sim.Env) {
		return func(p *pair, env sim.Env) {
			p.Kept = []int{1, 2}
			port(env, link).Send(env.Peers()[0], p.Kept)
		}
	}
	change := func(p *pair, _ sim.Env) { p.Kept.([]int)[0] = 7 }
	table := map[string]int{} // of both nodes of one case
	const sent = "changed after it was sent: []int[1, 2] became []int[7, 2]; messages are immutable once sent: copy before changing"
	for _, c := range []struct {
		name   string
		pair   pair
		events []string
		at     string // "" if nothing is to be found
		want   string
	}{
		{"sent by tcp", pair{at: map[int]func(*pair, sim.Env){1: send("tcp"), 2: change}, got: keep},
			[]string{"n0 timer turn{N: 1}", "n0 timer turn{N: 2}"}, "n0 timer turn{N: 2}",
			"a message under way from n0 to n1, sent at step 1, " + sent},
		{"sent by udp", pair{at: map[int]func(*pair, sim.Env){1: send("udp"), 2: change}, got: keep},
			[]string{"n0 timer turn{N: 1}", "n0 timer turn{N: 2}"}, "n0 timer turn{N: 2}",
			"a message under way from n0 to n1, sent at step 1, " + sent},
		{"sent by set", pair{at: map[int]func(*pair, sim.Env){1: send("set"), 2: change}, got: keep},
			[]string{"n0 timer turn{N: 1}", "n1 message []int[1, 2] from n0 by set", "n0 timer turn{N: 2}"}, "n0 timer turn{N: 2}",
			"a message under way from n0 to n1, sent at step 1, " + sent},
		{"shared by a message", pair{at: map[int]func(*pair, sim.Env){1: send("tcp"), 2: change}, got: keep},
			[]string{"n0 timer turn{N: 1}", "n1 message []int[1, 2] from n0 by tcp", "n0 timer turn{N: 2}"}, "n0 timer turn{N: 2}",
			"the state of n1 changed while n0 ran: Kept[0] was 1, is 7; the two share memory (a message that one of them kept, or a package variable), or a callback came meanwhile, as of time.AfterFunc (env.After)"},
		{"shared, of many fields", pair{
			start: func(p *pair) { p.Table = table },
			at: map[int]func(*pair, sim.Env){1: func(p *pair, _ sim.Env) {
				for _, k := range []string{"a", "b", "c", "d"} {
					p.Table[k] = 1
				}
			}},
		}, []string{"n0 timer turn{N: 1}"}, "n0 timer turn{N: 1}",
			`the state of n1 changed while n0 ran: Table was {}, is (absent); Table["a"] was (absent), is 1; Table["b"] was (absent), is 1; and 2 more; the two share memory (a message that one of them kept, or a package variable), or a callback came meanwhile, as of time.AfterFunc (env.After)`},
		{"sent and changed at once", pair{
			at: map[int]func(*pair, sim.Env){1: func(p *pair, env sim.Env) { send("bag")(p, env); change(p, env) }}, got: keep,
		}, []string{"n0 timer turn{N: 1}"}, "n0 timer turn{N: 1}",
			"the handler changed what it had handed over (send) before it returned: []int[1, 2] became []int[7, 2]; messages, tasks and facts are immutable from then on: copy before changing"},
		{"posted and changed at once", pair{at: map[int]func(*pair, sim.Env){
			1: func(p *pair, env sim.Env) {
				p.Kept = []int{1, 2}
				env.Post(p.Kept)
				change(p, env)
			}}, got: keep,
		}, []string{"n0 timer turn{N: 1}"}, "n0 timer turn{N: 1}",
			"the handler changed what it had handed over (post) before it returned: []int[1, 2] became []int[7, 2]; messages, tasks and facts are immutable from then on: copy before changing"},
		{"given a message", pair{
			at:  map[int]func(*pair, sim.Env){1: send("tcp")},
			got: func(_ *pair, _ sim.Env, m sim.Message) { m.([]int)[1] = 9 },
		}, []string{"n0 timer turn{N: 1}", "n1 message []int[1, 2] from n0 by tcp"}, "n1 message []int[1, 2] from n0 by tcp",
			"the handler changed what it was given: []int[1, 2] became []int[1, 9]; messages and signals are immutable: copy before changing"},
		{"given a signal", pair{
			at:  map[int]func(*pair, sim.Env){1: func(_ *pair, env sim.Env) { env.Post([]int{3}) }},
			got: func(_ *pair, _ sim.Env, m sim.Message) { m.([]int)[0]++ },
		}, []string{"n0 timer turn{N: 1}", "n0 task []int[3]"}, "n0 task []int[3]",
			"the handler changed what it was given: []int[3] became []int[4]; messages and signals are immutable: copy before changing"},
		{"nothing", pair{
			at: map[int]func(*pair, sim.Env){
				1: func(p *pair, env sim.Env) {
					p.Kept = []int{1, 2}
					env.TCP().Send(env.Peers()[0], []int{1, 2})
				},
				2: change,
			}, got: keep,
		}, []string{"n0 timer turn{N: 1}", "n0 timer turn{N: 2}", "n1 message []int[1, 2] from n0 by tcp"}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := c.pair.play(t, true, c.events...)
			switch {
			case c.at == "":
				if f != nil {
					t.Errorf("found is %+v", f)
				}
			case f == nil:
				t.Error("nothing was found")
			case f.Verdict != trace.VerdictMutation || f.Identity != c.at || f.Step != len(c.events) || f.Node.String() != c.at[:2]:
				t.Errorf("found is %+v, want a mutation at %s", f, c.at)
			case f.Message != c.want:
				t.Errorf("it says\n\t%s\nwant\n\t%s", f.Message, c.want)
			}
		})
	}
}

// TestGoroutine checks that a goroutine which a handler starts is reported with its stack, and that one which
// the caller started between two steps is not taken for the handler's.
func TestGoroutine(t *testing.T) {
	never := make(chan struct{})
	p := pair{at: map[int]func(*pair, sim.Env){1: func(*pair, sim.Env) {
		go func() { <-never }()
	}}}
	f := p.play(t, false, "n0 timer turn{N: 1}")
	if f == nil || f.Verdict != trace.VerdictGoroutine || f.Identity != "n0 timer turn{N: 1}" ||
		f.Message != "the handler started a goroutine: what it does is not part of any step; use env.Post or a timer" {
		t.Fatalf("found is %+v", f)
	}
	if !strings.Contains(f.Stack, "created by macemc/internal/world_test.TestGoroutine.func") {
		t.Errorf("the stack does not say who started it:\n%s", f.Stack)
	}

	w, err := world.New(parsePlay("n0: log one\nn0: log two"), sim.Params{Nodes: 1}, world.Config{})
	if err != nil {
		t.Fatal(err)
	}
	f = w.Protect(func() {
		w.Start(choose.NewFixed())
		for range 2 {
			go func() { <-never }()
			w.Step(choose.NewFixed())
		}
	})
	if f != nil || w.Run.Steps() != 2 {
		t.Errorf("found is %+v after %d steps", f, w.Run.Steps())
	}
}

// TestGoroutineOfTheHandler checks that the finding shows the handler's goroutine if both the handler and
// the test have started one.
func TestGoroutineOfTheHandler(t *testing.T) {
	never := make(chan struct{})
	start := func(env sim.Env) {
		if env.Self().String() == "n1" {
			go func() { <-never }()
		}
	}
	w, f := used(t, world.Config{}, nil, start)
	if f != nil {
		t.Fatalf("found is %+v", f)
	}
	f = w.Protect(func() {
		w.Start(choose.NewFixed())
		go func() { <-never }()
		w.Step(&chooser{identity: "n1 timer now{}", coins: choose.NewFixed()})
	})
	if f == nil || f.Verdict != trace.VerdictGoroutine || !strings.Contains(f.Stack, "TestGoroutineOfTheHandler.func1.1") {
		t.Errorf("found is %+v", f)
	}
}

// TestDivergence checks that a handler that calls Env for ever is stopped, even if it recovers from panics.
func TestDivergence(t *testing.T) {
	for _, loop := range []func(*pair, sim.Env){
		func(_ *pair, env sim.Env) {
			for {
				env.Self()
			}
		},
		func(_ *pair, env sim.Env) {
			defer func() { _ = recover() }()
			for {
				env.Self()
			}
		},
	} {
		p := pair{at: map[int]func(*pair, sim.Env){1: loop}}
		f := p.play(t, false, "n0 timer turn{N: 1}")
		if f == nil || f.Verdict != trace.VerdictDivergence ||
			f.Message != "the handler called Env 100000 times in one step (the last: Self): it loops for ever" {
			t.Errorf("found is %+v", f)
		}
	}
}

// TestServiceStack checks that the stack of a finding has only the frames between the panic and the call of
// the handler.
func TestServiceStack(t *testing.T) {
	p := pair{at: map[int]func(*pair, sim.Env){1: func(p *pair, _ sim.Env) { deep(p) }}}
	f := p.play(t, false, "n0 timer turn{N: 1}")
	if f == nil || f.Verdict != trace.VerdictPanic {
		t.Fatalf("found is %+v", f)
	}
	if f.Message != "assignment to entry in nil map" {
		t.Errorf("it says %s", f.Message)
	}
	var frames []string
	for line := range strings.Lines(f.Stack) {
		if !strings.HasPrefix(line, "\t") {
			frames = append(frames, strings.TrimSpace(line))
		} else if !strings.Contains(line, "findings_test.go:") || strings.Contains(line, "+0x") {
			t.Errorf("a frame is at %q", line)
		}
	}
	want := []string{"macemc/internal/world_test.deep", "macemc/internal/world_test.TestServiceStack.func1", "macemc/internal/world_test.(*pair).Handle"}
	if !slices.Equal(frames, want) {
		t.Errorf("the frames are %q, want %q", frames, want)
	}
}

//go:noinline
func deep(p *pair) { p.Table["a"] = 1 }

// TestOurPanics checks that a panic whose text begins with "macemc bug" is passed on, and is not a finding.
func TestOurPanics(t *testing.T) {
	p := pair{at: map[int]func(*pair, sim.Env){1: func(*pair, sim.Env) { panic("macemc bug: a test of it") }}}
	panics(t, "macemc bug: a test of it", func() { p.play(t, false, "n0 timer turn{N: 1}") })
}

// TestLongPanic checks that a very long text of a panic is cut, and that the message says so.
func TestLongPanic(t *testing.T) {
	sys := sound()
	sys.New = func(sim.Params, sim.Addr) sim.Node { panic(strings.Repeat("ä", 25<<20)) }
	err := sys.Validate(sim.Params{Nodes: 1})
	if err == nil || len(err.Error()) > 5000 || !strings.Contains(err.Error(), "ä... (cut here; the whole text has 52428800 bytes)") {
		t.Errorf("the error is %.200v", err)
	}
	p := pair{at: map[int]func(*pair, sim.Env){1: func(*pair, sim.Env) { panic(strings.Repeat("a", 50<<20)) }}}
	f := p.play(t, false, "n0 timer turn{N: 1}")
	if f == nil || f.Message != strings.Repeat("a", 4096)+"... (cut here; the whole text has 52428800 bytes)" {
		t.Errorf("found is %.200v", f)
	}
}

// TestNilNode checks that a nil node is reported if New returns it in a run that Validate did not precede.
func TestNilNode(t *testing.T) {
	sys := sound()
	sys.New = func(sim.Params, sim.Addr) sim.Node { return nil }
	w, err := world.New(sys, sim.Params{}, world.Config{})
	if err != nil {
		t.Fatal(err)
	}
	f := w.Protect(func() { w.Start(choose.NewFixed()) })
	if f == nil || f.Message != "macemc: system sound: New made a nil node at n0" {
		t.Errorf("found is %+v", f)
	}
}

// TestNegativeWeight checks that a negative result of System.Weight is reported.
func TestNegativeWeight(t *testing.T) {
	sys := parsePlay("n0: log one\nweight script -1")
	w, err := world.New(sys, sim.Params{Nodes: 1}, world.Config{})
	if err != nil {
		t.Fatal(err)
	}
	f := w.Protect(func() {
		w.Start(choose.NewFixed())
		w.Step(choose.NewFixed())
	})
	if f == nil || f.Message != `macemc: system puppets: Weight of n0 script opening("log one") is -1; a weight is 0 or more, and finite` {
		t.Errorf("found is %+v", f)
	}
}

// shelf is a node that can be copied.
type shelf struct{ Kept any }

func (*shelf) Init(env sim.Env)                       { env.After(time.Second, turn{1}) }
func (*shelf) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (*shelf) Handle(sim.Env, sim.Signal)             {}

// TestAuditOfSeveralProperties checks that the audit names the property that changes a node, even if another property
// then does not hold, panics or gives two answers, and whether a step, healing or nothing follows.
func TestAuditOfSeveralProperties(t *testing.T) {
	type view = sim.View[*shelf]
	changed := func(v view) bool { n0, _ := v.At(v.Params().Addr(0)); return n0.Kept != nil }
	holds := func(view) bool { return true }
	for name, other := range map[string]func(view) bool{
		"holds":          holds,
		"does not hold":  func(v view) bool { return !changed(v) },
		"panics":         func(v view) bool { return !changed(v) || []bool{}[v.Len()] },
		"differs, twice": func() func(view) bool { n := 0; return func(v view) bool { n++; return n%2 == 0 || !changed(v) } }(),
	} {
		for _, next := range []string{"", "step", "heal"} {
			sys := sound()
			sys.New = func(sim.Params, sim.Addr) sim.Node { return &shelf{} }
			sys.Properties = []sim.Property{
				sim.Always("first", holds),
				sim.Always("writes", func(v view) bool { n0, _ := v.At(v.Params().Addr(0)); n0.Kept = 1; return true }),
				sim.Always("other", other),
			}
			w, err := world.New(sys, sim.Params{Nodes: 2}, world.Config{Audit: true})
			if err != nil {
				t.Fatal(err)
			}
			f := w.Protect(func() {
				w.Start(choose.NewFixed())
				w.Judge.Check()
				switch next {
				case "step":
					w.Step(&chooser{identity: "n0 timer turn{N: 1}", coins: choose.NewFixed()})
				case "heal":
					w.Heal(choose.NewFixed())
				}
			})
			const want = `property "writes" changed the state of n0: Kept was nil, is 1; it must only look`
			if f == nil || f.Verdict != trace.VerdictMutation || f.Property != "writes" || f.Step != 0 || !strings.HasPrefix(f.Message, want) || w.Run.Failed() != f {
				t.Errorf("%s, then %q: found is %+v", name, next, f)
			}
		}
	}
}
