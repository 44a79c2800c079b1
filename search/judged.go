package search

import "macemc/internal/canon"

// said is what is known of a state by what a View of it can see: the nodes, and
// how many messages are under way.
type said uint8

const (
	saidGood   said = 1 << iota // it is live, or does not count for liveness
	saidInside                  // it is inside System.Within
	saidBusy                    // it is not good, and a node has an event of its own that is not rare: it is not settled
)

// judged remembers what was said of states, by the identity of their nodes: new
// states often have the nodes of a state before. It forgets what others take
// the place of. The safety properties hold in all that it remembers.
type judged struct {
	slots  []judgement
	flying bool // how many messages are under way counts
}

type judgement struct {
	nodes  canon.Hash
	flying int32
	known  bool
	said   said
}

const judgedSlots = 1 << 14

func (j *judged) slot(nodes canon.Hash, flying int) *judgement {
	return &j.slots[(nodes.Lo^uint64(flying)*0x9e3779b97f4a7c15)%judgedSlots]
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

// put remembers what was said. counted: it may depend on how many messages are
// under way.
func (j *judged) put(counted bool, nodes canon.Hash, flying int, what said) {
	if j.slots == nil || counted && !j.flying {
		j.slots, j.flying = make([]judgement, judgedSlots), counted
	}
	if !j.flying {
		flying = 0
	}
	*j.slot(nodes, flying) = judgement{nodes, int32(flying), true, what}
}

// judge asks the state that the world is in, as it was saved or loaded.
func (x *explorer) judge() (s said) {
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
