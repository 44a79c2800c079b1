package sim

import (
	"fmt"
	"slices"
	"strings"

	"macemc/internal/sight"
)

// Chart is the table of a state machine: how each state reacts to each event. It is not
// part of a node's state.
type Chart struct {
	Name   string
	States []string   // the first is the start
	Events []string   // the types of the messages and signals
	Pairs  []Reaction // the reaction of state s to event e is Pairs[s*len(Events)+e]
	Enters [][]int    // for each state, the states to which its entry function may move on
}

// HandlerTable marks a chart as not being part of a node's state.
func (c *Chart) HandlerTable() {}

// Reaction is what a state does when an event arrives.
type Reaction struct {
	Kind ReactionKind
	To   []int // the states that the machine may move to; empty if it stays
	Pops bool  // whether the machine may return to the state below on its stack
}

// ReactionKind is a kind of Reaction.
type ReactionKind uint8

// The kinds of reactions.
const (
	ReactionNone ReactionKind = iota // the state does not expect the event
	ReactionHandle
	ReactionDefer
	ReactionIgnore
)

func (k ReactionKind) String() string {
	switch k {
	case ReactionNone:
		return "unhandled"
	case ReactionHandle:
		return "handled"
	case ReactionDefer:
		return "deferred"
	case ReactionIgnore:
		return "ignored"
	default:
		return fmt.Sprintf("reaction %d", uint8(k))
	}
}

// Pair returns the reaction of a state to an event.
func (c *Chart) Pair(state, event int) *Reaction { return &c.Pairs[state*len(c.Events)+event] }

// Charted is a node that is a state machine or contains some. The runtime calls Watch with
// a tally before each handler, and with nil after it; in between the machines count there.
type Charted interface{ Watch(*ChartTally) }

// WatchCharts makes the machines of a node, and of the layers above it, count in t, or stop
// counting if t is nil. It reports whether the node has any machines.
func WatchCharts(n Node, t *ChartTally) (any bool) {
	for n != nil {
		subject := sight.Subject(n)
		if c, is := subject.(Charted); is {
			c.Watch(t)
			any = true
		}
		l, is := subject.(interface{ Upper() Node })
		if !is {
			break
		}
		n = l.Upper()
	}
	return any
}

// ChartTally counts how often each pair of state and event occurred, and each move from one
// state to another. The zero ChartTally is ready to use. It belongs to one goroutine.
type ChartTally struct{ all []charted }

type charted struct {
	chart *Chart
	pairs []int
	moves map[[2]int]int // from, to

	foreign bool // the chart is of another process, and none of this one was met yet
}

// HandlerTable marks a tally as not being part of a node's state.
func (t *ChartTally) HandlerTable() {}

// Add lists a chart in the tally, with all counts zero.
func (t *ChartTally) Add(c *Chart) { t.of(c) }

func (t *ChartTally) of(c *Chart) *charted {
	for k := range t.all {
		if t.all[k].chart == c {
			return &t.all[k]
		}
	}
	if k := t.known(c); k >= 0 && t.all[k].foreign {
		t.all[k] = charted{c, t.all[k].pairs, t.all[k].moves, false}
		return &t.all[k]
	}
	return t.add(c, false)
}

func (t *ChartTally) add(c *Chart, foreign bool) *charted {
	t.all = append(t.all, charted{c, make([]int, len(c.Pairs)), map[[2]int]int{}, foreign})
	return &t.all[len(t.all)-1]
}

// Took counts that a machine in a state received an event.
func (t *ChartTally) Took(c *Chart, state, event int) { t.of(c).took(state*len(c.Events)+event, 1) }

// Moved counts that a machine moved from one state to another.
func (t *ChartTally) Moved(c *Chart, from, to int) { t.of(c).moved([2]int{from, to}, 1) }

func (c *charted) took(pair, n int)         { c.pairs[pair] += n }
func (c *charted) moved(move [2]int, n int) { c.moves[move] += n }

// Merge adds the counts of another tally.
func (t *ChartTally) Merge(other *ChartTally) {
	for _, o := range other.all {
		mine := t.of(o.chart)
		for k, n := range o.pairs {
			mine.took(k, n)
		}
		for move, n := range o.moves {
			mine.moved(move, n)
		}
	}
}

// CountedChart is what was counted of a chart, as plain values.
type CountedChart struct {
	Chart *Chart
	Pairs []int
	Moves [][3]int // from, to, and how often
}

// Counted returns what was counted, for another process of the same build.
func (t *ChartTally) Counted() (all []CountedChart) {
	for _, c := range t.all {
		var moves [][3]int
		for move, n := range c.moves {
			moves = append(moves, [3]int{move[0], move[1], n})
		}
		slices.SortFunc(moves, func(a, b [3]int) int { return slices.Compare(a[:], b[:]) })
		all = append(all, CountedChart{c.chart, slices.Clone(c.pairs), moves})
	}
	return all
}

// Join adds what another process counted. A chart that this one has not met yet stands for the one
// of its name that it meets later.
func (t *ChartTally) Join(counted []CountedChart) error {
	for _, one := range counted {
		if one.Chart == nil || len(one.Pairs) != len(one.Chart.Pairs) || len(one.Pairs) != len(one.Chart.States)*len(one.Chart.Events) {
			return fmt.Errorf("a chart does not fit what was counted of it: %d pairs of state and event", len(one.Pairs))
		}
		k := t.known(one.Chart)
		if k < 0 {
			t.add(one.Chart, true)
			k = len(t.all) - 1
		}
		t.all[k].join(&one)
	}
	return nil
}

func (c *charted) join(o *CountedChart) {
	for pair, n := range o.Pairs {
		c.took(pair, n)
	}
	for _, m := range o.Moves {
		c.moved([2]int{m[0], m[1]}, m[2])
	}
}

// known returns the index of an equal chart, or -1 if there is none.
func (t *ChartTally) known(c *Chart) int {
	return slices.IndexFunc(t.all, func(o charted) bool {
		return o.chart.Name == c.Name && slices.Equal(o.chart.States, c.States) && slices.Equal(o.chart.Events, c.Events)
	})
}

// Charts returns the counted charts, ordered by name.
func (t *ChartTally) Charts() []Counted {
	var out []Counted
	for k := range t.all {
		out = append(out, Counted{t.all[k].chart, &t.all[k]})
	}
	slices.SortStableFunc(out, func(a, b Counted) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Counted is a chart with its counts.
type Counted struct {
	*Chart
	of *charted
}

// Times returns how often a machine in the state received the event.
func (c Counted) Times(state, event int) int { return c.of.pairs[state*len(c.Events)+event] }

// Moves returns how often a machine moved from one state to another.
func (c Counted) Moves(from, to int) int { return c.of.moves[[2]int{from, to}] }
