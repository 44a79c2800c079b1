package search

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/search/internal/explore"
	"macemc/internal/search/internal/hot"
	"macemc/internal/search/internal/run"
	"macemc/internal/search/internal/walk"
	"macemc/internal/world"
	"macemc/trace"
)

// Lasso describes a run on which a property made by sim.Cools stays hot for ever: its last steps
// are repeated without end.
type Lasso struct {
	Since   int      // after this many steps, the property is hot in every state
	From    int      // the run repeats the steps after this number of steps for ever; if that is all steps, nothing needs to happen any more
	abrupt  bool     // the property was hot before that state, too, but was cold for a moment during the step
	Untaken []string // events that are possible in some states of the cycle, and that no step of the cycle takes
}

// cooled decides about the properties made by sim.Cools, and combines the result with others, the
// outcome for those made by sim.Eventually.
func (r *runner) cooled(x *explore.Explorer, safety State, others outcome) (outcome, error) {
	if len(r.World.Judge.Cools()) == 0 {
		return others, nil
	}
	out, err := r.cools(x, safety)
	if r.World.Judge.CanBeLive() && others.liveness.State != safety {
		out.liveness = Liveness{}
	}
	return out, err
}

// cools decides exactly about the properties made by sim.Cools, if x has visited every state.
func (r *runner) cools(x *explore.Explorer, safety State) (out outcome, err error) {
	if x.Prints != nil || x.OnDisk() {
		return out, nil
	}
	r.gauge.begin(PhaseLiveness, 0, 0)
	deep := map[uint32]int{}
	g, err := hot.New(&r.owner, x, func(s uint32) int {
		n, known := deep[s]
		if !known {
			n = r.prefix.base() + x.Away(s)
			deep[s] = n
		}
		return n
	})
	if err != nil {
		return out, err
	}
	defer g.Close()
	bad, err := r.owner.Guarded(g.Taker, func() error { return g.Gather(x, nil, !x.Climate.Faults) })
	r.add(Stats{Settled: g.Kept()})
	switch {
	case err == explore.ErrHalt:
		return stopped(r.Why()), nil
	case err == explore.ErrFull, bad != nil: // not decided: walks will take samples
		return out, nil
	case err != nil:
		return out, err
	}
	for k := range r.World.Judge.Cools() {
		l := g.Find(k)
		if l == nil {
			continue
		}
		at := r.prefix.base() + x.Away(l.Root)
		f, err := r.hand.loops(g, l, x.Path(l.Root), x.Climate, at)
		if err != nil {
			return out, err
		}
		if f.Lasso != nil {
			var states []uint32
			for s := l.Root; s != explore.NoParent; s = x.Origin(s).Parent {
				states = append([]uint32{s}, states...)
			}
			f.turns(at, len(states)-1, g.Whole, func(k int) bool { return g.Ever(x, l, states[k]) })
			f.onWhole(g.Whole)
		}
		if enough, err := r.note(f); enough || err != nil {
			return stopped(StopFound), err
		}
	}
	if g.Whole && !x.Sampled {
		out.liveness = Liveness{State: safety}
	}
	return out, nil
}

// loops makes a finding of a run that stays hot for ever. The run takes the given answers; after
// step number at, the environment heals, and from there the run follows l, a run in the graph g.
func (h *hand) loops(g *hot.Space, l *hot.Looped, answers run.Answers, c run.Climate, at int) (*Finding, error) {
	c, heals := c.HealedBy(at)
	if heals {
		answers = answers.Then(run.Taken{})
	}
	before := answers.Then(l.Way...)
	whole := before.Then(l.Cycle...)
	f, err := h.confirm(&whole, c, &trace.Failure{
		Verdict: trace.VerdictHot, Property: g.World.Judge.Cools()[l.Property], Step: whole.Length(), Repeats: before.Length(),
	})
	if err != nil || f.Verdict != trace.VerdictHot {
		return f, err
	}
	f.lacks(l.Untaken)
	if l.Cold == nil {
		return f, nil
	}
	cools := before.Then(l.Cold...)
	cold, err := h.record(&cools, c, cools.Length())
	if err != nil {
		return nil, err
	}
	f.nearest(cold, before.Length())
	return f, nil
}

// lacks records that the run is proved to stay hot for ever, and the events that no step of its
// cycle takes although they are possible in some of its states.
func (f *Finding) lacks(untaken []string) {
	f.Proved, f.Lasso.Untaken = true, untaken
	f.says(untaken)
}

// nearest records cold as the nearest run that recovers. It is equal to the run of f for from
// steps, then leaves the cycle, and becomes cold.
func (f *Finding) nearest(cold *Finding, from int) {
	f.Live = &Live{Path: cold.Path, Trace: cold.Trace, From: from}
}

// onWhole records whether the finding was made on a graph of all states of the system.
func (f *Finding) onWhole(whole bool) { f.whole = whole }

// loops records in f what by has found out: which steps the run repeats for ever, and the message
// about it.
func (f *Finding) loops(by *looping) { f.Lasso, f.Message = by.lasso(f.Step) }

// says adds to the message the events that are possible in some states of the cycle but never
// taken.
func (f *Finding) says(untaken []string) {
	if len(untaken) > 0 {
		const few = 3
		text := strings.Join(untaken[:min(few, len(untaken))], ", ")
		if more := len(untaken) - few; more > 0 {
			text += fmt.Sprintf(", and %d more", more)
		}
		f.AddMessage("possible meanwhile, but not all the time, and never taken: " + text)
	}
}

// turns finds the critical step: before it, every fair run of a healed environment becomes cold;
// after it, some fair run stays hot. In the run of f, the environment heals after step at. The
// function ever says what would be possible if it healed earlier: ever(k), for k from 0 to last,
// reports whether a fair run can stay hot for ever after healing in state number at-last+k.
func (f *Finding) turns(at, last int, exact bool, ever func(k int) bool) {
	critical := f.Lasso.Since
	if critical <= at {
		critical = at - last
		for k := last; k >= 0; k-- {
			if !ever(k) {
				critical = at - last + k + 1
				break
			}
		}
	}
	f.Turned(critical, exact && !(critical == f.Lasso.Since && f.Lasso.abrupt))
}

// Turned records the critical step of a run in which a monitor stays hot for ever (see sim.Cools). With exact, it was
// proved by visiting states, and otherwise it was found by walks.
func (f *Finding) Turned(critical int, exact bool) {
	f.Critical = &Critical{Step: critical, Exact: exact}
	if critical > 0 {
		f.Critical.Event = f.Path.Steps[critical-1].Event.What
	}
	f.Path.Set("critical", f.Critical.Header())
}

// Whole reports whether the finding was made on a graph of all states of the system.
func (f *Finding) Whole() bool { return f.whole }

// looping watches a run whose last steps should be repeated for ever, and finds out whether the run
// is then fair and stays hot.
type looping struct {
	name     string
	from     int
	property int // index among the properties made by Cools; -1 means not known yet
	unknown  bool

	at       canon.Hash // the identity of the state after step from
	same     bool       // the present state has this identity
	cold     bool       // a state after step from is cold
	since    int        // all states from this one on are hot
	abrupt   bool       // the step to that state began in a hot state and was cold for a moment
	steps    int
	always   map[string]bool // the actions that were possible in every state after step from
	must     bool            // some action is possible in the present state
	taken    map[string]bool
	given    map[int]map[int]bool // by marked choice: the answers that it got
	of       map[int]int          // by marked choice: the number of its alternatives
	awaits   string
	unhealed bool // the run could have healed before step from and did not
}

func newLooping(f *trace.Failure, c run.Climate) *looping {
	return &looping{
		name: f.Property, from: f.Repeats, property: -1, taken: map[string]bool{}, given: map[int]map[int]bool{}, of: map[int]int{},
		unhealed: c.Faults && (c.Heal < 0 || c.Heal >= f.Repeats),
	}
}

// see notes whether the property is hot in the present state of w, and which events are possible
// in it. It must be called in each state of the run, in order.
func (l *looping) see(w *world.World) {
	if l.property < 0 {
		if l.property = slices.Index(w.Judge.Cools(), l.name); l.property < 0 {
			l.unknown = true
			return
		}
	}
	depth := w.Run.Steps()
	hot, cooled := w.Judge.Hot(l.property), w.Run.Cooled(l.property)
	switch {
	case !hot:
		l.since, l.abrupt = depth+1, false
	case cooled:
		l.since, l.abrupt = depth, true
	}
	if depth < l.from {
		return
	}
	l.cold = l.cold || !hot || cooled && depth > l.from
	possible := map[string]bool{}
	for k := range w.Events.Count() {
		if name, must := w.Events.Action(k); must {
			possible[name] = true
		}
	}
	if l.always == nil {
		l.always = possible
	}
	for name := range l.always {
		if !possible[name] {
			delete(l.always, name)
		}
	}
	l.must, l.awaits = len(possible) > 0, w.Judge.Awaits(l.property)
	h := w.State.Hash()
	if depth == l.from {
		l.at = h
		return
	}
	l.same = h == l.at
	l.steps++
	if name, must := w.Run.LastAction(); must {
		l.taken[name] = true
	}
	w.Run.FairCoins(func(choice int, coin choose.Choice) {
		if l.given[choice] == nil {
			l.given[choice] = map[int]bool{}
		}
		l.given[choice][coin.Pick], l.of[choice] = true, coin.Of
	})
}

// holds reports whether the run is fair and stays hot for ever.
func (l *looping) holds() bool {
	if l.unknown || l.cold || l.unhealed {
		return false
	}
	if l.steps == 0 {
		return !l.must
	}
	for name := range l.always {
		if !l.taken[name] {
			return false
		}
	}
	for choice, given := range l.given {
		if len(given) < l.of[choice] {
			return false
		}
	}
	return l.same
}

// lasso returns the description of the run, and the message of the finding.
func (l *looping) lasso(steps int) (*Lasso, string) {
	text := fmt.Sprintf("hot since step %d", l.since)
	if l.awaits != "" {
		text += " (" + l.awaits + ")"
	}
	if l.steps == 0 {
		text += ", and nothing more has to happen"
	} else {
		text += fmt.Sprintf("; the state after step %d is that after step %d, so the steps between them may go on for ever", steps, l.from)
	}
	return &Lasso{Since: l.since, From: l.from, abrupt: l.abrupt}, text
}

// repeatsFrom returns the number of steps after which a run that was recorded as hot begins to
// repeat its steps.
func repeatsFrom(path *choose.Path) (int, error) {
	text, ok := path.Get("repeats")
	if !ok {
		return len(path.Steps), nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > len(path.Steps) {
		return 0, fmt.Errorf("the path's header has repeats: %q; it must be a number of steps from 0 to %d", text, len(path.Steps))
	}
	return n, nil
}

// Loop looks for a way to continue a run so that it stays hot for ever. If property is not "", it
// looks only for that property. It returns nil if it finds no such way. most is the largest number
// of states to visit; whole reports whether these were all that can follow the run.
func (l *Lab) Loop(of *Case, property string, most int) (f *Finding, whole bool, err error) {
	after, err := l.after(of, of.Steps(), property, most, true)
	return after.f, after.whole, err
}

// Ever reports whether a fair run can stay hot for ever, without becoming cold in between, if it
// continues from state number at of a run and the environment heals there. most is the largest
// number of states to visit; whole reports whether these were all that can follow.
func (l *Lab) Ever(of *Case, at int, property string, most int) (ever, whole bool, err error) {
	after, err := l.after(of, at, property, most, false)
	return after.ever, after.whole, err
}

func (l *Lab) after(of *Case, at int, property string, most int, confirm bool) (after, error) {
	q := loop{l.first().hand, of.Path.Prefix(at), of.climate, property, most, confirm}
	a, err := alone(l, q.look)
	l.took(0, a.states)
	return a, err
}

// loop describes a query: can a run be continued after its states so that it stays hot for ever?
type loop struct {
	by       *hand
	path     *choose.Path
	climate  run.Climate
	property string // the property, or "" for all
	most     int    // the largest number of states to visit
	confirm  bool   // make a finding of the run
}

// after is the answer to the query of a loop.
type after struct {
	f      *Finding
	ever   bool // a run can stay hot for ever from the end of the given run, without becoming cold before
	whole  bool // all states that can follow were visited
	states int
}

func (q loop) look() (out after, err error) {
	h, n := q.by, len(q.path.Steps)
	defer h.counted()
	x, err := h.owner.NewExplorer(q.climate, nil)
	if err != nil {
		return out, err
	}
	defer x.Close()
	g, err := hot.New(&h.owner, x, func(uint32) int { return n })
	if err != nil {
		return out, err
	}
	defer g.Close()
	g.States = q.most
	var follow []uint32
	bad, err := h.owner.Guarded(x.Taker, func() (err error) {
		if follow, err = x.Follow(q.path, n); err != nil {
			return err
		}
		h.Explores(g.Taker)
		return g.Gather(x, follow, false)
	})
	out.states = g.Kept()
	if err == explore.ErrHalt || err == explore.ErrFull || bad != nil || world.Unsupported(err) {
		return out, nil
	}
	if err != nil {
		return out, err
	}
	out.whole = g.Whole
	for k, name := range x.World.Judge.Cools() {
		if q.property != "" && name != q.property {
			continue
		}
		l := g.Find(k)
		if l == nil {
			continue
		}
		out.ever = g.Ever(x, l, follow[0])
		if q.confirm {
			h.Explored()
			out.f, err = h.loops(g, l, run.Answers{Prefix: run.Picks(q.path), PrefixSteps: n}, q.climate, n)
		}
		return out, err
	}
	return out, nil
}

// Walks that look for loops in a space that is too large to exhaust: the number of walks, their
// length in steps, and the number of states visited after each.
const (
	loopWalks  = 200
	loopStates = 2_000
	loopDeep   = 64
)

// sampleLoops takes short walks, and looks for runs from their ends that stay hot for ever.
func (r *runner) sampleLoops() (outcome, error) {
	if len(r.World.Judge.Cools()) == 0 || !r.findings.wants() || r.World.State.Bound() != "" {
		return outcome{}, nil
	}
	r.gauge.begin(PhaseLiveness, 0, 0)
	s := walk.New(r.opts.Seed)
	s.Wanted = r.wanted
	how := r.strategy(nil)
	for i := range loopWalks {
		if r.Stopped() {
			return stopped(r.Why()), nil
		}
		s.Begin(how.Plan(i, walk.Length{Least: 1 + i%loopDeep, Most: 1}).Apart())
		end, failure, w := r.Run(s, false)
		answers, climate := s.Answers(), r.Climate
		r.collect()
		switch {
		case failure != nil, end == run.EndStopped: // a later phase, whose walks are judged, will meet the failure, too
			continue
		case s.Left:
			return stopped(r.Why()), nil
		}
		hot := false
		for k := range w.Judge.Cools() {
			hot = hot || w.Judge.Hot(k)
		}
		if !hot {
			continue
		}
		record := choose.NewRecord(answers)
		r.Run(run.Repeat(record, climate, w.Run.Steps()), false)
		after, err := loop{r.hand, record.Path(), climate, "", loopStates, true}.look()
		r.add(Stats{Settled: after.states})
		if err != nil {
			return outcome{}, err
		}
		if after.f == nil {
			continue
		}
		if enough, err := r.note(after.f); enough || err != nil {
			return stopped(StopFound), err
		}
	}
	return outcome{}, nil
}
