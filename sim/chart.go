package sim

import (
	"fmt"
	"slices"
	"strings"

	"macemc/internal/sight"
)

// Chart is the table of a state machine: what each state does about each event. It is no
// part of a node's state.
type Chart struct {
	Name   string
	States []string   // the first is the start
	Events []string   // the types of its messages and signals
	Pairs  []Reaction // of state s to event e: Pairs[s*len(Events)+e]
	Enters [][]int    // by state: where its entry may go on to
}

// HandlerTable says that a chart is no part of a node's state.
func (c *Chart) HandlerTable() {}

// Reaction is what a state does about an event.
type Reaction struct {
	Kind ReactionKind
	To   []int // the states that it may lead to; none: it stays
	Pops bool  // it may lead back to the state below
}

// ReactionKind is a kind of Reaction.
type ReactionKind uint8

// The kinds of reactions.
const (
	ReactionNone ReactionKind = iota // the event is unhandled there
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

// Pair is the reaction of a state to an event.
func (c *Chart) Pair(state, event int) *Reaction { return &c.Pairs[state*len(c.Events)+event] }

// Charted is a node that is a state machine, or hosts some. The runtime asks it to count
// in a tally: it calls Watch before each handler, and with nil after it.
type Charted interface{ Watch(*ChartTally) }

// WatchCharts has the machines of a node, and of the layers above it, count in t. If t is nil
// they do not count. It reports whether there are any.
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

// ChartTally counts which pairs of state and event machines exercised, and which moves from state
// to state they made. The zero ChartTally is ready; it belongs to one goroutine.
type ChartTally struct{ all []charted }

type charted struct {
	chart *Chart
	pairs []int
	moves map[[2]int]int // from, to
}

// HandlerTable says that a tally is no part of a node's state.
func (t *ChartTally) HandlerTable() {}

// Add makes a chart known of which nothing was counted yet.
func (t *ChartTally) Add(c *Chart) { t.of(c) }

func (t *ChartTally) of(c *Chart) *charted {
	for k := range t.all {
		if t.all[k].chart == c {
			return &t.all[k]
		}
	}
	t.all = append(t.all, charted{c, make([]int, len(c.Pairs)), map[[2]int]int{}})
	return &t.all[len(t.all)-1]
}

// Took notes that a state met an event.
func (t *ChartTally) Took(c *Chart, state, event int) { t.of(c).took(state*len(c.Events)+event, 1) }

// Moved notes that a machine went from a state to another one.
func (t *ChartTally) Moved(c *Chart, from, to int) { t.of(c).moved([2]int{from, to}, 1) }

func (c *charted) took(pair, n int)         { c.pairs[pair] += n }
func (c *charted) moved(move [2]int, n int) { c.moves[move] += n }

// Merge adds what another tally counted.
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

// Charts are the counted machines, by name.
func (t *ChartTally) Charts() []Counted {
	var out []Counted
	for k := range t.all {
		out = append(out, Counted{t.all[k].chart, &t.all[k]})
	}
	slices.SortStableFunc(out, func(a, b Counted) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Counted is a chart with what was counted of it.
type Counted struct {
	*Chart
	of *charted
}

// Times is how often a state met an event.
func (c Counted) Times(state, event int) int { return c.of.pairs[state*len(c.Events)+event] }

// Moves is how often the machine went from a state to another one.
func (c Counted) Moves(from, to int) int { return c.of.moves[[2]int{from, to}] }
