package world

import (
	"fmt"
	"strconv"

	"macemc/internal/canon"
	"macemc/internal/net"
	"macemc/internal/observe"
	"macemc/internal/state"
	"macemc/internal/wording"
	"macemc/netsim"
	"macemc/sim"
)

// Text represents the state as lines of text.
type Text struct {
	*setting
	links   *net.Links
	nodes   *nodes
	environ *Environment
	judge   *Judge
}

// Lines returns the state as text, in a stable order. It shows everything that the hash includes.
func (x *Text) Lines() []canon.Line { return x.lines(x.walker.Text) }

// Shown returns the lines of Lines in a form that is easier to read: messages and signals
// as by wording.Shown, and fields as by canon.Walker.Read.
func (x *Text) Shown() (lines []canon.Line) {
	shown := func(v any) string { return wording.Shown(x.walker.Text, v) }
	for i := range x.nodes.at {
		own := x.nodes.lines(i, nil, shown)
		copy(own, x.nodes.under(i, x.walker.Read(x.nodes.at[i].seen.Node)))
		lines = append(lines, own...)
	}
	return append(lines, x.otherLines(shown)...)
}

// lines returns the state as text. It calls text for messages and signals.
func (x *Text) lines(text func(v any) string) (lines []canon.Line) {
	for i := range x.nodes.at {
		lines = append(lines, x.nodes.lines(i, nil, text)...)
	}
	return append(lines, x.otherLines(text)...)
}

// OtherLines returns the lines of Lines that belong to no node.
func (x *Text) OtherLines() []canon.Line { return x.otherLines(x.walker.Text) }

func (x *Text) otherLines(said func(v any) string) (lines []canon.Line) {
	for c := range x.n * x.n {
		from, to := x.links.Ends(c)
		path := fmt.Sprintf("%s %s->%s", sim.LinkTCP, state.AddrOf(from), state.AddrOf(to))
		if text := connectionText(x.links, c, from, to); text != "" {
			lines = append(lines, canon.Line{Path: path, Value: text, Tag: observe.Tag(observe.PartLink, from)})
		}
		lines = packetLines(lines, path, from, x.links.TCP().Packets(c), said)
	}
	for c := range x.n * x.n {
		from, to := x.links.Ends(c)
		lines = packetLines(lines, fmt.Sprintf("%s %s->%s", sim.LinkUDP, state.AddrOf(from), state.AddrOf(to)), from, x.links.UDP().Packets(c), said)
	}
	for i := range x.nodes.at {
		for _, m := range x.links.Set().For(i) {
			link, value := sim.LinkSet, said(m.Message)
			if m.Count > 0 {
				link = sim.LinkBag
			}
			if m.Count > 1 {
				value = fmt.Sprintf("%s, %d times", value, m.Count)
			}
			lines = append(lines, canon.Line{Path: fmt.Sprintf("%s %s->%s", link, state.AddrOf(m.From), state.AddrOf(i)), Value: value, Tag: observe.Tag(observe.PartMessage, int(m.From))})
		}
	}
	lines = append(lines, x.environ.lines()...)
	for _, m := range x.judge.Monitors() {
		for _, l := range x.walker.Lines(m.Memory()) {
			lines = append(lines, under(strconv.Quote(m.Name), l, observe.Tag(observe.PartMonitor, observe.Nobody)))
		}
	}
	return lines
}

// connectionText describes the flags of a node's end of a connection to a peer, or returns "" if none
// is set.
func connectionText(l *net.Links, c, from, to int) string {
	if l.TCP().Told(c) == 0 {
		return ""
	}
	text := l.TCP().Flags(from, to).Words()
	if l.TCP().Broken(c) {
		text += ", error queued"
	}
	if l.TCP().Asked(c) {
		text += ", waits for room"
	}
	return text
}

func packetLines(lines []canon.Line, path string, from int, packets []netsim.Packet, text func(v any) string) []canon.Line {
	for at, p := range packets {
		lines = append(lines, canon.Line{Path: fmt.Sprintf("%s[%d]", path, at), Value: text(p.Message), Tag: observe.Tag(observe.PartMessage, from)})
	}
	return lines
}

// lines describes the budgets that are left and the faults in force, such as a partition.
func (e *Environment) lines() (lines []canon.Line) {
	if !e.left.IsZero() {
		lines = append(lines, canon.Line{Path: "faults left", Value: e.left.String(), Tag: observe.Tag(observe.PartBudget, observe.Nobody)})
	}
	if e.early != sim.Unlimited {
		lines = append(lines, canon.Line{Path: "early firings left", Value: strconv.Itoa(e.early), Tag: observe.Tag(observe.PartBudget, observe.Nobody)})
	}
	if e.cut != nil {
		arrow := " | "
		if e.cut.oneWay {
			arrow = " cannot reach "
		}
		lines = append(lines, canon.Line{Path: "partition", Value: sim.Split{Side: e.cut.side}.Text(e.n, arrow), Tag: observe.Tag(observe.PartEnvironment, observe.Nobody)})
	}
	for i := range e.nodes.at {
		if e.pausing(i) {
			lines = append(lines, canon.Line{Path: state.AddrOf(i).String() + " is", Value: "paused", Tag: observe.Tag(observe.PartEnvironment, i)})
		}
	}
	return lines
}

// NodeLines returns the lines of Lines that belong to one node.
func (x *Text) NodeLines(a sim.Addr) []canon.Line {
	return x.nodes.lines(a.Index(), nil, x.walker.Text)
}

// NodeLinesOf returns the lines of a node for which wanted returns true. It may return others, too.
// wanted gets the path of a line within the node.
func (x *Text) NodeLinesOf(a sim.Addr, wanted canon.Wanted) []canon.Line {
	return x.nodes.lines(a.Index(), wanted, x.walker.Text)
}

// lines returns the lines of a node: first its fields, then its timers, tasks and requests.
func (all *nodes) lines(i int, wanted canon.Wanted, text func(v any) string) (lines []canon.Line) {
	ns, name := &all.at[i], state.AddrOf(i).String()
	lines = all.under(i, all.walker.LinesOf(ns.seen.Node, wanted))
	add := func(what, value string, part observe.Part) {
		lines = append(lines, canon.Line{Path: name + " " + what, Value: value, Tag: observe.Tag(part, i)})
	}
	for k := range ns.seen.Timers {
		value := text(ns.seen.Timers[k].Signal)
		if all.pace != nil {
			value += ", due " + ns.seen.Timers[k].Due.Text()
		}
		add("timer", value, observe.PartTimer)
	}
	for _, t := range ns.tasks {
		value := text(t.signal)
		if t.count > 1 {
			value = fmt.Sprintf("%s, %d times", value, t.count)
		}
		add("task", value, observe.PartTask)
	}
	for _, b := range all.bad {
		if b.Node.Index() == i {
			add("Byzantine", b.Kind(), observe.PartUp)
		}
	}
	if ns.life != lifeUp {
		add("is", lifeNames[ns.life], observe.PartUp)
	}
	if ns.lives > 0 {
		add("restarts", strconv.Itoa(ns.lives), observe.PartLife)
	}
	if all.links.TCP().Flushing(i) {
		add("waits", "until flushed", observe.PartLife)
	}
	for _, s := range ns.script[ns.next:] {
		add("script", text(s), observe.PartScript)
	}
	for _, l := range ns.disk.Lines() {
		add(l[0], l[1], observe.PartDisk)
	}
	if ns.clock != nil {
		for _, known := range ns.clock.Lines() {
			add("clock", known, observe.PartClock)
		}
	}
	return lines
}

// under puts the name of node i before the paths of lines of its fields.
func (all *nodes) under(i int, lines []canon.Line) []canon.Line {
	for k := range lines {
		lines[k] = under(state.AddrOf(i).String(), lines[k], observe.Tag(observe.PartField, i))
	}
	return lines
}

// under returns line l with a name before its path, and with this tag: see observe.Tag.
func under(name string, l canon.Line, tag uint32) canon.Line {
	l.Tag = tag
	switch {
	case l.Path == "":
		l.Path = name
	case l.Path[0] == '[':
		l.Path = name + l.Path
	default:
		l.Path = name + "." + l.Path
	}
	return l
}

// Describe describes d, a difference between this state and another one. It looks in this state's nodes for the
// type of the field that differs.
func (x *Text) Describe(d observe.Difference) string {
	return d.Describe(func(node sim.Addr, path string) string {
		return x.walker.Where(x.nodes.at[node.Index()].seen.Node, path).Type
	})
}

// First describes the first difference between this state and the one with the lines other,
// or returns "".
func (x *Text) First(other []canon.Line) string {
	all := observe.Diff(other, x.Lines())
	if len(all) == 0 {
		return ""
	}
	return x.Describe(all[0])
}

// Unlike describes the first difference between a node and a part of a bank, or returns "".
func (x *Text) Unlike(b *Bank, i int, id uint32) string {
	fields := func(n sim.Node) (lines []canon.Line) {
		for _, l := range x.walker.Lines(n) {
			lines = append(lines, under(state.AddrOf(i).String(), l, observe.Tag(observe.PartField, i)))
		}
		return lines
	}
	all := observe.Diff(fields(b.part(i, id).(*nodePart).node), fields(x.nodes.at[i].node))
	if len(all) == 0 {
		return ""
	}
	return x.Describe(all[0])
}
