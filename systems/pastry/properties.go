package pastry

import (
	"fmt"
	"slices"
	"strings"

	"macemc/sim"
)

func properties() []sim.Property {
	return []sim.Property{
		sim.Each("leaf sets are two halves", halves, explainHalves),
		sim.Each("a member's own key is its own", ownKey),
		sim.Each("a member's timers are set", timers),
		sim.Eventually("all joined", allJoined, explainJoined),
		sim.Eventually("one ring", oneRing, explainRing),
		sim.Eventually("successors match", successorsMatch, explainSuccessors),
		sim.Eventually("leaf sets match", leavesMatch, explainLeaves),
		sim.Eventually("keys are found", keysFound, explainKeys),
		sim.Eventually("names are found", namesFound, explainNames),
	}
}

type view = sim.View[*node]

// halves reports whether the halves of each node are proper and not too large, and have neither a leaf
// in common nor the node itself.
func halves(v view) bool { return unbalanced(v).IsZero() }

func unbalanced(v view) sim.Addr {
	for a, n := range v.Nodes() {
		r, l := n.half[right], n.half[left]
		if len(r.leaves) > n.most || len(l.leaves) > n.most || has(r.leaves, a) || has(l.leaves, a) || !proper(r) || !proper(l) {
			return a
		}
		for _, b := range r.leaves {
			if has(l.leaves, b) {
				return a
			}
		}
	}
	return sim.Addr{}
}

// proper reports whether the leaves of a half are sorted, and its bound is one of them.
func proper(h half) bool {
	return slices.IsSortedFunc(h.leaves, sim.Addr.Compare) && h.bound.IsZero() == (len(h.leaves) == 0) && (h.bound.IsZero() || has(h.leaves, h.bound))
}

func explainHalves(v view) string {
	a := unbalanced(v)
	n, _ := v.At(a)
	return fmt.Sprintf("%s has the leaves %v on the right and %v on the left, %d at most in each", a, n.half[right].leaves, n.half[left].leaves, n.most)
}

// ownKey reports whether every member considers itself the closest node to its own key.
func ownKey(v view) bool {
	for a, n := range v.Nodes() {
		if n.state == joined && n.next(n.key(), sim.Addr{}, false) != a {
			return false
		}
	}
	return true
}

func timers(v view) bool {
	for a, n := range v.Nodes() {
		member := n.state == joined
		if v.Scheduled(a, leafTimer{}) != member || v.Scheduled(a, tableTimer{}) != member ||
			v.Scheduled(a, recoveryTimer{}) != (member && len(n.peers) > 0) || v.Scheduled(a, joinTimer{}) != (n.state == joining) {
			return false
		}
	}
	return true
}

// allJoined reports whether all nodes are up and are members. The properties below hold only in states
// in which that is so.
func allJoined(v view) bool {
	if v.Len() < v.Params().Nodes {
		return false
	}
	for _, n := range v.Nodes() {
		if n.state != joined {
			return false
		}
	}
	return true
}

func explainJoined(v view) string {
	var all []string
	for a, n := range v.Nodes() {
		if n.state != joined {
			all = append(all, fmt.Sprintf("%s is in %s", a, n.state))
		}
	}
	if down := v.Params().Nodes - v.Len(); down > 0 {
		all = append(all, fmt.Sprintf("%d down", down))
	}
	return strings.Join(all, ", ")
}

// oneRing reports whether all nodes are reached from the first one by going from successor to
// successor.
func oneRing(v view) bool { return allJoined(v) && len(ring(v)) == v.Len() }

// ring returns the nodes that are reached from the first one by going from successor to successor.
func ring(v view) (met []sim.Addr) {
	at := v.Params().Addr(0)
	var seen uint64
	for {
		n, up := v.At(at)
		if !up || seen&(1<<at.Index()) != 0 {
			return met
		}
		seen |= 1 << at.Index()
		met = append(met, at)
		at = n.successor()
	}
}

func explainRing(v view) string {
	if !allJoined(v) {
		return "not all joined"
	}
	return fmt.Sprintf("from %s one comes by %v alone", v.Params().Addr(0), ring(v))
}

// successorsMatch reports whether each node is the predecessor of its successor.
func successorsMatch(v view) bool { return allJoined(v) && len(strangers(v)) == 0 }

func strangers(v view) (all []string) {
	for a, n := range v.Nodes() {
		if next, up := v.At(n.successor()); up && next.predecessor() != a {
			all = append(all, fmt.Sprintf("%s has the successor %s, which has the predecessor %s",
				n.keys.name(a), n.keys.name(next.self), n.keys.name(next.predecessor())))
		}
	}
	return all
}

func explainSuccessors(v view) string { return orNotJoined(v, strangers(v)) }

func orNotJoined(v view, all []string) string {
	if !allJoined(v) {
		return "not all joined"
	}
	return strings.Join(all, "; ")
}

// leavesMatch reports whether each node is a leaf of each of its leaves.
func leavesMatch(v view) bool {
	if !allJoined(v) {
		return false
	}
	for a, n := range v.Nodes() {
		for s := range n.half {
			for _, b := range n.half[s].leaves {
				if m, up := v.At(b); up && !m.leaf(a) {
					return false
				}
			}
		}
	}
	return true
}

func explainLeaves(v view) string {
	var all []string
	for a, n := range v.Nodes() {
		for _, b := range n.leaves() {
			if m, up := v.At(b); up && !m.leaf(a) {
				all = append(all, fmt.Sprintf("%s has the leaf %s, of which it is none", n.keys.name(a), n.keys.name(b)))
			}
		}
	}
	return orNotJoined(v, all)
}

// keysFound reports whether a message from any node for the key of any other one reaches that
// node, with at most one hop more than leaf sets alone would need.
func keysFound(v view) bool {
	if !allJoined(v) {
		return false
	}
	hops := hopsMost(v)
	for a := range v.Nodes() {
		for b := range v.Nodes() {
			if !reaches(v, a, b, hops) {
				return false
			}
		}
	}
	return true
}

func hopsMost(v view) int {
	for _, n := range v.Nodes() {
		return 1 + (v.Len()+2*n.most-1)/(2*n.most)
	}
	return 0
}

// reaches reports whether a message that is at node a, for the key of node b, reaches b within
// this number of hops.
func reaches(v view, a, b sim.Addr, hops int) bool {
	for ; hops >= 0; hops-- {
		n, up := v.At(a)
		if !up {
			return false
		}
		next := n.next(n.keys.of(b), sim.Addr{}, false)
		if next == a {
			return a == b
		}
		a = next
	}
	return false
}

func explainKeys(v view) string {
	var all []string
	hops := hopsMost(v)
	for a, n := range v.Nodes() {
		for b := range v.Nodes() {
			if !reaches(v, a, b, hops) {
				all = append(all, fmt.Sprintf("%s does not reach %s in %d hops", a, n.keys.name(b), hops))
			}
		}
	}
	return orNotJoined(v, all)
}
