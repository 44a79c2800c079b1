package refine

import (
	"fmt"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

// space is the graph of a system's states.
type space struct {
	Graph
	labels *labels
	steps  map[Step]string // by edge: the identity of the event
	// whole says that everything was explored.
	whole bool
}

func (s *space) share(l *labels) { s.labels = l }

func (s *space) cut() { s.whole = false }

func (s *space) state() int {
	s.Graph = append(s.Graph, nil)
	return len(s.Graph) - 1
}

func (s *space) edge(from int, e Edge, identity string) {
	s.steps[Step{from, len(s.Graph[from])}] = identity
	s.Graph[from] = append(s.Graph[from], e)
}

// labels numbers the texts of facts that the two systems show.
type labels struct {
	number map[string]int
	texts  []string
}

func (l *labels) of(text string) int {
	n, known := l.number[text]
	if !known {
		n = len(l.texts)
		l.number[text], l.texts = n, append(l.texts, text)
	}
	return n
}

// source repeats the answers that lead to a state, and then enumerates all answers of one step.
type source struct {
	prefix []int
	pos    int
	last   *choose.Odometer
}

// Answer returns the next answer. A question with one alternative uses up no answer.
func (s *source) Answer(q *choose.Question) int {
	switch {
	case q.N == 1:
		return 0
	case s.pos < len(s.prefix):
		s.pos++
		return s.prefix[s.pos-1]
	default:
		return s.last.Answer(q)
	}
}

// Err returns an error if the run asked other questions than before.
func (s *source) Err() error { return s.last.Err() }

// explorer takes every step of every state, each time by a run from the start. That is slow and
// simple.
type explorer struct {
	hooks
	side  Side
	most  int
	world *world.World
	out   *space
	known map[canon.Hash]int
	ways  []way // for each state, the answers that lead to it
}

// hooks are called while a system is explored. Each may be nil.
type hooks struct {
	shows func(at sim.Addr, fact any) string                        // the text of a fact; nil if nothing is shown
	met   func(w *world.World, from, to int, identity string) error // called when an edge was taken; w is in the state to which it leads
}

type way struct {
	answers []int
	steps   int
	between bool // the state is between two facts of one step, and no step begins in it
}

func explore(side Side, most int, shows func(sim.Addr, any) string, l *labels) (*space, error) {
	sys := *side.System
	sys.Properties = nil // the memory of monitors is not part of a system's behaviour
	side.System = &sys
	x, err := newExplorer(side, most, false, hooks{shows: shows})
	if err != nil {
		return nil, err
	}
	x.out.share(l)
	return x.out, x.all()
}

func newExplorer(side Side, most int, trace bool, h hooks) (*explorer, error) {
	w, err := world.New(side.System, side.Params, world.Config{Conditions: side.Conditions, Trace: trace})
	if err != nil {
		return nil, err
	}
	return &explorer{
		hooks: h, side: side, most: most, world: w, known: map[canon.Hash]int{},
		out: &space{steps: map[Step]string{}, whole: true},
	}, nil
}

// all takes every step of every state.
func (x *explorer) all() error {
	if err := x.start(); err != nil {
		return err
	}
	for s := 0; s < len(x.ways); s++ {
		if len(x.out.Graph) >= x.most {
			x.out.cut()
			break
		}
		if err := x.expand(s); err != nil {
			return err
		}
	}
	return nil
}

// start adds state 0, in which nothing has happened yet, and an edge from it to each state that the starts of
// the nodes may lead to.
func (x *explorer) start() error {
	x.state(way{})
	return x.each(way{}, 0, func(answers []int) error {
		return x.link(0, nil, "start", way{answers: answers})
	})
}

// expand takes the steps of a state.
func (x *explorer) expand(s int) error {
	from := x.ways[s]
	if s == 0 || from.between {
		return nil
	}
	return x.each(from, from.steps+1, func(answers []int) error {
		var shown []string
		for _, e := range x.world.Run.Effects() {
			if e.Kind == trace.EffectEmit && x.shows != nil {
				if text := x.shows(x.world.Run.LastEvent().Node, e.Value); text != "" {
					shown = append(shown, text)
				}
			}
		}
		all := append(append([]int{}, from.answers...), answers...)
		return x.link(s, shown, x.world.Run.LastIdentity(), way{answers: all, steps: from.steps + 1})
	})
}

// each continues the way to in every possible manner. It makes one run for each combination of
// answers that can follow those of the way: a run from the start that has this number of steps.
// After each run it calls visit with the answers that followed.
func (x *explorer) each(to way, steps int, visit func(answers []int) error) error {
	last := choose.NewOdometer()
	for more := true; more; more = last.Next() {
		src, progress := &source{prefix: to.answers, last: last}, world.Stepped
		failure := x.world.Protect(func() {
			x.world.Start(src)
			for k := 0; k < steps && progress == world.Stepped; k++ {
				progress = x.world.Step(src)
			}
		})
		switch {
		case failure != nil:
			return fmt.Errorf("%s fails after %d steps, which a search would have found: %s", x.side.System.Name, steps, failure.Message)
		case x.world.Run.Err() != nil:
			return x.world.Run.Err()
		case last.Sampled():
			return fmt.Errorf("%s asks for a coin with too many sides to try all of them", x.side.System.Name)
		case progress != world.Stepped:
			return nil // nothing is possible
		}
		if err := visit(last.Answers()); err != nil {
			return err
		}
	}
	return last.Err()
}

// link adds an edge to the current state of the world. If the step shows several facts, the
// edge goes through states in between.
func (x *explorer) link(from int, shown []string, identity string, to way) error {
	hash := x.world.State.Hash()
	for len(shown) > 1 {
		between := x.state(way{between: true})
		x.edge(from, x.out.labels.of(shown[0]), between, identity)
		from, shown = between, shown[1:]
	}
	n, known := x.known[hash]
	if !known {
		n = x.state(to)
		x.known[hash] = n
	}
	label := Silent
	if len(shown) > 0 {
		label = x.out.labels.of(shown[0])
	}
	x.edge(from, label, n, identity)
	if x.met == nil {
		return nil
	}
	return x.met(x.world, from, n, identity)
}

// state adds a state and returns its number. The way to, a list of answers, leads to the state.
func (x *explorer) state(to way) int {
	x.ways = append(x.ways, to)
	return x.out.state()
}

func (x *explorer) edge(from, label, to int, identity string) {
	x.out.edge(from, Edge{label, to}, identity)
}
