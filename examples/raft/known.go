package raft

import (
	"macemc/internal/known"
	"macemc/sim"
	"macemc/trace"
)

// Known has the entries of the known bugs: how each is found, with which verdict, and which step is
// critical. The critical steps were written before the first search. If a search named another step
// and was right, that step was added. A crash may come in the middle of a task, which is the
// critical step then.
var Known = entries(
	known.Bug{ID: RF1, Kind: known.Safety, Verdict: trace.VerdictSafety, Or: trace.VerdictPanic, Flags: flags("crash=2", "proposals=0"),
		Critical: steps(sim.KindMessage, "wire", sim.KindTimer, "campaign", sim.KindTask, "send", sim.KindCrash, "")},
	known.Bug{ID: RF2, Kind: known.Safety, Verdict: trace.VerdictSafety, Or: trace.VerdictPanic, Flags: flags("crash=2", "proposals=0"),
		Critical: steps(sim.KindMessage, "wire", sim.KindTimer, "campaign", sim.KindTask, "send", sim.KindCrash, "")},
	known.Bug{ID: RF3, Kind: known.Liveness, Verdict: trace.VerdictDead, Flags: flags("none"),
		Critical: steps(sim.KindMessage, "wire", sim.KindTimer, "campaign", sim.KindTask, "save")},
	known.Bug{ID: RF4, Kind: known.Safety, Verdict: trace.VerdictSafety, Or: trace.VerdictPanic, Flags: flags("crash=2", "proposals=0", "storage=files"),
		Critical: steps(sim.KindMessage, "wire", sim.KindTimer, "campaign", sim.KindTask, "send", sim.KindCrash, "")},
	known.Bug{ID: RF5, Kind: known.Safety, Verdict: trace.VerdictPanic, Or: trace.VerdictSafety, Flags: flags("crash=3", "storage=files"),
		Critical: steps(sim.KindMessage, "wire", sim.KindCrash, "", sim.KindRestart, "", sim.KindTask, "send", sim.KindTask, "save", sim.KindTask, "sync", sim.KindTask, "apply")},
	known.Bug{ID: RF6, Kind: known.Safety, Verdict: trace.VerdictSafety, Or: trace.VerdictPanic, Flags: flags("crash=2", "proposals=0", "storage=files"),
		Critical: steps(sim.KindMessage, "wire", sim.KindTimer, "campaign", sim.KindTask, "send", sim.KindCrash, "")},
	known.Bug{ID: RF7, Kind: known.Safety, Verdict: trace.VerdictSafety, Or: trace.VerdictPanic, Flags: flags("none", "proposals=1"),
		Critical: steps(sim.KindTimer, "campaign", sim.KindTask, "save", sim.KindMessage, "wire")},
	known.Bug{ID: RF8, Kind: known.Safety, Verdict: trace.VerdictSafety, Flags: flags("none", "proposals=1"),
		Critical: steps(sim.KindMessage, "wire", sim.KindTask, "apply", sim.KindTimer, "campaign")},
	known.Bug{ID: RF9, Kind: known.Safety, Verdict: trace.VerdictSafety, Flags: flags("none"),
		Critical: steps(sim.KindTimer, "campaign", sim.KindMessage, "wire", sim.KindTask, "save", sim.KindTask, "send", sim.KindTimer, "propose")},
	known.Bug{ID: RF10, Kind: known.Safety, Verdict: trace.VerdictSafety, Flags: flags("none", "reads=9", "proposals=1"),
		Critical: steps(sim.KindMessage, "wire", sim.KindTask, "save", sim.KindTask, "send", sim.KindTask, "apply")},
	known.Bug{ID: RF11, Kind: known.Safety, Verdict: trace.VerdictSafety, Flags: flags("crash=1", "proposals=1", "reads=1"),
		// The request of the new life is critical if the old answer has come and waits for the task apply: had that task come
		// first, there would have been no read that the answer could be taken for.
		Critical: steps(sim.KindCrash, "", sim.KindMessage, "wire", sim.KindTask, "save", sim.KindTask, "send", sim.KindTask, "apply", sim.KindScript, "look")},
	known.Bug{ID: RF12, Kind: known.Safety, Verdict: trace.VerdictSafety, Flags: flags("none", "proposals=0"),
		Critical: append(steps(sim.KindMessage, "wire", sim.KindTimer, "campaign"), known.Critical{})},
	known.Bug{ID: RF13, Kind: known.Safety, Verdict: trace.VerdictSafety, Or: trace.VerdictPanic, Flags: flags("none", "compact=1"),
		Critical: steps(sim.KindTimer, "campaign", sim.KindMessage, "wire", sim.KindTask, "compact", sim.KindTimer, "propose")},
	known.Bug{ID: RF14, Kind: known.Liveness, Verdict: trace.VerdictDead, Flags: flags("none", "members=leave", "proposals=0", "compact=3"), Long: true,
		Critical: steps(sim.KindTimer, "change", sim.KindMessage, "wire", sim.KindTimer, "campaign", sim.KindTask, "save", sim.KindTask, "send")},
	known.Bug{ID: RF15, Kind: known.Liveness, Verdict: trace.VerdictDead, Flags: nodes(2, flags("crash=2", "proposals=0")),
		Critical: steps(sim.KindCrash, "")},
	known.Bug{ID: RF16, Kind: known.Safety, Verdict: trace.VerdictSafety, Or: trace.VerdictPanic, Flags: flags("none", "members=leave", "apply=slow", "proposals=0"),
		Critical: steps(sim.KindTimer, "change", sim.KindMessage, "wire", sim.KindTask, "work", sim.KindTask, "send")}, // raft learns of it too early, in the last task of a Ready, mostly send
)

func flags(faults string, params ...string) known.Flags {
	return known.Flags{Faults: faults, Params: params}
}

func nodes(n int, f known.Flags) known.Flags {
	f.Nodes = n
	return f
}

// steps returns critical steps at any node. Its arguments are pairs: a kind, and a text that says
// which event of that kind.
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
