package mdb

import (
	"cmp"
	"slices"

	"macemc/choose"
	"macemc/internal/search"
	"macemc/internal/world"
	"macemc/trace"
)

// branch is a run that shares its first steps with another run, its parent, and then leaves
// it. The trunk is the run that was opened; it has no parent. A keyframe is a state of the
// branch that is kept.
type branch struct {
	name   string
	parent *branch
	from   int    // the number of steps that it shares with its parent
	steps  []took // its own steps
	start  []took // for the trunk: the starts of the nodes, with the state after them
	frames []*world.Snapshot

	critical *search.Critical // its critical step, if a command has found it
	failure  *trace.Failure   // how the service failed in the last step
	stopped  string           // why the recorded path could not be followed to its end
}

// took is a step of a branch, with the answers that led to it and the verdict about the state after
// it: which properties hold there, and whether it is live.
type took struct {
	trace.Step
	picks   []choose.Pick // the answers that it was given: the event, then its coins
	verdict uint32        // the number of the verdict about the state after it: see run.verdicts
}

// begin records the starts of the nodes as the start of b, which is a trunk. The first of the
// starts gets the answers of all of them, picks. The last one gets the verdict, since that is about
// the state after it.
func (b *branch) begin(starts []trace.Step, picks []choose.Pick, verdict uint32, failure *trace.Failure) {
	for _, s := range starts {
		b.start = append(b.start, took{Step: s})
	}
	if len(b.start) == 0 {
		b.start = []took{{}}
	}
	b.start[0].picks = picks
	b.start[len(b.start)-1].verdict = verdict
	b.failure = failure
}

// stop records the first reason why the recorded path could not be followed.
func (b *branch) stop(why string) { b.stopped = cmp.Or(b.stopped, why) }

// fail records how the service failed. A branch fails once, and has no step after it.
func (b *branch) fail(f *trace.Failure) {
	if b.failure == nil {
		b.failure = f
	}
}

func (b *branch) add(t took) { b.steps = append(b.steps, t) }

func (b *branch) keep(f *world.Snapshot) { b.frames = append(b.frames, f) }

// thin drops the keyframes whose steps are not multiples of the spacing.
func (b *branch) thin(spacing int) {
	b.frames = slices.DeleteFunc(b.frames, func(f *world.Snapshot) bool { return f.Steps()%spacing != 0 })
}

// len returns the number of steps of the branch, with those that it shares with its parent.
func (b *branch) len() int { return b.from + len(b.steps) }

// owner returns the branch that took step i: b, or the ancestor with which b shares the
// step.
func (b *branch) owner(i int) *branch {
	for b.parent != nil && i <= b.from {
		b = b.parent
	}
	return b
}

// at returns step i, which is from 1 to len.
func (b *branch) at(i int) *took {
	o := b.owner(i)
	return &o.steps[i-o.from-1]
}

// trunk returns the trunk, from which all branches come.
func (b *branch) trunk() *branch {
	for b.parent != nil {
		b = b.parent
	}
	return b
}

// verdict returns the number of the verdict about the state after step i.
func (b *branch) verdict(i int) uint32 {
	if i == 0 {
		start := b.trunk().start
		return start[len(start)-1].verdict
	}
	return b.at(i).verdict
}

// frame returns the last keyframe at or before step i, or nil if there is none.
func (b *branch) frame(i int) *world.Snapshot {
	for ; b != nil; b = b.parent {
		k, _ := slices.BinarySearchFunc(b.frames, i+1, func(s *world.Snapshot, i int) int { return s.Steps() - i })
		if k > 0 {
			return b.frames[k-1]
		}
		i = min(i, b.from)
	}
	return nil
}

// path returns the steps up to number upTo, as a path with this header.
func (b *branch) path(header []choose.Field, upTo int) *choose.Path {
	p := &choose.Path{Header: slices.Clone(header)}
	for _, t := range b.trunk().start {
		p.Start = append(p.Start, t.Coins...)
	}
	for i := 1; i <= upTo; i++ {
		t := b.at(i)
		p.Steps = append(p.Steps, choose.Step{
			Event: choose.Choice{Kind: choose.Event, Of: int(t.picks[0].Of), Pick: int(t.picks[0].Pick), What: t.Identity},
			Coins: t.Coins,
		})
	}
	return p
}

// answers returns the answers of the start and of all steps up to number upTo.
func (b *branch) answers(upTo int) (picks []choose.Pick) {
	for _, t := range b.trunk().start {
		picks = append(picks, t.picks...)
	}
	for i := 1; i <= upTo; i++ {
		picks = append(picks, b.at(i).picks...)
	}
	return picks
}
