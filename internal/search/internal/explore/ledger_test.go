package explore

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"macemc/internal/canon"
	"macemc/internal/world"
)

// number returns a random number with a random number of bits.
func number(r *rand.Rand) uint32 { return r.Uint32() >> r.IntN(32) }

// TestLedger: each state that is added is returned under its number, whatever the numbers of its
// parts, its length and the number of states. Different states with the same tag remain different.
func TestLedger(t *testing.T) {
	for _, places := range []int{1, 2, 5, 64, 129, 300, 2_000} {
		for _, tags := range []uint64{1, 3, 1 << 32} {
			t.Run(fmt.Sprint(places, "/", tags), func(t *testing.T) { ledgers(t, places, tags, nil) })
			t.Run(fmt.Sprint(places, "/", tags, "/alone"), func(t *testing.T) { ledgers(t, places, tags, new(lone)) })
		}
	}
}

func ledgers(t *testing.T, places int, tags uint64, alone *lone) {
	r := rand.New(rand.NewPCG(uint64(places), tags))
	l, err := newLedger(places, func(int) int { return 1 << 30 }, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	l.lone = alone
	e := l.Entry()
	twin := map[string]uint32{}
	vectors, parents := map[uint32]world.Vector{}, map[uint32]uint32{}
	many := min(5_000, 300_000/places)
	if tags < 1000 {
		many = min(many, 300)
	}
	for range many {
		v := make(world.Vector, places)
		for range r.IntN(min(places, 6) + 1) {
			v[r.IntN(places)] = number(r) >> (8 * r.IntN(4))
		}
		if alone != nil {
			v[0] = number(r) % 10_000
		}
		h := canon.OfString(fmt.Sprint(v))
		h.Hi = h.Hi % tags << 32
		e.Pack(v)
		want, there := twin[fmt.Sprint(v)]
		if got, known := e.Find(h); known != there || known && got != want {
			t.Fatalf("%v has the number %d, %v; want %d, %v", v, got, known, want, there)
		}
		if err := e.Room(1); err != nil {
			t.Fatal(err)
		}
		parent := r.Uint32()
		if isNew := e.Add(h, Origin{Parent: parent}); isNew == there {
			t.Fatalf("%v is new: %v", v, isNew)
		}
		e.Told()
		if !there {
			twin[fmt.Sprint(v)], vectors[e.Next-1], parents[e.Next-1] = e.Next-1, v, parent
		}
	}
	if l.Len() != len(twin) || l.Kept() != len(twin) {
		t.Errorf("there are %d states, %d are kept, and should be %d", l.Len(), l.Kept(), len(twin))
	}
	if alone != nil && alone.used.Load() == 0 {
		t.Error("no state differs from the first one in its node alone")
	}
	n, got := 0, make(world.Vector, places)
	for s := range l.Each {
		got[r.IntN(places)] = 77 // Get overwrites it
		if l.Get(s, got); !slices.Equal(got, vectors[s]) || l.Origin(s).Parent != parents[s] {
			t.Fatalf("state %d is %v, not %v", s, got, vectors[s])
		}
		if n++; !l.Holds(s) {
			t.Fatalf("state %d is not held", s)
		}
	}
	if n != len(twin) {
		t.Errorf("%d states are listed, and there are %d", n, len(twin))
	}
}

// A ledger that may not grow returns ErrFull before its set is too full to be searched.
func TestLedgerFull(t *testing.T) {
	l, err := newLedger(1, func(int) int { return 0 }, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	e := l.Entry()
	for i := uint32(1); ; i++ {
		err := e.Room(1)
		if err == ErrFull {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		e.Pack(world.Vector{i})
		if !e.Add(canon.OfString(fmt.Sprint(i)), Origin{}) {
			t.Fatalf("%d is known", i)
		}
		e.Told()
	}
	if slots := LedgerLeast / 8; l.Len() > slots || l.Len() < slots/2 {
		t.Errorf("%d states in %d slots", l.Len(), slots)
	}
}

// The verdict about a state holds for another one with the same nodes. Once a property has counted
// the messages under way, it holds only if their number is the same, too.
func TestJudged(t *testing.T) {
	var j Judged
	a, b := canon.OfString("a"), canon.OfString("b")
	if _, known := j.Get(a, 0); known {
		t.Error("nothing was said, and is known")
	}
	j.put(false, a, 1, SaidGood)
	if s, known := j.Get(a, 2); !known || s != SaidGood {
		t.Error("what was said is not known")
	}
	if _, known := j.Get(b, 1); known {
		t.Error("something is known of other nodes")
	}
	j.put(true, b, 1, SaidInside)
	if _, known := j.Get(a, 1); known {
		t.Error("what was said before messages were counted is still known")
	}
	if _, known := j.Get(b, 2); known {
		t.Error("another number of messages is said to be the same")
	}
	if s, known := j.Get(b, 1); !known || s != SaidInside {
		t.Error("what was said is not known")
	}
}

// If several goroutines add the same states of a system with one node, each state is new for exactly one of them.
func TestLoneTogether(t *testing.T) {
	const n, hands = 20_000, 4
	l, err := newLedger(3, func(int) int { return 1 << 30 }, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	l.lone = new(lone)
	entries := make([]*Entry, hands)
	for k := range entries {
		entries[k] = l.Entry()
		entries[k].join()
	}
	var all sync.WaitGroup
	for k, e := range entries {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(k), 5))
			for _, i := range r.Perm(n) {
				v := world.Vector{uint32(i/4) + 1, uint32(i%4) / 2, uint32(i % 2)}
				h := canon.OfString(fmt.Sprint(v))
				if err := e.Room(1); err != nil {
					t.Error(err)
					return
				}
				e.Pack(v)
				e.hold()
				e.Add(h, Origin{})
				s, known := e.Find(h)
				e.letGo()
				e.Told()
				got := make(world.Vector, 3)
				if l.Get(s, got); !known || !slices.Equal(got, v) {
					t.Errorf("%v is found: %v, as %v", v, known, got)
					return
				}
			}
		})
	}
	all.Wait()
	if l.Len() != n || l.Kept() != n {
		t.Errorf("%d states, %d kept; want %d", l.Len(), l.Kept(), n)
	}
}

// A state that was packed before another goroutine made the layout wider is not taken for the first state, whose
// words it does not all have.
func TestLoneShorter(t *testing.T) {
	l, err := newLedger(40, func(int) int { return 1 << 30 }, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	l.lone = new(lone)
	of := func(places ...int) world.Vector {
		v := make(world.Vector, 40)
		for _, p := range places {
			v[p] = 1
		}
		return v
	}
	slow, fast := l.Entry(), l.Entry()
	slow.Pack(of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)) // these fill the first word of the layout
	slow.Pack(of(0))
	fast.Pack(of(0, 20))
	for _, e := range []*Entry{slow, fast} {
		if err := e.Room(1); err != nil {
			t.Fatal(err)
		}
	}
	if !fast.Add(canon.OfString("fast"), Origin{}) || !slow.Add(canon.OfString("slow"), Origin{}) {
		t.Error("a state counts as known that nobody has added")
	}
}

// States that differ only in the node can still be read after their level is expanded, whether or not their parts
// are numbered one after another.
func TestRowsOfExpandedStates(t *testing.T) {
	for name, c := range map[string]struct {
		of  func(i int) world.Vector // state i; states from blockStates on make the layout wider
		row bool
	}{
		"in a row":      {func(i int) world.Vector { return world.Vector{uint32(i) + 70, 3, 0} }, true},
		"one is left":   {func(i int) world.Vector { return world.Vector{uint32(i+i/(blockStates-1)) + 70, 3, 0} }, false},
		"one has more":  {func(i int) world.Vector { return world.Vector{uint32(i) + 70, 3, uint32(i % blockStates / 1000)} }, false},
		"without parts": {func(i int) world.Vector { return world.Vector{uint32(i), 3, 0} }, false},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := newLedger(3, func(int) int { return 1 << 30 }, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			l.lone = new(lone)
			e := l.Entry()
			const last = 2 * blockStates
			var twin []world.Vector
			add := func(v world.Vector) {
				if err := e.Room(1); err != nil {
					t.Fatal(err)
				}
				e.Pack(v)
				if !e.Add(canon.OfString(fmt.Sprint(v)), Origin{}) {
					t.Fatalf("%v is known", v)
				}
				e.Told()
				twin = append(twin, v)
			}
			for i := range blockStates {
				add(c.of(i))
			}
			level := e.Level()
			for i := range blockStates {
				add(c.of(blockStates + i))
			}
			add(world.Vector{1 << 20, 3, 1 << 30})
			if l.Expanded(level, e.Level()); l.Block(0).row != 0 != c.row || (l.Block(0).recs == nil) != c.row {
				t.Errorf("row: %d", l.Block(0).row)
			}
			for i := range blockStates { // they use the memory of the row
				add(world.Vector{uint32(last + i + 100), 3, 0})
			}
			lay, got, packed := l.layout.Load(), make(world.Vector, 3), make(world.Vector, 3)
			for i, v := range twin {
				s := uint32(i)
				l.Get(s, got)
				lay.unpack(e.rec(s), packed)
				e.Pack(v)
				found, known := e.Find(canon.OfString(fmt.Sprint(v)))
				if !slices.Equal(got, v) || !slices.Equal(packed, v) || !known || found != s {
					t.Fatalf("state %d is %v and %v, and %v is found: %v, as %d", s, got, packed, v, known, found)
				}
			}
		})
	}
}
