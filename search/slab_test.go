package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"macemc/sim"
)

func TestSlab(t *testing.T) {
	var s slab[int]
	for i := range 3*chunk + 7 {
		if s.len() != i {
			t.Fatalf("the slab has %d items, not %d", s.len(), i)
		}
		s.add(i * i)
	}
	for i := range s.len() {
		if s.at(i) != i*i {
			t.Fatalf("item %d is %d", i, s.at(i))
		}
	}
}

func TestMarks(t *testing.T) {
	var m marks
	var twin []bool
	r := rand.New(rand.NewPCG(1, 1))
	for range 64*chunk + 100 {
		in := r.IntN(3) == 0
		m.add(in)
		twin = append(twin, in)
	}
	for i, in := range twin {
		if m.has(i) != in {
			t.Fatalf("mark %d is %v", i, m.has(i))
		}
	}
}

// TestVectors: what is added comes back, whatever the numbers, the lengths and
// how much there is of it.
func TestVectors(t *testing.T) {
	for _, places := range []int{1, 2, 5, 64, 127, 128, 129, 300, 9_000} {
		t.Run(fmt.Sprint(places), func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(places), 2))
			var s vectors
			var twin []sim.Vector
			for range 10 + min(20_000, 3_000_000/places) {
				v := make(sim.Vector, places)
				for range r.IntN(min(places, 20) + 1) {
					v[r.IntN(places)] = number(r)
				}
				if r.IntN(50) == 0 {
					for p := range v {
						v[p] = number(r)
					}
				}
				if s.len() != len(twin) {
					t.Fatalf("there are %d vectors, not %d", s.len(), len(twin))
				}
				s.add(v)
				twin = append(twin, v)
			}
			got := make(sim.Vector, places)
			for range len(twin) {
				i := r.IntN(len(twin))
				got[r.IntN(places)] = 77 // what was there is of no interest
				if s.get(i, got); !slices.Equal(got, twin[i]) {
					t.Fatalf("vector %d is %v, not %v", i, got, twin[i])
				}
			}
		})
	}
}

// number is one of any size.
func number(r *rand.Rand) uint32 { return r.Uint32() >> r.IntN(32) }

func TestFlat(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	var f flat
	twin := map[uint64]uint32{}
	if _, known := f.get(1); known {
		t.Error("an empty table knows 1")
	}
	for range 50_000 {
		key := r.Uint64()>>r.IntN(64) | 1 // small ones, too, which lie together
		want, there := twin[key]
		if got, known := f.get(key); known != there || got != want {
			t.Fatalf("key %x is %d, %v; want %d, %v", key, got, known, want, there)
		}
		if !there {
			twin[key] = number(r)
			f.put(key, twin[key])
		}
	}
	for key, want := range twin {
		if got, known := f.get(key); !known || got != want {
			t.Fatalf("key %x is %d, %v; want %d", key, got, known, want)
		}
	}
	if f.used != len(twin) || 2*f.used > len(f.keys) {
		t.Errorf("%d keys of %d in %d slots", f.used, len(twin), len(f.keys))
	}
}

// Keys that lie at the end of the table go on at its beginning.
func TestFlatWraps(t *testing.T) {
	var f flat
	f.put(1, 1)
	var last []uint64
	for key := uint64(2); len(last) < 5; key++ {
		if f.slot(key) >= len(f.keys)-2 {
			last = append(last, key)
		}
	}
	for i, key := range last {
		f.put(key, uint32(i))
	}
	for i, key := range last {
		if got, known := f.get(key); !known || got != uint32(i) {
			t.Errorf("key %x is %d, %v; want %d", key, got, known, i)
		}
	}
	if f.keys[0] == 0 {
		t.Error("nothing went round")
	}
}

func TestCoinLists(t *testing.T) {
	var c coinLists
	if n, fits := c.number(nil); n != 0 || !fits || c.get(0) != nil {
		t.Errorf("no answers are list %d: %v, %v", n, c.get(n), fits)
	}
	r := rand.New(rand.NewPCG(4, 4))
	twin := map[string]uint16{}
	for range 5_000 {
		answers := make([]int, 1+r.IntN(4))
		for i := range answers {
			answers[i] = r.IntN(13)
		}
		kept := slices.Clone(answers)
		n, fits := c.number(answers)
		if was, met := twin[fmt.Sprint(kept)]; !fits || met && was != n {
			t.Fatalf("%v is list %d, %v, and was %d", kept, n, fits, was)
		}
		twin[fmt.Sprint(kept)] = n
		clear(answers) // the caller uses them again
		if got := c.get(n); !slices.Equal(got, kept) {
			t.Fatalf("list %d is %v, not %v", n, got, kept)
		}
	}
	seen := map[uint16]string{}
	for list, n := range twin {
		if other, met := seen[n]; met {
			t.Errorf("%s and %s are both list %d", list, other, n)
		}
		seen[n] = list
	}
}

// When there is no number left, the lists that have one keep it.
func TestCoinListsFull(t *testing.T) {
	var c coinLists
	const most = 1<<16 - 1
	for i := range most {
		if n, fits := c.number([]int{i}); !fits || int(n) != i+1 {
			t.Fatalf("list %d has the number %d, %v", i, n, fits)
		}
	}
	for range 2 {
		if n, fits := c.number([]int{most}); fits {
			t.Errorf("a list too many has the number %d", n)
		}
	}
	if n, fits := c.number([]int{7}); n != 8 || !fits {
		t.Errorf("a known list has the number %d, %v", n, fits)
	}
}
