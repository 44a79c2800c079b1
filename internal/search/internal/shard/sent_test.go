package shard

import (
	"context"
	"errors"
	"sync"
	"testing"

	"macemc/internal/canon"
)

func some(k int) canon.Hash { return canon.OfString("s").Mix(uint64(k)) }

// A group that leaves a state out waits for the group that has sent it, and for no other.
func TestGroupsRelyOnEachOther(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	var s Sent
	a, b, c := s.Begin(), s.Begin(), s.Begin()
	if !a.Send(some(1)) || a.Send(some(1)) || !c.Send(some(2)) {
		t.Fatal("a state is sent twice, or not at all")
	}
	if err := b.Wait(over); err != nil {
		t.Errorf("a group that left nothing out: %v", err)
	}
	if b.Send(some(1)) {
		t.Fatal("a state is sent by two groups")
	}
	if err := b.Wait(over); !errors.Is(err, context.Canceled) {
		t.Errorf("a group that relies on one that is under way: %v", err)
	}
	a.Stored()
	if err := b.Wait(t.Context()); err != nil {
		t.Errorf("a group that relies on one that is stored: %v", err)
	}
	if d := s.Begin(); d.Send(some(1)) || d.Wait(over) != nil {
		t.Error("a state that is stored is sent again, or waited for")
	}
	c.GiveUp()
}

// If a group is given up, those that rely on it fail, and its states are sent again.
func TestGroupIsGivenUp(t *testing.T) {
	var s Sent
	a, b, c := s.Begin(), s.Begin(), s.Begin()
	if !a.Send(some(1)) || b.Send(some(1)) {
		t.Fatal("a state is sent twice, or not at all")
	}
	a.GiveUp()
	if err := b.Wait(t.Context()); !errors.Is(err, ErrUnsent) {
		t.Errorf("a group that relies on one that was given up: %v", err)
	}
	if !c.Send(some(1)) {
		t.Error("a state that was given up is not sent again")
	}
}

// However groups of several goroutines end, each state of a group that may be recorded was sent by a
// group that is stored.
func TestGroupsAtOnce(t *testing.T) {
	const states, rounds = 2000, 300
	var s Sent
	var mu sync.Mutex
	stored := map[int]bool{}
	var all sync.WaitGroup
	for of := range 4 {
		all.Go(func() {
			for round := range rounds {
				g := s.Begin()
				var mine, met []int
				for k := range 40 {
					n := (round*13 + k*(of+1)) % states
					met = append(met, n)
					if g.Send(some(n)) {
						mine = append(mine, n)
					}
				}
				if (round+of)%5 == 0 {
					g.GiveUp()
					continue
				}
				mu.Lock()
				for _, n := range mine {
					stored[n] = true
				}
				mu.Unlock()
				g.Stored()
				if g.Wait(t.Context()) != nil {
					continue
				}
				mu.Lock()
				for _, n := range met {
					if !stored[n] {
						t.Errorf("state %d is recorded, and nobody has stored it", n)
					}
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if len(stored) < states/2 {
		t.Errorf("only %d states were sent", len(stored))
	}
}
