package world

import "macemc/sim"

// Merge adds what another Coverage has counted, of worlds of an equal system on
// another goroutine, which has come to its end.
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
	}
	for k := range o.kinds {
		c.kinds[k].add(o.kinds[k])
	}
	c.overflows += o.overflows
	for code := range o.senders {
		c.refusedAt(code)
	}
	c.rare, c.refused, c.facts = c.rare+o.rare, c.refused+o.refused, c.facts+o.facts
	c.allow(o.allowed)
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

// merge adds what another tally has counted.
func (t *propertyTally) merge(o *propertyTally) {
	t.stateTally.add(o.stateTally)
	t.empty += o.empty
	t.first, t.onward = earlier(t.first, o.first), earlier(t.onward, o.onward)
}

// earlier is the least of two that are not 0.
func earlier(a, b int) int {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

func (t *tally) add(o tally) { t.possible, t.happened = t.possible+o.possible, t.happened+o.happened }

func (t *stateTally) add(o stateTally) { t.yes, t.no = t.yes+o.yes, t.no+o.no }
