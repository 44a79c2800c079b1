package machine

import (
	"slices"

	"macemc/sim"
)

// drawn makes the chart of the table.
func (t *Machine[N]) drawn() {
	t.chart = &sim.Chart{Name: t.name}
	for _, e := range t.events {
		t.chart.Events = append(t.chart.Events, e.name())
	}
	for k := range t.states {
		s := &t.states[k]
		t.chart.States = append(t.chart.States, string(s.name))
		t.chart.Enters = append(t.chart.Enters, t.places(s.may))
		for _, r := range s.reactions {
			to := slices.Clone(r.may)
			if r.to != "" {
				to = append(to, r.to)
			}
			t.chart.Pairs = append(t.chart.Pairs, sim.Reaction{Kind: r.kind, To: t.places(to), Pops: r.then == movePop})
		}
	}
}

func (t *Machine[N]) places(of []Name) (all []int) {
	for _, name := range of {
		all = append(all, t.find(name))
	}
	return all
}
