package live

// group is a set of nodes, by index; nil is the empty one.
type group []bool

func (g group) has(i int) bool { return i < len(g) && g[i] }

// barrier has the nodes to which a node's messages are stopped, and the nodes from which messages to it are
// stopped.
type barrier struct{ to, from group }

// reaches reports whether datagrams get to a node.
func (b barrier) reaches(i int) bool { return !b.to.has(i) }

// hears reports whether datagrams of a node get here.
func (b barrier) hears(i int) bool { return !b.from.has(i) }

// parts reports whether there can be no connection with a node, since a connection needs both directions.
func (b barrier) parts(i int) bool { return b.to.has(i) || b.from.has(i) }

// cut is a partition between the nodes of a side and the others.
type cut struct {
	side, others group // nil if there is no partition
	oneWay       bool  // only the messages that the side sends are lost
}

// cutOf returns the cut between the nodes of a side and the others of n, or none if there are
// no nodes in side.
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

// around returns the barrier around a node.
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
