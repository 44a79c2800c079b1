package mdb

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"macemc/choose"
	"macemc/internal/numerals"
	"macemc/internal/world"
)

func branching() []*command {
	return []*command{
		{
			Name: "take", Meant: "choose choice pick do", Aliases: []string{"t"}, Group: groupBranch, Usage: "N | /PATTERN/ [COIN ...]",
			Short:   "take the N-th possible event after this step, or the one that a pattern matches",
			Help:    "alternatives lists the possible events with their numbers. Coins that are not given fall on their first sides.\nIf this is not the next step of the run, it begins a branch; the recorded run does not change.",
			Example: "alternatives; take 1; take /n0 script/; branches",
			run:     (*Session).take,
		},
		{
			Name: "walk", Meant: "random simulate", Group: groupBranch, Usage: "[N | live] [seed S]",
			Short:   "take random steps from here, N of them (by default 10), or until a state is live",
			Help:    "No faults happen. With live, it takes at most 10,000 steps. The same seed (by default 1) takes the\nsame steps.",
			Example: "jump 2; walk 3; walk live seed 7", args: []completer{ofWords("live", "seed")},
			run: (*Session).walk,
		},
		{
			Name: "heal", Group: groupBranch,
			Short:   "end the faults of the environment: a partition ends, and the budgets of faults are void",
			Example: "heal; prev; alternatives",
			run:     (*Session).heal,
		},
		{
			Name: "branches", Meant: "tree paths", Aliases: []string{"br"}, Group: groupBranch,
			Short:   "show the tree of branches",
			Example: "jump 1; walk 2; jump 2; walk 3 seed 2; branches",
			run: func(s *Session, args []word) (Page, error) {
				if len(args) > 0 {
					return nil, usageOf("branches")
				}
				return s.look().BranchesPage(), nil
			},
		},
		{
			Name: "branch", Group: groupBranch, Usage: "NAME [STEP]",
			Short:   "go to a branch: to the given step, or to the step with the present number, or to its end if it is shorter",
			Example: "jump 1; walk 2; branch trunk; branch b1 2", args: []completer{ofBranches},
			run: (*Session).toBranch,
		},
		{
			Name: "name", Group: groupBranch, Usage: "NAME",
			Short:   "name the branch",
			Example: "walk 2; name lucky; branches",
			run: func(s *Session, args []word) (Page, error) {
				if len(args) != 1 {
					return nil, usageOf("name")
				}
				if err := s.run.branches.rename(s.here, args[0].text); err != nil {
					return nil, err
				}
				return s.look().BranchesPage(), nil
			},
		},
		{
			Name: "save", Meant: "write export", Group: groupBranch, Usage: "FILE",
			Short:   "write the branch up to here as a path, for replay, search --prefix or mdb",
			Help:    "A file that exists is not overwritten. If critical has found the run dead, the path says so.",
			Example: "walk 4; save mine.path", args: []completer{ofFiles},
			run: (*Session).save,
		},
	}
}

// numbers returns the arguments as numbers; ok is false unless all are numbers of 0 or more.
func numbers(args []word) (out []int, ok bool) {
	for _, a := range args {
		n, err := strconv.Atoi(a.text)
		if err != nil || n < 0 {
			return nil, false
		}
		out = append(out, n)
	}
	return out, true
}

func (s *Cursor) take(args []word) (Page, error) {
	if err := s.run.seek(s.here, s.step); err != nil {
		return nil, err
	}
	if len(args) > 0 && args[0].pattern {
		k, err := s.possible(args[0].text)
		if err != nil {
			return nil, err
		}
		args = append([]word{{text: strconv.Itoa(k)}}, args[1:]...)
	}
	n, ok := numbers(args)
	if !ok || len(n) == 0 {
		return nil, usageOf("take")
	}
	if possible := s.run.player.World().Events.Count(); n[0] >= possible {
		return nil, fmt.Errorf("there is no event %d; after step %s there are %s, counted from 0: see alternatives", n[0], numerals.Count(s.step), numerals.Many(possible, "event"))
	}
	if err := s.run.hanging(s.here, s.step, n[0]); err != nil {
		return nil, err
	}
	src := &given{event: n[0], coins: n[1:]}
	if len(n) > 1 {
		_, failure := s.run.step(&given{event: n[0], coins: n[1:]}, false)
		asked := len(s.run.tape.picks) - 1
		s.run.on = nil
		if failure == nil && s.run.player.Err() == nil && asked < len(n)-1 {
			return nil, fmt.Errorf("%s given, and the handler asks %s", numerals.Many(len(n)-1, "coin")+plural(len(n)-1, " is", " are"), numerals.Many(asked, "coin"))
		}
	}
	if s.step < s.Len() && s.follows(n) {
		s.step++
		return s.look().here1(), nil
	}
	return s.goOn(src, func() (world.Progress, error) { return s.run.extend(s.here, src, false) })
}

// possible returns the number of the possible event that a pattern matches. It returns an
// error unless exactly one matches.
func (s *Cursor) possible(pattern string) (int, error) {
	re, err := compile(pattern)
	if err != nil {
		return 0, err
	}
	w := s.run.player.World()
	var all []string
	at := 0
	for k := range w.Events.Count() {
		if text := w.Events.At(k).Text(w.Walker().Text, s.run.nodes()); re.MatchString(text) {
			all = append(all, strconv.Quote(text))
			at = k
		}
	}
	switch len(all) {
	case 0:
		return 0, fmt.Errorf("nothing that can happen after step %s matches /%s/: see alternatives", numerals.Count(s.step), pattern)
	case 1:
		return at, nil
	default:
		return 0, fmt.Errorf("/%s/ matches %s: %s", pattern, numerals.Many(len(all), "event"), strings.Join(all, ", "))
	}
}

// follows reports whether these answers, to the choice of the event and to its coins, are
// those of the branch's next step.
func (s *Cursor) follows(answers []int) bool {
	picks := s.here.at(s.step + 1).picks
	for k, p := range picks {
		if k < len(answers) && answers[k] != int(p.Pick) || k >= len(answers) && p.Pick != 0 {
			return false
		}
	}
	return len(answers) <= len(picks)
}

// goOn takes a step from the cursor by calling step, whose answers come from src. If the
// cursor is not at the end of its branch, the step begins a new branch.
func (s *Cursor) goOn(src choose.Source, step func() (world.Progress, error)) (Page, error) {
	undo := s.branchOff()
	progress, err := step()
	if err != nil || progress != world.Stepped {
		undo()
	}
	switch {
	case err != nil:
		return nil, err
	case progress == world.Quiet:
		return nil, fmt.Errorf("after step %s no event is possible", numerals.Count(s.step))
	case progress == world.Stopped:
		if errors.Is(src.Err(), choose.ErrOnlyRare) {
			return nil, fmt.Errorf("after step %s only faults are possible, which happen by take only", numerals.Count(s.step))
		}
		return nil, src.Err()
	}
	s.step = s.here.len()
	return append(s.look().here1(), s.look().failed(s.step)...), nil
}

// branchOff moves the cursor to a new branch that leaves its branch here, unless the cursor
// is at the end of its branch. undo removes the new branch again.
func (s *Cursor) branchOff() (undo func()) {
	if s.step == s.Len() {
		return func() {}
	}
	was := s.here
	s.here = s.run.branches.number(s.here, s.step)
	return func() {
		s.here = was
		s.run.branches.drop()
	}
}

// walkMost is the largest number of steps of a walk that looks for a live state.
const walkMost = 10_000

func (s *Cursor) walk(args []word) (Page, error) {
	steps, live, seed := 10, false, uint64(1)
	for len(args) > 0 {
		switch n, err := strconv.ParseUint(args[0].text, 10, 31); {
		case args[0].text == "live":
			live, steps = true, walkMost
		case args[0].text == "seed" && len(args) > 1:
			if seed, err = strconv.ParseUint(args[1].text, 10, 64); err != nil {
				return nil, fmt.Errorf("the seed is %q; it must be a number", args[1].text)
			}
			args = args[1:]
		case err == nil && n > 0:
			steps = int(n)
		default:
			return nil, usageOf("walk")
		}
		args = args[1:]
	}
	if live && !s.run.player.World().Judge.CanBeLive() {
		return nil, fmt.Errorf("%s has no liveness property; name a number of steps", s.run.name())
	}
	if live && s.run.verdicts[s.here.verdict(s.step)].live {
		return page("the state is live already"), nil
	}
	src := choose.NewWalk(seed)
	src.Restart(seed, uint64(s.step))
	from, end := s.step, ""
	for n := range steps {
		if s.run.hangs != "" && s.here.owner(s.step) == s.run.trunk && s.step == len(s.run.recorded.Steps)-1 {
			return nil, fmt.Errorf("a walk from here may take the step that never returns: %s; take chooses one", s.run.hangs)
		}
		if err := s.run.busy.tell("walking", n, steps); err != nil {
			end = "stopped on request"
			break
		}
		_, err := s.goOn(src, func() (world.Progress, error) { return s.run.extend(s.here, src, false) })
		if err != nil && s.step == from {
			return nil, err
		}
		if err != nil {
			end = err.Error()
			break
		}
		if live && s.run.verdicts[s.here.verdict(s.step)].live {
			end = "the state is live"
			break
		}
	}
	if live && end == "" {
		end = "the state is not live"
	}
	var p Page
	p.add(Plain, "%s: steps %s to %s%s", s.where(), numerals.Count(from+1), numerals.Count(s.step), strings.TrimSuffix("; "+end, "; "))
	p = append(p, s.look().rowPage(span(max(from+1, s.step-9), s.step))...)
	return append(p, s.look().failed(s.step)...), nil
}

func span(from, to int) (all []int) {
	for i := from; i <= to; i++ {
		all = append(all, i)
	}
	return all
}

func (s *Cursor) heal(args []word) (Page, error) {
	if len(args) > 0 {
		return nil, usageOf("heal")
	}
	src := &given{}
	return s.goOn(src, func() (world.Progress, error) { return s.run.extend(s.here, src, true) })
}

func (s *Cursor) toBranch(args []word) (Page, error) {
	if len(args) == 0 || len(args) > 2 {
		return nil, usageOf("branch")
	}
	b := s.run.branches.named(args[0].text)
	if b == nil {
		return nil, unknown("branch", args[0].text, s.run.branches.names(), "branches lists them")
	}
	was := *s
	s.here, s.step = b, min(s.step, b.len())
	if len(args) == 2 {
		to, err := s.stepNamed(args[1].text)
		if err == nil {
			err = s.goTo(to)
		}
		if err != nil {
			*s = was
			return nil, err
		}
	}
	return s.look().here1(), nil
}

func (s *Cursor) save(args []word) (Page, error) {
	if len(args) != 1 {
		return nil, usageOf("save")
	}
	name := args[0].file()
	header, err := s.outcomeHere()
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		if errors.Is(err, os.ErrExist) {
			return nil, fmt.Errorf("%s exists; name another file", name)
		}
		return nil, err
	}
	_, err = s.here.path(append(s.settings(), header...), s.step).WriteTo(file)
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	return page("%s: %s", name, numerals.Many(s.step, "step")), nil
}
