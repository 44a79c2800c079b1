package oracle

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"macemc/choose"
	"macemc/internal/search"
	"macemc/internal/spec"
)

// A Mode is a way to search that is compared with the model: an engine and other options.
type Mode struct {
	Name    string
	Options search.Options
	Prefix  bool // the search begins at the end of a recorded run
	Engine  bool // the mode chooses only the engine

	take func(*comparison) // compares this mode; nil means that a search with Options is compared
}

// Modes returns all ways of searching that are compared. If together is not nil, there are modes with two
// workers, too; the function together changes their options so that the workers share even small levels.
func Modes(together func(*search.Options)) []Mode {
	modes := []Mode{
		{Name: "reference", Options: search.Options{Engine: search.EngineReference, Workers: 1}, Engine: true},
		{Name: "local", Options: search.Options{Engine: search.EngineLocal, Workers: 1}, Engine: true},
		{Name: "memo", Options: search.Options{Engine: search.EngineMemo, Workers: 1}, Engine: true},
		{Name: "memo, fingerprints", Options: search.Options{Engine: search.EngineMemo, Workers: 1, Visited: search.VisitedFingerprint}},
		{Name: "local, fingerprints of 32 bits", Options: search.Options{Engine: search.EngineLocal, Workers: 1, Visited: search.VisitedFingerprint, HashBits: 32}},
		{Name: "local, prefix", Options: search.Options{Engine: search.EngineLocal, Workers: 1}, Prefix: true},
		{Name: "memo, prefix", Options: search.Options{Engine: search.EngineMemo, Workers: 1}, Prefix: true},
		{Name: "every path", take: (*comparison).everyPath},
		{Name: "all findings", take: (*comparison).several},
		{Name: "replay", take: (*comparison).replays},
		{Name: "walks", take: (*comparison).walks},
	}
	if together != nil {
		for _, engine := range []search.Engine{search.EngineLocal, search.EngineMemo} {
			m := Mode{Name: string(engine) + ", two workers", Options: search.Options{Engine: engine, Workers: 2}}
			together(&m.Options)
			modes = append(modes, m)
		}
	}
	return modes
}

// ByTurns returns the modes for one of many systems: one mode for each engine, and a third of the others.
func ByTurns(all []Mode, seed uint64) (some []Mode) {
	for i, m := range all {
		if m.Engine || (uint64(i)+seed)%3 == 0 {
			some = append(some, m)
		}
	}
	return some
}

// Result is the result of a comparison.
type Result struct {
	States, Transitions int
	Features            map[string]int // how often the model's runs met each feature
	Differences         []string
}

func (r *Result) met(feature string) { r.Features[feature]++ }

// count adds the numbers of states and transitions of a space that was compared.
func (r *Result) count(x *Space) {
	r.States, r.Transitions = r.States+x.States, r.Transitions+x.Transitions
}

func (r *Result) differs(mode, format string, args ...any) {
	r.Differences = append(r.Differences, mode+": "+fmt.Sprintf(format, args...))
}

// Compare compares searches of a spec, in these modes, with the model. It visits levels of states
// until there are about as many as the parameter most.
func Compare(s *spec.Spec, most int, modes []Mode) *Result {
	c := newComparison(s, most)
	c.features()
	for _, m := range modes {
		c.by(m)
	}
	return c.res
}

func newComparison(s *spec.Spec, most int) *comparison {
	c := &comparison{spec: s, most: most, res: &Result{Features: map[string]int{}}}
	c.model = NewModel(s, c.res.met)
	c.start = &origin{Space: c.model.Explore(most)}
	if c.start.Nearest == 0 && s.AnyOrder { // it ends as it starts: that it writes is not seen, and the option refused
		still := *s
		still.AnyOrder = false
		c.spec, c.model = &still, c.model.with(&still)
	}
	c.vast = c.model.swells(c.start.Space, 20*most)
	return c
}

// by searches the system in mode m, and compares the result with the model.
func (c *comparison) by(m Mode) {
	c.res.met("mode: " + m.Name)
	c.mode, c.x = m, c.start
	if m.Prefix {
		if c.x = c.prefixed(); c.x == nil {
			return
		}
	}
	if m.take != nil {
		m.take(c)
	} else {
		c.search()
	}
}

// conditions returns the options o with those settings of the spec that a search gets as
// options.
func conditions(s *spec.Spec, o search.Options) search.Options {
	o.Early, o.DiskReorder, o.FreeTimers = s.Early, s.AnyOrder, s.FreeTimers
	if s.Midstep {
		o.CrashWithin = true
	}
	o.Network = s.Links()
	return o
}

type comparison struct {
	spec  *spec.Spec
	most  int
	model *Model
	start *origin
	res   *Result

	mode Mode
	x    *origin

	vast bool // so many states can follow those of the space after healing that they are not compared
}

// origin is a state in which searches begin, and the space that they must visit from there.
type origin struct {
	*Space
	path  *choose.Path // the prefix; nil means that the search begins at the start
	fired int          // the number of early firings in the prefix, which the limit does not count; a timer fires early if a message is under way to or from its node
}

func (c *comparison) differs(format string, args ...any) {
	c.res.differs(c.mode.Name, format, args...)
}

// prefixed takes a short run without faults, and returns the origin of searches that begin at its end. The
// budgets there are those of a start. If no such run is possible, it returns nil.
func (c *comparison) prefixed() *origin {
	m := c.model
	begin := m.fair()
	if begin == nil || m.unsafe(begin.s) || unnamed(begin.coins) {
		return nil
	}
	path := &choose.Path{Header: []choose.Field{{Key: "system", Value: "random"}, {Key: "nodes", Value: fmt.Sprint(c.spec.Nodes)}}, Start: recorded(begin.coins)}
	s, fired := begin.s, 0
	for k := range 1 + c.start.States%5 {
		steps, events := m.steps(s)
		steps = slices.DeleteFunc(steps, func(st step) bool { return st.wrong != nil || m.unsafe(st.to) || unnamed(st.coins) })
		if len(steps) == 0 {
			break
		}
		st := steps[(c.start.Transitions+k)%len(steps)]
		fired += s.Early - st.to.Early
		path.Steps = append(path.Steps, choose.Step{Event: choose.Choice{Kind: choose.Event, Of: events, What: st.label}, Coins: recorded(st.coins)})
		s = st.to
	}
	root := s.renewed(c.spec.Budgets, c.spec.Early)
	c.res.met("prefix")
	return &origin{Space: m.explore([]*state{root}, nil, c.most), path: path, fired: fired}
}

// everyPath checks that a search which keeps no visited states finds the nearest failure, too. It limits the
// depth, since there are many paths.
func (c *comparison) everyPath() {
	depth := 3
	if !c.x.Whole && c.x.Nearest < 0 {
		if depth = min(depth, c.x.Depth); depth == 0 {
			return
		}
	}
	res, err := search.Search(c.spec.System(), conditions(c.spec, search.Options{
		Visited: search.VisitedOff, NoWalks: true, Effort: 1 << 30, Workers: 1, Depth: depth,
	}))
	switch {
	case err != nil:
		c.differs("%v", err)
	case c.x.Nearest >= 0 && c.x.Nearest <= depth:
		c.nearest(res.Finding)
	case res.Finding != nil:
		c.differs("found %s %q at step %d, and nothing is wrong within %d", res.Finding.Verdict, res.Finding.Property, res.Finding.Step, depth)
	}
	if err == nil && res.Finding != nil {
		c.path(res.Finding)
	}
}

// several checks that a search for several findings finds each violated property at its
// nearest state. It is checked only if no handler can fail, since the search takes no more
// steps from a state once a handler has failed in one of them.
func (c *comparison) several() {
	s := c.spec
	if len(s.Always)+len(s.Each) == 0 || s.Step != nil || s.Limit || fails(s) {
		return
	}
	x := c.model.ExploreOn(c.most)
	if !x.Whole || c.model.swells(x, 5*c.most) {
		return
	}
	c.res.met("all findings")
	res, err := search.Search(s.System(), conditions(s, search.Options{Engine: search.EngineMemo, Findings: 100, NoWalks: true, Effort: 1 << 30, Workers: 1}))
	if err != nil {
		c.differs("%v", err)
		return
	}
	got := map[wrong]int{}
	for _, f := range res.Findings {
		w := wrong{f.Verdict.String(), f.Property}
		if step, known := got[w]; w.Verdict == "safety" && (!known || f.Step < step) {
			got[w] = f.Step
		}
	}
	maps.DeleteFunc(x.Every, func(w wrong, _ int) bool { return w.Verdict != "safety" })
	if !maps.Equal(got, x.Every) {
		c.differs("found %v, and should %v", got, x.Every)
	}
}

// swells reports whether the number of states that can follow the states of x after healing is
// larger than most. A search for several findings does not expand a state with a failure, but it
// decides whether the state can become live. That might not end if very many states follow.
func (m *Model) swells(x *Space, most int) bool {
	if len(m.spec.Eventually) == 0 {
		return false
	}
	var all []*state
	for _, n := range x.nodes {
		all = append(all, n.s)
	}
	return m.heal(all, most, func(*state) bool { return true }).stopped
}

// fails reports whether a rule of the spec panics.
func fails(s *spec.Spec) bool { return s.Does(spec.Fail) }

// walks checks that every failure that random walks find exists in the model. If they find
// none, that shows nothing.
func (c *comparison) walks() {
	if !c.x.Whole && c.x.Nearest < 0 || len(c.x.index) > c.most || c.vast {
		return // dead states could not be confirmed, or only at great cost
	}
	res, err := search.Search(c.spec.System(), conditions(c.spec, search.Options{
		Engine: search.EngineMemo, Workers: 1, Depth: 1, Paths: 20, EvidenceWalks: 10, WalkSteps: 100, MaxWalkSteps: 100,
	}))
	if err != nil {
		c.differs("%v", err)
		return
	}
	f := res.Finding
	if f == nil {
		return
	}
	c.res.met("walks: " + f.Verdict.String())
	c.path(f)
	if f.Verdict.String() != "dead" || f.Critical != nil && f.Critical.Exact {
		return // path has compared it, with the critical step
	}
	run, _, failed := c.follow(f.Path)
	if failed != "" {
		return
	}
	if can, _, known := c.recoverable(run); known && can[len(run)-1] {
		c.res.met("walks: false alarm")
		if f.Proved {
			c.differs("the end of a run of %d steps is proved to be dead, and can recover", len(run)-1)
		}
	}
}

// replays compares the replays of recorded runs of several lengths with the model.
func (c *comparison) replays() {
	for k := range 4 {
		c.replay(1+2*k, k)
	}
}

// replay takes a run of length steps whose path claims that it is dead, and compares the result of
// its replay with the model. In the model, the run is dead if its last state counts for liveness, and
// every state that can follow is not live and counts.
func (c *comparison) replay(length, turn int) {
	m := c.model
	all, _ := m.start(c.spec.Budgets, c.spec.Early)
	if len(c.spec.Eventually) == 0 || len(all) == 0 {
		return
	}
	path := &choose.Path{Header: []choose.Field{{Key: "system", Value: "random"}, {Key: "nodes", Value: fmt.Sprint(c.spec.Nodes)}}}
	if f := c.spec.Faults(); !f.IsZero() {
		path.Add("faults", f.String())
	} else if c.spec.Early != nil {
		path.Add("faults", "none")
	}
	if c.spec.Early != nil {
		path.Add("early", fmt.Sprint(*c.spec.Early))
	}
	o := conditions(c.spec, search.Options{ByIdentity: true})
	if net := o.Network.String(); net != "" {
		path.Add("net", net)
	}
	if o.CrashWithin {
		path.Add("crashes", "within")
	}
	if o.FreeTimers {
		path.Add("timers", "free")
	}
	if o.DiskReorder {
		path.Add("disk", "reorder")
	}
	path.Add("verdict", "dead")
	var begin *run
	m.each(empty(m.spec, c.spec.Budgets, c.spec.Early), m.init, func(r *run) {
		if !r.broken && r.wrong == nil && (begin == nil || turn%2 == 1) {
			begin = r
		}
	})
	path.Start = recorded(begin.coins)
	states := []*state{begin.s}
	for k := range length {
		s := states[len(states)-1]
		steps, events := m.steps(s)
		steps = slices.DeleteFunc(steps, func(st step) bool { return st.wrong != nil || m.unsafe(st.to) || unnamed(st.coins) })
		if len(steps) == 0 {
			break
		}
		st := steps[(c.start.Transitions+k*(turn+1))%len(steps)]
		path.Steps = append(path.Steps, choose.Step{Event: choose.Choice{Kind: choose.Event, Of: events, What: st.label}, Coins: recorded(st.coins)})
		states = append(states, st.to)
	}
	if m.unsafe(states[0]) || unnamed(begin.coins) {
		return
	}
	can, astray, known := m.recoverable(states, 5*c.most)
	if !known {
		return
	}
	end := len(states) - 1
	res, err := search.Replay(c.spec.System(), path, o)
	if err != nil {
		c.differs("%v", err)
		return
	}
	want := "none"
	if m.counts(states[end]) && !can[end] && !astray[end] {
		want = "dead"
	}
	c.res.met("replayed as " + want)
	f := res.Finding
	if f.Verdict.String() != want {
		c.differs("a run of %d steps is %s, and should be %s", end, f.Verdict, want)
		return
	}
	if want == "dead" {
		c.path(f)
	}
}

// fair returns the run that starts all nodes in the first way in which nothing fails, without
// faults. Its state allows a large number of early firings, and not an unlimited one, so that a
// caller can see how many were used.
func (m *Model) fair() (first *run) {
	m.each(empty(m.spec, spec.Budgets{}, new(1<<20-1)), m.init, func(r *run) {
		if first == nil && !r.broken && r.wrong == nil {
			first = r
		}
	})
	return first
}

// unsafe reports whether some safety property does not hold.
func (m *Model) unsafe(s *state) bool {
	return slices.ContainsFunc(m.spec.Always, func(p spec.Pred) bool { return !s.holds(&p) }) ||
		slices.ContainsFunc(m.spec.Each, func(p spec.Pred) bool { return !s.each(&p) })
}

// unnamed reports whether the model has no name for one of these random choices (coins). No path can
// contain such a choice.
func unnamed(coins []coin) bool {
	return slices.ContainsFunc(coins, func(c coin) bool { return c.what == "" })
}

func recorded(coins []coin) (all []choose.Choice) {
	for _, c := range coins {
		all = append(all, choose.Choice{Kind: choose.Coin, Of: c.of, Pick: c.pick, What: c.what})
	}
	return all
}

// features counts the features of the spec that occur in the space.
func (c *comparison) features() {
	x, met := c.start, c.res.met
	c.res.count(x.Space)
	switch {
	case x.Nearest >= 0:
		for w := range x.Wrong {
			kind, _, _ := strings.Cut(w.Property, " ")
			met("wrong: " + w.Verdict + " " + kind)
		}
	case !x.Whole:
		met("bounded")
	case x.Outside:
		met("exhausted within")
	default:
		met("exhausted")
	}
	switch {
	case x.Dead >= 0:
		met("dead")
	case x.Judged:
		met("live")
	case x.Whole && x.Nearest < 0 && len(c.spec.Eventually) > 0:
		met("liveness undecided")
	}
	for what, is := range map[string]bool{
		"limits": len(c.spec.Only) > 0, "within": c.spec.Within != nil, "assume": c.spec.Assume != nil, "layered": c.spec.Layered, "keeps": c.spec.Keeps,
		"early": c.spec.Early != nil, "monitor": c.spec.Monitored, "steps": c.spec.Step != nil, "weight 0": len(c.spec.Rare) > 0,
		"script": len(c.spec.Scripts) > 0, "offers": len(c.spec.Offers) > 0, "declines": len(c.spec.Declines) > 0,
		"method values": c.spec.Pokes == spec.ByMethod, "clone": c.spec.Pokes == spec.ByClosure, "each": len(c.spec.Each) > 0, "pace": c.spec.Pace != nil, "free timers": c.spec.FreeTimers,
		"overridden links": c.spec.Says != [2]int{}, "table": c.spec.Table, "messages seen": sees(c.spec), "slow": len(c.spec.Slow) > 0,
	} {
		if is {
			met("has " + what)
		}
	}
}

// sees reports whether a property looks at messages.
func sees(s *spec.Spec) bool {
	return slices.ContainsFunc(slices.Concat(s.Always, s.Eventually), func(p spec.Pred) bool { return p.Kind == spec.UnderWay })
}

// few is the largest number of states for which the reference engine is compared, too. That engine takes
// every run from its start, and with more states took a third of the time of all comparisons.
const few = 200

func (c *comparison) search() {
	o := conditions(c.spec, c.mode.Options)
	o.NoWalks, o.Effort, o.Prefix = true, 1<<30, c.x.path
	if !c.x.Whole && c.x.Nearest < 0 {
		if o.Depth = c.x.Depth; o.Depth == 0 {
			return
		}
	}
	if o.Engine == search.EngineReference {
		if c.x.States > few {
			c.res.met("reference left out")
			return
		}
		if c.x.Nearest >= 0 && !c.x.Whole {
			o.Depth = max(1, c.x.Nearest) // deeper, it takes long
		}
	}
	c.cut(&o)
	res, err := search.Search(c.spec.System(), o)
	if err != nil {
		c.differs("%v", err)
		return
	}
	if res.Stop == search.StopInterrupted && res.Finding == nil && c.x.Nearest < 0 { // else it missed what is nearest
		c.res.met("left out: liveness of what is vast")
		return
	}
	switch {
	case c.x.Nearest >= 0:
		c.nearest(res.Finding)
	case res.Finding != nil && res.Finding.Verdict.String() == "dead" && c.exact() && c.x.Dead >= 0:
		c.counted(res)
		c.dead(res.Finding)
	case res.Finding != nil:
		f := res.Finding
		c.differs("found %s %q at step %d, and nothing is wrong within %d steps", f.Verdict, f.Property, f.Step, c.x.Depth)
	default:
		c.counted(res)
		c.closed(res)
	}
	if res.Finding != nil {
		c.path(res.Finding)
	}
}

// recoverable returns the results of Model.recoverable, unless too many states can follow
// the space.
func (c *comparison) recoverable(run []*state) (can, astray []bool, known bool) {
	if c.vast {
		return nil, nil, false
	}
	return c.model.recoverable(run, 20*c.most)
}

// cut makes a search with options o end early if the model has too many states to confirm a critical
// step or a dead state. The search then ends after a number of calls of Options.Stop. This number is
// larger for the reference engine, which calls Options.Stop in each run.
func (c *comparison) cut(o *search.Options) {
	if !c.vast {
		return
	}
	asks, most := 0, 200
	if o.Engine == search.EngineReference || c.x.Nearest < 0 {
		most = 4000
	}
	o.Stop = func() search.Stop {
		if asks++; asks > most {
			return search.StopInterrupted
		}
		return ""
	}
}

// exact reports whether the mode decides about liveness exactly once all states were visited.
func (c *comparison) exact() bool {
	return c.mode.Options.Engine != search.EngineReference && c.mode.Options.Visited != search.VisitedFingerprint
}

func (c *comparison) base() int {
	if c.x.path == nil {
		return 0
	}
	return len(c.x.path.Steps)
}

// nearest checks that finding f is the nearest failure, with its verdict.
func (c *comparison) nearest(f *search.Finding) {
	want := fmt.Sprintf("%v at step %d", slices.Collect(maps.Keys(c.x.Wrong)), c.x.Nearest+c.base())
	switch {
	case f == nil:
		c.differs("found nothing, and should %s", want)
	case f.Step != c.x.Nearest+c.base() || !c.x.Wrong[wrong{f.Verdict.String(), f.Property}]:
		c.differs("found %s %q at step %d, and should %s", f.Verdict, f.Property, f.Step, want)
	}
}

func (c *comparison) counted(res *search.Result) {
	if res.Stats.States != c.x.States || res.Stats.Transitions != c.x.Transitions {
		c.differs("%d states and %d transitions, and should be %d and %d (depth %d)",
			res.Stats.States, res.Stats.Transitions, c.x.States, c.x.Transitions, c.x.Depth)
	}
}

// dead checks that finding f is the nearest dead state.
func (c *comparison) dead(f *search.Finding) {
	if f.Step != c.x.Dead+c.base() || !c.x.DeadFor[f.Property] || !f.Proved {
		c.differs("found dead %q at step %d, proved %v, and should %v at step %d",
			f.Property, f.Step, f.Proved, slices.Collect(maps.Keys(c.x.DeadFor)), c.x.Dead+c.base())
	}
}

// closed checks what a search that found nothing claims to have shown.
func (c *comparison) closed(res *search.Result) {
	safety := search.StateBounded
	switch {
	case c.x.Whole && c.x.Outside:
		safety = search.StateExhaustedWithin
	case c.x.Whole:
		safety = search.StateExhausted
	}
	if res.Safety.State != safety {
		c.differs("safety is %s, and should be %s", res.Safety.State, safety)
	}
	if safety == search.StateBounded && res.Safety.Depth != c.x.Depth {
		c.differs("bounded to depth %d, and should be to %d", res.Safety.Depth, c.x.Depth)
	}
	liveness := search.StateNone
	switch {
	case !c.exact() || !c.x.Whole || len(c.spec.Eventually) == 0:
	case !c.x.Judged: // a step after healing fails, or too many states follow: the search may decide liveness or not
		return
	case c.x.Dead >= 0:
		c.differs("found nothing, and a state %d steps away is dead", c.x.Dead)
		return
	default:
		liveness = safety
	}
	if res.Liveness.State != liveness && (c.exact() || res.Liveness.State != search.StateSampled) {
		c.differs("liveness is %s, and should be %s", res.Liveness.State, liveness)
	}
}

// path takes the run of finding f in the model, and compares the numbers of possible
// events, the failure, and the critical step.
func (c *comparison) path(f *search.Finding) {
	run, last, failed := c.follow(f.Path)
	if failed != "" {
		c.differs("the path of the finding: %s", failed)
		return
	}
	switch want := (wrong{f.Verdict.String(), f.Property}); {
	case last != nil && *last != want:
		c.differs("the path ends in %v, and should in %v", *last, want)
	case last != nil:
		return
	case want.Verdict == "dead" && c.model.notLive(run[len(run)-1]) != want.Property:
		c.differs("the path ends where %q do not hold, and %q is found", c.model.notLive(run[len(run)-1]), want.Property)
	case want.Verdict == "safety":
		s := run[len(run)-1]
		for i := range c.spec.Always {
			if p := &c.spec.Always[i]; !s.holds(p) && want.Property == "always "+p.String() {
				return
			}
		}
		for i := range c.spec.Each {
			if p := &c.spec.Each[i]; !s.each(p) && want.Property == "each "+p.String() {
				return
			}
		}
		c.differs("the path ends in a state that does not violate %q", want.Property)
	case want.Verdict == "panic":
		c.differs("the path ends without a panic")
	}
	if f.Verdict.String() != "dead" || f.Critical == nil || !f.Critical.Exact {
		return
	}
	c.res.met("exact critical step")
	can, _, known := c.recoverable(run)
	if !known {
		c.res.met("exact critical step, not known here")
		return
	}
	critical := 0
	for i, is := range can {
		if is {
			critical = i + 1
		}
	}
	if f.Critical.Step != critical {
		c.differs("the critical step is said to be %d, exactly, and is %d", f.Critical.Step, critical)
	}
}

// follow takes a path in the model. It returns the states, and the failure of the last step. If
// the path could not be taken, failed says why; otherwise it is "".
func (c *comparison) follow(p *choose.Path) (states []*state, last *wrong, failed string) {
	budgets, early := c.spec.Budgets, c.spec.Early
	if _, stormy := p.Get("faults"); !stormy {
		budgets, early = spec.Budgets{}, nil
	}
	if early != nil {
		early = new(*early + c.x.fired)
	}
	started := false
	bad := (*wrong)(nil)
	c.model.each(empty(c.spec, budgets, early), c.model.init, func(r *run) {
		if fits(r.coins, p.Start) {
			started = true
			states = []*state{r.s}
			if bad = r.wrong; r.broken {
				bad = &wrong{"panic", ""}
			}
		}
	})
	if !started {
		return nil, nil, fmt.Sprintf("no start has the coins %v", p.Start)
	}
	if bad != nil {
		return states, bad, ""
	}
	for k, want := range p.Steps {
		if want.Event.What == "heal" {
			states = append(states, states[len(states)-1].healed())
			continue
		}
		steps, events := c.model.steps(states[len(states)-1])
		at := slices.IndexFunc(steps, func(st step) bool { return st.label == want.Event.What && fits(st.coins, want.Coins) })
		switch {
		case at < 0:
			return nil, nil, fmt.Sprintf("step %d, %q with coins %v, is not possible", k+1, want.Event.What, want.Coins)
		case want.Event.Of != events:
			return nil, nil, fmt.Sprintf("at step %d, %d events were possible, and should be %d", k+1, want.Event.Of, events)
		case steps[at].wrong != nil && k+1 < len(p.Steps):
			return nil, nil, fmt.Sprintf("step %d ends in %v, and the path goes on", k+1, *steps[at].wrong)
		case steps[at].wrong != nil:
			return states, steps[at].wrong, ""
		}
		states = append(states, steps[at].to)
	}
	return states, nil, ""
}

func fits(coins []coin, recorded []choose.Choice) bool {
	return slices.EqualFunc(coins, recorded, func(c coin, r choose.Choice) bool {
		return c.of == r.Of && c.pick == r.Pick && (c.what == r.What || c.what == "") // times have names that only who keeps them knows
	})
}
