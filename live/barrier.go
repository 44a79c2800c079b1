package live

// barrier is where a node's messages do not get through: to the nodes of one set, and
// from those of another.
type barrier struct{ to, from uint64 }

// reaches reports whether datagrams get to a node.
func (b barrier) reaches(i int) bool { return b.to&(1<<i) == 0 }

// hears reports whether datagrams of a node get here.
func (b barrier) hears(i int) bool { return b.from&(1<<i) == 0 }

// parts reports whether there can be no connection with a node: it needs both ways.
func (b barrier) parts(i int) bool { return (b.to|b.from)&(1<<i) != 0 }

// cut is a partition between the nodes of a side and the others.
type cut struct {
	side   uint64
	oneWay bool // only what the side sends is lost
	nodes  int
}

// around returns the barrier that it is to a node.
func (c cut) around(i int) barrier {
	if c.side == 0 {
		return barrier{}
	}
	others := ^c.side & (1<<(c.nodes-1)<<1 - 1)
	in := c.side&(1<<i) != 0
	switch {
	case c.oneWay && in:
		return barrier{to: others}
	case c.oneWay:
		return barrier{from: c.side}
	case in:
		return barrier{others, others}
	default:
		return barrier{c.side, c.side}
	}
}
