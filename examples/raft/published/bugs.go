package main

// version is the version of the library in which the fixes are undone.
const version = "v3.7.0"

// bug is a bug of etcd's raft that its tracker describes.
type bug struct {
	name  string
	core  string   // the folder of core whose library has the bug as it was published, or "" if its fix is undone
	undo  []change // the places at which the fix is undone
	flags []string // of the search: nodes and parameters, no faults
}

// change undoes a fix at one place in the source of the library: in this file, it replaces the text
// fixed by the text broken.
type change struct{ file, fixed, broken string }

var bugs = []bug{
	{
		name:  "read-new-leader",
		undo:  []change{{"raft.go", "if !r.committedEntryInCurrentTerm() {\n\t\t\tr.pending", "if false {\n\t\t\tr.pending"}},
		flags: params("reads=9", "proposals=1"),
	},
	{
		name:  "read-context",
		core:  "raft36",
		flags: params("reads=9", "proposals=2"),
	},
	{
		name:  "vote-reset",
		undo:  []change{{"raft.go", "\tr.lead = None\n\n\tr.electionElapsed = 0\n", "\tr.Vote = None\n\tr.lead = None\n\n\tr.electionElapsed = 0\n"}},
		flags: params("proposals=0"),
	},
	{
		name:  "stable-term",
		undo:  []change{{"log_unstable.go", "if gt != id.term {", "if false {"}},
		flags: params("proposals=2"),
	},
	{
		name:  "append-answer",
		undo:  []change{{"raft.go", "Index: new(mlastIndex)})", "Index: new(max(mlastIndex, r.raftLog.lastIndex()))})"}},
		flags: params("proposals=2"),
	},
	{
		name:  "transfer-removed",
		undo:  []change{{"raft.go", "\tif !r.promotable() {\n\t\tr.logger.Warningf(\"%x is unpromotable and can not campaign\"", "\tif t != campaignTransfer && !r.promotable() {\n\t\tr.logger.Warningf(\"%x is unpromotable and can not campaign\""}},
		flags: params("members=remove", "transfers=2", "proposals=0"),
	},
	{
		name:  "campaign-leader",
		undo:  []change{{"raft.go", "\tif r.state == StateLeader {\n\t\tr.logger.Debugf(\"%x ignoring MsgHup", "\tif false {\n\t\tr.logger.Debugf(\"%x ignoring MsgHup"}},
		flags: params("proposals=0"),
	},
	{
		name: "prevote-lower-term",
		undo: []change{
			{"raft.go", "if (r.checkQuorum || r.preVote) && (m.GetType() == pb.MsgHeartbeat", "if r.checkQuorum && (m.GetType() == pb.MsgHeartbeat"},
			{"raft.go", "} else if m.GetType() == pb.MsgPreVote {\n\t\t\t// Before", "} else if false {\n\t\t\t// Before"},
		},
		flags: params("elections=prevote", "proposals=1"),
	},
	{
		name:  "learner-votes",
		undo:  []change{{"raft.go", "if canVote && r.raftLog.isUpToDate(candLastID) {", "if r.isLearner {\n\t\t\treturn nil\n\t\t}\n\t\tif canVote && r.raftLog.isUpToDate(candLastID) {"}},
		flags: params("members=learner", "proposals=0"),
	},
	{
		name:  "snapshot-behind",
		undo:  []change{{"raft.go", "if r.raftLog.matchTerm(id) {", "if false {"}},
		flags: params("compact=1", "proposals=3"),
	},
}

// params returns the flags of the command line that set these parameters of the
// driver.
func params(all ...string) (flags []string) {
	for _, p := range all {
		flags = append(flags, "--param", p)
	}
	return flags
}
