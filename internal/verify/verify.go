package verify

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"macemc/internal/known"
	"macemc/internal/search"
	"macemc/sim"
	"macemc/trace"
)

// Options say how the catalogue is verified.
type Options struct {
	Seed    int                        // the first seed; 0 means 1
	Seeds   int                        // the number of seeds on which each bug is looked for
	NoAlone bool                       // do not look for a bug without its flags
	NoClean bool                       // do not search the correct systems
	Explain func(*search.Result) error // analyzes what a search has found; nil means no analysis
	Search  search.Options             // the options of all searches: Stuck, OnStuck, Memory, Progress
	Stop    func() search.Stop         // called now and then; returns a reason to end the verification, as in the options of a search
	Ahead   func(Ahead)                // called before the searches for bugs, and before those with bugs switched off
	Begin   func(what string)          // called before each search

	// Keep stores the finding of a search with bugs switched off, and returns the command
	// that replays it. If Keep is nil, nothing is stored.
	Keep func(*search.Result) (replay string, err error)
}

// Report is the result of a verification.
type Report struct {
	Bugs   []Bug
	Of     int         // the number of bugs that were to be verified
	Seed   int         // the first seed
	Seeds  int         // the number of seeds for each bug
	Cleans []*Clean    // the searches with bugs switched off, or nil if none was asked for
	Stop   search.Stop // the reason why the verification ended early, or "" if it did not
}

// Bug is the result for one known bug.
type Bug struct {
	Entry  known.Entry
	Runs   []Run  // the search on each seed
	Alone  bool   // the bug is found with the flag --bug and no other: on every seed if it needs no other flags, or else on the first
	Clean  *Clean // the search with the bug switched off; nil if there was none
	Nodes  int
	Stated bool // the bug is found on every seed as its entry states; the entry may allow other critical steps on some seeds
}

// Run is the search for a bug on one seed.
type Run struct {
	Seed     int
	Verdict  trace.Verdict
	Steps    int              // the number of steps of the path that was found
	Critical *search.Critical // the critical step; nil if there is none, or it was not isolated
	Stats    search.Stats
	Time     time.Duration // the time of the search
	Problem  string        // how the result differs from what the entry states, apart from the critical step; "" if it does not
	Other    string        // the critical step, if the entry does not state it, or ""
}

// Holds reports whether everything that was checked is as the catalogue states.
func (r *Report) Holds() bool {
	return r.Stop == "" && !slices.ContainsFunc(r.Bugs, func(b Bug) bool { return !b.Stated || b.Clean != nil && !b.Clean.Is() })
}

// add adds the result for the bug of entry e, whose searches come next, and returns it.
func (r *Report) add(e known.Entry) *Bug {
	r.Bugs = append(r.Bugs, Bug{Entry: e})
	return &r.Bugs[len(r.Bugs)-1]
}

// ended records the reason why the verification ends early, and returns nil.
func (r *Report) ended(by search.Stop) *search.Result {
	r.Stop = by
	return nil
}

// ran records the search on one seed, in a system of this number of nodes.
func (b *Bug) ran(r Run, nodes int) {
	b.Nodes, b.Runs = nodes, append(b.Runs, r)
}

// bare reports whether the searches for the bug need no flag but --bug, so that they already
// answer whether it is found alone.
func (b *Bug) bare() bool { return len(b.Entry.Flags.Args()) == 0 && b.Entry.Paths == 0 }

// decide sets the field Stated: whether the runs are as the entry states.
func (b *Bug) decide() {
	b.Stated = stated(b.Entry, b.Runs)
	b.Alone = b.Stated && b.bare()
}

// alone records run r, a search with the flag --bug and no other.
func (b *Bug) alone(bare known.Entry, r Run) { b.Alone = stated(bare, []Run{r}) }

// cleanBy records c as the search with the bug switched off, if c has the bug's system and
// flags.
func (b *Bug) cleanBy(c *Clean) {
	if c.under(b.Entry) {
		b.Clean = c
	}
}

// session is one verification that is under way.
type session struct {
	Options
	report Report
	took   time.Duration // the time of the last search, without the analysis of its finding
}

// Run verifies the entries. It returns an error if the flags of an entry are wrong.
func (o Options) Run(entries []known.Entry) (*Report, error) {
	o.Seed = max(o.Seed, 1)
	s := &session{Options: o, report: Report{Of: len(entries), Seed: o.Seed, Seeds: o.Seeds, Cleans: o.cleans(entries)}}
	s.tell(Ahead{Bugs: len(entries), Seeds: o.Seeds, Searches: len(s.report.Cleans)})
	for _, e := range entries {
		if err := s.find(e); err != nil || s.report.Stop != "" {
			return &s.report, err
		}
	}
	if o.NoClean {
		return &s.report, nil
	}
	return &s.report, s.cleanAll()
}

func (s *session) tell(a Ahead) {
	if s.Ahead != nil {
		s.Ahead(a)
	}
}

// find looks for a bug on every seed.
func (s *session) find(e known.Entry) error {
	b := s.report.add(e)
	for seed := s.Seed; seed < s.Seed+s.Seeds; seed++ {
		r, err := s.search(fmt.Sprintf("%s, seed %d (%d of %d)", e.ID, seed, seed-s.Seed+1, s.Seeds), e, seed, search.Options{}, e.ID)
		if err != nil || r == nil {
			return err
		}
		b.ran(s.judged(e, seed, r), r.Params.Nodes)
	}
	if b.decide(); b.bare() || s.NoAlone {
		return nil
	}
	bare := e
	bare.Flags, bare.Paths = known.Flags{}, 0
	r, err := s.search(fmt.Sprintf("%s alone", e.ID), bare, s.Seed, search.Options{}, e.ID)
	if err != nil || r == nil {
		return err
	}
	b.alone(bare, s.judged(bare, s.Seed, r))
	return nil
}

// stated reports whether runs are as an entry states: each has the stated verdict, and the share of runs with
// a stated critical step is as large as the entry states.
func stated(e known.Entry, runs []Run) bool {
	held := known.Share{Of: len(runs)}
	for _, r := range runs {
		if r.Problem != "" {
			return false
		}
		if r.Other == "" {
			held.Held++
		}
	}
	return held.Held == held.Of || e.Fresh.Of > 0 && e.Fresh.Like(held)
}

// explainEffort is the number of steps and states that may be spent on the critical step of a finding. It is
// large, since an entry states which step is critical, not how much effort shows it.
const explainEffort = 10_000_000

// search makes one search with the flags of entry e. what is its name for Options.Begin. It
// returns nil if it was stopped.
func (s *session) search(what string, e known.Entry, seed int, bounds search.Options, bugs ...sim.BugID) (*search.Result, error) {
	if s.Begin != nil {
		s.Begin(what)
	}
	opts := s.Search
	opts.Least, opts.Paths, opts.Stop = bounds.Least, cmp.Or(bounds.Paths, e.Paths), s.Stop
	opts.Properties, opts.Seed = e.Flags.Properties, uint64(seed)
	opts.ExplainEffort = cmp.Or(opts.ExplainEffort, explainEffort)
	opts, err := configure(opts, e, bugs)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.ID, err)
	}
	r, err := search.Search(e.System, opts)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.ID, err)
	}
	s.took = r.Measured.Elapsed
	if r.Finding != nil && s.Explain != nil {
		if err := s.Explain(r); err != nil {
			return nil, fmt.Errorf("%s: %w", e.ID, err)
		}
	}
	stop := r.Stop
	if s.Stop != nil && s.Stop() != "" {
		stop = s.Stop()
	}
	if stop == search.StopMemory && bounds.Least != (search.Least{}) { // the search is judged by the bounds it reached
		return r, nil
	}
	if stop.Early() && r.Finding == nil || stop == search.StopInterrupted || stop == search.StopTime {
		return s.report.ended(stop), nil
	}
	return r, nil
}

// configure returns the options with an entry's flags.
func configure(opts search.Options, e known.Entry, bugs []sim.BugID) (_ search.Options, err error) {
	if opts.Prefix, err = e.Prefix(); err != nil {
		return opts, err
	}
	if opts.Prefix != nil {
		opts.PrefixName = e.Flags.Prefix
		if e.Flags.Nodes, e.Flags.Params, err = search.LikePrefix(opts.Prefix, e.Flags.Nodes, slices.Clone(e.Flags.Params)); err != nil {
			return opts, err
		}
	}
	opts.DiskReorder = e.Flags.Disk == "reorder"
	opts.Params, opts.Faults, err = e.Configure(bugs...)
	return opts, err
}

// judged compares the result of a search with what the bug's entry states, and lists the deviations.
func (s *session) judged(e known.Entry, seed int, r *search.Result) Run {
	run := Run{Seed: seed, Verdict: r.Verdict(), Stats: r.Stats, Time: s.took}
	f := r.Finding
	if f != nil {
		run.Steps, run.Critical = f.Step, f.Critical
	}
	switch {
	case f == nil:
		run.Problem = "nothing is found, want " + e.Verdict.String()
	case f.Verdict != e.Verdict && (e.Or == trace.VerdictNone || f.Verdict != e.Or):
		run.Problem = fmt.Sprintf("found is %s (%s), want %s", f.Verdict, f.Message, e.Verdict)
	case f.Critical == nil && f.Verdict != trace.VerdictDead && s.Explain == nil: // without Explain, a search isolates the critical step only of dead runs
	case len(e.Critical) > 0 && f.Critical == nil:
		run.Problem = "the critical step is not isolated"
	case len(e.Critical) > 0 && !slices.ContainsFunc(e.Critical, func(c known.Critical) bool { return is(f, r.Params, c) }):
		run.Other = fmt.Sprintf("the critical step is %s, want %s", told(f.Critical), either(e.Critical))
	}
	return run
}
