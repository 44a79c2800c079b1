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
