package report

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"macemc/internal/numerals"
	"macemc/internal/search"
	"macemc/internal/verify"
	"macemc/internal/wording"
	"macemc/sim"
)

func clean(b verify.Bug) string {
	if b.Clean == nil {
		return "not asked"
	}
	return yesNo(b.Clean.Is())
}

// cleans writes a table of the searches of systems without their bugs. It compares the
// effort of each search with the effort for the slowest bug of the system.
func (p *printer) cleans(all []*verify.Clean) {
	t := table{{"without", "system", "came to", "states", "transitions", "steps of walks", "time", "clean"}}
	notes := map[int]string{}
	for _, c := range all {
		if c.Result == nil {
			continue
		}
		if args := c.Entry.Flags.Args(); len(args) > 0 {
			notes[len(t)] = wording.Typed(args...)
		}
		s := c.Result.Stats
		t = append(t, []string{
			cutTo(widestStep, bugIDs(c.Bugs, " ")), c.Entry.System.Name, came(c.Result), numerals.Count(s.States), numerals.Count(s.Transitions) + asOften(s.Transitions, c.Transitions),
			numerals.Count(s.WalkSteps) + asOften(s.WalkSteps, c.WalkSteps), duration(c.Time), yesNo(c.Is()),
		})
	}
	if len(t) > 1 {
		p.table(t, notes)
		p.blank()
	}
}

func bugIDs(ids []sim.BugID, between string) string {
	var all []string
	for _, id := range ids {
		all = append(all, string(id))
	}
	return strings.Join(all, between)
}

// came returns the result of the search of a system without its bugs: the finding, or the
// bounds that it reached.
func came(r *search.Result) string {
	switch {
	case r.Finding != nil:
		return "found: " + r.Verdict().String()
	case r.Safety.State != search.StateBounded:
		return string(r.Safety.State)
	default:
		return "bounded at depth " + numerals.Count(r.Safety.Depth)
	}
}

// asOften returns n divided by of, as text such as " (3 x)", or "" if of is 0. n is a figure of a
// search, such as its number of steps, and of is the same figure of the search for the slowest
// bug.
func asOften(n, of int) string {
	if of == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s x)", numerals.Count(n/of))
}

// Ahead describes, as one line, the searches that a verification is going to make.
func Ahead(a verify.Ahead) string {
	searches := numerals.Many(a.Searches, "search")
	switch {
	case a.Bugs == 0:
		return fmt.Sprintf("%s without a bug, with %s of walks at least: about %s, as long as the bugs took, and some seconds each for a million states",
			searches, numerals.Many(a.WalkSteps, "step"), Elapsed(a.About))
	case a.Searches == 0:
		return fmt.Sprintf("%s on %s each", numerals.Many(a.Bugs, "bug"), numerals.Many(a.Seeds, "seed"))
	default:
		return fmt.Sprintf("%s on %s each, then %s without a bug: to a million states or all, by ten times the effort of the slowest bug", numerals.Many(a.Bugs, "bug"), numerals.Many(a.Seeds, "seed"), searches)
	}
}

// unclean describes why a system does not count as clean after the search without its bugs.
func unclean(c *verify.Clean, command string) problem {
	s := c.Result.Stats
	again := append([]string{"search", c.Entry.System.Name}, c.Entry.Flags.Args()...)
	again = append(again, "--depth", strconv.Itoa(max(1, s.Depth)), "--paths", strconv.Itoa(max(1, s.Walks)))
	return problem{
		fmt.Sprintf("without %s: %s", bugIDs(c.Bugs, ", "), strings.Join(c.Short, "; ")),
		cmp.Or(c.Replay, command+" "+wording.Typed(again...)),
	}
}

func cleanOf(c *verify.Clean) object {
	r, s := c.Result, c.Result.Stats
	return object{
		{"without", c.Bugs}, {"safety", r.Safety.State}, {"depth", r.Safety.Depth}, {"liveness", r.Liveness.State},
		{"states", s.States}, {"transitions", s.Transitions}, {"walk_steps", s.WalkSteps}, {"walks", s.Walks},
		{"slowest_bug", object{{"transitions", c.Transitions}, {"walk_steps", c.WalkSteps}}}, {"seconds", c.Time.Seconds()},
		{"never", append([]string{}, r.Never...)}, {"short", append([]string{}, c.Short...)}, {"replay", orNull(c.Replay)},
	}
}
