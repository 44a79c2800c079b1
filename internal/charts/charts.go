package charts

import (
	"fmt"
	"slices"
	"strings"

	"macemc/internal/sight"
	"macemc/sim"
)

// Charted is a node that is a state machine or contains some. The runtime calls WatchMachines with
// a *Tally before each handler, and with a nil one after it; in between the machines count there.
// The method is public, so its parameter is not of this type.
type Charted interface{ WatchMachines(tally any) }

// Watch makes the machines of a node, and of the layers above it, count in t, or stop
// counting if t is nil. It reports whether the node has any machines.
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

// HandlerTable marks a tally as not being part of a node's state.
func (t *Tally) HandlerTable() {}

// Add lists a chart in the tally, with all counts zero.
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

// Took counts that a machine in a state received an event.
func (t *Tally) Took(c *Chart, state, event int) { t.of(c).took(state*len(c.Events)+event, 1) }

// Moved counts that a machine moved from one state to another.
func (t *Tally) Moved(c *Chart, from, to int) { t.of(c).moved(from, to, 1) }

func (c *charted) took(pair, n int)      { c.pairs[pair] += n }
func (c *charted) moved(from, to, n int) { c.moves[from*len(c.chart.States)+to] += n }

// Merge adds the counts of another tally.
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

// Sum has the counts of one chart, as plain values.
type Sum struct {
	Chart *Chart
	Pairs []int
	Moves [][3]int // from, to, and how often
}

// Counted returns what was counted, for another process of the same build.
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

// Join adds the counts of another process. If this process has not met a chart yet, the counts are kept under
// the chart's name until it does.
func (t *Tally) Join(counted []Sum) error {
	for _, one := range counted {
		if one.Chart == nil || len(one.Pairs) != len(one.Chart.Pairs) || len(one.Pairs) != len(one.Chart.States)*len(one.Chart.Events) {
			return fmt.Errorf("a chart does not fit what was counted of it: %d pairs of state and event", len(one.Pairs))
		}
		for _, m := range one.Moves {
			if of := len(one.Chart.States); min(m[0], m[1]) < 0 || max(m[0], m[1]) >= of {
				return fmt.Errorf("a chart of %d states does not fit what was counted of it: a move from state %d to state %d", of, m[0], m[1])
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

// known returns the index of an equal chart, or -1 if there is none.
func (t *Tally) known(c *Chart) int {
	return slices.IndexFunc(t.all, func(o charted) bool {
		return o.chart.Name == c.Name && slices.Equal(o.chart.States, c.States) && slices.Equal(o.chart.Events, c.Events)
	})
}

// Charts returns the counted charts, ordered by name.
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

// Times returns how often a machine in the state received the event.
func (c Counted) Times(state, event int) int { return c.of.pairs[state*len(c.Events)+event] }

// Moves returns how often a machine moved from one state to another.
func (c Counted) Moves(from, to int) int { return c.of.moves[from*len(c.States)+to] }
