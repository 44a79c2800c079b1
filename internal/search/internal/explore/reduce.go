package explore

import (
	"cmp"
	"reflect"
	"slices"

	"macemc/internal/canon"
	"macemc/internal/search/internal/stubborn"
	"macemc/internal/state"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

// A Reduction takes only the events of some kinds in a state, if these suffice: see package
// stubborn, which has the proof. This type supplies what the proof needs.
//
// The kind of an event is its node and what the node takes: the type of a signal, or the type of a
// message with its sender and its link. After each execution in the world, observe records which
// kinds of events it made pending, and whether it was barred or visible. A step that is looked up
// was executed before.
//
// A state is expanded in part only if all of this is true: the environment is calm; the only faults
// left are failures of nodes and losses of datagrams; each node is up or has failed; no connection has anything but
// messages; and none of these messages is to or from a node that failed. In other states all steps
// are taken. So other faults, their consequences, and healing are never put off: the steps that are
// put off touch nodes and messages only. A failure, a restart and a loss are events of their nodes. All
// steps of a state are taken, too, if one of the steps that would suffice is visible.
//
// Mend ends a level. It finds the states whose choice no longer agrees with the observations, and
// those that violate the proviso, and takes the steps of these states that were left out.
//
// The proviso is: if only some steps of a state were taken, one of them that is no fault leads to a
// state with a greater number. Numbers are finite, so from each state a path of steps that were
// taken ends at a state whose steps were all taken.
type Reduction struct {
	Stats  ReductionStats
	Lively bool // everything that liveness depends on is visible
	Waits  bool // all steps are taken and only observed: see Explorer.Again

	tried bool // it has waited before
	loses bool // datagrams may be lost: a budget for it was left at first

	facts   *stubborn.Facts
	classes map[kind]stubborn.Class
	parts   [][]*pending // by place and number of a part
	taken   [][]canon.Hash
	known   [][]bool // by node and part: taken has its value
	n       int
	at      state.Places
	v       world.Vector
	mixed   world.Vector // the state with one node replaced: see declared
	here    stubborn.Situation

	answers map[canon.Hash]*answer // by situation
	all     []*answer
	mended  int        // the version of the facts when all answers were last checked
	again   []omission // states whose choice is void

	part    []partial // states of this level that were expanded in part
	resting []resting
	now     int32 // index in part of the state that is being expanded, or none
	shows   bool  // a visible step of it was taken

	possible [][]stubborn.Class // the kinds of each event of the state that is loaded in the world
	fault    []bool             // by event: it is a fault
	aside    bool               // the steps that are being taken now are faults
	failures stubborn.Set       // the kinds of faults
	before   stubborn.Set       // the kinds that were pending for the running node before the step
	taking   canon.Hash         // the identity of the values that sim.Takes took from it before the step
	acting   []stubborn.Class   // the kinds of the event that is being taken
	emits    bool               // the last step is visible
	audits   int
	audited  []audited         // states that will be audited when the level ends
	whys     map[hindrance]int // how many states were expanded as a whole, by the reason

	// For tests: each of these leaves a part of the reduction out.
	NoVoid, NoProviso, NoVisible bool

	// Merge reports whether messages of a type in sets and bags are of one kind, whoever has sent
	// them. Tables use it to show the gain of kinds with senders. If Merge is nil, every kind has
	// its sender.
	Merge func(of reflect.Type) bool

	// Static makes a reduction consider all kinds of events, whether they are pending or not, like
	// a reduction that knows only the transitions in a program's text.
	Static bool
}

// ReductionStats counts what a reduction left out.
type ReductionStats struct {
	Parted  int // states that were expanded in part
	Voided  int // of these, those whose other steps were taken later because of a new observation
	Cycles  int // of these, those whose other steps were taken later because of the proviso
	Visible int // states whose steps were all taken, because a step that could stand for the others is visible
	Left    int // steps that were left out and not taken later
	Audited int // pairs of a left-out step and a taken step that were taken in both orders
}

func (s *ReductionStats) part(left int) { s.Parted, s.Left = s.Parted+1, s.Left+left }
func (s *ReductionStats) take(left int) { s.Left -= left }
func (s *ReductionStats) see(is bool)   { s.Visible += count(is) }
func (s *ReductionStats) void()         { s.Voided++ }
func (s *ReductionStats) cycle()        { s.Cycles++ }
func (s *ReductionStats) audit()        { s.Audited++ }

// kind identifies a kind of events: see Reduction.
type kind struct {
	node, from int
	kind       sim.Kind
	link       sim.Link
	of         reflect.Type
}

// pending describes a part for the reduction: which kinds of events may come of it.
type pending struct {
	classes stubborn.Set
	head    stubborn.Class // for a channel in order: the kind of its first message
	sum     canon.Hash
	calm    bool // a state with this part may be expanded in part
	away    bool // the part is a node that failed
}

// nothing describes an empty place.
var nothing = pending{head: none, calm: true}

// An answer has the choices in a situation, the best first. The choices after the first are
// computed only when the first turns out not to work in some state.
type answer struct {
	like    uint32 // a state in this situation
	version int    // the version of the facts that the choices agree with
	choices []*choice
	why     hindrance // why there are no choices, if there are none
	first   bool      // only the best choice was computed
}

// A choice says that in a situation the events of these kinds suffice. It begins the list of states
// that were expanded in part because of it.
type choice struct {
	kinds stubborn.Set
	first int32 // index in Reduction.resting of the list's first state, plus one; 0 means that there is none
	void  bool
}

// resting is a state that was expanded in part, as an element of the list that its choice begins.
type resting struct {
	state uint32
	next  int32 // index of the next state, as in choice.first
	left  int32 // number of steps that were left out
}

// partial is a state of this level that was expanded in part.
type partial struct {
	resting
	of     *choice // nil if all steps were taken
	goesOn bool    // one of the taken steps that is no fault leads to a state with a greater number
}

// audited is a state that will be audited, with its choice.
type audited struct {
	state uint32
	of    *choice
}

// An omission is a state whose left-out steps must be taken, and the kinds of events that were
// taken.
type omission struct {
	state uint32
	taken stubborn.Set
	left  int32
}

// A parter takes the steps of state s that are of some kinds if of is set, or else those that are
// not. It returns the number of steps that it took, without faults, and of those that it left out.
type parter interface {
	some(s uint32, kinds stubborn.Set, of bool) (taken, left int, err error)
}

// Reduce makes the explorer take the events of some kinds only, in states where these suffice. It
// must be called before the first state is expanded. If waits is set, all steps are taken, and the
// reduction only observes what they do.
func (x *Explorer) Reduce(waits bool) *Reduction {
	x.World.State.Watch()
	r := newReduction(x.World.Params().Nodes, x.Bank.At(), waits)
	for s := range x.Each {
		x.Get(s, x.To)
		r.lets(x.To)
	}
	x.reduces(r)
	if m := x.Memo(); m != nil {
		m.reduces(r)
	}
	return r
}

// Again returns an explorer that begins the exploration anew, with only the start states. It leaves
// out steps by the reduction of x, which has only observed so far. It shares the world, the parts
// and the memo's results with x, which must not be used before TakesBack.
func (x *Explorer) Again() (*Explorer, error) {
	l, err := x.Owner.NewLedger(len(x.From), nil)
	if err != nil {
		return nil, err
	}
	t, r := x.anew(l), x.Reduction.goes()
	y := &Explorer{Taker: t, Stepper: InWorld{Taker: t}, Inside: true, judged: x.judged, pairs: x.pairs, sides: x.sides}
	t.Visits(y)
	x.reduces(nil)
	y.reduces(r)
	if of := x.Memo(); of != nil {
		m := NewMemo(t)
		m.LearnFrom(of)
		m.reduces(r)
		y.Stepper = m
	}
	for s := range x.Each {
		if x.Origin(s).Parent == NoParent {
			y.repeats(x, s)
		}
	}
	return y, nil
}

// anew returns a taker that shares t's world, and writes into ledger l.
func (t *Taker) anew(l *Ledger) *Taker {
	o := &Taker{
		Owner: t.Owner, World: t.World, Climate: t.Climate, Bank: t.Bank, Lists: t.Lists, Begin: t.Begin, Entry: l.Entry(),
		From: make(world.Vector, len(t.From)), To: make(world.Vector, len(t.To)),
	}
	o.Step = answerer{Pulse: &t.Owner.Pulse, of: o, Halt: t.Owner.Halt}
	return o
}

// repeats adds a start state of another explorer.
func (x *Explorer) repeats(of *Explorer, s uint32) {
	of.Get(s, x.To)
	x.Pack(x.To)
	x.Add(x.Sum(x.To), of.Origin(s))
	x.Told()
	if of.Live(s) {
		x.Block(x.Next - 1).Live.Set(x.Next - 1)
	}
	if of.Outside(s) {
		x.leave(x.Next - 1)
	}
}

// TakesBack makes x usable again, after Again has returned y.
func (x *Explorer) TakesBack(y *Explorer) {
	if m := x.Memo(); m != nil {
		m.takesBack(y.Memo())
	}
}

// goes makes a waiting reduction leave steps out.
func (r *Reduction) goes() *Reduction {
	r.Waits, r.tried = false, true
	clear(r.whys)
	return r
}

func newReduction(n int, at state.Places, waits bool) *Reduction {
	return &Reduction{
		n: n, at: at, Waits: waits, v: make(world.Vector, at.Len()), mixed: make(world.Vector, at.Len()), facts: &stubborn.Facts{},
		classes: map[kind]stubborn.Class{}, parts: make([][]*pending, at.Len()), answers: map[canon.Hash]*answer{},
		taken: make([][]canon.Hash, n), known: make([][]bool, n), now: none, whys: map[hindrance]int{},
	}
}

// lets records that a first state may lose datagrams.
func (r *Reduction) lets(first world.Vector) {
	r.loses = r.loses || first[r.at.Budget(sim.KindLose.Budget())] != 0
}

// Hides reports whether the visited states do not decide liveness, because of the steps left out.
func (r *Reduction) Hides(faults bool) bool { return r != nil && !r.Waits && (faults || !r.Lively) }

// Gathers reports whether a node of the start states offers actions that depend on the messages in
// its set. The pending events of such a node do not follow from its own part.
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
	if m := x.Memo(); r == nil || m != nil && !m.allDear() {
		return x.Stepper.Expand(s)
	}
	x.load(s)
	if !r.Waits {
		situation, why := r.like(x.Bank, x.From)
		if why == "" {
			return r.expand(x.Taker, x.Bank, s, x.From, situation)
		}
		r.hinders(hindrance{why: why})
	}
	return x.Rest(s, 0)
}

// expand takes the steps that suffice in a state in which some may. It takes all steps if no choice
// works.
func (r *Reduction) expand(by parter, b *world.Bank, s uint32, v world.Vector, situation canon.Hash) error {
	a := r.answer(b, s, v, situation)
	for k := 0; r.has(a, k, b, v); k++ {
		c := a.choices[k]
		taken, left, err := r.begins(s, c).take(by)
		switch {
		case err != nil:
			return err
		case taken > 0 && left > 0 && (!r.shows || r.NoVisible):
			r.leaves(left)
			return nil
		}
		r.whole()
		if taken > 0 {
			r.Stats.see(left > 0)
			r.hinders(r.seen(c, left))
			_, _, err = by.some(s, c.kinds, false)
			return err
		}
	}
	r.hinders(a.why)
	_, _, err := by.some(s, nil, false)
	return err
}

// Weigh counts the steps of a state that a waiting reduction would take, and those that it would
// leave out.
func (x *Explorer) Weigh(s uint32) (taken, left int, err error) {
	r := x.Reduction
	var by parter = x.Taker
	v := x.From
	if m := x.Memo(); m != nil && !m.allDear() {
		m.goes(s)
		by, v = m, m.v
		defer m.batch.empty()
	} else {
		x.load(s)
	}
	situation, why := r.like(x.Bank, v)
	if why != "" {
		r.hinders(hindrance{why: why})
		return by.some(s, nil, false)
	}
	r.hides()
	a := r.answer(x.Bank, s, v, situation)
	for k := 0; r.has(a, k, x.Bank, v); k++ {
		switch taken, left, err = by.some(s, a.choices[k].kinds, true); {
		case err != nil || taken > 0 && !r.shows:
			return taken, left, err
		case taken > 0:
			r.hinders(r.seen(a.choices[k], left))
			return taken + left, 0, nil
		}
	}
	r.hinders(a.why)
	return by.some(s, nil, false)
}

// Forgoes removes a waiting reduction.
func (x *Explorer) Forgoes() { x.reduces(nil) }

// begins records that state s is now expanded in part, by choice c.
func (r *Reduction) begins(s uint32, c *choice) *partial {
	r.hides()
	r.turns(false)
	r.now = int32(len(r.part))
	r.part = append(r.part, partial{resting: resting{state: s}, of: c})
	return &r.part[r.now]
}

// take takes the steps of the choice.
func (p *partial) take(by parter) (taken, left int, err error) {
	return by.some(p.state, p.of.kinds, true)
}

// leaves ends the expansion in part of a state, of which this number of steps was left out.
func (r *Reduction) leaves(left int) {
	r.part[r.now].leaves(left)
	r.Stats.part(left)
	r.now = none
}

// whole records that all steps of the state being expanded will be taken after all.
func (r *Reduction) whole() {
	r.part[r.now].whole()
	r.now = none
}

// some takes a selection of the steps of the state that is loaded in the world. It implements
// parter.
func (t *Taker) some(s uint32, kinds stubborn.Set, of bool) (taken, left int, err error) {
	taken, left = t.Reduction.only(t, kinds, of)
	defer t.takesOnly(nil)
	if t.Reduction.Waits {
		return taken, left, nil
	}
	return taken, left, t.takeFrom(s, 0)
}

// only makes the taker select the events of the world's state that are of some kinds, if of is set,
// or else those that are not. It returns the number of selected events that are no faults, and of
// all other events.
func (r *Reduction) only(t *Taker, kinds stubborn.Set, of bool) (taken, left int) {
	r.events(t.World)
	only := stubborn.Set{0} // an empty one is no nil
	for k, all := range r.possible {
		if slices.ContainsFunc(all, kinds.Has) != of {
			left++
			continue
		}
		if only.Add(k); !r.fault[k] { // one that stays possible whatever the others do
			taken++
		}
	}
	t.takesOnly(only)
	return taken, left
}

// Mend ends a level: it takes the steps of states that were left out wrongly.
func (x *Explorer) Mend() error {
	if x.Sleeping() != nil {
		return x.Memo().wakes()
	}
	for r := x.Reduction; r != nil && !r.Waits; {
		again := r.vain(x.Bank, x.Ledger)
		if len(again) == 0 {
			before := r.facts.Version()
			if err := r.checks(x); err != nil || r.facts.Version() == before {
				return err
			}
		}
		for _, a := range again {
			r.Stats.take(int(a.left))
			if err := x.others(a.state, a.taken); err != nil {
				return err
			}
		}
		if err := x.Settle(); err != nil {
			return err
		}
	}
	return nil
}

// others takes the steps of state s whose kinds were not taken.
func (x *Explorer) others(s uint32, taken stubborn.Set) (err error) {
	if m := x.Memo(); m != nil && !m.allDear() {
		return m.others(s, taken)
	}
	x.load(s)
	_, _, err = x.some(s, taken, false)
	return err
}

// vain returns the states of which steps were left out wrongly, and begins the list of the next
// level.
func (r *Reduction) vain(b *world.Bank, l *Ledger) (again []omission) {
	for k := range r.part {
		p := &r.part[k]
		switch {
		case p.of == nil:
		case p.of.void:
			r.voided(p.resting, p.of.kinds)
		case !p.goesOn && !r.NoProviso:
			r.Stats.cycle()
			r.hinders(hindrance{why: whyProviso})
			r.again = append(r.again, omission{p.state, p.of.kinds, p.left})
		default:
			r.rests(p)
		}
	}
	r.part = r.part[:0]
	r.voids(b, l)
	again, r.again = r.again, nil
	return again
}

// rests adds a state to the list of its choice. A sample of these states will be audited.
func (r *Reduction) rests(p *partial) {
	if r.audits++; r.audits%reduceAudit == 1 && (r.audits < reduceFirst || r.audits%reduceLater == 1) {
		r.audited = append(r.audited, audited{p.state, p.of})
	}
	r.resting = append(r.resting, resting{p.state, p.of.first, p.left})
	p.of.heads(len(r.resting))
}

// heads sets the first state of the choice's list.
func (c *choice) heads(first int) { c.first = int32(first) }

// voids checks the choices that states were expanded by, if there are new facts, and makes void
// those that no longer agree with the facts.
func (r *Reduction) voids(b *world.Bank, l *Ledger) {
	now := r.facts.Version()
	if now == r.mended || r.NoVoid {
		return
	}
	r.mended = now
	for _, a := range r.all {
		if a.version != now && slices.ContainsFunc(a.choices, func(c *choice) bool { return c.first != 0 }) {
			l.Get(a.like, r.v)
			r.renew(a, r.situation(b, r.v))
		}
	}
}

// renew makes those choices of an answer void that no longer agree with the facts. If there are
// any, it computes new ones.
func (r *Reduction) renew(a *answer, s *stubborn.Situation) {
	kept := a.choices[:0]
	for _, c := range a.choices {
		if r.facts.Suffices(s, c.kinds) || r.NoVoid && c.first != 0 {
			kept = append(kept, c)
			continue
		}
		r.avoid(c)
	}
	if a.agrees(r.facts.Version()); len(kept) < len(a.choices) {
		a.looks(r, s, kept, true)
	}
}

// agrees records that the choices agree with this version of the facts.
func (a *answer) agrees(version int) { a.version = version }

// looks computes choices in addition to the known ones. These may be older than the facts, so the version
// stays as it is.
func (a *answer) looks(r *Reduction, s *stubborn.Situation, known []*choice, first bool) {
	a.choices, a.first, a.why = r.choices(s, known, first)
}

// has reports whether an answer has a k-th choice, and computes the later choices if that was not
// done yet.
func (r *Reduction) has(a *answer, k int, b *world.Bank, v world.Vector) bool {
	if k == 1 && a.first {
		a.looks(r, r.situation(b, v), a.choices, false)
	}
	return k < len(a.choices)
}

// avoid makes a choice void, and lists the states that were expanded by it as omissions.
func (r *Reduction) avoid(c *choice) {
	at := c.voids()
	for at != 0 {
		of := r.resting[at-1]
		r.voided(of, c.kinds)
		at = of.next
	}
}

// voided lists as an omission a state that was expanded by a choice of these kinds.
func (r *Reduction) voided(of resting, kinds stubborn.Set) {
	r.Stats.void()
	r.again = append(r.again, omission{of.state, kinds, of.left})
}

// voids marks the choice as void, and returns the beginning of its list of states.
func (c *choice) voids() (first int32) {
	first, c.first, c.void = c.first, 0, true
	return first
}

// checks audits the sample of states that were expanded in part, except those whose choice is void.
func (r *Reduction) checks(x *Explorer) error {
	all := r.audited
	r.audited = all[:0]
	for _, a := range all {
		if a.of.void || r.NoVoid {
			continue
		}
		x.Get(a.state, r.v)
		if err := r.declared(x); err != nil {
			return err
		}
		x.World.State.Load(x.Bank, r.v)
		r.events(x.World)
		if err := r.audit(x, a.state, a.of.kinds); err != nil {
			return err
		}
	}
	return nil
}

// like returns the identity of a state's situation, and the reason why the state may not be expanded
// in part, or "".
func (r *Reduction) like(b *world.Bank, v world.Vector) (sum canon.Hash, why string) {
	if sum, why = r.weather(b, v); why != "" {
		return sum, why
	}
	away := false
	for place, id := range v[:r.at.Rest()] {
		if id != 0 {
			of := r.pending(b, place, id)
			if !of.calm {
				return sum, whyUnsettled
			}
			sum, away = sum.Add(of.sum), away || of.away
		}
	}
	if away && !r.apart(b, v) {
		return sum, whyFailed
	}
	return sum, ""
}

// failing are the faults by which a node fails.
var failing = [...]sim.Kind{sim.KindCrash, sim.KindDown, sim.KindWipe}

// spendable are the faults of which a budget may be left where a state is expanded in part.
var spendable = append(failing[:], sim.KindLose)

// weather returns the environment's share of a situation's identity, and the reason why the
// environment does not let a state be expanded in part, or "": if any budget is left, it must be for failures of nodes or losses.
func (r *Reduction) weather(b *world.Bank, v world.Vector) (sum canon.Hash, why string) {
	switch calm, faults := b.Calm(v); {
	case !calm:
		return sum, whyForced
	case !faults:
		return sum, ""
	}
	left := 0
	for _, id := range v[r.at.Rest():r.at.Cut()] {
		left += count(id != 0)
	}
	for _, kind := range spendable {
		if v[r.at.Budget(kind.Budget())] != 0 {
			sum, left = sum.Then(canon.Hash{Hi: uint64(kind), Lo: 1}), left-1
		}
	}
	if left > 0 {
		return sum, whyBudget
	}
	return sum, ""
}

// apart reports whether all connections with failed nodes are closed, and no datagram is under way
// to one.
func (r *Reduction) apart(b *world.Bank, v world.Vector) bool {
	for place := r.at.TCP(0); place < r.at.Set(0); place++ {
		sort, channel := r.at.At(place)
		to, from := channel/r.n, channel%r.n
		if v[place] != 0 && (r.pending(b, to, v[to]).away || sort == state.TCP && r.pending(b, from, v[from]).away) {
			return false
		}
	}
	return true
}

// answer returns the choices in the situation of state s.
func (r *Reduction) answer(b *world.Bank, s uint32, v world.Vector, situation canon.Hash) *answer {
	a := r.answers[situation]
	switch {
	case a == nil:
		of := r.situation(b, v)
		a = &answer{like: s, version: r.facts.Version()}
		a.looks(r, of, nil, true)
		r.answers[situation] = a
		r.all = append(r.all, a)
	case a.version != r.facts.Version():
		r.renew(a, r.situation(b, v))
	}
	return a
}

// choices returns the known choices and new ones. Each is a set of kinds that suffices in the
// situation. They are sorted by the number of kinds, and those that were observed to be visible
// come last. If first is set, it stops when it has a choice that cannot be improved, and reports
// whether it did; otherwise the first known choice stays first. If there are none, it returns the reason.
func (r *Reduction) choices(s *stubborn.Situation, known []*choice, first bool) (_ []*choice, ends bool, why hindrance) {
	size := s.Pending.Len()
	why.why = whyDepends
	rank := func(c *choice) int {
		return c.kinds.Len() - c.kinds.Common(r.failures) + size*count(r.facts.Visible(c.kinds))
	}
	ends = first && slices.ContainsFunc(known, func(c *choice) bool { return rank(c) == 1 })
	for c := range s.Pending.Each {
		if ends {
			break
		}
		if slices.ContainsFunc(known, func(o *choice) bool { return o.kinds.Has(c) }) {
			continue
		}
		switch p, is := r.facts.Least(s, c); {
		case !is:
			why = hindrance{whyBarred, r.facts.Ended()}
		case p.Len() < size:
			of := &choice{kinds: p}
			known, ends = append(known, of), first && rank(of) == 1
		case size == 1:
			why.why = whyAlone
		}
	}
	slices.SortStableFunc(known[count(!first):], func(a, b *choice) int { return cmp.Compare(rank(a), rank(b)) })
	return known, ends, why
}

// events sets r.possible and r.fault for the events of the world's state.
func (r *Reduction) events(w *world.World) {
	n := w.Events.Count()
	r.possible, r.fault = slices.Grow(r.possible[:0], n)[:n], r.fault[:0]
	for k := range r.possible {
		e := w.Events.Look(k)
		r.possible[k], r.fault = r.kinds(r.possible[k][:0], e), append(r.fault, e.Kind.Fault())
	}
}

// situation returns the situation of a state: the pending kinds of its events. The result is valid
// until the next call.
func (r *Reduction) situation(b *world.Bank, v world.Vector) *stubborn.Situation {
	s := r.here.Empty()
	for place, id := range v[:r.at.Rest()] {
		if id == 0 {
			continue
		}
		of := r.pending(b, place, id)
		if s.Has(place, of.classes, of.head); of.away {
			s.Fails(place)
		}
	}
	if r.Static {
		for _, c := range r.classes {
			s.Pending.Add(c)
		}
	}
	for _, kind := range failing {
		if v[r.at.Budget(kind.Budget())] != 0 {
			for i := range r.n {
				s.Pending.Add(r.fails(i, kind))
				s.Fails(i)
			}
		}
	}
	if v[r.at.Budget(sim.KindLose.Budget())] != 0 {
		for c := range r.n * r.n {
			if v[r.at.UDP(c)] != 0 {
				s.Pending.Add(r.losing(c/r.n, c%r.n))
			}
		}
	}
	return s
}

// pending describes the part with number id at a place.
func (r *Reduction) pending(b *world.Bank, place int, id uint32) *pending {
	if id == 0 {
		return &nothing
	}
	for int(id) >= len(r.parts[place]) {
		r.parts[place] = append(r.parts[place], nil)
	}
	if of := r.parts[place][id]; of != nil {
		return of
	}
	sort, at := r.at.At(place)
	node, calm, away := at, true, false
	var classes stubborn.Set
	switch sort {
	case state.Node:
		l := b.Local(place, id)
		calm, away = l.Up || l.Absent, l.Absent
		if l.Up && !l.Plain {
			r.facts.Whole(at)
		}
		if away && !l.Gone {
			classes.Add(r.restart(at))
		}
	case state.TCP, state.UDP:
		calm = b.Queue(place, id).Plain
		node = at / r.n
	}
	head := -1
	b.Awaits(place, id, func(k sim.Kind, link sim.Link, from int, value any) {
		c := r.class(kind{node, from, k, link, reflect.TypeOf(value)})
		if classes.Add(c); head < 0 && (sort == state.TCP || sort == state.UDP) {
			head = c
		}
	})
	sum := canon.Hash{Hi: uint64(head+1)<<1 | uint64(count(away)), Lo: uint64(place + 1)}
	for c := range classes.Each {
		sum = sum.Then(canon.Hash{Hi: uint64(c) + 1, Lo: uint64(place)})
	}
	of := &pending{classes, head, sum, calm, away}
	r.parts[place][id] = of
	return of
}

// restart returns the kind of the event by which node i starts again. All events of the node depend
// on it.
func (r *Reduction) restart(i int) stubborn.Class {
	c := r.class(kind{node: i, from: i, kind: sim.KindRestart})
	r.facts.Changes([]stubborn.Class{c})
	return c
}

// fails returns the kind of the event by which node i fails.
func (r *Reduction) fails(i int, by sim.Kind) stubborn.Class {
	c := r.class(kind{node: i, from: i, kind: by})
	r.failures.Add(c)
	r.facts.Changes([]stubborn.Class{c})
	return c
}

// losing returns the number of the kind of event by which a node loses a datagram of another one.
func (r *Reduction) losing(i, from int) stubborn.Class {
	c := r.class(kind{node: i, from: from, kind: sim.KindLose})
	r.failures.Add(c)
	r.facts.Changes([]stubborn.Class{c})
	return c
}

// class returns the number of a kind of event.
func (r *Reduction) class(k kind) stubborn.Class {
	if r.Merge != nil && k.kind == sim.KindMessage && (k.link == sim.LinkSet || k.link == sim.LinkBag) && r.Merge(k.of) {
		k.from = none
	}
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

// leads records that a step of the k-th partial state leads to state to.
func (r *Reduction) leads(k int32, to uint32) {
	if p := &r.part[k]; to > p.state {
		p.goes()
	}
}

func (p *partial) leaves(left int) { p.left = int32(left) }
func (p *partial) whole()          { p.of = nil }

// goes records that a step of a state leads to one with a greater number.
func (p *partial) goes() { p.goesOn = true }

// asks reports whether the proviso still depends on where the steps of the k-th partial state lead.
func (r *Reduction) asks(k int32) bool { return k != none && !r.part[k].goesOn }

// differ reports whether sim.Takes may take other values from part is of node i than from part was.
func (r *Reduction) differ(i int, was, is uint32) bool {
	known := func(id uint32) bool { return int(id) < len(r.known[i]) && r.known[i][id] }
	return was != is && (!known(was) || !known(is) || r.taken[i][was] != r.taken[i][is])
}

// turns records whether the steps taken from now on are faults.
func (r *Reduction) turns(faults bool) { r.aside = faults }

// show records that a visible step of the state being expanded was taken.
func (r *Reduction) show() { r.shows = true }

// hides records that no visible step of the state being expanded was taken yet.
func (r *Reduction) hides() { r.shows = false }

// kinds appends the kinds of an event to a list.
func (r *Reduction) kinds(list []stubborn.Class, e *sim.Event) []stubborn.Class {
	i := e.Node.Index()
	if i < 0 {
		return list
	}
	switch e.Kind {
	case sim.KindScript, sim.KindAction, sim.KindTask, sim.KindTimer:
		list = append(list, r.class(kind{i, i, e.Kind, 0, reflect.TypeOf(e.Value)}))
	case sim.KindRestart:
		list = append(list, r.restart(i))
	case sim.KindCrash, sim.KindDown, sim.KindWipe:
		list = append(list, r.fails(i, e.Kind))
	case sim.KindLose:
		list = append(list, r.losing(i, e.From.Index()))
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

// kind returns the kind of an event that takes no message, or none if the event has no kind.
func (r *Reduction) kind(e *sim.Event) stubborn.Class {
	if r != nil {
		for _, c := range r.kinds(nil, e) {
			return c
		}
	}
	return none
}

// begin records the state of the event's node before the world takes the event.
func (r *Reduction) begin(t *Taker, event int) {
	t.World.Events.Count() // a step may have been taken and taken back
	e := t.World.Events.Look(event)
	i := e.Node.Index()
	r.before, r.emits = nil, false
	r.turns(e.Kind.Fault())
	if r.acting = r.kinds(r.acting[:0], e); len(r.acting) > 0 {
		r.before = r.awaiting(t, i, t.From[i])
		r.taking = r.takes(t, i, t.From[i])
	}
}

// awaiting returns the kinds of events that node i has pending by itself.
func (r *Reduction) awaiting(t *Taker, i int, id uint32) stubborn.Set {
	return r.pending(t.Bank, i, id).classes
}

// takes returns the identity of the values that sim.Takes takes from node i of the world's state,
// whose part is id.
func (r *Reduction) takes(t *Taker, i int, id uint32) canon.Hash {
	for int(id) >= len(r.taken[i]) {
		r.taken[i], r.known[i] = append(r.taken[i], canon.Hash{}), append(r.known[i], false)
	}
	if !r.known[i][id] {
		r.taken[i][id], r.known[i][id] = t.World.Judge.Taken(i), true
	}
	return r.taken[i][id]
}

// observe records as facts what the step just taken in the world did.
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
			if r.loses && f.Link == sim.LinkUDP {
				r.facts.Brings(r.acting, r.losing(to, i))
			}
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
	if !e.Kind.Fault() && !t.Bank.Local(i, id).Up {
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
		if why&state.Asked != 0 && place != i && !r.fell(t, &e, place) {
			r.facts.Bar(r.acting)
		}
	}
	for place := range touched.Written() {
		if !r.fell(t, &e, place) {
			r.wrote(i, place, touched.Why(place))
		}
	}
}

// fell reports whether a changed part of a fault needs no fact of its own, since every failure of a
// node changes it: the budget or the set of paused nodes. If the part is a TCP connection that was
// or is open, fell bars the fault.
func (r *Reduction) fell(t *Taker, e *sim.Event, place int) bool {
	if !e.Kind.Fault() {
		return false
	}
	if sort, _ := r.at.At(place); sort == state.TCP && (t.From[place] != 0 || t.World.State.At()[place] != 0) {
		r.facts.Bar(r.acting)
	}
	return place == r.at.Budget(e.Kind.Budget()) || place == r.at.Pauses()
}

// wrote records that a step of node i changed the part at a place.
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

// shown records that the step just taken is visible.
func (r *Reduction) shown() {
	r.facts.See(r.acting)
	r.emits = true
}
