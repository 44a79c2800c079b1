package refine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"macemc/choose"
	"macemc/internal/fair"
	"macemc/internal/world"
	"macemc/sim"
)

// A Monitor is hot or cold, depending on the facts that it has seen. It remembers them in
// an M; *M may have a method Init, as for sim.Monitor.
type Monitor[M any] struct {
	Observe func(m *M, at sim.Addr, fact any)
	Hot     func(m *M) bool
	Fair    []string // the names of the choices that are strongly fair
	States  int      // how many states are explored; 0 means 50,000
}

// A Lasso is a run that is hot for ever: the steps of Way, and then the steps of Cycle
// again and again. If Cycle is empty, nothing can happen after Way.
type Lasso struct{ Way, Cycle []string }

func (l *Lasso) String() string {
	text := "hot for ever:\n  " + strings.Join(l.Way, "\n  ")
	if len(l.Cycle) == 0 {
		return text + "\nand nothing more can happen"
	}
	return text + "\nand then for ever:\n  " + strings.Join(l.Cycle, "\n  ")
}

// Forever returns a fair run of the system that stays hot for ever from some point on, or
// nil if no run does.
func Forever[M any](side Side, m Monitor[M]) (*Lasso, error) {
	sys := *side.System
	var memory *M // the memory of the current run; nil before its first fact
	sys.Properties = []sim.Property{sim.Monitor("hot", func(now *M, at sim.Addr, fact any) error {
		memory = now
		m.Observe(now, at, fact)
		return nil
	})}
	side.System = &sys
	f := &forever{
		most: cmp.Or(m.States, 50_000), marked: m.Fair, actions: map[string]int{}, graph: &fair.Graph{Answers: make([]int, len(m.Fair))}, steps: map[fair.Step]string{},
		begin: func() { memory = nil },
		hot: func() bool {
			if memory == nil {
				fresh := new(M)
				if i, has := any(fresh).(interface{ Init() }); has {
					i.Init()
				}
				return m.Hot(fresh)
			}
			return m.Hot(memory)
		},
	}
	if err := f.explore(side); err != nil {
		return nil, err
	}
	l, is := f.graph.Find()
	if !is {
		return nil, nil
	}
	return &Lasso{f.texts(l.Way), f.texts(l.Cycle)}, nil
}

// forever builds the graph of what a system does, in the form of package fair.
type forever struct {
	most    int
	marked  []string
	actions map[string]int
	graph   *fair.Graph
	steps   map[fair.Step]string
	begin   func()
	hot     func() bool
}

func (f *forever) explore(side Side) error {
	f.graph.Meet(0, false) // state 0 is before a run begins
	x, err := newExplorer(side, f.most, true, hooks{began: f.begin, met: func(w *world.World, from, to int, identity string) error {
		f.graph.Meet(to, f.hot())
		asked, err := f.asked(w.Run.LastCoins())
		f.steps[f.graph.Add(from, fair.Edge{To: to, Action: f.action(w), Asked: asked})] = identity
		return err
	}})
	if err != nil {
		return err
	}
	if err := x.all(); err != nil {
		return err
	}
	if !x.out.whole {
		return fmt.Errorf("%s has more than %d states; bound it, or set States", side.System.Name, f.most)
	}
	return nil
}

// action returns the number of what an event consumes; for a channel, whatever is at its
// head.
func (f *forever) action(w *world.World) int {
	e := w.Run.LastEvent()
	key := w.Run.LastIdentity()
	switch {
	case e.Kind == 0 || e.Kind.Fault() || e.Kind == sim.KindScript || e.Kind == sim.KindAction:
		return fair.Unfair
	case e.Kind == sim.KindMessage && (e.Link == sim.LinkTCP || e.Link == sim.LinkUDP):
		key = fmt.Sprint(e.Link, " ", e.From, " ", e.Node)
	}
	n, known := f.actions[key]
	if !known {
		n = len(f.actions)
		f.actions[key] = n
	}
	return n
}

// asked returns the marked choices that a step has answered.
func (f *forever) asked(coins []choose.Choice) (all []fair.Answer, err error) {
	for _, c := range coins {
		k := slices.IndexFunc(f.marked, func(why string) bool { return strings.HasPrefix(c.What, why+": ") })
		if k < 0 {
			continue
		}
		if n := f.graph.Answers[k]; n != 0 && n != c.Of {
			return nil, fmt.Errorf("the choice %q has %d answers, and had %d before; it cannot be strongly fair", f.marked[k], c.Of, n)
		}
		f.graph.Ask(k, c.Of)
		all = append(all, fair.Answer{Choice: k, Answer: c.Pick})
	}
	return all, nil
}

func (f *forever) texts(steps []fair.Step) (all []string) {
	for _, s := range steps {
		if text := f.steps[s]; text != "start" {
			all = append(all, text)
		}
	}
	return all
}
