package raft

import (
	"fmt"
	"strings"

	core "go.etcd.io/raft/v3"

	"macemc/sim"
)

// The known bugs of the driver. Raft itself is as it was published.
const (
	RF1 sim.BugID = "RF1"
	RF2 sim.BugID = "RF2"
	RF3 sim.BugID = "RF3"
	RF4 sim.BugID = "RF4"
	RF5 sim.BugID = "RF5"
	RF6 sim.BugID = "RF6"
)

// Bugs are the known bugs with their stories.
var Bugs = []sim.Bug{
	{ID: RF1, Story: "Messages are sent before the state is saved. A server that grants its vote and crashes between the two " +
		"has forgotten the vote when it is back, and gives it again, in the same term, to another: two leaders."},
	{ID: RF2, Story: "A restarted server forgets its vote. Of the hard state that was saved, term and commit are restored: " +
		"it votes again in a term in which it had voted."},
	{ID: RF3, Story: "A request is not repeated once raft took it. Raft promises nothing by taking a proposal: " +
		"it is lost with a leader that is deposed, or with the datagram that forwards it, and is never applied."},
	{ID: RF4, Story: "Messages are sent before the log is synced. What was saved is in the file, and not on the disk: " +
		"a server that grants its vote and crashes before the sync may grant it to another."},
	{ID: RF5, Story: "The torn end of the log is not cut off. What a restarted server appends stands behind it, synced or not, " +
		"and the next replay does not come so far: after a second crash its vote is forgotten."},
	{ID: RF6, Story: "The log is synced only for entries. A vote is saved without one, since the hard state seems small, " +
		"and may be forgotten in a crash."},
}

// Proposals is how many commands are proposed.
var Proposals = &sim.Param{
	Name:  "proposals",
	Doc:   "how many commands are proposed, by the servers in turn",
	Range: sim.Range{Default: 3, Least: 0, Most: 50},
}

// Storage is what a server keeps in a crash: raft's MemoryStorage as it is, or a log
// on its stable storage, which a crash may tear.
var Storage = &sim.Param{Name: "storage", Doc: "where servers save: in raft's MemoryStorage, or in a log on stable storage", Words: []string{"memory", "files"}}

// System is etcd's raft under a driver of its own.
var System = &sim.System{
	Name: "raft",
	Doc: "A replicated log: etcd's raft below a driver that saves, sends and applies. " +
		"All servers apply the same commands in the same order, and all that were proposed in the end, " +
		"whatever is lost, doubled or reordered, and whoever crashes and comes back.",
	Nodes:     func(sim.Params) sim.Range { return sim.Range{Default: 3, Least: 1, Most: 7} },
	Params:    []*sim.Param{Proposals, Storage},
	Bugs:      Bugs,
	Tolerates: sim.Faults{Crash: 1},
	New:       func(p sim.Params, self sim.Addr) sim.Node { return newServer(p, self, blank(p)) },
	// In memory, the storage is the disk itself and not a picture of it: nothing gets
	// into it but by save, and nobody but the dead node knew it.
	Crash: func(p sim.Params, self sim.Addr, dead sim.Node) sim.Node {
		if p.Word(Storage) == "files" {
			return newServer(p, self, blank(p))
		}
		return newServer(p, self, dead.(*server).disk)
	},
	Script: script,
	Properties: []sim.Property{
		sim.Monitor("one leader per term", oneLeader),
		sim.Monitor("applied logs agree", appliedAgree),
		sim.Eventually("a leader, which all follow", ledByOne, explainLed),
		sim.Eventually("every proposal was applied by all", allApplied, explainApplied),
	},
	Weight: weight,
	Opaque: []string{
		// Functions; which they are follows from raft.state, which is walked.
		"go.etcd.io/raft/v3.raft.tick",
		"go.etcd.io/raft/v3.raft.step",
		// Random, from a global generator, and compared only with electionElapsed,
		// which never comes near it: see outOfReach.
		"go.etcd.io/raft/v3.raft.randomizedElectionTimeout",
		// Grows with each heartbeat for ever, and is compared only with what is out
		// of reach (and, with CheckQuorum, which is off, with a lease).
		"go.etcd.io/raft/v3.raft.electionElapsed",
		// Statistics of the storage, which are never read.
		"go.etcd.io/raft/v3.MemoryStorage.callStats",
		// Written when a protobuf is first looked at, by whatever looks: caches of
		// its type and of its size. The size's type is an alias of int32, so that
		// only the field can be named.
		"google.golang.org/protobuf/internal/impl.MessageState",
		"*.sizeCache",
	},
}

// script is the same in each life: the application cannot know whether what it
// asked for before the crash was done, and a command that is proposed again is
// applied once.
func script(p sim.Params, self sim.Addr, _ int) (requests []sim.Signal) {
	for i := range p.Int(Proposals) {
		if p.Addr(i%p.Nodes) == self {
			requests = append(requests, propose{fmt.Sprintf("c%d", i+1)})
		}
	}
	return requests
}

// weight makes elections much rarer than other timers, as they are in life,
// where many heartbeats fit into the patience of a follower. With all timers
// alike a leader is deposed as soon as it is elected: of 100 walks with five
// servers 6 were live within 2,000 steps, and so all are within 700.
func weight(e sim.Event) float64 {
	if _, ok := e.Value.(campaign); ok {
		return 0.05
	}
	return 1
}

type view = sim.View[*server]

// leaders are who was elected in which term.
type leaders struct{ of map[uint64]sim.Addr }

// Init begins a run.
func (l *leaders) Init() { l.of = map[uint64]sim.Addr{} }

func oneLeader(l *leaders, at sim.Addr, fact any) error {
	switch f := fact.(type) {
	case elected:
		if other, ok := l.of[f.term]; ok && other != at {
			return fmt.Errorf("%s is the leader of term %d, and so was %s", at, f.term, other)
		}
		l.of[f.term] = at
		return nil
	case applied:
		return nil
	default:
		panic(fmt.Sprintf("raft: no case for the fact %T", f))
	}
}

// chronicle is what was first applied at each index, by anyone, in any life.
type chronicle struct{ at map[uint64]applied }

// Init begins a run.
func (c *chronicle) Init() { c.at = map[uint64]applied{} }

func appliedAgree(c *chronicle, at sim.Addr, fact any) error {
	switch f := fact.(type) {
	case applied:
		first, ok := c.at[f.index]
		if !ok {
			c.at[f.index] = f
			return nil
		}
		if first != f {
			return fmt.Errorf("%s applied %q of term %d at index %d, where %q of term %d was applied before",
				at, f.command, f.term, f.index, first.command, first.term)
		}
		return nil
	case elected:
		return nil
	default:
		panic(fmt.Sprintf("raft: no case for the fact %T", f))
	}
}

func ledByOne(v view) bool {
	var lead, term uint64
	led := false
	for _, s := range v.Nodes() {
		if lead == core.None {
			lead, term = s.lead, s.term
		}
		if s.lead == core.None || s.lead != lead || s.term != term {
			return false
		}
		led = led || s.leads
	}
	return led
}

func explainLed(v view) string {
	var all []string
	for a, s := range v.Nodes() {
		switch {
		case s.leads:
			all = append(all, fmt.Sprintf("%s leads in term %d", a, s.term))
		case s.lead == core.None:
			all = append(all, fmt.Sprintf("%s knows no leader in term %d", a, s.term))
		default:
			all = append(all, fmt.Sprintf("%s follows %s in term %d", a, s.all[s.lead-1], s.term))
		}
	}
	return strings.Join(all, "; ")
}

func allApplied(v view) bool {
	for _, s := range v.Nodes() {
		if len(s.log) < s.proposals {
			return false
		}
	}
	return true
}

func explainApplied(v view) string {
	var all []string
	for a, s := range v.Nodes() {
		all = append(all, fmt.Sprintf("%s applied %q of %d commands", a, s.log, s.proposals))
	}
	return strings.Join(all, "; ")
}
