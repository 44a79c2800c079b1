package search

import (
	"fmt"
	"math"
	"time"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/search/internal/run"
	"macemc/internal/trail"
	"macemc/sim"
	"macemc/trace"
)

// Alone repeats a recorded run that ended its process. It calls report before it gives the last
// answer, which may end this process, too. It does not call report if the run ends before the last
// answer.
func Alone(sys *sim.System, opts Options, one trail.Run, report func(*Finding)) error {
	opts.Trail, opts.Stop = nil, nil
	h, err := newHand(sys, opts, nil, nil)
	if err != nil {
		return err
	}
	h.Climate = run.Climate{Faults: one.Faults, Heal: one.Heal}
	path, node, identity, whole, err := h.UpTo(&numbered{picks: one.Picks}, len(one.Picks), h.Climate)
	if !whole || err != nil {
		return err
	}
	f := newFinding(failedAt(trace.Failure{Verdict: trace.VerdictKilled}, runPath{path, node, identity}), path, nil, h.Climate)
	h.opts.label(h.Sys, f)
	report(f)
	h.Run(run.Repeat(&numbered{picks: one.Picks}, h.Climate, math.MaxInt), true)
	return nil
}

// numbered is a source that gives the recorded answers one after the other. A recorded answer
// consists of two numbers: its index among the possible answers, and how many were possible.
// numbered fails if a different number of answers is possible now.
type numbered struct {
	picks []choose.Pick
	pos   int
	err   error
}

func (b *numbered) Answer(q *choose.Question) int {
	if b.pos == len(b.picks) {
		b.err = choose.ErrEnd
		return -1
	}
	p := b.picks[b.pos]
	if int(p.Pick) >= q.N || p.Of != 0 && int(p.Of) != q.N {
		b.err = fmt.Errorf("the recorded answer %d is alternative %d of %d, but there are %d alternatives now", b.pos, p.Pick, p.Of, q.N)
		return -1
	}
	b.pos++
	return int(p.Pick)
}

func (b *numbered) Err() error { return b.err }

// Died returns the result of a search whose process ended. The counts, the time and the findings
// are those that the search had recorded by then. If a run ended the process, it is a finding in
// found.
func Died(sys *sim.System, opts Options, why Stop, stats Stats, elapsed time.Duration, found []*Finding) (*Result, error) {
	h, err := newHand(sys, opts, nil, nil)
	if err != nil {
		return nil, err
	}
	res := h.leftOff(why, soFar{findings: found, stats: stats, reach: h.opts.WalkSteps, measured: Measured{Elapsed: elapsed, Slow: canon.Slow()}})
	if len(found) >= h.opts.Findings {
		return res.enough(), nil
	}
	return res, nil
}

// enough returns the result of a search that has all the findings it was asked for.
func (r *Result) enough() *Result {
	r.Stop, r.Cut = StopFound, ""
	return r
}

// Killed replays a path whose last step ends the process. It takes all steps but the last one, and
// returns a finding with the message and stack that the process printed when it ended.
func Killed(sys *sim.System, path *choose.Path, message, stack string) (*Replayed, error) {
	opts, recorded, err := recordedOptions(sys, path, Options{})
	if err != nil {
		return nil, err
	}
	killed := trace.Failure{Verdict: trace.VerdictKilled, Message: message, Stack: stack}
	at, ran := runPath{Path: path, identity: run.StartOfNode}, (*trace.Trace)(nil)
	if n := len(path.Steps); n > 0 {
		if ran, err = Unreturned(sys, path); err != nil {
			return nil, err
		}
		at = runPath{path, ran.Steps[n-1].Node, ran.Steps[n-1].Identity}
	}
	f := newFinding(failedAt(killed, at), path, ran, climateOf(path))
	return &Replayed{System: sys, Params: opts.Params, Recorded: recorded, Finding: f, Reproduced: recorded == trace.VerdictKilled}, nil
}
