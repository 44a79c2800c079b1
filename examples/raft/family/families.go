package main

// family is a group of versions of the library whose API is the same for the driver. The families
// are listed from the newest to the oldest. Each has the differences by which its adapter is made
// from that of the family before it.
type family struct {
	name, path, module, version string
	differences                 []difference
}

type difference struct{ file, old, now string }

const (
	base     = "raft36"
	basePath = "go.etcd.io/raft/v3"
)

var families = []family{
	{"etcd35", "go.etcd.io/etcd/raft/v3", "go.etcd.io/etcd/raft/v3", "v3.5.21", []difference{
		{"core.go", "// before v3.7.0, whose messages are values.", "// whose messages are values."},
		{"core.go", "	// Statistics of the storage, which are never read.\n	\"go.etcd.io/etcd/raft/v3.MemoryStorage.callStats\",\n", ""},
		{"core.go", "		StepDownOnRemoval: !o.GoesOn, // not by default\n", ""},
	}},
	{"etcd34", "go.etcd.io/etcd/raft", "go.etcd.io/etcd", "v0.5.0-alpha.5.0.20200910180754-dd1b699fc489", nil},
	{"etcd33", "github.com/coreos/etcd/raft", "github.com/coreos/etcd", "v3.3.27+incompatible", []difference{
		{"core.go", "// whose messages are values.", "// as it was before there were joint configurations."},
		{"core.go", "import (\n	\"fmt\"\n", "import (\n	\"errors\"\n	\"fmt\"\n"},
		{"core.go", `that no server accepted.
var ErrProposalDropped = raft.ErrProposalDropped
`, `that no server accepted. These versions drop it
// without a word.
var ErrProposalDropped = errors.New("raft proposal dropped")
`},
		{"core.go", "const Joint, Learners = true, true", "const Joint, Learners = false, true"},
		{"core.go", "raft.NewRawNode(c)", "raft.NewRawNode(c, nil)"},
		{"core.go", "// ProposeChange proposes a change of the configuration.\n", "// ProposeChange proposes a change of the configuration, of one member.\n"},
		{"core.go", `	var all []pb.ConfChangeSingle
	add := func(kind pb.ConfChangeType, ids []uint64) {
		for _, id := range ids {
			all = append(all, pb.ConfChangeSingle{Type: kind, NodeID: id})
		}
	}
	add(pb.ConfChangeAddNode, c.Add)
	add(pb.ConfChangeAddLearnerNode, c.Learn)
	add(pb.ConfChangeRemoveNode, c.Remove)
	switch {
	case len(all) == 1 && !c.Joint:
		return n.ProposeConfChange(pb.ConfChange{Type: all[0].Type, NodeID: all[0].NodeID})
	case c.Leave:
		return n.ProposeConfChange(pb.ConfChangeV2{})
	case c.Stay:
		return n.ProposeConfChange(pb.ConfChangeV2{Transition: pb.ConfChangeTransitionJointExplicit, Changes: all})
	default:
		return n.ProposeConfChange(pb.ConfChangeV2{Changes: all})
`, `	propose := func(kind pb.ConfChangeType, id uint64) error {
		return n.ProposeConfChange(pb.ConfChange{Type: kind, NodeID: id})
	}
	switch {
	case c.Joint || len(c.Add)+len(c.Learn)+len(c.Remove) != 1:
		panic("raft: these versions have no joint configurations")
	case len(c.Add) == 1:
		return propose(pb.ConfChangeAddNode, c.Add[0])
	case len(c.Learn) == 1:
		return propose(pb.ConfChangeAddLearnerNode, c.Learn[0])
	default:
		return propose(pb.ConfChangeRemoveNode, c.Remove[0])
`},
		{"core.go", `	if e.V2 {
		var c pb.ConfChangeV2
		must(c.Unmarshal([]byte(e.Data)))
		return conf(n.ApplyConfChange(c))
	}
`, ""},
		{"core.go", "Entry{e.Index, e.Term, string(e.Data), e.Type != pb.EntryNormal, e.Type == pb.EntryConfChangeV2}",
			"Entry{Index: e.Index, Term: e.Term, Data: string(e.Data), Change: e.Type != pb.EntryNormal}"},
		{"core.go", "Conf{c.Voters, c.VotersOutgoing, c.Learners, c.LearnersNext, c.AutoLeave}", "Conf{Voters: c.Nodes, Learners: c.Learners}"},
		{"core.go", "pb.ConfState{Voters: c.Voters, VotersOutgoing: c.Outgoing, Learners: c.Learners, LearnersNext: c.Next, AutoLeave: c.AutoLeave}",
			"pb.ConfState{Nodes: c.Voters, Learners: c.Learners}"},
		// Messages leave in the order of a map of the members. The driver asks for the role
		// after every call, so what is waiting is in one order then.
		{"clock.go", "	\"reflect\"\n	\"unsafe\"\n\n	raft \"github.com/coreos/etcd/raft\"\n",
			"	\"reflect\"\n	\"sort\"\n	\"unsafe\"\n\n	raft \"github.com/coreos/etcd/raft\"\n	pb \"github.com/coreos/etcd/raft/raftpb\"\n"},
		{"clock.go", "leads bool) {\n", `leads bool) {
	waiting := *(*[]pb.Message)(n.at(waitsAt))
	sort.SliceStable(waiting, func(i, j int) bool { return waiting[i].To < waiting[j].To })
`},
	}},
	{"etcd32", "github.com/coreos/etcd/raft", "github.com/coreos/etcd", "v3.2.32+incompatible", []difference{
		{"core.go", "// as it was before there were joint configurations.", "// as it was before there were joint configurations, and learners."},
		{"core.go", "const Joint, Learners = false, true", "const Joint, Learners = false, false"},
		{"core.go", `		panic("raft: these versions have no joint configurations")
`, `		panic("raft: these versions have no joint configurations")
	case len(c.Learn) == 1:
		panic("raft: these versions have no learners")
`},
		{"core.go", `	case len(c.Learn) == 1:
		return propose(pb.ConfChangeAddLearnerNode, c.Learn[0])
`, ""},
		{"core.go", "Conf{Voters: c.Nodes, Learners: c.Learners}", "Conf{Voters: c.Nodes}"},
		{"core.go", "pb.ConfState{Nodes: c.Voters, Learners: c.Learners}", "pb.ConfState{Nodes: c.Voters}"},
	}},
	{"etcd31", "github.com/coreos/etcd/raft", "github.com/coreos/etcd", "v3.1.20+incompatible", nil},
}
