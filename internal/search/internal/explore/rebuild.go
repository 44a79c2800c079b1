package explore

import (
	"encoding/binary"
	"errors"
	"slices"

	"macemc/internal/canon"
	"macemc/internal/search/internal/run"
	"macemc/internal/world"
)

// A level can be kept as the step by which each of its states was reached first. Rebuild takes
// these steps again, one for each state, which is less than all steps of all states.

// ErrRebuild says that the steps of a level that was kept do not lead to its states.
var ErrRebuild = errors.New("the steps that are kept do not lead to new states as they did: the state is damaged, or the service does something else each time")

// Grew returns the steps from the states of a level to those of the next one.
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

// Rebuild makes the n states to which steps lead from a level, with lists of answers. They are the
// next level. Nothing is audited meanwhile.
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

// rebuild takes a step from a state again, and visits where it leads.
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

// aside gives the taker another vector for its state; a memo's position is in the usual one.
func (t *Taker) aside() (back func()) {
	usual := t.From
	t.From = make(world.Vector, len(usual))
	return func() { t.From = usual }
}

// goesTo records the step that is about to be taken.
func (t *Taker) goesTo(s Spot) {
	t.Spot = s
	t.mark(s.LastEvent, s.lastCoins)
	t.Owner.Pulse.Tick()
}

// Known describes an exploration, apart from its states.
type Known struct {
	Inside, Sampled bool
	Joint           bool   // several goroutines have found the states
	Pairs           [2]int // steps to known states, and those of them that were tested
}

// Known returns the description of the exploration.
func (x *Explorer) Known() Known {
	steps, tested := x.pairs.Counts()
	return Known{x.Inside, x.Sampled, x.Joint, [2]int{steps, tested}}
}

// GoOn continues the exploration that k describes.
func (x *Explorer) GoOn(k Known) {
	x.Inside = k.Inside
	x.limited(k.Sampled)
	x.together(k.Joint)
	x.pairs.GoOn(run.ShareOf(k.Pairs[0], k.Pairs[1]))
}

func (t *Taker) limited(sampled bool) { t.Sampled = t.Sampled || sampled }

func (l *Ledger) together(joint bool) { l.Joint = l.Joint || joint }

// All returns the lists from number 1 on.
func (c *CoinLists) All() [][]int {
	if all := c.lists.Load(); all != nil {
		return (*all)[1:]
	}
	return nil
}
