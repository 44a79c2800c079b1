package critical

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"slices"

	"macemc/choose"
	"macemc/internal/decide"
	"macemc/internal/search"
	"macemc/internal/wording"
	"macemc/sim"
	"macemc/trace"
)

// These constants say how many walks, or states, confirm that a run without some steps is still dead. A few walks
// suffice to remove a step.
const (
	acceptShare  = 6  // now and then the run is examined by EvidenceWalks/acceptShare walks (see trust)
	confirmTimes = 10 // the final run is confirmed by confirmTimes times as many walks, none of which may recover
	sureWays     = 4  // with this many ways (see shrinker.revivals) or more, the method sure searches among them by halving

	exhaustSmall = 5_000 // the largest number of states, after healing, that are visited to decide about one candidate
)

// triesMost is the number of times that a candidate is taken if the same run does not fail each time, as with
// nondeterminism.
const triesMost = 8

// Shrink makes the run of a finding shorter. It cuts a dead run off after the critical step, and then removes steps
// as long as the remaining run ends with the same verdict and the same critical event. Values in that event may
// change; if Options.Any is set, another event may become critical. If the critical step is not known, its event is
// not kept either. The returned finding is never longer. Result.Stopped says that not everything was tried; even
// then a dead run ends with its critical step.
func Shrink(sys *sim.System, f *search.Finding, opts Options) (*Result, error) {
	return inLab(sys, f, opts, func(b *bench) (*Result, error) { return b.shrink(&Result{Finding: f}) })
}

// shrink removes steps from the run of the finding in of. If a walk recovers from the state after the critical
// step, that step was wrong: shrink then looks for the critical step again, and begins anew.
func (b *bench) shrink(of *Result) (*Result, error) {
	f := of.Finding
	if f.Verdict == trace.VerdictHot {
		return b.heated(f, true)
	}
	if !shrinkable(f) {
		return &Result{Finding: f}, nil
	}
	p, err := b.open(f, 1)
	if err != nil {
		return nil, err
	}
	s := newShrinker(p, f)
	stopped := func(err error) bool { return errors.Is(err, errEnough) || errors.Is(err, search.ErrStopped) }
	if of.escape != nil && s.keep {
		if err := s.begins(f.Critical.Step-1, *of.escape); err != nil {
			return nil, err
		}
	}
	tried, err := s.shrink(), error(nil)
	var short *search.Finding
	if tried == nil || stopped(tried) {
		short, err = s.sure()
	}
	if err = cmp.Or(err, tried); err == errRefuted {
		return s.relocated()
	}
	if err != nil && !stopped(err) {
		return nil, err
	}
	cut := err != nil
	if short == nil && cut {
		short = s.cut
	}
	if short == nil || len(short.Path.Steps) >= len(f.Path.Steps) {
		short = f
	}
	return &Result{Finding: short, Others: s.others, Stopped: cut, escape: s.escape}, nil
}

// errEnough ends shrinking: the shortest run so far is the result. errRefuted ends it because the state after the
// critical step can recover, so the run must not be cut off there.
var (
	errEnough  = errors.New("enough")
	errRefuted = errors.New("the state after the critical step can recover")
)

// relocated looks for the critical step again, and then shrinks the run. It is called when a walk has shown that the
// state after the step that seemed critical can recover. Since the effort so far was spent on the wrong step,
// relocated raises the limit on the effort by half.
func (s *shrinker) relocated() (*Result, error) {
	f := *s.want
	if f.Evidence != nil && f.Evidence.From == f.Critical.Step {
		f.Evidence = nil
	}
	f.Critical, f.Avoided = nil, nil
	if more := s.opts.extend(); more > 0 { // since the effort so far was spent on the wrong step
		s.Allow(more)
	}
	out, err := s.result(f, false, true)
	if err != nil || out.Alive || out.Stopped {
		return out, err
	}
	short, err := s.bench.shrink(out)
	if err == nil {
		short.Others = slices.Concat(s.others, out.Others, short.Others)
	}
	return short, err
}

// shrinkable reports whether a finding's run can be made shorter. It cannot be if every run is dead from the
// start, or if the run cannot be taken to its end again.
func shrinkable(f *search.Finding) bool {
	switch f.Verdict {
	case trace.VerdictDead:
		return f.Critical == nil || f.Critical.Step > 0
	case trace.VerdictKilled:
		return false
	case trace.VerdictDivergence:
		return f.Trace != nil
	default:
		return f.Verdict != trace.VerdictNone
	}
}

// shrinker removes steps from the run of a finding.
type shrinker struct {
	*finder
	want     *search.Finding // the finding that is to be shown by a shorter run
	keep     bool            // the last step of the run must stay its last step, and critical
	accept   int             // the number of walks by which a candidate is examined
	trust    trust
	recovery int           // number of steps of the slowest known recovery from a state before the critical step, or 0
	tries    int           // how many times a candidate is run
	manner   decide.Manner // the manner of the last walk that showed the last step to be critical
	vast     bool          // decide.Most states were too few to decide exactly about a candidate, so at most exhaustSmall are visited for the others
	ends     ends          // what was decided about the ends of candidates
	careful  bool
	how      search.Following
	longer   int // a candidate may replace the present run if it has at most this many steps more; -1 means that it must be shorter
	until    int // the effort of the lab at which nothing more is tried
	draws    draws
	least    int             // if the present run has this length, no run of events of its forms that fails in the same way is shorter
	best     []*candidate    // the accepted runs, each shorter than the one before
	cut      *search.Finding // the run up to its critical step, with the evidence for that step, or nil if the step is not known
	walks    int             // the number of walks in which the state before the last step has to recover, or 0 if no candidate's has recovered yet
	way      []choose.Step   // the last way by which a candidate recovered from the state before its last step
	wayFound []choose.Step   // the way by which the finding's run recovered from the state before its critical step, if it is known
	revivals [][]choose.Step // the ways by which candidates recovered from their ends, although they had been accepted by few walks
	escape   *search.Success // for the run that was confirmed last: a walk that became live from the state before its last step, or nil
	round    uint16
	ways     uint16          // the number of times that walks for shortcuts were taken
	tried    map[uint64]bool // the runs that were tried, by their hash
	met      map[string]bool // the kinds of other failures that were met
	others   []*search.Finding
}

func newShrinker(p *finder, f *search.Finding) *shrinker {
	s := &shrinker{
		finder: p, want: f, keep: !p.survive() && f.Critical != nil && !p.opts.Any,
		accept: max(1, p.opts.Search.EvidenceWalks/acceptShare),
		tries:  1,
		longer: -1,
		tried:  map[uint64]bool{},
		met:    map[string]bool{},
		ends:   ends{map[any]believed{}, map[any][]choose.Step{}},
	}
	if f.Verdict == trace.VerdictNondeterminism || f.Verdict == trace.VerdictGoroutine {
		s.tries = triesMost
	}
	s.trust = trust{walks: min(s.accept, trustFew), sure: 1, after: 1}
	s.careful = f.Verdict != trace.VerdictDead && f.Verdict != trace.VerdictSafety && f.Verdict != trace.VerdictPanic && f.Verdict != trace.VerdictUnhandled && f.Verdict != trace.VerdictDivergence
	return s
}

// candidate is a run that may replace the present one. It is shorter, except while drift changes the run.
type candidate struct {
	*search.Case
	proved bool // it is known to be dead, by visiting all states that can follow
}

// Removing steps may take an effort of shrinkMost or, if that is more, of Options.Effort divided by shrinkTimes.
const (
	shrinkMost  = 1_500_000
	shrinkTimes = 8
)

// shrink removes steps in this order: everything after the critical step at once, then the faults, the nodes,
// whole rounds, and stretches of steps, shorter and shorter until no stretch can go (see descend). Then it
// looks for a few shortcuts, searches short runs exhaustively, moves steps at random (see drift), and removes steps that
// are alike. At the end, it looks for more shortcuts, and searches around the end of the run (see around).
func (s *shrinker) shrink() (err error) {
	s.until = s.lab.Effort() + max(shrinkMost, s.opts.Effort/shrinkTimes)
	steps := s.of.Steps()
	if c := s.want.Critical; s.want.Verdict == trace.VerdictDead && c != nil {
		steps = c.Step
		if s.recovery, err = s.Pace(); err != nil {
			return err
		}
	}
	if ok, err := s.try(s.of, all(steps)); err != nil || !ok {
		return err
	}
	if err := s.keepCut(); err != nil {
		return err
	}
	for _, pass := range []func() error{s.descend, s.firstShortcuts, s.exhaust, s.drifts, s.shortcuts, s.around} {
		if err = pass(); err != nil {
			break
		}
	}
	if lost := s.examine(1); lost != nil {
		return lost
	}
	return err
}

// followings are the ways in which a run is taken after some of its steps were removed. With InCones, the steps that
// a removed step caused are removed, too, for example the whole round of a request. With ByCause, a message or
// task is replaced by the one that the same step sends or posts now, so that it may have other numbers in it. With
// ByForm, an impossible step is replaced by a similar one: without one election, the next one has an earlier term.
// With ByIdentity, nothing is replaced; some runs become shorter only in this way.
var followings = []search.Following{search.InCones, search.ByCause, search.ByForm, search.ByIdentity}

// descend calls the passes that remove much at little cost, until none of them removes a step.
func (s *shrinker) descend() error {
	return s.each(func() error { return s.repeat(s.faults, s.nodes, s.rounds, s.stretches) })
}

// aligned calls the passes of descend, and classmates, until none of them removes a step.
func (s *shrinker) aligned() error {
	return s.each(func() error { return s.repeat(s.faults, s.nodes, s.rounds, s.stretches, s.classmates) })
}

// each calls a pass once with each of the followings (the ways to replace steps that have become impossible), and
// begins again until a whole round of these calls does not make the run shorter.
func (s *shrinker) each(pass func() error) error {
	for {
		before := s.length()
		for _, s.how = range followings {
			if err := pass(); err != nil {
				return err
			}
		}
		if s.length() == before {
			return nil
		}
	}
}

// repeat calls the passes in turn, again and again, until none of them removes a step.
func (s *shrinker) repeat(passes ...func() error) error {
	for {
		before := s.length()
		for _, pass := range passes {
			if err := pass(); err != nil {
				return err
			}
		}
		if s.length() == before {
			return nil
		}
	}
}

// drifts calls drift, waits and aligned by turns, until none of them makes the run shorter. These passes only move
// and remove steps. So drifts does nothing if an exhaustive search has shown that no run of such steps is shorter.
func (s *shrinker) drifts() error {
	if s.least == s.length() {
		return nil
	}
	return s.repeat(s.drift, s.waits, s.aligned)
}

// keepCut sets s.cut to the finding with its dead run cut off after the critical step. The evidence about the
// state after that step becomes the evidence about the end of the run, so no more walks are needed.
func (s *shrinker) keepCut() error {
	w := s.want
	if !s.keep || w.Verdict != trace.VerdictDead || s.length() != w.Critical.Step {
		return nil
	}
	if !w.Critical.Exact && (w.Evidence == nil || w.Evidence.From != w.Critical.Step) {
		return nil
	}
	f, err := s.lab.ConfirmCase(s.now().Case)
	if err != nil || f.Verdict != w.Verdict {
		return err
	}
	f.Decided(&decide.Result{Proved: w.Proved, Evidence: w.Evidence, Critical: w.Critical})
	s.cut = f
	return nil
}

func (s *shrinker) now() *candidate { return s.best[len(s.best)-1] }

func (s *shrinker) length() int { return s.now().Steps() }

// try takes some steps of a run as a new run: those whose indices in the run are in kept, as far as they are
// possible. If the new run fails in the same way and is short enough, it replaces the present run, and try returns
// true.
func (s *shrinker) try(of *search.Case, kept []int) (bool, error) {
	if len(s.best) > 0 && s.enough() { // the first candidate, which cuts off all steps after the critical one, is always tried
		return false, errEnough
	}
	for range s.tries {
		c, err := s.take(of, kept)
		if err != nil {
			return false, err
		}
		if c == nil || len(s.best) > 0 && !s.shorter(c) || s.known(c) {
			continue
		}
		walks := s.trust.walks
		if len(s.best) == 0 {
			walks = s.accept
		}
		ok, err := s.stands(c, walks, saltShrink)
		if err != nil {
			return false, err
		}
		if ok {
			if s.survive() && len(s.best) > 0 && c.Steps() >= s.length() {
				s.best = s.best[:len(s.best)-1]
			}
			s.best = append(s.best, c)
			s.tell(Progress{Doing: DoingShrink, High: c.Steps(), Of: s.of.Steps()})
			return true, s.examine(s.trust.after)
		}
	}
	return false, nil
}

// shorter reports whether a candidate is short enough to replace the present run.
func (s *shrinker) shorter(c *candidate) bool { return c.Steps() <= s.length()+s.longer }

// enough reports whether shrinking has to end, because the caller asks for that or the effort is spent.
func (s *shrinker) enough() bool {
	return s.lab.Effort() >= s.until && s.opts.Effort > 0 || s.Stopped(shrinkPart) || s.opts.Enough != nil && s.opts.Enough()
}

// all returns the numbers from 0 to n-1.
func all(n int) []int {
	kept := make([]int, n)
	for i := range kept {
		kept[i] = i
	}
	return kept
}

// known reports whether c was tried before, and records that it is tried now. Removing different steps may lead
// to the same run, since steps that become impossible are removed, too.
func (s *shrinker) known(c *candidate) bool {
	if s.tries > 1 { // the same run may end differently
		return false
	}
	h := fnv.New64a()
	for _, step := range c.Path.Steps {
		io.WriteString(h, step.Event.What+"\n")
		for _, coin := range step.Coins {
			io.WriteString(h, coin.What+"\t")
		}
	}
	sum := h.Sum64()
	known := s.tried[sum]
	s.tried[sum] = true
	return known
}

// take takes some steps of a run as a new run: those whose indices in the run are in kept, as far as they are
// possible. It returns the new run as a candidate, or nil if it does not end in the same way as the finding's.
func (s *shrinker) take(of *search.Case, kept []int) (*candidate, error) {
	c, taken, err := s.lab.Try(of, kept, s.how, s.careful, s.survive())
	if err != nil || c == nil {
		return nil, err
	}
	last := ""
	if len(taken) > 0 && taken[len(taken)-1] == len(kept)-1 {
		last = of.Path.Steps[kept[len(kept)-1]].Event.What
	}
	return s.fails(c, last), nil
}

// fails makes a candidate of a run that was taken. It returns nil if the run does not fail in the same way as the
// finding. last is the event of the last step that was to be taken, or "" if that step was not possible.
func (s *shrinker) fails(of *search.Case, last string) *candidate {
	if s.survive() {
		if f := of.Failure; f == nil || f.Verdict != s.want.Verdict || f.Property != s.want.Property {
			return nil
		}
		return &candidate{Case: of}
	}
	n := of.Steps()
	switch {
	case !of.MayBeDead():
		return nil
	case s.keep && (n == 0 || last == "" || wording.Alike(of.Path.Steps[n-1].Event.What) != wording.Alike(last)):
		return nil
	}
	return &candidate{Case: of}
}

// stands reports whether a candidate is dead and, if s.keep is set, whether its last step is critical. It decides
// that exactly or by the given number of walks. It uses an earlier decision about the same state, unless that was
// made by fewer walks. A candidate that ends in a failure, and not dead, always stands.
func (s *shrinker) stands(c *candidate, walks int, salt uint16) (ok bool, err error) {
	if s.survive() {
		return true, nil
	}
	most := min(s.opts.Exhaust, exhaustSmall)
	if walks < s.accept && len(s.best) > 0 && !s.now().proved { // an earlier candidate had too many states to decide exactly, and so would this one
		most = -1
	}
	d := s.decider(c, walks, most)
	if ok = true; s.keep && !c.Live[c.Steps()-1] { // this costs less, and fails more often
		ok, err = s.ends.critical(c, func() (bool, error) { return s.escapes(c, d, salt) }, func() []choose.Step { return s.way })
	}
	if ok && err == nil {
		ok, err = s.ends.dead(c, walks, s.keep && s.isCut(c), func() (*decide.Result, error) {
			if again, err := s.revives(c); again || err != nil {
				return nil, cmp.Or(err, decide.ErrAlive)
			}
			return d.Seems(salt, false)
		})
		if !ok && err == nil && walks > s.trust.walks {
			err = s.revived(c, d)
		}
	}
	if lost := s.keepOthers(c, d); err == nil {
		err = lost
	}
	return ok && err == nil, err
}

// isCut reports whether c is the finding's run up to its critical step, whose last step is known to be
// critical.
func (s *shrinker) isCut(c *candidate) bool {
	return len(s.best) == 0 && c.Steps() == s.want.Critical.Step
}

// decider returns a Finder that decides about c. It takes the given number of walks, and visits as many states as
// most says, or fewer; 0 means exhaustSmall.
func (s *shrinker) decider(c *candidate, walks, most int) *decide.Finder {
	if most == 0 {
		most = exhaustSmall
	}
	return s.lab.Finder(c.Case, decide.Options{Walks: walks, Recovery: s.recovery, Exhaust: most, Effort: s.opts.Effort, Spent: s.opts.Spent})
}

// keepOthers adds to s.others the failures of other kinds that walks from states of c met: the first of each
// kind.
func (s *shrinker) keepOthers(c *candidate, d *decide.Finder) error {
	for _, m := range d.Others() {
		if kind := m.Kind(); !s.met[kind] {
			s.met[kind] = true
			f, err := s.lab.Confirm(c.Case, m.Failed)
			if err != nil {
				return err
			}
			s.others = append(s.others, f)
		}
	}
	return nil
}

// sure confirms the candidate that was accepted last, by fresh walks and by replaying it. If a walk recovers from
// its end by a new way, sure goes on with the next longer candidate that does not recover by this way. If the
// candidate does not pass for another reason, or after sureWays such ways, sure looks for an earlier candidate
// that passes by a binary search, since all candidates after one that does not pass probably lack the same
// necessary step. At the end it removes the detours of a dead run.
// It returns nil if none passes.
func (s *shrinker) sure() (*search.Finding, error) {
	low, high := -1, len(s.best) // best[low] stands; best[high] does not
	var found *search.Finding
	var c *stood
	for at, ways := high-1, 0; low+1 < high; ways = len(s.revivals) {
		f, res, err := s.confirmed(s.best[at])
		if err != nil {
			return found, err
		}
		if f != nil {
			low, found, c = at, f, &stood{s.best[at], res, s.escape}
		} else {
			high = at
		}
		if high, err = s.unrevived(low, high); err != nil {
			return found, err
		}
		if at = (low + high) / 2; len(s.revivals) > ways && ways < sureWays {
			at = high - 1
		}
	}
	if found == nil || s.survive() {
		return found, nil
	}
	short, err := s.detours(c)
	if s.escape = short.escape; short == c || err != nil {
		return found, err
	}
	f, err := s.finding(short.candidate, short.res)
	if f == nil {
		f, s.escape = found, c.escape
	}
	return f, err
}

// confirmed returns the finding of a candidate that passes, and what was decided about it, or nil if it does not pass.
func (s *shrinker) confirmed(c *candidate) (*search.Finding, *decide.Result, error) {
	s.tell(Progress{Doing: DoingConfirm, High: c.Steps(), Of: s.of.Steps()})
	res, err := s.convinces(c)
	if res == nil || err != nil {
		return nil, nil, err
	}
	f, err := s.finding(c, res)
	return f, res, err
}

// finding makes a finding of a candidate about which res was decided. It returns nil if the candidate does not fail in
// the same way when it is repeated with every check on.
func (s *shrinker) finding(c *candidate, res *decide.Result) (*search.Finding, error) {
	f, err := s.lab.ConfirmCase(c.Case)
	if err != nil {
		return nil, err
	}
	if f.Verdict != s.want.Verdict || s.survive() && f.Property != s.want.Property {
		return nil, nil
	}
	n := c.Steps()
	if e := res.Evidence; e != nil && e.From != n {
		now := *e
		now.From = n
		res.Evidence = &now
	}
	if s.keep {
		res.Critical = &search.Critical{Step: n, Event: f.Path.Steps[n-1].Event.What, Exact: res.Proved}
		switch {
		case res.Proved:
		case s.escape != nil && res.Evidence != nil:
			res.Critical.Shown(*s.escape, res.Evidence)
		default: // the state before the step is the same as in the finding's run
			res.Critical.Witness = s.want.Critical.Witness
		}
		if was := s.want.Critical.Event; wording.Alike(res.Critical.Event) != wording.Alike(was) {
			return nil, fmt.Errorf("macemc bug: critical: shrinking made %q of the critical event %q", res.Critical.Event, was)
		}
	}
	f.Decided(res)
	return f, nil
}

// convinces decides again whether an accepted candidate is dead: exactly if that is possible, and otherwise by many
// fresh walks. (Walks may miss the only way to recover.) It returns nil if the candidate is not dead, or if its
// last step is not critical.
func (s *shrinker) convinces(c *candidate) (*decide.Result, error) {
	s.escape = nil
	if s.survive() || c.proved {
		return &decide.Result{Proved: c.proved}, nil
	}
	walks := confirmTimes * s.accept
	most := cmp.Or(s.opts.Exhaust, decide.Most)
	if s.vast {
		most = min(most, exhaustSmall)
	}
	d := s.decider(c, walks, most)
	defer func() { s.vast = s.vast || d.TooMany() }()
	s.round++
	if again, err := s.revives(c); again || err != nil {
		return nil, err
	}
	res, err := d.Seems(saltSure+s.round, true)
	if errors.Is(err, decide.ErrAlive) {
		return nil, s.revived(c, d)
	}
	if err == nil && s.keep && !res.Proved {
		var ok bool
		if ok, err = s.lastEscapes(c, d, walks); err == nil && !ok {
			return nil, nil
		}
	}
	return res, err
}

// lastEscapes reports whether the state before the last step of c can recover, and stores a walk that does in
// s.escape. First it takes a few fresh walks, then it repeats a known way, and then it takes more fresh walks, until
// one of them recovers.
func (s *shrinker) lastEscapes(c *candidate, d *decide.Finder, walks int) (ok bool, err error) {
	at := c.Steps() - 1
	if ok, err = d.LastEscapes(escapesMost, 0, saltSure+s.round, s.manner); !ok && err == nil {
		way, known := s.ends.escaped[c.Healed(at)]
		if s.escape, err = s.repeats(c, at, way); s.escape != nil || err != nil {
			return err == nil, err
		}
		if known && len(way) == 0 { // the state before the finding's critical step, which is known to recover although no way was kept
			return true, nil
		}
		ok, err = d.LastIsCritical(walks, saltSure+s.round, &s.manner)
	}
	if w, met := d.Alive(at); met {
		s.escape = &w
	}
	return ok, err
}
