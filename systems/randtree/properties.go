package randtree

import (
	"fmt"
	"slices"
	"strings"

	"macemc/sim"
	"macemc/systems/tree"
)

// properties returns the properties of every tree, and those of this system.
func properties() []sim.Property {
	return append(tree.Properties(),
		sim.Always("who has joined is a root or has a parent", rootOrParent, explainParent),
		sim.Always("a node is in init, or its recovery timer is scheduled", timers, explainTimers),
		sim.Eventually("roots match", rootsMatch, explainRoots),
		sim.Eventually("siblings match", siblingsMatch, explainSiblings),
	)
}

type view = sim.View[*node]

func rootOrParent(v view) bool { return homeless(v).IsZero() }

// homeless returns a node that has joined, is no root and has no parent, or zero if there is none.
func homeless(v view) sim.Addr {
	for a, n := range v.Nodes() {
		if n.state == joined && n.root != a && n.parent.IsZero() {
			return a
		}
	}
	return sim.Addr{}
}

func explainParent(v view) string {
	return homeless(v).String() + " has joined, is no root, and has no parent"
}

// timers reports whether the recovery timer is set at all nodes that are not in the state initial, and at
// no others.
func timers(v view) bool {
	for a, n := range v.Nodes() {
		if (n.state == initial) == v.Scheduled(a, recoveryTimer{}) {
			return false
		}
	}
	return true
}

func explainTimers(v view) string {
	var all []string
	for a, n := range v.Nodes() {
		switch set := v.Scheduled(a, recoveryTimer{}); {
		case n.state == initial && set:
			all = append(all, fmt.Sprintf("%s is in init, and its recovery timer is scheduled", a))
		case n.state != initial && !set:
			all = append(all, fmt.Sprintf("%s is %s, and its recovery timer is not scheduled", a, n.state))
		}
	}
	return strings.Join(all, "; ")
}

// rootsMatch reports whether all nodes name the same root.
func rootsMatch(v view) bool {
	var root sim.Addr
	for _, n := range v.Nodes() {
		if !root.IsZero() && n.root != root {
			return false
		}
		root = n.root
	}
	return true
}

func explainRoots(v view) string {
	var all []string
	for a, n := range v.Nodes() {
		all = append(all, fmt.Sprintf("%s has the root %s", a, n.root))
	}
	return strings.Join(all, ", ")
}

// siblingsMatch reports whether the children of a root know each other as siblings, and no other node
// knows any.
func siblingsMatch(v view) bool {
	for a, n := range v.Nodes() {
		if !slices.Equal(n.siblings, due(v, a, n)) {
			return false
		}
	}
	return true
}

// due returns the siblings that node n, whose address is a, should know.
func due(v view, a sim.Addr, n *node) []sim.Addr {
	if parent, ok := v.At(n.parent); ok && n.parent != a && parent.root == n.parent {
		return parent.kids
	}
	return nil
}

func explainSiblings(v view) string {
	var all []string
	for a, n := range v.Nodes() {
		if want := due(v, a, n); !slices.Equal(n.siblings, want) {
			all = append(all, fmt.Sprintf("%s believes in the siblings %v, and they are %v", a, n.siblings, want))
		}
	}
	return strings.Join(all, "; ")
}
