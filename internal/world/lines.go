package world

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"macemc/internal/canon"
	"macemc/internal/wording"
	"macemc/netsim"
	"macemc/sim"
)

// Text is the state as lines.
type Text struct {
	*setting
	links   *Links
	nodes   *nodes
	environ *Environment
	judge   *Judge
}

// Part is the kind of thing that a line of the state describes.
type Part uint8

// The parts.
const (
	PartField       Part = iota + 1 // what a node keeps
	PartTimer                       // a timer that is set
	PartTask                        // a task that is to be done
	PartUp                          // that a node is not up, and why
	PartLife                        // how often it restarted, what it waits for
	PartScript                      // an opening that is left in its script
	PartDisk                        // what is on its disk
	PartClock                       // the knowledge about its times
	PartLink                        // what is kept of a connection
	PartMessage                     // a message that is under way
	PartBudget                      // the rest of a budget of the environment
	PartEnvironment                 // a partition, a pause
	PartMonitor                     // what a monitor remembers
)

// Place is whose a line is.
type Place struct {
	Part Part
	Node sim.Addr // of a link, its sender; zero: nobody's
}

// nobody stands for a node in the place of a line that belongs to no node.
const nobody = -1

// tag returns a place as the tag of a line.
func tag(part Part, node int) uint32 { return uint32(part)<<16 | uint32(node+1) }

// Tag returns the place as the tag of a line.
func (p Place) Tag() uint32 {
	if p.Node.IsZero() {
		return tag(p.Part, nobody)
	}
	return tag(p.Part, p.Node.Index())
}

// PlaceOf returns whose a line of the state is; of a line from elsewhere, the zero Place.
func PlaceOf(l canon.Line) (p Place) {
	p.Part = Part(l.Tag >> 16)
	if node := int(l.Tag & 0xffff); node > 0 {
		p.Node = addrOf(node - 1)
	}
	return p
}

// Lines returns the state as text, in stable order. It shows everything that the hash covers.
func (x *Text) Lines() []canon.Line { return x.lines(x.walker.Text) }

// Shown returns the lines of Lines for people: messages and signals as wording.Shown has them, and
// fields as canon.Walker.Read has them.
func (x *Text) Shown() (lines []canon.Line) {
	shown := func(v any) string { return wording.Shown(x.walker.Text, v) }
	for i := range x.nodes.at {
		own := x.nodes.lines(i, nil, shown)
		copy(own, x.nodes.under(i, x.walker.Read(x.nodes.at[i].seen.Node)))
		lines = append(lines, own...)
	}
	return append(lines, x.otherLines(shown)...)
}

// lines returns the state; text writes messages and signals.
func (x *Text) lines(text func(v any) string) (lines []canon.Line) {
	for i := range x.nodes.at {
		lines = append(lines, x.nodes.lines(i, nil, text)...)
	}
	return append(lines, x.otherLines(text)...)
}

// OtherLines returns the lines of Lines that are about no node.
func (x *Text) OtherLines() []canon.Line { return x.otherLines(x.walker.Text) }

func (x *Text) otherLines(said func(v any) string) (lines []canon.Line) {
	for c := range x.n * x.n {
		from, to := x.links.tcp.Ends(c)
		path := fmt.Sprintf("%s %s->%s", sim.LinkTCP, addrOf(from), addrOf(to))
		if text := x.links.connectionText(c, from, to); text != "" {
			lines = append(lines, canon.Line{Path: path, Value: text, Tag: tag(PartLink, from)})
		}
		lines = packetLines(lines, path, from, x.links.tcp.Packets(c), said)
	}
	for c := range x.n * x.n {
		from, to := x.links.udp.Ends(c)
		lines = packetLines(lines, fmt.Sprintf("%s %s->%s", sim.LinkUDP, addrOf(from), addrOf(to)), from, x.links.udp.Packets(c), said)
	}
	for i := range x.nodes.at {
		for _, m := range x.links.set.For(i) {
			link, value := sim.LinkSet, said(m.Message)
			if m.Count > 0 {
				link = sim.LinkBag
			}
			if m.Count > 1 {
				value = fmt.Sprintf("%s, %d times", value, m.Count)
			}
			lines = append(lines, canon.Line{Path: fmt.Sprintf("%s %s->%s", link, addrOf(m.From), addrOf(i)), Value: value, Tag: tag(PartMessage, int(m.From))})
		}
	}
	lines = append(lines, x.environ.lines()...)
	for i := range x.judge.monitors {
		for _, l := range x.walker.Lines(x.judge.monitors[i].Memory()) {
			lines = append(lines, under(strconv.Quote(x.judge.monitors[i].Name), l, tag(PartMonitor, nobody)))
		}
	}
	return lines
}

// connectionText describes the flags of a node's end of a connection to a peer, or returns "" if none
// is set.
func (l *Links) connectionText(c, from, to int) string {
	if l.tcp.Told(c) == 0 {
		return ""
	}
	text := l.tcp.Flags(from, to).Words()
	if l.tcp.Broken(c) {
		text += ", error queued"
	}
	if l.tcp.Asked(c) {
		text += ", waits for room"
	}
	return text
}

func packetLines(lines []canon.Line, path string, from int, packets []netsim.Packet, text func(v any) string) []canon.Line {
	for at, p := range packets {
		lines = append(lines, canon.Line{Path: fmt.Sprintf("%s[%d]", path, at), Value: text(p.Message), Tag: tag(PartMessage, from)})
	}
	return lines
}

// environmentLines returns lines for budgets and faults of the environment.
func (e *Environment) lines() (lines []canon.Line) {
	if !e.left.IsZero() {
		lines = append(lines, canon.Line{Path: "faults left", Value: e.left.String(), Tag: tag(PartBudget, nobody)})
	}
	if e.early != sim.Unlimited {
		lines = append(lines, canon.Line{Path: "early firings left", Value: strconv.Itoa(e.early), Tag: tag(PartBudget, nobody)})
	}
	if e.cut != nil {
		arrow := " | "
		if e.cut.oneWay {
			arrow = " cannot reach "
		}
		lines = append(lines, canon.Line{Path: "partition", Value: sim.Split{Side: e.cut.side}.Text(e.n, arrow), Tag: tag(PartEnvironment, nobody)})
	}
	for i := range e.nodes.at {
		if e.pausing(i) {
			lines = append(lines, canon.Line{Path: addrOf(i).String() + " is", Value: "paused", Tag: tag(PartEnvironment, i)})
		}
	}
	return lines
}

// NodeLines returns the lines of Lines that are about one node.
func (x *Text) NodeLines(a sim.Addr) []canon.Line {
	return x.nodes.lines(a.Index(), nil, x.walker.Text)
}

// NodeLinesOf returns at least those lines of a node that are wanted. Paths are relative to
// the node.
func (x *Text) NodeLinesOf(a sim.Addr, wanted canon.Wanted) []canon.Line {
	return x.nodes.lines(a.Index(), wanted, x.walker.Text)
}

// lines returns a node's own fields, then its timers, tasks and openings.
func (all *nodes) lines(i int, wanted canon.Wanted, text func(v any) string) (lines []canon.Line) {
	ns, name := &all.at[i], addrOf(i).String()
	lines = all.under(i, all.walker.LinesOf(ns.seen.Node, wanted))
	add := func(what, value string, part Part) {
		lines = append(lines, canon.Line{Path: name + " " + what, Value: value, Tag: tag(part, i)})
	}
	for k := range ns.seen.Timers {
		value := text(ns.seen.Timers[k].Signal)
		if all.pace != nil {
			value += ", due " + ns.seen.Timers[k].Due.Text()
		}
		add("timer", value, PartTimer)
	}
	for _, t := range ns.tasks {
		value := text(t.signal)
		if t.count > 1 {
			value = fmt.Sprintf("%s, %d times", value, t.count)
		}
		add("task", value, PartTask)
	}
	for _, b := range all.bad {
		if b.Node.Index() == i {
			add("Byzantine", b.Kind(), PartUp)
		}
	}
	if ns.life != lifeUp {
		add("is", lifeNames[ns.life], PartUp)
	}
	if ns.lives > 0 {
		add("restarts", strconv.Itoa(ns.lives), PartLife)
	}
	if all.links.tcp.Flushing(i) {
		add("waits", "until flushed", PartLife)
	}
	for _, s := range ns.script[ns.next:] {
		add("script", text(s), PartScript)
	}
	for _, l := range ns.disk.Lines() {
		add(l[0], l[1], PartDisk)
	}
	if ns.clock != nil {
		for _, known := range ns.clock.Lines() {
			add("clock", known, PartClock)
		}
	}
	return lines
}

// under puts the lines of a node's fields below its name.
func (all *nodes) under(i int, lines []canon.Line) []canon.Line {
	for k := range lines {
		lines[k] = under(addrOf(i).String(), lines[k], tag(PartField, i))
	}
	return lines
}

// under puts a line's path below a name, and tags it.
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

// Difference is a line in which two states differ. The value of a state that has no such line is
// empty.
type Difference struct {
	Path, A, B string
	Of         Place
}

func (d Difference) String() string {
	return fmt.Sprintf("%s: %s | %s", d.Path, orAbsent(d.A), orAbsent(d.B))
}

// Describe returns the text of a difference of two runs, the first of which ended in this
// state. If a field leads to different objects, the text names the fields that share them,
// and the line to add if that does not matter.
func (x *Text) Describe(d Difference) string {
	if !isShared(d.A) && !isShared(d.B) {
		return d.String()
	}
	text := fmt.Sprintf("%s is %s in one, and %s in the other", d.Path, sharing(d.A), sharing(d.B))
	if d.Of.Part != PartField {
		return text
	}
	path := strings.TrimPrefix(strings.TrimPrefix(d.Path, d.Of.Node.String()), ".")
	return text + neverChanges(x.walker.Where(x.nodes.at[d.Of.Node.Index()].seen.Node, path).Type)
}

// neverChanges returns advice for a difference in which object of a type is shared: to declare the
// type in System.Immutable if such objects never change.
func neverChanges(rule string) string {
	if rule == "" {
		return ""
	}
	return fmt.Sprintf("; if a %s never changes once it is made, add %q to System.Immutable", rule, rule)
}

// First describes the first difference of another state from this one, or returns "".
func (x *Text) First(other []canon.Line) string {
	all := Diff(other, x.Lines())
	if len(all) == 0 {
		return ""
	}
	return x.Describe(all[0])
}

// Unlike describes the first difference of a node from a part of a bank, or returns "".
func (x *Text) Unlike(b *Bank, i int, id uint32) string {
	fields := func(n sim.Node) (lines []canon.Line) {
		for _, l := range x.walker.Lines(n) {
			lines = append(lines, under(addrOf(i).String(), l, tag(PartField, i)))
		}
		return lines
	}
	all := Diff(fields(b.part(i, id).(*nodePart).node), fields(x.nodes.at[i].node))
	if len(all) == 0 {
		return ""
	}
	return x.Describe(all[0])
}

// isShared reports whether the value of a line refers to an object that another line shows.
func isShared(value string) bool { return strings.HasPrefix(value, "=") }

func sharing(value string) string {
	switch at, is := strings.CutPrefix(value, "="); {
	case is && at == ".":
		return "shared with the node itself"
	case is:
		return "shared with another field, " + at + ","
	default:
		return "not shared (" + orAbsent(value) + ")"
	}
}

func orAbsent(s string) string {
	if s == "" {
		return "(absent)"
	}
	return s
}

// Diff compares two states line by line. Lines of one path (a node's timers,
// say) are compared as a multiset.
func Diff(a, b []canon.Line) (out []Difference) {
	left := map[canon.Line]int{}
	for _, l := range b {
		left[l]++
	}
	var onlyA, onlyB []canon.Line
	for _, l := range a {
		if left[l] > 0 {
			left[l]--
		} else {
			onlyA = append(onlyA, l)
		}
	}
	for _, l := range b {
		if left[l] > 0 {
			left[l]--
			onlyB = append(onlyB, l)
		}
	}
	for _, l := range onlyA {
		d := Difference{Path: l.Path, A: l.Value, Of: PlaceOf(l)}
		for i, m := range onlyB {
			if m.Path == l.Path {
				d.B = m.Value
				onlyB = append(onlyB[:i], onlyB[i+1:]...)
				break
			}
		}
		out = append(out, d)
	}
	for _, l := range onlyB {
		out = append(out, Difference{Path: l.Path, B: l.Value, Of: PlaceOf(l)})
	}
	return out
}

// Went separates the changes of a step from the lines that are gone because a node went
// down: the memory of that node is that of a new node, and no handler changed it.
func Went(all []Difference) (rest []Difference, down []sim.Addr) {
	for _, d := range all {
		if d.Of.Part == PartUp && d.A == "" {
			down = append(down, d.Of.Node)
		}
	}
	if len(down) == 0 {
		return all, nil
	}
	return slices.DeleteFunc(slices.Clone(all), func(d Difference) bool { return d.Of.inMemoryOf(down) }), down
}

// Without returns the lines of a state, but for those about the memory of some nodes.
func Without(lines []canon.Line, nodes []sim.Addr) []canon.Line {
	return slices.DeleteFunc(slices.Clone(lines), func(l canon.Line) bool { return PlaceOf(l).inMemoryOf(nodes) })
}

func (p Place) inMemoryOf(nodes []sim.Addr) bool {
	switch p.Part {
	case PartField, PartTimer, PartTask, PartClock:
		return slices.Contains(nodes, p.Node)
	default:
		return false
	}
}
