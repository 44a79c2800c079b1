package flat

import (
	"math/rand/v2"
	"testing"

	"macemc/internal/canon"
)

func TestTable(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	var f Table
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

// Keys that lie at the end of the table go on at its beginning.
func TestTableWraps(t *testing.T) {
	var f Table
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
