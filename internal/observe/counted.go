package observe

import (
	"fmt"
	"reflect"
	"slices"

	"macemc/internal/canon"
	"macemc/internal/charts"
	"macemc/internal/codec"
	"macemc/sim"
)

// Counted has the counts of a Coverage, as values that JSON can represent. Another process of the
// same build can read them.
type Counted struct {
	Types                                []CountedType
	Kinds                                [][2]int // for each kind, how often it was possible and how often it happened
	Disk, Rare, Refused, Overflow, Facts int
	Senders                              []int64 // the code whose sends were refused, as addresses relative to a function of this package
	Allowed                              sim.Faults
	Bugs                                 []bool
	Coins                                []CountedCoin
	Uncounted                            bool
	Eventually, Sometimes                []CountedProperty
	Assume, Within                       [2]int // the numbers of states in which the constraint held, and in which it did not
	Charts                               []charts.Sum
}

// CountedType has the counts of the signals and messages of a type.
type CountedType struct {
	Short, Name string
	Of          [][2]int // for each kind of event, how often it was possible and how often it happened
	Audited     int      // the number of audited deliveries
	Noticed     bool     // one of these changed the node or had an effect
}

// CountedCoin has the counts of the random choices (coins) that the service makes for one
// purpose, which is Why.
type CountedCoin struct {
	Why         string
	Whole, Wide int
	Given       []int
	Possible    []bool
}

// CountedProperty has the counts of a liveness property or a Sometimes property. Its fields have the
// meaning of those of propertyTally with the same names, except that Then is called onward there.
type CountedProperty struct {
	Name                        string
	Yes, No, First, Empty, Then int
	Near                        bool
	Far                         int
}

// anchor returns the address of a function in this program. Addresses of code are stored as
// distances from it.
func anchor() uintptr { return reflect.ValueOf(typeNames).Pointer() }

// Counted returns the counts of c.
func (c *Coverage) Counted() Counted {
	out := Counted{
		Disk: c.disk, Rare: c.rare, Refused: c.refused, Overflow: c.overflows, Facts: c.facts, Allowed: c.allowed,
		Uncounted: c.uncounted, Assume: c.assume.counted(), Within: c.within.counted(), Charts: c.charts.Counted(),
	}
	for _, t := range c.types {
		one := CountedType{Short: t.typ.String(), Name: codec.Name(t.typ), Audited: t.audited, Noticed: t.noticed}
		for _, n := range t.of {
			one.Of = append(one.Of, [2]int{n.possible, n.happened})
		}
		out.Types = append(out.Types, one)
	}
	for _, n := range c.kinds {
		out.Kinds = append(out.Kinds, [2]int{n.possible, n.happened})
	}
	for code := range c.senders {
		out.Senders = append(out.Senders, int64(code)-int64(anchor()))
	}
	slices.Sort(out.Senders)
	for i := range c.bugs {
		out.Bugs = append(out.Bugs, c.bugs[i].Load())
	}
	for _, why := range sim.Keys(c.coins) {
		out.Coins = append(out.Coins, c.coins[why].counted())
	}
	for k := range c.eventually {
		out.Eventually = append(out.Eventually, c.eventually[k].counted())
	}
	for k := range c.sometimes {
		out.Sometimes = append(out.Sometimes, c.sometimes[k].counted())
	}
	return out
}

// Add adds counts from another process of the same build, for an equal system. A world with c must have begun
// a run before, so that c knows the system's properties and charts.
func (c *Coverage) Add(n *Counted) error {
	o := c.Another()
	o.bugs, o.coins, o.tallies = nil, nil, nil
	o.Prepare(c.params)
	o.disk, o.rare, o.refused, o.overflows, o.facts, o.allowed = n.Disk, n.Rare, n.Refused, n.Overflow, n.Facts, n.Allowed
	o.uncounted, o.assume, o.within = n.Uncounted, statesOf(n.Assume), statesOf(n.Within)
	if len(n.Kinds) != len(o.kinds) || len(n.Bugs) != len(o.bugs) || len(n.Eventually) != len(o.eventually) || len(n.Sometimes) != len(o.sometimes) {
		return fmt.Errorf("the counts are of another system or build: %d kinds of events, %d bugs, %d and %d properties", len(n.Kinds), len(n.Bugs), len(n.Eventually), len(n.Sometimes))
	}
	for k := range n.Kinds {
		o.kinds[k] = tallyOf(n.Kinds[k])
	}
	for _, code := range n.Senders {
		o.RefusedAt(uintptr(code + int64(anchor())))
	}
	for i, is := range n.Bugs {
		o.bugs[i].Store(is)
	}
	for k := range n.Types {
		if err := o.addType(&n.Types[k]); err != nil {
			return err
		}
	}
	for k := range n.Coins {
		o.addCoin(&n.Coins[k])
	}
	for k := range n.Eventually {
		o.eventually[k] = n.Eventually[k].tally()
	}
	for k := range n.Sometimes {
		o.sometimes[k] = n.Sometimes[k].tally()
	}
	if err := c.charts.Join(n.Charts); err != nil {
		return err
	}
	c.Merge(o)
	return nil
}

func (c *Coverage) addType(n *CountedType) error {
	typ := codec.Lookup(n.Short, n.Name)
	if typ == nil || len(n.Of) != int(sim.KindTimer)+1 {
		return fmt.Errorf("the counts come from another program or version: they name the type %s, which this program does not have", n.Name)
	}
	v := reflect.Zero(typ).Interface()
	t := &typeTally{typ: typ, word: canon.Dynamic(v), audited: n.Audited, noticed: n.Noticed}
	for k := range n.Of {
		t.of[k] = tallyOf(n.Of[k])
	}
	c.types, c.tallies[t.word] = append(c.types, t), t
	return nil
}

func (c *Coverage) addCoin(n *CountedCoin) {
	t := &coinTally{why: n.Why, whole: n.Whole, wide: n.Wide}
	for i, given := range n.Given {
		t.sides = append(t.sides, side{given: given, possible: i < len(n.Possible) && n.Possible[i]})
	}
	c.coins[n.Why] = t
}

func (t *coinTally) counted() CountedCoin {
	n := CountedCoin{Why: t.why, Whole: t.whole, Wide: t.wide}
	for _, s := range t.sides {
		n.Given, n.Possible = append(n.Given, s.given), append(n.Possible, s.possible)
	}
	return n
}

func (t *propertyTally) counted() CountedProperty {
	return CountedProperty{Name: t.name, Yes: t.yes, No: t.no, First: t.first, Empty: t.empty, Then: t.onward, Near: t.near, Far: t.far}
}

func (n *CountedProperty) tally() propertyTally {
	return propertyTally{name: n.Name, stateTally: stateTally{n.Yes, n.No}, first: n.First, empty: n.Empty, onward: n.Then, near: n.Near, far: n.Far}
}

func (t *stateTally) counted() [2]int { return [2]int{t.yes, t.no} }

func statesOf(n [2]int) stateTally { return stateTally{n[0], n[1]} }

func tallyOf(n [2]int) Tally { return Tally{n[0], n[1]} }
