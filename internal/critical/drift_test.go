package critical_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"macemc/choose"
	"macemc/internal/critical"
	"macemc/internal/search"
	"macemc/internal/world"
	"macemc/sim"
)

// looker asks another node again and again. The answer is wrong if the question was asked after
// the other node's report had come.
type looker struct {
	Other sim.Addr // the other node
	Told  bool
	Wrong bool
	Posts bool // it posts a task for each message that it sends, and numbers its questions
	Asked int
}

type (
	look   struct{}
	report struct{}
	told   struct{}
	asked  struct {
		After  bool
		Number int
	}
	answer asked
	ask    struct{}
	reply  asked
)

func (l *looker) Init(sim.Env) {}

func (l *looker) Handle(env sim.Env, s sim.Signal) {
	switch s := s.(type) {
	case look:
		if l.Posts {
			env.Post(ask{})
			return
		}
		env.UDP().Send(l.Other, asked{After: l.Told})
	case ask:
		l.Asked++
		env.UDP().Send(l.Other, asked{After: l.Told, Number: l.Asked})
	case reply:
		env.UDP().Send(l.Other, answer(s))
	case report:
		env.UDP().Send(l.Other, told{})
	}
}

func (l *looker) Deliver(env sim.Env, from sim.Addr, m sim.Message) {
	switch m := m.(type) {
	case told:
		l.Told = true
	case asked:
		if l.Posts {
			env.Post(reply(m))
			return
		}
		env.UDP().Send(from, answer(m))
	case answer:
		l.Wrong = m.After
		env.After(time.Second, look{})
	}
}

func lookers(posts bool) *sim.System {
	return &sim.System{
		Name: "lookers", Doc: "A node asks, and the other one reports.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
		New: func(p sim.Params, self sim.Addr) sim.Node {
			return &looker{Other: p.Addr(1 - self.Index()), Posts: posts}
		},
		Script: func(p sim.Params, self sim.Addr, _ int) []sim.Signal {
			if self == p.Addr(0) {
				return []sim.Signal{look{}}
			}
			return []sim.Signal{report{}}
		},
		Weight: func(e sim.Event) float64 { // no walk meets the failure by chance
			switch e.Value.(type) {
			case report, told:
				return 1e-9
			default:
				return 1
			}
		},
		Properties: []sim.Property{sim.Always("nothing is wrong", func(v sim.View[*looker]) bool {
			for _, l := range v.Nodes() {
				if l.Wrong {
					return false
				}
			}
			return true
		})},
	}
}

// TestShrinkMovesSteps: a request that came too early was repeated. Shrinking moves it behind the report that it
// needs, so that the repetition can be removed; before that, no step can. With tasks, the request moves together
// with all steps that it causes, since none of them can move alone.
func TestShrinkMovesSteps(t *testing.T) {
	early := []string{"n1 message asked{After: false, Number: 0} from n0 by udp", "n0 message answer{After: false, Number: 0} from n1 by udp"}
	late := []string{"n1 message asked{After: true, Number: 0} from n0 by udp", "n0 message answer{After: true, Number: 0} from n1 by udp"}
	told := []string{"n1 script report{}", "n0 message told{} from n1 by udp"}
	moves(t, lookers(false), 5, slices.Concat([]string{"n0 script look{}"}, early, told, []string{"n0 timer look{}"}, late))

	round := func(begin string, told bool, number int) []string {
		says := fmt.Sprintf("{After: %v, Number: %d}", told, number)
		return []string{begin, "n0 task ask{}", "n1 message asked" + says + " from n0 by udp", "n1 task reply" + says, "n0 message answer" + says + " from n1 by udp"}
	}
	moves(t, lookers(true), 7, slices.Concat(
		round("n0 script look{}", false, 1), round("n0 timer look{}", false, 2), round("n0 timer look{}", false, 3), told, round("n0 timer look{}", true, 4)))
}

// moves shrinks the run of the given steps. It checks that want steps remain, and that they fail in the same way. It returns
// the effort.
func moves(t *testing.T, sys *sim.System, want int, run []string) (effort int) {
	t.Helper()
	w, err := world.New(sys, sim.Params{}, world.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var steps []choose.Step
	for _, what := range run {
		steps = append(steps, choose.Step{Event: choose.Choice{Kind: choose.Event, What: what}})
	}
	record := choose.NewRecord(choose.NewFollow(nil, steps))
	w.Protect(func() {
		for w.Start(record); w.Judge.Check() == nil && w.Step(record) == world.Stepped; {
		}
	})
	failure, path := w.Run.Failed(), record.Path()
	if failure == nil || len(path.Steps) != len(steps) {
		t.Fatalf("%+v after %+v", failure, path.Steps)
	}
	path.Header = search.Describe(sys, w.Params())
	path.Add("seed", "1")
	path.Add("verdict", failure.Verdict.String())
	r, err := critical.Shrink(sys, &search.Finding{Failure: *failure, Path: path}, critical.Options{})
	if err != nil || r.Stopped {
		t.Fatal(err, r)
	}
	if left := r.Finding.Path.Steps; len(left) != want {
		t.Errorf("left are %d steps, want %d: %+v", len(left), want, left)
	}
	if again, err := search.Replay(sys, r.Finding.Path, search.Options{}); err != nil || !again.Reproduced {
		t.Errorf("what is left does not come to the same failure: %v, %+v", err, again)
	}
	return r.Effort
}

// early counts its ticks. The property is violated if it is asked at the count End. If it is asked before its first tick,
// it sets a timer to be asked again. With Tasks, the question and the setting of the timer are tasks of their own.
type early struct {
	Tasks, Wrong bool
	Count, End   int
}

type (
	excuse struct{}
	again  struct{}
)

func (e *early) Init(env sim.Env)                       { env.After(time.Second, tick{}) }
func (e *early) Deliver(sim.Env, sim.Addr, sim.Message) {}

func (e *early) Handle(env sim.Env, s sim.Signal) {
	switch s.(type) {
	case tick:
		e.Count++
		env.After(time.Second, tick{})
	case excuse:
		env.After(time.Second, again{})
	case look:
		if e.Tasks {
			env.Post(ask{})
			return
		}
		if e.Wrong = e.Count == e.End; e.Count == 0 {
			env.After(time.Second, again{})
		}
	case ask:
		if e.Wrong = e.Count == e.End; e.Count == 0 {
			env.Post(excuse{})
		}
	case again:
		e.Wrong = e.Count == e.End
	}
}

func earlies(tasks bool, end int) *sim.System {
	return &sim.System{
		Name: "early", Doc: "A node is asked too early.",
		Nodes:  func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
		New:    func(sim.Params, sim.Addr) sim.Node { return &early{Tasks: tasks, End: end} },
		Script: func(sim.Params, sim.Addr, int) []sim.Signal { return []sim.Signal{look{}} },
		Weight: func(e sim.Event) float64 { // no walk asks, so that none finds the place
			if _, is := e.Value.(look); is {
				return 1e-9
			}
			return 1
		},
		Properties: []sim.Property{sim.Always("nothing is wrong", func(v sim.View[*early]) bool {
			for _, e := range v.Nodes() {
				return !e.Wrong
			}
			return true
		})},
	}
}

// TestShrinkLetsRequestsWait: a request that was repeated moves to the only later place at which it need not be
// repeated, 70 steps away.
func TestShrinkLetsRequestsWait(t *testing.T) {
	const end = 70
	moves(t, earlies(false, end), end+1, slices.Concat([]string{"n0 script look{}"}, slices.Repeat([]string{"n0 timer tick{}"}, end), []string{"n0 timer again{}"}))
}

// TestShrinkMovesTasks: a task that came too early moves to a later place, without the request that posted it. Then
// its repetition can be removed.
func TestShrinkMovesTasks(t *testing.T) {
	const end = 10
	moves(t, earlies(true, end), end+2, slices.Concat(
		[]string{"n0 script look{}", "n0 task ask{}", "n0 task excuse{}"}, slices.Repeat([]string{"n0 timer tick{}"}, end), []string{"n0 timer again{}"}))
}
