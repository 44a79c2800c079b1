package explore

import (
	"reflect"
	"slices"

	"macemc/internal/canon"
	"macemc/internal/state"
	"macemc/internal/world"
	"macemc/search/internal/stubborn"
	"macemc/sim"
)

// A Reduction takes in each state, where that suffices, the steps of some nodes only: see package
// stubborn, which has the proof. Its parts here are these.
//
// A kind of event is what a node takes: the type of a signal, or the type of a message, its sender
// and its link. After each execution in the world, observe notes what the event brought about, and
// whether it was barred or visible. A step that is looked up was executed before.
//
// A state is expanded as a whole unless the environment is calm and has no fault left, all nodes
// are up, and no connection has anything but messages. So no fault and nothing that follows from
// one is ever put off, and neither is healing: steps that are put off touch nodes and messages only.
//
// Mend ends a level. It finds the states whose answer no longer agrees with the observations, and
// those that violate the proviso, and takes the steps of these that were left out.
//
// The proviso: of each state whose steps were taken in part, one of these leads to a state with a
// greater number. Numbers are finite, so from each state a path of steps that were taken ends at a
// state whose steps were all taken.
type Reduction struct {
	Stats ReductionStats

	facts   *stubborn.Facts
	classes map[kind]stubborn.Class
	parts   [][]*pending // by place and number
	taken   [][]canon.Hash
	known   [][]bool // of taken
	n       int
	at      state.Places
	v       world.Vector
	rep     world.Vector // of a situation that is looked at again
	quorate bool         // a node takes several messages at once: only the world knows which

	answers   map[canon.Hash][]stubborn.Nodes // by situation: sets of nodes that suffice
	version   int                             // of the facts that answers rest on
	decisions []decision
	decided   map[decisionKey]int32
	mended    int // the version at which decisions were looked at

	part   []uint32 // the states of this level that are expanded in part, in their order
	of     []int32  // their decisions
	goesOn []bool   // whether a step leads to a state with a greater number
	cursor int
	before stubborn.Set // what was pending for the node that runs
	taking canon.Hash
	count  []int // of events, by node
	acting []stubborn.Class
	audits int

	// for tests of the tests
	NoVoid, NoProviso, NoVisible bool
}

// ReducedNodes is the largest number of nodes of a system that is reduced.
const ReducedNodes = stubborn.NodesMost

// ReductionStats count what a reduction did.
type ReductionStats struct {
	Parted  int // states of which steps were left out
	Voided  int // of these, those whose other steps were taken since an observation was new,
	Cycles  int // and those for which the proviso asked
	Audited int // pairs of a step that was left out and one that was taken, which were taken in both orders
}

// kind is what distinguishes kinds of events.
type kind struct {
	node, from int
	kind       sim.Kind
	link       sim.Link
	of         reflect.Type
}

// pending is what may come of a part.
type pending struct {
	classes stubborn.Set
	sum     canon.Hash
	calm    bool // the part lets its state be expanded in part
}

// A decision is that in a situation the steps of some nodes suffice.
type decision struct {
	like   uint32 // a state in that situation
	nodes  stubborn.Nodes
	states []uint32
	void   bool
}

type decisionKey struct {
	situation canon.Hash
	nodes     stubborn.Nodes
}

// Reduce makes the explorer take the steps of some nodes only where that suffices. It must be
// called before the first state is expanded.
func (x *Explorer) Reduce() *Reduction {
	x.World.State.Watch()
	r := newReduction(x.World.Params().Nodes, x.Bank.At())
	x.reduces(r)
	if m := x.Memo(); m != nil {
		m.looksAllUp() // levels are not expanded as a whole: see commute.go
	}
	return r
}

func newReduction(n int, at state.Places) *Reduction {
	return &Reduction{
		n: n, at: at, v: make(world.Vector, at.Len()), rep: make(world.Vector, at.Len()), facts: stubborn.NewFacts(n),
		classes: map[kind]stubborn.Class{}, parts: make([][]*pending, at.Len()),
		answers: map[canon.Hash][]stubborn.Nodes{}, decided: map[decisionKey]int32{},
		taken: make([][]canon.Hash, n), known: make([][]bool, n), count: make([]int, n),
	}
}

// Gathers reports whether a node of the first states offers actions because of what is in its set:
// what is pending for it does not follow from its parts then.
func (x *Explorer) Gathers() bool {
	for s := range x.Each {
		x.Get(s, x.To)
		for i := range x.World.Params().Nodes {
			if x.Bank.Gathers(i, x.To[i]) {
				return true
			}
		}
	}
	return false
}

// Expand takes the steps of a state that suffice.
func (x *Explorer) Expand(s uint32) error {
	r := x.Reduction
	if r == nil {
		return x.Stepper.Expand(s)
	}
	if p := r.choose(x, s); p != 0 {
		if r.audits++; r.audits%reduceAudit == 1 {
			if err := r.audit(x, s, p); err != nil {
				return err
			}
		}
		return x.some(s, p)
	}
	return x.Stepper.Expand(s)
}

// some takes the steps of some nodes in a state.
func (x *Explorer) some(s uint32, p stubborn.Nodes) error {
	x.takesOnly(p)
	defer x.takesOnly(0)
	return x.Stepper.Expand(s)
}

// Mend takes the steps of states that were left out in vain. It ends a level.
func (x *Explorer) Mend() error {
	for r := x.Reduction; r != nil; {
		again := append(r.cycles(), r.voids(x)...)
		if len(again) == 0 {
			return nil
		}
		for _, a := range again {
			if err := x.some(a.state, a.left); err != nil {
				return err
			}
		}
		if err := x.Settle(); err != nil {
			return err
		}
	}
	return nil
}

// An omission is the nodes whose steps were left out in a state.
type omission struct {
	state uint32
	left  stubborn.Nodes
}

// cycles ends the list of the states of a level that are expanded in part, and returns those that
// violate the proviso.
func (r *Reduction) cycles() (again []omission) {
	for k, s := range r.part {
		d := &r.decisions[r.of[k]]
		switch {
		case d.void:
			panic("macemc bug: search: a decision is void before the level has ended")
		case r.goesOn[k] || r.NoProviso:
			d.rests(s)
		default:
			again = append(again, omission{s, stubborn.All(r.n) &^ d.nodes})
			r.Stats.Cycles++
		}
	}
	r.part, r.of, r.goesOn, r.cursor = r.part[:0], r.of[:0], r.goesOn[:0], 0
	return again
}

// voids makes decisions void that no longer agree with the facts, and returns the states that
// rested on them.
func (r *Reduction) voids(x *Explorer) (again []omission) {
	now := r.facts.Version()
	if now == r.mended || r.NoVoid {
		return nil
	}
	r.mended = now
	for k := range r.decisions {
		d := &r.decisions[k]
		if d.void {
			continue
		}
		if x.Get(d.like, r.rep); r.facts.Suffices(r.situation(x, r.rep), d.nodes) {
			continue
		}
		for _, s := range d.avoid() {
			again = append(again, omission{s, stubborn.All(r.n) &^ d.nodes})
			r.Stats.Voided++
		}
	}
	return again
}

// rests notes that a state rests on the decision.
func (d *decision) rests(s uint32) { d.states = append(d.states, s) }

// avoid makes the decision void, and returns the states that rested on it.
func (d *decision) avoid() (states []uint32) {
	states, d.states, d.void = d.states, nil, true
	return states
}

// choose returns nodes whose steps suffice in a state, or 0 if all steps are to be taken.
func (r *Reduction) choose(x *Explorer, s uint32) (p stubborn.Nodes) {
	x.Get(s, r.v)
	if calm, faults := x.Bank.Calm(r.v); !calm || faults {
		return 0
	}
	if now := r.facts.Version(); now != r.version {
		clear(r.answers)
		r.version = now
	}
	var sum canon.Hash
	for place, id := range r.v[:r.at.Rest()] {
		if id != 0 {
			of := r.pending(x.Bank, place, id)
			if !of.calm {
				return 0
			}
			sum = sum.Add(of.sum)
		}
	}
	sets, known := r.answers[sum]
	if !known {
		sets = r.suffice(r.situation(x, r.v))
		r.answers[sum] = sets
	}
	if len(sets) == 0 {
		return 0
	}
	r.possible(x)
	all := 0
	for _, n := range r.count {
		all += n
	}
	fewest := all // of a set that is not worth it
	for _, set := range sets {
		n := 0
		for i, c := range r.count {
			if set.Has(i) {
				n += c
			}
		}
		if n > 0 && n < fewest {
			p, fewest = set, n
		}
	}
	if p == 0 {
		return 0
	}
	key := decisionKey{sum, p}
	k, known := r.decided[key]
	if !known || r.decisions[k].void {
		k = int32(len(r.decisions))
		r.decisions = append(r.decisions, decision{like: s, nodes: p})
		r.decided[key] = k
	}
	r.leave(s, k)
	return p
}

// leave notes that steps of a state are left out.
func (r *Reduction) leave(s uint32, of int32) {
	r.part, r.of, r.goesOn = append(r.part, s), append(r.of, of), append(r.goesOn, false)
	r.Stats.Parted++
}

// suffice returns the sets of nodes that suffice in a situation, each once.
func (r *Reduction) suffice(s *stubborn.Situation) (sets []stubborn.Nodes) {
	for i := range r.n {
		if p, is := r.facts.Least(s, i); is && !slices.Contains(sets, p) {
			sets = append(sets, p)
		}
	}
	return sets
}

// situation returns what is pending in a state.
func (r *Reduction) situation(x *Explorer, v world.Vector) *stubborn.Situation {
	s := &stubborn.Situation{Pending: make([]stubborn.Set, r.n)}
	for place, id := range v[:r.at.Rest()] {
		if id == 0 {
			continue
		}
		sort, at := r.at.At(place)
		i := at
		if sort == state.TCP || sort == state.UDP {
			i = at / r.n
		}
		of := r.pending(x.Bank, place, id)
		s.Pending[i].Include(of.classes)
		if len(of.classes) > 0 && (sort == state.TCP || sort == state.UDP) {
			s.Held.Add(place)
		}
	}
	return s
}

// pending returns what may come of a part.
func (r *Reduction) pending(b *world.Bank, place int, id uint32) *pending {
	for int(id) >= len(r.parts[place]) {
		r.parts[place] = append(r.parts[place], nil)
	}
	if of := r.parts[place][id]; of != nil {
		return of
	}
	sort, at := r.at.At(place)
	node, calm := at, true
	switch sort {
	case state.Node:
		l := b.Local(place, id)
		calm = l.Up
		r.quorate = r.quorate || l.Up && !l.Plain
	case state.TCP, state.UDP:
		calm = b.Queue(place, id).Plain
		node = at / r.n
	}
	var classes stubborn.Set
	b.Awaits(place, id, func(k sim.Kind, link sim.Link, from int, value any) {
		classes.Add(r.class(kind{node, from, k, link, reflect.TypeOf(value)}))
	})
	var sum canon.Hash
	for c := range classes.Each {
		sum = sum.Then(canon.Hash{Hi: uint64(c) + 1, Lo: uint64(place)})
	}
	of := &pending{classes, sum, calm}
	r.parts[place][id] = of
	return of
}

// class returns the number of a kind of event.
func (r *Reduction) class(k kind) stubborn.Class {
	c, known := r.classes[k]
	if !known {
		channel := -1
		if k.kind == sim.KindMessage && k.link == sim.LinkTCP {
			channel = world.TCPPlace(r.n, k.node*r.n+k.from)
		} else if k.kind == sim.KindMessage && k.link == sim.LinkUDP {
			channel = world.UDPPlace(r.n, k.node*r.n+k.from)
		}
		c = r.facts.NewClass(k.node, channel)
		r.classes[k] = c
	}
	return c
}

// possible counts the events of each node that are possible in the state that is chosen for.
func (r *Reduction) possible(x *Explorer) {
	clear(r.count)
	if r.quorate || x.Memo() == nil {
		x.World.State.Load(x.Bank, r.v)
		for k := range x.World.Events.Count() {
			if i := x.World.Events.Look(k).Node.Index(); i >= 0 {
				r.count[i]++
			}
		}
		return
	}
	b, n := x.Bank, r.n
	accepts := func(i, from int, message uint32) {
		if l := b.Local(i, r.v[i]); !l.Accepts || b.Accepts(i, r.v[i], from, message) {
			r.count[i]++
		}
	}
	for i := range n {
		l := b.Local(i, r.v[i])
		r.count[i] += int(l.Offers) + int(l.Tasks) + int(l.Timers) + count(l.Script)
		if p := world.SetPlace(n, i); r.v[p] != 0 {
			for _, item := range b.Items(p, r.v[p]) {
				accepts(i, item.From, item.Message)
			}
		}
	}
	for p := n; p < world.SetPlace(n, 0); p++ {
		if r.v[p] != 0 {
			if q := b.Queue(p, r.v[p]); q.Head != 0 {
				accepts((p-n)%(n*n)/n, (p-n)%n, q.Head)
			}
		}
	}
}

// leads notes that a step of a state leads to one with a number.
func (r *Reduction) leads(from, to uint32) {
	if to <= from {
		return
	}
	for r.cursor < len(r.part) && r.part[r.cursor] < from {
		r.cursor++
	}
	if r.cursor < len(r.part) && r.part[r.cursor] == from {
		r.goesOn[r.cursor] = true
	}
}

// waits reports whether a state is one that is expanded in part, and of which no step is known yet
// that leads to a greater number.
func (r *Reduction) waits(from uint32) bool {
	for r.cursor < len(r.part) && r.part[r.cursor] < from {
		r.cursor++
	}
	return r.cursor < len(r.part) && r.part[r.cursor] == from && !r.goesOn[r.cursor]
}

// begin is called before the world takes a step from the state that is loaded.
func (r *Reduction) begin(t *Taker, event int) {
	r.acting, r.before = r.acting[:0], nil
	t.World.Events.Count() // a step may have been taken and taken back
	e := t.World.Events.Look(event)
	i := e.Node.Index()
	if i < 0 {
		return
	}
	switch e.Kind {
	case sim.KindScript, sim.KindAction, sim.KindTask, sim.KindTimer:
		r.acting = append(r.acting, r.class(kind{i, i, e.Kind, 0, reflect.TypeOf(e.Value)}))
	case sim.KindMessage:
		r.acting = append(r.acting, r.class(kind{i, e.From.Index(), e.Kind, e.Link, reflect.TypeOf(e.Value)}))
	case sim.KindQuorum:
		for _, m := range e.Value.(sim.Quorum) {
			r.acting = append(r.acting, r.class(kind{i, m.From.Index(), sim.KindMessage, m.Link, reflect.TypeOf(m.Message)}))
		}
		slices.Sort(r.acting)
		r.acting = slices.Compact(r.acting)
	default:
		return
	}
	r.before = r.awaiting(t, i, t.From[i])
	r.taking = r.takes(t, i, t.From[i])
}

// awaiting returns what is pending for a node by itself.
func (r *Reduction) awaiting(t *Taker, i int, id uint32) stubborn.Set {
	return r.pending(t.Bank, i, id).classes
}

// takes returns what the properties take from the node where the world is.
func (r *Reduction) takes(t *Taker, i int, id uint32) canon.Hash {
	for int(id) >= len(r.taken[i]) {
		r.taken[i], r.known[i] = append(r.taken[i], canon.Hash{}), append(r.known[i], false)
	}
	if !r.known[i][id] {
		r.taken[i][id], r.known[i][id] = t.World.Judge.Taken(i), true
	}
	return r.taken[i][id]
}

// observe notes what the step that was just taken in the world brought about.
func (r *Reduction) observe(t *Taker) {
	if len(r.acting) == 0 {
		return
	}
	w := t.World
	e := w.Run.LastEvent()
	i := e.Node.Index()
	for _, f := range w.Run.Effects() {
		switch f.Kind {
		case sim.EffectSend:
			to := f.To.Index()
			r.facts.Brings(r.acting, r.class(kind{to, i, sim.KindMessage, f.Link, reflect.TypeOf(f.Value)}))
			if f.Lost || w.Links.Full(f.Link, i, to) {
				r.facts.Bar(r.acting)
			}
		case sim.EffectAfter, sim.EffectCancel, sim.EffectPost, sim.EffectLog, sim.EffectWrite, sim.EffectSync, sim.EffectEmit:
		default:
			r.facts.Bar(r.acting)
		}
	}
	id := w.State.SaveNode(t.Bank, i)
	for c := range r.awaiting(t, i, id).Each {
		if !r.before.Has(c) {
			r.facts.Brings(r.acting, c)
		}
	}
	if !t.Bank.Local(i, id).Up {
		r.facts.Bar(r.acting)
	}
	if r.takes(t, i, id) != r.taking && !r.NoVisible {
		r.facts.See(r.acting)
	}
	touched := w.State.Touched()
	for place, why := range touched.Read() {
		if why&state.Asked != 0 && place != i {
			r.facts.Bar(r.acting)
		}
	}
	for place := range touched.Written() {
		r.wrote(i, place, touched.Why(place))
	}
}

// wrote notes that a step of a node wrote a part.
func (r *Reduction) wrote(i, place int, why state.Why) {
	switch sort, at := r.at.At(place); sort {
	case state.Node:
		if at == i {
			return
		}
	case state.TCP, state.UDP:
		if at/r.n == i || at%r.n == i {
			return
		}
	case state.Set:
		if at == i || why&state.Sent != 0 {
			return
		}
	case state.Monitor:
		if !r.NoVisible {
			r.facts.See(r.acting)
		}
		return
	}
	r.facts.Bar(r.acting)
}
