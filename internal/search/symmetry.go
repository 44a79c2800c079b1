package search

import "macemc/internal/search/internal/explore"

// interchanges makes the exploration visit one of the states that differ only in the names of
// interchangeable nodes, if the options ask for it and it is sound.
func (r *runner) interchanges(x *explore.Explorer) error {
	if !r.opts.symmetric() {
		return nil
	}
	sets, err := r.Sys.Interchanged(r.Params)
	if err != nil {
		return err
	}
	why := r.opts.asymmetric()
	if why == "" {
		why = r.hand.asymmetric(sets)
	}
	if why != "" {
		r.add(Stats{Asymmetric: why})
		return nil
	}
	return x.Interchange(sets)
}

// symmetric reports whether the options ask for visiting only one of the states that differ in the
// names of nodes.
func (o *Options) symmetric() bool { return o.Symmetry == ReduceAuto }

// asymmetric returns the reason why the options require visiting all states, even those that differ
// only in the names of nodes, or "".
func (o *Options) asymmetric() string {
	switch {
	case o.shards() != nil:
		return "states are visited in shards, and states that differ only in names may be in different shards"
	case o.Engine == EngineReference:
		return "the engine reference takes runs and keeps no states"
	case o.Visited == VisitedFingerprint:
		return "Options.Visited fingerprint keeps no states that could be compared"
	case o.Prefix != nil:
		return "Options.Prefix begins at a state in which the nodes may differ, and from there no renamed run is known to compare with"
	case o.Store != nil:
		return "Options.Store keeps levels of which all states were visited"
	case o.Reduce == ReduceStubborn:
		return "Options.Reduce leaves steps out by names of nodes"
	}
	return ""
}

// asymmetric returns the reason why all states must be visited although the nodes in each of these
// sets are interchangeable, or "".
func (h *hand) asymmetric(sets [][]int) string {
	switch {
	case len(sets) == 0:
		return "System.Interchangeable names no nodes that could swap their names"
	case len(h.World.Judge.Cools()) > 0:
		return "a run that stays hot for ever may go through states with other names, which are not visited"
	case h.Sys.Clock != nil:
		return "the known relations between times (System.Clock) depend on the order in which a node holds the times"
	case h.Budgets().Only != "":
		return "faults are limited to some nodes"
	}
	if bad, err := h.Sys.Byzantines(h.Params, ""); err != nil || len(bad) > 0 {
		return "a Byzantine node differs from the others"
	}
	return ""
}
