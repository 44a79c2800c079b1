package search

import (
	"strings"
	"time"

	"macemc/internal/search/internal/run"
)

// Slow is a place of the service where handlers take much time: one of them does not return, or
// each waits a little.
type Slow struct {
	Stack string // the service's part of the stack
	Does  string // what the goroutine does there, in the words of Go's runtime: sleep, IO wait, running
}

const (
	slowLook  = 125 * time.Millisecond
	slowLooks = 8  // a place is reported after this many looks in a row
	slowMost  = 64 // a hand that asked more questions than this since the last look is not slow
)

// slowness records where a hand's handler was when the monitor last looked.
type slowness struct {
	last  uint64 // the pulse's count at the last look
	place string // the innermost line of the service's stack at the last look
	still int    // number of looks in a row at which the handler was at place
}

// watchSlow starts another monitor, which looks more often than the one for handlers that never
// return. It reports where handlers wait. If the search should stop and cannot, because a handler
// does not return, it reports the findings and counts so far as the result.
func (m *monitor) watchSlow() (end func()) {
	seen := map[*hand]*slowness{}
	told := map[string]bool{}
	over := Stop("")
	opts := &m.first.opts
	return run.Often(slowLooks*slowLook, func() bool {
		if over == "" && opts.Stop != nil {
			if over = opts.Stop(); over != "" {
				m.first.Limits.Stop(string(over))
				clear(seen)
			}
		}
		for _, one := range m.all() {
			s := seen[one]
			if s == nil {
				s = &slowness{}
				seen[one] = s
			}
			stack, does := s.look(one)
			if s.still < slowLooks {
				continue
			}
			if opts.OnSlow != nil && !told[s.place] {
				told[s.place] = true
				opts.OnSlow(Slow{stack, does})
			}
			if over != "" {
				opts.OnStuck(m.first.leftOff(over, m.soFar(one)))
				return true
			}
		}
		return false
	})
}

// look looks at hand r once more. It returns the service's stack there and what the goroutine does,
// and counts in how many looks in a row the place was the same.
func (s *slowness) look(r *hand) (stack, does string) {
	now := r.Pulse.Count()
	slow := now != 0 && now-s.last <= slowMost
	s.last = now
	if !slow {
		s.still = 0
		return "", ""
	}
	stack, does = r.Pulse.Inside()
	if strings.Contains(stack, "macemc/internal/search.") { // the search's own code runs, and no handler
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
