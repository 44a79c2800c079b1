package refine

import (
	"fmt"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/world"
	"macemc/sim"
)

// space is what there is of a system.
type space struct {
	Graph
	labels *labels
	steps  map[Step]string // the identities of the events, by edge
	whole  bool
}

// labels number the texts that both systems show.
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

// source repeats the answers to a state, and then enumerates those of one step.
type source struct {
	prefix []int
	pos    int
	last   *choose.Odometer
}

// Answer is the next answer. A question with one alternative takes none.
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

// Err is nil unless the enumeration met another question than before.
func (s *source) Err() error { return s.last.Err() }

// explorer takes every step of every state, each from the start again: slow, and simple.
type explorer struct {
	side  Side
	most  int
	shows func(at sim.Addr, fact any) string
	world *world.World
	out   *space
	known map[canon.Hash]int
	ways  []way // by state: nothing but the answers that lead there
}

type way struct {
	answers []int
	steps   int
	between bool // it is between two facts of a step, and has no steps of its own
}

func explore(side Side, most int, shows func(sim.Addr, any) string, l *labels) (*space, error) {
	sys := *side.System
	sys.Properties = nil // their memory is no part of what a system does
	w, err := world.New(&sys, side.Params, world.Config{Conditions: side.Conditions})
	if err != nil {
		return nil, err
	}
	x := &explorer{
		side: side, most: most, shows: shows, world: w, known: map[canon.Hash]int{},
		out: &space{labels: l, steps: map[Step]string{}, whole: true},
	}
	if err := x.start(); err != nil {
		return nil, err
	}
	for s := 0; s < len(x.ways); s++ {
		if len(x.out.Graph) >= most {
			x.out.whole = false
			break
		}
		if err := x.expand(s); err != nil {
			return nil, err
		}
	}
	return x.out, nil
}

// start meets the states in which runs begin, behind the first one, from which nothing is shown.
func (x *explorer) start() error {
	x.out.Graph, x.ways = Graph{nil}, []way{{}}
	return x.each(way{}, 0, func(answers []int) error {
		x.link(0, nil, "start", way{answers: answers})
		return nil
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
			if e.Kind == sim.EffectEmit {
				if text := x.shows(x.world.Run.LastEvent().Node, e.Value); text != "" {
					shown = append(shown, text)
				}
			}
		}
		all := append(append([]int{}, from.answers...), answers...)
		x.link(s, shown, x.world.Run.LastIdentity(), way{answers: all, steps: from.steps + 1})
		return nil
	})
}

// each runs to a state, and then one step further by each answer in turn.
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
			return fmt.Errorf("%s asks a coin of too many sides to try them all", x.side.System.Name)
		case progress != world.Stepped:
			return nil // nothing is possible
		}
		if err := visit(last.Answers()); err != nil {
			return err
		}
	}
	return last.Err()
}

// link notes an edge to the state in which the world is; of several facts, through states between.
func (x *explorer) link(from int, shown []string, identity string, to way) {
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
}

// state makes room for one more.
func (x *explorer) state(to way) int {
	x.out.Graph = append(x.out.Graph, nil)
	x.ways = append(x.ways, to)
	return len(x.out.Graph) - 1
}

func (x *explorer) edge(from, label, to int, identity string) {
	x.out.steps[Step{from, len(x.out.Graph[from])}] = identity
	x.out.Graph[from] = append(x.out.Graph[from], Edge{label, to})
}
