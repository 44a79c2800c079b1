package world

import (
	"fmt"
	"strconv"

	"macemc/internal/canon"
	"macemc/netsim"
	"macemc/sim"
)

// The state of a world is what decides its future: each node with its timers,
// tasks and the openings left in its script, what is under way on each
// channel, and the monitors' memories. Its hash is a sum over these parts, so
// that a step computes anew only the parts that it touched.

// sums keeps the identity of every part and notes which are out of date.
type sums struct {
	n     int
	total canon.Hash
	part  []canon.Hash
	stale []bool
	list  []int32 // the parts that are stale

	// For Save and Load: which numbers the parts have in a bank.
	tracking  bool
	bank      *Bank // of which at has numbers
	at        Vector
	moved     []bool // changed since
	movedList []int32
	since     []int32 // places that were saved since the last Load
	from      *uint32 // of the vector that was loaded last
}

// Parts are numbered: nodes, channels of tcp, channels of udp, sets, the rest:
// monitors and environment.
func (s *sums) init(n int) {
	s.n = n
	parts := n + 2*n*n + n + 1
	s.part, s.stale, s.list = make([]canon.Hash, parts), make([]bool, parts), make([]int32, 0, parts)
}

// reset makes all parts empty; nothing of an empty part is hashed.
func (s *sums) reset() {
	clear(s.part)
	clear(s.stale)
	s.list, s.total = s.list[:0], canon.Hash{}
	if s.tracking {
		for part := range s.part {
			s.touch(part)
		}
	}
	s.rest()
}

func (s *sums) touch(part int) {
	if !s.stale[part] {
		s.stale[part] = true
		s.list = append(s.list, int32(part))
	}
	if s.tracking && !s.moved[part] {
		s.moved[part] = true
		s.movedList = append(s.movedList, int32(part))
	}
}

func (s *sums) node(i int) { s.touch(i) }
func (s *sums) tcp(c int)  { s.touch(s.n + c) }
func (s *sums) udp(c int)  { s.touch(s.n + s.n*s.n + c) }
func (s *sums) set(i int)  { s.touch(s.n + 2*s.n*s.n + i) }
func (s *sums) rest()      { s.touch(len(s.part) - 1) }

// Hash is the identity of the state: equal in every process, and equal for
// equal states whatever their history.
func (w *World) Hash() canon.Hash {
	s := &w.sums
	for _, part := range s.list {
		h := w.partSum(int(part))
		s.total = s.total.Sub(s.part[part]).Add(h)
		s.part[part], s.stale[part] = h, false
	}
	s.list = s.list[:0]
	return s.total
}

// partSum is the identity of one part, bound to its place; zero if empty.
func (w *World) partSum(part int) canon.Hash {
	n, at := w.n, part
	var h canon.Hash
	switch {
	case at < n:
		h = w.nodeSum(at)
	case at < n+n*n:
		c := at - n
		h = connectionSum(w.summed(w.links.tcp.Packets(c)), w.links.tcp.Told(c))
	case at < n+2*n*n:
		h = packetsSum(w.summed(w.links.udp.Packets(at - n - n*n)))
	case at < 2*n+2*n*n:
		h = membersSum(w.links.set.For(at - n - 2*n*n))
	default:
		memories := make([]any, len(w.monitors))
		for i := range w.monitors {
			memories[i] = w.monitors[i].Memory()
		}
		h = w.memoriesSum(w.environmentSum(), memories)
	}
	return placed(h, part)
}

// placed binds an identity to a place; that of nothing stays nothing.
func placed(h canon.Hash, place int) canon.Hash {
	if h == (canon.Hash{}) {
		return h
	}
	return h.Mix(uint64(place))
}

// summed makes sure that packets have their identities.
func (w *World) summed(packets []netsim.Packet) []netsim.Packet {
	for i := range packets {
		if p := &packets[i]; p.Sum == (canon.Hash{}) {
			p.Sum = w.sum(p.Message)
		}
	}
	return packets
}

func packetsSum(packets []netsim.Packet) (h canon.Hash) {
	for i := range packets {
		h = h.Then(packets[i].Sum)
	}
	return h
}

// connectionSum is the identity of one direction of a connection: what is
// queued, and what its sender keeps about it.
func connectionSum(packets []netsim.Packet, told uint8) canon.Hash {
	h := packetsSum(packets)
	if told != 0 {
		h = h.Then(canon.Hash{Hi: uint64(told)})
	}
	return h
}

func membersSum(members []netsim.Member) (h canon.Hash) {
	for i := range members {
		m := members[i].Sum.Mix(uint64(members[i].From))
		if count := members[i].Count; count > 0 {
			m = m.Mix(uint64(count))
		}
		h = h.Add(m)
	}
	return h
}

// memoriesSum adds the memories of the monitors to what is known of the rest.
func (w *World) memoriesSum(h canon.Hash, memories []any) canon.Hash {
	for _, m := range memories {
		h = h.Then(w.sum(m))
	}
	return h
}

// alwaysSummed is how many budgets belong to the identity even if nothing is left
// of them. Those of later faults do not, so that the states of runs without them
// keep the identities that they had.
const alwaysSummed = 9

// environmentSum is zero while there is no environment to speak of.
func (w *World) environmentSum() (h canon.Hash) {
	if w.Healed() {
		return h
	}
	for k := range alwaysSummed {
		h = h.Mix(uint64(*w.environ.left.Budget(k)))
	}
	if w.environ.cut != nil {
		h = h.Mix(w.environ.cut.side)
		if w.environ.cut.oneWay {
			h = h.Mix(1)
		}
	}
	for k := alwaysSummed; k < len(faultNames); k++ {
		if n := *w.environ.left.Budget(k); n != 0 {
			h = h.Mix(1<<63 | uint64(k)<<32 | uint64(uint32(n))) // no side of a partition has these bits
		}
	}
	if w.environ.paused != 0 {
		h = h.Mix(1<<62 ^ w.environ.paused)
	}
	return h.Mix(uint64(w.environ.early))
}

func (w *World) nodeSum(i int) canon.Hash {
	ns := &w.nodes[i]
	condition := uint64(ns.life)
	if w.links.tcp.Flushing(i) {
		condition |= 1 << 7
	}
	h := w.sum(ns.seen.Node).Mix(uint64(ns.next)<<8 | condition)
	if ns.lives > 0 {
		h = h.Mix(uint64(ns.lives))
	}
	for k := range ns.seen.Timers {
		h = h.Then(ns.seen.Timers[k].Sum)
	}
	h = h.Mix(uint64(len(ns.seen.Timers)))
	for k := range ns.tasks {
		h = h.Then(ns.tasks[k].sum.Mix(uint64(ns.tasks[k].count)))
	}
	if ns.clock != nil {
		h = h.Then(w.sum(ns.clock.Append(nil)))
	}
	if ns.disk != nil {
		h = h.Then(w.sum(ns.disk.Append(nil)).Mix(1))
	}
	return h
}

// Lines are the state as text, in stable order: what the hash sees.
func (w *World) Lines() (lines []canon.Line) {
	for i := range w.nodes {
		lines = append(lines, w.nodeLines(i, nil)...)
	}
	return append(lines, w.OtherLines()...)
}

// OtherLines are the lines of Lines that are about no node.
func (w *World) OtherLines() (lines []canon.Line) {
	for c := range w.n * w.n {
		from, to := w.links.tcp.Ends(c)
		path := fmt.Sprintf("%s %s->%s", sim.LinkTCP, addrOf(from), addrOf(to))
		if text := w.links.connectionText(c, from, to); text != "" {
			lines = append(lines, canon.Line{Path: path, Value: text})
		}
		lines = w.packetLines(lines, path, w.links.tcp.Packets(c))
	}
	for c := range w.n * w.n {
		from, to := w.links.udp.Ends(c)
		lines = w.packetLines(lines, fmt.Sprintf("%s %s->%s", sim.LinkUDP, addrOf(from), addrOf(to)), w.links.udp.Packets(c))
	}
	for i := range w.nodes {
		for _, m := range w.links.set.For(i) {
			link, value := sim.LinkSet, w.walker.Text(m.Message)
			if m.Count > 0 {
				link = sim.LinkBag
			}
			if m.Count > 1 {
				value = fmt.Sprintf("%s, %d times", value, m.Count)
			}
			lines = append(lines, canon.Line{Path: fmt.Sprintf("%s %s->%s", link, addrOf(m.From), addrOf(i)), Value: value})
		}
	}
	lines = append(lines, w.environmentLines()...)
	for i := range w.monitors {
		for _, l := range w.walker.Lines(w.monitors[i].Memory()) {
			lines = append(lines, under(strconv.Quote(w.monitors[i].Name), l))
		}
	}
	return lines
}

// connectionText says what a node keeps about a connection to a peer, where
// that is anything.
func (l *links) connectionText(c, from, to int) string {
	if l.tcp.Told(c) == 0 {
		return ""
	}
	text := "flags " + l.tcp.Flags(from, to).String()
	if l.tcp.Broken(c) {
		text += ", error queued"
	}
	if l.tcp.Asked(c) {
		text += ", waits for room"
	}
	return text
}

func (w *World) packetLines(lines []canon.Line, path string, packets []netsim.Packet) []canon.Line {
	for at, p := range packets {
		lines = append(lines, canon.Line{Path: fmt.Sprintf("%s[%d]", path, at), Value: w.walker.Text(p.Message)})
	}
	return lines
}

// environmentLines say what is left of the environment, where that is
// anything.
func (w *World) environmentLines() (lines []canon.Line) {
	if !w.environ.left.IsZero() {
		lines = append(lines, canon.Line{Path: "faults left", Value: w.environ.left.String()})
	}
	if w.environ.early != sim.Unlimited {
		lines = append(lines, canon.Line{Path: "early firings left", Value: strconv.Itoa(w.environ.early)})
	}
	if w.environ.cut != nil {
		arrow := " | "
		if w.environ.cut.oneWay {
			arrow = " cannot reach "
		}
		lines = append(lines, canon.Line{Path: "partition", Value: sim.Split{Side: w.environ.cut.side}.Text(w.n, arrow)})
	}
	for i := range w.nodes {
		if w.environ.pausing(i) {
			lines = append(lines, canon.Line{Path: addrOf(i).String() + " is", Value: "paused"})
		}
	}
	return lines
}

// NodeLines are the lines of Lines that are about one node.
func (w *World) NodeLines(a sim.Addr) []canon.Line { return w.nodeLines(a.Index(), nil) }

// NodeLinesOf are at least those of them that are wanted. Paths are asked for
// as they are within the node.
func (w *World) NodeLinesOf(a sim.Addr, wanted canon.Wanted) []canon.Line {
	return w.nodeLines(a.Index(), wanted)
}

// nodeLines are a node's own fields, then its timers, tasks and openings.
func (w *World) nodeLines(i int, wanted canon.Wanted) (lines []canon.Line) {
	ns, name := &w.nodes[i], addrOf(i).String()
	for _, l := range w.walker.LinesOf(ns.seen.Node, wanted) {
		lines = append(lines, under(name, l))
	}
	for k := range ns.seen.Timers {
		lines = append(lines, canon.Line{Path: name + " timer", Value: w.walker.Text(ns.seen.Timers[k].Signal)})
	}
	for _, t := range ns.tasks {
		value := w.walker.Text(t.signal)
		if t.count > 1 {
			value = fmt.Sprintf("%s, %d times", value, t.count)
		}
		lines = append(lines, canon.Line{Path: name + " task", Value: value})
	}
	if ns.life != lifeUp {
		lines = append(lines, canon.Line{Path: name + " is", Value: lifeNames[ns.life]})
	}
	if ns.lives > 0 {
		lines = append(lines, canon.Line{Path: name + " restarts", Value: strconv.Itoa(ns.lives)})
	}
	if w.links.tcp.Flushing(i) {
		lines = append(lines, canon.Line{Path: name + " waits", Value: "until flushed"})
	}
	for _, s := range ns.script[ns.next:] {
		lines = append(lines, canon.Line{Path: name + " script", Value: w.walker.Text(s)})
	}
	for _, l := range ns.disk.Lines() {
		lines = append(lines, canon.Line{Path: name + " " + l[0], Value: l[1]})
	}
	if ns.clock != nil {
		for _, known := range ns.clock.Lines() {
			lines = append(lines, canon.Line{Path: name + " clock", Value: known})
		}
	}
	return lines
}

// under puts a line's path below a name.
func under(name string, l canon.Line) canon.Line {
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

// Difference is one line of two states that is not the same. An empty side
// has no such line.
type Difference struct{ Path, A, B string }

func (d Difference) String() string {
	return fmt.Sprintf("%s: %s | %s", d.Path, orAbsent(d.A), orAbsent(d.B))
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
		d := Difference{Path: l.Path, A: l.Value}
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
		out = append(out, Difference{Path: l.Path, B: l.Value})
	}
	return out
}
