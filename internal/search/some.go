package search

import (
	"errors"
	"fmt"
	"slices"

	"macemc/choose"
	"macemc/internal/search/internal/run"
	"macemc/internal/wording"
	"macemc/sim"
)

// Following says which event is taken instead of a step of a run that became impossible, because steps before it were
// removed.
type Following uint8

// The ways to follow a run. Each includes the one before it, unless its comment says otherwise.
const (
	ByIdentity Following = iota // no other event is taken
	ByForm                      // the nearest event of the same kind, node and sender; an answer to a coin that is not possible is replaced in the same way
	ByCause                     // instead of a message or task, the one that the same earlier step sends or posts now, if that step was taken; other tasks of its node may be taken before a task
	InCones                     // a message or task is left out if the step that sent or posted it was
)

// TakeSome takes a run of the given steps, in order. They are some of the steps of another run. A step that is not
// possible is left out or, if alike is true, replaced ByForm. The environment does not heal in the new run: instead
// of a step that heals, it takes events that end the partition and the pauses. If careful is true, the run is
// audited. TakeSome returns the run, or nil if it could not be taken, and the indices of the steps that were taken.
func (l *Lab) TakeSome(start []choose.Choice, steps []choose.Step, careful, alike bool) (*Case, []int, error) {
	f := following{start: start, steps: steps, kinds: kindsOf(steps), careful: careful}
	if alike {
		f.how = ByForm
	}
	return l.some(&f)
}

// Try takes a run of the steps of a case that have the indices in kept, as TakeSome does; how says which event
// replaces an impossible step. If fails is true, the caller needs the run only if the service fails in it.
func (l *Lab) Try(of *Case, kept []int, how Following, careful, fails bool) (*Case, []int, error) {
	f := following{start: of.Path.Start, steps: make([]choose.Step, len(kept)), kinds: make([]sim.Kind, len(kept)), how: how, careful: careful, fails: fails}
	for i, at := range kept {
		f.steps[i], f.kinds[i] = of.Path.Steps[at], of.kind(at)
	}
	if how >= ByCause {
		f.causes = make([]choose.Cause, len(kept))
		for i, at := range kept {
			f.causes[i] = choose.Cause{Number: at + 1, Of: of.causes[at], Queues: f.kinds[i] == sim.KindMessage}
			if id := wording.Identify(f.steps[i].Event.What); fails && id.Kind == sim.KindTask {
				f.causes[i].Ahead = id.Node.String() + " " + id.Kind.String() + " "
			}
		}
	}
	return l.some(&f)
}

// following describes a run that takes given steps, as far as they are possible: see Try.
type following struct {
	start          []choose.Choice
	steps          []choose.Step
	kinds          []sim.Kind     // of the steps
	causes         []choose.Cause // of the steps, or nil
	how            Following
	careful, fails bool
}

// kindsOf returns the kinds of steps.
func kindsOf(steps []choose.Step) []sim.Kind {
	kinds := make([]sim.Kind, len(steps))
	for i := range steps {
		kinds[i] = wording.Identify(steps[i].Event.What).Kind
	}
	return kinds
}

func (l *Lab) some(f *following) (*Case, []int, error) {
	var taken []int
	c, err := alone(l, func() (*Case, error) {
		all, at := f.unhealed()
		src := choose.NewFollow(f.start, all)
		climate := run.Climate{Faults: l.first().Stormy(), Heal: -1}
		x := &examining{Again: run.Again{Climate: climate, Steps: len(all)}, src: src, fails: f.fails}
		if f.how >= ByForm {
			src.Like = wording.Alike
		}
		if f.causes != nil {
			src.Causes, src.Cones = make([]choose.Cause, len(at)), f.how == InCones
			for i, k := range at {
				src.Causes[i] = f.causes[k]
			}
		}
		c, w := l.taken(x, f.careful)
		if c.Failure == nil && w.Run.Err() != nil && !errors.Is(w.Run.Err(), choose.ErrEnd) {
			return nil, nil
		}
		for _, k := range src.Taken() {
			taken = append(taken, at[k])
		}
		return c, nil
	})
	return c, taken, err
}

// Way tests whether a run can recover in the way in which another run did. It takes steps 1 to from of the case of,
// and then the steps in way, by which the other run recovered. It returns these last steps as a walk if they are
// possible and lead to a live state, and otherwise nil.
func (l *Lab) Way(of *Case, from int, way []choose.Step) (*Success, error) {
	return alone(l, func() (*Success, error) {
		climate, judged := of.climate, from
		if healed, step := climate.HealedBy(from); step {
			climate, judged = healed, from+1
		}
		steps := slices.Concat(of.Path.Steps[:from], way)
		src := choose.NewFollow(of.Path.Start, steps)
		src.Like = wording.Alike
		x := &examining{Again: run.Again{Climate: climate, Steps: len(steps)}, src: src}
		c, _ := l.taken(x, false)
		if len(c.Live) <= judged || c.healed[from] != of.healed[from] {
			return nil, nil
		}
		for end := judged; end < len(c.Live); end++ {
			if c.Live[end] {
				picks := c.picks[len(run.Picks(c.Path.Prefix(from))):len(run.Picks(c.Path.Prefix(end)))]
				return &Success{Steps: end - judged, Walk: &labWalk{from, end, climate, picks}}, nil
			}
			if end < len(c.Wild) && c.Wild[end] {
				return nil, nil
			}
		}
		return nil, nil
	})
}

// Failing returns walk f, in which the service failed, as a Case.
func (l *Lab) Failing(of *Case, f Failed) (*Case, error) {
	return alone(l, func() (*Case, error) {
		k := f.Walk.(*labWalk)
		c, _, _ := l.examine(choose.NewRaw(k.answers(of)), k.climate, k.end)
		if c.Failure == nil {
			return nil, fmt.Errorf("a walk in which the service failed after %d steps ended in another way when it was repeated%s", k.end, run.Hint)
		}
		return c, nil
	})
}

// unhealed returns the steps with healing replaced by the events that have the same effect: the partition
// ends, and paused nodes go on. at has the index of each event in steps.
func (f *following) unhealed() (all []choose.Step, at []int) {
	var paused []sim.Addr
	add := func(i int, what string) {
		all, at = append(all, choose.Step{Event: choose.Choice{Kind: choose.Event, What: what}}), append(at, i)
	}
	all, at = make([]choose.Step, 0, len(f.steps)), make([]int, 0, len(f.steps))
	for i, s := range f.steps {
		switch f.kinds[i] {
		case sim.KindHeal:
			add(i, sim.KindMend.String())
			for _, n := range paused {
				add(i, n.String()+" "+sim.KindResume.String())
			}
			paused = nil
			continue
		case sim.KindPause:
			paused = append(paused, wording.Identify(s.Event.What).Node)
		}
		all, at = append(all, s), append(at, i)
	}
	return all, at
}
