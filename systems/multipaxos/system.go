package multipaxos

import (
	"fmt"
	"slices"

	"macemc/layers/machine"
	"macemc/sim"
	"macemc/systems/service"
)

// The known bugs: see System.
const (
	MP1 sim.BugID = "MP1"
	MP2 sim.BugID = "MP2"
	MP3 sim.BugID = "MP3"
	MP4 sim.BugID = "MP4"
	MP5 sim.BugID = "MP5"
	MP6 sim.BugID = "MP6"
	MP7 sim.BugID = "MP7"
	MP8 sim.BugID = "MP8"
)

// The parameters.
var (
	Proposers = &sim.Param{Name: "proposers", Doc: "how many nodes propose", Range: sim.Range{Default: 2, Least: 1, Most: 3}}
	Acceptors = &sim.Param{Name: "acceptors", Doc: "how many nodes accept", Range: sim.Range{Default: 3, Least: 1, Most: 5}}
	Learners  = &sim.Param{Name: "learners", Doc: "how many nodes learn", Range: sim.Range{Default: 1, Least: 1, Most: 2}}
	Slots     = &sim.Param{Name: "slots", Doc: "how many slots the log has; 0: as many as are needed", Range: sim.Range{Default: 0, Least: 0, Most: 5}}
	Values    = &sim.Param{Name: "values", Doc: "how many values each proposer is asked for", Range: sim.Range{Default: 2, Least: 1, Most: 5}}
	Rounds    = &sim.Param{Name: "rounds", Doc: "how many ballots each proposer may begin", Range: sim.Range{Default: 2, Least: 1, Most: 5}}
)

// System is Multi-Paxos, or with slots=1, basic Paxos.
var System = &sim.System{
	Name: "multipaxos",
	Doc:  "Multi-Paxos of state machines. In a slot no two values are chosen, and every value is learnt unless its proposer has spent its ballots.",
	Nodes: func(p sim.Params) sim.Range {
		n := p.Int(Proposers) + p.Int(Acceptors) + p.Int(Learners)
		return sim.Range{Default: n, Least: n, Most: n}
	},
	Params: []*sim.Param{Proposers, Acceptors, Learners, Slots, Values, Rounds},
	Bugs: []sim.Bug{
		{ID: MP1, Story: "An acceptor breaks its promise. It accepts below the ballot that it has promised."},
		{ID: MP2, Story: "A leader begins with an empty log. It does not look at what the acceptors have accepted."},
		{ID: MP3, Story: "Half of the acceptors are enough, rounded down. Two such sets need have none in common."},
		{ID: MP4, Story: "A leader takes the oldest vote of the acceptors, not the latest. A later ballot may have chosen another value."},
		{ID: MP5, Story: "A leader forgets about promises that come late. A majority had promised before."},
		{ID: MP6, Story: "A proposer that waits forgets about what it was answered. Others had accepted when one refused."},
		{ID: MP7, Story: "A proposer waits for all acceptors. It waits for ever for one that is down."},
		{ID: MP8, Story: "A leader leaves holes in the log. What is decided behind them is never applied."},
	},
	Tolerates: sim.Faults{Down: 1},
	New:       newNode,
	Script: func(p sim.Params, self sim.Addr, life int) (script []sim.Signal) {
		for k := range p.Int(Values) {
			if self.Index() < p.Int(Proposers) {
				script = append(script, propose{valueOf(self, k)})
			}
		}
		return script
	},
	Properties: []sim.Property{
		sim.Monitor("in a slot one value is chosen, which was proposed", func(m *memory, at sim.Addr, fact any) error { return m.observe(at, fact) }),
		sim.Takes(sim.Always("the learners' logs agree", agree), func(l *learner) any { return l.slots }),
		sim.Takes(sim.Always("what is decided behind a hole can be applied", filled), func(p *proposer) any { return p.filled() }),
		sim.Takes(sim.Takes(sim.Takes(sim.Eventually("what a proposer is asked for is learnt, unless its ballots are spent or half of the acceptors are down", learnt),
			func(l *learner) any { return l.applied() }),
			func(*acceptor) any { return nil }),
			func(p *proposer) any {
				return struct {
					spent bool
					slots int
				}{p.Is(waiting) && p.rounds == 0, p.slots}
			}),
	},
}

var (
	curt   = proposers.Forget(leading, machine.Messages(promise{})...)
	sullen = proposers.Forget(waiting, machine.Messages(accepted{})...)
)

func newNode(p sim.Params, self sim.Addr) sim.Node {
	all, first, last := p.Addrs(), p.Int(Proposers), p.Nodes-p.Int(Learners)
	i := self.Index()
	switch {
	case i >= last:
		return learners.Node(&learner{log: log{learner: &service.Log{}, slots: map[int]service.Command{}}})
	case i >= first:
		return acceptors.Node(&acceptor{voter: voter{votes: map[int]vote{}}})
	}
	n := &proposer{
		acceptors: all[first:last], learners: all[last:], slots: p.Int(Slots), rounds: p.Int(Rounds),
		step: first, ballot: i + 1 - first, highest: map[int]vote{}, open: map[int]*slot{},
	}
	switch {
	case p.Bug(MP5):
		return curt.Node(n)
	case p.Bug(MP6):
		return sullen.Node(n)
	default:
		return proposers.Node(n)
	}
}

// memory is the memory of the monitor: the values that were proposed, and those that were chosen, by
// slot.
type memory struct {
	proposed []service.Command
	chosen   map[int]service.Command
}

func (m *memory) Init() { m.chosen = map[int]service.Command{} }

func (m *memory) observe(at sim.Addr, fact any) error {
	switch f := fact.(type) {
	case Proposed:
		m.proposed = append(m.proposed, f.Value)
		slices.SortFunc(m.proposed, func(a, b service.Command) int { return a.ID - b.ID })
	case Chosen:
		if first, known := m.chosen[f.Slot]; known && first != f.Value {
			return fmt.Errorf("%s has %d chosen in slot %d, and %d was chosen before", at, f.Value.ID, f.Slot, first.ID)
		}
		if f.Value.ID != 0 && !slices.Contains(m.proposed, f.Value) {
			return fmt.Errorf("%s has %d chosen in slot %d, which nobody proposed", at, f.Value.ID, f.Slot)
		}
		m.chosen[f.Slot] = f.Value
	}
	return nil
}

func agree(v sim.View[*learner]) bool {
	var first *learner
	for _, l := range v.Nodes() {
		if first == nil {
			first = l
		}
		for n, value := range l.slots {
			if other, known := first.slots[n]; known && other != value {
				return false
			}
		}
	}
	return true
}

// filled reports whether each leader has left no hole: all slots before its next one were, or are
// being, decided.
func filled(v sim.View[*proposer]) bool {
	for _, p := range v.Nodes() {
		if !p.filled() {
			return false
		}
	}
	return true
}

func (p *proposer) filled() bool {
	for n := 1; n < p.next && p.Is(leading); n++ {
		if p.open[n] == nil {
			return false
		}
	}
	return true
}

// learnt reports whether every learner has applied all values of each proposer. If the number of slots
// is limited, one value is enough. A proposer that waits and has no ballots left is not considered. learnt
// is true if at least half of the acceptors are down, since then nothing is promised.
func learnt(v sim.View[*learner]) bool {
	params := v.Params()
	if 2*sim.See[*acceptor](v).Len() <= params.Int(Acceptors) {
		return true
	}
	for _, l := range v.Nodes() {
		for at, p := range sim.See[*proposer](v).Nodes() {
			if p.Is(waiting) && p.rounds == 0 {
				continue
			}
			if p.slots > 0 {
				if len(l.applied()) == 0 {
					return false
				}
				continue
			}
			for k := range params.Int(Values) {
				if !slices.Contains(l.applied(), valueOf(at, k)) {
					return false
				}
			}
		}
	}
	return true
}

// valueOf returns the k-th value that a proposer is asked to propose.
func valueOf(proposer sim.Addr, k int) service.Command {
	return service.Command{Client: proposer, ID: 10*(proposer.Index()+1) + k}
}
