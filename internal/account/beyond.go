package account

import (
	"fmt"
	"strings"

	"macemc/internal/contract"
	"macemc/sim"
	"macemc/trace"
)

// Beyond names the faults of the run that the system does not promise to survive, because there are
// more of a kind than sim.System.Tolerates allows, or because they hit other nodes. It returns "" if
// there are none, or if the steps of the run are not known. Faults in the middle of a step, such as a
// sync that fails, count too.
func (a *Account) Beyond() string {
	if a.Finding == nil || a.Finding.Trace == nil {
		return ""
	}
	promised, t := a.System.Tolerates, a.Finding.Trace
	where, err := promised.Where(a.Params.Nodes)
	had, elsewhere := map[int]int{}, map[int]int{}
	for _, steps := range [][]trace.Step{t.Starts, t.Steps} {
		for i := range steps {
			s := &steps[i]
			for _, k := range s.Spent {
				had[k]++
				if err == nil && where != nil && s.Event.Kind.Budget() == k && !where(s.Event) {
					elsewhere[k]++
				}
			}
		}
	}
	var all []string
	for k, name := range contract.FaultNames() {
		switch most := *promised.Budget(k); {
		case had[k] > most && most != sim.Unlimited:
			all = append(all, fmt.Sprintf("%d × %s, where %d is survived", had[k], name, most))
		case elsewhere[k] > 0:
			all = append(all, fmt.Sprintf("%d × %s at a place where %s allows none", elsewhere[k], name, promised))
		}
	}
	return strings.Join(all, "; ")
}
