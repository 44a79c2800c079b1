package account

import (
	"fmt"
	"strings"

	"macemc/internal/contract"
	"macemc/internal/wording"
	"macemc/sim"
)

// Beyond names the faults of the run that exceed the number that the system promises to
// survive, or returns "" if there are none. Faults in the middle of a step, which are answers
// to coins, are not counted.
func (a *Account) Beyond() string {
	path := a.Path()
	if path == nil || a.Finding == nil {
		return ""
	}
	had := map[sim.Kind]int{}
	for i := range path.Steps {
		had[wording.Identify(path.Steps[i].Event.What).Kind]++
	}
	promised := a.System.Tolerates
	var all []string
	for _, kind := range contract.Kinds() {
		if !kind.Fault() {
			continue
		}
		if most := *promised.Of(kind); had[kind] > most && most != sim.Unlimited {
			all = append(all, fmt.Sprintf("%d × %s, where %d is survived", had[kind], kind, most))
		}
	}
	return strings.Join(all, "; ")
}
