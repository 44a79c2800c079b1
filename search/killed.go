package search

import (
	"fmt"
	"math"
	"time"

	"macemc/choose"
	"macemc/internal/trail"
	"macemc/search/internal/run"
	"macemc/sim"
)

// Alone takes a run again of which a process was killed, as far as its answers
// go. Before the last of them is given, told gets the run as a finding: this
// process may be killed as well. It gets nothing where the answers do not lead that
// far.
func Alone(sys *sim.System, opts Options, one trail.Run, told func(*Finding)) error {
	opts.Trail, opts.Stop = nil, nil
	r, err := newRunner(sys, opts)
	if err != nil {
		return err
	}
	r.Climate = run.Climate{Faults: one.Faults, Heal: one.Heal}
	f := newFinding(sim.Failure{Verdict: sim.VerdictKilled}, nil, nil, r.Climate)
	whole := false
	if f.Path, f.Node, f.Identity, whole, err = r.UpTo(&numbered{picks: one.Picks}, len(one.Picks), r.Climate); !whole || err != nil {
		return err
	}
	f.Step = len(f.Path.Steps)
	r.opts.label(r.Sys, f)
	told(f)
	r.Run(run.Repeat(&numbered{picks: one.Picks}, r.Climate, math.MaxInt), true)
	return nil
}

// numbered gives answers by number.
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
		b.err = fmt.Errorf("answer %d is %d of %d, and %d were possible", b.pos, p.Pick, p.Of, q.N)
		return -1
	}
	b.pos++
	return int(p.Pick)
}

func (b *numbered) Err() error { return b.err }

// Died is the result of a search whose process was ended for a reason, by what was known
// of it: how far it was, what it had found, and what killed it, if that is a finding.
func Died(sys *sim.System, opts Options, why Stop, stats Stats, elapsed time.Duration, found []*Finding) (*Result, error) {
	r, err := newRunner(sys, opts)
	if err != nil {
		return nil, err
	}
	r.findings.all, r.stats = found, stats
	res := r.leftOff(why)
	res.Measured.Elapsed = elapsed
	if len(found) >= r.opts.Findings {
		res.Stop, res.Cut = StopFound, ""
	}
	return res, nil
}

// Killed is a path whose last step ends the process, with what it said when it
// did: all steps before it are taken, and it is not.
func Killed(sys *sim.System, path *choose.Path, message, stack string) (*Replayed, error) {
	opts, recorded, err := recordedOptions(sys, path, Options{})
	if err != nil {
		return nil, err
	}
	killed := sim.Failure{Verdict: sim.VerdictKilled, Identity: run.StartOfNode, Step: len(path.Steps), Message: message, Stack: stack}
	f := newFinding(killed, path, nil, climateOf(path))
	if f.Step > 0 {
		if f.Trace, err = Unreturned(sys, path); err != nil {
			return nil, err
		}
		last := &f.Trace.Steps[f.Step-1]
		f.Node, f.Identity = last.Node, last.Identity
	}
	return &Replayed{System: sys, Params: opts.Params, Recorded: recorded, Finding: f, Reproduced: recorded == sim.VerdictKilled}, nil
}
