package explore

import "macemc/choose"

// chain is the run to the state whose steps are being taken: its states, and how many answers lead
// to each. It records what was written for a parent process, which reads the answers if this
// process ends. Consecutive states of a level mostly have the same parent, so little is rewritten
// from one to the next.
type chain struct {
	turn  int // the number that Pulse.Keep returned when the chain was written
	links []link
	up    []uint32
}

type link struct {
	state uint32
	n     int
}

// mark records, for a parent process, which step is about to be taken or looked up: the run to the
// current state, an event there, and the answers to the event's coins. It records nothing for healed
// states, since they have no runs of their own.
func (t *Taker) mark(event int, coins []int) {
	p := &t.Owner.Pulse
	if p.Trail == nil || t.Healed {
		return
	}
	var led []choose.Pick
	if t.Begin != nil {
		led = t.Begin.Prefix
	}
	c := &t.chain
	now, fresh, ok := p.Keep(c.turn, led, t.Climate)
	if !ok {
		return
	}
	c.kept(now, fresh)
	n := 0
	if t.Current != NoParent {
		n = c.lead(t)
	}
	p.Cut(n)
	if event != noEvent {
		p.Add(event)
	}
	p.Add(coins...)
}

// kept sets c.turn to the number that Pulse.Keep returned. If fresh is true, the answers that
// were recorded belong to another run, so kept empties the chain.
func (c *chain) kept(turn int, fresh bool) {
	if c.turn = turn; fresh {
		c.links = c.links[:0]
	}
}

// lead makes c the chain to the current state of t, records the answers that are new in it, and
// returns the number of its answers.
func (c *chain) lead(t *Taker) int {
	last := len(c.links) - 1
	if last >= 0 && c.links[last].state == t.Current {
		return c.links[last].n
	}
	c.up = c.up[:0]
	s := t.Current
	if last >= 0 && t.Origin(s).Parent == c.links[last].state { // t.Current is the first state of the next level
		c.up, s = append(c.up, s), c.links[last].state
	}
	for ; s != NoParent && (last < 0 || c.links[last].state != s); last-- {
		c.up = append(c.up, s)
		s = t.Origin(s).Parent
	}
	n := 0
	if s == NoParent {
		last = -1
	}
	if c.links = c.links[:last+1]; last >= 0 {
		n = c.links[last].n
	}
	p := &t.Owner.Pulse
	p.Cut(n)
	for i := len(c.up) - 1; i >= 0; i-- {
		o := t.Origin(c.up[i])
		if o.Parent != NoParent {
			p.Add(int(o.event))
		}
		c.links = append(c.links, link{c.up[i], p.Add(t.Lists.Get(o.coins)...)})
	}
	return c.links[len(c.links)-1].n
}
