package world

import (
	"fmt"
	"slices"

	"macemc/internal/canon"
	"macemc/internal/sight"
	"macemc/internal/wording"
	"macemc/netsim"
	"macemc/sim"
	"macemc/trace"
)

// auditor checks that a handler changes only its own node. It keeps the identities of everything
// else that the handler could change: its event, the messages under way, and the other nodes.
type auditor struct {
	*setting
	timers *timers
	run    *Run
	links  *Links
	nodes  *nodes
	judge  *Judge

	told   map[canon.Hash]spoken // values, as they were when sent or handed over
	handed []canon.Hash          // by effect: its value, as it was handed over; zero: it has none
	kept   []canon.Hash          // of the nodes
	lines  [][]canon.Line

	memories []canon.Hash // of the monitors, as they left them
	recalled [][]canon.Line
}

// spoken is a value as text.
type spoken struct {
	text  string
	shown string
	lines []canon.Line
}

// start forgets the values of the run that was.
func (a *auditor) start() {
	clear(a.told)
	for k := range a.judge.monitors {
		if a.auditing {
			a.remember(k)
		}
	}
}

// begin forgets the values that the last handler passed to Env.
func (a *auditor) begin() { a.handed = a.handed[:0] }

// given records the event that is about to be handled.
func (a *auditor) given(e sim.Event) {
	if !a.auditing {
		return
	}
	a.run.names(a.timers.text(e))
	if e.Value != nil && e.Kind != sim.KindMessage && e.Kind != sim.KindReorder {
		a.run.gave(netsim.Packet{Message: e.Value, Sum: a.tell(e.Value), Origin: netsim.Origin{Step: -1}})
	}
}

// hands records the value of the handler's last effect.
func (a *auditor) hands() {
	if !a.auditing {
		return
	}
	effects := a.run.Effects()
	last := len(effects) - 1
	for len(a.handed) <= last {
		a.handed = append(a.handed, canon.Hash{})
	}
	a.handed[last] = a.tell(effects[last].Value)
}

// checkHanded ends the run if the handler has changed a value after passing it to Env.
func (a *auditor) checkHanded() {
	effects := a.run.Effects()
	for k, sum := range a.handed {
		if k >= len(effects) || effects[k].Kind == trace.EffectCrash || effects[k].Kind == trace.EffectDown {
			break // the rest never happened
		}
		if e := &effects[k]; sum != (canon.Hash{}) && a.sum(e.Value) != sum {
			a.run.stop(a.run.fail(sim.VerdictMutation, "", fmt.Sprintf(
				"the handler changed what it had handed over (%s) before it returned: %s; messages, tasks and facts are immutable from then on: copy before changing%s",
				e.Kind, a.became(sum, e.Value), a.lazily(sum, e.Value))))
		}
	}
	a.handed = a.handed[:0]
}

// tell returns the identity of a value, and keeps the value's text under it, so that became
// can show the value as it was if it has changed.
func (a *auditor) tell(v any) canon.Hash {
	h := a.sum(v)
	if _, known := a.told[h]; !known {
		if a.told == nil {
			a.told = map[canon.Hash]spoken{}
		}
		a.told[h] = spoken{a.walker.Text(v), wording.Shown(a.walker.Text, v), a.walker.Lines(v)}
	}
	return h
}

// check stops the run if the handler on node i changed anything but its
// own node.
func (a *auditor) check(i int) {
	if a.run.current.Kind == 0 {
		a.run.gave(netsim.Packet{})
		if len(a.kept) != a.n {
			a.kept, a.lines = make([]canon.Hash, a.n), make([][]canon.Line, a.n)
		}
		if i == 0 { // the first start of a run: the other nodes are still as made
			for k := range a.nodes.at {
				a.keep(k)
			}
		}
	}
	if p := a.run.given; p.Message != nil && a.sum(p.Message) != p.Sum {
		a.run.stop(a.run.fail(sim.VerdictMutation, "", fmt.Sprintf(
			"the handler changed what it was given: %s; messages and signals are immutable: copy before changing%s",
			a.became(p.Sum, p.Message), a.lazily(p.Sum, p.Message))))
	}
	a.run.gave(netsim.Packet{})
	for c := range a.n * a.n {
		from, to := a.links.tcp.Ends(c)
		for _, p := range a.links.tcp.Packets(c) {
			a.packet(from, to, p)
		}
		for _, p := range a.links.udp.Packets(c) {
			a.packet(from, to, p)
		}
	}
	for to := range a.nodes.at {
		for _, m := range a.links.set.For(to) {
			a.packet(m.From, to, m.Packet)
		}
	}
	for k := range a.nodes.at {
		if k == i {
			continue
		}
		if a.sum(a.nodes.at[k].seen.Node) != a.kept[k] {
			field := Diff(a.lines[k], a.walker.Lines(a.nodes.at[k].seen.Node))
			a.run.stop(a.run.fail(sim.VerdictMutation, "", fmt.Sprintf(
				"the state of %s changed while %s ran: %s; the two share memory (a message that one of them kept, or a package variable), or a callback came meanwhile, as of time.AfterFunc (env.After)",
				addrOf(k), addrOf(i), differences(field))))
		}
	}
	before := a.kept[i]
	a.keep(i)
	if a.cover != nil {
		a.cover.audited(&a.run.current.Event, len(a.run.Effects()) > 0 || a.kept[i] != before)
	}
	a.monitors()
}

// remember records the memory of a monitor, after the monitor may have changed it.
func (a *auditor) remember(k int) {
	if len(a.memories) != len(a.judge.monitors) {
		a.memories, a.recalled = make([]canon.Hash, len(a.judge.monitors)), make([][]canon.Line, len(a.judge.monitors))
	}
	a.memories[k] = a.sum(a.judge.monitors[k].Memory())
	a.recalled[k] = a.walker.Lines(a.judge.monitors[k].Memory())
}

// checkMonitors stops the run if a monitor's memory changed while the monitor
// observed nothing.
func (a *auditor) monitors() {
	for k := range a.judge.monitors {
		m := &a.judge.monitors[k]
		if a.sum(m.Memory()) != a.memories[k] {
			a.run.stop(a.run.fail(sim.VerdictMutation, m.Name, fmt.Sprintf(
				"the memory of the monitor %q changed while %s ran: %s; it keeps a fact that shares memory with a node: facts are immutable once emitted: emit a copy",
				m.Name, a.run.acting, differences(Diff(a.recalled[k], a.walker.Lines(m.Memory()))))))
		}
	}
}

// properties makes all that is asked of a state stop the run where it changes
// a node or gives two answers.
func (a *auditor) properties() {
	for k := range a.judge.always {
		a.property(&a.judge.always[k], "property")
	}
	for k := range a.judge.eventually {
		a.property(&a.judge.eventually[k], "property")
	}
	for k := range a.judge.sometimes {
		a.property(&a.judge.sometimes[k], "property")
	}
	a.property(&a.judge.within, "System.Within")
	a.property(&a.judge.assume, "System.Assume")
}

func (a *auditor) property(c *sight.Check, what string) {
	if c.Holds == nil {
		return
	}
	c.Each = nil
	name, holds, said := c.Name, c.Holds, fmt.Sprintf("%s %q", what, c.Name)
	c.Holds = func() bool {
		first := holds()
		second := holds()
		for k := range a.nodes.at {
			if a.sum(a.nodes.at[k].seen.Node) != a.kept[k] {
				field := Diff(a.lines[k], a.walker.Lines(a.nodes.at[k].seen.Node))
				a.run.stop(a.run.fail(sim.VerdictMutation, name, fmt.Sprintf(
					"%s changed the state of %s: %s; it must only look (unless a callback came meanwhile, as of time.AfterFunc: set a timer by env.After)", said, addrOf(k), differences(field))))
			}
		}
		if first != second {
			a.run.stop(a.run.fail(sim.VerdictNondeterminism, name, fmt.Sprintf(
				"%s was %v and then %v in one state; it must be a function of the state", said, first, second)))
		}
		return first
	}
}

// Probe evaluates everything that a search may evaluate in a state, so that a function of the system
// that panics there panics here, and reports whether the state is live. It changes no counts.
func (w *World) Probe() (live bool) {
	cover := w.cover
	w.cover = nil
	defer func() { w.cover = cover }()
	if w.Judge.CanBeLive() {
		live = w.Judge.Live()
		w.Judge.Assumed()
	}
	w.Judge.Within()
	w.Events.Count()
	return live
}

// keep records the state of node i. Most steps are audited for nothing, so the text is
// written anew only where the identity is another one.
func (a *auditor) keep(i int) {
	node := a.nodes.at[i].seen.Node
	if h := a.sum(node); a.lines[i] == nil || h != a.kept[i] {
		a.kept[i], a.lines[i] = h, a.walker.Lines(node)
	}
}

func (a *auditor) packet(from, to int, p netsim.Packet) {
	if a.sum(p.Message) == p.Sum {
		return
	}
	a.run.stop(a.run.fail(sim.VerdictMutation, "", fmt.Sprintf(
		"a message under way from %s to %s, sent at step %d, changed after it was sent: %s; messages are immutable once sent: copy before changing%s",
		addrOf(from), addrOf(to), p.Step, a.became(p.Sum, p.Message), a.lazily(p.Sum, p.Message))))
}

// became describes how a value has changed since tell returned the identity was for it.
func (a *auditor) became(was canon.Hash, v any) string {
	if is := wording.Shown(a.walker.Text, v); is != a.told[was].shown {
		return fmt.Sprintf("%s became %s", a.told[was].shown, is)
	}
	return fmt.Sprintf("%s became %s", a.told[was].text, a.walker.Text(v))
}

// lazily returns advice for the message if the first field that has changed was empty before:
// libraries fill in such fields at their first use.
func (a *auditor) lazily(was canon.Hash, v any) string {
	changed := Diff(a.told[was].lines, a.walker.Lines(v))
	if len(changed) == 0 || !slices.Contains([]string{"nil", "0", `""`, "false"}, changed[0].A) {
		return ""
	}
	field := a.walker.Where(v, changed[0].Path).Field
	if field == "" {
		return ""
	}
	return fmt.Sprintf("; or, if it is only filled in when it is first asked for, add %q to System.Opaque", field)
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
