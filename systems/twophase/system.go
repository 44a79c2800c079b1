package twophase

import (
	"strings"

	"macemc/sim"
)

// RMs is the number of resource managers.
var RMs = &sim.Param{
	Name:  "rms",
	Doc:   "how many resource managers there are, besides the coordinator",
	Range: sim.Range{Default: 3, Least: 2, Most: 10},
}

// TP1 is the known bug.
const TP1 sim.BugID = "TP1"

// System is the protocol over a set of messages.
var System = &sim.System{
	Name: "twophase",
	Doc: "Two-phase commit over a set of messages, state by state the published TLA+ specification. " +
		"No manager commits while another aborts, and all can always come to a decision.",
	Nodes: func(p sim.Params) sim.Range {
		n := p.Int(RMs) + 1
		return sim.Range{Default: n, Least: n, Most: n}
	},
	Params: []*sim.Param{RMs},
	Bugs: []sim.Bug{
		{ID: TP1, Story: "The coordinator does not wait for the last manager. It commits when all but one are prepared, " +
			"and that one may have aborted by itself."},
	},
	New:             newNode,
	Interchangeable: func(p sim.Params) [][]sim.Addr { return [][]sim.Addr{p.Addrs()[1:]} },
	Properties: []sim.Property{
		sim.Takes(sim.Always("consistent: no manager committed while another aborted", consistent, explainConsistent),
			func(m *manager) any { return [2]bool{m.state == stateCommitted, m.state == stateAborted} }),
		sim.Takes(sim.Eventually("every manager came to a decision", decided, explainDecided),
			func(m *manager) any { return m.state == stateCommitted || m.state == stateAborted }),
	},
}

func newNode(p sim.Params, self sim.Addr) sim.Node {
	if self != p.Addr(0) {
		return managers.Node(&manager{coordinator: p.Addr(0), state: stateWorking})
	}
	c := &coordinator{need: p.Int(RMs), prepared: map[sim.Addr]bool{}}
	if p.Bug(TP1) {
		c.need--
	}
	return coordinators.Node(c)
}

type view = sim.View[*manager]

func consistent(v view) bool {
	var committed, aborted bool
	for _, m := range v.Nodes() {
		committed = committed || m.state == stateCommitted
		aborted = aborted || m.state == stateAborted
	}
	return !committed || !aborted
}

func explainConsistent(v view) string {
	return in(v, stateCommitted) + " committed, " + in(v, stateAborted) + " aborted"
}

func decided(v view) bool {
	for _, m := range v.Nodes() {
		if m.state != stateCommitted && m.state != stateAborted {
			return false
		}
	}
	return true
}

func explainDecided(v view) string {
	return "working: " + in(v, stateWorking) + "; prepared: " + in(v, statePrepared)
}

// in lists the managers that are in a state.
func in(v view, s state) string {
	var all []string
	for a, m := range v.Nodes() {
		if m.state == s {
			all = append(all, a.String())
		}
	}
	if len(all) == 0 {
		return "none"
	}
	return strings.Join(all, ", ")
}
