package search

import (
	"cmp"
	"fmt"
	"slices"

	"macemc/choose"
	"macemc/sim"
	"macemc/trace"
)

// An outcome is the result of a phase of a search. The zero outcome means that the phase goes on.
type outcome struct {
	stop     Stop // why the phase ended, or "" if it did not
	finding  *Finding
	safety   Safety
	liveness Liveness
	repeated Repeated // how often the steps were repeated as a check
	prefixes []Prefix // the prefixes that were found, if the options ask for them
}

// stopped returns the outcome of a phase that ended for this reason, without a finding.
func stopped(why Stop) outcome { return outcome{stop: why} }

// found returns the outcome of a phase that ended with a finding.
func found(f *Finding) outcome { return outcome{stop: StopFound, finding: f} }

// over reports whether the phase has ended.
func (o outcome) over() bool { return o.stop != "" }

// fold makes the result of the search. states is the outcome of the exhaustive phase, and walks is that of
// the walks. Only fold decides why the search stopped, and sets Result.Safety and Result.Liveness.
func (r *runner) fold(states, walks outcome) (*Result, error) {
	all := r.findings.all
	if unused := r.unused(); len(unused) > 0 && len(all) == 0 {
		return nil, fmt.Errorf("system %s: opaque rule %q matched nothing in the states that were met; correct it or take it out", r.Sys.Name, unused[0])
	}
	r.collect()
	stop, cut := r.stops(states, walks)
	stats := r.now()
	res := &Result{
		System: r.Sys, Params: r.opts.Params, Options: r.opts,
		Finding: firstOf(all), Findings: all, Undecided: r.undecided, Alike: r.findings.alike, Ignored: r.findings.ignored,
		Safety: r.safety(states), Liveness: r.liveness(states, walks), Stop: stop, Cut: cut,
		Stats: stats, Measured: r.measured(), Repeated: states.repeated, Quarantined: r.quarantined, Left: r.leftStates, LeftAt: r.leftAt, Prefixes: states.prefixes, Overflow: r.overflow(),
		Never: r.coverage.Never(), Slack: r.coverage.Slack(), Held: r.coverage.Held(), Charts: r.coverage.Charts(),
		lab: r.lab,
	}
	return res.profiled(r.space), nil
}

func firstOf(all []*Finding) *Finding {
	if len(all) == 0 {
		return nil
	}
	return all[0]
}

// stops returns the reason why the search stopped, and the limit that ended it early, if one did.
// If memory ended the exhaustive phase, or the phase left out states, that is the reason, even if
// all walks were taken after it.
func (r *runner) stops(states, walks outcome) (stop, cut Stop) {
	stop, cut = states.stop, early(states.stop)
	if walks.over() && (walks.stop != StopPaths || stop != StopMemory && stop != StopQuarantined) {
		stop, cut = walks.stop, cmp.Or(cut, early(walks.stop))
	}
	if !r.findings.wants() {
		stop = StopFound
	}
	return stop, cut
}

// early returns s if it means that the search stopped before its bound, otherwise "".
func early(s Stop) Stop {
	if s.Early() {
		return s
	}
	return ""
}

// safety returns the answer about the safety properties: StateFound if a finding violates one, and otherwise
// the answer of the exhaustive phase.
func (r *runner) safety(states outcome) Safety {
	if slices.ContainsFunc(r.findings.all, func(f *Finding) bool { return !f.unlive() }) {
		return Safety{State: StateFound, Depth: states.safety.Depth, Faults: states.safety.Faults}
	}
	return Safety{State: r.known(states.safety.State), Depth: states.safety.Depth, Faults: states.safety.Faults}
}

// liveness returns the answer about the liveness properties, from the findings, the exhaustive
// phase and the walks.
func (r *runner) liveness(states, walks outcome) Liveness {
	l := Liveness{State: r.known(states.liveness.State), Bottoms: states.liveness.Bottoms, Walks: r.stats.Walks - r.stats.Ended, WalkSteps: r.reach}
	switch {
	case slices.ContainsFunc(r.findings.all, (*Finding).unlive):
		return Liveness{State: StateFound, Bottoms: l.Bottoms, Walks: l.Walks, WalkSteps: l.WalkSteps}
	case len(r.quarantined) > 0:
		l.State = StateIncomplete
	case l.State == StateNone && walks.over() && r.promises():
		return Liveness{State: StateSampled, Bottoms: l.Bottoms, Walks: l.Walks, WalkSteps: l.WalkSteps}
	}
	return l
}

// promises reports whether a liveness property is checked.
func (r *runner) promises() bool {
	return r.World.Judge.CanBeLive() || len(r.World.Judge.Cools()) > 0
}

// unlive reports whether the finding is about liveness: a dead run, a run that stays hot for ever, or a handler
// that goes on for ever.
func (f *Finding) unlive() bool {
	return f.Verdict == trace.VerdictDead || f.Verdict == trace.VerdictHot || f.Verdict == trace.VerdictDivergence
}

// known returns s as it is reported. It returns StateNone for "". It returns StateCut if s says that all states were
// visited although some runs ended in an ignored failure, since the states after that failure were not visited.
func (r *runner) known(s State) State {
	if r.findings.ignored > 0 && (s == StateExhausted || s == StateExhaustedWithin) {
		return StateCut
	}
	return cmp.Or(s, StateNone)
}

// overflow returns the capacity of a datagram channel that was full when a datagram was sent, or 0
// if none was.
func (r *runner) overflow() int {
	if !r.coverage.Overflowed() {
		return 0
	}
	_, most := r.World.Links.Capacities()
	return most
}

// soFar is the state of a search that ends before its phases return.
type soFar struct {
	findings  []*Finding
	undecided []Suspect
	stats     Stats
	reach     int
	measured  Measured
}

// leftOff returns the result of a search that must end although a handler has not returned. why is the
// reason, and s is what the search has found so far.
func (h *hand) leftOff(why Stop, s soFar) *Result {
	safety := Safety{State: StateIncomplete}
	if s.stats.Depth > 0 {
		safety = Safety{State: StateBounded, Depth: s.stats.Depth, Faults: h.few()}
	}
	return &Result{
		System: h.Sys, Params: h.opts.Params, Options: h.opts, Finding: firstOf(s.findings), Findings: s.findings, Undecided: s.undecided,
		Safety: safety, Liveness: Liveness{State: StateIncomplete, Walks: s.stats.Walks, WalkSteps: s.reach},
		Stop: why, Cut: why, Stats: s.stats, Measured: s.measured,
	}
}

// stoppedAt returns the result of a search that cannot continue because of a failure, which becomes a
// finding. path is the run up to the failure, s is what the search has found so far, and safety and liveness are
// the answers to report.
func (h *hand) stoppedAt(failure trace.Failure, path runPath, s soFar, safety, liveness State) *Result {
	f := newFinding(failedAt(failure, path), path.Path, nil, h.Climate)
	h.opts.label(h.Sys, f)
	return &Result{
		System: h.Sys, Params: h.opts.Params, Options: h.opts, Finding: f, Findings: append(s.findings, f),
		Safety: Safety{State: safety}, Liveness: Liveness{State: liveness},
		Stop: StopFound, Stats: s.stats, Measured: s.measured,
	}
}

// runPath is the path of a run up to a step, and the node of that step.
type runPath struct {
	*choose.Path
	node     sim.Addr
	identity string
}

// failedAt returns f as a failure at the last step of a path.
func failedAt(f trace.Failure, at runPath) trace.Failure {
	f.Node, f.Identity, f.Step = at.node, at.identity, len(at.Steps)
	return f
}
