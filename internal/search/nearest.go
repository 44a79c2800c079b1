package search

import (
	"cmp"
	"reflect"

	"macemc/internal/canon"
	"macemc/internal/search/internal/explore"
	"macemc/internal/search/internal/run"
	"macemc/internal/wording"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

// nearestRun is how many visited states one run of a handler counts as in Lab.Nearest and Lab.Rejoin. Most steps are
// looked up there, while a handler needs a copy of its node, and runs again as a check.
const nearestRun = 16

// Nearest looks for the shortest run to a failure for which wanted returns true. The run must begin with the first
// from steps of a case, must be shorter than the case, and may go on only with events of the forms that later steps
// of the case have. The form of an event is its kind, its node, the type of its value and, for a message, its sender.
// Nearest visits the states that such runs can reach, those after the fewest steps first, until it has visited most
// of them (the parameter). The result c is nil if there is no such run, which whole says, or if Nearest found none
// before it stopped.
func (l *Lab) Nearest(of *Case, from, most int, wanted func(*trace.Failure) bool) (c *Case, whole bool, err error) {
	n := &nearest{hand: l.first().hand, of: of, from: from, to: of.Steps(), most: most, wanted: wanted}
	if c, err = l.near(n); c != nil && (c.Failure == nil || !wanted(c.Failure)) {
		c = nil
	}
	return c, n.whole && c == nil, err
}

// Rejoin looks for a detour in a case: steps that a shorter way can replace. The shorter way begins at the state
// after from steps, and ends at a state of the case that is at most the one after to steps. It ends there if the
// healed forms of the two states are the same. Rejoin visits states as Nearest does, and prefers the way that saves
// most steps. It returns the run by the shorter way as a case, and at, the number of steps after which the old run
// was in the same state. The result is nil if it found none.
func (l *Lab) Rejoin(of *Case, from, to, most int) (c *Case, at int, err error) {
	n := &nearest{hand: l.first().hand, of: of, from: from, to: to, most: most}
	c, err = l.near(n)
	return c, n.at, err
}

// near makes the search n, and returns the run that it found as a case.
func (l *Lab) near(n *nearest) (c *Case, err error) {
	if heal := n.of.climate.Heal; heal >= 0 && heal < n.to { // the explorer takes no step of healing
		return nil, nil
	}
	c, err = alone(l, func() (*Case, error) {
		if err := n.look(); n.found == nil || err != nil {
			return nil, err
		}
		c, _, _ := l.examine(n.found.Again(), n.of.climate, n.found.Length())
		return c, nil
	})
	l.took(0, n.cost)
	return c, err
}

// nearest is the search of one call of Nearest or Rejoin. Rejoin has no function wanted.
type nearest struct {
	*hand
	of     *Case
	from   int // where the search begins
	to     int // events have the forms of the steps up to this one
	most   int
	wanted func(*trace.Failure) bool

	later map[canon.Hash]int // for Rejoin: after how many steps the run is in a state, by the identity of its healed form
	at    int                // the run that was found ends in the state after this many steps
	saves int                // by how many steps it is shorter than the case

	found   *run.Answers
	whole   bool // every state was visited
	cost    int  // the states visited, with the runs of handlers
	started int  // runs of handlers before the search
}

// look makes the search. It ends, without an error, at a state that cannot be copied or cannot be distinguished from
// another one: the exhaustive phase reports such states.
func (n *nearest) look() error {
	h := n.hand
	audits, _ := h.unaudited()
	h.owner.Several, h.owner.Note = true, n.note
	defer func() {
		audits()
		h.owner.Several, h.owner.Note = false, nil
		h.Explored()
	}()
	begin, err := h.ForkAt(n.of.Path, n.of.climate, n.from)
	if err != nil || begin.At == nil {
		return err
	}
	x, err := h.owner.NewExplorer(n.of.climate, nil)
	if err != nil {
		return err
	}
	defer x.Close()
	x.Begin, x.Leaves = begin, n.leaves(x.World)
	x.ByMemo()
	x.Untested()
	if n.wanted == nil {
		n.follow()
	}
	n.started = h.counts.Steps
	n.whole = n.levels(x) == nil && !x.Sampled && n.whole
	n.cost = n.worked(x)
	return nil
}

// worked returns the work of the search so far, as a number of states. A run of a handler counts
// as nearestRun states.
func (n *nearest) worked(x *explore.Explorer) int {
	return x.Kept() + nearestRun*(n.counts.Steps-n.started)
}

// follow records the states of the run to which a shorter way may lead.
func (n *nearest) follow() {
	n.later = map[canon.Hash]int{}
	for i := n.from; i <= n.to; i++ {
		n.later[n.of.healed[i]] = i
	}
}

// note is called with a failure that the explorer x met. It implements explore.Owner.Note.
func (n *nearest) note(x *explore.Explorer, failure *trace.Failure, _ bool) error {
	if n.wanted == nil || !n.wanted(failure) {
		return nil
	}
	n.found = x.Found()
	return explore.ErrEnough
}

// formOf is what two events have in common if nothing but the contents of their values differs.
type formOf struct {
	kind       sim.Kind
	node, from sim.Addr
	link       sim.Link
	value      reflect.Type
}

// leaves returns a function that reports whether event number k of the state in w is left out, since no step of the run
// between from and to has its form.
func (n *nearest) leaves(w *world.World) func(k int) bool {
	forms := map[string]bool{}
	for _, s := range n.of.Path.Steps[n.from:n.to] {
		forms[wording.Alike(s.Event.What)] = true
	}
	left := map[formOf]bool{} // the words for an event cost more than to look it up
	return func(k int) bool {
		e := w.Events.Look(k)
		of := formOf{e.Kind, e.Node, e.From, e.Link, reflect.TypeOf(e.Value)}
		out, known := left[of]
		if !known {
			out = !forms[wording.Alike(w.Events.Identity(k))]
			left[of] = out
		}
		return out
	}
}

// levels takes the steps of all states, level by level, as long as a run of that length would still be short
// enough. It returns an error if it has found the failure, or if a limit is met.
func (n *nearest) levels(x *explore.Explorer) error {
	n.whole = true
	if bad, err := n.owner.Guarded(x.Taker, x.Roots); bad != nil || err != nil {
		return cmp.Or(err, error(explore.ErrHalt))
	}
	level := x.Level()
	for depth := 1; level.Len() > 0 && n.from+depth < n.to-n.saves; depth++ {
		next, err := n.expand(x, level)
		if err != nil {
			return err
		}
		if level = next; n.wanted == nil {
			n.joins(x, level, depth)
		}
	}
	return nil
}

// joins looks among the states of a level, which are depth steps from the beginning, for states of the run.
func (n *nearest) joins(x *explore.Explorer, level explore.Frontier, depth int) {
	level.Some(0, level.Len(), func(_ int, s uint32) bool {
		if at, is := n.later[x.HealedSum(s)]; is && at-n.from-depth > n.saves {
			answers := x.Path(s)
			n.found, n.at, n.saves = &answers, at, at-n.from-depth
		}
		return true
	})
}

// expand takes the steps of the states of a level, and returns the next level. After a handler has panicked, it does not
// take the other steps of that state.
func (n *nearest) expand(x *explore.Explorer, level explore.Frontier) (explore.Frontier, error) {
	for from := 0; ; n.whole = false {
		bad, err := n.owner.Guarded(x.Taker, func() (err error) {
			level.Some(from, level.Len(), func(k int, s uint32) bool {
				switch from = k + 1; {
				case n.worked(x) > n.most || n.Stopped():
					err = explore.ErrHalt
				case !x.Outside(s):
					err = x.Expand(s)
				}
				return err == nil
			})
			if err == nil {
				err = x.Settle()
			}
			if err == nil {
				err = x.EndLevel()
			}
			return err
		})
		switch {
		case err == explore.ErrEnough:
			return nil, nil
		case err != nil:
			return nil, err
		case bad == nil:
			return x.Level(), nil
		case bad.Strayed:
			return nil, explore.ErrHalt
		case n.wanted != nil && n.wanted(bad.Failure):
			n.found = bad.Run(x.Taker)
			return nil, nil
		}
		x.Resume()
	}
}
