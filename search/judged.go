package search

import (
	"macemc/internal/canon"
	"macemc/internal/world"
)

// said is what is known of a state by what a View of it can see: the nodes, and
// how many messages are under way, or which.
type said uint8

const (
	saidGood   said = 1 << iota // it is live, or does not count for liveness
	saidInside                  // it is inside System.Within
	saidBusy                    // it is not good, and a node has an event of its own that is not rare: it is not settled
)

// judged remembers what was said of states, by the identity of their nodes: new
// states often have the nodes of a state before. It forgets what others take
// the place of, and grows when that is much. The safety properties hold in all
// that it remembers.
type judged struct {
	slots  []judgement
	lost   int  // places that others have taken, since it grew
	flying bool // how many messages are under way counts
}

type judgement struct {
	nodes  canon.Hash
	flying int32
	known  bool
	said   said
}

const (
	judgedLeast = 1 << 14 // slots
	judgedMost  = 1 << 20
)

func (j *judged) slot(nodes canon.Hash, flying int) *judgement {
	return &j.slots[(nodes.Lo^uint64(flying)*0x9e3779b97f4a7c15)&uint64(len(j.slots)-1)]
}

func (j *judged) get(nodes canon.Hash, flying int) (said, bool) {
	if j.slots == nil {
		return 0, false
	}
	if !j.flying {
		flying = 0
	}
	s := j.slot(nodes, flying)
	return s.said, s.known && s.nodes == nodes && s.flying == int32(flying)
}

// note remembers what was just said of the state that the world is in, unless it may
// depend on which messages are under way. What is asked of a state is asked in one
// order and stops where the answer is known; so it does where it did not look at
// messages, in every state with these nodes.
func (j *judged) note(w *world.World, nodes canon.Hash, flying int, what said) {
	if !w.Looked() {
		j.put(w.Counted(), nodes, flying, what)
	}
}

// put remembers what was said. counted: it may depend on how many messages are
// under way.
func (j *judged) put(counted bool, nodes canon.Hash, flying int, what said) {
	if j.slots == nil || counted && !j.flying {
		*j = judged{slots: make([]judgement, judgedLeast), flying: counted}
	}
	if !j.flying {
		flying = 0
	}
	s := j.slot(nodes, flying)
	if s.known {
		if j.lost++; j.lost > len(j.slots) && len(j.slots) < judgedMost {
			j.grow()
			s = j.slot(nodes, flying)
		}
	}
	*s = judgement{nodes, int32(flying), true, what}
}

func (j *judged) grow() {
	old := j.slots
	j.slots, j.lost = make([]judgement, 2*len(old)), 0
	for _, o := range old {
		if o.known {
			*j.slot(o.nodes, int(o.flying)) = o
		}
	}
}

// judge asks the state that the world is in, as it was saved or loaded.
func (x *taker) judge() (s said) {
	if x.w.Within() {
		s |= saidInside
	}
	if !x.w.CanBeLive() {
		return s
	}
	if x.w.Live() || !x.w.Assumed() {
		return s | saidGood
	}
	if x.bank.Busy(x.w, x.w.At()) {
		s |= saidBusy
	}
	return s
}
