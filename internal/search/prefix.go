package search

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"macemc/choose"
	"macemc/internal/search/internal/run"
	"macemc/internal/wording"
	"macemc/sim"
)

// A search may begin where a recorded run ends: its prefix. The prefix is taken once, without
// faults, and by the identities of its steps, so that it survives small changes of the code. After
// it, the budgets of the environment are full. The search begins from the saved state, and the
// paths of its findings contain the prefix.

// prefix is the run with which all runs of a search begin. It has one fork, which is a saved state, for runs
// without faults and one for runs with faults, since with faults its steps have more alternatives. It is nil
// if there is no prefix.
type prefix struct {
	steps        int
	fair, stormy *run.Fork // stormy is nil if the search has no faults
}

// base returns the number of steps of the prefix.
func (l *prefix) base() int {
	if l == nil {
		return 0
	}
	return l.steps
}

// share returns the same prefix for use by another goroutine.
func (l *prefix) share() *prefix {
	if l == nil {
		return nil
	}
	return &prefix{l.steps, l.fair.Share(), l.stormy.Share()}
}

// beginning returns the saved state from which runs begin, depending on whether faults may happen
// in them, which their climate c says. It returns nil if runs begin at the start of the system.
func (l *prefix) beginning(c run.Climate) *run.Fork {
	switch {
	case l == nil:
		return nil
	case c.Faults:
		return l.stormy
	default:
		return l.fair
	}
}

// takePrefix takes the prefix, and saves the state that it leads to. If the service fails in it,
// takePrefix returns a finding.
func (h *hand) takePrefix() (*Finding, error) {
	path := h.opts.Prefix
	if path == nil {
		return nil, nil
	}
	if err := h.fits(path); err != nil {
		return nil, err
	}
	defer h.counted() // drops the counts of the prefix
	steps := len(path.Steps)
	fresh, f, err := h.retake(path, run.Fair)
	if f != nil || err != nil {
		return f, err
	}
	fair, err := h.ForkAt(fresh, run.Fair, steps)
	if err != nil {
		return nil, err
	}
	var stormy *run.Fork
	if h.Stormy() {
		c := run.Climate{Faults: true, Heal: -1}
		if early := h.opts.Early; early != nil { // early firings in the prefix do not count
			h.mayFire(*early + steps)
			if _, f, err = h.retake(path, c); f != nil || err != nil {
				return f, err
			}
			h.mayFire(*early + h.World.Environ.Fired())
		}
		if fresh, f, err = h.retake(path, c); f != nil || err != nil {
			return f, err
		}
		if stormy, err = h.ForkAt(fresh, c, steps); err != nil {
			return nil, err
		}
	}
	h.prefix = &prefix{steps, fair, stormy}
	return nil, nil
}

// mayFire sets how often timers may fire early from now on: see Options.Early.
func (h *hand) mayFire(early int) { h.opts.Early, h.Early = &early, &early }

// fits returns an error if the path cannot be the prefix of this search.
func (h *hand) fits(path *choose.Path) error {
	name, _ := path.Get("system")
	if name != h.Sys.Name {
		return fmt.Errorf("the prefix is of the system %q, not of %q; give a path of the latter", name, h.Sys.Name)
	}
	if nodes, _ := path.Get("nodes"); nodes != strconv.Itoa(h.opts.Params.Nodes) {
		return fmt.Errorf("the prefix has %s nodes, and the search %d; both must have the same number", nodes, h.opts.Params.Nodes)
	}
	for i, s := range path.Steps {
		if wording.Identify(s.Event.What).Kind == sim.KindHeal {
			return fmt.Errorf("the environment heals at step %d of the prefix, and no faults are possible after healing; give a path without healing", i+1)
		}
	}
	return nil
}

// retake takes the run of a path again. The climate c says whether faults may happen. retake finds the
// steps by their identities, since other events may be possible now. It returns the new recording, or a
// finding if the service fails.
func (h *hand) retake(path *choose.Path, c run.Climate) (*choose.Path, *Finding, error) {
	answers := choose.NewReplay(path)
	answers.ByIdentity, answers.Fair = true, true // it must be possible without faults, which is tried first
	record := choose.NewRecord(answers)
	end, failure, w := h.Run(run.Repeat(record, c, len(path.Steps)), false)
	var diverged *choose.Divergence
	switch {
	case failure != nil:
		f, err := h.confirm(choose.NewRaw(run.Picks(record.Path())), c, failure)
		return nil, f, err
	case end == run.EndStopped && errors.As(w.Run.Err(), &diverged):
		diverged.Pass = "the prefix"
		return nil, nil, fmt.Errorf("%w; a prefix is taken without faults, and the code may have changed since it was recorded", diverged)
	case end == run.EndStopped:
		return nil, nil, w.Run.Err()
	case !answers.Done():
		return nil, nil, fmt.Errorf("the prefix has %d steps, but after %d nothing is possible any more: the code has changed since it was recorded", len(path.Steps), w.Run.Steps())
	}
	return record.Path(), nil, nil
}

// LikePrefix returns the number of nodes and the parameters of a search that begins with a path.
// They are the path's, except those that the caller sets.
func LikePrefix(path *choose.Path, nodes int, params []string) (int, []string, error) {
	if text, _ := path.Get("nodes"); nodes == 0 {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return 0, nil, fmt.Errorf("the path's header says nodes: %q; it must be a number of 1 or more", text)
		}
		nodes = n
	}
	for _, setting := range path.All("param") {
		key, _, _ := strings.Cut(setting, "=")
		if !slices.ContainsFunc(params, func(p string) bool { return strings.HasPrefix(p, key+"=") }) {
			params = append(params, setting)
		}
	}
	return nodes, params, nil
}
