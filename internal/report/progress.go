package report

import (
	"fmt"
	"strings"
	"time"

	"macemc/internal/numerals"
	"macemc/internal/search"
)

// Progress returns the progress of a search as one line: its phase, its counts, how fast they
// grew recently and, if that can be estimated, the remaining time. now is the present progress.
// then is an earlier progress of the same search, and ago is the time since that. elapsed is the
// time since the beginning of the search. The search may take no longer than limit; 0 means no
// limit.
func Progress(now, then search.Progress, ago, elapsed, limit time.Duration) string {
	parts := []string{doing(now)}
	switch now.Phase {
	case search.PhaseStates:
		parts = append(parts, pace(now.States, then.States, ago, "state"))
	case search.PhaseLiveness, search.PhasePeriphery, search.PhaseSuspect:
		parts = append(parts, numerals.Many(now.States, "state"))
	case search.PhaseWalks, search.PhasePrefixes:
		parts = append(parts, pace(now.Steps, then.Steps, ago, "step"))
	}
	parts = append(parts, Elapsed(elapsed))
	parts = append(parts, left(now, then, ago, elapsed, limit)...)
	if n := now.Walks; n > 0 && now.Phase != search.PhaseWalks {
		parts = append(parts, numerals.Many(n, "walk"))
	}
	if n := now.Periphery.Walked; n > 0 && now.Phase == search.PhaseStates {
		parts = append(parts, numerals.Many(n, "walk"))
	}
	if now.Suspects > 0 {
		parts = append(parts, numerals.Many(now.Suspects, "suspect"))
	}
	if now.Memory > 0 {
		parts = append(parts, numerals.Count(now.Memory>>20)+" MiB")
	}
	return strings.Join(parts, ", ")
}

// doing returns the phase of the search, and the share of the phase that is done.
func doing(p search.Progress) string {
	share := ""
	if p.Of > 0 {
		share = fmt.Sprintf(" (%d %%)", 100*min(p.Done, p.Of)/p.Of)
	}
	switch p.Phase {
	case search.PhaseStates:
		return "depth " + numerals.Count(p.Level) + share
	case search.PhasePeriphery:
		return "walks from depth " + numerals.Count(p.Level) + share
	case search.PhaseSuspect:
		return "deciding about a suspect"
	case search.PhaseLiveness:
		return "deciding liveness" + share
	case search.PhaseWalks:
		if p.Of == 0 {
			return numerals.Many(p.Done, "walk")
		}
		return fmt.Sprintf("%s of %s", numerals.Count(p.Done), numerals.Many(p.Of, "walk"))
	case search.PhasePrefixes:
		return fmt.Sprintf("%s of %s in steady state", numerals.Count(p.Done), numerals.Many(p.Of, "run"))
	default:
		return "beginning"
	}
}

// pace returns a count with its noun and its growth per second, such as "5,000 states (200/s)".
// now is the present count, and then is the count at the time ago before.
func pace(now, then int, ago time.Duration, what string) string {
	text := numerals.Many(now, what)
	if ago > 0 && now >= then {
		text += fmt.Sprintf(" (%s/s)", rate(now-then, ago))
	}
	return text
}

// left estimates the remaining time of the search. It can do so for walks, which come last,
// and if the search has a time limit. The number of levels that the exhaustive phase still
// has is unknown.
func left(now, then search.Progress, ago, elapsed, limit time.Duration) (parts []string) {
	phase, known := toGo(now, then, ago)
	last := known && (now.Phase == search.PhaseWalks || now.Phase == search.PhasePrefixes)
	most := max(0, limit-elapsed)
	switch {
	case last && (limit == 0 || phase <= most):
		return []string{Elapsed(phase) + " to go"}
	case known && !last && now.Phase == search.PhaseStates:
		parts = append(parts, Elapsed(phase)+" to go at this depth")
	case known && !last:
		parts = append(parts, Elapsed(phase)+" to go with this")
	}
	switch {
	case limit == 0:
	case most == 0:
		return []string{"its time is over, and it ends"}
	case now.Phase == search.PhaseWalks && now.Of == 0:
		return []string{Elapsed(most) + " to go"}
	default:
		parts = append(parts, "at most "+Elapsed(most)+" to go in all")
	}
	return parts
}

// toGo returns the remaining time of the phase at its recent speed. The speed is known only if
// now and then are in the same phase at the same depth, and at least 50 items were done between
// them.
func toGo(now, then search.Progress, ago time.Duration) (left time.Duration, known bool) {
	const least = 50
	done := now.Done - then.Done
	if now.Of == 0 || now.Phase != then.Phase || now.Level != then.Level || now.Of != then.Of || done < least || now.Done > now.Of {
		return 0, false
	}
	return time.Duration(float64(ago) * float64(now.Of-now.Done) / float64(done)), true
}

// Elapsed returns a duration in whole seconds, in its shortest form.
func Elapsed(d time.Duration) string {
	s := int(d.Seconds())
	switch {
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d:%02d min", s/60, s%60)
	default:
		return fmt.Sprintf("%d:%02d h", s/3600, s/60%60)
	}
}
