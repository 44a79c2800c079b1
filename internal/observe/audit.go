package observe

import (
	"fmt"
	"slices"

	"macemc/internal/canon"
	"macemc/internal/sight"
	"macemc/internal/state"
	"macemc/internal/wording"
	"macemc/netsim"
	"macemc/sim"
	"macemc/trace"
)

// Audit checks that a handler changes only its own node. It keeps the identities of everything
// else that the handler could change: its event, the messages under way, the other nodes, and the
// memories of the monitors.
type Audit struct {
	walker   *canon.Walker
	sum      func(v any) canon.Hash
	stop     func(v trace.Verdict, property, message string)
	nodes    *sight.State
	monitors []sight.Monitor
	under    func(into []Parcel) []Parcel
	parcels  []Parcel // scratch memory for the messages under way

	told   map[canon.Hash]kept // the values that handlers sent or passed on, as they were then, by identity
	given  netsim.Packet       // the message that the handler was given
	handed []canon.Hash        // for each effect of the handler, the identity of its value when the handler passed it to Env; zero if it has none
	kept   []kept              // each node, as it was before the handler ran

	memories []kept // the memory of each monitor, as it was before the handler ran

	due    []*asked // the properties that were asked since the nodes were last compared with kept
	always bool     // a node cannot be copied, so the nodes are compared after each property
}

// asked is a property or a constraint that an Audit checks. The field what describes it in
// messages.
type asked struct {
	name, what string
	holds      func() bool
	due        bool // it is in Audit.due
}

// Audited has the parts of a world that an Audit reads. Sum returns the identity of a
// value. Stop ends the run with a failure of the step, and does not return. Under appends
// the messages under way to a list.
type Audited struct {
	Walker   *canon.Walker
	Sum      func(v any) canon.Hash
	Stop     func(v trace.Verdict, property, message string)
	Nodes    *sight.State
	Monitors []sight.Monitor
	Under    func(into []Parcel) []Parcel
}

// NewAudit returns an Audit of a world.
func NewAudit(of Audited) *Audit {
	return &Audit{walker: of.Walker, sum: of.Sum, stop: of.Stop, nodes: of.Nodes, monitors: of.Monitors, under: of.Under}
}

// kept is a value as it was when the Audit recorded it, for comparison with the value later. It
// has a copy of the value or, if the value cannot be copied, its texts. The texts are needed only
// to describe a failure, so they are not made if there is a copy.
type kept struct {
	sum    canon.Hash
	copy   any
	spoken *spoken // the texts; nil if there is a copy
}

// spoken has the value of a kept, written as text in three forms. It is used for a value that
// cannot be copied.
type spoken struct {
	text  string
	shown string
	lines []canon.Line
}

func (a *Audit) speaks(v any) *spoken {
	return &spoken{a.walker.Text(v), wording.Shown(a.walker.Text, v), a.walker.Lines(v)}
}

// keep makes k the present value of v. It copies the value only if its identity has changed since
// the last call, and reports whether it has.
func (k *kept) keep(a *Audit, v any) (changed bool) {
	h := a.sum(v)
	if h == k.sum {
		return false
	}
	*k = a.keeps(h, v)
	return true
}

// keeps returns a kept of v as it is now. h is the identity of v.
func (a *Audit) keeps(h canon.Hash, v any) kept {
	c, err := a.walker.Copy(v)
	if err != nil {
		return kept{sum: h, spoken: a.speaks(v)}
	}
	return kept{sum: h, copy: c}
}

// was returns the texts that describe the value of k at the time when it was recorded.
func (a *Audit) was(k kept) *spoken {
	if k.spoken != nil {
		return k.spoken
	}
	return a.speaks(k.copy)
}

// toldMost is the largest number of values that an Audit keeps from one run for the next. Many runs send the
// same values, which then need not be copied again.
const toldMost = 1 << 12

// Start begins another run.
func (a *Audit) Start() {
	a.forget()
	if len(a.told) > toldMost {
		clear(a.told)
	}
	for k := range a.monitors {
		a.Remember(k)
	}
}

// Begin drops the values that the last handler passed to Env.
func (a *Audit) Begin() { a.handed = a.handed[:0] }

// Give records the message that is about to be delivered.
func (a *Audit) Give(p netsim.Packet) { a.given = p }

// GiveEvent records the value of the event that is about to be handled. Messages are recorded by Give. It
// returns a copy of the value, or nil if there is none.
func (a *Audit) GiveEvent(e sim.Event) (was any) {
	if e.Value != nil && e.Kind != sim.KindMessage && e.Kind != sim.KindReorder {
		a.Give(netsim.Packet{Message: e.Value, Sum: a.Tell(e.Value), Origin: netsim.Origin{Step: -1}})
	}
	return a.told[a.given.Sum].copy
}

// Hands records the value in the last effect, which the handler has just passed to Env.
func (a *Audit) Hands(effects []trace.Effect) {
	last := len(effects) - 1
	for len(a.handed) <= last {
		a.handed = append(a.handed, canon.Hash{})
	}
	a.handed[last] = a.Tell(effects[last].Value)
}

// CheckHanded stops the run if the handler has changed a value after passing it to Env.
func (a *Audit) CheckHanded(effects []trace.Effect) {
	for k, sum := range a.handed {
		if k >= len(effects) || effects[k].Kind == trace.EffectCrash || effects[k].Kind == trace.EffectDown {
			break // the node crashed here, so the later effects did not happen
		}
		if e := &effects[k]; sum != (canon.Hash{}) && a.sum(e.Value) != sum {
			a.stop(trace.VerdictMutation, "", fmt.Sprintf(
				"the handler changed what it had handed over (%s) before it returned: %s; messages, tasks and facts are immutable from then on: copy before changing%s",
				e.Kind, a.became(sum, e.Value), a.lazily(sum, e.Value)))
		}
	}
	a.handed = a.handed[:0]
}

// Tell returns the identity of a value, and keeps the value, so that became can show it if it has changed
// later.
func (a *Audit) Tell(v any) canon.Hash {
	h := a.sum(v)
	if _, known := a.told[h]; !known {
		if a.told == nil {
			a.told = map[canon.Hash]kept{}
		}
		a.told[h] = a.keeps(h, v)
	}
	return h
}

// A Parcel is a message under way between two nodes.
type Parcel struct {
	From, To int
	netsim.Packet
}

// Check stops the run if the handler on node i has changed anything but its own node. It reports whether the
// handler has changed that node. start says that the node has just started with the run.
func (a *Audit) Check(i int, start bool) (changed bool) {
	if start {
		a.starts(i)
	}
	if p := a.given; p.Message != nil && a.sum(p.Message) != p.Sum {
		a.stop(trace.VerdictMutation, "", fmt.Sprintf(
			"the handler changed what it was given: %s; messages and signals are immutable: copy before changing%s",
			a.became(p.Sum, p.Message), a.lazily(p.Sum, p.Message)))
	}
	a.Give(netsim.Packet{})
	a.parcels = a.under(a.parcels[:0])
	for k := range a.parcels {
		a.parcel(&a.parcels[k])
	}
	for k, n := range a.nodes.Nodes {
		if k == i {
			continue
		}
		if a.sum(n.Node) != a.kept[k].sum {
			a.stop(trace.VerdictMutation, "", fmt.Sprintf(
				"the state of %s changed while %s ran: %s; the two share memory (a message that one of them kept, or a package variable), or a callback came meanwhile, as of time.AfterFunc (env.After)",
				state.AddrOf(k), state.AddrOf(i), a.changed(k)))
		}
	}
	return a.keepNode(i)
}

// starts is called when node i has started at the beginning of a run. For the first node,
// it records all nodes as they are now, since the others have not run yet.
func (a *Audit) starts(i int) {
	a.Give(netsim.Packet{})
	a.room()
	if i == 0 { // the first start of a run: no other node has run yet
		a.keepAll()
	}
}

// Resume records the present nodes and monitors as the ones that must not change.
func (a *Audit) Resume() {
	a.forget()
	a.room()
	a.Give(netsim.Packet{})
	a.keepAll()
	for k := range a.monitors {
		a.Remember(k)
	}
}

func (a *Audit) room() {
	if n := len(a.nodes.Nodes); len(a.kept) != n {
		a.kept = make([]kept, n)
	}
}

func (a *Audit) keepAll() {
	for k := range a.nodes.Nodes {
		a.keepNode(k)
	}
}

func (a *Audit) keepNode(k int) (changed bool) {
	changed = a.kept[k].keep(a, a.nodes.Nodes[k].Node)
	a.always = a.always || a.kept[k].spoken != nil
	return changed
}

// Remember records the memory of the k-th monitor, which may have changed it.
func (a *Audit) Remember(k int) {
	if len(a.memories) != len(a.monitors) {
		a.memories = make([]kept, len(a.monitors))
	}
	a.memories[k].keep(a, a.monitors[k].Memory())
}

// CheckMonitors stops the run if a monitor's memory changed while the monitor observed nothing.
// acting is the node whose handler runs.
func (a *Audit) CheckMonitors(acting sim.Addr) {
	for k := range a.monitors {
		m := &a.monitors[k]
		if a.sum(m.Memory()) != a.memories[k].sum {
			a.stop(trace.VerdictMutation, m.Name, fmt.Sprintf(
				"the memory of the monitor %q changed while %s ran: %s; it keeps a fact that shares memory with a node: facts are immutable once emitted: emit a copy",
				m.Name, acting, a.differs(a.memories[k], m.Memory())))
		}
	}
}

// Property returns a check that stops the run if c gives two answers in one state. If c changes a node, the next
// call of Settle stops the run. what describes c in messages.
func (a *Audit) Property(c sight.Check, what string) sight.Check {
	if c.Holds == nil {
		return c
	}
	p := &asked{name: c.Name, what: what, holds: c.Holds}
	c.Each = nil
	c.Holds = func() bool {
		a.asks(p)
		first := p.holds()
		second := p.holds()
		if first != second || a.always {
			a.Settle()
		}
		if first != second {
			a.stop(trace.VerdictNondeterminism, p.name, fmt.Sprintf(
				"%s was %v and then %v in one state; it must be a function of the state", p, first, second))
		}
		return first
	}
	return c
}

func (a *Audit) asks(p *asked) {
	if !p.due {
		p.due = true
		a.due = append(a.due, p)
	}
}

// forget empties the list of properties that were evaluated in the present state, and returns
// them.
func (a *Audit) forget() (were []*asked) {
	for _, p := range a.due {
		p.due = false
	}
	were, a.due = a.due, a.due[:0]
	return were
}

// Settle stops the run if the evaluation of a property in the present state has changed a node. It must be
// called before anything else may change the nodes.
func (a *Audit) Settle() {
	if len(a.due) == 0 {
		return
	}
	if due := a.forget(); a.other() >= 0 {
		a.stop(a.blame(due))
	}
}

// other returns the index of the first node that differs from its recorded value, or -1 if there
// is none.
func (a *Audit) other() int {
	for k, n := range a.nodes.Nodes {
		if a.sum(n.Node) != a.kept[k].sum {
			return k
		}
	}
	return -1
}

// blame finds out which of the properties in due has changed a node, and returns that failure. If there are
// several properties, it evaluates them again, one after the other, on copies of the nodes as they were before.
func (a *Audit) blame(due []*asked) (v trace.Verdict, property, message string) {
	if len(due) == 1 {
		return a.writes(due)
	}
	var now []any
	for k, n := range a.nodes.Nodes {
		now = append(now, n.Node)
		if before, err := a.walker.Copy(a.kept[k].copy); err == nil {
			n.Replace(before)
		}
	}
	a.nodes.Replaced()
	for k, p := range due {
		if p.again(); a.other() >= 0 {
			v, property, message = a.writes(due[k : k+1])
			break
		}
	}
	for k, n := range a.nodes.Nodes {
		n.Replace(now[k])
	}
	a.nodes.Replaced()
	if message == "" {
		return a.writes(due)
	}
	return v, property, message
}

// again evaluates the property twice, as the check that Property returns does. It ignores a panic, which
// may only be due to the change that the property made before.
func (p *asked) again() {
	defer func() { _ = recover() }()
	p.holds()
	p.holds()
}

// writes returns the failure for a node that a property has changed: the first node that differs from its kept
// value. If by has one property, the failure names it; otherwise it says that one of them did it.
func (a *Audit) writes(by []*asked) (v trace.Verdict, property, message string) {
	who, k := "", a.other()
	if len(by) == 1 {
		property, who = by[0].name, by[0].String()
	} else {
		for _, p := range by {
			who += ", " + p.String()
		}
		who = "one of " + who[2:]
	}
	return trace.VerdictMutation, property, fmt.Sprintf(
		"%s changed the state of %s: %s; it must only look (unless a callback came meanwhile, as of time.AfterFunc: set a timer by env.After)",
		who, state.AddrOf(k), a.changed(k))
}

func (p *asked) String() string { return fmt.Sprintf("%s %q", p.what, p.name) }

// differs describes how the value now differs from the value that k has recorded.
func (a *Audit) differs(k kept, now any) string {
	return differences(Diff(a.was(k).lines, a.walker.Lines(now)))
}

// changed names the fields of node k that have changed since the audit kept it.
func (a *Audit) changed(k int) string { return a.differs(a.kept[k], a.nodes.Nodes[k].Node) }

func (a *Audit) parcel(p *Parcel) {
	if a.sum(p.Message) == p.Sum {
		return
	}
	a.stop(trace.VerdictMutation, "", fmt.Sprintf(
		"a message under way from %s to %s, sent at step %d, changed after it was sent: %s; messages are immutable once sent: copy before changing%s",
		state.AddrOf(p.From), state.AddrOf(p.To), p.Step, a.became(p.Sum, p.Message), a.lazily(p.Sum, p.Message)))
}

// became describes how v has changed since an earlier call of Tell, which returned the identity
// was.
func (a *Audit) became(was canon.Hash, v any) string {
	before, now := a.was(a.told[was]), a.speaks(v)
	if before.shown != now.shown {
		return fmt.Sprintf("%s became %s", before.shown, now.shown)
	}
	return fmt.Sprintf("%s became %s", before.text, now.text)
}

// lazily returns advice for the case that the first changed field of v was empty before, or
// "": libraries fill in such fields when they are first used.
func (a *Audit) lazily(was canon.Hash, v any) string {
	changed := Diff(a.was(a.told[was]).lines, a.walker.Lines(v))
	if len(changed) == 0 || !slices.Contains([]string{"nil", "0", `""`, "false"}, changed[0].A) {
		return ""
	}
	field := a.walker.Where(v, changed[0].Path).Field
	if field == "" {
		return ""
	}
	return fmt.Sprintf("; or, if it is a cache that is filled in when it is first used, add %q to System.Opaque", field)
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
