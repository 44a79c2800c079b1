package catalog

import "macemc/sim"

// list are the entries of the catalogue, by system. Every bug of a system has
// one, and no other.
var list = []Known{
	{
		ID: "BT1", Kind: Liveness, Verdict: sim.VerdictDead,
		Critical: []Critical{{}},
		Paper:    "56 ms, 87 paths by plain search at depth 10; 15 ms by walks at depth 5",
	},
	{
		ID: "BT2", Kind: Safety, Verdict: sim.VerdictSafety,
		Critical: []Critical{at(Other, sim.KindMessage, "reorg"), at(Anyone, sim.KindMessage, "join"), at(Other, sim.KindMessage, "joinReply")},
		Paper:    "30 s, 18,000 paths at depth 20 with hashing; 0.37 s, 445 paths by walks at depth 10",
	},
	{
		ID: "HS1", Kind: Liveness, Verdict: sim.VerdictDead,
		Critical: []Critical{at(Other, sim.KindLose, "confirm")},
	},
	{
		ID: "OV1", Kind: Liveness, Verdict: sim.VerdictDead,
		// The locked node loses its parent, or what would have let go of it.
		Critical: []Critical{at(Anyone, sim.KindError, ""), at(Other, sim.KindMessage, "probed")},
		Paper:    "76 s, 16,000 paths by walks at depth 15; 51 s, 13,000 paths by biased ones",
	},
	{
		ID: "OV2", Kind: Liveness, Verdict: sim.VerdictDead,
		Flags:    Flags{Faults: "reset=2", Params: []string{"children=1"}},
		Critical: []Critical{at(First, sim.KindMessage, "remove")},
	},
	{ID: "PE1", Kind: Safety, Verdict: sim.VerdictSafety, Critical: []Critical{at(Anyone, sim.KindAction, "pass")}},
	{
		ID: "PE2", Kind: Liveness, Verdict: sim.VerdictDead,
		Critical: []Critical{at(Anyone, sim.KindAction, "claim")},
	},
	{ID: "ST1", Kind: Safety, Verdict: sim.VerdictSafety, Critical: []Critical{at(Anyone, sim.KindCrash, "")}},
	{ID: "ST2", Kind: Safety, Verdict: sim.VerdictSafety, Critical: []Critical{at(Anyone, sim.KindCrash, "")}},
	{ID: "ST3", Kind: Safety, Verdict: sim.VerdictSafety, Critical: []Critical{at(Anyone, sim.KindCrash, "")}},
	{ID: "SW1", Kind: Safety, Verdict: sim.VerdictSafety, Critical: []Critical{at(Anyone, sim.KindMessage, "data")}},
	{ID: "TP1", Kind: Safety, Verdict: sim.VerdictSafety, Critical: []Critical{at(Other, sim.KindMessage, "commit")}},
}
