package machine

import (
	"slices"

	"macemc/internal/charts"
)

// drawn returns the machine's table as a chart: the reaction of each state to each event, without
// the methods.
func (t *Machine[N]) drawn() *charts.Chart {
	var events, states []string
	for _, e := range t.events {
		events = append(events, e.name())
	}
	var pairs []charts.Reaction
	var enters [][]int
	for k := range t.states {
		s := &t.states[k]
		states, enters = append(states, string(s.name)), append(enters, t.places(s.may))
		for _, r := range s.reactions {
			to := slices.Clone(r.may)
			if r.to != "" {
				to = append(to, r.to)
			}
			pairs = append(pairs, charts.Reaction{Kind: r.kind, To: t.places(to), Pops: r.then == movePop})
		}
	}
	return &charts.Chart{Name: t.name, States: states, Events: events, Pairs: pairs, Enters: enters}
}

func (t *Machine[N]) places(of []Name) (all []int) {
	for _, name := range of {
		all = append(all, t.find(name))
	}
	return all
}
