package explore

import (
	"reflect"
	"slices"

	"macemc/internal/canon"
	"macemc/internal/state"
	"macemc/internal/world"
	"macemc/search/internal/stubborn"
	"macemc/sim"
	"macemc/trace"
)

// A Reduction takes only the events of some kinds in a state, if these suffice: see package stubborn,
// which has the proof. This type supplies the following parts of it.
//
// The kind of an event is its node and what the node takes: the type of a signal, or the type of a
// message with its sender and its link. After each execution in the world, observe records which kinds
// of events it made pending, and whether it was barred or visible. A step that is looked up was executed
// before.
//
// A state is expanded as a whole unless the environment is calm and has no fault left, all nodes
// are up, and no connection has anything but messages. So faults, their consequences and healing are
// never put off: steps that are put off touch nodes and messages only.
//
// Mend ends a level. It finds the states whose decision no longer agrees with the observations, those
// that violate the proviso, and those of which a visible step was taken. It takes the steps of these
// states that were left out.
//
// The proviso is: if only some steps of a state were taken, one of them leads to a state with a
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

	answers   map[canon.Hash][]stubborn.Set // by situation: sets that suffice
	version   int                           // of the facts that answers rest on
	decisions []decision
	decided   map[decisionKey]int32
	mended    int // the version at which decisions were looked at

	part   []uint32 // the states of this level that are expanded in part, in their order
	of     []int32  // their decisions
	goesOn []bool   // whether a step leads to a state with a greater number
	shows  []bool   // whether a step is visible

	possible [][]stubborn.Class // the kinds of each event of the state that is chosen for
	before   stubborn.Set       // what was pending for the node that runs
	taking   canon.Hash         // what properties took from it
	acting   []stubborn.Class   // the kinds of the event that is taken
	emits    bool               // the step that was taken last is visible
	audits   int
	audited  []resting // states that are audited when the level ends

	// These leave a part of the reduction out, for tests.
	NoVoid, NoProviso, NoVisible bool
}

// ReductionStats counts the states of a reduction.
type ReductionStats struct {
	Parted  int // states of which steps were left out
	Voided  int // of these, those whose other steps were taken since an observation was new,
	Cycles  int // and those for which the proviso asked, or a step that was taken is visible
	Audited int // pairs of a step that was left out and one that was taken, which were taken in both orders
}

// kind identifies a kind of events.
type kind struct {
	node, from int
	kind       sim.Kind
	link       sim.Link
	of         reflect.Type
}

// pending has the kinds of events that may come of a part of a state.
type pending struct {
	classes stubborn.Set
	head    stubborn.Class // of a channel in order: the kind of the message that comes first
	sum     canon.Hash
	calm    bool // the part lets its state be expanded in part
}

// A decision is that in a situation the events of some kinds suffice.
type decision struct {
	like   uint32 // a state in that situation
	kinds  stubborn.Set
	states []uint32
	void   bool
}

type decisionKey struct{ situation, set canon.Hash }

// Reduce makes the explorer take the events of some kinds only where that suffices. It must be
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
		n: n, at: at, v: make(world.Vector, at.Len()), rep: make(world.Vector, at.Len()), facts: &stubborn.Facts{},
		classes: map[kind]stubborn.Class{}, parts: make([][]*pending, at.Len()),
		answers: map[canon.Hash][]stubborn.Set{}, decided: map[decisionKey]int32{},
		taken: make([][]canon.Hash, n), known: make([][]bool, n),
	}
}

// Gathers reports whether a node of the first states offers actions because of messages in its set.
// Then its pending events do not follow from its own part.
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

// Expand takes the steps of a state; with a Reduction, only those that suffice.
func (x *Explorer) Expand(s uint32) error {
	r := x.Reduction
	if r == nil {
		return x.Stepper.Expand(s)
	}
	if p := r.choose(x, s); p != nil {
		return x.some(s, p, true)
	}
	return x.Stepper.Expand(s)
}

// some takes the steps of a state that are of some kinds, or those that are not.
func (x *Explorer) some(s uint32, p stubborn.Set, of bool) error {
	only := stubborn.Set{0} // an empty one is no nil
	for k, kinds := range x.Reduction.possible {
		if slices.ContainsFunc(kinds, p.Has) == of {
			only.Add(k)
		}
	}
	x.takesOnly(only)
	defer x.takesOnly(nil)
	return x.Stepper.Expand(s)
}

// Mend takes the steps of states that were left out in vain. It ends a level.
func (x *Explorer) Mend() error {
	for r := x.Reduction; r != nil; {
		again := append(r.cycles(), r.voids(x)...)
		if len(again) == 0 {
			return r.checks(x)
		}
		for _, a := range again {
			x.Get(a.state, r.v)
			r.events(x)
			if err := x.some(a.state, a.taken, false); err != nil {
				return err
			}
		}
		if err := x.Settle(); err != nil {
			return err
		}
	}
	return nil
}

// An omission is a state, and the kinds of events of it that were taken.
type omission struct {
	state uint32
	taken stubborn.Set
}

// cycles returns the states of a level that were expanded in part and violate the proviso, and empties
// the list of the level.
func (r *Reduction) cycles() (again []omission) {
	for k, s := range r.part {
		d := &r.decisions[r.of[k]]
		switch {
		case d.void:
			panic("macemc bug: search: a decision is void before the level has ended")
		case (r.goesOn[k] || r.NoProviso) && !r.shows[k]:
			d.rests(s)
			if r.audits++; r.audits%reduceAudit == 1 {
				r.audited = append(r.audited, resting{s, r.of[k]})
			}
		default:
			again = append(again, omission{s, d.kinds})
			r.Stats.Cycles++
		}
	}
	r.part, r.of, r.goesOn, r.shows = r.part[:0], r.of[:0], r.goesOn[:0], r.shows[:0]
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
		if x.Get(d.like, r.rep); r.facts.Suffices(r.situation(x, r.rep), d.kinds) {
			continue
		}
		for _, s := range d.avoid() {
			again = append(again, omission{s, d.kinds})
			r.Stats.Voided++
		}
	}
	return again
}

// resting is a state and the decision that it rests on.
type resting struct {
	state    uint32
	decision int32
}

// checks audits some states that are expanded in part, and whose decisions agree with the facts.
func (r *Reduction) checks(x *Explorer) error {
	all := r.audited
	r.audited = all[:0]
	for _, a := range all {
		d := &r.decisions[a.decision]
		if d.void {
			continue
		}
		x.Get(a.state, r.v)
		if r.events(x); !r.NoVoid {
			if err := r.audit(x, a.state, d.kinds); err != nil {
				return err
			}
		}
	}
	return nil
}

// rests records that the reduction of a state depends on the decision.
func (d *decision) rests(s uint32) { d.states = append(d.states, s) }

// avoid makes the decision void, and returns the states that rested on it.
func (d *decision) avoid() (states []uint32) {
	states, d.states, d.void = d.states, nil, true
	return states
}

// choose returns kinds whose events suffice in a state, or nil if all steps are to be taken.
func (r *Reduction) choose(x *Explorer, s uint32) (p stubborn.Set) {
	x.Get(s, r.v)
	if calm, faults := x.Bank.Calm(r.v); !calm || faults {
		return nil
	}
	var sum canon.Hash
	for place, id := range r.v[:r.at.Rest()] {
		if id != 0 {
			of := r.pending(x.Bank, place, id)
			if !of.calm {
				return nil
			}
			sum = sum.Add(of.sum)
		}
	}
	if now := r.facts.Version(); now != r.version {
		clear(r.answers)
		r.version = now
	}
	sets, known := r.answers[sum]
	if !known {
		sets = r.suffice(r.situation(x, r.v))
		r.answers[sum] = sets
	}
	if len(sets) == 0 {
		return nil
	}
	r.events(x)
	p = r.best(sets)
	if p == nil {
		return nil
	}
	key := decisionKey{situation: sum}
	for c := range p.Each {
		key.set = key.set.Then(canon.Hash{Hi: uint64(c) + 1})
	}
	k, known := r.decided[key]
	if !known || r.decisions[k].void {
		k = int32(len(r.decisions))
		r.decisions = append(r.decisions, decision{like: s, kinds: p})
		r.decided[key] = k
	}
	r.leave(s, k)
	return p
}

// best returns the set with the fewest events that are possible, those last of which one was seen to be
// visible; nil if none leaves any out.
func (r *Reduction) best(sets []stubborn.Set) (p stubborn.Set) {
	all := len(r.possible)
	least := 2 * all
	for _, set := range sets {
		n := 0
		for _, kinds := range r.possible {
			n += count(slices.ContainsFunc(kinds, set.Has))
		}
		if n == 0 || n == all {
			continue
		}
		if r.facts.Visible(set) {
			n += all
		}
		if n < least {
			p, least = set, n
		}
	}
	return p
}

// leave records that steps of a state are left out.
func (r *Reduction) leave(s uint32, of int32) {
	r.part, r.of, r.goesOn, r.shows = append(r.part, s), append(r.of, of), append(r.goesOn, false), append(r.shows, false)
	r.Stats.Parted++
}

// events lists the kinds of each event of the state that is chosen for.
func (r *Reduction) events(x *Explorer) {
	x.World.State.Load(x.Bank, r.v)
	n := x.World.Events.Count()
	r.possible = slices.Grow(r.possible[:0], n)[:n]
	for k := range r.possible {
		r.possible[k] = r.kinds(r.possible[k][:0], x.World.Events.Look(k))
	}
}

// suffice returns sets of kinds that suffice in a situation, each once.
func (r *Reduction) suffice(s *stubborn.Situation) (sets []stubborn.Set) {
	for c := range s.Pending.Each {
		p, is := r.facts.Least(s, c)
		if is && !slices.ContainsFunc(sets, func(o stubborn.Set) bool { return slices.Equal(o, p) }) {
			sets = append(sets, p)
		}
	}
	return sets
}

// situation returns the pending kinds of events of a state.
func (r *Reduction) situation(x *Explorer, v world.Vector) *stubborn.Situation {
	s := &stubborn.Situation{Heads: map[int]stubborn.Class{}}
	for place, id := range v[:r.at.Rest()] {
		if id == 0 {
			continue
		}
		of := r.pending(x.Bank, place, id)
		s.Pending.Include(of.classes)
		if of.head >= 0 {
			s.Heads[place] = of.head
		}
	}
	return s
}

// pending returns the kinds of events that may come of a part.
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
		if l.Up && !l.Plain {
			r.facts.Whole(at)
		}
	case state.TCP, state.UDP:
		calm = b.Queue(place, id).Plain
		node = at / r.n
	}
	var classes stubborn.Set
	head := -1
	b.Awaits(place, id, func(k sim.Kind, link sim.Link, from int, value any) {
		c := r.class(kind{node, from, k, link, reflect.TypeOf(value)})
		if classes.Add(c); head < 0 && (sort == state.TCP || sort == state.UDP) {
			head = c
		}
	})
	sum := canon.Hash{Hi: uint64(head + 1), Lo: uint64(place + 1)}
	for c := range classes.Each {
		sum = sum.Then(canon.Hash{Hi: uint64(c) + 1, Lo: uint64(place)})
	}
	of := &pending{classes, head, sum, calm}
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

// leads records that a step of state from leads to state to.
func (r *Reduction) leads(from, to uint32) {
	if k, is := slices.BinarySearch(r.part, from); is && to > from {
		r.goesOn[k] = true
	}
}

// sees records that a step of a state is visible.
func (r *Reduction) sees(from uint32) {
	if k, is := slices.BinarySearch(r.part, from); is && !r.NoVisible {
		r.shows[k] = true
	}
}

// differ reports whether properties may take something else from one part of a node than from another.
func (r *Reduction) differ(i int, was, is uint32) bool {
	known := func(id uint32) bool { return int(id) < len(r.known[i]) && r.known[i][id] }
	return !known(was) || !known(is) || r.taken[i][was] != r.taken[i][is]
}

// lookUp records the state to which a step leads that was looked up, and whether the step is visible.
func (r *Reduction) lookUp(m *Memo, c *candidate, to uint32) {
	from := m.Parents[c.Parent].State
	r.leads(from, to)
	for _, ch := range m.changes[c.first:c.last] {
		if i := int(ch.place); i < r.n && r.differ(i, m.x.lay.at(m.recOf(c.Parent), i), ch.id) {
			r.sees(from)
		}
	}
}

// kinds adds the kinds of an event to a list.
func (r *Reduction) kinds(list []stubborn.Class, e *sim.Event) []stubborn.Class {
	i := e.Node.Index()
	if i < 0 {
		return list
	}
	switch e.Kind {
	case sim.KindScript, sim.KindAction, sim.KindTask, sim.KindTimer:
		list = append(list, r.class(kind{i, i, e.Kind, 0, reflect.TypeOf(e.Value)}))
	case sim.KindMessage:
		list = append(list, r.class(kind{i, e.From.Index(), e.Kind, e.Link, reflect.TypeOf(e.Value)}))
	case sim.KindQuorum:
		for _, m := range e.Value.(sim.Quorum) {
			list = append(list, r.class(kind{i, m.From.Index(), sim.KindMessage, m.Link, reflect.TypeOf(m.Message)}))
		}
		slices.Sort(list)
		list = slices.Compact(list)
	}
	return list
}

// begin is called before the world takes a step from the state that is loaded.
func (r *Reduction) begin(t *Taker, event int) {
	t.World.Events.Count() // a step may have been taken and taken back
	e := t.World.Events.Look(event)
	i := e.Node.Index()
	r.before, r.emits = nil, false
	if r.acting = r.kinds(r.acting[:0], e); len(r.acting) > 0 {
		r.before = r.awaiting(t, i, t.From[i])
		r.taking = r.takes(t, i, t.From[i])
	}
}

// awaiting returns the pending kinds of events of a node by itself.
func (r *Reduction) awaiting(t *Taker, i int, id uint32) stubborn.Set {
	return r.pending(t.Bank, i, id).classes
}

// takes returns the identity of the values that properties made by sim.Takes take from a node, in the
// world's state.
func (r *Reduction) takes(t *Taker, i int, id uint32) canon.Hash {
	for int(id) >= len(r.taken[i]) {
		r.taken[i], r.known[i] = append(r.taken[i], canon.Hash{}), append(r.known[i], false)
	}
	if !r.known[i][id] {
		r.taken[i][id], r.known[i][id] = t.World.Judge.Taken(i), true
	}
	return r.taken[i][id]
}

// observe records the consequences of the step that was just taken in the world.
func (r *Reduction) observe(t *Taker) {
	if len(r.acting) == 0 {
		return
	}
	w := t.World
	e := w.Run.LastEvent()
	i := e.Node.Index()
	for _, f := range w.Run.Effects() {
		switch f.Kind {
		case trace.EffectSend:
			to := f.To.Index()
			r.facts.Brings(r.acting, r.class(kind{to, i, sim.KindMessage, f.Link, reflect.TypeOf(f.Value)}))
			if f.Lost || w.Links.Full(f.Link, i, to) {
				r.facts.Bar(r.acting)
			}
		case trace.EffectAfter, trace.EffectCancel, trace.EffectPost, trace.EffectLog, trace.EffectWrite, trace.EffectSync, trace.EffectEmit:
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
	if id != t.From[i] {
		r.facts.Changes(r.acting)
	}
	if r.takes(t, i, id) != r.taking {
		r.shown()
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

// wrote records that a step of a node changed a part.
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
		r.shown()
		return
	}
	r.facts.Bar(r.acting)
}

// shown records that the step that was just taken is visible.
func (r *Reduction) shown() {
	r.facts.See(r.acting)
	r.emits = true
}
