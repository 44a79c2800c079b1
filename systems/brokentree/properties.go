package brokentree

import (
	"fmt"
	"strings"

	"macemc/sim"
)

type view = sim.View[*node]

func fewMessages(v view) bool { return v.InFlight() <= 3*v.Len() }

func noLoops(v view) bool { return inLoop(v).IsZero() }

// inLoop is a node from which following parents never ends; nobody: there is
// none. A root is its own parent, so a node that adopted itself is a root too,
// not a loop: "one root" is about those.
func inLoop(v view) sim.Addr {
	for a := range v.Nodes() {
		at := a
		for range v.Len() {
			at = above(v, at)
		}
		if up := above(v, at); !up.IsZero() && up != at {
			return at
		}
	}
	return sim.Addr{}
}

// above is the parent of a; nobody if it has not joined, and of nobody.
func above(v view, a sim.Addr) sim.Addr {
	if n, ok := v.At(a); ok {
		return n.papa
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
		if !n.joined() {
			return false
		}
	}
	return true
}

func explainJoined(v view) string {
	return names(v, func(_ sim.Addr, n *node) bool { return !n.joined() }) + " not joined"
}

func oneRoot(v view) bool {
	roots := 0
	for a, n := range v.Nodes() {
		if n.papa == a {
			roots++
		}
	}
	return roots == 1
}

func explainRoots(v view) string {
	return "roots: " + names(v, func(a sim.Addr, n *node) bool { return n.papa == a })
}

func childrenMatch(v view) bool {
	for a, n := range v.Nodes() {
		if stranger := n.stranger(v, a); !stranger.IsZero() || n.unlisted(v, a) {
			return false
		}
	}
	return true
}

// stranger is the first child of n, at a, that has another parent.
func (n *node) stranger(v view, a sim.Addr) (first sim.Addr) {
	for kid := range n.kids {
		if above(v, kid) != a && (first.IsZero() || kid.Less(first)) {
			first = kid
		}
	}
	return first
}

// unlisted reports whether the parent of n, at a, does not have it as a child.
func (n *node) unlisted(v view, a sim.Addr) bool {
	parent, ok := v.At(n.papa)
	return ok && n.papa != a && !parent.kids[a]
}

func explainChildren(v view) string {
	var all []string
	for a, n := range v.Nodes() {
		if kid := n.stranger(v, a); !kid.IsZero() {
			all = append(all, fmt.Sprintf("%s has the child %s, whose parent is %s", a, kid, above(v, kid)))
		}
		if n.unlisted(v, a) {
			all = append(all, fmt.Sprintf("%s has the parent %s, which does not have it as a child", a, n.papa))
		}
	}
	return strings.Join(all, "; ")
}

// names lists the nodes that are so.
func names(v view, so func(sim.Addr, *node) bool) string {
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
