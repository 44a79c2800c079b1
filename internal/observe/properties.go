package observe

// stateTally has the number of states in which something held, and the number of those in
// which it did not.
type stateTally struct{ yes, no int }

func (t *stateTally) saw(holds bool) {
	if holds {
		t.yes++
	} else {
		t.no++
	}
}

type propertyTally struct {
	name string
	stateTally
	first  int // the least depth of a state in which it held, plus one; 0 if there is none
	empty  int // the number of states in which it held only because it saw no node
	onward int // the least number of steps of a run after which it held, plus one; 0 means none
	near   bool
	far    int // if the property has a distance: the least distance of a state from one in which it holds
}

// missed records far, the distance of a state from one in which the property holds, if it
// is the least so far.
func (t *propertyTally) missed(far int) {
	if !t.near || far < t.far {
		t.near, t.far = true, far
	}
}

// ran records whether the property held after a number of steps of a run.
func (t *propertyTally) ran(steps int, holds bool) {
	t.saw(holds)
	if holds && (t.onward == 0 || steps < t.onward-1) {
		t.onward = steps + 1
	}
}

// visited records whether the property held in a state at a depth.
func (t *propertyTally) visited(depth int, holds bool) {
	t.saw(holds)
	if holds && (t.first == 0 || depth < t.first-1) {
		t.first = depth + 1
	}
}

// judged adds a state to the count of those in which the property held only because it saw no
// node. It does nothing if empty is false.
func (t *propertyTally) judged(empty bool) {
	if empty {
		t.empty++
	}
}

// Live records whether the k-th liveness property holds after a number of steps of a run; -1 means that the
// number is not known. empty says that it holds only because it saw no node, since some nodes are down.
func (c *Coverage) Live(k, steps int, holds, empty bool) {
	t := &c.eventually[k]
	t.judged(empty)
	if steps < 0 {
		t.saw(holds)
	} else {
		t.ran(steps, holds)
	}
}

// Known reports whether the k-th liveness property was seen to hold in a visited state, and
// was also seen not to hold.
func (c *Coverage) Known(k int) bool { return c.eventually[k].first > 0 && c.eventually[k].no > 0 }

// Visited records whether the k-th liveness property holds in a visited state at a depth.
func (c *Coverage) Visited(k, depth int, holds bool) { c.eventually[k].visited(depth, holds) }

// Met reports whether a state was met in which the k-th Sometimes property holds.
func (c *Coverage) Met(k int) bool { return c.sometimes[k].yes > 0 }

// Meets records whether the k-th Sometimes property holds in a state.
func (c *Coverage) Meets(k int, holds bool) { c.sometimes[k].saw(holds) }

// Away records far, the distance of a state from one in which the k-th Sometimes property
// holds.
func (c *Coverage) Away(k, far int) { c.sometimes[k].missed(far) }

// Assumed records whether a state satisfies System.Assume. The method Within does the same
// for System.Within.
func (c *Coverage) Assumed(holds bool) { c.assume.saw(holds) }
func (c *Coverage) Within(holds bool)  { c.within.saw(holds) }

// Held says where a liveness property was first seen to hold.
type Held struct {
	Property string
	Depth    int  // the number of steps to the state; 0 means the start; -1 means that it held nowhere
	Run      bool // it held in no visited state, but in a run, after Depth steps
}

// Held returns where each liveness property was first seen to hold. It leaves out properties for which that
// is not known.
func (c *Coverage) Held() (held []Held) {
	for _, p := range c.eventually {
		switch {
		case p.first > 0:
			held = append(held, Held{Property: p.name, Depth: p.first - 1})
		case p.onward > 0:
			held = append(held, Held{Property: p.name, Depth: p.onward - 1, Run: true})
		case p.yes == 0:
			held = append(held, Held{Property: p.name, Depth: -1})
		}
	}
	return held
}
