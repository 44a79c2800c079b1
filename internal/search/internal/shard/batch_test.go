package shard

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"macemc/internal/canon"
)

// sums makes the hash of a part from its place and number.
type sums struct{}

func (sums) Sum(place int, id uint32) canon.Hash {
	return canon.OfString(string(rune(place))).Mix(uint64(id))
}

// Several batches of one writer are read as they were written.
func TestBatch(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var w Writer
	for range 50 {
		type state struct {
			path  []byte
			last  Last
			parts []uint32
		}
		var want []state
		for range r.IntN(200) {
			s := state{parts: make([]uint32, 12)}
			for range 1 + r.IntN(20) {
				s.path = AppendStep(s.path, r.IntN(300), []int{r.IntN(3), r.IntN(200)}[:r.IntN(3)])
			}
			for p := range s.parts {
				s.parts[p] = uint32(max(0, r.IntN(600)-300))
			}
			if s.last.By = uint32(r.IntN(5)); s.last.By > 0 {
				s.last.By <<= 20
				s.last.More = r.IntN(2) == 0
			}
			w.Add(s.path, s.last, s.parts, sums{})
			want = append(want, s)
		}
		b, err := Read(w.Take())
		if err != nil {
			t.Fatal(err)
		}
		for k, s := range want {
			if more, err := b.Next(); !more || err != nil {
				t.Fatalf("state %d of %d: %v, %v", k, len(want), more, err)
			}
			var h canon.Hash
			of := make([]canon.Hash, len(s.parts))
			for p, id := range s.parts {
				if id != 0 {
					of[p] = sums{}.Sum(p, id)
					h = h.Add(of[p])
				}
			}
			for place, sum := range of {
				got := canon.Hash{}
				if place < b.Places && b.Of[place] != 0 {
					got = b.Parts[b.Of[place]-1].Sum
				}
				if got != sum {
					t.Fatalf("state %d has another part at %d", k, place)
				}
			}
			last := Last{More: b.More}
			if b.Last > 0 {
				last.By = b.Steps[b.Last-1]
			}
			if !slices.Equal(b.Path, s.path) || b.Sum != h || last != s.last {
				t.Fatalf("state %d is another one", k)
			}
		}
		if more, err := b.Next(); more || err != nil {
			t.Fatalf("at the end: %v, %v", more, err)
		}
	}
}

// A batch with a changed or missing byte is rejected.
func TestBatchIsDamaged(t *testing.T) {
	var w Writer
	w.Add(AppendStep(AppendStep(nil, 0, nil), 3, []int{1}), Last{By: 7, More: true}, []uint32{1, 0, 2}, sums{})
	data := w.Take()
	for k := range data {
		bad := slices.Clone(data)
		bad[k] ^= 4
		if _, err := Read(bad); !errors.Is(err, ErrDamaged) {
			t.Errorf("byte %d is another: %v", k, err)
		}
		if _, err := Read(data[:k]); !errors.Is(err, ErrDamaged) {
			t.Errorf("%d bytes of %d: %v", k, len(data), err)
		}
	}
}

// Every identity belongs to one shard, and the shards are about equally large.
func TestShardsAreEven(t *testing.T) {
	const n, all = 7, 70_000
	var count [n]int
	for k := range all {
		count[Of(canon.OfString("x").Mix(uint64(k)), n)]++
	}
	for k, c := range count {
		if c < all/n*9/10 || c > all/n*11/10 {
			t.Errorf("shard %d has %d of %d", k, c, all)
		}
	}
}
