package explore

import (
	"macemc/internal/search/internal/stubborn"
	"macemc/internal/state"
	"macemc/internal/world"
	"macemc/sim"
)

// Memo is the Stepper that looks steps up instead of running handlers. The result of a step is a
// function of its footprint: the parts of the state that it touched or asked about. So the memo takes a
// step in the world once for each footprint, and stores the result: see cache. In any other state with
// the same footprint, the step is a few numbers looked up, and the identity of the next state is a few
// sums.
//
// Most footprints consist of one part, the node that runs. A state is plain if its possible events also
// follow from its parts: no connection is broken, no node waits for room in a buffer, and the like. The
// steps of a plain state are taken without the world. In other states, the world lists the possible
// events.
//
// The steps of a node whose results can rarely be looked up are taken in the world: see worth.
type Memo struct {
	x         *Taker
	n         int
	buffer    int // messages that a connection queues
	datagrams int

	position
	cache
	batch
	worth

	behind  lastStep // the step by which the state of the position was reached
	sleep   *Sleep   // leaves out steps that sleep; nil means none
	all     bool     // look up every step, even if the resulting state is known: see commute.go
	chosen           // which events are taken now
	Unasked int      // steps that were not looked up
	asked   int      // steps that were looked up by the node part alone
	twins   int      // the number of twins that noteTwins has noted
	looked  int      // how often a footprint of several parts was looked up
	turn    int32    // the value of deep.turn when this memo last forgot everything
	batches int      // batches since then
	gaveUp  bool     // the results were dropped, since the steps of all nodes are dear

	keys   []uint64    // the keys under which the results of the present step are stored
	pieces []*standing // the footprints that make up its result; nil for one that is not known
}

// NewMemo returns a memo without results, for taker x.
func NewMemo(x *Taker) *Memo {
	tcp, udp := x.World.Links.Capacities()
	x.World.State.Watch()
	m := &Memo{x: x, n: x.World.Params().Nodes, buffer: tcp, datagrams: udp, all: x.Owner.All || x.Owner.Always} // with step properties, every order of two steps must be taken
	m.cache, m.worth = newCache(x), newWorth(m.n, x.Owner.Worth)
	x.lookUp()
	m.position = newPosition(x, &m.cache)
	return m
}

// reduces makes the memo take only the steps that reduction r selects, and look each of them up. The
// memo then skips no step because another order of steps leads to the same state (see commute.go). If r
// only observes, which r.Waits says, reduces does nothing.
func (m *Memo) reduces(r *Reduction) {
	if !r.Waits {
		m.reduction = r
		m.LooksAllUp()
	}
}

// LooksAllUp makes the memo look up every step, even if the resulting state is known: see commute.go.
func (m *Memo) LooksAllUp() { m.all = true }

// LookingAllUp calls do. Until do returns, the memo looks up every step: see LooksAllUp.
func (m *Memo) LookingAllUp(do func()) {
	usual := m.all
	m.all = true
	do()
	m.all = usual
}

// sharesWith makes m share the results of o, which is used by another goroutine. Memo m must have no
// results yet.
func (m *Memo) sharesWith(o *Memo) {
	m.learnsWith(o.common)
	m.turn = o.turn
}

// takesBack takes over the results of o, which has learnt those of m (by o.LearnFrom(m)) and has
// added its own.
func (m *Memo) takesBack(o *Memo) { m.cache = o.cache.over(m.x) }

// LearnFrom takes over the results of o, a memo of the same bank, which must not be used after that. The two
// ledgers then share the numbers of steps, since results contain them: a ledger with numbers of its own would
// mistake one step for another, and skip a third one because of it.
func (m *Memo) LearnFrom(o *Memo) {
	m.x.numbersAs(o.x.Ledger)
	m.cache, m.twins, m.looked = o.cache.over(m.x), o.twins, o.looked
	m.worth = o.worth
}

// forgets drops all results if memory is short and the states are on disk. The batch must be empty. The
// cache is kept if there is a reduction or sleep sets, which rely on it.
func (m *Memo) forgets() {
	d := m.x.deep
	if d == nil || m.reduction != nil || m.sleep != nil {
		return
	}
	m.batches++
	d.memos.Add(int64(m.common.grown()))
	if turn := d.turn.Load(); turn != m.turn || m.batches == d.every {
		later, freed := m.common.forgotten()
		d.memos.Add(int64(-freed))
		m.cache = m.cache.with(m.x, later)
		clear(m.x.From)
		m.position, m.turn, m.batches = newPosition(m.x, &m.cache), turn, 0
	}
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Expand takes every step from a state. It numbers the state's events as the world does, since paths
// refer to events by these numbers.
func (m *Memo) Expand(state uint32) error {
	x := m.x
	if m.agree(&m.common.dear); m.allDear() {
		return m.Rest(state, 0)
	}
	if len(m.Next)+len(m.seen) >= together {
		if err := m.Settle(); err != nil {
			return err
		}
		m.forgets()
	}
	_, faults, plain := m.goes(state)
	if !plain && m.noFootprints {
		return m.worldFrom(state, 0)
	}
	if r := m.reduction; r != nil {
		sum, why := r.weather(x.Bank, m.v)
		switch {
		case why != "":
		case m.vague > 0:
			why = whyUnsettled
		case m.gone > 0 && !m.apart():
			why = whyFailed
		default:
			return r.expand(m, x.Bank, state, m.v, m.situation.Add(sum))
		}
		r.hinders(hindrance{why: why})
	}
	m.stands(state, &m.position)
	if !plain {
		if m.sleep != nil {
			m.sleep.begins(state, false)
		}
		return m.footsteps(state, 0)
	}
	m.behind = m.lastStep(state)
	if m.sleep != nil {
		m.sleep.begins(state, !x.gaps.Load())
	}
	return m.plainly(state, faults)
}

// giveUp drops all results when it is first called: the steps of all nodes are dear. It also makes the bank pack all
// further nodes. A node that is seldom the same as another one takes less memory then, and its steps are taken as fast.
// The batch must be empty.
func (m *Memo) giveUp() {
	if m.gaveUp {
		return
	}
	m.gaveUp, m.cache = true, m.cache.with(m.x, new(learnt))
	for i := range m.n {
		m.x.Bank.Packs(i)
	}
}

// plainly takes the steps of a plain state. faults says whether faults are possible.
func (m *Memo) plainly(state uint32, faults bool) error {
	k, err := m.plainSteps(state)
	switch {
	case err != nil:
		return err
	case (faults || m.gone > 0) && m.steady():
		return m.ofSky(state, k)
	case m.gone > 0:
		return m.footsteps(state, k)
	}
	if k, err = m.timers(state, k); err != nil || !faults {
		return err
	}
	if m.noFootprints {
		return m.worldFrom(state, k)
	}
	return m.footsteps(state, k)
}

// goes moves the position to a state. It reports whether the environment is calm there (no partition,
// no paused node and the like), whether faults are possible, and whether the state is plain (see
// Memo).
func (m *Memo) goes(state uint32) (calm, faults, plain bool) {
	x := m.x
	x.Spot = Spot{Current: state, LastEvent: noEvent}
	if twins := x.Bank.Twins(m.twins); len(twins) > 0 {
		m.noteTwins(twins)
	}
	m.goTo(x.layout.Load(), x.rec(state))
	calm, faults = x.Bank.Calm(m.v)
	plain = m.odd == 0 && calm && (m.gone == 0 || !m.noFootprints && m.apart()) // not so if a connection is broken or a node waits for room, for example
	if x.Healed && x.Owner.Sys.Weight != nil {
		plain = false // only the world knows which events are rare
	}
	return calm, faults, plain
}

// chosen selects the events of a state that a memo takes, and counts them.
type chosen struct {
	partly bool // not all events are selected
	dry    bool // only count the events, without taking any
	kinds  stubborn.Set
	of     bool // the events of these kinds are selected; otherwise all others are
	taken  int  // how many events were selected
	left   int  // how many were not
}

// choose makes the memo take only the events of these kinds or, if of is false, only the others. If dry is true,
// the memo only counts them.
func (c *chosen) choose(kinds stubborn.Set, of, dry bool) {
	*c = chosen{partly: true, dry: dry, kinds: kinds, of: of}
}

// ends makes the memo take all events again. It returns how many were selected, faults not counted, and
// how many were not.
func (c *chosen) ends() (taken, left int) {
	c.partly = false
	return c.taken, c.left
}

// takes reports whether an event of kind class should be taken, and counts the event; class is none for
// an event without a kind. A fault that is taken is not counted: see Reduction.only.
func (c *chosen) takes(class int, fault bool) bool {
	takes := (class != none && c.kinds.Has(class)) == c.of
	c.taken, c.left = c.taken+count(takes && !fault), c.left+count(!takes)
	return takes && !c.dry
}

// some takes steps from the position's state: if of is true, the steps whose kinds are in kinds,
// otherwise all others. It implements parter.
func (m *Memo) some(state uint32, kinds stubborn.Set, of bool) (taken, left int, err error) {
	m.stands(state, &m.position)
	calm, faults := m.x.Bank.Calm(m.v)
	overhead := faults || m.gone > 0
	if m.odd > 0 || overhead && !(calm && m.steady() && (m.gone == 0 || m.apart())) { // the world knows the events
		m.stand()
		taken, left = m.x.Reduction.only(m.x, kinds, of)
		defer m.x.takesOnly(nil)
		if m.x.Reduction.Waits {
			return taken, left, nil
		}
		return taken, left, m.footsteps(state, 0)
	}
	m.choose(kinds, of, m.x.Reduction.Waits)
	k, err := m.plainSteps(state)
	switch {
	case err != nil:
	case overhead:
		err = m.ofSky(state, k)
	default:
		_, err = m.timers(state, k)
	}
	taken, left = m.ends()
	return taken, left, err
}

// others takes those steps of a state whose kinds are not in kinds.
func (m *Memo) others(state uint32, kinds stubborn.Set) error {
	if len(m.Next)+len(m.seen) >= together {
		if err := m.Settle(); err != nil {
			return err
		}
	}
	m.goes(state)
	_, _, err := m.some(state, kinds, false)
	return err
}

// Rest takes the events of a state in the world, beginning with number k. The earlier ones were taken.
func (m *Memo) Rest(state uint32, k int) error {
	if m.allDear() { // from now on there is no position
		if err := m.Settle(); err != nil {
			return err
		}
		m.giveUp()
		return InWorld{m.x}.Rest(state, k)
	}
	m.goTo(m.x.layout.Load(), m.x.rec(state))
	return m.worldFrom(state, k)
}

// worldFrom takes the events of the position's state in the world, beginning with number k.
func (m *Memo) worldFrom(state uint32, k int) error {
	if err := m.Settle(); err != nil {
		return err
	}
	m.x.Spot = Spot{Current: state, LastEvent: noEvent}
	m.x.World.State.Load(m.x.Bank, m.v)
	return m.x.takeFrom(state, k)
}

// plainSteps takes the steps of a plain state in the world's order, except those of the environment
// and the timers, and returns their number. It takes each step as soon as it finds it, since
// listing all of them first would take a tenth of a search's time.
func (m *Memo) plainSteps(state uint32) (k int, err error) {
	n := m.n
	for i := range n {
		if a := &m.able[i]; a.script {
			if k, err = m.signal(state, k, ordinal(ordinalScript, i), a.first); err != nil {
				return k, err
			}
		}
	}
	for i := range n {
		a := &m.able[i]
		for o := range uint32(a.offers) {
			if k, err = m.signal(state, k, ordinal(ordinalOffer, i), a.first+1+o); err != nil {
				return k, err
			}
		}
	}
	for i := range n {
		a := &m.able[i]
		for o := range uint32(a.tasks) {
			if k, err = m.signal(state, k, ordinal(ordinalTask, i), a.first+1+uint32(a.offers)+o); err != nil {
				return k, err
			}
		}
	}
	if k, err = m.heads(state, k, ordinalTCP, m.tcp, world.TCPPlace(n, 0)); err != nil {
		return k, err
	}
	if k, err = m.heads(state, k, ordinalUDP, m.udp, world.UDPPlace(n, 0)); err != nil {
		return k, err
	}
	return m.scattered(state, k)
}

// timers takes the timers of a plain state. Their events have the numbers from k on; timers returns the number
// after the last.
func (m *Memo) timers(state uint32, k int) (_ int, err error) {
	for i := range m.n {
		a := &m.able[i]
		if a.timers > 0 && m.x.patient && m.concerned(i) {
			k += int(a.timers)
			continue
		}
		for o := range uint32(a.timers) {
			if k, err = m.signal(state, k, ordinal(ordinalTimer, i), a.first+1+uint32(a.offers)+uint32(a.tasks)+o); err != nil {
				return k, err
			}
		}
	}
	return k, nil
}

// occurrence is an event of a plain state, in four fields, so that it stays in registers.
type occurrence struct {
	ordinal int    // the kind of the event and its node: see commute.go
	what    uint32 // the number of the message that is delivered; for other events, the index in cache.own
	from    int    // the sender of the message, or none if the event is not a delivery
	pops    int    // the channel or bag out of which the message is taken, or none if it stays in its set
}

const none = -1

// signal takes event number k of a state: a request of a script, an action, a task or a timer. Its footprint has
// the index own in cache.own. signal returns the number of the next event.
func (m *Memo) signal(state uint32, k, ordinal int, own uint32) (int, error) {
	return m.happens(state, k, occurrence{ordinal: ordinal, what: own, from: none, pops: none})
}

// heads takes the delivery of the first message of each channel at the given places. These events
// have the numbers from k on in the state; heads returns the number after the last.
func (m *Memo) heads(state uint32, k, kind int, places []int32, base int) (int, error) {
	var err error
	for _, p := range places {
		id := m.v[p]
		if id == 0 {
			continue
		}
		if head := m.queues[p][id].head; head != 0 {
			c := int(p) - base
			if k, err = m.happens(state, k, occurrence{ordinal: ordinal(kind, c/m.n), what: head, from: c % m.n, pops: int(p)}); err != nil {
				return k, err
			}
		}
	}
	return k, nil
}

// scattered takes the delivery of each message in sets and bags. These events have the numbers from k on in the
// state; scattered returns the number after the last.
func (m *Memo) scattered(state uint32, k int) (int, error) {
	var err error
	for _, p := range m.sets {
		if m.v[p] == 0 {
			continue
		}
		i := int(p) - world.SetPlace(m.n, 0)
		if m.able[i].absent {
			continue
		}
		if k, err = m.received(state, k, i, int(p)); err != nil {
			return k, err
		}
	}
	return k, nil
}

// received takes the delivery of each message in the set and the bag of node i, which are at place p.
// The first delivery has the number k; received returns the number after the last.
func (m *Memo) received(state uint32, k, i, p int) (_ int, err error) {
	kind, node, set := ordinal(ordinalSet, i), m.v[i], m.v[p]
	if x := m.inboxes.get(i, node, set); x != nil && !m.isDear(i) {
		for j := range x.len() {
			m.ask(i)
			a := x.at(j)
			if k, err = m.happen(state, k, scatter(kind, p, a.what, int(a.from), a.bag), a.o); err != nil {
				return k, err
			}
		}
		return k, nil
	}
	x := m.inboxes.begin(i, node, set)
	for _, item := range m.x.Bank.Items(p, set) {
		e := scatter(kind, p, item.Message, item.From, item.Bag)
		if m.isDear(i) { // the inbox is not completed
			if k, err = m.happens(state, k, e); err != nil {
				return k, err
			}
			continue
		}
		m.ask(i)
		o, err := m.ofNode(state, k, e)
		if err != nil {
			return k, err
		}
		if o == nil { // not accepted: no event at all
			continue
		}
		x.add(e, o)
		if k, err = m.happen(state, k, e, o); err != nil {
			return k, err
		}
	}
	if !m.isDear(i) {
		x.ends()
	}
	return k, nil
}

// scatter returns the delivery of a message from node from, out of the set or bag at place p, as
// an occurrence with the ordinal kind.
func scatter(kind, p int, message uint32, from int, bag bool) occurrence {
	e := occurrence{ordinal: kind, what: message, from: from, pops: none}
	if bag {
		e.pops = p
	}
	return e
}

// happens takes event e, number k of a plain state, and returns k+1. If its node declines it, there is no such
// event, and happens returns k.
func (m *Memo) happens(state uint32, k int, e occurrence) (int, error) {
	i := nodeOf(e.ordinal)
	if m.isDear(i) {
		if !m.accepts(i, e) {
			return k, nil
		}
		if m.leaves(k) {
			return k + 1, nil
		}
		if m.partly && !m.takes(m.classInWorld(k), false) {
			return k + 1, nil
		}
		return k + 1, m.inWorld(state, k)
	}
	m.ask(i)
	o, err := m.ofNode(state, k, e)
	if err != nil || o == nil { // not accepted: no event at all
		return k, err
	}
	return m.happen(state, k, e, o)
}

// happen takes event e, number k of a plain state, whose footprint is o. It returns the number of events
// so far.
func (m *Memo) happen(state uint32, k int, e occurrence, o *footprint) (int, error) {
	if m.partly && !m.takes(int(o.class), false) {
		if m.dry && o.shows && m.kinds.Has(int(o.class)) {
			m.x.Reduction.show()
		}
		return k + 1, nil
	}
	return k + 1, m.step(state, k, e, o)
}

// leaves reports whether the function Taker.Leaves excludes event number k of the position's
// state.
func (m *Memo) leaves(k int) bool {
	if m.x.Leaves == nil {
		return false
	}
	m.stand()
	return m.x.Leaves(k)
}

// classInWorld returns the kind, as the reduction numbers kinds, of event number k of the position's
// state.
func (m *Memo) classInWorld(k int) stubborn.Class {
	m.stand()
	return m.x.Reduction.kinds(nil, m.x.World.Events.Look(k))[0]
}

// concerned reports whether any message is under way to or from node i.
func (m *Memo) concerned(i int) bool {
	n := m.n
	for _, p := range m.sets {
		for _, item := range m.x.Bank.Items(int(p), m.v[p]) {
			if item.Bag && (item.From == i || int(p) == world.SetPlace(n, i)) {
				return true
			}
		}
	}
	for j := range n {
		for _, p := range [4]int{world.TCPPlace(n, i*n+j), world.TCPPlace(n, j*n+i), world.UDPPlace(n, i*n+j), world.UDPPlace(n, j*n+i)} {
			if id := m.v[p]; id != 0 && m.queue(p, id).len > 0 {
				return true
			}
		}
	}
	return false
}

// step takes event e, number k of a plain state. Its footprint is o, which consists of the node's part
// alone.
func (m *Memo) step(state uint32, k int, e occurrence, o *footprint) error {
	if o.unknown || o.facts && m.sleep != nil {
		if m.sleep != nil && m.sleep.only != nil {
			return nil // such a step is never left out, so it was taken before
		}
		return m.elsewhere(state, k, e)
	}
	i := nodeOf(e.ordinal)
	if o.facts {
		if err := m.hears(state, k, i, e, o); err != nil {
			return err
		}
	}
	if o.shows && m.reduction != nil {
		m.reduction.show()
	}
	m.Parents[len(m.Parents)-1].act(i)
	before := m.size()
	naps := int32(0)
	if m.sleep != nil {
		if !m.awake(k, i, e, o) {
			return nil
		}
		naps = m.sleep.after(sleeperOf(e, o))
	}
	if m.commutes(e, o) {
		m.skip(k, i, o)
	} else {
		for j := range o.results {
			c := m.candidate(m.total, k, o.by)
			if c.naps = naps; !m.apply(c, &o.results[j], i) { // a channel is full, so the step may do something else
				m.cut(before)
				return m.elsewhere(state, k, e)
			}
		}
	}
	if m.sleep != nil {
		m.sleep.did(sleeperOf(e, o))
	}
	if m.asked++; m.asked%verifyEvery == 0 || m.able[i].twin && !o.twin.Load() {
		if err := m.verify(o, k, i, e); err != nil { // all channels have room, so the step must have the known result
			m.cut(before)
			return err
		}
	}
	return m.taken()
}

// taken is called after each event. If the taker is eager, it passes the states to which the event led to the
// visitor at once; otherwise they stay in the batch until that is full.
func (m *Memo) taken() error {
	if !m.x.eager {
		return nil
	}
	err := m.x.Visitor.LookUp(m)
	m.cut(batchSize{seen: len(m.seen)})
	return err
}

// apply changes candidate c, the state to which a step of node i leads, as result r of the step says. It
// returns false if a message that the step sends finds its channel full.
func (m *Memo) apply(c *candidate, r *result, i int) bool {
	b := m.x.Bank
	c.take(r)
	for k := range r.effects {
		e := &r.effects[k]
		switch e.does {
		case effectSet:
			m.set(e.place, e.id)
		case effectPop:
			m.pop(c, int(e.place))
		case effectTell:
			made, known := m.heard(e, m.v[e.place])
			if !known {
				panic("macemc bug: search: a monitor's memory after a step is not known, and hears has looked it up")
			}
			if made.To != m.v[e.place] {
				c.becomes(m.changing(c, e.place, m.v), made)
			}
		case effectTake:
			at := m.changing(c, e.place, m.v)
			c.becomes(at, b.Take(int(e.place), at.id, int(e.room), e.id))
		case effectPush, effectPut:
			at := m.changing(c, e.place, m.v)
			place := int(e.place)
			if e.room > 0 && m.queue(place, at.id).len >= e.room {
				return false
			}
			if e.does == effectPut {
				c.becomes(at, b.Put(place, at.id, i, e.id))
			} else {
				c.becomes(at, b.Push(place, at.id, i, e.id))
			}
		}
	}
	c.end(len(m.changes))
	return true
}

// pop removes the first message from the channel at a place. For TCP, it also marks both directions of
// the connection as open.
func (m *Memo) pop(c *candidate, place int) {
	b, n, id := m.x.Bank, m.n, m.v[place]
	to := b.Pop(place, id)
	c.replace(b.Sum(place, id), b.Sum(place, to))
	m.set(int32(place), to)
	if place >= world.UDPPlace(n, 0) || m.queues[place][id].open {
		return
	}
	if at := place - n; at%n != at/n {
		back := world.TCPPlace(n, at%n*n+at/n)
		id := m.v[back]
		to := b.Opened(back, id)
		c.replace(b.Sum(back, id), b.Sum(back, to))
		m.set(int32(back), to)
	}
}

// elsewhere takes event e, number k of a plain state, whose result depends on more than the node's
// part.
func (m *Memo) elsewhere(state uint32, k int, e occurrence) error {
	if m.noFootprints {
		return m.inWorld(state, k)
	}
	event, what := m.event(e)
	if event.Kind == sim.KindTimer { // only the world knows which timer of the node it is
		m.stand()
		return m.footstep(state, k)
	}
	return m.byParts(state, k, &event, what)
}

// event returns e as a sim.Event without a value, and the number that Memo.what returns for it.
func (m *Memo) event(e occurrence) (event sim.Event, what uint64) {
	i := nodeOf(e.ordinal)
	event.Node = state.AddrOf(i)
	own := uint64(e.what) - uint64(m.able[i].first) - 1 // the index among the events that the node has by itself
	switch e.ordinal / ordinalNodes {
	case ordinalScript:
		event.Kind = sim.KindScript
		return event, 0
	case ordinalOffer:
		event.Kind = sim.KindAction
		return event, own
	case ordinalTask:
		event.Kind = sim.KindTask
		return event, own - uint64(m.able[i].offers)
	case ordinalTimer:
		event.Kind = sim.KindTimer
		return event, 0
	case ordinalTCP:
		event.Link = sim.LinkTCP
	case ordinalUDP:
		event.Link = sim.LinkUDP
	default:
		if event.Link = sim.LinkSet; e.pops != none {
			event.Link = sim.LinkBag
		}
	}
	event.Kind, event.From = sim.KindMessage, state.AddrOf(e.from)
	return event, ofMessage(e.what, event.Link)
}

// stand loads the position's state into the world.
func (m *Memo) stand() {
	m.x.World.State.Load(m.x.Bank, m.v)
	m.x.World.Events.Count()
}

// inWorld takes event number k of a state in the world, and then loads the position's state again.
func (m *Memo) inWorld(state uint32, k int) error {
	if err := m.flush(state); err != nil {
		return err
	}
	m.stand()
	if err := m.x.takeEvent(state, k); err != nil {
		return err
	}
	m.stand()
	return nil
}

// footsteps takes the events of the position's state, beginning with number k. It looks their results
// up by their footprints, and lets the world list the events.
func (m *Memo) footsteps(state uint32, k int) error {
	if m.sleep != nil && m.sleep.only != nil {
		return nil // they were taken before
	}
	m.stand()
	for n := m.x.World.Events.Count(); k < n; k++ {
		if m.x.skips(k) {
			continue
		}
		if r := m.reduction; r != nil && r.aside != m.x.World.Events.Look(k).Kind.Fault() {
			r.turns(!r.aside)
			m.stands(state, &m.position)
		}
		if err := m.footstep(state, k); err != nil {
			return err
		}
	}
	return nil
}

// footstep takes event number k, and looks its result up by its footprint. The position's state
// must be loaded in the world.
func (m *Memo) footstep(state uint32, k int) error {
	e, slot := m.x.World.Events.Found(k)
	return m.byParts(state, k, &e, m.what(&e, slot, m.nth(&e, k)))
}

// byParts takes e, event number k of the position's state, and looks its result up by its footprint. The number
// that Memo.what returned for e is passed as what. The world may be in any state.
func (m *Memo) byParts(state uint32, k int, e *sim.Event, what uint64) error {
	if m.isDear(m.index(e.Node)) {
		return m.inWorld(state, k)
	}
	pieces, err := m.byFootprint(state, k, e, what)
	if err != nil {
		return err
	}
	if len(pieces) == 0 {
		return m.inWorld(state, k)
	}
	i, first := m.index(e.Node), pieces[0]
	if m.reduction != nil && m.visible(pieces, i) {
		m.reduction.show()
	}
	for j := range first.results {
		c := m.candidate(m.total, k, 0)
		for _, o := range pieces[1:] {
			m.apply(c, &o.results[0], i)
		}
		m.apply(c, &first.results[j], i)
	}
	return m.taken()
}

// visible reports whether a step of node i, with the footprints pieces, changed a monitor, or may have
// changed a value of the node on which a property depends (as sim.Takes declares).
func (m *Memo) visible(pieces []*standing, i int) bool {
	healed := int32(m.x.Bank.At().Healed())
	for _, o := range pieces {
		for _, p := range o.shape.places {
			if p >= healed {
				return true
			}
		}
		for _, r := range o.results {
			for _, e := range r.effects {
				if int(e.place) < m.n && (int(e.place) != i || m.reduction.differ(i, m.v[i], e.id)) {
					return true
				}
			}
		}
	}
	return false
}

// index returns the number of the node with address a, or none if a is zero.
func (m *Memo) index(a sim.Addr) int {
	if a.IsZero() {
		return none
	}
	return a.Index()
}
