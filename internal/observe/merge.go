package observe

import (
	"macemc/internal/charts"
	"macemc/sim"
)

// Merge adds the counts of o to those of c. The worlds of o have an equal system, and belong to another
// goroutine, which must have ended.
func (c *Coverage) Merge(o *Coverage) {
	if o.sys == nil {
		return
	}
	for _, t := range o.types {
		mine, known := c.tallies[t.word]
		if !known {
			mine = &typeTally{typ: t.typ, word: t.word}
			c.types, c.tallies[t.word] = append(c.types, mine), mine
		}
		for k := range t.of {
			mine.of[k].add(t.of[k])
		}
		mine.looked(t.audited, t.noticed)
	}
	for k := range o.kinds {
		c.kinds[k].add(o.kinds[k])
	}
	c.overflows, c.disk = c.overflows+o.overflows, c.disk+o.disk
	for code := range o.senders {
		c.RefusedAt(code)
	}
	c.rare, c.refused, c.facts = c.rare+o.rare, c.refused+o.refused, c.facts+o.facts
	c.Allow(o.allowed)
	for i := range o.bugs {
		if o.bugs[i].Load() {
			c.bugs[i].Store(true)
		}
	}
	for _, why := range sim.Keys(o.coins) {
		c.coin(why).merge(o.coins[why])
	}
	c.uncounted = c.uncounted || o.uncounted
	for i := range o.eventually {
		c.eventually[i].merge(&o.eventually[i])
	}
	for i := range o.sometimes {
		c.sometimes[i].add(o.sometimes[i].stateTally)
		if o.sometimes[i].near {
			c.sometimes[i].missed(o.sometimes[i].far)
		}
	}
	c.charts.Merge(&o.charts)
	c.assume.add(o.assume)
	c.within.add(o.within)
}

// merge adds the counts of o.
func (t *propertyTally) merge(o *propertyTally) {
	t.stateTally.add(o.stateTally)
	t.empty += o.empty
	t.first, t.onward = earlier(t.first, o.first), earlier(t.onward, o.onward)
}

// Another returns a new Coverage for an equal system, with all counts zero.
func (c *Coverage) Another() *Coverage {
	o := &Coverage{sys: c.sys, params: c.params, allowed: c.allowed, monitors: c.monitors}
	o.Prepare(c.params)
	for k := range c.eventually {
		o.eventually = append(o.eventually, propertyTally{name: c.eventually[k].name})
	}
	for k := range c.sometimes {
		o.sometimes = append(o.sometimes, propertyTally{name: c.sometimes[k].name})
	}
	return o
}

// Clear sets all counts to zero. The worlds that use c go on counting.
func (c *Coverage) Clear() {
	for _, t := range c.types {
		t.clear()
	}
	c.kinds, c.disk, c.rare, c.refused, c.overflows, c.facts, c.uncounted = [kinds]Tally{}, 0, 0, 0, 0, 0, false
	clear(c.senders)
	for i := range c.bugs {
		c.bugs[i].Store(false)
	}
	for _, t := range c.coins {
		t.clear()
	}
	for k := range c.eventually {
		c.eventually[k] = propertyTally{name: c.eventually[k].name}
	}
	for k := range c.sometimes {
		c.sometimes[k] = propertyTally{name: c.sometimes[k].name}
	}
	c.charts, c.assume, c.within = charts.Tally{}, stateTally{}, stateTally{}
}

// looked counts audited deliveries, and records whether one of them changed the node or had an effect.
func (t *typeTally) looked(audited int, noticed bool) {
	t.audited, t.noticed = t.audited+audited, t.noticed || noticed
}

func (t *typeTally) clear() { *t = typeTally{typ: t.typ, word: t.word} }

func (t *coinTally) clear() {
	*t = coinTally{why: t.why, sides: t.sides[:0]}
}

// earlier returns the smaller one of two step numbers. A number of 0 means that there is none, so
// then it returns the other.
func earlier(a, b int) int {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

func (t *Tally) add(o Tally) { t.possible, t.happened = t.possible+o.possible, t.happened+o.happened }

func (t *stateTally) add(o stateTally) { t.yes, t.no = t.yes+o.yes, t.no+o.no }
