package world

import (
	"fmt"

	"macemc/internal/canon"
	"macemc/internal/sight"
	"macemc/netsim"
	"macemc/sim"
)

// auditor holds what must not have changed: the value that the running handler
// was given, what is under way, and the nodes that do not run.
type auditor struct {
	on    bool
	got   netsim.Packet         // what the handler was given
	event string                // the identity of its event, as it was before
	told  map[canon.Hash]string // values as text, as they were when sent or handed over
	nodes []canon.Hash
	lines [][]canon.Line

	handed []canon.Hash // by effect of the handler that runs: its value, as it was handed over; zero: it has none

	memories []canon.Hash // of the monitors, as they left them
	recalled [][]canon.Line
}

// taken notes the message that is about to be delivered.
func (a *auditor) taken(p netsim.Packet) {
	if a.on {
		a.got = p
	}
}

// given notes the event that is about to be handled.
func (a *auditor) given(w *World, e sim.Event) {
	if !a.on {
		return
	}
	a.event = w.text(e)
	if e.Value != nil && e.Kind != sim.KindMessage && e.Kind != sim.KindReorder {
		a.got = netsim.Packet{Message: e.Value, Sum: a.tell(w, e.Value), Step: -1}
	}
}

// hands notes the effect that the handler has just had, and its value.
func (a *auditor) hands(w *World) {
	if !a.on {
		return
	}
	last := len(w.effects) - 1
	for len(a.handed) <= last {
		a.handed = append(a.handed, canon.Hash{})
	}
	a.handed[last] = a.tell(w, w.effects[last].Value)
}

// checkHanded stops the run if the handler changed what it had handed over, by
// itself or through what it kept of it.
func (a *auditor) checkHanded(w *World) {
	for k, sum := range a.handed {
		if e := &w.effects[k]; sum != (canon.Hash{}) && w.sum(e.Value) != sum {
			w.stop(w.fail(sim.VerdictMutation, "", fmt.Sprintf(
				"the handler changed what it had handed over (%s) before it returned: %s became %s; messages, tasks and facts are immutable from then on: copy before changing",
				e.Kind, a.told[sum], w.walker.Text(e.Value))))
		}
	}
	a.handed = a.handed[:0]
}

// tell remembers a value as text, by its identity.
func (a *auditor) tell(w *World, v any) canon.Hash {
	h := w.sum(v)
	if _, known := a.told[h]; !known {
		if a.told == nil {
			a.told = map[canon.Hash]string{}
		}
		a.told[h] = w.walker.Text(v)
	}
	return h
}

// checkAudit stops the run if the handler on node i changed anything but its
// own node.
func (w *World) checkAudit(i int) {
	a := &w.audit
	if w.current.Kind == 0 {
		a.got = netsim.Packet{}
		if len(a.nodes) != w.n {
			a.nodes, a.lines = make([]canon.Hash, w.n), make([][]canon.Line, w.n)
		}
		if i == 0 { // the first start of a run: the other nodes are still as made
			for k := range w.nodes {
				a.keep(w, k)
			}
		}
	}
	if p := a.got; p.Message != nil && w.sum(p.Message) != p.Sum {
		w.stop(w.fail(sim.VerdictMutation, "", fmt.Sprintf(
			"the handler changed what it was given: %s became %s; messages and signals are immutable: copy before changing",
			a.told[p.Sum], w.walker.Text(p.Message))))
	}
	a.got = netsim.Packet{}
	for c := range w.n * w.n {
		from, to := w.links.tcp.Ends(c)
		for _, p := range w.links.tcp.Packets(c) {
			w.checkPacket(from, to, p)
		}
		for _, p := range w.links.udp.Packets(c) {
			w.checkPacket(from, to, p)
		}
	}
	for to := range w.nodes {
		for _, m := range w.links.set.For(to) {
			w.checkPacket(m.From, to, m.Packet)
		}
	}
	for k := range w.nodes {
		if k == i {
			continue
		}
		if w.sum(w.nodes[k].seen.Node) != a.nodes[k] {
			field := Diff(a.lines[k], w.walker.Lines(w.nodes[k].seen.Node))
			w.stop(w.fail(sim.VerdictMutation, "", fmt.Sprintf(
				"the state of %s changed while %s ran: %s; the two share memory (a message that one of them kept, or a package variable)",
				addrOf(k), addrOf(i), differences(field))))
		}
	}
	before := a.nodes[i]
	a.keep(w, i)
	if e := &w.current; w.cover != nil && (e.Kind == sim.KindMessage || e.Kind == sim.KindReorder) {
		w.cover.looked(e.Value, len(w.effects) > 0 || a.nodes[i] != before)
	}
	w.checkMonitors()
}

// remember notes the memory of a monitor, which may just have changed it.
func (a *auditor) remember(w *World, k int) {
	if len(a.memories) != len(w.monitors) {
		a.memories, a.recalled = make([]canon.Hash, len(w.monitors)), make([][]canon.Line, len(w.monitors))
	}
	a.memories[k] = w.sum(w.monitors[k].Memory())
	a.recalled[k] = w.walker.Lines(w.monitors[k].Memory())
}

// checkMonitors stops the run if a monitor's memory changed while the monitor
// observed nothing.
func (w *World) checkMonitors() {
	for k := range w.monitors {
		m := &w.monitors[k]
		if w.sum(m.Memory()) != w.audit.memories[k] {
			w.stop(w.fail(sim.VerdictMutation, m.Name, fmt.Sprintf(
				"the memory of the monitor %q changed while %s ran: %s; it keeps a fact that shares memory with a node: facts are immutable once emitted: emit a copy",
				m.Name, w.acting, differences(Diff(w.audit.recalled[k], w.walker.Lines(m.Memory()))))))
		}
	}
}

// auditProperties makes all that is asked of a state stop the run where it changes
// a node or gives two answers.
func (w *World) auditProperties() {
	for k := range w.always {
		w.auditCheck(&w.always[k], "property")
	}
	for k := range w.eventually {
		w.auditCheck(&w.eventually[k], "property")
	}
	for k := range w.sometimes {
		w.auditCheck(&w.sometimes[k], "property")
	}
	w.auditCheck(&w.within, "System.Within")
	w.auditCheck(&w.assume, "System.Assume")
}

func (w *World) auditCheck(c *sight.Check, what string) {
	if c.Holds == nil {
		return
	}
	c.Each = nil
	name, holds, said := c.Name, c.Holds, fmt.Sprintf("%s %q", what, c.Name)
	c.Holds = func() bool {
		first := holds()
		second := holds()
		for k := range w.nodes {
			if w.sum(w.nodes[k].seen.Node) != w.audit.nodes[k] {
				field := Diff(w.audit.lines[k], w.walker.Lines(w.nodes[k].seen.Node))
				w.stop(w.fail(sim.VerdictMutation, name, fmt.Sprintf(
					"%s changed the state of %s: %s; it must only look (unless a callback came meanwhile, as of time.AfterFunc: set a timer by env.After)", said, addrOf(k), differences(field))))
			}
		}
		if first != second {
			w.stop(w.fail(sim.VerdictNondeterminism, name, fmt.Sprintf(
				"%s was %v and then %v in one state; it must be a function of the state", said, first, second)))
		}
		return first
	}
}

// Probe asks all that a search may ask of a state, so that what panics there
// panics here, and reports whether the state is live. It counts for nothing.
func (w *World) Probe() (live bool) {
	cover := w.cover
	w.cover = nil
	defer func() { w.cover = cover }()
	if w.CanBeLive() {
		live = w.Live()
		w.Assumed()
	}
	w.Within()
	w.enabled()
	return live
}

func (a *auditor) keep(w *World, i int) {
	a.nodes[i] = w.sum(w.nodes[i].seen.Node)
	a.lines[i] = w.walker.Lines(w.nodes[i].seen.Node)
}

func (w *World) checkPacket(from, to int, p netsim.Packet) {
	if w.sum(p.Message) == p.Sum {
		return
	}
	w.stop(w.fail(sim.VerdictMutation, "", fmt.Sprintf(
		"a message under way from %s to %s, sent at step %d, changed after it was sent: %s became %s; messages are immutable once sent: copy before changing",
		addrOf(from), addrOf(to), p.Step, w.audit.told[p.Sum], w.walker.Text(p.Message))))
}

// differences names the first few differences.
func differences(all []Difference) string {
	const most = 3
	text := ""
	for k, d := range all {
		if k == most {
			return fmt.Sprintf("%s; and %d more", text, len(all)-most)
		}
		if k > 0 {
			text += "; "
		}
		text += fmt.Sprintf("%s was %s, is %s", d.Path, orAbsent(d.A), orAbsent(d.B))
	}
	return text
}
