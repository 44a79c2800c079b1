package explore

import "macemc/choose"

// chain is the run to the state whose steps are being taken, in the form that a parent process
// reads: the states, and the number of answers that lead to each. The states of a level mostly
// follow their siblings, so little is rewritten from one state to the next.
type chain struct {
	turn  int // the pulse's turn when the chain was written
	links []link
	up    []uint32
}

type link struct {
	state uint32
	n     int
}

// mark records which run is about to be taken or looked up: the run to the current state, an event
// there, and the answers to its coins. It records nothing for healed states, which have no runs of
// their own.
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

// kept records the turn of the pulse at which the chain was written. A fresh chain has no links yet.
func (c *chain) kept(turn int, fresh bool) {
	if c.turn = turn; fresh {
		c.links = c.links[:0]
	}
}

// lead makes the chain lead to the current state of a taker, and returns how many
// answers that takes.
func (c *chain) lead(t *Taker) int {
	last := len(c.links) - 1
	if last >= 0 && c.links[last].state == t.Current {
		return c.links[last].n
	}
	c.up = c.up[:0]
	s := t.Current
	if last >= 0 && t.Origin(s).Parent == c.links[last].state { // the first of the next level
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
