package search

import (
	"strings"
	"time"

	"macemc/search/internal/run"
)

// Slow is a place of the service where handlers take their time: one does not
// return, or each waits a little.
type Slow struct {
	Stack string // the service's part of it
	Does  string // what the goroutine does there, as Go's runtime calls it: sleep, IO wait, running
}

const (
	slowLook  = 125 * time.Millisecond
	slowLooks = 8  // in a row, after which a place is told
	slowMost  = 64 // questions between two looks, at which there is nothing to look for
)

// slowness is where a runner was at the last looks.
type slowness struct {
	last  uint64
	place string
	still int
}

// watchSlow starts another monitor, which looks more often than that for handlers
// that never return. It tells where handlers wait; and when the search is to
// stop and cannot, because a handler keeps it, it has what is known told as one
// that has stopped.
func (r *runner) watchSlow() (end func()) {
	seen := map[*runner]*slowness{}
	told := map[string]bool{}
	over := Stop("")
	return run.Often(slowLooks*slowLook, func() bool {
		if over == "" && r.opts.Stop != nil {
			if over = r.opts.Stop(); over != "" {
				r.Limits.Stop(over)
				clear(seen)
			}
		}
		for _, one := range append([]*runner{r}, r.pulses.others()...) {
			s := seen[one]
			if s == nil {
				s = &slowness{}
				seen[one] = s
			}
			stack, does := s.look(one)
			if s.still < slowLooks {
				continue
			}
			if r.opts.OnSlow != nil && !told[s.place] {
				told[s.place] = true
				r.opts.OnSlow(Slow{stack, does})
			}
			if over != "" {
				r.opts.OnStuck(r.leftOff(over))
				return true
			}
		}
		return false
	})
}

// look looks at a runner once more, and counts how often it was in one place.
func (s *slowness) look(r *runner) (stack, does string) {
	now := r.Pulse.Count()
	slow := now != 0 && now-s.last <= slowMost
	s.last = now
	if !slow {
		s.still = 0
		return "", ""
	}
	stack, does = r.Pulse.Inside()
	if strings.Contains(stack, "macemc/search.") { // it is no handler that takes its time
		stack = ""
	}
	_, rest, _ := strings.Cut(stack, "\n")
	place, _, _ := strings.Cut(rest, "\n")
	if place == "" || place != s.place {
		s.still, s.place = 0, place
	}
	if place != "" {
		s.still++
	}
	return stack, does
}

// leftOff is the result of a search that is ended while a handler keeps it from
// ending by itself.
func (r *runner) leftOff(why Stop) *Result {
	res := &Result{
		System: r.Sys, Params: r.opts.Params, Options: r.opts, Findings: r.findings.all, Undecided: r.undecided,
		Safety: Safety{State: StateIncomplete}, Liveness: Liveness{State: StateIncomplete, Walks: r.stats.Walks, WalkSteps: r.reach},
		Stop: why, Cut: why, Stats: r.stats, Measured: r.measured(),
	}
	if r.stats.Depth > 0 {
		res.Safety = Safety{State: StateBounded, Depth: r.stats.Depth}
	}
	if len(res.Findings) > 0 {
		res.Finding = res.Findings[0]
	}
	return res
}
