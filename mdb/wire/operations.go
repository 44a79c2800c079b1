package wire

import (
	"fmt"
	"strings"

	"macemc/mdb"
)

// Operation is a row of the table of operations. Requests are answered by this table, and
// docs/serve.md is made from it.
type Operation struct {
	Name    string
	Needs   []string // fields that the request must have
	Takes   []string
	Short   string // one line that describes it
	Answers string // describes the answer
	Example string

	run func(s *mdb.Session, r *Request) (any, error)
}

// place has the fields of a request that name a step of a branch.
var place = []string{"branch", "step"}

// Operations returns the table.
func Operations() []*Operation {
	return []*Operation{
		{
			Name: "do", Needs: []string{"line"}, Takes: []string{"styled"},
			Short:   "Execute a line, or several between semicolons, as a script of `-x` does. With `styled` the answer is lines of pairs, a style and its text.",
			Answers: "`text`; with `styled`, `lines`: an array of `[style, text]` for each line. The styles are plain, dim, strong, removed, added, changed, bad and good.",
			Example: `{"op": "do", "line": "jump end; show"}`,
			run:     do,
		},
		{
			Name:    "about",
			Short:   "Describe what is open.",
			Answers: "`title`, `system`, `settings` (the header of the path), `nodes`, `properties` (`name`, and `kind`: always or eventually), `asks` (what walks are asked: `live`, to become live, or `survive`, to go on without a failure), `command`, `branches`, and, if the recorded path could not be followed to its end, `stopped`, and if the run differs from what was recorded, `parted`.",
			Example: `{"op": "about"}`,
			run:     func(s *mdb.Session, _ *Request) (any, error) { return s.About(), nil },
		},
		{
			Name: "steps", Needs: []string{"from", "to"}, Takes: []string{"branch"},
			Short:   "Return the steps of a branch from `from` to `to`, as far as it has them; step 0 is the start.",
			Answers: "`from`, `to`, `rows` (`step`, `node`, `peer`, `kind`, `text`, `beside`; nodes are numbers, and -1 is the network), `arrows` (`kind`, `from` and `to` as steps, `a` and `b` as lanes, `text`: what begins, ends or passes there), `bands` (when nodes were down or paused, and when there was a partition), `live` (the steps whose state is live) and `left` (those that a branch leaves).",
			Example: `{"op": "steps", "from": 1, "to": 2}`,
			run: at(func(s *mdb.Session, l mdb.Look, r *Request) (any, error) {
				if *r.From < 0 || *r.To < *r.From || *r.To-*r.From >= stepsMost {
					return nil, fmt.Errorf("from is %d and to is %d; they must be in order, from 0, and at most %d steps", *r.From, *r.To, stepsMost)
				}
				return s.Steps(l, *r.From, *r.To), nil
			}),
		},
		{
			Name: "step", Takes: place,
			Short:   "Return everything that is known about a step.",
			Answers: "`step`, `text`, `was` (where it came from), `did` (its coins and effects, a line each, with what became of them), `fails`, `changes` (`path`, `old`, `new`) and `down` (nodes that lost what they kept in memory).",
			Example: `{"op": "step", "step": 3}`,
			run:     at(func(s *mdb.Session, l mdb.Look, _ *Request) (any, error) { return s.Facts(l) }),
		},
		{
			Name: "state", Takes: place,
			Short:   "Return the state after a step.",
			Answers: "An array of `path`, `value` and `mark`: `+` where the step made the line, `~` where it changed it; `exact` is the value as states are compared, where that is another text.",
			Example: `{"op": "state", "step": 3}`,
			run:     at(func(_ *mdb.Session, l mdb.Look, _ *Request) (any, error) { return l.State() }),
		},
		{
			Name: "diff", Takes: []string{"branch", "step", "with", "with_step"},
			Short:   "Return the differences between the states of two places: that of `branch` and `step`, and that of the branch `with` and `with_step`.",
			Answers: "An array of `path`, `old` and `new`.",
			Example: `{"op": "diff", "step": 1, "with_step": 2}`,
			run: at(func(s *mdb.Session, l mdb.Look, r *Request) (any, error) {
				with, err := s.At(r.With, r.WithStep)
				if err != nil {
					return nil, err
				}
				return l.Differences(with)
			}),
		},
		{
			Name: "properties", Takes: place,
			Short:   "Return the value of every property at a step.",
			Answers: "`live`, `properties` (of states: `name`, `kind`, `holds`, `since` (a step) and `says`) and `watched` (of runs: `name`, `kind`: steps, monitor or cools, `holds`, `hot`, `says`, and `memory`, which is what a monitor remembers).",
			Example: `{"op": "properties", "step": 4}`,
			run: at(func(s *mdb.Session, l mdb.Look, _ *Request) (any, error) {
				all, live, err := l.Properties()
				if err != nil {
					return nil, err
				}
				watched, err := l.Watched()
				return map[string]any{"live": live, "properties": all, "watched": watched}, err
			}),
		},
		{
			Name: "strips", Takes: []string{"branch"},
			Short:   "Return how each property changes along a branch.",
			Answers: "An array of `name`, `kind`, `first` (whether it holds at the start) and `turns` (the steps at which that changes). The last is `live`, where there are liveness properties.",
			Example: `{"op": "strips"}`,
			run:     at(func(s *mdb.Session, l mdb.Look, _ *Request) (any, error) { return s.Strips(l), nil }),
		},
		{
			Name: "alternatives", Takes: place,
			Short:   "Return the events that can happen after a step, and the effects of each.",
			Answers: "An array of `event` and `coins` (for `take`), `text`, `node`, `kind`, `taken` (the branch goes on with it), `did`, `then` (properties that turn), `live`, `fails` and `refused`.",
			Example: `{"op": "alternatives", "step": 3}`,
			run:     at(func(_ *mdb.Session, l mdb.Look, _ *Request) (any, error) { return l.Alternatives() }),
		},
		{
			Name: "lead", Needs: []string{"event"}, Takes: []string{"branch", "step", "coins"},
			Short:   "Return what an alternative leads to, if the environment heals after it. At most 20,000 states are visited; if these do not decide it, 20 walks are taken, and some that look for narrow escapes.",
			Answers: "`to`: `live` (a run recovers from there; where walks are asked to survive, one goes on without a failure), `dead` (none does) or `unknown`; `exact`: whether that is proved; and `why`.",
			Example: `{"op": "lead", "step": 3, "event": 1}`,
			run:     at(func(s *mdb.Session, l mdb.Look, r *Request) (any, error) { return s.Lead(l, *r.Event, r.Coins) }),
		},
		{
			Name: "cone", Takes: place,
			Short:   "Return the cone of causes of a step: the step itself, and those that led to it by a chain of causes.",
			Answers: "An array of steps.",
			Example: `{"op": "cone", "step": 3}`,
			run:     at(func(s *mdb.Session, l mdb.Look, _ *Request) (any, error) { return s.Cone(l), nil }),
		},
		{
			Name: "aligned", Needs: []string{"with"}, Takes: []string{"branch"},
			Short:   "Return which steps of two branches are the same event.",
			Answers: "`with`, `steps` (of that branch), `prefix` (the first steps, which are the same run) and `same`: an array of `[a, b, n]`, where the `n` steps after step `a` of the one and after step `b` of the other are the same events.",
			Example: `{"op": "aligned", "with": "live"}`,
			run: at(func(s *mdb.Session, l mdb.Look, r *Request) (any, error) {
				with, err := s.At(r.With, nil)
				if err != nil {
					return nil, err
				}
				return s.Aligned(l, with), nil
			}),
		},
		{
			Name: "curve", Takes: []string{"branch", "more"},
			Short:   "Sample `more` further states of a branch (by default none), and return, for each sampled state, the share of fresh walks that still recover from it. A run of at most 48 steps is sampled at each state; a longer one at 33, about its critical step, and at up to 18 more where the share falls.",
			Answers: "`asks`, `walks` (the number of walks from each state), `walk_steps` (the most steps of a walk), `states` (of the branch), `done` (there is no more to sample) and `points`: `step`, `well` (walks that recovered), `low` and `high` (of the chance of one more walk: Wilson's interval, 95 %).",
			Example: `{"op": "curve", "more": 2}`,
			run: at(func(s *mdb.Session, l mdb.Look, r *Request) (any, error) {
				if r.More < 0 {
					return nil, fmt.Errorf("more is %d; it must be 0 or more", r.More)
				}
				return s.Curve(l, r.More)
			}),
		},
		{
			Name: "trace", Takes: []string{"branch"},
			Short:   "Return the branch as a trace for ui.perfetto.dev: nodes as tracks, messages as flows.",
			Answers: "The object to be written into a file.",
			Example: `{"op": "trace"}`,
			run:     at(func(s *mdb.Session, l mdb.Look, _ *Request) (any, error) { return s.Perfetto(l) }),
		},
		{
			Name: "complete", Needs: []string{"line"},
			Short:   "Return the words that may take the place of the last word of a line.",
			Answers: "An array of words.",
			Example: `{"op": "complete", "line": "jump cr"}`,
			run: func(s *mdb.Session, r *Request) (any, error) {
				return append([]string{}, s.Complete(r.Line)...), nil
			},
		},
	}
}

// stepsMost is the largest number of steps in one answer.
const stepsMost = 2000

// at returns an operation that calls run. The Look that it passes is at the branch and the step
// that the request selects.
func at(run func(*mdb.Session, mdb.Look, *Request) (any, error)) func(*mdb.Session, *Request) (any, error) {
	return func(s *mdb.Session, r *Request) (any, error) {
		l, err := s.At(r.Branch, r.Step)
		if err != nil {
			return nil, err
		}
		return run(s, l, r)
	}
}

// styles are the names of the styles of mdb in answers.
var styles = map[mdb.Style]string{
	mdb.Plain: "plain", mdb.Dim: "dim", mdb.Strong: "strong", mdb.Removed: "removed", mdb.Added: "added", mdb.Changed: "changed", mdb.Bad: "bad", mdb.Good: "good",
}

func do(s *mdb.Session, r *Request) (any, error) {
	page, err := s.Do(r.Line)
	if err != nil {
		if said := strings.TrimSpace(page.String()); said != "" {
			err = fmt.Errorf("%w; before it was answered: %s", err, said)
		}
		return nil, err
	}
	if !r.Styled {
		return map[string]any{"text": page.String()}, nil
	}
	lines := [][][2]string{}
	for _, l := range page {
		line := [][2]string{}
		for _, span := range l {
			line = append(line, [2]string{styles[span.Style], span.Text})
		}
		lines = append(lines, line)
	}
	return map[string]any{"lines": lines}, nil
}
