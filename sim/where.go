package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"macemc/internal/kinds"
)

// A fault may be limited to some nodes or links: crash=2@n1+n2, loss=1@n0-n1. For crash,
// down, pause and disk the limit names the nodes that fail. For a fault of links, n0 means
// all links of the node, and n0-n1 means that link in both directions. A limited partition
// cuts off only nodes of the limit.

// limits holds, for each budget, the nodes and links that it is limited to, or nil if it is
// not limited.
type limits [len(budgets)][]place

// place is a node, or a link between two nodes, by their indices.
type place struct{ a, b int }

func (p place) String() string {
	if p.a == p.b {
		return addrOf(p.a).String()
	}
	return addrOf(p.a).String() + "-" + addrOf(p.b).String()
}

// Where returns a function that reports whether a fault, in a system of n nodes, may happen
// at the nodes and links of an event. It returns nil if no budget is limited to some nodes
// or links.
func (f Faults) Where(n int) (func(Event) bool, error) {
	l, err := parseLimits(f.Only)
	if err != nil || f.Only == "" {
		return nil, err
	}
	for k, places := range l {
		for _, p := range places {
			if most := max(p.a, p.b); most >= n {
				return nil, fmt.Errorf("the fault %s is limited to %s, and there are %d nodes, counted from n0", kinds.Budgets[k], p, n)
			}
		}
	}
	return func(e Event) bool {
		k := budgetOf[e.Kind]
		return k < 0 || l[k] == nil || l.allow(k, e, n)
	}, nil
}

// Disks returns a function that reports whether the disk of a node may fail, or nil if all
// disks may.
func (f Faults) Disks() (func(node int) bool, error) {
	l, err := parseLimits(f.Only)
	places := l[slices.Index(kinds.Budgets, "disk")]
	if err != nil || places == nil {
		return nil, err
	}
	return func(node int) bool {
		return slices.ContainsFunc(places, func(p place) bool { return p.a == node })
	}, nil
}

func (l *limits) allow(k int, e Event, n int) bool {
	if split, ok := e.Value.(Split); ok && e.Node.IsZero() {
		return l.within(k, split.Side) || e.Kind == KindPartition && l.within(k, ^split.Side&(1<<n-1))
	}
	here := e.Node.Index()
	return slices.ContainsFunc(l[k], func(p place) bool {
		other := e.From.Index()
		if p.a == p.b || other < 0 {
			return p.a == here || p.a == other || p.b == here
		}
		return min(p.a, p.b) == min(here, other) && max(p.a, p.b) == max(here, other)
	})
}

// within reports whether all nodes of group, which has a bit for each node by index, are
// nodes to which the k-th budget is limited.
func (l *limits) within(k int, group uint64) bool {
	for _, p := range l[k] {
		group &^= 1<<p.a | 1<<p.b
	}
	return group == 0
}

// parseLimits parses Faults.Only, as in "crash@n1+n2,loss@n0-n1".
func parseLimits(text string) (l limits, err error) {
	for part := range strings.SplitSeq(text, ",") {
		name, places, _ := strings.Cut(part, "@")
		k := slices.Index(kinds.Budgets, name)
		switch {
		case text == "":
			return l, nil
		case k < 0:
			return l, fmt.Errorf("Faults.Only names the fault %q; there are %s", name, strings.Join(kinds.Budgets, ", "))
		case l[k] != nil:
			return l, fmt.Errorf("Faults.Only names the fault %s twice", name)
		}
		if l[k], err = parsePlaces(name, places); err != nil {
			return l, err
		}
	}
	return l, nil
}

// SlowLinks returns a function that reports which links are slow in a system with this number of nodes, or
// nil if none is.
func (n Network) SlowLinks(nodes int) (func(from, to Addr) bool, error) {
	if n.Slow == "" {
		return nil, nil
	}
	places, err := parsePlaces("slow", n.Slow)
	for _, p := range places {
		if most := max(p.a, p.b); most >= nodes {
			return nil, fmt.Errorf("the link %s is slow, and there are %d nodes, counted from n0", p, nodes)
		}
	}
	return func(from, to Addr) bool {
		return slices.ContainsFunc(places, func(p place) bool { return p.touches(from.Index(), to.Index()) })
	}, err
}

// touches reports whether p is the link between the nodes one and other, or is one of the
// two nodes.
func (p place) touches(one, other int) bool {
	if p.a == p.b {
		return p.a == one || p.a == other
	}
	return min(p.a, p.b) == min(one, other) && max(p.a, p.b) == max(one, other)
}

func parsePlaces(name, text string) (places []place, err error) {
	if name == "rare" {
		return nil, fmt.Errorf("the fault rare cannot be limited to nodes or links; write rare=1")
	}
	for word := range strings.SplitSeq(text, "+") {
		from, to, link := strings.Cut(word, "-")
		if !link {
			to = from
		}
		a, okay := nodeNumber(from)
		b, too := nodeNumber(to)
		switch ofNode := ofNodes(name); {
		case !okay || !too || link && a == b:
			if name == "slow" {
				return nil, fmt.Errorf("network setting slow has the place %q; write slow=n0-n1 for a link, slow=n2 for all of a node's, and + between several", word)
			}
			return nil, fmt.Errorf("the fault %s is limited to %q; write %s=1@n1+n2 for nodes%s", name, word, name, orLinks(ofNode, name))
		case link && (ofNode || name == "partition" || name == "oneway"):
			return nil, fmt.Errorf("the fault %s is limited to %q, a link; it happens to nodes: write %s=1@n1+n2", name, word, name)
		}
		places = append(places, place{a, b})
	}
	return places, nil
}

// ofNodes reports whether the fault with this name happens to a single node, and not to a link
// or, as a partition does, to the network. It is true for "disk", although a disk fails within
// other events and has none of its own.
func ofNodes(name string) bool {
	for k := KindScript; k < kindsMost; k++ {
		if row := kinds.Of(uint8(k), false); row.Budget == name && (row.Ground == kinds.Crash || row.Ground == kinds.Node) {
			return true
		}
	}
	return name == "disk"
}

func orLinks(ofNode bool, name string) string {
	if ofNode || name == "partition" || name == "oneway" {
		return ""
	}
	return fmt.Sprintf(", %s=1@n0-n1 for a link", name)
}

func nodeNumber(word string) (int, bool) {
	digits, named := strings.CutPrefix(strings.TrimSpace(word), "n")
	n, err := strconv.Atoi(digits)
	return n, named && err == nil && n >= 0 && strconv.Itoa(n) == digits
}
