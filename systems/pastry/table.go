package pastry

import (
	"slices"

	"macemc/sim"
)

// candidates is the largest number of nodes in a cell of the routing table.
const candidates = 8

// candidate is a node in the routing table. Its row is the number of digits with which its
// key and this node's begin alike, and its column the next digit.
type candidate struct {
	addr   sim.Addr
	proven bool // a message has come from it as a member; other nodes have not just named it
}

// row returns the row of the table to which a belongs.
func (n *node) row(a sim.Addr) int { return n.key().shared(n.keys.of(a)) }

// inRow returns the part of a row that is sent to others: the proven candidates, and the node
// itself, which belongs to every row. Candidates without proof are not passed on.
func (n *node) inRow(row int) []sim.Addr {
	all := []sim.Addr{n.self}
	for _, c := range n.table {
		if c.proven && n.row(c.addr) == row {
			all = append(all, c.addr)
		}
	}
	return all
}

// knows reports whether a is the node itself, or in the table.
func (n *node) knows(a sim.Addr) bool {
	return a == n.self || slices.ContainsFunc(n.table, func(c candidate) bool { return c.addr == a })
}

// note adds a to the table if its cell has room. If a is proven, it may replace a candidate that is
// not.
func (n *node) note(a sim.Addr, proven bool) {
	if a == n.self {
		return
	}
	at, found := slices.BinarySearchFunc(n.table, a, func(c candidate, a sim.Addr) int { return c.addr.Compare(a) })
	if found {
		n.table[at].proven = n.table[at].proven || proven
		return
	}
	cell, worse := 0, -1
	for i, c := range n.table {
		if n.keys.of(c.addr).shared(n.keys.of(a)) > n.row(a) {
			cell++
			if !c.proven {
				worse = i
			}
		}
	}
	switch {
	case cell < candidates:
		n.table = slices.Insert(n.table, at, candidate{a, proven})
	case proven && worse >= 0:
		n.table = slices.Delete(n.table, worse, worse+1)
		n.note(a, proven)
	}
}

// strike removes a from the table.
func (n *node) strike(a sim.Addr) {
	n.table = slices.DeleteFunc(n.table, func(c candidate) bool { return c.addr == a })
	if len(n.table) == 0 {
		n.table = nil
	}
}

// next returns the next node on the way to the one that is closest to k, or the node itself if it
// is the closest one that it knows. It never returns the node but. If proven is set, it returns a
// proven candidate.
func (n *node) next(k key, but sim.Addr, proven bool) sim.Addr {
	if n.covers(k) {
		next := n.self
		for s := range n.half {
			for _, a := range n.half[s].leaves {
				if a != but && closer(k, n.keys.of(a), n.keys.of(next)) {
					next = a
				}
			}
		}
		return next
	}
	row := n.key().shared(k)
	if next := n.inCell(k, row, but, proven); !next.IsZero() {
		return next
	}
	return n.beside(k, row, but, proven)
}

// inCell returns the best candidate of the cell for k: the closest of the proven ones, or else the
// closest of the others.
func (n *node) inCell(k key, row int, but sim.Addr, proven bool) (next sim.Addr) {
	for _, c := range n.table {
		if c.addr == but || proven && !c.proven || n.keys.of(c.addr).shared(k) <= row {
			continue
		}
		if next.IsZero() || c.proven && !proven || closer(k, n.keys.of(c.addr), n.keys.of(next)) {
			next, proven = c.addr, c.proven
		}
	}
	return next
}

// beside returns the next node in the rare case that the cell is empty: the closest node that is
// closer than this one, and shares no fewer digits with k.
func (n *node) beside(k key, row int, but sim.Addr, proven bool) sim.Addr {
	next := n.self
	consider := func(a sim.Addr) {
		if a != but && n.keys.of(a).shared(k) >= row && closer(k, n.keys.of(a), n.keys.of(next)) {
			next = a
		}
	}
	for s := range n.half {
		for _, a := range n.half[s].leaves {
			consider(a)
		}
	}
	for _, c := range n.table {
		if c.proven || !proven {
			consider(c.addr)
		}
	}
	return next
}
