package world

import "macemc/internal/sight"

// Judgement is what a property says of the state.
type Judgement struct {
	Name     string
	Liveness bool
	Holds    bool
	Message  string // what it explains, where it does not hold
}

// Judge is what every property of states says now: safety first, then liveness.
// Step properties and monitors are about runs, and are left out.
func (j *Judge) Judge() (out []Judgement) {
	for k, list := range [2][]sight.Check{j.always, j.eventually} {
		for i := range list {
			c := &list[i]
			holds, message := c.Asked()
			if !holds && message == "" {
				message = c.Explained()
			}
			out = append(out, Judgement{c.Name, k == 1, holds, message})
		}
	}
	return out
}

// Holding appends to out whether each property holds that Judge tells, in the
// same order.
func (j *Judge) Holding(out []bool) []bool {
	for _, list := range [2][]sight.Check{j.always, j.eventually} {
		for k := range list {
			holds, _ := list[k].Asked()
			out = append(out, holds)
		}
	}
	return out
}
