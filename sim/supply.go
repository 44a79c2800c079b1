package sim

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"macemc/internal/canon"
	"macemc/internal/guard"
	"macemc/internal/sight"
	"macemc/macetime"
)

// This file calls the functions of a System on behalf of packages that run it, and turns
// their failures into errors for the system's author.

func init() {
	sight.Sim = sight.Inside{
		Rule: func(of any) sight.Rule {
			if p, is := of.(Property); is {
				return p.rule
			}
			return of.(Constraint).rule
		},
		Rules: func(system any) canon.Options { return system.(*System).rules() },
		Walker: func(system any, renames bool) (*canon.Walker, error) {
			if renames {
				return system.(*System).walker(reflect.TypeFor[Addr]())
			}
			return system.(*System).walker(nil)
		},
		Script: func(self any, script []any, life int) error { return checkScript(self.(Addr), script, life) },
	}
}

// walker returns a canon.Walker, which hashes and copies the values of the system. If names is not
// nil, it is the type of addresses, and the walker can hash values as if nodes had other addresses:
// see canon.Walker.Rename. For Rename, the number of an address is its Index plus one.
func (sys *System) walker(names reflect.Type) (*canon.Walker, error) {
	o := sys.rules()
	o.Names = names
	o.Skip = []reflect.Type{reflect.TypeFor[Env](), reflect.TypeFor[sight.Port](), reflect.TypeFor[sight.Table]()}
	o.Named = []reflect.Type{reflect.TypeFor[Addr](), reflect.TypeFor[macetime.Time](), reflect.TypeFor[macetime.Monotone]()}
	o.Through = reflect.TypeFor[sight.Handled]()
	walker, err := canon.New(o)
	if err != nil {
		return nil, fmt.Errorf("system %s: %w", sys.Name, err)
	}
	return walker, nil
}

// moment returns the result of the method Moment of root, and whether it has one. If
// Handlers made root from a plain value, the method is that of the value.
func moment(root any) (time.Time, bool) {
	if n, ok := root.(Node); ok {
		root = sight.Subject(n)
	}
	if n, ok := root.(timekeeper); ok {
		return n.Moment(), true
	}
	return time.Time{}, false
}

// Links returns the network that the system asks for.
func (sys *System) Links(p Params) (net Network, err error) {
	if sys.Network != nil {
		err = guard.Call("Network", func() { net = sys.Network(p) })
	}
	return net, err
}

// Pace returns the system's guarantee about clocks, or nil if its timers may fire at any
// time.
func (sys *System) Pace(p Params) (c *Clock, err error) {
	if sys.Clock == nil {
		return nil, nil
	}
	if err := guard.Call("Clock", func() { c = sys.Clock(p) }); err != nil {
		return nil, err
	}
	return c, c.check()
}

// Opening returns the script of the node at self in its first life: the requests that the
// application makes of it.
func (sys *System) Opening(p Params, self Addr) (script []Signal, err error) {
	if sys.Script == nil {
		return nil, nil
	}
	if err := guard.Call("Script", func() { script = sys.Script(p, self, 0) }); err != nil {
		return nil, fmt.Errorf("at %s, %w", self, err)
	}
	if slices.Contains(script, nil) {
		return nil, fmt.Errorf("the Script of %s has a nil signal; a signal is a value of a type of its own", self)
	}
	return script, checkScript(self, script, 0)
}

// checkScript returns an error if script, the requests of the node at self in one of its
// lives, has a Join that is not first in its first life, or a Leave that is not last.
func checkScript(self Addr, script []Signal, life int) error {
	for k, s := range script {
		switch s.(type) {
		case Join:
			if k > 0 || life > 0 {
				return fmt.Errorf("the Script of %s has a Join at place %d of life %d; a node joins once, so it is the first signal of life 0", self, k, life)
			}
		case Leave:
			if k < len(script)-1 {
				return fmt.Errorf("the Script of %s has a Leave at place %d of %d; nothing happens on a node that has left, so it is the last", self, k, len(script))
			}
		}
	}
	return nil
}

// partitionsMost is the largest number of nodes for which partitions are enumerated.
const partitionsMost = 10

// CanFail returns an error if a limit in f names a node that the system does not have, or
// if it has too many nodes for a search to list the partitions that f allows.
func (sys *System) CanFail(p Params, f Faults) error {
	if p, err := sys.Resolve(p); err == nil {
		if _, err := f.Where(p.Nodes); err != nil {
			return err
		}
	}
	if p, err := sys.Resolve(p); err == nil && (f.Partition != 0 || f.OneWay != 0) && p.Nodes > partitionsMost {
		return fmt.Errorf("%s has %d nodes, and partitions are enumerated up to %d; leave partition and oneway out of the faults",
			sys.Name, p.Nodes, partitionsMost)
	}
	return nil
}

// Interchanged returns the sets that System.Interchangeable declares and that have two or
// more nodes, as indices of nodes.
func (sys *System) Interchanged(p Params) (sets [][]int, err error) {
	if sys.Interchangeable == nil {
		return nil, nil
	}
	var all [][]Addr
	if err := guard.Call("Interchangeable", func() { all = sys.Interchangeable(p) }); err != nil {
		return nil, fmt.Errorf("system %s: %w", sys.Name, err)
	}
	seen := map[Addr]bool{}
	for _, addrs := range all {
		var set []int
		for _, a := range addrs {
			if a.IsZero() || a.Index() >= p.Nodes || seen[a] {
				return nil, fmt.Errorf("system %s: Interchangeable returns %v; each of the %d nodes may stand there once", sys.Name, all, p.Nodes)
			}
			seen[a] = true
			set = append(set, a.Index())
		}
		if slices.Sort(set); len(set) > 1 {
			sets = append(sets, set)
		}
	}
	return sets, nil
}
