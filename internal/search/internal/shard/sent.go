package shard

import (
	"context"
	"errors"
	"sync"

	"macemc/internal/canon"
)

// Sent records the states that the goroutines of a process have sent lately, so that no other
// goroutine sends them again. Each goroutine sends one group of states at a time.
//
// A goroutine that does not send a state, since a group of another goroutine has it, relies on that
// group: if that group is not stored, the state may be lost. So the goroutine waits for that group
// before it appends its own record: see Group.Wait.
type Sent struct {
	stripes [1 << stripeBits]stripe

	mu   sync.Mutex
	last uint32
	open map[uint32]*Group // by number: groups whose states are not stored yet, and that were not given up
}

const (
	stripeBits  = 6
	stripeLeast = 1 << 8
	stripeMost  = 1 << 14 // the most slots of a stripe; all stripes together then have a million, of 24 bytes each
)

// stripe is a hash table for the states whose identities begin with the same bits. A later state
// may take the slot of an earlier one, which is then forgotten.
type stripe struct {
	mu    sync.Mutex
	slots []sent
	used  int
}

type sent struct {
	state canon.Hash
	by    uint32 // the number of the group that sent the state, or 0 if the slot is free
}

// A Group is the set of states that one goroutine sends before it appends its next record.
type Group struct {
	of     *Sent
	number uint32
	needs  []*Group      // the groups on which it relies
	over   chan struct{} // closed when the group is stored or given up
	stored bool
}

// ErrUnsent means that a group's record must not be appended, since the group left out states that
// another goroutine was to store and has not stored.
var ErrUnsent = errors.New("states that another goroutine was to store are not stored")

// Begin begins a group. The caller must end it by Stored or GiveUp.
func (s *Sent) Begin() *Group {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	g := &Group{of: s, number: s.last, over: make(chan struct{})}
	if s.open == nil {
		s.open = map[uint32]*Group{}
	}
	s.open[g.number] = g
	return g
}

// Send reports whether the group must send the state with identity h. If not, this group has sent
// it, or another one has, and this group relies on that one from now on.
func (g *Group) Send(h canon.Hash) bool {
	t := &g.of.stripes[h.Hi>>(64-stripeBits)]
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.slots) == 0 {
		t.slots = make([]sent, stripeLeast)
	}
	at := t.at(h)
	if at.by == 0 || at.state != h {
		t.used++
		*at = sent{h, g.number}
		t.grow()
		return true
	}
	if at.by != g.number {
		at.by = g.need(at.by)
	}
	return false
}

func (t *stripe) at(h canon.Hash) *sent { return &t.slots[h.Hi&uint64(len(t.slots)-1)] }

// grow enlarges the stripe if most of its slots are in use.
func (t *stripe) grow() {
	if t.used < len(t.slots)/2 || len(t.slots) == stripeMost {
		return
	}
	all := t.slots
	t.slots = make([]sent, 2*len(all))
	for _, one := range all {
		if one.by != 0 {
			*t.at(one.state) = one
		}
	}
}

// stored is the number in a slot that stands for any group whose states are stored.
const stored = ^uint32(0)

// need makes g rely on the group with this number, and returns the number; if that group's states
// are stored, it returns stored instead. The caller must hold the lock of a stripe that has states
// of that group.
func (g *Group) need(number uint32) uint32 {
	if number == stored {
		return stored
	}
	for _, other := range g.needs {
		if other.number == number {
			return number
		}
	}
	g.of.mu.Lock()
	defer g.of.mu.Unlock()
	other := g.of.open[number]
	if other == nil {
		return stored
	}
	g.needs = append(g.needs, other)
	return number
}

// Stored records that all states that the group has sent are stored.
func (g *Group) Stored() {
	g.stored = true
	g.ends()
}

// GiveUp records that states that the group has sent may not be stored. The Sent to which the
// group belongs then forgets all states.
func (g *Group) GiveUp() {
	for k := range g.of.stripes {
		t := &g.of.stripes[k]
		t.mu.Lock()
		clear(t.slots)
		t.mu.Unlock()
	}
	g.ends() // only now: until the slots are empty, other groups may begin to rely on g
}

func (g *Group) ends() {
	g.of.mu.Lock()
	delete(g.of.open, g.number)
	g.of.mu.Unlock()
	close(g.over)
}

// Wait waits until the states of all groups on which this one relies are stored. If one of these
// groups was given up, it returns ErrUnsent.
func (g *Group) Wait(ctx context.Context) error {
	for _, other := range g.needs {
		select {
		case <-other.over:
			if !other.stored {
				return ErrUnsent
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
