package choose

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// identities are the alternatives of a question of a tree. Their names depend on the answers so
// far.
type identities struct {
	kind Kind
	at   uint64
}

func (id identities) Why() string {
	if id.kind == Coin {
		return fmt.Sprintf("why %d", id.at%7)
	}
	return ""
}

func (id identities) Alternative(i int) string { return fmt.Sprintf("n%d message %x", i, id.at) }

// ask takes one path through the tree, from the root to an end, and lets src answer each question on it. A
// question with one answer is asked as an event, since a coin has at least two sides.
func (tr tree) ask(src Source) {
	var answers []int
	for {
		q, ends, _ := tr.at(answers)
		if ends {
			return
		}
		if q.N == 1 {
			q.Kind = Event
		}
		q.Alternatives = identities{q.Kind, tr.hash(answers)}
		a := src.Answer(&q)
		if a < 0 {
			return
		}
		answers = append(answers, a)
	}
}

// TestRecordedWalksReplay takes random walks through random trees, and repeats each with every source
// that can: by number, by identity, from text and from memory.
func TestRecordedWalksReplay(t *testing.T) {
	steps := 0
	for seed := range uint64(300) {
		tr := tree{seed: seed, depth: 30}
		walk := NewWalk(seed)
		record := NewRecord(walk)
		tr.ask(record)
		path := record.Path()
		steps += len(path.Steps)
		roundTrip(t, path)

		replay, raw := NewReplay(path), NewRaw(walk.Picks())
		for _, src := range []interface {
			Source
			Done() bool
		}{replay, raw} {
			again := NewRecord(src)
			tr.ask(again)
			if !src.Done() || again.Err() != nil {
				t.Fatalf("tree %d: %T: done %v, err %v", seed, src, src.Done(), again.Err())
			}
			if diff := cmp.Diff(path, again.Path()); diff != "" {
				t.Fatalf("tree %d: %T:\n%s", seed, src, diff)
			}
		}

		// Another tree does not fit, unless nothing was asked.
		other := NewReplay(path)
		tree{seed: seed + 1000, depth: 30}.ask(other)
		if path.Choices() > 0 && other.Err() == nil && other.Done() {
			t.Errorf("tree %d: the path fits another tree", seed)
		}
	}
	if steps < 300 {
		t.Errorf("%d steps in all: the trees are too small to test anything", steps)
	}
}
