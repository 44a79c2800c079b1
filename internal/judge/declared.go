package judge

import (
	"macemc/internal/canon"
	"macemc/internal/sight"
)

// Taken returns the identity of the values that properties made by sim.Takes take from a node. A
// node that is not up has none.
func (j *Judge) Taken(i int) (h canon.Hash) {
	for _, take := range j.takes {
		if v, is := take(j.sees.Nodes[i].Node); is && j.sees.Nodes[i].Up {
			h = h.Then(j.sum(v))
		} else {
			h = h.Then(canon.Hash{})
		}
	}
	return h
}

// declares notes what a property depends on, if that is declared.
func (j *Judge) declares(rule sight.Rule) {
	if rule.Take != nil {
		j.takes, j.declared = append(j.takes, rule.Take), append(j.declared, rule.State(j.sees))
	}
}

// Declared calls yield with each property of which sim.Takes declares what it depends on, its number, and
// whether it holds now. Properties that panic are left out.
func (j *Judge) Declared(yield func(k int, name string, holds bool)) {
	for k := range j.declared {
		if holds, panicked := j.declared[k].Asked(); panicked == "" {
			yield(k, j.declared[k].Name, holds)
		}
	}
}
