package pastry

import (
	"slices"

	"macemc/sim"
)

// candidates is the largest number of nodes in a cell of the routing table. A cell is a column of a
// row.
const candidates = 8

// candidate is a node in the routing table. Its row is the number of digits with which its
// key and this node's begin alike, and its column the next digit.
type candidate struct {
	addr   sim.Addr
	proven bool // it has sent a message that only members send; otherwise other nodes have named it
}

// row returns the row of the routing table to which node a belongs.
func (n *node) row(a sim.Addr) int { return n.key().shared(n.keys.of(a)) }

// inRow returns the part of a row that other nodes may get, which is its proven candidates, and the
// node itself. A node belongs to every row of its own table.
func (n *node) inRow(row int) []sim.Addr {
	all := []sim.Addr{n.self}
	for _, c := range n.table {
		if c.proven && n.row(c.addr) == row {
			all = append(all, c.addr)
		}
	}
	return all
}

// knows reports whether node a is this node, or is in its table.
func (n *node) knows(a sim.Addr) bool {
	return a == n.self || slices.ContainsFunc(n.table, func(c candidate) bool { return c.addr == a })
}

// note adds node a to the table if its cell has room. If proven is set, a may replace a candidate
// that is not proven.
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

// strike removes node a from the table.
func (n *node) strike(a sim.Addr) {
	n.table = slices.DeleteFunc(n.table, func(c candidate) bool { return c.addr == a })
	if len(n.table) == 0 {
		n.table = nil
	}
}

// next returns the next node on the way to the node that is closest to key k, or this node itself
// if it knows none that is closer. It never returns the node excluded. If proven is set, it ignores
// the candidates in the table that are not proven.
func (n *node) next(k key, excluded sim.Addr, proven bool) sim.Addr {
	if n.covers(k) {
		next := n.self
		for s := range n.half {
			for _, a := range n.half[s].leaves {
				if a != excluded && closer(k, n.keys.of(a), n.keys.of(next)) {
					next = a
				}
			}
		}
		return next
	}
	row := n.key().shared(k)
	if next := n.inCell(k, row, excluded, proven); !next.IsZero() {
		return next
	}
	return n.beside(k, row, excluded, proven)
}

// inCell returns the candidate to which a message for key k should go next, from the cell of k in
// this row: the closest proven one, or else the closest of the others. It never returns the node
// excluded.
func (n *node) inCell(k key, row int, excluded sim.Addr, proven bool) (next sim.Addr) {
	for _, c := range n.table {
		if c.addr == excluded || proven && !c.proven || n.keys.of(c.addr).shared(k) <= row {
			continue
		}
		if next.IsZero() || c.proven && !proven || closer(k, n.keys.of(c.addr), n.keys.of(next)) {
			next, proven = c.addr, c.proven
		}
	}
	return next
}

// beside returns the next node for key k in the rare case that the cell of k is empty: the closest
// node that is closer to k than this one, and shares no fewer digits with k. It never returns the
// node excluded.
func (n *node) beside(k key, row int, excluded sim.Addr, proven bool) sim.Addr {
	next := n.self
	consider := func(a sim.Addr) {
		if a != excluded && n.keys.of(a).shared(k) >= row && closer(k, n.keys.of(a), n.keys.of(next)) {
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
