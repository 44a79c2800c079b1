package finding

import (
	"fmt"
	"slices"
	"strings"

	"macemc/internal/world"
	"macemc/sim"
)

// apart tells how the states differ in which this run and the nearest live one
// part: after the critical step of the one, and after the step that the other
// takes instead.
func (t *tale) apart(p *page) {
	c, live := t.f.Critical, t.f.Live
	if t.live == nil || c == nil || t.states == nil || c.Step == 0 || c.Step > t.states.Steps() {
		return
	}
	at := live.From + 1
	if at < t.live.Steps() && sim.Identify(live.Path.Steps[at-1].Event.What).Kind == sim.KindHeal {
		at++
	}
	if at > t.live.Steps() {
		return
	}
	all := slices.DeleteFunc(world.Diff(t.states.State(c.Step), t.live.State(at)), func(d world.Difference) bool {
		return strings.HasSuffix(d.Path, " left") // what is left of the environment's budgets is void where it healed
	})
	if len(all) == 0 {
		return
	}
	p.say("Where they part:")
	t.changes(p, all, fmt.Sprintf("after step %d", c.Step), fmt.Sprintf("after step %d of the live run", at))
}
