package explore

import "fmt"

// A reduction relies on sim.Takes: a property made by it has the same value in all states in which
// its function returns the same value for each node. This file tests that in the states that are
// audited. It replaces a node by another state of the same node for which the functions return the
// same values, or removes all messages, and compares the values of the properties. The changed
// state need not be reachable. A property that panics in it is not compared.

// declaredTries is the largest number of parts of a node at which Reduction.alike looks.
const declaredTries = 64

// declared checks the properties made by sim.Takes in the state r.v: each must depend on nothing
// but the values that it takes from the nodes. It returns an error if one depends on more of a node,
// or on messages under way.
func (r *Reduction) declared(x *Explorer) error {
	held := map[int]bool{}
	x.World.State.Load(x.Bank, r.v)
	x.World.Judge.Declared(func(k int, _ string, holds bool) { held[k] = holds })
	if len(held) == 0 {
		return nil
	}
	of := ""
	compare := func() {
		x.World.State.Load(x.Bank, r.mixed)
		x.World.Judge.Declared(func(k int, name string, holds bool) {
			if was, known := held[k]; known && was != holds && of == "" {
				of = name
			}
		})
	}
	for i := range r.n {
		other := r.alike(i, r.v[i])
		if other == 0 {
			continue
		}
		copy(r.mixed, r.v)
		r.mixed[i] = other
		if compare(); of != "" {
			return fmt.Errorf("system %s: property %q depends on more of a node than the value that sim.Takes declares: it changes if %s is replaced by a node with the same value; add the rest of what it reads to the value", x.Owner.Sys.Name, of, x.World.Params().Addr(i))
		}
	}
	copy(r.mixed, r.v)
	clear(r.mixed[r.n:r.at.Rest()])
	if compare(); of != "" {
		return fmt.Errorf("system %s: property %q depends on messages under way, and sim.Takes declares that it depends on nodes alone; leave the declaration out", x.Owner.Sys.Name, of)
	}
	return nil
}

// alike looks for another part of node i (another state of the node) from which the properties take
// the same values as from the part with number id. It returns the number of that part, or 0 if it
// finds none. It looks at declaredTries parts, and each audit begins at another one.
func (r *Reduction) alike(i int, id uint32) uint32 {
	all := len(r.known[i])
	for k := range min(declaredTries, all) {
		other := uint32((r.audits*declaredTries + k) % all)
		if other != id && other != 0 && !r.differ(i, id, other) {
			return other
		}
	}
	return 0
}
