package world_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"macemc/choose"
	"macemc/internal/world"
	"macemc/macetime"
	"macemc/sim"
	"macemc/trace"
)

// keeper is a node that calls use once for each request; the test defines use, which works with times.
type keeper struct {
	Times [3]macetime.Time
	Any   any
	Read  macetime.Monotone
	use   func(*keeper, sim.Env) `mc:"-"`
}

func (k *keeper) Init(sim.Env)                           {}
func (k *keeper) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (k *keeper) Handle(env sim.Env, _ sim.Signal)       { k.use(k, env) }

type ask struct{ N int }

// keepers makes a world of two nodes. The first calls use for each of its requests.
func keepers(t *testing.T, openings int, config world.Config, use func(*keeper, sim.Env)) *world.World {
	t.Helper()
	sys := sound()
	sys.New = func(sim.Params, sim.Addr) sim.Node { return &keeper{use: use} }
	sys.Script = func(p sim.Params, self sim.Addr, _ int) (all []sim.Signal) {
		for n := range openings {
			if self == p.Addr(0) {
				all = append(all, ask{n})
			}
		}
		return all
	}
	if err := sys.Validate(sim.Params{Nodes: 2}); err != nil {
		t.Fatal(err)
	}
	w, err := world.New(sys, sim.Params{Nodes: 2}, config)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestStateShowsWhatIsKnownOfTimes checks that the lines of a state show everything about a clock that
// the hash includes, with the names that the times have in the node's fields.
func TestStateShowsWhatIsKnownOfTimes(t *testing.T) {
	step := 0
	w := keepers(t, 3, world.Config{Trace: true}, func(k *keeper, env sim.Env) {
		switch step++; step {
		case 1:
			k.Times[0] = env.Now()
			k.Any, k.Read = k.Times[0].Add(5*time.Second), env.Monotone()
			env.Monotone()
		case 2:
			now := env.Now()
			k.Times[1] = now
			env.Before(now, k.Any.(macetime.Time)) // asked: yes
			env.Before(now, k.Any.(macetime.Time)) // and never again
			env.Before(k.Times[2], now)            // the zero time is before all
		case 3:
			k.Times[0], k.Any, k.Read = macetime.Time{}, nil, env.Monotone()
		}
	})
	want := []string{
		`n0.Times[0] = last; n0.Any = last+5s; n0.Read = r1`,
		`n0.Times[0] = t1; n0.Times[1] = last; n0.Any = t1+5s; n0.Read = r1; n0 clock = last-5s < t1 <= last`,
		`n0.Times[1] = last; n0.Read = r1`,
	}
	var sums []any
	if f := w.Protect(func() {
		w.Start(choose.NewFixed())
		for _, want := range want {
			w.Retake(0, []int{1})
			var got []string
			for _, l := range w.Text.NodeLines(w.Params().Addr(0)) {
				if l.Value != "none" && l.Value != "nil" && l.Value != "r0" && !strings.HasSuffix(l.Path, "script") {
					got = append(got, l.Path+" = "+l.Value)
				}
			}
			if text := strings.Join(got, "; "); text != want {
				t.Errorf("the state is\n%s\nwant\n%s", text, want)
			}
			sums = append(sums, w.State.Hash())
		}
	}); f != nil || w.Run.Err() != nil {
		t.Fatal(f, w.Run.Err())
	}
	if sums[0] == sums[1] || sums[1] == sums[2] {
		t.Error("states that know different things of their times have one identity")
	}
	s := w.Run.Trace().Steps[1]
	if got, want := fmt.Sprint(s.Coins[0].What, s.Facts), "t1 before last+5s: yes[{whether t1 before last+5s true} {whether none before t1 true}]"; got != want {
		t.Errorf("step 2 tells %s; want %s", got, want)
	}
}

// TestTimesStayWithTheirNode checks that passing a time to another node, or to an effect such as a timer, is
// reported as a mistake of the service, in one sentence.
func TestTimesStayWithTheirNode(t *testing.T) {
	for _, c := range []struct {
		name string
		use  func(*keeper, sim.Env)
		want string
	}{
		{"message", func(k *keeper, env sim.Env) { env.TCP().Send(env.Peers()[0], []macetime.Time{env.Now()}) },
			"macemc: n0 puts a time into a message, []Time[last]; times are a node's own: send a duration, or keep the time in the node"},
		{"timer", func(k *keeper, env sim.Env) { env.After(time.Second, env.Monotone()) },
			"macemc: n0 puts a time into a timer, r1; times are"},
		{"task", func(k *keeper, env sim.Env) { env.Post(env.Now()) }, "macemc: n0 puts a time into a task, "},
		{"fact", func(k *keeper, env sim.Env) { env.Emit(env.Now()) }, "macemc: n0 puts a time into a fact, "},
		{"text in a message", func(k *keeper, env sim.Env) { env.TCP().Send(env.Peers()[0], fmt.Sprint("at ", env.Now())) },
			"macemc: n0 writes the time last as text into a message, \"at last\"; a search does not try both answers to a comparison of texts: send a duration, or keep the macetime.Time in the node, and write times as text only with Logf"},
		{"number in a message", func(k *keeper, env sim.Env) {
			env.TCP().Send(env.Peers()[0], []byte(fmt.Sprintf("%d", env.Now().Add(5*time.Second))))
		},
			"macemc: n0 writes the time last+5s as text into a message, "},
		{"text in a task", func(k *keeper, env sim.Env) { env.Post(env.Monotone().String()) }, "macemc: n0 writes the time r1 as text into a task, "},
		{"text in the store", func(k *keeper, env sim.Env) { env.Store().Put("since", env.Now().String()) }, "macemc: n0 writes the time last as text into the store, since last; "},
		{"text as a key of the store", func(k *keeper, env sim.Env) { env.Store().Put(env.Now().String(), "") }, "macemc: n0 writes the time last as text into the store, last ; "},
		{"text in a file", func(k *keeper, env sim.Env) { env.Store().File("log").Append(fmt.Append(nil, env.Now())) }, "macemc: n0 writes the time last as text into the store, log last; "},
		{"text in the node", func(k *keeper, env sim.Env) { k.Any = map[string]int{fmt.Sprint(env.Now()): 1} }, "macemc: n0 keeps the time last as text, in "},
		{"key", func(k *keeper, env sim.Env) { k.Any = map[any]int{env.Now(): 1} },
			"macemc: n0 cannot keep times where it does: a key of a map holds one; key the map by something else"},
		{"weights", func(k *keeper, env sim.Env) { env.BeforeWeighted(env.Now(), env.Now(), 0, 0) },
			"macemc: env.BeforeWeighted(last, t1, 0, 0): a weight is 0 or more, and at least one is more than 0"},
		{"negative", func(k *keeper, env sim.Env) { env.Now().Add(-time.Second) },
			"macemc: Time.Add(-1s): a duration that is added is 0 or more; use Sub to go back"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := keepers(t, 1, world.Config{}, c.use)
			f := w.Protect(func() {
				w.Start(choose.NewFixed())
				w.Step(choose.NewFixed())
			})
			if f == nil || f.Verdict != trace.VerdictPanic || !strings.HasPrefix(f.Message, c.want) {
				t.Errorf("found is %+v; want %s", f, c.want)
			}
		})
	}
}

// TestTimesAsTextForPeople checks that a time may be written into a text for people, and that other texts
// that look like one are not taken for a time.
func TestTimesAsTextForPeople(t *testing.T) {
	w := keepers(t, 1, world.Config{Trace: true}, func(k *keeper, env sim.Env) {
		now := env.Now()
		env.Logf("it is %v", now)
		_ = fmt.Sprint(now)
		k.Any = "t1"
		env.TCP().Send(env.Peers()[0], "at t1+5s")
		env.Store().Put("since", "t1")
	})
	if f := w.Protect(func() {
		w.Start(choose.NewFixed())
		w.Step(choose.NewFixed())
	}); f != nil || w.Run.Err() != nil {
		t.Fatal(f, w.Run.Err())
	}
	if got, want := fmt.Sprint(w.Run.Trace().Steps[0].Effects), "it is last"; !strings.Contains(got, want) {
		t.Errorf("%s does not log %q", got, want)
	}
}

// TestTimesOfAnotherNode checks that a node is reported if it uses another node's time, which it got through
// shared memory.
func TestTimesOfAnotherNode(t *testing.T) {
	var shared macetime.Time
	sys := sound()
	sys.New = func(sim.Params, sim.Addr) sim.Node {
		return &keeper{use: func(k *keeper, env sim.Env) {
			if env.Self().Index() == 0 {
				shared = env.Now()
				k.Times[0] = shared
			} else {
				env.Before(shared, env.Now())
			}
		}}
	}
	sys.Script = func(sim.Params, sim.Addr, int) []sim.Signal { return []sim.Signal{ask{}} }
	w, err := world.New(sys, sim.Params{Nodes: 2}, world.Config{})
	if err != nil {
		t.Fatal(err)
	}
	f := w.Protect(func() {
		w.Start(choose.NewFixed())
		w.Step(choose.NewFixed())
		w.Step(choose.NewFixed())
	})
	const want = "macemc: env.Before of n1: last is a time of node 0 of the system; a time means nothing on another node: send a duration"
	if f == nil || f.Message != want {
		t.Errorf("found is %+v; want %s", f, want)
	}
}

// TestWhatIsKnownIsPartOfTheState checks that two states which differ only in the answer to one comparison
// of times are different, and that a comparison whose result follows from earlier answers is not asked.
func TestWhatIsKnownIsPartOfTheState(t *testing.T) {
	end := func(answer int) string {
		w := keepers(t, 1, world.Config{}, func(k *keeper, env sim.Env) {
			k.Times = [3]macetime.Time{env.Now(), env.Now(), env.Now()}
			env.Before(k.Times[0].Add(time.Second), k.Times[2])
			env.Before(k.Times[2], k.Times[1])
		})
		if f := w.Protect(func() {
			w.Start(choose.NewFixed())
			w.Retake(0, []int{answer})
		}); f != nil || w.Run.Err() != nil {
			t.Fatal(f, w.Run.Err())
		}
		return fmt.Sprint(w.State.Hash())
	}
	if no, yes := end(0), end(1); no == yes || no != end(0) {
		t.Errorf("the states after no and yes are %s and %s, and %s again", no, yes, end(0))
	}
}

// TestBeforeWeighted checks that BeforeWeighted asks with the given weights if both answers are possible,
// and returns the answer without asking if it follows from earlier ones.
func TestBeforeWeighted(t *testing.T) {
	for _, answer := range []int{0, 1} {
		var got []bool
		w := keepers(t, 1, world.Config{Trace: true}, func(k *keeper, env sim.Env) {
			k.Times = [3]macetime.Time{env.Now(), env.Now()}
			later := k.Times[0].Add(time.Second)
			got = append(got, env.BeforeWeighted(k.Times[1], later, 3, 2), env.BeforeWeighted(k.Times[1], later, 1, 1), env.BeforeWeighted(later, k.Times[0], 1, 0))
		})
		if f := w.Protect(func() {
			w.Start(choose.NewFixed())
			w.Retake(0, []int{answer})
		}); f != nil || w.Run.Err() != nil {
			t.Fatal(f, w.Run.Err())
		}
		is := answer == 1
		if coins := w.Run.Trace().Steps[0].Coins; fmt.Sprint(got) != fmt.Sprint([]bool{is, is, false}) || len(coins) != 1 {
			t.Errorf("answered %d, it says %v, by %d coins", answer, got, len(coins))
		}
	}
}
