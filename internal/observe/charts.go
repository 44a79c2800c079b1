package observe

import (
	"fmt"
	"strings"

	"macemc/internal/charts"
	"macemc/sim"
)

// charted says whether some node of a system is a state machine, or that the nodes were not
// examined yet.
type charted uint8

const (
	chartedUnknown charted = iota
	chartedYes
	chartedNo
)

// Charted reports whether a node is a state machine (is), and whether the nodes were examined (known).
func (c *Coverage) Charted() (is, known bool) {
	return c.charted == chartedYes, c.charted != chartedUnknown
}

// Examine looks for state machines among all nodes of a system, and reports whether there is one.
func (c *Coverage) Examine(nodes []sim.Node) bool {
	c.charted = chartedNo
	for _, n := range nodes {
		if charts.Watch(n, nil) {
			c.charted = chartedYes
		}
	}
	return c.charted == chartedYes
}

// Watch makes the state machines of node n count their events in c. The method Unwatch ends
// that.
func (c *Coverage) Watch(n sim.Node)   { charts.Watch(n, &c.charts) }
func (c *Coverage) Unwatch(n sim.Node) { charts.Watch(n, nil) }

// Charts returns the state machines that ran, with how often each state met each event.
// Steps whose results a search looked up did not run, and are not counted.
func (c *Coverage) Charts() []charts.Counted { return c.charts.Charts() }

// neverPairs returns a sentence about each pair of a state and an event that the table of a
// machine has and no run exercised.
func (c *Coverage) neverPairs() (never []string) {
	for _, m := range c.Charts() {
		for s, state := range m.States {
			var events []string
			for e, event := range m.Events {
				if r := m.Pair(s, e); r.Kind != charts.ReactionNone && m.Times(s, e) == 0 {
					events = append(events, event)
				}
			}
			if len(events) > 0 {
				never = append(never, fmt.Sprintf("machine %s never met in state %s: %s", m.Name, state, strings.Join(events, ", ")))
			}
		}
	}
	return never
}
