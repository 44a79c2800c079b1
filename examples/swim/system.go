package swim

import (
	"fmt"

	"macemc/layers/rpc"
	"macemc/sim"
)

// These are the known bugs.
const (
	SM1 sim.BugID = "SM1"
	SM2 sim.BugID = "SM2"
	SM3 sim.BugID = "SM3"
	SM4 sim.BugID = "SM4"
	SM5 sim.BugID = "SM5"
)

// Bugs are the known bugs of the service, without those of its layer.
var Bugs = []sim.Bug{
	{ID: SM1, Story: "A node refutes only what is said of a later incarnation than its own. Nobody says such a thing, so a node that was suspected once is declared dead, and stays it."},
	{ID: SM2, Story: "The incarnation is stored and not synced before others hear of it. After a crash the node is behind what they know of it."},
	{ID: SM3, Story: "The timer of a suspicion is not cancelled when the suspect refutes it, nor does it look again: a node that is alive is declared dead."},
	{ID: SM4, Story: "That a node is alive counts more than that it is suspected, at the same incarnation. An old rumor ends a suspicion that nobody refuted."},
	{ID: SM5, Story: "Who is dead is not pinged any more. Two nodes that declare each other dead never hear of each other again."},
}

// These are the facts for monitors.
type (
	begins struct{} // a life begins
	learns struct {
		rumor
		Expired bool // by the timer of the suspicion
	}
)

// System is a group of nodes that all join.
var System = &sim.System{
	Name:      "swim",
	Doc:       "The membership protocol of SWIM: pings, indirect pings, suspicion and incarnations. In the end everybody knows that all are alive.",
	Nodes:     func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 5} },
	Bugs:      append(rpc.Bugs, Bugs...),
	Tolerates: sim.Faults{Crash: 1, Loss: 1},
	New: func(p sim.Params, self sim.Addr) sim.Node {
		n := &node{self: self, favors: map[rpc.ID]rpc.Ticket{}}
		for _, a := range p.Addrs() {
			if a != self {
				n.others = append(n.others, member{rumor: rumor{Of: a}})
			}
		}
		return rpc.Over(handlers.Node(n), rpc.Options{Tries: 1, Wait: patience, Sessions: true})
	},
	Script: func(sim.Params, sim.Addr, int) []sim.Signal { return []sim.Signal{join{}} },
	Properties: []sim.Property{
		sim.Steps("what is known does not go back", forth),
		sim.Always("nobody knows a later incarnation than the node itself", modest, immodest),
		sim.Monitor("only a suspect is declared dead", observe),
		sim.Eventually("everybody knows that all are alive", allAlive, notAlive),
	},
}

// forth reports whether rumors have only moved forth from one state to a later one: no node that
// lived in both states knows a rumor now that its earlier rumor about the same node beats.
func forth(before, after sim.View[*node]) bool {
	for a, n := range after.Nodes() {
		was, up := before.At(a)
		if !up {
			continue
		}
		for k, m := range n.others {
			if was.others[k].beats(m.rumor) {
				return false
			}
		}
	}
	return true
}

// ahead looks for a node of about which another node, by, knows a later incarnation than of itself
// has. It returns nil for both if there is none.
func ahead(v sim.View[*node]) (of, by *node) {
	for _, by := range v.Nodes() {
		for _, m := range by.others {
			if of, up := v.At(m.Of); up && m.Incarnation > of.incarnation {
				return of, by
			}
		}
	}
	return nil, nil
}

func modest(v sim.View[*node]) bool {
	of, _ := ahead(v)
	return of == nil
}

func immodest(v sim.View[*node]) string {
	of, by := ahead(v)
	return fmt.Sprintf("%s is at incarnation %d, and %s knows it at %d", of.self, of.incarnation, by.self, by.about(of.self).Incarnation)
}

// pair is a node At, and another node Of about which it knows something.
type pair struct{ At, Of sim.Addr }

// suspects is the memory of a monitor: the pairs in which node At suspects node Of.
type suspects struct{ Is map[pair]bool }

// Init clears the memory.
func (s *suspects) Init() { s.Is = map[pair]bool{} }

func observe(s *suspects, at sim.Addr, fact any) error {
	switch f := fact.(type) {
	case begins:
		for p := range s.Is {
			if p.At == at {
				delete(s.Is, p)
			}
		}
	case learns:
		p := pair{at, f.Of}
		if f.Expired && !s.Is[p] {
			return fmt.Errorf("%s declares %s dead, and does not suspect it", at, f.Of)
		}
		if delete(s.Is, p); f.Is == suspect {
			s.Is[p] = true
		}
	}
	return nil
}

func allAlive(v sim.View[*node]) bool { return v.Len() == v.Params().Nodes && doubts(v) == 0 }

func notAlive(v sim.View[*node]) string {
	return fmt.Sprintf("%d of %d are up; %d doubts about others", v.Len(), v.Params().Nodes, doubts(v))
}

// doubts returns the number of pairs of nodes in which one does not know that the other is
// alive.
func doubts(v sim.View[*node]) (n int) {
	for _, one := range v.Nodes() {
		for _, m := range one.others {
			if m.Is != alive {
				n++
			}
		}
	}
	return n
}
