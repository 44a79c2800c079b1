package kcp

import (
	"macemc/internal/known"
	"macemc/sim"
	"macemc/trace"
)

// Known has the entries of the known bugs: how each is found, with which verdict, and which steps
// may be critical. The critical steps were written down before the first search. If a search named
// another step and was right, that step was added.
var Known = entries(
	known.Bug{ID: KC1, Kind: known.Safety, Verdict: trace.VerdictSafety, Critical: steps(sim.KindTimer, "again")},
	known.Bug{ID: KC2, Kind: known.Safety, Verdict: trace.VerdictSafety, Critical: steps(sim.KindMessage, "Packet")},
	known.Bug{ID: KC3, Kind: known.Safety, Verdict: trace.VerdictSafety, Flags: flags("none", "receive=4", "messages=4"), Critical: steps(sim.KindMessage, "Packet", sim.KindTimer, "update")},
	known.Bug{ID: KC4, Kind: known.Liveness, Verdict: trace.VerdictDead, Flags: flags("none"), Critical: steps(sim.KindTimer, "update")},
	known.Bug{ID: KC5, Kind: known.Liveness, Verdict: trace.VerdictDead, Flags: flags("none", "messages=2"), Long: true, Critical: steps(sim.KindMessage, "Packet")},
	known.Bug{ID: KC6, Kind: known.Safety, Verdict: trace.VerdictPanic, Flags: flags("none", "parts=2")}, // no critical step: every run reads a message
	known.Bug{ID: KC7, Kind: known.Liveness, Verdict: trace.VerdictDead, Flags: flags("loss=1", "messages=2", "receive=1"), Critical: steps(sim.KindLose, "Packet")},
	known.Bug{ID: KC8, Kind: known.Liveness, Verdict: trace.VerdictDead, Or: trace.VerdictSafety, Flags: flags("dup=1,reorder=1", "pattern=reconnect", "messages=1"), Long: true, Critical: steps(sim.KindMessage, "Packet")},
)

func flags(faults string, params ...string) known.Flags {
	return known.Flags{Faults: faults, Params: params}
}

func nodes(n int, f known.Flags) known.Flags {
	f.Nodes = n
	return f
}

// steps returns critical steps at any node. Its arguments are pairs: the kind of the event, and a
// text that the event contains.
func steps(of ...any) (all []known.Critical) {
	for i := 0; i < len(of); i += 2 {
		all = append(all, known.Critical{Kind: of[i].(sim.Kind), Message: of[i+1].(string)})
	}
	return all
}

func entries(bugs ...known.Bug) (all known.Entries) {
	for _, b := range bugs {
		e := known.Entry{Bug: b, System: System}
		for _, s := range Bugs {
			if s.ID == b.ID {
				e.Story = s.Story
			}
		}
		all = append(all, e)
	}
	return all
}
