package tree

import (
	"fmt"
	"strings"

	"macemc/sim"
)

// Properties returns the properties of a tree: there are never any loops, and in the end all nodes
// are in one tree, in which children and parents agree.
func Properties() []sim.Property {
	return []sim.Property{
		sim.Always("no loops: following parents leads to a root or to a node that has not joined", noLoops, explainLoop),
		sim.Eventually("all joined", allJoined, explainJoined),
		sim.Eventually("one root", oneRoot, explainRoots),
		sim.Eventually("children match parents", childrenMatch, explainChildren),
	}
}

// FewMessages limits a search to states with few messages under way. It is for trees in which a
// reorganisation may begin before the last one is over, so that messages could pile up for ever.
var FewMessages = sim.While("three messages under way for each node, on average", Few[Member])

type view = sim.View[Member]

// Few reports whether at most three messages are under way for each node, on average.
func Few[N any](v sim.View[N]) bool { return v.InFlight() <= 3*v.Len() }

func noLoops(v view) bool { return inLoop(v).IsZero() }

// inLoop returns a node from which going from parent to parent never ends, or zero if there is
// none. A root is its own parent, so a node that has adopted itself is a root as well, and not a
// loop: the property "one root" deals with those.
func inLoop(v view) sim.Addr {
	for a := range v.Nodes() {
		at := upward(v, a)
		if up := above(v, at); !up.IsZero() && up != at {
			return at
		}
	}
	return sim.Addr{}
}

// upward goes from node at from parent to parent. It returns the root that it reaches, zero if it
// reaches a node without a parent, or else the node that it reaches after as many steps as there are
// nodes.
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

// above returns the parent of node a, or zero if a has not joined or is zero.
func above(v view, a sim.Addr) sim.Addr {
	if n, ok := v.At(a); ok {
		return n.Parent()
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
		if n.Parent().IsZero() {
			return false
		}
	}
	return true
}

func explainJoined(v view) string {
	return names(v, func(_ sim.Addr, n Member) bool { return n.Parent().IsZero() }) + " not joined"
}

func oneRoot(v view) bool {
	roots := 0
	for a, n := range v.Nodes() {
		if n.Parent() == a {
			roots++
		}
	}
	return roots == 1
}

func explainRoots(v view) string {
	return "roots: " + names(v, func(a sim.Addr, n Member) bool { return n.Parent() == a })
}

func childrenMatch(v view) bool {
	for a, n := range v.Nodes() {
		if !stranger(v, n, a).IsZero() || unlisted(v, n, a) {
			return false
		}
	}
	return true
}

// stranger returns the first child of node n, whose address is a, that has another parent.
func stranger(v view, n Member, a sim.Addr) (first sim.Addr) {
	for kid := range n.Children() {
		if above(v, kid) != a && (first.IsZero() || kid.Less(first)) {
			first = kid
		}
	}
	return first
}

// unlisted reports whether the parent of node n, whose address is a, does not list it as a child.
func unlisted(v view, n Member, a sim.Addr) bool {
	parent, ok := v.At(n.Parent())
	return ok && n.Parent() != a && !parent.HasChild(a)
}

func explainChildren(v view) string {
	var all []string
	for a, n := range v.Nodes() {
		if kid := stranger(v, n, a); !kid.IsZero() {
			all = append(all, fmt.Sprintf("%s has the child %s, whose parent is %s", a, kid, above(v, kid)))
		}
		if unlisted(v, n, a) {
			all = append(all, fmt.Sprintf("%s has the parent %s, which does not have it as a child", a, n.Parent()))
		}
	}
	return strings.Join(all, "; ")
}

// names lists the nodes for which so returns true.
func names(v view, so func(sim.Addr, Member) bool) string {
	var all []string
	for a, n := range v.Nodes() {
		if so(a, n) {
			all = append(all, a.String())
		}
	}
	if len(all) == 0 {
		return "none"
	}
	return strings.Join(all, ", ")
}
