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
	times       = 10        // the effort of a search without a bug, as a multiple of that for the slowest bug
	statesLeast = 1_000_000 // the least number of states, unless the space is closed
	walksLeast  = 10_000    // the least number of walks, as in a search by default
)

// Clean is the search of a system with all of its bugs switched off. Bugs that need the
// same flags share one.
type Clean struct {
	Entry known.Entry // the entry of the first of these bugs, which has the system and the flags
	Bugs  []sim.BugID

	// Transitions and WalkSteps are the effort for the slowest of these bugs: the largest of all bugs and
	// seeds.
	Transitions, WalkSteps int

	Result *search.Result // the result of the search; nil if it was not begun
	Time   time.Duration  // the time that the search took
	Short  []string       // the reasons why the system does not count as clean; nil if it does
	Replay string         // the command that replays the finding of the search, or "" if there is none
}

// Is reports whether the system counts as clean: the search found nothing, and reached the
// bounds that Clean asks for.
func (c *Clean) Is() bool { return c.Result != nil && len(c.Short) == 0 }

// Ahead counts the searches that a verification is going to make.
type Ahead struct {
	Bugs, Seeds int           // the numbers of bugs, and of seeds for each
	Searches    int           // the number of searches without a bug
	WalkSteps   int           // the least number of steps that the searches without a bug take in walks; 0 if it depends on the searches for bugs
	About       time.Duration // an estimate of the time of the searches without a bug, by the speed of the searches for bugs
}

// cleans returns the searches to make with bugs switched off: one for each combination of a
// system and flags in entries.
func (o Options) cleans(entries []known.Entry) (all []*Clean) {
	if o.NoClean {
		return nil
	}
	for _, e := range entries {
		i := slices.IndexFunc(all, func(c *Clean) bool { return c.under(e) })
		if i < 0 {
			i, all = len(all), append(all, &Clean{Entry: e})
		}
		all[i].add(e.ID)
	}
	return all
}

func (c *Clean) add(bug sim.BugID) { c.Bugs = append(c.Bugs, bug) }

// under reports whether entry e has the system and the flags of c.
func (c *Clean) under(e known.Entry) bool {
	return c.Entry.System == e.System && reflect.DeepEqual(c.Entry.Flags, e.Flags)
}

// cleanAll searches, with its bugs switched off, each system in which a bug was looked for.
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

// measure records the largest effort that one of these bugs has needed, and returns the
// longest time.
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

// clean makes the search c, and records the result for all of its bugs. what is the name of
// the search for Options.Begin.
func (s *session) clean(c *Clean, what string) error {
	r, err := s.search(what, c.Entry, s.Seed, search.Options{
		Paths: walksLeast,
		Least: search.Least{States: statesLeast, Transitions: times * c.Transitions, WalkSteps: times * c.WalkSteps},
	})
	if err != nil || r == nil {
		return err
	}
	if err := c.searched(r, s.took, s.Keep); err != nil {
		return err
	}
	for i := range s.report.Bugs {
		s.report.Bugs[i].cleanBy(c)
	}
	return nil
}

// searched records result r of the search and its time. It stores a finding with keep,
// which may be nil.
func (c *Clean) searched(r *search.Result, took time.Duration, keep func(*search.Result) (string, error)) (err error) {
	c.Result, c.Time, c.Short = r, took, c.short(r)
	if r.Finding != nil && keep != nil {
		c.Replay, err = keep(r)
	}
	return err
}

// short returns the reasons why the system does not count as clean, given result r of the
// search. If all states were visited, more transitions are not needed; if liveness was
// decided on them, neither are walks. A constraint that excluded no state is not a gap.
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
