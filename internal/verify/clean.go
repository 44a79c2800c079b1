package verify

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"macemc/internal/known"
	"macemc/internal/search"
	"macemc/sim"
)

const (
	times       = 10        // the effort of the slowest bug
	statesLeast = 1_000_000 // of a space that is not closed
	walksLeast  = 10_000    // as in a search by default
)

// Clean is the search of a system without its bugs, under flags that some of
// them share.
type Clean struct {
	Entry known.Entry // the first of these bugs: the system and the flags are its
	Bugs  []sim.BugID

	// The effort for the slowest of the bugs: the most of all bugs and seeds.
	Transitions, WalkSteps int

	Result *search.Result // nil if it was not got to
	Time   time.Duration  // of the search
	Short  []string       // why it does not count as clean, or nil if it does
	Replay string         // the command that replays what was found, or "" if nothing was
}

// Is reports whether the system counts as clean.
func (c *Clean) Is() bool { return c.Result != nil && len(c.Short) == 0 }

// Ahead counts the searches that a verification is about to take.
type Ahead struct {
	Bugs, Seeds int           // that are looked for
	Searches    int           // without a bug
	WalkSteps   int           // the least number of steps that these take; 0 if it depends on the bugs
	About       time.Duration // as long as that needs, if it goes on as for the bugs
}

// cleans returns the searches to take without a bug: one for each system and flags.
func cleans(entries []known.Entry) (all []*Clean) {
	for _, e := range entries {
		i := slices.IndexFunc(all, func(c *Clean) bool { return c.under(e) })
		if i < 0 {
			i, all = len(all), append(all, &Clean{Entry: e})
		}
		all[i].Bugs = append(all[i].Bugs, e.ID)
	}
	return all
}

// under reports whether a bug belongs to the system and flags of c.
func (c *Clean) under(e known.Entry) bool {
	return c.Entry.System == e.System && reflect.DeepEqual(c.Entry.Flags, e.Flags)
}

// cleanAll searches without a bug wherever one was looked for.
func (s *session) cleanAll() error {
	ahead := Ahead{Searches: len(s.report.Cleans)}
	for _, c := range s.report.Cleans {
		ahead.About += times * c.measure(s.report.Bugs)
		ahead.WalkSteps += times * c.WalkSteps
	}
	s.tell(ahead)
	for i, c := range s.report.Cleans {
		if err := s.clean(c, fmt.Sprintf("%d of %d: %s", i+1, len(s.report.Cleans), strings.Join(append([]string{c.Entry.System.Name, "without a bug"}, c.Entry.Flags.Args()...), " "))); err != nil || s.report.Stop != "" {
			return err
		}
	}
	return nil
}

// measure records the effort that the bugs have needed, and returns the longest time of one of them.
func (c *Clean) measure(bugs []Bug) (longest time.Duration) {
	for _, b := range bugs {
		if !c.under(b.Entry) {
			continue
		}
		for _, r := range b.Runs {
			c.Transitions, c.WalkSteps = max(c.Transitions, r.Stats.Transitions), max(c.WalkSteps, r.Stats.WalkSteps)
			longest = max(longest, r.Time)
		}
	}
	return longest
}

// clean searches a system without its bugs, and records the result for all of them.
func (s *session) clean(c *Clean, what string) error {
	r, err := s.search(what, c.Entry, s.Seed, search.Options{
		Paths: walksLeast,
		Least: search.Least{States: statesLeast, Transitions: times * c.Transitions, WalkSteps: times * c.WalkSteps},
	})
	if err != nil || r == nil {
		return err
	}
	c.Result, c.Time, c.Short = r, s.took, c.short(r)
	if r.Finding != nil && s.Keep != nil {
		if c.Replay, err = s.Keep(r); err != nil {
			return err
		}
	}
	for i := range s.report.Bugs {
		if b := &s.report.Bugs[i]; c.under(b.Entry) {
			b.Clean = c
		}
	}
	return nil
}

// short returns why a search without a bug does not count as clean. If all states are
// known, there are no more transitions; if liveness was decided on them, walks add nothing.
// A constraint that excluded no state is not a gap.
func (c *Clean) short(r *search.Result) (short []string) {
	if f := r.Finding; f != nil {
		return []string{fmt.Sprintf("found is %s: %s %s", f.Verdict, f.Property, f.Message)}
	}
	add := func(format string, args ...any) { short = append(short, fmt.Sprintf(format, args...)) }
	safety, liveness, s := r.Safety.State, r.Liveness.State, r.Stats
	if closed := safety == search.StateExhausted || safety == search.StateExhaustedWithin; !closed {
		if s.States < statesLeast {
			add("%d states are neither all nor %d", s.States, statesLeast)
		}
		if s.Transitions < times*c.Transitions {
			add("%d transitions are less than %d times the %d of the slowest bug", s.Transitions, times, c.Transitions)
		}
	}
	decided := safety == search.StateExhausted && (liveness == search.StateExhausted || liveness == search.StateNone)
	if !decided && s.WalkSteps < times*c.WalkSteps {
		add("%d steps of walks are less than %d times the %d of the slowest bug", s.WalkSteps, times, c.WalkSteps)
	}
	if gaps := slices.DeleteFunc(slices.Clone(r.Never), func(n string) bool { return slices.Contains(r.Slack, n) }); len(gaps) > 0 {
		add("never exercised: %s", strings.Join(gaps, "; "))
	}
	return short
}
