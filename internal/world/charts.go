package world

import (
	"fmt"
	"strings"

	"macemc/internal/charts"
	"macemc/sim"
)

// charted says whether a system's nodes are state machines, or that this was not examined yet.
type charted uint8

const (
	chartedUnknown charted = iota
	chartedYes
	chartedNo
)

// hasCharts looks whether any node is a machine. All nodes are there when a handler runs.
func (c *Coverage) hasCharts(nodes []nodeState) bool {
	if c.charted == chartedUnknown {
		c.charted = chartedNo
		for i := range nodes {
			if charts.Watch(nodes[i].node, nil) {
				c.charted = chartedYes
			}
		}
	}
	return c.charted == chartedYes
}

// Charts returns the state machines that ran, with how often a handler exercised each pair
// of state and event. Steps that a memo looked up did not run, and are not counted.
func (c *Coverage) Charts() []charts.Counted { return c.charts.Charts() }

// neverPairs reports on the pairs of state and event that a machine's table names, and
// that were never exercised.
func (c *Coverage) neverPairs() (never []string) {
	for _, m := range c.Charts() {
		for s, state := range m.States {
			var events []string
			for e, event := range m.Events {
				if r := m.Pair(s, e); r.Kind != sim.ReactionNone && m.Times(s, e) == 0 {
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
