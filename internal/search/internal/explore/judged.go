package explore

import (
	"cmp"
	"math/bits"

	"macemc/internal/canon"
	"macemc/internal/world"
)

// Said is the verdict about a state. It depends only on what properties can see of the state: the nodes, and the
// messages under way.
type Said uint8

const (
	SaidGood   Said = 1 << iota // it is live, or does not count for liveness
	SaidInside                  // it is inside System.Within
	saidBusy                    // it is not good, and a node has an event of its own that is not rare, so the state can still change
)

// Judged stores verdicts about states by the identity of their nodes, since many new states have the same nodes as an
// earlier one. New entries replace old ones; if that happens often, the table grows. An explorer stores verdicts
// only about states in which all safety properties hold.
type Judged struct {
	slots  []judgement
	most   int  // slots
	lost   int  // number of entries that were replaced since it last grew
	flying bool // a verdict may depend on the number of messages under way
	same   bool // no property looks at a state, so all verdicts are alike
	said   Said // the verdict about all states, if same is true

	asked, met int  // number of calls of Get since the last weigh, and of those that found a verdict
	idle       bool // the table is given up, since it knew too few verdicts
}

type judgement struct {
	nodes  canon.Hash
	flying int32
	known  bool
	said   Said
}

const (
	judgedLeast = 1 << 14 // slots
	judgedMost  = 1 << 17

	judgedSlot = 32 // bytes

	judgedTrial = 1 << 16 // weigh decides after this many calls of Get
	judgedPays  = 16      // the table is given up if it knows less than one verdict in judgedPays
)

// within limits the table to this number of bytes, or to judgedLeast slots if these take more.
func (j *Judged) within(bytes int) {
	j.most = min(judgedMost, max(judgedLeast, 1<<bits.Len(uint(bytes/judgedSlot))/2))
}

func (j *Judged) slot(nodes canon.Hash, flying int) *judgement {
	return &j.slots[(nodes.Lo^uint64(flying)*0x9e3779b97f4a7c15)&uint64(len(j.slots)-1)]
}

// Get returns the stored verdict about states with these nodes and this number of messages under way. The second
// result is false if there is none.
func (j *Judged) Get(nodes canon.Hash, flying int) (Said, bool) {
	if j.slots == nil {
		return j.said, j.same
	}
	if !j.flying {
		flying = 0
	}
	s := j.slot(nodes, flying)
	known := s.known && s.nodes == nodes && s.flying == int32(flying)
	if known {
		j.met++
	}
	if j.asked++; j.asked == judgedTrial {
		j.weigh()
	}
	return s.said, known
}

// weigh gives the table up if Get has found too few verdicts. If all state is in one node, for example, no new state
// has the nodes of an earlier one.
func (j *Judged) weigh() {
	if j.asked, j.met, j.idle = 0, 0, j.met*judgedPays < judgedTrial; j.idle {
		j.slots = nil
	}
}

// Note stores what, the verdict about the state that is loaded in w. It does not store a verdict that may depend on
// which messages are under way. Properties are evaluated in a fixed order until the verdict is known; so if no
// property looked at messages here, none does in any state with these nodes.
func (j *Judged) Note(w *world.World, nodes canon.Hash, flying int, what Said) {
	if j.same = w.Judge.Blind(); j.same {
		j.said = what
	} else if !w.Judge.Looked() {
		j.put(w.Judge.Counted(), nodes, flying, what)
	}
}

// put stores a verdict in the table. If counted is true, the verdict may depend on the number of messages under
// way, which is stored with it.
func (j *Judged) put(counted bool, nodes canon.Hash, flying int, what Said) {
	if j.idle {
		return
	}
	if j.slots == nil || counted && !j.flying {
		*j = Judged{slots: make([]judgement, judgedLeast), flying: counted, most: j.most}
	}
	if !j.flying {
		flying = 0
	}
	s := j.slot(nodes, flying)
	if s.known {
		if j.lost++; j.lost > len(j.slots) && len(j.slots) < cmp.Or(j.most, judgedMost) {
			j.grow()
			s = j.slot(nodes, flying)
		}
	}
	*s = judgement{nodes, int32(flying), true, what}
}

func (j *Judged) grow() {
	old := j.slots
	j.slots, j.lost = make([]judgement, 2*len(old)), 0
	for _, o := range old {
		if o.known {
			*j.slot(o.nodes, int(o.flying)) = o
		}
	}
}

// Judged returns the remembered verdicts about the states that were visited.
func (x *Explorer) Judged() *Judged { return &x.judged }

// Judge evaluates System.Within, System.Assume and the liveness properties in the state that is loaded in the world.
func (x *Taker) Judge() (s Said) {
	if x.World.Judge.Within() {
		s |= SaidInside
	}
	if !x.World.Judge.CanBeLive() {
		return s
	}
	if x.World.Judge.Live() || !x.World.Judge.Assumed() {
		return s | SaidGood
	}
	if x.Bank.Busy(x.World, x.World.State.At()) {
		s |= saidBusy
	}
	return s
}
