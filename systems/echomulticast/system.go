package echomulticast

import (
	"fmt"

	"macemc/sim"
)

// The known bugs: see doc.go.
const (
	EM1 sim.BugID = "EM1"
	EM2 sim.BugID = "EM2"
	EM3 sim.BugID = "EM3"
	EM4 sim.BugID = "EM4"
)

// The parameters.
var (
	Receivers     = &sim.Param{Name: "receivers", Doc: "how many receivers are honest", Range: sim.Range{Default: 3, Least: 1, Most: 8}}
	Initiators    = &sim.Param{Name: "initiators", Doc: "how many initiators are honest", Range: sim.Range{Default: 1, Least: 0, Most: 3}}
	BadReceivers  = &sim.Param{Name: "bad-receivers", Doc: "how many receivers are Byzantine", Range: sim.Range{Default: 1, Least: 0, Most: 4}}
	BadInitiators = &sim.Param{Name: "bad-initiators", Doc: "how many initiators are Byzantine", Range: sim.Range{Default: 1, Least: 0, Most: 3}}
	Strategy      = &sim.Param{Name: "strategy", Doc: "to whom a Byzantine initiator sends its two messages: split: one to each half; both: both to everybody", Words: []string{"split", "both"}}
	Answers       = &sim.Param{Name: "answers", Doc: "how signatures are taken: one by one, or a quorum at once", Words: []string{"single", "quorum"}}
	Late          = &sim.Param{Name: "late", Doc: "what becomes of signatures that come after the commit", Words: []string{"consumed", "stay"}}
)

// System is Echo Multicast.
var System = &sim.System{
	Name: "echomulticast",
	Doc:  "Echo Multicast: honest and Byzantine initiators and receivers, over a bag. No two honest receivers deliver different messages of one initiator.",
	Nodes: func(p sim.Params) sim.Range {
		n := p.Int(Receivers) + p.Int(Initiators) + p.Int(BadReceivers) + p.Int(BadInitiators)
		return sim.Range{Default: n, Least: n, Most: n}
	},
	Params: []*sim.Param{Receivers, Initiators, BadReceivers, BadInitiators, Strategy, Answers, Late},
	Bugs: []sim.Bug{
		{ID: EM1, Story: "Quorums are too small for the Byzantine receivers. Their size assumes that fewer than a third are Byzantine, and with receivers=2 and bad-receivers=2 it is a half (and strategy=both)."},
		{ID: EM2, Story: "One honest signature is a certificate. Enough signatures that one is honest do not make two certificates have an honest signer in common."},
		{ID: EM3, Story: "An initiator counts invalid signatures. Its certificate then has too few valid ones, and nobody delivers."},
		{ID: EM4, Story: "A receiver signs again. It signs the second message of an initiator too (strategy=both)."},
	},
	New:       newHonest,
	Byzantine: byzantine,
	Forge:     forge,
	Script: func(p sim.Params, self sim.Addr, life int) []sim.Signal {
		if role := roleOf(p, self); life == 0 && (role == honestInitiator || role == byzantineInitiator) {
			return []sim.Signal{multicast{}}
		}
		return nil
	},
	Immutable: []string{"echomulticast.rules"},
	Properties: []sim.Property{
		sim.Takes(sim.Always("agreement", agree, explain), func(r *receiver) any { return r.delivered }),
		sim.Takes(sim.Always("what an honest initiator did not send is not delivered", genuine), func(r *receiver) any { return r.delivered }),
		sim.Eventually("what an honest initiator sent is delivered", delivered),
	},
}

// role is the kind of a node: an honest or a Byzantine receiver or initiator.
type role int

const (
	honestReceiver role = iota
	honestInitiator
	byzantineReceiver
	byzantineInitiator
)

// roleOf returns the role of a node. Nodes are numbered by role, in the order of the parameters.
func roleOf(p sim.Params, self sim.Addr) role {
	i := self.Index()
	for r, param := range []*sim.Param{Receivers, Initiators, BadReceivers} {
		if i -= p.Int(param); i < 0 {
			return role(r)
		}
	}
	return byzantineInitiator
}

// nodes returns the nodes that have a role.
func nodes(p sim.Params, r role) (all []sim.Addr) {
	for _, a := range p.Addrs() {
		if roleOf(p, a) == r {
			all = append(all, a)
		}
	}
	return all
}

// quorum returns the number of signatures that are a certificate.
func quorum(p sim.Params) int {
	n := p.Int(Receivers) + p.Int(BadReceivers)
	tolerated := (n - 1) / 3
	if p.Bug(EM2) {
		return tolerated + 1
	}
	if !p.Bug(EM1) {
		tolerated = max(tolerated, p.Int(BadReceivers))
	}
	return (n+tolerated)/2 + 1
}

func rulesOf(p sim.Params) *rules {
	return &rules{
		receivers: append(nodes(p, honestReceiver), nodes(p, byzantineReceiver)...), honest: p.Int(Receivers),
		quorum: quorum(p), bad: nodes(p, byzantineInitiator), both: p.Word(Strategy) == "both", stay: p.Word(Late) == "stay", together: p.Word(Answers) == "quorum",
	}
}

// newHonest returns an honest node, whose role its address determines.
func newHonest(p sim.Params, self sim.Addr) sim.Node {
	switch roleOf(p, self) {
	case honestReceiver, byzantineReceiver:
		return receivers.Node(&receiver{rules: rulesOf(p), signed: map[sim.Addr]int{}, delivered: map[sim.Addr]int{}})
	default:
		i := &initiator{rules: rulesOf(p)}
		if i.together {
			return quorumInitiators.Node(i)
		}
		return initiators.Node(i)
	}
}

// byzantine returns the Byzantine nodes, with their code. Properties may see these nodes, since no
// property is about nodes of their types.
func byzantine(p sim.Params) (all []sim.Byzantine) {
	for _, a := range append(nodes(p, byzantineReceiver), nodes(p, byzantineInitiator)...) {
		all = append(all, sim.Byzantine{Node: a, New: newByzantine, Seen: true})
	}
	return all
}

func newByzantine(p sim.Params, self sim.Addr) sim.Node {
	if roleOf(p, self) == byzantineReceiver {
		return badReceivers.Node(&badReceiver{rulesOf(p)})
	}
	i := &badInitiator{rules: rulesOf(p)}
	if i.together {
		return quorumBadInitiators.Node(i)
	}
	return badInitiators.Node(i)
}

// disagreement returns two receivers, a and b, that have delivered different texts of one initiator,
// and that initiator. The result is is false if there are none.
func disagreement(v sim.View[*receiver]) (of sim.Addr, a, b sim.Addr, is bool) {
	first := map[sim.Addr]sim.Addr{}
	for at, r := range v.Nodes() {
		for _, of := range sim.Addrs(r.delivered) {
			before, known := first[of]
			if !known {
				first[of] = at
				continue
			}
			if other, _ := v.At(before); other.delivered[of] != r.delivered[of] {
				return of, before, at, true
			}
		}
	}
	return of, a, b, false
}

func agree(v sim.View[*receiver]) bool {
	_, _, _, is := disagreement(v)
	return !is
}

func explain(v sim.View[*receiver]) string {
	of, a, b, _ := disagreement(v)
	x, _ := v.At(a)
	y, _ := v.At(b)
	return fmt.Sprintf("of %s, %s delivers %d and %s delivers %d", of, a, x.delivered[of], b, y.delivered[of])
}

// genuine reports whether every text of an honest initiator that a receiver has delivered is the one that this
// initiator has sent. A view shows honest nodes only.
func genuine(v sim.View[*receiver]) bool {
	for _, r := range v.Nodes() {
		for of := range sim.See[*initiator](v).Nodes() {
			if text := r.delivered[of]; text != 0 && text != one {
				return false
			}
		}
	}
	return true
}

// delivered reports whether every honest initiator has sent its text and every receiver has
// delivered it. It is true if there are fewer honest receivers than a quorum needs.
func delivered(v sim.View[*receiver]) bool {
	for _, i := range sim.See[*initiator](v).Nodes() {
		if !i.sent {
			return false
		}
	}
	for _, r := range v.Nodes() {
		if v.Len() < r.quorum {
			return true
		}
		for of := range sim.See[*initiator](v).Nodes() {
			if r.delivered[of] == 0 {
				return false
			}
		}
	}
	return true
}
