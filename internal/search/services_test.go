package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/long"
	"macemc/internal/search/internal/closure"
	"macemc/internal/search/internal/explore"
	"macemc/internal/search/internal/run"
	"macemc/internal/spec"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

// TestEnginesOnRandomServices: on random services with random budgets of faults, all engines visit the
// same states and transitions, and report the same verdict at the same depth. The answer about liveness
// is that of a simple closure, the type dumb.
func TestEnginesOnRandomServices(t *testing.T) {
	if testing.Short() {
		t.Skip("TestTogether searches random services, too")
	}
	services := long.Of(8, 300)
	met := onServices(t, services, func(*spec.Spec) bool { return true })
	for _, what := range []string{"exhausted", "exhausted within", "bounded", "safety", "panic", "dead", "dead at once", "live", "judged by the dumb closure", "some are dead"} {
		if met[what] < services/100 {
			t.Errorf("met %s %d times", what, met[what])
		}
	}
}

// effort is about the number of transitions of a service on which the engines are compared.
const effort = 700

// TestEnginesOnServicesWithTimes does the same for services that read and compare times.
func TestEnginesOnServicesWithTimes(t *testing.T) {
	onServices(t, long.Of(4, 300), func(s *spec.Spec) bool { return s.Does(spec.Before) })
}

// TestEnginesOnServicesWithOrderedTimers does the same for services whose timers fire in order.
func TestEnginesOnServicesWithOrderedTimers(t *testing.T) {
	onServices(t, long.Of(3, 300), func(s *spec.Spec) bool { return s.Paced() != nil && s.Does(spec.After) })
}

// TestEnginesOnServicesThatStore does the same for services with stable storage, which may crash in
// the middle of a step.
func TestEnginesOnServicesThatStore(t *testing.T) {
	onServices(t, long.Of(4, 300), (*spec.Spec).Stores)
}

// onServices compares the engines on the given number of services for which suits returns true. It
// returns how often it met each kind of result.
func onServices(t *testing.T, services int, suits func(*spec.Spec) bool) map[string]int {
	t.Helper()
	met := map[string]int{}
	for seed := uint64(0); services > 0; seed++ {
		s := spec.Draw(seed)
		if !suits(s) {
			continue
		}
		services--
		onService(t, seed, met)
		if t.Failed() {
			t.Fatalf("service %d: %s", seed, s)
		}
	}
	t.Log(met)
	return met
}

// conditions returns options for a search of a spec, with at most one fault of each kind that the spec
// allows, so that the states after healing are few. Walks are few and short.
func conditions(s *spec.Spec) Options {
	faults := s.Faults()
	for _, n := range []*int{&faults.Crash, &faults.Down, &faults.Reset, &faults.Loss, &faults.Dup, &faults.Partition, &faults.OneWay, &faults.Rare, &faults.Pause, &faults.Disk} {
		if *n != 0 {
			*n = 1
		}
	}
	return Options{once: true, NoWalks: true, EvidenceWalks: 3, WalkSteps: 50, Conditions: sim.Conditions{
		Network: s.Links(), Faults: &faults, Early: s.Early, DiskReorder: s.AnyOrder, FreeTimers: s.FreeTimers,
	}}
}

func onService(t *testing.T, seed uint64, met map[string]int) {
	t.Helper()
	s := spec.Draw(seed)
	opts := conditions(s)
	scout := opts
	scout.Effort, scout.Engine = effort, EngineLocal
	res, err := Search(s.System(), scout)
	if err != nil && strings.Contains(err.Error(), "changes nothing") {
		opts.DiskReorder, scout.DiskReorder = false, false
		res, err = Search(s.System(), scout)
	}
	if err != nil && strings.Contains(err.Error(), "cannot happen") {
		opts.Faults, scout.Faults = &sim.Faults{Crash: 1}, &sim.Faults{Crash: 1}
		res, err = Search(s.System(), scout)
	}
	if err != nil {
		t.Error(err)
		return
	}
	opts.Effort = 1 << 30
	if res.Stop == StopDepth {
		opts.Depth = max(1, res.Safety.Depth)
	}
	var first, exact string
	engines := []Engine{EngineReference, EngineLocal, EngineMemo}
	if seed%5 == 0 {
		engines = append(engines, "local, 3 workers", "memo, 3 workers")
	}
	for _, engine := range engines {
		opts.Engine, opts.Workers, opts.team = engine, 1, 1
		if name, _, several := strings.Cut(string(engine), ","); several {
			opts.Engine, opts.Workers = Engine(name), 3
		}
		res, err := Search(s.System(), opts)
		if err != nil {
			t.Errorf("%s: %v", engine, err)
			return
		}
		whole := res.Finding == nil && opts.Depth == 0 || res.Finding != nil && res.Finding.whole
		told := ""
		switch f := res.Finding; {
		case f == nil || whole: // exact: what is found on the whole space, only the exact engines find
			told = fmt.Sprintf("%d states, %d transitions, safety %s", res.Stats.States, res.Stats.Transitions, res.Safety.State)
		default: // the engines stop at different places of the last level
			told = fmt.Sprintf("%s at step %d", f.Verdict, f.Step)
		}
		said := tellExact(res, whole)
		switch engine {
		case EngineReference:
			first = told
		case EngineLocal:
			exact = said
		}
		if told != first {
			t.Errorf("%s: %s; the reference: %s", engine, told, first)
		}
		if engine != EngineReference && said != exact {
			t.Errorf("%s: %s; local: %s", engine, said, exact)
		}
		if engine == EngineMemo {
			noteResult(res, whole, met)
			if whole && res.Stats.States <= 300 && (res.Finding == nil || res.Finding.Verdict == trace.VerdictDead) {
				againstDumb(t, s, opts, res, met)
			}
		}
	}
}

// tellExact returns the answer about liveness of an engine that decides it exactly, as text. whole says
// whether the whole space was visited; if it is false, findings are not compared.
func tellExact(res *Result, whole bool) string {
	if res.Finding == nil || !whole {
		return fmt.Sprintf("liveness %s", res.Liveness.State)
	}
	f := res.Finding
	return fmt.Sprintf("%s at step %d, proved %v, about %s", f.Verdict, f.Step, f.Proved, f.Property)
}

func noteResult(res *Result, whole bool, met map[string]int) {
	f := res.Finding
	switch {
	case f == nil:
		met[string(res.Safety.State)]++
		if res.Liveness.State == StateExhausted {
			met["live"]++
		}
	case f.Verdict == trace.VerdictDead && !whole:
		met["dead at once"]++
	default:
		met[f.Verdict.String()]++
	}
}

// againstDumb compares the result of a search that decided liveness exactly with the type dumb: the
// verdict, the depth of the nearest dead state, the critical step, and the set of dead states.
func againstDumb(t *testing.T, s *spec.Spec, opts Options, res *Result, met map[string]int) {
	t.Helper()
	d := newDumb(t, s.System(), opts)
	if !d.w.Judge.CanBeLive() {
		return
	}
	met["judged by the dumb closure"]++
	d.space()
	if len(d.depth) != res.Stats.States {
		t.Errorf("the dumb space has %d states, and %d were visited", len(d.depth), res.Stats.States)
	}
	dead, nearest := d.dead()
	if len(dead) > 0 {
		met["some are dead"]++
	}
	switch f := res.Finding; {
	case f == nil && nearest >= 0:
		t.Errorf("a state %d steps away is dead, and nothing is found", nearest)
	case f != nil && f.Step != nearest:
		t.Errorf("found is a dead state %d steps away, and the nearest is %d away", f.Step, nearest)
	case f != nil:
		// The critical step is the one after which the path never recovers: what
		// is neither live nor judged is no death, but no recovery either.
		critical := 0
		for step, h := range d.along(f.Path) {
			if !d.lost[h] {
				critical = step + 1
			}
		}
		if f.Critical == nil || !f.Critical.Exact || f.Critical.Step != critical {
			t.Errorf("the critical step is %+v, and should be %d", f.Critical, critical)
		}
	}
	for _, engine := range []Engine{EngineLocal, EngineMemo} {
		opts.Engine = engine
		if got := deadStates(t, s.System(), opts); !sameStates(got, dead) {
			t.Errorf("%s: %d states are dead, and should be %d", engine, len(got), len(dead))
		}
	}
}

func sameStates(a, b map[canon.Hash]bool) bool {
	for h := range a {
		if !b[h] {
			return false
		}
	}
	return len(a) == len(b)
}

// rooted returns a runner, and an explorer without states. The method Roots of the explorer adds the first ones.
func rooted(t *testing.T, sys *sim.System, opts Options) (*runner, *explore.Explorer) {
	t.Helper()
	r, err := newRunner(sys, opts)
	if err != nil {
		t.Fatal(err)
	}
	x, err := r.owner.NewExplorer(run.Climate{Faults: r.Stormy(), Heal: -1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r, x
}

// explored returns a runner, and an explorer that has visited all states.
func explored(t *testing.T, sys *sim.System, opts Options) (*runner, *explore.Explorer) {
	t.Helper()
	r, x := rooted(t, sys, opts)
	if opts.Engine == EngineMemo && !r.Always {
		x.ByMemo()
	}
	if bad, err := r.owner.Guarded(x.Taker, func() error {
		if err := x.Roots(); err != nil {
			return err
		}
		for s := range x.Each {
			if !x.Outside(s) {
				if err := x.Expand(s); err != nil {
					return err
				}
			}
			if err := x.Settle(); err != nil {
				return err
			}
		}
		return nil
	}); err != nil || bad != nil {
		t.Fatal(err, bad)
	}
	return r, x
}

// deadStates returns the states of an exhausted space that package closure finds dead.
func deadStates(t *testing.T, sys *sim.System, opts Options) map[canon.Hash]bool {
	t.Helper()
	r, x := explored(t, sys, opts)
	all := map[canon.Hash]bool{}
	g, err := closure.New(&r.owner, x)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if _, err := r.owner.Guarded(g.Taker, func() error { return g.Resolve(x) }); err != nil {
		t.Fatal(err)
	}
	for s := range x.Each {
		if g.Dead(x, s) {
			x.Get(s, x.To)
			all[x.Sum(x.To)] = true
		}
	}
	return all
}

// dumb computes the dead states of a space in the simplest way. To come to a state, it takes the whole
// run to it again from the start, and it knows a state by its hash alone. So it is slow, but hardly
// has room for mistakes.
type dumb struct {
	t     *testing.T
	w     *world.World
	depth map[canon.Hash]int // of the states of the space
	paths []dumbPath         // one path to each state of the space, in order of depth

	good   map[canon.Hash]bool         // healed states that are live, or not judged
	live   map[canon.Hash]bool         // healed states that are live
	beyond bool                        // the service may fail on the paths that are taken now: they are outside of Within
	lost   map[canon.Hash]bool         // states whose healed form reaches no live one
	to     map[canon.Hash][]canon.Hash // healed states, by steps that are not rare
}

// dumbPath is a run: its answers, and the step at which it heals, or -1 if it does not.
type dumbPath struct {
	answers []int
	steps   int
	heal    int
}

func newDumb(t *testing.T, sys *sim.System, opts Options) *dumb {
	t.Helper()
	w, err := world.New(sys, sim.Params{}, world.Config{Conditions: sim.Conditions{Faults: opts.Faults, Early: opts.Early, Network: opts.Network, DiskReorder: opts.DiskReorder}})
	if err != nil {
		t.Fatal(err)
	}
	return &dumb{t: t, w: w, depth: map[canon.Hash]int{}, good: map[canon.Hash]bool{}, live: map[canon.Hash]bool{}, lost: map[canon.Hash]bool{}, to: map[canon.Hash][]canon.Hash{}}
}

// odd is a source that gives the answers of a list, and then 0. It records for each question the number
// of alternatives.
type odd struct {
	given  []int  // the answers
	of     []int  // by question: the number of alternatives
	event  []bool // by question: it asked for an event
	failed bool   // the service failed in the run
}

func (o *odd) Answer(q *choose.Question) int {
	k := 0
	if at := len(o.of); at < len(o.given) {
		k = o.given[at]
	} else {
		o.given = append(o.given, 0)
	}
	o.of, o.event = append(o.of, q.N), append(o.event, q.Kind == choose.Event)
	return k
}

func (o *odd) Err() error { return choose.ErrEnd }

// run takes the run of a path. It returns the source, which has all answers and the numbers of
// alternatives.
func (d *dumb) run(p dumbPath) *odd {
	src := &odd{given: slices.Clone(p.answers)}
	f := d.w.Protect(func() {
		d.w.Start(src)
		for step := range p.steps {
			if step == p.heal {
				d.w.Heal(src)
			} else {
				d.w.Step(src)
			}
		}
	})
	if src.failed = f != nil; src.failed && d.beyond {
		return src
	}
	if f != nil || d.w.Run.Err() != nil {
		d.t.Fatalf("a path of the dumb space fails: %+v %v", f, d.w.Run.Err())
	}
	return src
}

// each takes every run of p.steps steps that begins with the answers of p, one for each combination of
// the answers to later coins, and calls do after it.
func (d *dumb) each(p dumbPath, do func(p dumbPath)) {
	for answers := p.answers; ; {
		src := d.run(dumbPath{answers, p.steps, p.heal})
		if !src.failed {
			do(dumbPath{slices.Clone(src.given), p.steps, p.heal})
		}
		last := len(src.of) - 1
		for last >= len(p.answers) && src.given[last]+1 == src.of[last] {
			last--
		}
		if last < len(p.answers) {
			return
		}
		answers = append(slices.Clone(src.given[:last]), src.given[last]+1)
	}
}

// space finds all states.
func (d *dumb) space() {
	visit := func(p dumbPath) {
		if h := d.w.State.Hash(); !d.has(h) {
			d.depth[h] = p.steps
			d.paths = append(d.paths, p)
		}
	}
	d.each(dumbPath{nil, 0, -1}, visit)
	for i := 0; i < len(d.paths); i++ {
		p := d.paths[i]
		d.run(p)
		if !d.w.Judge.Within() {
			continue
		}
		for k := range d.w.Events.Count() {
			d.each(dumbPath{append(slices.Clone(p.answers), k), p.steps + 1, -1}, visit)
		}
	}
}

func (d *dumb) has(h canon.Hash) bool {
	_, known := d.depth[h]
	return known
}

// beyond is the number of healed states up to which dumb takes the steps of states outside of Within.
// These states count as good in any case, but their steps may lead to live states inside.
const beyond = 3_000

// dead returns the states whose healed form reaches no good state, and the depth of the nearest
// of them that counts for liveness, or -1 if there is none.
func (d *dumb) dead() (dead map[canon.Hash]bool, nearest int) {
	healed := map[canon.Hash]canon.Hash{}
	var paths []dumbPath
	visit := func(p dumbPath) {
		h := d.w.State.Hash()
		if _, known := d.to[h]; !known {
			d.to[h] = nil
			d.live[h] = d.w.Judge.Live()
			d.good[h] = d.live[h] || !d.w.Judge.Assumed() || !d.w.Judge.Within()
			paths = append(paths, p)
		}
	}
	for _, p := range d.paths {
		d.run(p)
		h := d.w.State.Hash()
		p = dumbPath{append(slices.Clone(p.answers), 0), p.steps + 1, p.steps}
		d.run(p)
		healed[h] = d.w.State.Hash()
		visit(p)
	}
	for i := 0; i < len(paths); i++ {
		p := paths[i]
		d.run(p)
		from := d.w.State.Hash()
		if !d.w.Judge.Within() && len(paths) > beyond {
			continue
		}
		d.beyond = !d.w.Judge.Within() // where the service may fail: that is no recovery
		var common []int
		for k := range d.w.Events.Count() {
			if !d.w.Events.Rare(k) {
				common = append(common, k)
			}
		}
		for _, k := range common {
			d.each(dumbPath{append(slices.Clone(p.answers), k), p.steps + 1, p.heal}, func(p dumbPath) {
				visit(p)
				d.to[from] = append(d.to[from], d.w.State.Hash())
			})
		}
	}
	d.beyond = false
	d.spread(d.good)
	d.spread(d.live)
	dead, nearest = map[canon.Hash]bool{}, -1
	for _, p := range d.paths {
		d.run(p)
		h := d.w.State.Hash()
		d.lost[h] = !d.live[healed[h]]
		if !d.good[healed[h]] {
			dead[h] = true
			if d.w.Judge.Assumed() && nearest < 0 {
				nearest = p.steps
			}
		}
	}
	return dead, nearest
}

// spread adds to a set all states from which one of it can be reached.
func (d *dumb) spread(set map[canon.Hash]bool) {
	for changed := true; changed; {
		changed = false
		for h, successors := range d.to {
			if !set[h] && slices.ContainsFunc(successors, func(s canon.Hash) bool { return set[s] }) {
				set[h], changed = true, true
			}
		}
	}
}

// along returns the states of a recorded path, beginning with that after the start.
func (d *dumb) along(path *choose.Path) (all []canon.Hash) {
	src := choose.NewReplay(path)
	d.w.Protect(func() {
		d.w.Start(src)
		all = append(all, d.w.State.Hash())
		for range path.Steps {
			d.w.Step(src)
			all = append(all, d.w.State.Hash())
		}
	})
	return all
}
