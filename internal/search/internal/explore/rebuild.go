package explore

import (
	"encoding/binary"
	"errors"
	"slices"

	"macemc/internal/canon"
	"macemc/internal/search/internal/run"
	"macemc/internal/world"
)

// A level can be stored as the steps by which its states were first reached. Rebuild takes these
// steps again, one for each state. That is less work than expanding the level before it, which
// takes all steps.

// ErrRebuild means that the stored steps of a level do not lead to the level's states.
var ErrRebuild = errors.New("the stored steps of a level lead to other states than before: the stored state of the search is damaged, or the service does not do the same each time")

// Grew returns, encoded, the steps by which the states of level next were first reached from those
// of level.
func (x *Explorer) Grew(level, next Frontier) (steps []byte) {
	spans := slices.SortedFunc(slices.Values(level), func(a, b Span) int { return int(a.From) - int(b.From) })
	before := make([]int, len(spans)+1)
	for k, s := range spans {
		before[k+1] = before[k] + int(s.To-s.From)
	}
	k, last := 0, 0
	next.Some(0, next.Len(), func(_ int, s uint32) bool {
		o := x.Origin(s)
		if spans[k].From > o.Parent || spans[k].To <= o.Parent {
			k, _ = slices.BinarySearchFunc(spans, o.Parent, func(s Span, parent uint32) int {
				switch {
				case s.To <= parent:
					return -1
				case s.From > parent:
					return 1
				}
				return 0
			})
		}
		at := before[k] + int(o.Parent-spans[k].From)
		steps = binary.AppendVarint(steps, int64(at-last))
		steps = binary.AppendUvarint(binary.AppendUvarint(steps, uint64(o.event)), uint64(o.coins))
		last = at
		return true
	})
	return steps
}

// SumOf returns the sum of the identities of the states of a level.
func (x *Explorer) SumOf(level Frontier) (h canon.Hash) {
	level.Some(0, level.Len(), func(_ int, s uint32) bool {
		x.Get(s, x.To)
		h = h.Add(x.Sum(x.To))
		return true
	})
	return h
}

// Rebuild makes the n states of the next level again, by taking the encoded steps from the states
// of a level. lists has the answers to coins that the steps refer to. Rebuild audits no steps.
func (x *Explorer) Rebuild(level Frontier, n int, steps []byte, lists [][]int) error {
	defer x.aside()()
	spans := slices.SortedFunc(slices.Values(level), func(a, b Span) int { return int(a.From) - int(b.From) })
	var parents []uint32
	for _, s := range spans {
		for p := s.From; p < s.To; p++ {
			parents = append(parents, p)
		}
	}
	at := 0
	for done := range n {
		delta, size := binary.Varint(steps)
		event, more := binary.Uvarint(steps[max(0, size):])
		coins, last := binary.Uvarint(steps[max(0, size)+max(0, more):])
		if at += int(delta); size <= 0 || more <= 0 || last <= 0 || at < 0 || at >= len(parents) || coins > uint64(len(lists)) {
			return ErrRebuild
		}
		steps = steps[size+more+last:]
		if done%256 == 255 && x.Owner.Halt() {
			return ErrHalt
		}
		var answers []int
		if coins > 0 {
			answers = lists[coins-1]
		}
		if err := x.rebuild(parents[at], int(event), answers); err != nil {
			return err
		}
	}
	if len(steps) > 0 {
		return ErrRebuild
	}
	return x.EndLevel()
}

// rebuild takes one step from state parent again, and visits the resulting state.
func (x *Explorer) rebuild(parent uint32, event int, coins []int) error {
	x.load(parent)
	if event >= x.World.Events.Count() {
		return ErrRebuild
	}
	x.goesTo(Spot{parent, event, coins})
	if x.World.Retake(event, coins) != world.Stepped || x.World.Run.Failed() != nil {
		return ErrRebuild
	}
	x.Owner.Pulse.Pass()
	if err := x.room(1); err != nil {
		return err
	}
	number, ok := x.Lists.Number(coins)
	if !ok {
		return ErrRebuild
	}
	h := x.World.State.Hash()
	x.start(x.rec(parent))
	moved, at := x.World.State.SaveMoved(x.Bank), x.World.State.At()
	for _, p := range moved {
		if at[p] != x.From[p] {
			x.put(int(p), at[p])
		}
	}
	if !x.Add(h, Origin{parent, uint16(event), number}) {
		return ErrRebuild
	}
	x.Told()
	return x.visit(h, x.World.State.NodesHash(), x.World.Links.InFlight(), false, nil)
}

// aside gives the taker another vector to load states into, since the usual one belongs to a memo's
// position. The returned function undoes this.
func (t *Taker) aside() (back func()) {
	usual := t.From
	t.From = make(world.Vector, len(usual))
	return func() { t.From = usual }
}

// goesTo records that step s is about to be taken.
func (t *Taker) goesTo(s Spot) {
	t.Spot = s
	t.mark(s.LastEvent, s.lastCoins)
	t.Owner.Pulse.Tick()
}

// Known describes the progress of an exploration, apart from its states.
type Known struct {
	Inside, Sampled bool   // all states so far are inside System.Within; a limit on answers was met
	Joint           bool   // several goroutines explored
	Pairs           [2]int // number of steps to known states, and number of those that were tested
}

// Known returns the description of the exploration's progress.
func (x *Explorer) Known() Known {
	steps, tested := x.pairs.Counts()
	return Known{x.Inside, x.Sampled, x.Joint, [2]int{steps, tested}}
}

// GoOn makes the explorer continue the exploration that k describes.
func (x *Explorer) GoOn(k Known) {
	x.Inside = k.Inside
	x.limited(k.Sampled)
	x.together(k.Joint)
	x.pairs.GoOn(run.ShareOf(k.Pairs[0], k.Pairs[1]))
}

func (t *Taker) limited(sampled bool) { t.Sampled = t.Sampled || sampled }

func (l *Ledger) together(joint bool) { l.Joint = l.Joint || joint }

// All returns the lists of answers that have a number above 0, in the order of their numbers.
// Number 0 is the empty list.
func (c *CoinLists) All() [][]int {
	if all := c.lists.Load(); all != nil {
		return (*all)[1:]
	}
	return nil
}
