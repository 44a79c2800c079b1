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

// A step of a dead run is removed if a few walks show no recovery of the rest. Now and then shrinker.accept
// walks, the usual number divided by acceptShare, examine the rest: see trust. The final run must be dead by
// confirmTimes as many fresh walks.
const (
	acceptShare  = 6
	confirmTimes = 10
	sureWays     = 4 // while fewer ways are known by which candidates recovered from their ends, a new one makes sure try the next longer candidate, and not a binary search

	exhaustSmall = 5_000 // the largest number of states, after healing, that are visited to decide about one candidate
)

// triesMost is the number of times that a candidate is run if the failure does not occur in every repetition of
// a run.
const triesMost = 8

// Shrink makes the run of a finding shorter. It cuts off the steps after the critical step, and then removes
// steps as long as the rest ends with the same verdict and the same critical event. The values in that event
// may differ; if Options.Any is set, the event may. The returned finding is never longer. Result.Stopped says
// that there was not enough time to try everything; a dead run then still ends with its critical step. If the
// critical step was not isolated before, it is not kept.
func Shrink(sys *sim.System, f *search.Finding, opts Options) (*Result, error) {
	return inLab(sys, f, opts, func(b *bench) (*Result, error) { return b.shrink(&Result{Finding: f}) })
}

// shrink removes steps from the run of the finding in of. If the state after the critical step turns out to
// recover, it looks for the critical step again, with the walk that recovered, and removes steps from there.
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

// errEnough ends shrinking: the shortest run so far is the result. errRefuted ends it, too, since the state
// after the critical step can recover, so that no step may be cut off there.
var (
	errEnough  = errors.New("enough")
	errRefuted = errors.New("the state after the critical step can recover")
)

// relocated looks for the critical step again, and then shrinks the run. It is called when a walk has shown
// that the state after the step that seemed critical can recover. It adds half of the effort for this.
func (s *shrinker) relocated() (*Result, error) {
	f := *s.want
	if f.Evidence != nil && f.Evidence.From == f.Critical.Step {
		f.Evidence = nil
	}
	f.Critical, f.Avoided = nil, nil
	if more := s.opts.extend(); more > 0 { // what was spent before was spent on the wrong step
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
	keep     bool            // the last step of the run must stay the last, and critical
	accept   int             // the number of walks by which a candidate is examined
	trust    trust
	recovery int           // steps of the slowest recovery that is known from before the critical step, or 0 if none is
	tries    int           // how many times a candidate is run
	manner   decide.Manner // the manner of the last walk that showed the last step to be critical
	ends     ends          // what was decided about the ends of candidates
	careful  bool
	how      search.Following
	longer   int // by how many steps a candidate that replaces the present run may be longer; -1 means that it must be shorter
	until    int // the effort of the lab at which nothing more is tried
	draws    draws
	best     []*candidate    // the accepted runs, each shorter than the one before
	cut      *search.Finding // the run up to its critical step, with the evidence for that step, or nil if the step is not known
	walks    int             // the number of walks by which the state before the last step has to recover, or 0 if none has recovered yet
	way      []choose.Step   // the last way by which a candidate recovered from the state before its last step
	wayFound []choose.Step   // the way by which the finding's run did, if it is known
	revivals [][]choose.Step // the ways by which candidates recovered from their ends, although they had been accepted by few walks
	escape   *search.Success // for the run that was confirmed last: the walk that became live from before its last step, if one was taken
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

// shrinkMost is how much effort removing steps may take or, if that is more, Options.Effort divided by
// shrinkTimes.
const (
	shrinkMost  = 1_500_000
	shrinkTimes = 8
)

// shrink removes steps in this order: everything after the critical step at once, then the faults, the nodes,
// whole rounds, and stretches of steps, shorter and shorter until no stretch can go (see descend). Then it
// looks for a few shortcuts, moves steps at random (see drift), and removes steps that are alike. At the end,
// it looks for more shortcuts.
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
	for _, pass := range []func() error{s.descend, s.firstShortcuts, s.drifts, s.shortcuts} {
		if err = pass(); err != nil {
			break
		}
	}
	if lost := s.examine(1); lost != nil {
		return lost
	}
	return err
}

// followings are the ways to take a run again of which some steps were removed. InCones removes with a step
// everything that it caused, for example the whole round of a request. ByCause keeps what comes later, though
// numbers in it may differ. ByForm replaces a step that is not possible any more by a similar one: without one
// election, the next one has an earlier term. ByIdentity replaces nothing, which some steps need.
var followings = []search.Following{search.InCones, search.ByCause, search.ByForm, search.ByIdentity}

// descend calls the passes that remove much at little cost, until none of them removes a step.
func (s *shrinker) descend() error {
	return s.each(func() error { return s.repeat(s.faults, s.nodes, s.rounds, s.stretches) })
}

// aligned calls the passes of descend, and classmates, until none of them removes a step.
func (s *shrinker) aligned() error {
	return s.each(func() error { return s.repeat(s.faults, s.nodes, s.rounds, s.stretches, s.classmates) })
}

// each calls a pass with each of the followings in turn, until none of them makes the run shorter.
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

// drifts calls drift, waits and aligned by turns, until none of them makes the run shorter.
func (s *shrinker) drifts() error { return s.repeat(s.drift, s.waits, s.aligned) }

// keepCut sets s.cut: the finding with its dead run cut off after the critical step. The evidence about the
// state there becomes the evidence about the end of that run, so no more walks are needed.
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

// try takes only the kept steps of a run, as far as they are possible. If the result may replace the present
// run, try accepts it and returns true.
func (s *shrinker) try(of *search.Case, kept []int) (bool, error) {
	if len(s.best) > 0 && s.enough() { // the cut itself is worth more than any step that goes
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
	if s.tries > 1 { // it may come to something else
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

// take takes only the kept steps of a run, as far as they are possible. It returns the result as a candidate,
// or nil if that cannot replace the present run.
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

// fails returns a run as a candidate, or nil if it does not fail in the same way as the finding. last is the
// identity that its last step has in the run from which it was made, or "" if the last step is another one.
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

// stands reports whether a candidate is dead, by this many walks or exactly, and, if s.keep is set, whether its
// last step is critical. It does not examine a state again about which it has decided before, unless by fewer
// walks. A candidate that ends in a failure, and not dead, always stands.
func (s *shrinker) stands(c *candidate, walks int, salt uint16) (ok bool, err error) {
	if s.survive() {
		return true, nil
	}
	most := min(s.opts.Exhaust, exhaustSmall)
	if walks < s.accept && len(s.best) > 0 && !s.now().proved { // there would be too many states again
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

// decider returns a Finder that decides about c: by this many walks, and by visiting at most most states.
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

// sure confirms the candidate that was accepted last by fresh walks and by replaying it. If it does not pass
// since a walk recovered by a new way, sure tries the next longer one that does not recover by it. Otherwise, or
// after some of these, a binary search finds an earlier candidate that passes: all after it are held to lack a
// necessary step. sure returns nil if none passes.
func (s *shrinker) sure() (*search.Finding, error) {
	low, high := -1, len(s.best) // best[low] stands; best[high] does not
	var found *search.Finding
	for at, ways := high-1, 0; low+1 < high; ways = len(s.revivals) {
		f, err := s.confirmed(s.best[at])
		if err != nil {
			return found, err
		}
		if f != nil {
			low, found = at, f
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
	return found, nil
}

// confirmed returns the finding of a candidate that passes, or nil if it does not pass.
func (s *shrinker) confirmed(c *candidate) (*search.Finding, error) {
	s.tell(Progress{Doing: DoingConfirm, High: c.Steps(), Of: s.of.Steps()})
	res, err := s.convinces(c)
	if res == nil || err != nil {
		return nil, err
	}
	f, err := s.lab.ConfirmCase(c.Case)
	if err != nil {
		return nil, err
	}
	if f.Verdict != s.want.Verdict || s.survive() && f.Property != s.want.Property {
		return nil, nil
	}
	if s.keep {
		n := c.Steps()
		res.Critical = &search.Critical{Step: n, Event: f.Path.Steps[n-1].Event.What, Exact: res.Proved}
		switch {
		case res.Proved:
		case s.escape != nil:
			res.Critical.Shown(*s.escape, res.Evidence)
		default: // the state before it is that of the run that was found
			res.Critical.Witness = s.want.Critical.Witness
		}
		if was := s.want.Critical.Event; wording.Alike(res.Critical.Event) != wording.Alike(was) {
			return nil, fmt.Errorf("macemc bug: critical: shrinking made %q of the critical event %q", res.Critical.Event, was)
		}
	}
	f.Decided(res)
	return f, nil
}

// convinces decides again about an accepted candidate: exactly if that is possible, since walks miss a narrow
// escape, and otherwise by many fresh walks. It returns nil if the candidate is not dead, or if its last step
// is not critical.
func (s *shrinker) convinces(c *candidate) (*decide.Result, error) {
	s.escape = nil
	if s.survive() || c.proved {
		return &decide.Result{Proved: c.proved}, nil
	}
	walks := confirmTimes * s.accept
	d := s.decider(c, walks, cmp.Or(s.opts.Exhaust, decide.Most))
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

// lastEscapes reports whether the state before the last step of c can recover, and keeps in s.escape the walk
// that does: a fresh one if a few walks suffice, or else one that repeats a known way, or, if that does not
// recover, one of more fresh walks.
func (s *shrinker) lastEscapes(c *candidate, d *decide.Finder, walks int) (ok bool, err error) {
	at := c.Steps() - 1
	if ok, err = d.LastEscapes(escapesMost, 0, saltSure+s.round, s.manner); !ok && err == nil {
		way, known := s.ends.escaped[c.Healed(at)]
		if s.escape, err = s.repeats(c, at, way); s.escape != nil || err != nil {
			return err == nil, err
		}
		if known && len(way) == 0 { // as the state before the critical step of the finding, of which no way was kept
			return true, nil
		}
		ok, err = d.LastIsCritical(walks, saltSure+s.round, &s.manner)
	}
	if w, met := d.Alive(at); met {
		s.escape = &w
	}
	return ok, err
}
