package tree

import (
	"fmt"
	"strings"

	"macemc/sim"
)

// Properties are those of one tree: no loops ever, and in the end all nodes in
// it, with children and parents that agree.
func Properties() []sim.Property {
	return []sim.Property{
		sim.Always("no loops: following parents leads to a root or to a node that has not joined", noLoops, explainLoop),
		sim.Eventually("all joined", allJoined, explainJoined),
		sim.Eventually("one root", oneRoot, explainRoots),
		sim.Eventually("children match parents", childrenMatch, explainChildren),
	}
}

// FewMessages bounds the space of a tree that may reorganise before the last
// time is through, again and again.
var FewMessages = sim.While("three messages under way for each node, on average", fewMessages)

type view = sim.View[member]

func fewMessages(v view) bool { return v.InFlight() <= 3*v.Len() }

func noLoops(v view) bool { return inLoop(v).IsZero() }

// inLoop is a node from which following parents never ends; nobody: there is
// none. A root is its own parent, so a node that adopted itself is a root too,
// not a loop: "one root" is about those.
func inLoop(v view) sim.Addr {
	for a := range v.Nodes() {
		at := upward(v, a)
		if up := above(v, at); !up.IsZero() && up != at {
			return at
		}
	}
	return sim.Addr{}
}

// upward follows parents as often as there are nodes, or up to a root or nobody.
func upward(v view, at sim.Addr) sim.Addr {
	for range v.Len() {
		up := above(v, at)
		if up == at || up.IsZero() {
			return up
		}
		at = up
	}
	return at
}

// above is the parent of a; nobody if it has not joined, and of nobody.
func above(v view, a sim.Addr) sim.Addr {
	if n, ok := v.At(a); ok {
		return n.place().Papa
	}
	return sim.Addr{}
}

func explainLoop(v view) string {
	start := inLoop(v)
	text := start.String()
	for at := above(v, start); ; at = above(v, at) {
		text += " has the parent " + at.String()
		if at == start {
			return text
		}
		text += ", which"
	}
}

func allJoined(v view) bool {
	for _, n := range v.Nodes() {
		if !n.place().Joined() {
			return false
		}
	}
	return true
}

func explainJoined(v view) string {
	return names(v, func(_ sim.Addr, p *Place) bool { return !p.Joined() }) + " not joined"
}

func oneRoot(v view) bool {
	roots := 0
	for a, n := range v.Nodes() {
		if n.place().Papa == a {
			roots++
		}
	}
	return roots == 1
}

func explainRoots(v view) string {
	return "roots: " + names(v, func(a sim.Addr, p *Place) bool { return p.Papa == a })
}

func childrenMatch(v view) bool {
	for a, n := range v.Nodes() {
		p := n.place()
		if stranger := p.stranger(v, a); !stranger.IsZero() || p.unlisted(v, a) {
			return false
		}
	}
	return true
}

// stranger is the first child of the node at a that has another parent.
func (p *Place) stranger(v view, a sim.Addr) (first sim.Addr) {
	for kid := range p.Kids {
		if above(v, kid) != a && (first.IsZero() || kid.Less(first)) {
			first = kid
		}
	}
	return first
}

// unlisted reports whether the parent of the node at a does not have it as a
// child.
func (p *Place) unlisted(v view, a sim.Addr) bool {
	parent, ok := v.At(p.Papa)
	return ok && p.Papa != a && !parent.place().Kids[a]
}

func explainChildren(v view) string {
	var all []string
	for a, n := range v.Nodes() {
		p := n.place()
		if kid := p.stranger(v, a); !kid.IsZero() {
			all = append(all, fmt.Sprintf("%s has the child %s, whose parent is %s", a, kid, above(v, kid)))
		}
		if p.unlisted(v, a) {
			all = append(all, fmt.Sprintf("%s has the parent %s, which does not have it as a child", a, p.Papa))
		}
	}
	return strings.Join(all, "; ")
}

// names lists the nodes whose places are so.
func names(v view, so func(sim.Addr, *Place) bool) string {
	var all []string
	for a, n := range v.Nodes() {
		if so(a, n.place()) {
			all = append(all, a.String())
		}
	}
	if len(all) == 0 {
		return "none"
	}
	return strings.Join(all, ", ")
}
