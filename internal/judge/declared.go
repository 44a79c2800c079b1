package judge

import (
	"macemc/internal/canon"
	"macemc/internal/sight"
)

// Taken returns a hash of the values of the i-th node on which properties made by sim.Takes depend. A node
// that is not up has none of them.
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

// declares records a property that was made by sim.Takes: such a property declares the values on which it
// depends.
func (j *Judge) declares(rule sight.Rule) {
	if rule.Take != nil {
		j.takes, j.declared = append(j.takes, rule.Take), append(j.declared, rule.State(j.sees))
	}
}

// Declared calls yield for each property made by sim.Takes, with its number, its name, and whether it holds
// now. It leaves out properties that panic.
func (j *Judge) Declared(yield func(k int, name string, holds bool)) {
	for k := range j.declared {
		if holds, panicked := j.declared[k].Asked(); panicked == "" {
			yield(k, j.declared[k].Name, holds)
		}
	}
}
