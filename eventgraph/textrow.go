package eventgraph

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"macemc/internal/contract"
	"macemc/sim"
	"macemc/trace"
)

// point draws a step: its event, its coins, and its effects.
func (t *text) point(at int) {
	p := &t.g.points[at]
	if t.rows >= headEvery {
		t.head()
	}
	if t.g.loops(at) {
		t.note("  from here on, again and again:", yellow)
	}
	t.begin()
	gutter, c := t.mark(at)
	t.event(p)
	t.flushAs(gutter, c, t.said(p), t.tone(p))
	if number := t.g.number(at); number > 0 && number == t.g.Marks.Critical {
		t.note("  "+t.style.critical+" the critical step: "+cmp.Or(t.g.Marks.After, "after it there is no way back"), yellow)
	}
	for _, coin := range p.coins {
		t.note("  choose "+coin, plain)
	}
	did, rest := p.shown()
	for i := range did {
		t.did(p, &did[i])
	}
	if rest > 0 {
		t.note(fmt.Sprintf("  ... and %d more", rest), dim)
	}
	if p.Cut {
		t.note("  "+t.style.failed+" the run ended within this step", red)
	}
	if again := t.g.Marks.Again; again > 0 && t.g.number(at) == t.g.Steps() {
		t.note(fmt.Sprintf("  and so on, from step %d", again), yellow)
	}
	if t.g.Marks.Why != "" && at >= t.g.starts && t.g.number(at) == t.g.Marks.Failed {
		t.note("  "+t.style.failed+" "+t.g.Marks.Why, red)
	}
}

// mark returns the text before the lanes in the row of point at, and its colour: the step's
// number, and a sign if it is the critical or the failed step.
func (t *text) mark(at int) (string, color) {
	number, critical, failed, c := t.g.number(at), " ", " ", plain
	if number > 0 && number == t.g.Marks.Critical {
		critical, c = t.style.critical, yellow
		t.used["critical"] = true
	}
	if number > 0 && number == t.g.Marks.Failed && t.g.Marks.Why != "" {
		failed, c = t.style.failed, red
		t.used["failed"] = true
	}
	return fmt.Sprintf("%s%s%*d  ", critical, failed, t.gutter-4, number), c
}

// said describes the event of point p in words, with the numbers of the messages that it
// took.
func (t *text) said(p *point) string {
	var took []string
	for _, id := range p.took {
		took = append(took, together(fmt.Sprintf("#%d sent at %d", id+1, t.g.number(t.g.messages[id].sent))))
	}
	if len(took) == 0 {
		return p.text
	}
	return p.text + "  " + strings.Join(took, ", ")
}

func (t *text) tone(p *point) color {
	if p.Event.Kind.Fault() {
		return red
	}
	return plain
}

// event draws the event of a step between the lanes.
func (t *text) event(p *point) {
	e, s := p.Event, t.style
	node, peer := t.g.lane(e.Node), t.g.lane(e.From)
	if e.Kind == 0 {
		node = p.lane
	}
	dot := func(r rune, c color, what string) {
		t.put(t.at(node), r, c)
		t.used[what] = true
	}
	switch e.Kind {
	case sim.KindMessage:
		t.arrow(peer, node, s.message, green)
		dot(s.dot, bold, "step")
		if peer != node {
			t.used["delivered"] = true
		}
	case sim.KindQuorum:
		for _, lane := range t.outermost(p) {
			t.arrow(lane, node, s.message, green)
			if lane != node {
				t.used["delivered"] = true
			}
		}
		dot(s.dot, bold, "step")
	case sim.KindReorder:
		t.arrow(peer, node, s.overtaking, red)
		dot(s.dot, bold, "step")
		t.used["reordered"] = true
	case sim.KindLose:
		t.arrow(peer, node, s.losing, red)
		t.used["lost"] = true
	case sim.KindDuplicate:
		t.arrow(peer, node, s.copying, red)
		t.used["duplicated"] = true
	case sim.KindRefused:
		if e.Link == sim.LinkTCP { // it comes back to the sender
			t.arrow(node, peer, s.losing, red)
			dot(s.dot, bold, "step")
		} else {
			t.arrow(peer, node, s.losing, red)
		}
		t.used["lost"] = true
	case sim.KindError:
		t.arrow(peer, node, s.hearing, red)
		dot(s.dot, bold, "step")
		t.used["broken"] = true
	case sim.KindBreak, sim.KindReset:
		t.between(node, peer, s.breaking)
		t.used["broken"] = true
	case sim.KindScript:
		if e.Leaves() {
			t.down[node] = ' '
		}
		dot(s.dot, bold, "step")
	case sim.KindPause:
		dot(s.dot, red, "step")
		t.down[node] = s.paused
		t.used["paused"] = true
	case sim.KindResume:
		delete(t.down, node)
		dot(s.dot, bold, "step")
	case sim.KindRestart:
		delete(t.down, node)
		dot(s.restart, bold, "restart")
	case sim.KindPartition, sim.KindOneWay:
		t.split(p)
	case sim.KindMend, sim.KindHeal:
		t.across(s.mend, green)
		t.used["mended"] = true
		if e.Kind == sim.KindHeal {
			maps.DeleteFunc(t.down, func(_ int, r rune) bool { return r == s.paused })
		}
	default:
		if !e.Kind.Fails() {
			dot(s.dot, bold, "step")
			break
		}
		dot(s.crash, red, "crash")
		t.down[node] = s.away
		if contract.Row(&e).Span == "gone" {
			t.down[node] = ' '
		}
	}
}

// between draws an event of the connection between two lanes: an arrow with a cross in its
// middle.
func (t *text) between(one, other int, a arrow) {
	t.arrow(one, other, a, red)
	x, y := t.at(one), t.at(other)
	if x >= 0 && y >= 0 && x != y {
		t.put(y, a.tail[0], red)
		if x < y {
			t.put(y, a.tail[1], red)
		}
		for _, at := range []int{min(x, y) + 1, max(x, y) - 1} {
			t.put(at, a.shaft, red)
		}
		t.put((x+y)/2, a.head[0], red)
	}
}

// across draws a line of this character through all lanes.
func (t *text) across(r rune, c color) {
	for x := t.step / 2; x <= (t.columns()-1)*t.step+t.step/2; x++ {
		t.put(x, r, c)
	}
}

// split draws the partition that begins in point p: a letter in each lane for the side of
// its node.
func (t *text) split(p *point) {
	side, _ := p.Event.Value.(sim.Split)
	last := ' '
	for c, lane := range t.shown {
		letter := 'B'
		if side.Has(t.g.nodes[lane]) {
			letter = 'A'
		}
		x, r := c*t.step+t.step/2, t.style.side
		if letter != last {
			r = t.style.cut
		}
		for i := x - t.step + 1; i < x && c > 0; i++ {
			t.put(i, r, red)
		}
		t.put(x, letter, red)
		last = letter
	}
	t.used["partition"] = true
}

// did draws a row for effect d of point p.
func (t *text) did(p *point, d *did) {
	t.begin()
	c, said := plain, "  "+d.text
	if d.fate != "" {
		said += "  " + together(d.fate)
	}
	switch d.kind {
	case trace.EffectSend, trace.EffectRefused:
		m := &t.g.messages[d.message]
		a, tone := t.sending(m)
		t.arrow(m.from, m.to, a, tone)
		if tone == red {
			c = red
		}
		if m.from == m.to {
			t.put(t.at(m.from)+1, t.style.self, tone)
		}
	case trace.EffectCrash, trace.EffectDown:
		t.put(t.at(p.lane), t.style.crash, red)
		t.used["crash"] = true
		if t.down[p.lane] = t.style.away; d.kind == trace.EffectDown {
			t.down[p.lane] = ' '
		}
	case trace.EffectReset:
		t.between(p.lane, d.to, t.style.breaking)
		t.used["broken"] = true
	}
	t.flushAs(strings.Repeat(" ", t.gutter), plain, said, c)
}

// sending returns the arrow of a message that is sent, which depends on the message's fate.
func (t *text) sending(m *message) (arrow, color) {
	s := t.style
	switch {
	case m.dropped:
		t.used["not sent"] = true
		return s.refusing, red
	case m.from != m.to:
		t.used["sent"] = true
	}
	for _, e := range m.ends {
		if e.how == delivered || e.how == overtook {
			return s.sending, green
		}
	}
	if len(m.ends) > 0 {
		return s.lostSending, red
	}
	return s.sending, plain
}

// stretch draws a row in place of points that are left out.
func (t *text) stretch(s stretch) {
	t.cells = []rune(strings.Repeat(" ", len(t.cells)))
	for i := range t.colors {
		t.colors[i] = plain
	}
	for c := range t.columns() {
		t.put(c*t.step+t.step/2, t.style.gap, dim)
	}
	t.flushAs(strings.Repeat(" ", t.gutter), plain, s.text(t.g), dim)
}

// together replaces the spaces of a phrase by no-break spaces, so that folded keeps it on one
// line if there is room.
func together(s string) string { return strings.ReplaceAll(s, " ", "\u00a0") }

// outermost returns the lanes of the senders whose messages a point took. Lanes far from the
// point's own come first, so that no arrow is drawn over the beginning of another.
func (t *text) outermost(p *point) (lanes []int) {
	for _, id := range p.took {
		lanes = append(lanes, t.g.messages[id].from)
	}
	far := func(lane int) int { return max(lane-p.lane, p.lane-lane) }
	slices.SortStableFunc(lanes, func(a, b int) int { return far(b) - far(a) })
	return lanes
}
