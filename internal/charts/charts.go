package charts

import (
	"fmt"
	"slices"
	"strings"

	"macemc/internal/sight"
	"macemc/sim"
)

// Charted is a node that is a state machine or contains some. The runtime calls WatchMachines with a *Tally
// before each handler, and with a nil *Tally after it; in between the machines count what they do there.
// Since users can see the method, its parameter is not declared as a *Tally, a type that they cannot name.
type Charted interface{ WatchMachines(tally any) }

// Watch makes the machines of the node n, and of the layers above it, count in t, or stop counting if t is
// nil. any reports whether there are any machines.
func Watch(n sim.Node, t *Tally) (any bool) {
	for n != nil {
		subject := sight.Subject(n)
		if c, is := subject.(Charted); is {
			c.WatchMachines(t)
			any = true
		}
		l, is := subject.(interface{ Upper() sim.Node })
		if !is {
			break
		}
		n = l.Upper()
	}
	return any
}

// Tally counts how often each pair of state and event occurred, and each move from one
// state to another. The zero Tally is ready to use. It belongs to one goroutine.
type Tally struct{ all []charted }

type charted struct {
	chart *Chart
	pairs []int
	moves []int // from state s to state t: at s*len(States)+t

	foreign bool // the chart is from another process, and no equal one of this process was met yet
}

// HandlerTable says that a tally is not a part of a node's state: see sight.Table.
func (t *Tally) HandlerTable() {}

// Add adds a chart to the tally, with all counts zero.
func (t *Tally) Add(c *Chart) { t.of(c) }

func (t *Tally) of(c *Chart) *charted {
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

func (t *Tally) add(c *Chart, foreign bool) *charted {
	t.all = append(t.all, charted{c, make([]int, len(c.Pairs)), make([]int, len(c.States)*len(c.States)), foreign})
	return &t.all[len(t.all)-1]
}

// Took counts that a machine with chart c was in a state when it received an event.
func (t *Tally) Took(c *Chart, state, event int) { t.of(c).took(state*len(c.Events)+event, 1) }

// Moved counts that a machine with chart c moved from one state to another.
func (t *Tally) Moved(c *Chart, from, to int) { t.of(c).moved(from, to, 1) }

func (c *charted) took(pair, n int)      { c.pairs[pair] += n }
func (c *charted) moved(from, to, n int) { c.moves[from*len(c.chart.States)+to] += n }

// Merge adds the counts of another tally to t.
func (t *Tally) Merge(other *Tally) {
	for _, o := range other.all {
		mine := t.of(o.chart)
		for k, n := range o.pairs {
			mine.took(k, n)
		}
		for k, n := range o.moves {
			mine.moves[k] += n
		}
	}
}

// Sum has the counts of one chart in a form that can be sent to another process.
type Sum struct {
	Chart *Chart
	Pairs []int
	Moves [][3]int // the state before, the state after, and how often
}

// Counted returns the counts of all charts, to be sent to another process of the same build.
func (t *Tally) Counted() (all []Sum) {
	for _, c := range t.all {
		var moves [][3]int
		for k, n := range c.moves {
			if of := len(c.chart.States); n > 0 {
				moves = append(moves, [3]int{k / of, k % of, n})
			}
		}
		all = append(all, Sum{c.chart, slices.Clone(c.pairs), moves})
	}
	return all
}

// Join adds counts that another process has sent. If this process has not met a chart yet, Join keeps the
// counts under the name of the chart until it does.
func (t *Tally) Join(counted []Sum) error {
	for _, one := range counted {
		if one.Chart == nil || len(one.Pairs) != len(one.Chart.Pairs) || len(one.Pairs) != len(one.Chart.States)*len(one.Chart.Events) {
			return fmt.Errorf("the counts of a state machine, as another process sent them, do not fit its chart: %d pairs of a state and an event", len(one.Pairs))
		}
		for _, m := range one.Moves {
			if of := len(one.Chart.States); min(m[0], m[1]) < 0 || max(m[0], m[1]) >= of {
				return fmt.Errorf("the counts of a state machine, as another process sent them, do not fit its chart of %d states: a move from state %d to state %d", of, m[0], m[1])
			}
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

func (c *charted) join(o *Sum) {
	for pair, n := range o.Pairs {
		c.took(pair, n)
	}
	for _, m := range o.Moves {
		c.moved(m[0], m[1], m[2])
	}
}

// known returns the index in t.all of a chart that is equal to c, or -1.
func (t *Tally) known(c *Chart) int {
	return slices.IndexFunc(t.all, func(o charted) bool {
		return o.chart.Name == c.Name && slices.Equal(o.chart.States, c.States) && slices.Equal(o.chart.Events, c.Events)
	})
}

// Charts returns the charts with their counts, ordered by name.
func (t *Tally) Charts() []Counted {
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

// Times returns how often a machine that was in the state received the event.
func (c Counted) Times(state, event int) int { return c.of.pairs[state*len(c.Events)+event] }

// Moves returns how often a machine moved from one state to the other.
func (c Counted) Moves(from, to int) int { return c.of.moves[from*len(c.States)+to] }
