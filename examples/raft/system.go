package raft

import (
	"fmt"

	"macemc/examples/raft/core"
	"macemc/history"
	"macemc/sim"
)

// Proposals is the number of proposed commands.
var Proposals = &sim.Param{
	Name:  "proposals",
	Doc:   "how many commands are proposed, by the servers in turn",
	Range: sim.Range{Default: 3, Least: 0, Most: 50},
}

// commandNames are the names of the commands, "c1" first.
var commandNames = func() (all []string) {
	for i := range Proposals.Range.Most {
		all = append(all, fmt.Sprintf("c%d", i+1))
	}
	return all
}()

// Storage selects what a server keeps in a crash: raft's MemoryStorage as it is, or a log on its
// stable storage, which a crash may tear.
var Storage = &sim.Param{Name: "storage", Doc: "where servers save: in raft's MemoryStorage, or in a log on stable storage", Words: []string{"memory", "files"}}

// Elections selects what decides when a server stands for election: the driver's timer, or raft's
// own clock, alone or with PreVote, CheckQuorum, both, or CheckQuorum and reads by lease.
var Elections = &sim.Param{
	Name: "elections",
	Doc: "what lets a server stand for election: a timer of the driver's, or ticks of raft's own clock, plain, with PreVote, " +
		"with CheckQuorum, with both, or with CheckQuorum and reads by lease (which are stale where clocks differ, as raft says itself)",
	Words: []string{"driver", "ticks", "prevote", "quorum", "both", "leases"},
}

// Election is the election timeout, in ticks, if raft's clock decides.
var Election = &sim.Param{
	Name: "election", Doc: "raft's election timeout in ticks, where elections are by ticks; a heartbeat comes with each tick",
	Range: sim.Range{Default: 3, Least: 2, Most: 20},
}

// Reads is the number of reads that clients request.
var Reads = &sim.Param{
	Name: "reads", Doc: "how many linearizable reads are asked for, each whether one of the commands is there, by the servers in turn from the last; 0: no histories are kept",
	Range: sim.Range{Default: 0, Least: 0, Most: 20},
}

// Members selects how the set of members changes.
var Members = &sim.Param{
	Name: "members",
	Doc: "how the members change: not; the last server joins as a learner and is promoted; it replaces the second by a joint configuration, " +
		"which is left by itself; or by a change of its own; the last is removed; the last two are, at once; the last joins as a voter, and then the second is removed",
	Words: changes(core.Joint, core.Learners),
}

// changes returns the ways of changing the members that a family of the library has.
func changes(joint, learners bool) (words []string) {
	for _, w := range []string{"fixed", "learner", "joint", "leave", "remove", "shrink", "replace"} {
		switch {
		case w == "learner" && !learners:
		case (w == "joint" || w == "leave" || w == "shrink") && !joint:
		default:
			words = append(words, w)
		}
	}
	return words
}

// Retry selects what a client does if it gets no answer.
var Retry = &sim.Param{
	Name: "retry",
	Doc: "what a client does whose command is not acknowledged in time: it asks again; it gives the request up, which may still be applied, and makes a fresh one, twice at most; " +
		"or it has asked two servers from the beginning",
	Words: []string{"again", "fresh", "twice"},
}

// Removal selects whether a leader that is removed continues as leader.
var Removal = &sim.Param{
	Name: "removal",
	Doc: "what a leader does that is removed: it steps down at once, which leaves the others without a vote that they may need; " +
		"or it goes on, and takes no proposals, as is the default of the library",
	Words: []string{"steps-down", "goes-on"},
}

// Transfers is the number of times that a server asks to lead.
var Transfers = &sim.Param{
	Name: "transfers", Doc: "how often leadership is asked to be transferred, to the servers in turn from the second",
	Range: sim.Range{Default: 0, Least: 0, Most: 20},
}

// Compact selects when the log is compacted.
var Compact = &sim.Param{
	Name: "compact", Doc: "after how many applied entries a snapshot takes their place; 0: never",
	Range: sim.Range{Default: 0, Least: 0, Most: 50},
}

// Readies selects when a Ready is taken.
var Readies = &sim.Param{Name: "ready", Doc: "when a Ready is taken and raft told that it is done: at once, or later, in steps of their own", Words: []string{"at-once", "later"}}

// Apply selects when entries are applied.
var Apply = &sim.Param{
	Name: "apply",
	Doc: "when what is committed is applied: in turn, behind what is saved and before raft is told; slowly, while it goes on; " +
		"or first, before anything is saved, since what is committed is said to be on the disk",
	Words: []string{"in-turn", "slow", "first"},
}

// Terms is the term beyond which the exhaustive phase does not go on from a state: see bounded.
var Terms = &sim.Param{
	Name: "terms", Doc: "the exhaustive phase looks at states in which a server has a later term, or more than two messages that nobody took in hand, and does not go on from them; 0: nothing is bounded",
	Range: sim.Range{Default: 0, Least: 0, Most: 100},
}

// System is etcd's raft under a driver of its own.
var System = &sim.System{
	Name: "raft",
	Doc: "A replicated log: etcd's raft below a driver that saves, sends and applies. " +
		"All servers apply the same commands in the same order, and all that were proposed in the end, " +
		"whatever is lost, doubled or reordered, and whoever crashes and comes back.",
	Nodes: func(p sim.Params) sim.Range {
		least := map[string]int{"fixed": 1, "learner": 2, "remove": 2, "joint": 3, "leave": 3, "shrink": 3, "replace": 3}
		return sim.Range{Default: 3, Least: least[p.Word(Members)], Most: 9}
	},
	Params:    []*sim.Param{Proposals, Storage, Elections, Election, Reads, Members, Removal, Retry, Transfers, Compact, Readies, Apply, Terms},
	Bugs:      Bugs,
	Tolerates: sim.Faults{Crash: 2, Down: 1, Loss: 3, Dup: 2, Reorder: 3, Partition: 1, Pause: 1},
	New:       func(p sim.Params, self sim.Addr) sim.Node { return newServer(p, self, blank(p, self)) },
	// In memory, the storage is the disk itself and not a picture of it: nothing gets
	// into it but by save, and nobody but the dead node knew it.
	Crash: func(p sim.Params, self sim.Addr, dead sim.Node) sim.Node {
		if p.Word(Storage) == "files" {
			return newServer(p, self, blank(p, self))
		}
		return newServer(p, self, dead.(*server).disk)
	},
	Script: script,
	Properties: []sim.Property{
		sim.Monitor("one leader per term", oneLeader),
		sim.Monitor("applied logs agree", appliedAgree),
		sim.Always("log matching", logsMatch, explainLogs),
		sim.Monitor("acknowledged writes survive", writesSurvive),
		sim.Monitor("who is followed was elected", wasElected),
		history.Linearizable("reads are linearizable", history.Map(), object),
		sim.Eventually("a leader, which all follow", ledByOne, explainLed),
		sim.Eventually("every proposal was applied by all", allApplied, explainApplied),
		sim.Eventually("every read was answered", allAnswered, explainLooks),
		sim.Eventually("the members are what they are to be", settled, explainMembers),
	},
	Within: sim.While("no term beyond the parameter terms, no more than two messages in raft", bounded),
	Assume: sim.While("a majority of the voters is up", enough),
	Weight: weight,
	Opaque: core.Opaque,
}

// script returns the requests of the application. They are the same in each life, except for the
// reads: the application cannot know whether its requests before the crash were fulfilled, and a
// command that is proposed again is applied once.
func script(p sim.Params, self sim.Addr, life int) (requests []sim.Signal) {
	n := p.Nodes
	if p.Word(Members) != "fixed" && self == p.Addr(0) {
		requests = append(requests, change{})
	}
	for i := range p.Int(Proposals) {
		if p.Addr(i%n) == self || p.Word(Retry) == "twice" && p.Addr((i+1)%n) == self {
			requests = append(requests, propose{commandNames[i]})
		}
	}
	for i := range min(n, p.Int(Reads)) {
		if p.Addr(n-1-i) == self {
			requests = append(requests, newServer(p, self, nil).read(life, i+1))
		}
	}
	for i := range p.Int(Transfers) {
		if p.Addr((i+1)%n) == self {
			requests = append(requests, transfer{i + 1})
		}
	}
	return requests
}

// blank returns the storage of a server that has never run. If the members do not change, every
// server begins with the configuration. If they change, the logs of the first members begin behind
// a snapshot, as raft advises, and the storage of the others is empty: a server that joins must get
// this snapshot first, and not a log that does not name the first members.
func blank(p sim.Params, self sim.Addr) *core.Disk {
	members := p.Word(Members)
	voters := first(members, p.Nodes)
	switch {
	case members == "fixed":
		return core.NewDisk(core.Snapshot{Conf: core.Conf{Voters: voters}})
	case self.Index() >= len(voters):
		return core.NewDisk(core.Snapshot{})
	default:
		return core.NewDisk(core.Snapshot{Index: 1, Term: 1, Conf: core.Conf{Voters: voters}})
	}
}

// weight makes elections much rarer than other timers, as in practice, where many heartbeats come
// within an election timeout; and it makes ticks rarer than messages. With equal weights a leader is
// deposed as soon as it is elected: of 100 walks with five servers 6 were live within 2,000 steps,
// while with these weights all are within 700.
func weight(e sim.Event) float64 {
	switch e.Value.(type) {
	case campaign, unheard:
		return 0.05
	case tick:
		return 0.1
	default:
		return 1
	}
}
