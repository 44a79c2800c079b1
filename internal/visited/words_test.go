package visited

import (
	"math/rand/v2"
	"sync"
	"testing"
)

// TestWords compares Words with a map, while it grows.
func TestWords(t *testing.T) {
	for _, homes := range []uint64{1, 4, 1 << 32} { // few homes: long searches
		r := rand.New(rand.NewPCG(homes, 1))
		w, err := NewWords(128)
		if err != nil {
			t.Fatal(err)
		}
		twin := map[uint64]bool{}
		for range min(20_000, 500*int(homes)) {
			word := r.Uint64()%homes<<32 | uint64(1+r.IntN(300))
			if w.Len() == w.Cap() {
				if err := w.Grow(w.Bytes() * 3 / 2); err != nil {
					t.Fatal(err)
				}
			}
			if w.Has(word) != twin[word] {
				t.Fatalf("%x is in the set: %v", word, !twin[word])
			}
			if w.Add(word) == twin[word] {
				t.Fatalf("%x is new: %v", word, !twin[word])
			}
			twin[word] = true
		}
		for word := range twin {
			if !w.Has(word) {
				t.Fatalf("%x is lost", word)
			}
		}
		if w.Len() != len(twin) {
			t.Errorf("%d words, and there are %d", w.Len(), len(twin))
		}
		for range 2 {
			if err := w.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// If several goroutines add a word, Add reports to exactly one of them that it is new.
func TestWordsOfSeveral(t *testing.T) {
	const goroutines, words = 4, 5_000
	w, err := NewWords(8 * 2 * words)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var all sync.WaitGroup
	news := make([]int, goroutines)
	for g := range goroutines {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(g), 2))
			for _, i := range r.Perm(words) {
				if w.Add(uint64(i*2654435761)<<32 | uint64(i+1)) {
					news[g]++
				}
			}
		})
	}
	all.Wait()
	sum := 0
	for _, n := range news {
		sum += n
	}
	if sum != words || w.Len() != words {
		t.Errorf("%d words were new, the set has %d, and there are %d", sum, w.Len(), words)
	}
}

// Several goroutines move the words of a set to a larger table, and none is lost. One of them asks to help before the
// others begin.
func TestGrowthOfSeveral(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	w, err := NewWords(8 * 3 * returned / 2)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	words := make([]uint64, w.Cap()/4)
	for i := range words {
		words[i] = uint64(r.Uint32()>>r.IntN(3))<<32 | uint64(i+1)
		w.Add(words[i])
	}
	for range 4 {
		g := NewGrowth()
		var all sync.WaitGroup
		all.Go(g.Help)
		if err := g.Begin(w, w.Bytes()/2*3); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			all.Go(g.Help)
		}
		g.Help()
		if err := g.End(); err != nil {
			t.Fatal(err)
		}
		all.Wait()
		for _, word := range words {
			if !w.Has(word) {
				t.Fatalf("%x is lost", word)
			}
		}
	}
	n := 0
	for slot := range w.slots {
		if w.At(slot) != 0 {
			n++
		}
	}
	if n != len(words) || w.Len() != n {
		t.Errorf("%d slots are taken by %d words, and there are %d", n, w.Len(), len(words))
	}
}

// BenchmarkGrow measures the time that Grow takes for each slot of the old table, which is three quarters full.
func BenchmarkGrow(b *testing.B) {
	const slots = 1 << 22
	r := rand.New(rand.NewPCG(1, 1))
	for b.Loop() {
		b.StopTimer()
		t, err := NewWords(8 * slots)
		if err != nil {
			b.Fatal(err)
		}
		for range t.Cap() {
			t.Add(r.Uint64() | 1)
		}
		b.StartTimer()
		if err := t.Grow(8 * slots / 2 * 3); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		t.Close()
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/slots, "ns/slot")
}
