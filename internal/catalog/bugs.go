package catalog

import (
	"macemc/sim"
	"macemc/trace"
)

// Elsewhere names the known bugs of the examples, which are modules of their own.
const Elsewhere = "The examples are modules of their own, with known bugs: examples/raft (RF1 to RF16) and examples/kcp (KC1 to KC8), " +
	"which go run ./check bugs lists there; examples/swim (SM1 to SM5), examples/ladder (PB1 to PB3), examples/leveldb (LV1), examples/pebble (PB1), examples/ledger (LD1 to LD6) and examples/lock (LK1)."

// lists is the text in the field Meant of the bugs PA5 and PA6. It says in words which steps may be
// the critical one.
const lists = "the first node lists both again that failed; or, where one sent a join before that, it comes to an end; or, where they were listed before, the second one is back before anybody hears an error"

// everyRun is the text in the field Meant of bugs that every run meets after a while.
const everyRun = "every fair run meets the bug sooner or later, so no single step decides it"

// leaders is the text in the field Meant of bugs that need two leaders.
const leaders = "two leaders and their acceptors need their messages in one order; on some seeds the step is one of these messages, on others the timer by which the second leader begins"

// loops is the text in the field Meant of bugs with a loop, for which no critical step is stated.
const loops = "a loop needs joins, answers and errors of several nodes in one order, and the step is another one of these on each seed"

// list has the entries of the catalogue, by system: one for each known bug.
var list = []Known{
	{
		ID: "BT1", Kind: Liveness, Verdict: trace.VerdictDead,
		Critical: []Critical{{}},
		Paper:    "56 ms, 87 paths by plain search at depth 10; 15 ms by walks at depth 5",
	},
	{
		ID: "BT2", Kind: Safety, Verdict: trace.VerdictSafety,
		Critical: []Critical{at(Other, sim.KindMessage, "Reorg"), at(Anyone, sim.KindMessage, "join"), at(Other, sim.KindMessage, "joinReply")},
		Paper:    "30 s, 18,000 paths at depth 20 with hashing; 0.37 s, 445 paths by walks at depth 10",
	},
	{ID: "CH1", Kind: Liveness, Verdict: trace.VerdictDead, Critical: []Critical{at(Anyone, sim.KindDown, "")}},
	{ID: "CH2", Kind: Safety, Verdict: trace.VerdictSafety, Critical: []Critical{at(Anyone, sim.KindMessage, "ack")}},
	{ID: "CH3", Kind: Safety, Verdict: trace.VerdictSafety, Critical: []Critical{at(Anyone, sim.KindError, "")}},
	{ID: "CH4", Kind: Safety, Verdict: trace.VerdictSafety, Critical: []Critical{at(Anyone, sim.KindDown, "")}},
	{ID: "CH5", Kind: Liveness, Verdict: trace.VerdictDead, Critical: []Critical{at(Anyone, sim.KindDown, "")}},
	{ID: "CH6", Kind: Safety, Verdict: trace.VerdictUnhandled, Critical: []Critical{at(Anyone, sim.KindDown, "")}},
	{ID: "CH7", Kind: Safety, Verdict: trace.VerdictUnhandled, Critical: []Critical{at(Anyone, sim.KindMessage, "reply")}},
	{ID: "CH8", Kind: Liveness, Verdict: trace.VerdictDead, Critical: []Critical{at(Anyone, sim.KindDown, "")}},
	{ID: "CL1", Kind: Safety, Verdict: trace.VerdictSafety, Critical: []Critical{at(Anyone, sim.KindMessage, "reply"), at(Anyone, sim.KindTask, "serve"), at(Anyone, sim.KindMessage, "request")}},
	{ID: "CL2", Kind: Safety, Flags: Flags{Params: []string{"of=list"}}, Verdict: trace.VerdictSafety, Critical: []Critical{at(Anyone, sim.KindMessage, "reply"), at(Anyone, sim.KindTask, "serve"), at(Anyone, sim.KindMessage, "request")}},
	{ID: "CL3", Kind: Safety, Flags: Flags{Params: []string{"of=list"}}, Verdict: trace.VerdictSafety, Critical: []Critical{at(Anyone, sim.KindMessage, "reply"), at(Anyone, sim.KindTask, "serve"), at(Anyone, sim.KindMessage, "request")}},
	{ID: "CL4", Kind: Liveness, Flags: Flags{Params: []string{"over=chain", "through=dispatcher"}, Faults: "down=1@n3"}, Verdict: trace.VerdictDead, Critical: []Critical{at(Anyone, sim.KindDown, ""), at(Anyone, sim.KindError, ""), at(Anyone, sim.KindMessage, "request")}},
	{ID: "CL5", Kind: Safety, Flags: Flags{Params: []string{"through=dispatcher"}}, Verdict: trace.VerdictSafety, Critical: []Critical{at(Anyone, sim.KindMessage, "request"), at(Anyone, sim.KindMessage, "reply"), at(Anyone, sim.KindTask, "serve")}},
	{ID: "CL6", Kind: Safety, Flags: Flags{Params: []string{"over=chain", "through=dispatcher"}, Faults: "down=1@n3"}, Verdict: trace.VerdictUnhandled, Critical: []Critical{at(Anyone, sim.KindDown, ""), at(Anyone, sim.KindError, ""), at(Anyone, sim.KindMessage, "reply")}},
	{ID: "CL7", Kind: Safety, Flags: Flags{Params: []string{"over=chain", "through=dispatcher"}, Faults: "down=1@n3"}, Verdict: trace.VerdictUnhandled, Critical: []Critical{at(Anyone, sim.KindDown, ""), at(Anyone, sim.KindMessage, "reply"), at(Anyone, sim.KindError, "")}},
	{ID: "CL8", Kind: Liveness, Flags: Flags{Params: []string{"over=multipaxos", "commands=1"}, Faults: "down=1@n2"}, Verdict: trace.VerdictDead, Critical: []Critical{at(Other, sim.KindMessage, "decided"), at(Other, sim.KindMessage, "promise"), at(Anyone, sim.KindDown, "")}},
	{ID: "CM1", Kind: Safety, Verdict: trace.VerdictSafety, Critical: []Critical{at(Anyone, sim.KindMessage, "vote")}},
	{ID: "CM2", Kind: Safety, Verdict: trace.VerdictUnhandled, Critical: []Critical{at(Anyone, sim.KindMessage, "prepare")}, Fresh: Share{Held: 8, Of: 10}},
	{ID: "CM3", Kind: Safety, Verdict: trace.VerdictUnhandled, Critical: []Critical{at(Anyone, sim.KindMessage, "prepare")}},
	{ID: "CM4", Kind: Safety, Verdict: trace.VerdictUnhandled, Critical: []Critical{at(Anyone, sim.KindTimer, "timeout")}},
	{ID: "CM5", Kind: Liveness, Verdict: trace.VerdictDead, Critical: []Critical{at(First, sim.KindMessage, "done"), at(First, sim.KindError, ""), at(Anyone, sim.KindDown, "")}},
	{ID: "CM6", Kind: Safety, Verdict: trace.VerdictSafety, Critical: []Critical{at(Anyone, sim.KindTimer, "timeout")}},
	{ID: "CM7", Kind: Safety, Verdict: trace.VerdictUnhandled, Meant: everyRun},
	{ID: "RP1", Kind: Safety, Verdict: trace.VerdictSafety, Critical: []Critical{at(Other, sim.KindMessage, "response"), at(Other, sim.KindReorder, "response")}},
	{ID: "RP2", Kind: Safety, Verdict: trace.VerdictSafety, Critical: []Critical{at(Other, sim.KindMessage, "response")}},
	{ID: "DP1", Kind: Liveness, Verdict: trace.VerdictHot, Critical: []Critical{at(First, sim.KindMessage, "reply"), at(Other, sim.KindLose, "take")}},
	{ID: "DP2", Kind: Safety, Verdict: trace.VerdictSafety, Critical: []Critical{at(Other, sim.KindMessage, "forward")}},
	{ID: "DP3", Kind: Safety, Verdict: trace.VerdictSafety, Critical: []Critical{{}}},
	{ID: "DP4", Kind: Safety, Verdict: trace.VerdictSafety, Critical: []Critical{at(First, sim.KindMessage, "reply")}},
	{ID: "DP5", Kind: Safety, Verdict: trace.VerdictSafety, Critical: []Critical{at(Other, sim.KindMessage, "forward")}},
	{ID: "DP6", Kind: Liveness, Verdict: trace.VerdictDead, Critical: []Critical{at(Anyone, sim.KindLose, "forward")}},
	{ID: "DP7", Kind: Safety, Verdict: trace.VerdictUnhandled, Critical: []Critical{at(First, sim.KindMessage, "reply")}},
	{ID: "DP8", Kind: Safety, Verdict: trace.VerdictUnhandled, Critical: []Critical{at(First, sim.KindMessage, "reply"), at(First, sim.KindMessage, "moved")}},
	{ID: "EM1", Kind: Safety, Flags: Flags{Params: []string{"receivers=2", "bad-receivers=2", "strategy=both"}}, Verdict: trace.VerdictSafety, Critical: []Critical{at(Anyone, sim.KindMessage, "commit")}},
	{ID: "EM2", Kind: Safety, Flags: Flags{Params: []string{"receivers=2", "strategy=both"}}, Verdict: trace.VerdictSafety, Critical: []Critical{at(Anyone, sim.KindMessage, "commit")}},
	{ID: "EM3", Kind: Liveness, Flags: Flags{Params: []string{"bad-initiators=0"}}, Verdict: trace.VerdictDead, Critical: []Critical{at(Other, sim.KindMessage, "echo")}},
	{ID: "EM4", Kind: Safety, Flags: Flags{Params: []string{"receivers=2", "bad-receivers=0", "strategy=both"}}, Verdict: trace.VerdictSafety, Critical: []Critical{at(Anyone, sim.KindMessage, "commit")}},
	{ID: "EL1", Kind: Safety, Verdict: trace.VerdictSafety, Critical: []Critical{{}}},
	{ID: "EL2", Kind: Liveness, Verdict: trace.VerdictDead, Critical: []Critical{at(Other, sim.KindMessage, "ping")}},
	{ID: "EL3", Kind: Liveness, Verdict: trace.VerdictDead, Critical: []Critical{at(First, sim.KindDown, "")}},
	{ID: "EL4", Kind: Liveness, Verdict: trace.VerdictDead, Critical: []Critical{at(First, sim.KindDown, "")}},
	{ID: "EL5", Kind: Safety, Verdict: trace.VerdictUnhandled, Critical: []Critical{at(Anyone, sim.KindDown, "")}},
	{ID: "EL6", Kind: Safety, Verdict: trace.VerdictUnhandled, Meant: everyRun},
	{ID: "EL7", Kind: Safety, Verdict: trace.VerdictUnhandled, Critical: []Critical{at(Anyone, sim.KindDown, "")}},
	{
		ID: "HS1", Kind: Liveness, Verdict: trace.VerdictDead,
		Critical: []Critical{at(Other, sim.KindLose, "confirm")},
	},
	// It can be avoided until then: the lease may have come round before the write.
	// In LE1, where the reading is taken long before, that is rare as soon as the
	// next node has the lease, and walks may fall off there already.
	{ID: "LE1", Kind: Safety, Verdict: trace.VerdictSafety, Critical: []Critical{at(Anyone, sim.KindTask, "store"), at(Anyone, sim.KindMessage, "lease")}},
	{ID: "LE2", Kind: Safety, Verdict: trace.VerdictSafety, Critical: []Critical{at(Anyone, sim.KindTask, "store")}},
	{ID: "LE3", Kind: Safety, Verdict: trace.VerdictSafety, Critical: []Critical{at(Anyone, sim.KindTask, "store")}},
	{ID: "MP1", Kind: Safety, Flags: Flags{Params: []string{"slots=1"}}, Verdict: trace.VerdictSafety, Meant: leaders},
	{ID: "MP2", Kind: Safety, Flags: Flags{Params: []string{"slots=1"}}, Verdict: trace.VerdictSafety, Meant: leaders},
	{ID: "MP3", Kind: Safety, Flags: Flags{Params: []string{"slots=1"}}, Verdict: trace.VerdictSafety, Meant: leaders},
	{ID: "MP4", Kind: Safety, Flags: Flags{Params: []string{"slots=1"}}, Verdict: trace.VerdictSafety, Meant: leaders},
	{ID: "MP5", Kind: Safety, Flags: Flags{Params: []string{"slots=1"}}, Verdict: trace.VerdictUnhandled, Meant: everyRun},
	{ID: "MP6", Kind: Safety, Flags: Flags{Params: []string{"slots=1"}}, Verdict: trace.VerdictUnhandled, Meant: leaders},
	{ID: "MP7", Kind: Liveness, Flags: Flags{Faults: "down=1@n2"}, Verdict: trace.VerdictDead, Critical: []Critical{at(Other, sim.KindDown, "")}},
	{ID: "MP8", Kind: Safety, Verdict: trace.VerdictSafety, Critical: []Critical{at(Other, sim.KindMessage, "prepare")}, Fresh: Share{Held: 7, Of: 10}},
	{
		ID: "OV1", Kind: Liveness, Verdict: trace.VerdictDead,
		// The locked node is cut off from its parent when nothing can let go of it any more.
		Critical: []Critical{at(Anyone, sim.KindError, "")},
		Paper:    "76 s, 16,000 paths by walks at depth 15; 51 s, 13,000 paths by biased ones",
	},
	{
		ID: "OV2", Kind: Liveness, Verdict: trace.VerdictDead,
		Flags:    Flags{Faults: "reset=2", Params: []string{"children=1"}},
		Critical: []Critical{at(First, sim.KindMessage, "remove")},
	},
	{
		ID: "PA1", Kind: Liveness, Verdict: trace.VerdictDead, Long: true,
		Flags: Flags{Faults: "none"},
		// From then on joins are sent on to the second member, and not served by the first.
		// While that is under way, the third node may still be served in time; walks rarely see that.
		Critical: []Critical{at(First, sim.KindMessage, "inform"), at(Other, sim.KindMessage, "rowInfo"), at(Other, sim.KindMessage, "leafSetInfo")},
	},
	{
		ID: "PA2", Kind: Liveness, Verdict: trace.VerdictDead, Long: true,
		Flags:    Flags{Faults: "partition=1", Params: []string{"keys=small"}},
		Critical: []Critical{at(Anyone, sim.KindError, "")},
	},
	{
		ID: "PA3", Kind: Liveness, Verdict: trace.VerdictDead, Long: true,
		Fresh: Share{Held: 3, Of: 4},
		Flags: Flags{Nodes: 8, Faults: "none", Params: []string{"leaves=4"}},
		// Any message of a member proves that it is one, and so makes it a leaf.
		Critical: []Critical{at(Anyone, sim.KindMessage, "inform"), at(Anyone, sim.KindMessage, "leafSetInfo"), at(Anyone, sim.KindMessage, "rowInfo")},
		Paper:    "path 5 at depth 5, the critical step 355",
	},
	{
		ID: "PA4", Kind: Liveness, Verdict: trace.VerdictDead, Long: true,
		Fresh:    Share{Held: 1, Of: 3},
		Flags:    Flags{Prefix: "PA4.path", Faults: "crash=1"},
		Critical: []Critical{at(First, sim.KindMessage, "leafSetInfo")},
		Paper:    "path 48 at depth 5 from a prefix of 744 steps, the critical step 771",
	},
	{
		ID: "PA5", Kind: Liveness, Verdict: trace.VerdictDead, Long: true, Paths: 40_000,
		Flags:    Flags{Prefix: "PA4.path", Faults: "crash=2"},
		Critical: []Critical{at(First, sim.KindMessage, "leafSetInfo"), at(Other, sim.KindMessage, "join"), at(Other, sim.KindRestart, "")},
		Meant:    lists,
		Paper:    "path 1,952 at depth 5 from a prefix of 744 steps, the critical position 821",
	},
	{
		ID: "PA6", Kind: Liveness, Verdict: trace.VerdictDead, Long: true, Paths: 40_000,
		Flags:    Flags{Prefix: "PA4.path", Faults: "crash=2"},
		Critical: []Critical{at(First, sim.KindMessage, "leafSetInfo"), at(Other, sim.KindMessage, "join"), at(Other, sim.KindRestart, "")},
		Meant:    lists,
	},
	{
		ID: "PA7", Kind: Liveness, Verdict: trace.VerdictDead, Long: true,
		Flags:    Flags{Prefix: "PA4.path", Faults: "crash=2"},
		Critical: []Critical{at(First, sim.KindMessage, "probed")},
	},
	{ID: "PX1", Kind: Safety, Verdict: trace.VerdictSafety, Critical: []Critical{at(Other, sim.KindMessage, "read"), at(Other, sim.KindMessage, "readRepl"), at(Other, sim.KindMessage, "write")}},
	{ID: "PX2", Kind: Safety, Verdict: trace.VerdictSafety, Critical: []Critical{at(Other, sim.KindMessage, "write")}},
	{ID: "PX3", Kind: Safety, Verdict: trace.VerdictSafety, Critical: []Critical{at(Other, sim.KindMessage, "readRepl"), at(First, sim.KindMessage, "readRepl")}},
	{ID: "PE1", Kind: Safety, Verdict: trace.VerdictSafety, Critical: []Critical{at(Anyone, sim.KindAction, "pass")}},
	{
		ID: "PE2", Kind: Liveness, Verdict: trace.VerdictDead,
		Critical: []Critical{at(Anyone, sim.KindAction, "claim")},
	},
	{ID: "RT1", Kind: Liveness, Verdict: trace.VerdictDivergence, Critical: []Critical{at(Anyone, sim.KindTimer, "joinTimer")}},
	{
		ID: "RT2", Kind: Liveness, Verdict: trace.VerdictDead, Long: true,
		Critical: []Critical{{}},
	},
	{
		ID: "RT3", Kind: Liveness, Verdict: trace.VerdictDead, Long: true,
		Flags:    Flags{Properties: []string{"all joined", "one root", "children match parents", "roots match", "siblings match"}},
		Critical: []Critical{at(Anyone, sim.KindTimer, "recoveryTimer"), at(Anyone, sim.KindMessage, "join"), at(Anyone, sim.KindMessage, "joinReply")},
		Meant:    "the recovery timer fires in vain, or a node whose timer did so joins without setting it again",
	},
	{
		ID: "RT4", Kind: Liveness, Verdict: trace.VerdictDead, Long: true,
		Flags:    Flags{Nodes: 4, Faults: "none"},
		Critical: []Critical{at(Anyone, sim.KindMessage, "newRoot"), at(Anyone, sim.KindTimer, "recoveryTimer"), at(Anyone, sim.KindMessage, "remove")},
	},
	{ID: "RT5", Kind: Liveness, Verdict: trace.VerdictDivergence, Critical: []Critical{at(Anyone, sim.KindTimer, "joinTimer")}},
	{ID: "RT6", Kind: Liveness, Verdict: trace.VerdictDivergence, Critical: []Critical{at(Anyone, sim.KindTimer, "joinTimer")}},
	{
		ID: "RT7", Kind: Liveness, Verdict: trace.VerdictDivergence,
		Flags:    Flags{Prefix: "RT7.path", Faults: "crash=1"},
		Critical: []Critical{at(Anyone, sim.KindTimer, "joinTimer")},
	},
	{
		ID: "RT8", Kind: Liveness, Verdict: trace.VerdictDivergence, Long: true, Paths: 200_000,
		Flags:    Flags{Nodes: 4, Faults: "crash=1,reset=2", Params: []string{"children=1"}},
		Critical: []Critical{at(Anyone, sim.KindTimer, "joinTimer")},
	},
	{
		ID: "RT9", Kind: Liveness, Verdict: trace.VerdictDivergence, Long: true, Paths: 50_000,
		Flags:    Flags{Nodes: 4, Faults: "crash=1", Params: []string{"children=1", "visitors=3"}},
		Critical: []Critical{at(Anyone, sim.KindTimer, "joinTimer")},
	},
	{
		ID: "RT10", Kind: Liveness, Verdict: trace.VerdictDead, Long: true,
		Critical: []Critical{at(Anyone, sim.KindMessage, "remove")},
	},
	{ID: "RT11", Kind: Safety, Verdict: trace.VerdictSafety, Critical: []Critical{at(Anyone, sim.KindMessage, "probe")}},
	{
		ID: "RT12", Kind: Liveness, Verdict: trace.VerdictDead, Long: true,
		Flags:    Flags{Faults: "none", Params: []string{"buffer=2"}},
		Fresh:    Share{Held: 9, Of: 10},
		Critical: []Critical{{Kind: sim.KindMessage, Message: "joinReply", Refused: "remove"}},
		Paper:    "9.5 h, 2,850,000 paths at depth 35, the critical step 68",
	},
	{
		ID: "RT13", Kind: Liveness, Verdict: trace.VerdictDead, Long: true,
		Flags:    Flags{Nodes: 4, Faults: "crash=2"},
		Critical: []Critical{at(Restarted, sim.KindMessage, "joinReply")},
		Paper:    "383,365 paths at depth 15, the critical position 18",
	},
	{
		ID: "RT14", Kind: Safety, Verdict: trace.VerdictSafety, Long: true,
		Flags:    Flags{Nodes: 4, Faults: "crash=2"},
		Critical: []Critical{at(Anyone, sim.KindMessage, "probeJoin")},
		Paper:    "1,350,198 paths at depth 15",
	},
	{
		ID: "RT15", Kind: Safety, Verdict: trace.VerdictPanic, Long: true,
		Fresh:    Share{Held: 9, Of: 10}, // on the other one it is the crash before the error
		Flags:    Flags{Nodes: 4, Faults: "crash=2"},
		Critical: []Critical{at(Anyone, sim.KindTimer, "joinTimer"), at(Anyone, sim.KindError, ""), at(Anyone, sim.KindMessage, "join")},
		Meant:    "the node asks while it believes in its old root, since a join timed out or its parent died; or, where it may still be let in, the node that it asks tells it to be the root",
		Paper:    "535 paths from a prefix, with 6 nodes",
	},
	{
		ID: "RT16", Kind: Safety, Verdict: trace.VerdictPanic, Long: true, Paths: 200_000,
		Fresh:    Share{Held: 5, Of: 6},
		Flags:    Flags{Nodes: 4, Faults: "crash=2"},
		Critical: []Critical{at(Anyone, sim.KindError, ""), at(Anyone, sim.KindCrash, "")},
		Paper:    "38,365 paths from a prefix, with 6 nodes",
	},
	{
		ID: "RT17", Kind: Safety, Verdict: trace.VerdictPanic, Long: true,
		Fresh:    Share{Held: 9, Of: 10},
		Flags:    Flags{Nodes: 4, Faults: "crash=2", Params: []string{"children=1"}},
		Critical: []Critical{at(Anyone, sim.KindCrash, ""), at(Anyone, sim.KindError, ""), at(Anyone, sim.KindMessage, "joinReply")},
		Meant:    "the old root dies, or the parent, or, where another answer may come first, the joiner is told to be the root",
		Paper:    "38,365 paths from a prefix, with 6 nodes",
	},
	{
		ID: "RT18", Kind: Liveness, Verdict: trace.VerdictDead, Long: true,
		Critical: []Critical{at(Anyone, sim.KindError, ""), at(Anyone, sim.KindMessage, "joinReply"), at(Anyone, sim.KindMessage, "newRoot"), at(Anyone, sim.KindMessage, "join"), at(Anyone, sim.KindMessage, "remove")},
		Meant:    "the parent forgets the child that its late answer makes believe in it: the last of the join, the answer, the error and the messages before them, in whichever order they come",
	},
	{
		ID: "RT19", Kind: Safety, Verdict: trace.VerdictSafety, Or: trace.VerdictPanic, Long: true, Paths: 200_000, // a node in a loop may also claim a wrong root
		Meant: loops,
		Flags: Flags{Nodes: 5, Faults: "crash=2,reset=2,partition=1", Params: []string{"children=1"}},
	},
	{
		ID: "RT20", Kind: Safety, Verdict: trace.VerdictPanic, Long: true,
		Flags:    Flags{Faults: "crash=2,reset=2"},
		Critical: []Critical{at(Anyone, sim.KindReset, ""), at(Anyone, sim.KindError, ""), at(Anyone, sim.KindCrash, "")},
	},
	{
		ID: "RT21", Kind: Liveness, Verdict: trace.VerdictDead, Long: true,
		Fresh:    Share{Held: 9, Of: 10},
		Flags:    Flags{Nodes: 5, Faults: "crash=2,reset=2", Params: []string{"visitors=2"}},
		Critical: []Critical{at(Anyone, sim.KindMessage, "joinReply"), at(Anyone, sim.KindMessage, "remove"), at(Anyone, sim.KindTimer, "joinTimer"), at(Anyone, sim.KindTimer, "recoveryTimer")},
		Meant:    "the child believes an acceptance that its refusal of an earlier one undoes: the later of the two, or the timer that brings them about",
	},
	{
		ID: "RT22", Kind: Liveness, Verdict: trace.VerdictDivergence, Long: true,
		Flags:    Flags{Nodes: 4, Faults: "crash=1,reset=1", Params: []string{"visitors=2"}},
		Critical: []Critical{at(Anyone, sim.KindTimer, "joinTimer")},
	},
	{
		ID: "RT23", Kind: Safety, Verdict: trace.VerdictSafety, Long: true, Paths: 200_000,
		Meant: loops,
		Flags: Flags{Nodes: 5, Faults: "crash=2,reset=2,partition=1", Params: []string{"children=1"}},
	},
	{
		ID: "RT24", Kind: Safety, Verdict: trace.VerdictSafety, Or: trace.VerdictPanic, Long: true, Paths: 500_000, // as RT19
		Meant: loops,
		Flags: Flags{Nodes: 5, Faults: "crash=2,reset=2,partition=1", Params: []string{"children=1"}},
	},
	{
		ID: "RT25", Kind: Liveness, Verdict: trace.VerdictDead, Long: true,
		Flags:    Flags{Faults: "none", Params: []string{"buffer=1"}},
		Critical: []Critical{at(Anyone, sim.KindMessage, "join"), at(Anyone, sim.KindMessage, "probe")},
	},
	{
		ID: "RT26", Kind: Liveness, Verdict: trace.VerdictDead, Long: true,
		Flags:    Flags{Faults: "none", Params: []string{"buffer=1"}},
		Critical: []Critical{at(Anyone, sim.KindMessage, "joinReply"), at(Anyone, sim.KindMessage, "join"), at(Anyone, sim.KindMessage, "remove")},
	},
	{
		ID: "RT27", Kind: Liveness, Verdict: trace.VerdictDead, Long: true,
		Flags:    Flags{Nodes: 4, Faults: "none", Params: []string{"buffer=1"}},
		Critical: []Critical{at(Anyone, sim.KindMessage, "probe"), at(Anyone, sim.KindMessage, "joinReply"), at(Anyone, sim.KindMessage, "join")},
	},
	{
		ID: "RT28", Kind: Safety, Verdict: trace.VerdictSafety,
		Flags:    Flags{Prefix: "RT28.path", Faults: "crash=1"},
		Critical: []Critical{at(Anyone, sim.KindCrash, "")},
	},
	{ID: "RL1", Kind: Safety, Verdict: trace.VerdictUnhandled, Critical: []Critical{at(Other, sim.KindMessage, "ack")}},
	{ID: "RL2", Kind: Liveness, Verdict: trace.VerdictDead, Critical: []Critical{{}}},
	{ID: "RL3", Kind: Liveness, Verdict: trace.VerdictDead, Critical: []Critical{at(First, sim.KindLose, "packet"), at(Other, sim.KindMessage, "ack")}},
	{ID: "RL4", Kind: Liveness, Verdict: trace.VerdictDead, Critical: []Critical{at(First, sim.KindLose, "packet"), at(Other, sim.KindLose, "ack")}},
	{ID: "RL5", Kind: Liveness, Verdict: trace.VerdictDead, Critical: []Critical{at(Other, sim.KindLose, "ack")}},
	{ID: "RL6", Kind: Safety, Verdict: trace.VerdictSafety, Critical: []Critical{at(Other, sim.KindTimer, "retry")}},
	{ID: "RL7", Kind: Safety, Verdict: trace.VerdictUnhandled, Meant: everyRun}, // gets the second request
	{ID: "ST1", Kind: Safety, Verdict: trace.VerdictSafety, Critical: []Critical{at(Anyone, sim.KindCrash, "")}},
	{ID: "ST2", Kind: Safety, Verdict: trace.VerdictSafety, Critical: []Critical{at(Anyone, sim.KindCrash, "")}},
	{ID: "ST3", Kind: Safety, Verdict: trace.VerdictSafety, Critical: []Critical{at(Anyone, sim.KindCrash, "")}},
	{ID: "SW1", Kind: Safety, Verdict: trace.VerdictSafety, Critical: []Critical{at(Anyone, sim.KindTimer, "retransmit")}},
	{ID: "RS1", Kind: Safety, Narrow: true, Verdict: trace.VerdictSafety, Critical: []Critical{at(Other, sim.KindMessage, "value")}},
	{ID: "RS2", Kind: Safety, Verdict: trace.VerdictSafety, Critical: []Critical{at(Other, sim.KindMessage, "value")}},
	{ID: "RS3", Kind: Safety, Verdict: trace.VerdictSafety, Critical: []Critical{at(Other, sim.KindMessage, "value")}},
	{ID: "RS4", Kind: Safety, Verdict: trace.VerdictSafety, Critical: []Critical{at(Other, sim.KindMessage, "value")}},
	{ID: "RS5", Kind: Safety, Flags: Flags{Params: []string{"promise=atomic", "writes=1", "reads=2"}}, Verdict: trace.VerdictSafety, Critical: []Critical{at(Other, sim.KindMessage, "value")}},
	{ID: "TX1", Kind: Safety, Verdict: trace.VerdictSafety, Meant: everyRun},
	{ID: "TX2", Kind: Safety, Verdict: trace.VerdictSafety, Critical: []Critical{at(First, sim.KindMessage, "reply")}},
	{ID: "TX3", Kind: Liveness, Flags: Flags{Params: []string{"over=chain"}, Faults: "down=1@n1"}, Verdict: trace.VerdictDead, Critical: []Critical{at(Anyone, sim.KindDown, ""), at(First, sim.KindError, "")}},
	{ID: "TX4", Kind: Safety, Flags: Flags{Params: []string{"over=chain"}, Faults: "down=1@n1"}, Verdict: trace.VerdictUnhandled, Critical: []Critical{at(Anyone, sim.KindDown, ""), at(First, sim.KindError, "")}},
	{ID: "TX5", Kind: Safety, Flags: Flags{Params: []string{"over=chain"}, Faults: "down=1@n1"}, Verdict: trace.VerdictUnhandled, Critical: []Critical{at(First, sim.KindMessage, "reply"), at(Anyone, sim.KindDown, "")}},
	{ID: "TX6", Kind: Liveness, Flags: Flags{Params: []string{"over=chain"}, Faults: "down=1@n1"}, Verdict: trace.VerdictDead, Critical: []Critical{at(First, sim.KindMessage, "reply"), at(Anyone, sim.KindDown, ""), at(First, sim.KindError, "")}},
	{ID: "TX7", Kind: Safety, Verdict: trace.VerdictUnhandled, Meant: everyRun},
	{ID: "MT1", Kind: Safety, Verdict: trace.VerdictSafety, Critical: []Critical{at(Anyone, sim.KindTimer, "retransmit")}},
	{
		ID: "MT2", Kind: Safety, Verdict: trace.VerdictPanic,
		Critical: []Critical{at(Anyone, sim.KindTimer, "retransmit"), at(Anyone, sim.KindMessage, "reset")},
	},
	{
		ID: "MT3", Kind: Liveness, Verdict: trace.VerdictDead,
		// As in the paper, which asked for these; "incarnations come in order" is violated sooner.
		Flags: Flags{Params: []string{"senders=1", "messages=2"}, Faults: "reorder=1,rare=1",
			Properties: []string{"everything sent is acknowledged", "sequence numbers agree", "all messages are delivered", "no timer and no datagram is left"}},
		Critical: []Critical{at(First, sim.KindMessage, "ack")},
	},
	{
		ID: "MT4", Kind: Safety, Verdict: trace.VerdictPanic,
		Flags:    Flags{Faults: "loss=1,dup=1,reorder=1,rare=1"}, // else what is critical is often that somebody has room again
		Critical: []Critical{at(Anyone, sim.KindMessage, "data"), at(Anyone, sim.KindReorder, "data"), at(Anyone, sim.KindLose, "data")},
	},
	{
		ID: "MT5", Kind: Safety, Verdict: trace.VerdictSafety,
		Critical: []Critical{at(Anyone, sim.KindReorder, "data"), at(Anyone, sim.KindMessage, "data")},
	},
	{
		ID: "MT6", Kind: Liveness, Verdict: trace.VerdictDead,
		Flags: Flags{Params: []string{"senders=1"}},
		Critical: []Critical{
			at(Anyone, sim.KindTimer, "retransmit"), at(Anyone, sim.KindMessage, "data"),
			at(Anyone, sim.KindReorder, "data"), at(Anyone, sim.KindLose, "data"), at(Anyone, sim.KindLose, "ack"),
		},
		Meant: "an ack will name a datagram that is not in flight: one was lost or overtaken, or its ack was, or the time-out put it back, or what it lacked arrives",
	},
	{
		ID: "MT7", Kind: Performance, Verdict: trace.VerdictSafety,
		Meant:    "a message of the connection's second life meets what is left of the first, and it depends on the run which of them comes last",
		Flags:    Flags{Faults: "rare=1"},
		Critical: []Critical{at(Anyone, sim.KindMessage, "reset"), at(Anyone, sim.KindTimer, "retransmit"), at(Anyone, sim.KindMessage, "syn"), at(Anyone, sim.KindMessage, "data")},
	},
	{
		ID: "MT8", Kind: Safety, Verdict: trace.VerdictSafety,
		Flags:    Flags{Params: []string{"fragments=3"}},
		Critical: []Critical{at(Anyone, sim.KindDuplicate, "data")},
	},
	{
		ID: "MT9", Kind: Performance, Verdict: trace.VerdictSafety,
		Critical: []Critical{at(Anyone, sim.KindMessage, "ack"), at(Anyone, sim.KindMessage, "data"), at(Anyone, sim.KindTimer, "retransmit")},
	},
	// With two nodes and these parameters the bug does not show: a node with one peer asks
	// it again as soon as it gets the error.
	{
		ID: "MT10", Kind: Safety, Verdict: trace.VerdictSafety,
		Flags:    Flags{Nodes: 3, Params: []string{"senders=1", "buffer=2"}, Faults: "rare=1"},
		Critical: []Critical{at(Anyone, sim.KindTimer, "clear"), at(Anyone, sim.KindTimer, "retransmit")},
	},
	{
		ID: "MT11", Kind: Liveness, Verdict: trace.VerdictDead,
		Flags:    Flags{Params: []string{"senders=1"}, Faults: "crash=1,reorder=1"},
		Critical: []Critical{at(Restarted, sim.KindMessage, "syn"), at(Other, sim.KindRestart, ""), at(First, sim.KindMessage, "ack")},
	},
	{
		ID: "MT12", Kind: Safety, Verdict: trace.VerdictSafety,
		Flags:    Flags{Params: []string{"senders=1"}, Faults: "crash=1", Properties: []string{"messages come whole and in order, none twice, none left out"}},
		Critical: []Critical{at(Anyone, sim.KindMessage, "ack")},
	},
	{ID: "TP1", Kind: Safety, Verdict: trace.VerdictSafety, Critical: []Critical{at(Other, sim.KindMessage, "commit")}},
	// The server crashes within a step. With WL1 it answers first, and what the client is told while
	// the server is down cannot be taken back; if the answer comes later, the write was done again.
	{ID: "WL1", Kind: Safety, Verdict: trace.VerdictSafety, Critical: []Critical{at(Other, sim.KindMessage, "ack")}},
	{ID: "WL2", Kind: Safety, Verdict: trace.VerdictSafety, Critical: []Critical{at(First, sim.KindMessage, "put")}},
	{ID: "WL3", Kind: Safety, Narrow: true, Verdict: trace.VerdictSafety, Critical: []Critical{at(First, sim.KindMessage, "put")}},
	{ID: "WL4", Kind: Safety, Verdict: trace.VerdictSafety, Critical: []Critical{at(First, sim.KindMessage, "put")}},
	{
		ID: "WL5", Kind: Safety, Verdict: trace.VerdictSafety,
		Flags: Flags{Disk: "reorder"}, Critical: []Critical{at(First, sim.KindMessage, "put")},
	},
}
