package search

import (
	"cmp"
	"slices"

	"macemc/internal/search/internal/run"
	"macemc/internal/search/internal/walk"
	"macemc/internal/search/internal/work"
	"macemc/internal/world"
	"macemc/trace"
)

// walks takes n random walks from the start, or more if Options.Least asks for them; it ends earlier if the search
// has enough findings or is stopped. states is the outcome of the exhaustive phase.
func (r *runner) walks(n int, states outcome) (outcome, error) {
	stop, err := r.walkAll(n, states)
	r.collect()
	if stop == StopTime && r.opts.timed() && r.stats.Walks >= defaultWalks && len(r.undecided) == 0 {
		stop = StopSpent
	}
	return stopped(stop), err
}

func (r *runner) walkAll(n int, states outcome) (Stop, error) {
	s := walk.New(r.opts.Seed)
	s.Wanted = r.wanted
	r.auditAnew()
	at := r.begins(lotEnd{far: scoutWorth, of: n, length: r.length()})
	n = at.of
	how, length := r.strategy(r.corpus), at.length
	of := n
	if r.opts.timed() {
		of = 0
	}
	r.gauge.begin(PhaseWalks, 0, of)
	defer r.Limits.Spends()
	others := &scouts{} // made when the first large lot comes: see call
	for i, far := at.next, at.far; i < n || r.further(i, &n); {
		if err := r.saves(states, lotEnd{i, far, n, length}); err != nil {
			return "", err
		}
		r.Limits.Spares()
		l, large := walk.NextLot(i, n, &r.share)
		if length.Look = 0; r.looksEarly() {
			length.Longer()
		}
		length.Around, length.Lacks = r.around(), r.stats.Waited.Lacks()
		length.Heals = walk.Heals(r.stats.Ended+r.stats.Healed, r.stats.StormSteps, r.stats.Healed, r.stats.HealSteps)
		if r.corpus == nil && r.stats.WalkSteps >= cmp.Or(r.opts.late, walk.CorpusFrom) && r.restarts() {
			r.corpus = walk.NewCorpus()
			how = r.strategy(r.corpus)
		}
		if s.Corpus = r.corpus; r.corpus != nil {
			l = l.Short()
		}
		if large && !others.called {
			if err := others.call(r); err != nil {
				return "", err
			}
			far = scoutWorth
		}
		ahead := (others.several() || large && r.opts.Afar != nil) && far >= scoutWorth
		if ahead {
			nothing, err := others.ahead(r, length, l)
			if err != nil {
				return "", err
			}
			i += nothing
			r.at(i)
		}
		for looked := false; i < l.To && !looked; i++ {
			if r.Stopped() {
				return r.Why(), nil
			}
			enough, err := false, error(nil)
			if looked, enough, err = r.walk(s, how.Plan(i, length), l.Careful(i)); err != nil {
				return "", err
			}
			switch {
			case s.Left:
				return r.Why(), nil
			case enough:
				return StopFound, nil
			}
			if r.World.Judge.CanBeLive() {
				length.Most = r.reach // false alarms make it longer
			}
			r.at(i + 1)
			looked = looked || ahead // the scouts go on behind this walk
		}
		far = i - l.From
		r.keep()
	}
	if len(r.quarantined) > 0 {
		return StopQuarantined, nil
	}
	return StopPaths, nil
}

// restarts reports whether walks may begin at states of the corpus. They may not if nodes cannot be
// copied, since recording states would then be too slow.
func (r *runner) restarts() bool {
	return r.opts.Restarts > 0 && r.opts.Walking.guided() && r.World.State.Bound() == ""
}

// remember keeps what a walk has met, and the state of the corpus at which it began, until the end of its
// lot.
func (r *runner) remember(n *walk.Notes, from int) {
	if n != nil {
		r.notes = append(r.notes, n)
	}
	if from > 0 {
		r.begun = append(r.begun, from)
		r.add(Stats{Restarted: 1})
	}
}

// shunned is added to the use count of a state of the corpus when a walk from it came to a known or
// ignored failure. So fewer walks begin there.
const shunned = 16

// shun records that a walk, which began at state number from of the corpus, came to a known or ignored
// failure. Fewer walks will begin at that state. The states that the walk met are not added to the corpus,
// since walks from them would come to the same failure.
func (r *runner) shun(from int) {
	r.remember(nil, from)
	if from > 0 {
		r.begun = append(r.begun, slices.Repeat([]int{from}, shunned)...)
	}
}

// keep adds what the walks of a lot have met to the corpus.
func (r *runner) keep() {
	if r.opts.Store != nil {
		r.past.note(r.notes, r.begun)
	}
	if r.opts.Afar != nil {
		r.untold.note(r.notes, r.begun)
	}
	for _, n := range r.notes {
		r.corpus.Add(n)
	}
	for _, k := range r.begun {
		r.corpus.Chose(k)
	}
	r.notes, r.begun = r.notes[:0], r.begun[:0]
	r.add(Stats{Kept: r.corpus.Len()})
}

// walk takes the walk of plan p. If careful is true, it audits the walk. looked reports whether the end
// of the walk was examined, and enough whether the search has enough findings.
func (r *runner) walk(s *walk.Walk, p walk.Plan, careful bool) (looked, enough bool, err error) {
	take := func() (end run.Ending, failure *trace.Failure, w *world.World) {
		before := r.counts.Steps
		end, failure, w = r.takes(s, p, careful, &r.findings)
		p = s.Plan
		r.add(Stats{WalkSteps: r.counts.Steps - before})
		return end, failure, w
	}
	end, failure, w := take()
	var early *Finding
	for s.Unlive(end, w) && early == nil {
		looked = true
		climate := r.Climate
		if early, err = r.early(func() (*Finding, error) { return r.judge(s.Answers, climate, w, w.Run.Steps(), false) }); err != nil {
			return true, false, err
		}
		if early == nil {
			p.Length.Longer()
			end, failure, w = take()
		}
	}
	r.share.Took(r.taken(w, careful), careful)
	if s.Left {
		return false, false, nil
	}
	r.add(r.opts.Walking.one(s, w))
	known := r.findings.known()
	defer func() {
		if r.findings.known() > known {
			r.shun(p.From)
		} else {
			r.remember(s.Notes(), p.From)
		}
	}()
	ignored := r.findings.ignored
	defer func() { r.add(Stats{WalksCut: r.findings.ignored - ignored}) }()
	var f *Finding
	switch {
	case early != nil:
		f = early
	case end == run.EndStopped:
		answers, steps := s.Astray()
		if answers == nil {
			return false, false, w.Run.Err()
		}
		f, err = r.hunt(answers, p.Climate, steps, "")
	case s.Well(end, w):
		return looked, false, nil
	case end == run.EndFailed:
		if r.findings.several() && !r.findings.worth(failure) {
			return true, false, nil
		}
		f, err = r.confirm(s.Answers(), r.Climate, failure)
	default:
		before := r.open()
		if f, err = r.judge(s.Answers, r.Climate, w, w.Run.Steps(), end == run.EndQuiet); f == nil && err == nil {
			if r.open() == before {
				r.alarm()
			}
			return true, false, nil
		}
	}
	if err != nil {
		return true, false, err
	}
	if r.opts.Walking.guided() && f != nil {
		f.metBy(p.Guide.Manner)
	}
	enough, err = r.note(f)
	return true, enough, err
}

// takes takes the walk of plan p. If the walk meets a known failure, it goes around that failure.
func (h *hand) takes(s *walk.Walk, p walk.Plan, careful bool, known *findings) (end run.Ending, failure *trace.Failure, w *world.World) {
	s.Detours, s.Masked = p.Length.Around, false
	for around := true; around; {
		s.Begin(p)
		end, failure, w = h.Run(s, careful)
		if around = end == run.EndFailed && known.has(failure); around {
			s.Masked = true
			p, around = s.Around(w)
		}
	}
	return end, failure, w
}

// around reports whether walks avoid the failures that are known. They do if half of the walks have met
// one since the first was found. If fewer do, avoiding failures costs more steps than taking another walk.
func (r *runner) around() bool {
	if r.findings.none() {
		r.unmasked = r.stats.Walks
	}
	return r.findings.several() && 2*r.stats.Masked >= r.stats.Walks-r.unmasked
}

// further raises n, the number of walks to take, if Least.WalkSteps asks for more, and reports
// whether it did.
func (r *runner) further(taken int, n *int) bool {
	steps, least := r.stats.WalkSteps, r.opts.Least.WalkSteps
	if steps == 0 || steps >= least { // 0 means nothing ever happens
		return false
	}
	*n += scoutMore
	if r.gauge.of < *n { // it stays, so that the remaining time can be shown
		r.gauge.goesTo(max(*n, int(float64(taken)/float64(steps)*float64(least))))
	}
	return true
}

// one returns the counts of the single walk s. The world in has the state in which the walk
// ended.
func (w Walking) one(s *walk.Walk, in *world.World) Stats {
	one := Stats{Paths: 1, Walks: 1, Detours: s.Plan.Detours()}
	if w.guided() && s.Plan.Stormy {
		one.Waited = *s.Waited()
	}
	if s.Masked {
		one.Masked = 1
	}
	one.StormSteps, one.HealSteps = s.Stormed(in)
	switch {
	case s.Plan.Ends:
		one.Ended = 1
	case s.Plan.Stormy:
		one.Healed = 1
	}
	if w.guided() {
		one.Manners = work.One(s.Plan.Guide.Manner)
	}
	return one
}

// looksEarly reports whether a walk that is not live for a while is examined before it is long enough to
// be suspected. It returns true as long as such examinations have wasted little effort (see vainLeast),
// unless Options.WalkLeast requires that walks go on.
func (r *runner) looksEarly() bool {
	return r.World.Judge.CanBeLive() && r.opts.WalkLeast == 0 && r.vain <= vainLeast+r.stats.WalkSteps/vainPart
}

// Examinations of walks before they are suspected may waste vainLeast steps plus one in vainPart of the
// steps of all walks.
const (
	vainLeast = 50_000
	vainPart  = 16
)

// early examines a walk that has not been live for a while. It returns nil if the walk may only be
// slow.
func (r *runner) early(judge func() (*Finding, error)) (*Finding, error) {
	spent := func() int {
		if r.lab == nil {
			return 0
		}
		return r.lab.Effort()
	}
	before := spent()
	f, err := judge()
	if f == nil {
		r.vain += spent() - before
	}
	return f, err
}

// length returns the length that walks have at present. It grows with each walk that was suspected
// to be dead and was not.
func (r *runner) length() walk.Length {
	short := min(walk.Least, r.reach/2)
	l := walk.Length{Least: cmp.Or(r.opts.WalkLeast, short), Most: r.reach, Glance: short, Heals: walk.Heals(0, 0, 0, 0)}
	if !r.World.Judge.CanBeLive() {
		l.Most = max(min(l.Most, 5*walk.Least), r.opts.WalkLeast)
	}
	return l
}

// walkFrom returns the plan of a walk that begins at the saved state k. c is the climate of the
// run to k: if that run may have faults, the environment heals in the first step of the walk.
func (r *runner) walkFrom(k *run.Fork, c run.Climate) walk.Plan {
	p := walk.From(k, c, r.reach)
	if r.looksEarly() {
		p.Length.Longer()
	}
	if r.opts.Walking == WalkUniform {
		p.Alike()
	}
	return p
}
