package peterson

import (
	"fmt"
	"strings"

	"macemc/sim"
)

// N is the number of processes.
var N = &sim.Param{
	Name:  "n",
	Doc:   "how many processes there are, all in one node",
	Range: sim.Range{Default: 3, Least: 2, Most: processesMost},
}

// The known bugs.
const (
	PE1 sim.BugID = "PE1"
	PE2 sim.BugID = "PE2"
)

// System is the lock.
var System = &sim.System{
	Name: "peterson",
	Doc: "Peterson's lock for n processes that share memory, state by state a published model. " +
		"At most one process is in its critical section, and one can always get there.",
	Nodes:  func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
	Params: []*sim.Param{N},
	Bugs: []sim.Bug{
		{ID: PE1, Story: "A process claims a level only after it yielded there. Another may yield, claim and pass in between, " +
			"since it sees no claim but its own; then the first is no longer the one who yields, and passes too."},
		{ID: PE2, Story: "A waiting process does not look at whose turn it is. Two that claim the same level wait for each other for ever."},
	},
	New: newNode,
	Properties: []sim.Property{
		sim.Always("exclusion: at most one process is in its critical section", exclusive, explain),
		sim.Eventually("a process is in its critical section", entered, explain),
	},
}

func newNode(p sim.Params, _ sim.Addr) sim.Node {
	return handlers.Node(&lock{n: p.Int(N), claimsLate: p.Bug(PE1), noTurn: p.Bug(PE2)})
}

type view = sim.View[*lock]

func exclusive(v view) bool { return inside(v) <= 1 }

func entered(v view) bool { return inside(v) > 0 }

// inside returns the number of processes in their critical sections.
func inside(v view) (n int) {
	for _, l := range v.Nodes() {
		for i := range l.n {
			if l.at[i] == labelLeave {
				n++
			}
		}
	}
	return n
}

// explain describes the label and the level of every process.
func explain(v view) string {
	var all []string
	for _, l := range v.Nodes() {
		for i := range l.n {
			all = append(all, fmt.Sprintf("process %d is at L%d of level %d", i, l.at[i], l.level[i]))
		}
	}
	return strings.Join(all, "; ")
}
