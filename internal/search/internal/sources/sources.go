package sources

import (
	"fmt"
	"slices"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/contract"
	"macemc/internal/search/internal/run"
	"macemc/internal/state"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

// Sources is the run.Strategy that takes the runs that differ by more than the order of independent
// steps. Its exported fields describe the last run, or count runs.
type Sources struct {
	run.Climate
	walker *canon.Walker
	nodes  int
	bound  int // the largest number of steps of a run; 0 means no limit

	start  coins
	frames []*frame // the states of the present run
	fresh  int      // the index of the first frame that is new in this run
	step   int      // the index of the next frame
	asks   *coins   // the coins that the present step asks for

	known map[canon.Hash]bool // the identities of the states visited so far

	Moved, Dead, Asleep bool // repeated answers led the last run to another state than before; it came to a dead state; it was cut, since another order of its steps was taken
	Limited             bool // some answers to a coin were left out
	Cut                 bool // some run would have had more steps than the bound
	Executed            int  // number of steps taken, without those repeated from the run before
	Runs, Slept         int  // runs that were taken to their ends; runs that were cut, since another order of their steps was taken
	Deepest             int  // the number of steps of the longest run
}

// frame is a state of the present run, with the step that the run takes from it. Its lines are
// those of the package documentation: a channel, a timer, or another source of steps that come
// one after the other.
type frame struct {
	at     canon.Hash
	lines  []string // the lines that have a possible event here
	wanted []string // the lines whose step must be tried here
	slept  []*deed  // the effects of the steps of the lines that are asleep here
	line   string   // the line whose step the run takes
	event  int      // the number of the step's event
	coins  coins    // the answers to the step's coins
	did    *deed    // what the step did, over all answers to its coins so far
	now    *deed    // what the step did in the present run
	after  []int32  // indices of the earlier steps that the step depends on, directly or through others
}

// coins holds the answers given to the coins of one step, and finds the next combination of answers
// to try.
type coins struct {
	odometer choose.Odometer
	given    []int
	again    bool // give the answers of the last run again
	at       int
}

func (c *coins) Answer(q *choose.Question) int {
	if !c.again || q.N == 1 {
		return c.odometer.Answer(q)
	}
	if c.at == len(c.given) {
		return -1
	}
	c.at++
	return c.given[c.at-1]
}

// repeat makes the next run give the same answers. Method next makes it give the next combination of
// answers, if there is one.
func (c *coins) repeat() { c.given, c.again, c.at = c.odometer.Answers(), true, 0 }
func (c *coins) next() bool {
	c.again = false
	return c.odometer.Next()
}

// deed records the effects of a step, by which it may depend on other steps.
type deed struct {
	line   string            // the line of the step
	index  int               // the number of the step in its run, or -1 if the present run did not take it
	causes []int             // the numbers of the steps that made the step possible
	quorum bool              // the step takes several messages at once
	shows  bool              // the step changed values that properties over several nodes take
	comes  bool              // the step made a node begin or cease to take messages
	places map[int]state.Why // the places that the step touched, and how
	takes  []string          // the messages that the step took from sets and bags
	sends  []string          // the messages that the step added to sets and bags

	node  sim.Addr
	was   canon.Hash // the state of the acting node before the step
	taken canon.Hash // what properties took from that state
}

// New returns a strategy for runs of at most bound steps each; 0 means no bound.
func New(r *run.Runs, faults bool, bound int) (*Sources, error) {
	walker, err := contract.Walker(r.Sys)
	if err != nil {
		return nil, err
	}
	r.World.State.Watch()
	r.Lockstep.World.State.Watch()
	return &Sources{Climate: run.Climate{Faults: faults, Heal: -1}, walker: walker, nodes: r.Params.Nodes, bound: bound, known: map[canon.Hash]bool{}}, nil
}

func (s *Sources) Fork() *run.Fork { return nil }

func (s *Sources) Answer(q *choose.Question) int {
	if q.Kind != choose.Event {
		return s.asks.Answer(q)
	}
	f := s.frames[s.step]
	s.step++
	s.asks = &f.coins
	return f.event
}

func (s *Sources) Err() error { return choose.ErrEnd }

// Begin prepares for the next run.
func (s *Sources) Begin() {
	s.step, s.asks = 0, &s.start
	s.Moved, s.Dead, s.Asleep = false, false, false
}

func (s *Sources) Visit(w *world.World, depth int) bool {
	h := w.State.Hash()
	if !s.known[h] {
		s.known[h] = true
		w.Judge.CoverState(depth)
	}
	if depth <= s.fresh && depth < len(s.frames) { // as in the last run
		if s.Moved = s.frames[depth].at != h; depth == s.fresh {
			s.begins(w, s.frames[depth])
		}
		return !s.Moved
	}
	if depth == 0 {
		s.start.repeat()
	} else {
		s.Executed++
		s.acted(w, depth-1)
	}
	if w.Judge.CanBeLive() && !w.Judge.Live() && w.Events.Settled() {
		s.Dead = true
		return false
	}
	f := s.opens(w, h)
	switch {
	case len(f.lines) == 0:
		return true
	case s.bound > 0 && depth == s.bound:
		s.Cut = true
		return false
	}
	k := slices.IndexFunc(f.lines, func(line string) bool { return !f.sleeps(line) })
	if s.Asleep = k < 0; s.Asleep {
		return false
	}
	f.want(f.lines[k])
	f.tries(f.lines[k])
	s.frames = append(s.frames, f)
	s.begins(w, f)
	return true
}

// opens returns a frame for the state that is loaded in w and has the identity at.
func (s *Sources) opens(w *world.World, at canon.Hash) *frame {
	f := &frame{at: at}
	for k := range w.Events.Count() {
		line := s.lineOf(w.Events.At(k))
		for slices.Contains(f.lines, line) { // equal events, of which each stands for the others
			line += "'"
		}
		f.lines = append(f.lines, line)
	}
	if n := len(s.frames); n > 0 {
		up := s.frames[n-1]
		up.ends(f.lines)
		for _, d := range up.slept {
			if d.line != up.line && !up.now.dependent(d) {
				f.slept = append(f.slept, d)
			}
		}
	}
	return f
}

// ends marks those lines as wanted in f (to be tried there) that the step from f made impossible. A
// line is a source of steps, such as a channel or a timer: see the package documentation. after has
// the lines that are possible after that step. The run never takes the step of such a line, so no
// later step can show that it depends on the step from f.
func (f *frame) ends(after []string) {
	for _, line := range f.lines {
		if line != f.line && !slices.Contains(after, line) && !slices.Contains(f.wanted, line) {
			f.want(line)
		}
	}
}

// lineOf returns the name of the line to which event e belongs: for example the channel that
// delivers the message, or the timer that fires.
func (s *Sources) lineOf(e sim.Event) string {
	switch e.Kind {
	case sim.KindMessage:
		if e.Link == sim.LinkTCP || e.Link == sim.LinkUDP {
			return fmt.Sprint(e.Node, " ", e.Link, " from ", e.From)
		}
	case sim.KindScript:
		return fmt.Sprint(e.Node, " script")
	}
	return e.Text(s.walker.Text, s.nodes)
}

func (f *frame) sleeps(line string) bool {
	return slices.ContainsFunc(f.slept, func(d *deed) bool { return d.line == line })
}

func (f *frame) want(line string) { f.wanted = append(f.wanted, line) }

// tries makes the run take the step of the given line (such as a channel or a timer) from f.
func (f *frame) tries(line string) {
	f.line, f.event, f.did, f.coins = line, slices.Index(f.lines, line), nil, coins{}
}

// next selects the next step that is tried from the state of f, and reports whether there is one. First come other
// answers to the coins of the step that was tried last, then the step of a line (a channel, for example) that was
// wanted and is not asleep.
func (f *frame) next() bool {
	if f.coins.next() {
		return true
	}
	f.slept = append(f.slept, f.did.tried())
	for _, line := range f.wanted {
		if !f.sleeps(line) {
			f.tries(line)
			return true
		}
	}
	return false
}

// begins begins the record of the step that is about to be taken from f: the event, and the
// present state of its node. The method acted completes the record after the step.
func (s *Sources) begins(w *world.World, f *frame) {
	w.Events.Count()
	e := w.Events.At(f.event)
	d := &deed{line: f.line, index: s.step + 1, node: e.Node, quorum: e.Kind == sim.KindQuorum, causes: w.Events.Begun(f.event).Causes,
		comes: !e.Node.IsZero() && (e.Membership() || contract.Row(&e).Span != "")}
	if e.Link == sim.LinkSet || e.Link == sim.LinkBag {
		d.take(e.Text(s.walker.Text, s.nodes))
	}
	if !e.Node.IsZero() {
		d.before(w)
	}
	f.does(d)
}

func (f *frame) does(d *deed) { f.now = d }

func (d *deed) take(what string) { d.takes = append(d.takes, what) }

func (d *deed) before(w *world.World) {
	d.was, d.taken = w.State.NodeSum(d.node.Index()), w.Judge.Taken(d.node.Index())
}

// acted records the effects of the step from the frame with index at, and the earlier steps on which
// it depends.
func (s *Sources) acted(w *world.World, at int) {
	f := s.frames[at]
	f.now.done(w, s.walker, s.nodes)
	f.coins.repeat()
	s.Limited = s.Limited || f.coins.odometer.Sampled() || s.start.odometer.Sampled()
	f.add(f.now)
	f.follows(s.frames[:at])
	s.races(at)
}

// done records in d the effects of the step that w has just taken.
func (d *deed) done(w *world.World, walker *canon.Walker, nodes int) {
	t := w.State.Touched()
	d.places = map[int]state.Why{}
	for place, why := range t.Read() {
		d.places[place] = why
	}
	for place, why := range t.Written() {
		d.places[place] = why
	}
	for _, sent := range t.Sent() {
		if l := sim.Link(sent.Link); l == sim.LinkSet || l == sim.LinkBag {
			d.places[int(sent.Place)] |= state.Wrote // also if an equal message was there
		}
	}
	if i := d.node.Index(); i >= 0 {
		if w.State.NodeSum(i) == d.was {
			d.places[i] &^= state.Wrote
		}
		d.shows = w.Judge.Taken(i) != d.taken
	}
	if d.comes {
		d.places[presence(d.node)] |= state.Asked | state.Wrote
	}
	for _, e := range w.Run.Effects() {
		if e.Kind == trace.EffectSend {
			d.places[presence(e.To)] |= state.Asked
		}
		if e.Kind == trace.EffectSend && (e.Link == sim.LinkSet || e.Link == sim.LinkBag) {
			d.sends = append(d.sends, sim.Event{Node: e.To, Kind: sim.KindMessage, From: d.node, Link: e.Link, Value: e.Value}.Text(walker.Text, nodes))
		}
	}
}

// presence returns the number of an artificial place, which stands for whether node a takes
// messages. Steps by which the node joins, leaves or fails write this place, and steps that send to
// the node read it, so they depend on each other. Comparing steps alone would not show that: a
// message to a node that has left is never delivered.
func presence(a sim.Addr) int { return -1 - a.Index() }

// add adds to f.did the effects d that the step had with its present answers.
func (f *frame) add(d *deed) {
	if f.did == nil {
		f.did = d
		return
	}
	all := *f.did
	all.places = map[int]state.Why{}
	for _, of := range []*deed{f.did, d} {
		for place, why := range of.places {
			all.places[place] |= why
		}
	}
	all.sends = append(slices.Clone(all.sends), d.sends...)
	all.shows = all.shows || d.shows
	f.did = &all
}

// tried returns a copy of d, a step that was tried, to be kept while its line is asleep: until a step is taken that
// depends on d. The copy has no number in a run, since the present run does not take the step.
func (d *deed) tried() *deed {
	all := *d
	all.index = -1
	return &all
}

const (
	justSent = state.Sent | state.Wrote
	justTook = state.Took | state.Wrote | state.Enabled
)

// dependent reports whether the order of two steps may matter.
func (d *deed) dependent(o *deed) bool {
	if d.line == o.line || d.shows && o.shows {
		return true
	}
	for place, why := range d.places {
		if other := o.places[place]; other != 0 && (why|other)&state.Wrote != 0 && d.conflict(o, why, other) {
			return true
		}
	}
	return false
}

// conflict reports whether steps d and o are dependent because both touched the same place, and at
// least one of them wrote it. why says how d touched it, and other how o did.
func (d *deed) conflict(o *deed, why, other state.Why) bool {
	sent, took := why&^justSent == 0 && why&state.Sent != 0, why&^justTook == 0
	sends, takes := other&^justSent == 0 && other&state.Sent != 0, other&^justTook == 0
	inSet := len(d.sends)+len(o.sends) > 0 || d.quorum || o.quorum || len(d.takes)+len(o.takes) > 0
	switch {
	case sent && takes && other&(state.Took|state.Enabled) != 0:
		return o.takesOf(d)
	case took && sends && why&(state.Took|state.Enabled) != 0:
		return d.takesOf(o)
	case sent && sends && inSet && len(d.sends) > 0 && len(o.sends) > 0 && d.node != o.node:
		return false
	case took && takes && why&state.Took != 0 && other&state.Took != 0 && len(d.takes) > 0 && len(o.takes) > 0:
		return false // different messages of one bag, since the lines differ
	}
	return true
}

// takesOf reports whether step d took, or may have taken, a message that step o has sent.
func (d *deed) takesOf(o *deed) bool {
	if d.quorum || slices.Contains(d.causes, o.index) {
		return true
	}
	return slices.ContainsFunc(d.takes, func(what string) bool { return slices.Contains(o.sends, what) })
}

// follows records, in f.after, the earlier steps on which the step from f depends. The earlier
// steps are those of the frames in before.
func (f *frame) follows(before []*frame) {
	f.after = f.after[:0]
	for j := len(before) - 1; j >= 0; j-- {
		if slices.Contains(f.after, int32(j)) || !before[j].now.dependent(f.now) {
			continue
		}
		f.after = append(f.after, int32(j))
		for _, k := range before[j].after {
			if !slices.Contains(f.after, k) {
				f.after = append(f.after, k)
			}
		}
	}
}

// races compares the step from frame number at with the earlier steps of the run. If the step could
// also have been taken before an earlier one, races marks it, or a step that leads to it, as wanted
// in the frame of the earlier step.
func (s *Sources) races(at int) {
	last := s.frames[at]
	var covered []int32
	for j := at - 1; j >= 0; j-- {
		f := s.frames[j]
		if slices.Contains(covered, int32(j)) || !f.now.dependent(last.now) {
			continue
		}
		covered = append(covered, f.after...)
		if f.line == last.line {
			continue
		}
		first := s.first(j, at)
		if slices.ContainsFunc(first, func(line string) bool { return slices.Contains(f.wanted, line) || f.sleeps(line) }) {
			continue
		}
		if k := slices.IndexFunc(first, func(line string) bool { return slices.Contains(f.lines, line) }); k >= 0 {
			f.want(first[k])
		}
	}
}

// first considers a sequence: the steps after step j that do not depend on step j, followed by step
// at. It returns the lines of the steps with which an equivalent order of this sequence can begin.
func (s *Sources) first(j, at int) (lines []string) {
	var without []int
	for k := j + 1; k <= at; k++ {
		if k < at && slices.Contains(s.frames[k].after, int32(j)) {
			continue
		}
		without = append(without, k)
	}
	for n, k := range without {
		if !slices.ContainsFunc(without[:n], func(m int) bool { return slices.Contains(s.frames[k].after, int32(m)) }) {
			lines = append(lines, s.frames[k].line)
		}
	}
	return lines
}

// Next prepares the next run, and reports whether there is one.
func (s *Sources) Next() bool {
	for n := len(s.frames); n > 0; n-- {
		if f := s.frames[n-1]; f.next() {
			s.frames, s.fresh = s.frames[:n], n-1
			s.rewind()
			return true
		}
		s.frames = s.frames[:n-1]
	}
	s.fresh = 0
	return s.start.next()
}

// rewind prepares the next run, in which the step numbered s.fresh is the first that differs from
// the last run. All steps before it get the same answers to their coins again.
func (s *Sources) rewind() {
	s.start.repeat()
	for _, f := range s.frames[:s.fresh] {
		f.coins.repeat()
	}
}

// Answers returns the answers of the last run.
func (s *Sources) Answers() choose.Source {
	all := &run.Answers{Start: s.start.odometer.Answers()}
	for _, f := range s.frames[:s.step] {
		all.Steps = append(all.Steps, run.Taken{Event: f.event, Coins: f.coins.odometer.Answers()})
	}
	return all
}

// Ended counts the run that has just ended, by the way in which it ended.
func (s *Sources) Ended(end run.Ending) {
	s.Deepest = max(s.Deepest, s.step)
	switch {
	case s.Asleep:
		s.Slept++
	case end == run.EndQuiet:
		s.Runs++
	}
}

// States returns the number of distinct states that the runs have visited.
func (s *Sources) States() int { return len(s.known) }
