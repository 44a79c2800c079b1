package flat

import (
	"math/rand/v2"
	"sync"
	"testing"

	"macemc/internal/canon"
)

func TestTable(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	var f Table[uint32]
	twin := map[uint64]uint32{}
	if _, known := f.Get(1); known {
		t.Error("an empty table knows 1")
	}
	for range 50_000 {
		key := r.Uint64()>>r.IntN(64) | 1 // small ones, too, which lie together
		want, there := twin[key]
		if got, known := f.Get(key); known != there || got != want {
			t.Fatalf("key %x is %d, %v; want %d, %v", key, got, known, want, there)
		}
		if !there {
			twin[key] = r.Uint32()
			f.Put(key, twin[key])
		}
	}
	for key, want := range twin {
		if got, known := f.Get(key); !known || got != want {
			t.Fatalf("key %x is %d, %v; want %d", key, got, known, want)
		}
	}
	if f.Len() != len(twin) || 2*f.used > len(f.slots) {
		t.Errorf("%d keys of %d in %d slots", f.Len(), len(twin), len(f.slots))
	}
}

// Keys whose slots are at the end of the table continue at its beginning.
func TestTableWraps(t *testing.T) {
	var f Table[uint32]
	f.Put(1, 1)
	var last []uint64
	for key := uint64(2); len(last) < 5; key++ {
		if f.home(key) >= len(f.slots)-2 {
			last = append(last, key)
		}
	}
	for i, key := range last {
		f.Put(key, uint32(i))
	}
	for i, key := range last {
		if got, known := f.Get(key); !known || got != uint32(i) {
			t.Errorf("key %d is %d, %v; want %d", key, got, known, i)
		}
	}
}

func TestIndex(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	var x Index
	var list Hashes
	twin := map[canon.Hash]uint32{}
	if _, known := x.Find(&list, canon.Hash{}); known {
		t.Error("an empty index knows something")
	}
	for range 20_000 {
		h := canon.Hash{Hi: r.Uint64() >> r.IntN(64), Lo: r.Uint64() >> r.IntN(64)} // many share their home
		want, there := twin[h]
		if got, known := x.Find(&list, h); known != there || got != want {
			t.Fatalf("%v is at %d, %v; want %d, %v", h, got, known, want, there)
		}
		if !there {
			list.Append(h)
			twin[h] = uint32(list.Len() - 1)
			x.Add(&list, uint32(list.Len()-1))
		}
	}
	for h, want := range twin {
		if got, known := x.Find(&list, h); !known || got != want {
			t.Fatalf("%v is at %d, %v; want %d", h, got, known, want)
		}
	}
}

// Goroutines read views of a table and of an index while another goroutine adds to them. A view has
// what was there when it was made, and what it has is right.
func TestViewsNeedNoLock(t *testing.T) {
	const n = 5_000
	hash := func(i uint32) canon.Hash { return canon.Hash{Hi: uint64(i), Lo: uint64(i) * 0x9e3779b97f4a7c15} }
	type both struct {
		table Table[uint32]
		index Index
		list  Hashes
	}
	var mu sync.Mutex
	var made both
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			for view := (both{}); view.list.Len() < n; {
				mu.Lock()
				view = made
				mu.Unlock()
				for i := range uint32(n) {
					value, known := view.table.Get(uint64(i) + 1)
					at, is := view.index.Find(&view.list, hash(i))
					old := int(i) < view.list.Len()
					if known && value != 3*i || is && at != i || old && !known || is != old {
						t.Errorf("%d is %d, %v, and at %d, %v, where the view has %d", i, value, known, at, is, view.list.Len())
						return
					}
				}
			}
		})
	}
	for i := range uint32(n) {
		mu.Lock()
		made.table.Put(uint64(i)+1, 3*i)
		made.list.Append(hash(i))
		made.index.Add(&made.list, i)
		mu.Unlock()
	}
	all.Wait()
}
