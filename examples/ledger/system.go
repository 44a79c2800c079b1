package ledger

import (
	"fmt"
	"slices"
	"time"

	"macemc/program"
	"macemc/sim"
)

// The known bugs.
const (
	LD1 sim.BugID = "LD1"
	LD2 sim.BugID = "LD2"
	LD3 sim.BugID = "LD3"
	LD4 sim.BugID = "LD4"
	LD5 sim.BugID = "LD5"
	LD6 sim.BugID = "LD6"
)

// System is the ledger: servers n0 and n1, the keeper n2, and the client n3.
var System = &sim.System{
	Name:  "ledger",
	Doc:   "A replicated ledger by net/http, with a keeper of leases. Nothing acknowledged is lost or counted twice.",
	Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 4, Least: 4, Most: 4} },
	New:   newKeeper,
	Programs: &sim.Programs{New: func(p sim.Params, self sim.Addr) program.Program {
		switch self.Index() {
		case 0, 1:
			return serve(p, p.Addr(1-self.Index()).String(), p.Addr(2).String())
		case 3:
			return deposits([]string{p.Addr(0).String(), p.Addr(1).String()})
		}
		return nil // the keeper
	}, Storm: 10 * time.Second, Clocks: 2, Drift: 100_000},
	Script: func(_ sim.Params, self sim.Addr, life int) []sim.Signal {
		if self.Index() != 3 || life > 0 {
			return nil
		}
		return []sim.Signal{deposit{"a", 10}, deposit{"b", 20}, deposit{"c", 30}}
	},
	Tolerates: sim.Faults{Crash: 2, Partition: 2, Reset: 2},
	Bugs: []sim.Bug{
		{ID: LD1, Story: "A deposit is acknowledged before the other server has it. If the lease goes there now, the deposit is lost."},
		{ID: LD2, Story: "A deposit that is asked for again is written again. Its first answer was lost."},
		{ID: LD3, Story: "The lease is counted from when the grant arrives. A grant that a partition held up makes a second primary."},
		{ID: LD4, Story: "The book is written in place. After a crash half of it is there, and the server cannot start."},
		{ID: LD5, Story: "A goroutine is left behind when a server stops."},
		{ID: LD6, Story: "A server counts the whole lease. If its clock is slow, or the keeper's is fast, two servers hold the lease."},
	},
	Properties: []sim.Property{
		sim.Always("at most one server holds the lease", func(v sim.View[shown]) bool { return primaries(v) <= 1 },
			func(v sim.View[shown]) string { return fmt.Sprint(primaries(v), " servers hold it") }),
		sim.Each("no deposit is counted twice", func(v sim.View[shown]) bool {
			for _, s := range v.Nodes() {
				for i, d := range s.Entries {
					if slices.Contains(s.Entries[:i], d) {
						return false
					}
				}
			}
			return true
		}),
		sim.Eventually("every deposit is acknowledged", func(v sim.View[client]) bool {
			for _, c := range v.Nodes() {
				if len(c.Acked) < len(c.Asked) {
					return false
				}
			}
			return true
		}, func(v sim.View[client]) string {
			for _, c := range v.Nodes() {
				return fmt.Sprintf("%d were asked for, and %d acknowledged", len(c.Asked), len(c.Acked))
			}
			return "the client does not run"
		}),
		sim.Eventually("both servers have what is acknowledged", func(v sim.View[shown]) bool {
			for _, c := range sim.See[client](v).Nodes() {
				for _, d := range c.Acked {
					for _, s := range v.Nodes() {
						if !slices.Contains(s.Entries, d) {
							return false
						}
					}
				}
			}
			return true
		}),
	},
}

func primaries(v sim.View[shown]) (n int) {
	for _, s := range v.Nodes() {
		if s.Primary {
			n++
		}
	}
	return n
}
