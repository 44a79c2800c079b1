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

// Options are the options for verifying the catalogue.
type Options struct {
	Seed    int                        // the first seed; 0 means 1
	Seeds   int                        // the number of seeds on which each bug is looked for
	NoAlone bool                       // do not look for a bug without its flags
	NoClean bool                       // do not search the correct systems
	Explain func(*search.Result) error // analyzes what a search has found; nil means no analysis
	Search  search.Options             // the options of all searches: Stuck, OnStuck, Memory, Progress
	Stop    func() search.Stop         // as in the options of a search
	Ahead   func(Ahead)                // called before the searches for bugs, and before those without one
	Begin   func(what string)          // called before each search

	// Keep stores what was found without a bug, and returns the command that replays it. If Keep is nil,
	// nothing is stored.
	Keep func(*search.Result) (replay string, err error)
}

// Report is the result of a verification.
type Report struct {
	Bugs   []Bug
	Of     int         // the number of bugs that were to be verified
	Seed   int         // the first
	Seeds  int         // how many
	Cleans []*Clean    // the searches without a bug, or nil if none was asked for
	Stop   search.Stop // why it ended early, or "" if it did not
}

// Bug is the result for one known bug.
type Bug struct {
	Entry  known.Entry
	Runs   []Run  // one for each seed
	Alone  bool   // it is found with --bug alone: on every seed if it needs no other flags, otherwise on the first
	Clean  *Clean // nil if the system was not searched without it
	Nodes  int
	Stated bool // it is found on every seed as its entry states; an entry may allow other critical steps on some
}

// Run is the search for a bug on one seed.
type Run struct {
	Seed     int
	Verdict  trace.Verdict
	Steps    int              // of the path
	Critical *search.Critical // nil means none, or not isolated
	Stats    search.Stats
	Time     time.Duration // of the search
	Problem  string        // the difference from what the entry states, apart from Other; "" means none
	Other    string        // the critical step, if the entry does not state it, or ""
}

// Holds reports whether everything that was checked is as the catalogue states.
func (r *Report) Holds() bool {
	return r.Stop == "" && !slices.ContainsFunc(r.Bugs, func(b Bug) bool { return !b.Stated || b.Clean != nil && !b.Clean.Is() })
}

// add adds a bug whose searches come next.
func (r *Report) add(e known.Entry) *Bug {
	r.Bugs = append(r.Bugs, Bug{Entry: e})
	return &r.Bugs[len(r.Bugs)-1]
}

// ended records why the verification ends early.
func (r *Report) ended(by search.Stop) *search.Result {
	r.Stop = by
	return nil
}

// ran records the search on one seed, in a system of this number of nodes.
func (b *Bug) ran(r Run, nodes int) {
	b.Nodes, b.Runs = nodes, append(b.Runs, r)
}

// bare reports whether the bug is looked for with --bug alone.
func (b *Bug) bare() bool { return len(b.Entry.Flags.Args()) == 0 && b.Entry.Paths == 0 }

// decide records whether the runs are as the entry states.
func (b *Bug) decide() {
	b.Stated = stated(b.Entry, b.Runs)
	b.Alone = b.Stated && b.bare()
}

// alone records a run with --bug alone.
func (b *Bug) alone(bare known.Entry, r Run) { b.Alone = stated(bare, []Run{r}) }

// cleanBy records the search without the bug, if that has the bug's system and flags.
func (b *Bug) cleanBy(c *Clean) {
	if c.under(b.Entry) {
		b.Clean = c
	}
}

// session is one verification.
type session struct {
	Options
	report Report
	took   time.Duration // the time of the last search, without the analysis of its finding
}

// Run verifies entries. An error is about the entries' flags.
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

// search takes one search with the flags of an entry. It returns nil if it was stopped.
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
	case f.Critical == nil && f.Verdict != trace.VerdictDead && s.Explain == nil: // a search alone isolates the critical step only for dead runs
	case len(e.Critical) > 0 && f.Critical == nil:
		run.Problem = "the critical step is not isolated"
	case len(e.Critical) > 0 && !slices.ContainsFunc(e.Critical, func(c known.Critical) bool { return is(f, r.Params, c) }):
		run.Other = fmt.Sprintf("the critical step is %s, want %s", told(f.Critical), either(e.Critical))
	}
	return run
}
