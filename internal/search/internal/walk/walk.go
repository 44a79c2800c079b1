package walk

import (
	"macemc/choose"
	"macemc/internal/search/internal/run"
	"macemc/internal/world"
)

// Walk takes walks, one after another, each by its plan. The plan does not change during a walk;
// the other fields describe the walk's progress.
type Walk struct {
	*choose.Walk
	Plan   Plan
	seed   uint64
	Wanted func() bool // reports whether the walk should go on; called now and then; nil means always
	Corpus *Corpus     // the corpus for which states are recorded, or nil

	Live   bool // the walk ended at a live state or, with Length.Exempt, at one that does not count for liveness
	Left   bool // the walk ended because Wanted returned false
	w      *world.World
	guide  guiding
	guided bool // the guide picks the next event
	judged bool // the depth Plan.Judged is reached
	more   int  // number of steps after Plan.Judged at which the next look for a live state before the end is due, or 0
	before int  // number of answers before the environment healed
	spell  int  // number of steps since the last live state
	Spell  int  // the length of the longest sequence of states that are not live and come before a live state

	Masked  bool   // for the caller: the walk has met a failure that is known
	Detours bool   // record what the walk needs to go around a failure
	marks   []mark // one for each state from depth first on
	first   int    // the depth of the first state that has a mark

	next   int              // the number of the event that must be taken next, beyond the end of the walk, or none
	led    int              // number of answers given on the way to a kept state
	astray *choose.Mismatch // the question that did not fit the next of these answers, or nil
	met    []note           // states that may be added to the corpus
	closed bool             // met takes no more states
}

// New returns a Walk. Its random numbers depend on the seed and on the plan.
func New(seed uint64) *Walk { return &Walk{Walk: choose.NewWalk(seed), seed: seed} }

// Begin makes plan p that of the next walk.
func (s *Walk) Begin(p Plan) {
	s.Plan = p
	s.Restart(s.seed, p.Number)
	s.Rare, s.Stuck, s.Uniform = false, p.Storm.Stuck, p.Uniform
	if s.guided = false; p.Guide.Until > 0 {
		s.guide.begin(p.Guide)
	}
	s.led, s.astray, s.met, s.closed = 0, nil, s.met[:0], false
	s.Live, s.Left, s.judged, s.more, s.before = false, false, false, 0, 0
	s.spell, s.Spell, s.next = 0, 0, none
	s.marks = s.marks[:0]
}

// Fork returns the state at which the walk begins, or nil for the start.
func (s *Walk) Fork() *run.Fork { return s.Plan.Begin }

// Weather returns the climate of the walk.
func (s *Walk) Weather() run.Climate { return s.Plan.Climate }

// Visit records what it needs of the state w, and reports whether the walk goes on.
func (s *Walk) Visit(w *world.World, depth int) bool {
	s.judged, s.w = depth >= s.Plan.Judged, w
	if s.Detours {
		s.mark(w, depth)
	}
	s.guided = depth < s.Plan.Guide.Until
	if s.Corpus != nil && s.guided && s.Plan.keeps && depth > s.Plan.near {
		s.note(w, depth)
	}
	if s.Plan.Ends && !s.guided {
		return false
	}
	if heal := s.Plan.Climate.Heal; heal >= 0 {
		if depth < heal {
			s.Rare = !s.guided && s.Plan.Storm.gust(depth)
			s.Uniform = s.Rare || s.Plan.Uniform
			return s.goesOn(depth)
		}
		if depth == heal {
			s.before = len(s.Picks())
		}
		s.Rare, s.Stuck, s.Uniform = false, false, s.Plan.Uniform
	}
	depth -= s.Plan.Judged
	if !s.goesOn(depth) {
		return false
	}
	l := &s.Plan.Length
	if l.Spells {
		s.spells(w)
		return depth < l.Most
	}
	switch {
	case depth >= l.Least:
		if w.Judge.CanBeLive() && (w.Judge.Live() || l.Exempt && !w.Judge.Assumed()) {
			s.Live = true
			return false
		}
	case l.Glance > 0 && depth >= max(l.Glance, s.more) && w.Judge.CanBeLive():
		if w.Judge.Live() || !w.Judge.Assumed() {
			s.more = min(l.Least, depth+l.Most)
		}
	}
	end := s.more + l.until()
	return depth < end || s.waits(w, depth-end)
}

// spells counts the states since the last live one. At a live state, it updates Spell, the largest
// such number.
func (s *Walk) spells(w *world.World) {
	if w.Judge.CanBeLive() && w.Judge.Live() {
		s.Spell, s.spell = max(s.Spell, s.spell), 0
	} else {
		s.spell++
	}
}

// goesOn reports whether the walk is still wanted. It asks Wanted only now and then.
func (s *Walk) goesOn(depth int) bool {
	s.Left = depth&63 == 63 && s.Wanted != nil && !s.Wanted()
	return !s.Left
}

// Answer draws the answer to q, or lets the picker pick it. The question of the step in which the
// environment heals asks for no event, and has no weights.
func (s *Walk) Answer(q *choose.Question) int {
	if s.leads() {
		return s.follow(q)
	}
	if k := s.next; k != none && q.Kind == choose.Event {
		s.next = none
		s.Take(q, k)
		return k
	}
	if s.guided && q.Runs != nil {
		if d := s.Plan.detour; d != nil && q.Kind == choose.Event {
			q = d.without(s.w, q, &s.guide)
		}
		return s.guess(q)
	}
	if s.Plan.Picker != nil && s.judged && q.Kind == choose.Event && q.Runs != nil {
		return s.Plan.Picker.Pick(s.w, q, s.Walk)
	}
	return s.Walk.Answer(q)
}

// guess answers q while the guide picks the events. If q asks for a coin and the walk may have
// faults, one answer in four is drawn from all answers, with equal chances. Only such an answer can
// be one that counts as a fault and spends its budget.
func (s *Walk) guess(q *choose.Question) int {
	if q.Kind == choose.Event {
		return s.guide.pick(s.w, q, s.Walk)
	}
	s.Rare = s.Plan.Climate.Faults && s.guide.below(4) == 0
	s.Uniform = s.Rare
	a := s.Walk.Answer(q)
	s.Rare, s.Uniform = false, s.Plan.Uniform
	return a
}

// Answers returns the answers of the whole run, from its start.
func (s *Walk) Answers() choose.Source {
	answers := choose.NewRaw(s.Picks())
	if s.Plan.Begin != nil {
		return s.Plan.Begin.Then(answers)
	}
	return answers
}

// Choices returns the number of questions with more than one alternative that the walk has answered
// since its storm.
func (s *Walk) Choices() (n int) {
	for _, p := range s.Picks()[s.before:] {
		if p.Of > 1 {
			n++
		}
	}
	return n
}

// Stormed returns how many steps the walk, which ended in w, took in its storm, and how many after
// it.
func (s *Walk) Stormed(w *world.World) (storm, behind int) {
	if !s.Plan.Stormy {
		return 0, 0
	}
	return max(0, min(w.Run.Steps(), s.Plan.Judged)-s.Plan.near), max(0, w.Run.Steps()-s.Plan.Judged)
}

// Unlive reports whether the walk ended only so that its last state is examined. If so, it may be
// continued.
func (s *Walk) Unlive(end run.Ending, w *world.World) bool {
	return s.Plan.Length.Look > 0 && end == run.EndLeft && !s.Left && !s.Well(end, w)
}

// Well reports whether the end of the walk needs no examination.
func (s *Walk) Well(end run.Ending, w *world.World) bool {
	switch end {
	case run.EndLeft:
		if s.Plan.Ends {
			return true
		}
	case run.EndFailed, run.EndStopped:
		return false
	case run.EndQuiet:
		if w.Judge.Live() {
			return true
		}
	}
	return s.Live || !w.Judge.CanBeLive() || !w.Judge.Assumed()
}
