package paxos

import (
	"fmt"
	"slices"

	"macemc/sim"
)

// The known bugs: see System.
const (
	PX1 sim.BugID = "PX1"
	PX2 sim.BugID = "PX2"
	PX3 sim.BugID = "PX3"
)

// The parameters.
var (
	Proposers = &sim.Param{Name: "proposers", Doc: "how many nodes propose", Range: sim.Range{Default: 2, Least: 1, Most: 3}}
	Acceptors = &sim.Param{Name: "acceptors", Doc: "how many nodes accept", Range: sim.Range{Default: 3, Least: 1, Most: 5}}
	Learners  = &sim.Param{Name: "learners", Doc: "how many nodes learn", Range: sim.Range{Default: 1, Least: 1, Most: 2}}
	Count     = &sim.Param{Name: "count", Doc: "what is remembered of the answers so far: who, or how many", Words: []string{"senders", "number"}}
	Answers   = &sim.Param{Name: "answers", Doc: "how answers are taken: one by one, or a majority at once", Words: []string{"single", "quorum"}}
	Late      = &sim.Param{Name: "late", Doc: "what becomes of answers beyond a majority", Words: []string{"stay", "consumed"}}
)

// System is single-decree Paxos.
var System = &sim.System{
	Name: "paxos",
	Doc:  "Paxos for one decree, over a bag. No two values are learnt, and one is, if the ballots end.",
	Nodes: func(p sim.Params) sim.Range {
		n := p.Int(Proposers) + p.Int(Acceptors) + p.Int(Learners)
		return sim.Range{Default: n, Least: n, Most: n}
	},
	Params: []*sim.Param{Proposers, Acceptors, Learners, Answers, Count, Late},
	Bugs: []sim.Bug{
		{ID: PX1, Story: "An acceptor breaks its promise. It accepts a WRITE below the ballot that it has promised."},
		{ID: PX2, Story: "A proposer writes its own value. It does not look at what the acceptors have accepted."},
		{ID: PX3, Story: "A learner is content with one ACCEPT. What one acceptor has accepted need not be chosen."},
	},
	New: newNode,
	Properties: []sim.Property{
		sim.Monitor("no two values are learnt", func(first *learnt, at sim.Addr, fact any) error {
			if now := fact.(learnt); *first == (learnt{}) {
				*first = now
			} else if *first != now {
				return fmt.Errorf("%s learns %d, and %d was learnt before", at, now.value, first.value)
			}
			return nil
		}),
		sim.Takes(sim.Eventually("a value is learnt", func(v sim.View[*learner]) bool {
			for _, l := range v.Nodes() {
				if l.value == 0 {
					return false
				}
			}
			return true
		}), func(l *learner) any { return l.value == 0 }),
	},
}

func newNode(p sim.Params, self sim.Addr) sim.Node {
	all, first, last := p.Addrs(), p.Int(Proposers), p.Nodes-p.Int(Learners)
	rule := rule{
		enough: p.Int(Acceptors)/2 + 1, number: p.Word(Count) == "number", stay: p.Word(Late) == "stay",
		quorum: p.Word(Answers) == "quorum",
	}
	propose, learn := proposers, learners
	if rule.quorum {
		propose, learn = quorumProposers, quorumLearners
	}
	switch i := slices.Index(all, self); {
	case i < first:
		return propose.Node(&proposer{rule: rule, ballot: i + 1, acceptors: all[first:last]})
	case i < last:
		return acceptors.Node(&acceptor{learners: all[last:]})
	default:
		if rule.quorum && p.Bug(PX3) {
			rule.enough = 1
		}
		return learn.Node(&learner{rule: rule, of: make([]votes, first)})
	}
}
