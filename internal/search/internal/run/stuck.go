package run

import (
	"macemc/choose"
	"macemc/internal/world"
	"macemc/sim"
)

// UpToStuck repeats the present run, whose last handler did not return. It records the last answer of
// the run without giving it, so the handler ends there in the repeated run. UpToStuck returns the
// path, and the node and the identity of the last event that was chosen.
func (r *Runs) UpToStuck() (path *choose.Path, node sim.Addr, identity string) {
	if r.Exploring != nil {
		if _, healed := r.Exploring.Within(); healed {
			return &choose.Path{}, sim.Addr{}, HealedStep
		}
	}
	var answers choose.Source = choose.NewRaw(r.Pulse.picks)
	left := len(r.Pulse.picks)
	switch {
	case r.Exploring != nil:
		answers, left = r.Exploring.Stuck()
	case r.forked != nil && r.forked.Told != nil:
		answers, left = r.forked.Then(answers), left+r.forked.Told.Answers()
	}
	path, node, identity, _, err := r.UpTo(answers, left, r.Climate)
	if err != nil {
		return &choose.Path{}, sim.Addr{}, StartOfNode
	}
	return path, node, identity
}

const (
	StartOfNode = "the start of a node"
	HealedStep  = "a step in a healed state; by which run it is reached was not kept, see the stack"
)

// upTo is a source that gives the first answers of another one. It records the last of them without
// giving it.
type upTo struct {
	choose.Source
	w        *world.World
	left     int      // number of answers still to be given
	node     sim.Addr // the node of the last event that was chosen
	identity string
}

func (u *upTo) Answer(q *choose.Question) int {
	k := u.Source.Answer(q)
	if q.Kind == choose.Event && k >= 0 && k < u.w.Events.Count() {
		u.node, u.identity = u.w.Events.At(k).Node, q.Alternatives.Alternative(k)
	}
	if u.left--; u.left == 0 {
		return -1
	}
	return k
}
