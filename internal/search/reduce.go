package search

import (
	"cmp"
	"fmt"
	"slices"

	"macemc/internal/contract"
	"macemc/internal/search/internal/explore"
)

// Reduce says whether, and how, the exhaustive phase leaves out steps that only change the order of
// others.
type Reduce string

// The ways of reducing.
const (
	ReduceNone     Reduce = "none"     // every step of every state is taken
	ReduceAuto     Reduce = "auto"     // stubborn if that is sound and pays, otherwise none
	reduceDPOR     Reduce = "dpor"     // with EngineReference: one run is taken of all that differ only in the order of independent steps; an error if that is not sound
	reduceSleep    Reduce = "sleep"    // every state is visited, but a step is not taken if another order of steps leads to the same state; an error if that is not sound
	ReduceStubborn Reduce = "stubborn" // in each state only the steps of some nodes are taken, if these suffice; an error if that is not sound
)

// Reduces lists all values of Reduce.
var Reduces = []Reduce{ReduceAuto, ReduceNone, ReduceStubborn, reduceSleep, reduceDPOR}

// reduces makes the exploration leave out steps, if that is sound. If it is not sound although
// the options name a reduction, it returns an error.
func (r *runner) reduces(x *explore.Explorer) error {
	how := cmp.Or(r.opts.Reduce, ReduceAuto)
	if how == ReduceNone || how == reduceDPOR {
		return nil
	}
	why := r.opts.unreduced()
	if how == reduceSleep {
		if why = cmp.Or(why, r.hand.sleepless(x)); why == "" {
			if z := x.Sleeps(); r.opts.sleep != nil {
				r.opts.sleep(z)
			}
			return nil
		}
		return r.reducesNot(why)
	}
	if why == "" {
		why = r.hand.unreduced(x)
	}
	lively := r.hand.lively()
	if why == "" && how == ReduceAuto {
		why = lively
	}
	if why != "" {
		return r.reducesNot(why)
	}
	x.Reduce(how == ReduceAuto).Lively = lively == ""
	return nil
}

// reducesNot is called if no steps can be left out; why is the reason. It returns an error if
// Options.Reduce names a reduction. If Options.Reduce is auto, it records the reason for the report.
func (r *runner) reducesNot(why string) error {
	switch r.opts.Reduce {
	case "", ReduceNone: // the options do not ask for a reduction
		return nil
	case ReduceAuto:
		r.add(Stats{Unreduced: why})
		return nil
	}
	return r.opts.irreducible(why)
}

func (o *Options) irreducible(why string) error {
	return fmt.Errorf("Options.Reduce %s leaves no steps out here, since %s; take Options.Reduce none, or auto, which reduces where it can", o.Reduce, why)
}

// sleepless returns the reason why the search cannot use sleep sets, which remember the steps of
// a state that need not be taken because another order of steps leads to the same state. It
// returns "" if the search can use them.
func (h *hand) sleepless(x *explore.Explorer) string {
	switch {
	case x.Memo() == nil:
		return "the engine local takes each step in the world, and sleep sets leave out only steps that the engine memo looks up"
	case h.owner.Always:
		return "a property is about steps"
	case h.World.Links.Slow(), h.World.Links.Flawed():
		return "a message on a slow link, or a known bug of the simulated links, makes steps depend on all others"
	case x.Fold() != nil:
		return "Options.Symmetry keeps one of the states that differ in names, and sleep sets identify steps by names"
	case x.Gathers():
		return "a node offers actions because of what is in its set"
	}
	return ""
}

// unreduced returns the reason why no steps can be left out under these options, or "".
func (o *Options) unreduced() string {
	switch {
	case o.shards() != nil:
		return "states are visited in shards, each by another process, and none of these knows all steps"
	case o.Visited == VisitedFingerprint:
		return "Options.Visited fingerprint forgets a state once its steps are taken, and steps that were left out may have to be taken later"
	case o.Findings > 1 || len(o.Ignore) > 0:
		return "the search goes on after a finding but visits no states after a violation, so a left-out step that commutes with the violating one would be lost"
	case o.Store != nil:
		return "Options.Store keeps levels of which all steps were taken"
	case o.Spill != "":
		return "Options.Spill keeps levels of which all steps were taken"
	case o.Early != nil:
		return "Options.Early lets a timer wait for messages of all nodes"
	}
	return ""
}

// unreduced returns the reason why no steps can be left out in this system, or "".
func (h *hand) unreduced(x *explore.Explorer) string {
	sys := h.Sys
	lively := h.World.Judge.CanBeLive()
	switch {
	case len(h.World.Judge.Cools()) > 0:
		return "a monitor may stay hot for ever on a fair run, and yet become cold in other orders of the steps"
	case !sys.Within.IsZero():
		return "System.Within ends the search at states that other orders of the steps go around"
	case lively && !sys.Assume.IsZero():
		return "System.Assume leaves states out that other orders of the steps go around"
	case lively && sys.Weight != nil:
		return "System.Weight makes steps rare, and a state from which a rare step leads to a dead one is not dead itself"
	case h.World.Links.Slow():
		return "a message on a slow link waits for the steps of all nodes"
	case h.World.Links.Flawed():
		return "a known bug of the simulated links is switched on, and its steps may change any part of the state"
	case x != nil && x.Fold() != nil:
		return "Options.Symmetry keeps one of the states that differ in names, and steps are left out by names"
	case x != nil && x.Gathers():
		return "a node offers actions because of what is in its set"
	}
	for _, p := range sys.Properties {
		if len(h.Properties) > 0 && !slices.Contains(h.Properties, p.Name) {
			continue
		}
		switch rule := contract.Rule(p); {
		case p.Kind() == "steps":
			return fmt.Sprintf("property %q is about steps", p.Name)
		case p.Kind() == "sometimes":
			return fmt.Sprintf("the scenario %q may be reached by one order of the steps alone", p.Name)
		case p.Kind() == "always" && !rule.Alone && rule.Take == nil:
			return fmt.Sprintf("property %q may depend on all of every node; make it by Each, or say by sim.Takes on what it depends", p.Name)
		}
	}
	return ""
}

// lively returns the reason why liveness cannot be decided if steps are left out, or "".
func (h *hand) lively() string {
	for _, p := range h.Sys.Properties {
		if p.Kind() == "eventually" && contract.Rule(p).Take == nil && (len(h.Properties) == 0 || slices.Contains(h.Properties, p.Name)) {
			return fmt.Sprintf("property %q may depend on all of every node; say by sim.Takes on what it depends", p.Name)
		}
	}
	return ""
}
