package live

// group is a set of nodes, by index. A nil group is empty.
type group []bool

func (g group) has(i int) bool { return i < len(g) && g[i] }

// barrier says how a partition separates a node from the others: from is the group of nodes whose messages
// do not reach it, and to the group of nodes that its own messages do not reach.
type barrier struct{ to, from group }

// reaches reports whether datagrams of this node reach node i.
func (b barrier) reaches(i int) bool { return !b.to.has(i) }

// hears reports whether datagrams of node i reach this node.
func (b barrier) hears(i int) bool { return !b.from.has(i) }

// parts reports whether there can be no connection with node i, since a connection needs both directions.
func (b barrier) parts(i int) bool { return b.to.has(i) || b.from.has(i) }

// cut is a partition between the nodes of a side and the others.
type cut struct {
	side, others group // nil if there is no partition
	oneWay       bool  // only the messages that the side sends are lost
}

// cutOf returns the cut between the nodes of a side and the others of n nodes. If side is empty, there is
// no partition.
func cutOf(side []int, oneWay bool, n int) cut {
	if len(side) == 0 {
		return cut{}
	}
	c := cut{make(group, n), make(group, n), oneWay}
	for _, i := range side {
		c.side[i] = true
	}
	for i := range n {
		c.others[i] = !c.side[i]
	}
	return c
}

// around returns the barrier that the cut puts around node i.
func (c cut) around(i int) barrier {
	switch in := c.side.has(i); {
	case c.oneWay && in:
		return barrier{to: c.others}
	case c.oneWay:
		return barrier{from: c.side}
	case in:
		return barrier{c.others, c.others}
	default:
		return barrier{c.side, c.side}
	}
}
