package visited

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"macemc/internal/canon"
)

// made is a table of so many slots, closed at the end of the test.
func made(t *testing.T, slots int, o Options) *Table {
	t.Helper()
	o.Bytes = 8 * slots
	table, err := Make(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for range 2 {
			if err := table.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	return table
}

// twin is the table as a map. Depths above deep are not told apart.
type twin struct {
	depth map[canon.Hash]int
	deep  int
}

func (w twin) insert(h canon.Hash, depth int) Outcome {
	depth = min(depth, w.deep)
	was, there := w.depth[h]
	switch {
	case !there:
		w.depth[h] = depth
		return New
	case was <= depth && was < w.deep:
		return Known
	default:
		w.depth[h] = min(was, depth)
		return Shallower
	}
}

// stored is the depth of a state in a table without omissions.
func (t *Table) stored(h canon.Hash) (depth int, there bool) {
	if t.hashBits != 0 {
		h = t.weaken(h)
	}
	for i := t.home(h); ; i = (i + 1) % uint64(len(t.slots)) {
		switch word := atomic.LoadUint64(&t.slots[i]); {
		case word == 0:
			return 0, false
		case word&^t.depths == h.Lo&^t.depths:
			return int(word&t.depths) - 1, true
		}
	}
}

// Random calls, with depths on both sides of what can be told apart, do as the
// twin does; one by one, and in batches that repeat states.
func TestTwin(t *testing.T) {
	for _, depthBits := range []int{2, 3, 8, 10, 32} {
		for _, distinct := range []int{1, 10, 1_000, 20_000} {
			r := rand.New(rand.NewPCG(1, uint64(distinct)))
			// A loaded table, whose runs of slots wrap around.
			table := made(t, max(16, distinct*10/8), Options{DepthBits: depthBits})
			deep := 1<<depthBits - 2
			w := twin{map[canon.Hash]int{}, deep}
			counts := map[Outcome]int{}
			for range 5 * distinct / 10 {
				states := make([]canon.Hash, r.IntN(50))
				for i := range states {
					states[i] = state(r.IntN(distinct))
				}
				depth := r.IntN(min(2*deep, 1_000))
				outcomes := make([]Outcome, len(states))
				if len(states)%2 == 0 {
					table.InsertAll(states, depth, outcomes)
				} else {
					for i, h := range states {
						table.Touch(h)
						outcomes[i] = table.Insert(h, depth)
					}
				}
				for i, h := range states {
					want := w.insert(h, depth)
					counts[want]++
					if outcomes[i] != want {
						t.Fatalf("%d bits: a state at depth %d is %s, not %s", depthBits, depth, outcomes[i], want)
					}
				}
			}
			if table.Len() != len(w.depth) {
				t.Errorf("%d states, not %d", table.Len(), len(w.depth))
			}
			for h, want := range w.depth {
				if got, there := table.stored(h); !there || got != want {
					t.Fatalf("%d bits: stored is depth %d (%v), not %d", depthBits, got, there, want)
				}
			}
			if distinct >= 1_000 && len(counts) != 3 {
				t.Errorf("this trial is too weak: %v", counts)
			}
		}
	}
}

// A search to a bound, depth first, reaches through the table whatever can be
// reached at all, even where depths are stored in two bits.
func TestNoStateIsLostUnderABound(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		next := make([][]int, 12)
		for i := range next {
			next[i] = []int{r.IntN(len(next)), r.IntN(len(next))}
		}
		bound := r.IntN(9)
		reached := map[int]bool{}
		var walk func(i, depth int)
		walk = func(i, depth int) {
			reached[i] = true
			for _, k := range next[i] {
				if depth < bound {
					walk(k, depth+1)
				}
			}
		}
		walk(0, 0)
		for _, depthBits := range []int{2, 3, DepthBits(bound)} {
			table := made(t, 64, Options{DepthBits: depthBits})
			var search func(i, depth int)
			search = func(i, depth int) {
				if o := table.Insert(state(i), depth); o == Known || depth == bound {
					return
				}
				for _, k := range next[i] {
					search(k, depth+1)
				}
			}
			search(0, 0)
			if table.Len() != len(reached) {
				t.Errorf("seed %d, to depth %d, %d bits: %d states of %d", seed, bound, depthBits, table.Len(), len(reached))
			}
		}
	}
}

func TestFull(t *testing.T) {
	for _, slots := range []int{16, 17, 100, 4_096, 1_000_000} {
		table := made(t, slots, Options{})
		n := 0
		for table.Insert(state(n), 5) == New {
			n++
		}
		if most := table.Cap() + table.Cap()/64; n < table.Cap() || n > most || n >= slots {
			t.Errorf("%d slots: full with %d states; that should be from %d to %d", slots, n, table.Cap(), most)
		}
		if table.Len() != n || table.Bytes() != 8*slots {
			t.Errorf("%d slots: Len is %d, not %d, or Bytes is %d", slots, table.Len(), n, table.Bytes())
		}
		for _, c := range []struct {
			i, depth int
			want     Outcome
		}{{n, 0, Full}, {n + 1, 0, Full}, {0, 5, Known}, {0, 6, Known}, {n - 1, 4, Shallower}, {n - 1, 4, Known}} {
			if got := table.Insert(state(c.i), c.depth); got != c.want {
				t.Errorf("%d slots, full: state %d at depth %d is %s, not %s", slots, c.i, c.depth, got, c.want)
			}
		}
	}
}

// Even a table without an empty slot, which its limit prevents, answers.
func TestFullToTheLastSlot(t *testing.T) {
	table := made(t, 16, Options{})
	for i := range table.slots {
		table.slots[i] = ^uint64(i << 8)
	}
	if got := table.Insert(state(1), 0); got != Full {
		t.Errorf("a new state is %s", got)
	}
}

// Workers that insert the same states at once, each in its own order and at
// depths of its own, are told New once for each state; in the end each stands
// at its least depth. Both kinds of memory, since the race detector does not
// look at what is mapped.
func TestWorkers(t *testing.T) {
	const workers, distinct = 4, 5_000
	for _, memory := range []string{"mapped", "heap"} {
		for _, slots := range []int{distinct * 10 / 8, distinct / 2} {
			t.Run(fmt.Sprintf("%s/%d", memory, slots), func(t *testing.T) {
				table := made(t, slots, Options{DepthBits: 10})
				if memory == "heap" {
					table = over(make([]uint64, slots), nil, Options{DepthBits: 10})
				}
				depth := func(worker, i int) int { return int(mix(uint64(worker*distinct+i)) % 500) }
				told := make([][distinct]Outcome, workers)
				var group sync.WaitGroup
				for worker := range workers {
					group.Go(func() {
						order := rand.New(rand.NewPCG(uint64(worker), 0)).Perm(distinct)
						if worker%2 == 0 {
							for i := range order {
								order[i] = i // two workers step on each other's toes
							}
						}
						for _, i := range order {
							told[worker][i] = table.Insert(state(i), depth(worker, i))
						}
					})
				}
				group.Wait()
				all := 0
				for i := range distinct {
					counts := map[Outcome]int{}
					least := 1 << 10
					for worker := range workers {
						counts[told[worker][i]]++
						least = min(least, depth(worker, i))
					}
					if counts[Full] == workers {
						continue
					}
					all++
					if counts[New] != 1 {
						t.Fatalf("state %d: %v", i, counts)
					}
					if got, _ := table.stored(state(i)); counts[Full] == 0 && got != least {
						t.Fatalf("state %d is at depth %d, not %d", i, got, least)
					}
				}
				// Each worker may be past the limit by one state.
				if most := table.Cap() + table.Cap()/64 + workers; table.Len() != all || all > most {
					t.Errorf("Len is %d; new were %d, and room is for %d", table.Len(), all, most)
				}
				if slots > distinct && all != distinct {
					t.Errorf("%d states of %d", all, distinct)
				}
			})
		}
	}
}

// Workers that come to one state at once, ever shallower, are told Known only of
// a depth that is stored, or a lesser one.
func TestWorkersAtOneState(t *testing.T) {
	const workers, from = 4, 100_000
	table := made(t, 16, Options{DepthBits: 32})
	h := state(1)
	table.Insert(h, from)
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() {
			for depth := from - worker; depth >= 0; depth -= workers {
				o := table.Insert(h, depth)
				if at, _ := table.stored(h); o != Known && o != Shallower || at > depth {
					t.Errorf("%s at depth %d, while it is stored at %d", o, depth, at)
					return
				}
			}
		})
	}
	group.Wait()
	if at, _ := table.stored(h); at != 0 || table.Len() != 1 {
		t.Errorf("%d states; this one is at depth %d, not 0", table.Len(), at)
	}
}

// A call whose slot was lowered by another since it looked looks again.
func TestLoweredMeanwhile(t *testing.T) {
	for _, c := range []struct {
		depth, stored int
		want          Outcome
	}{{4, 4, Shallower}, {6, 5, Known}, {5, 5, Known}} {
		table := made(t, 16, Options{})
		h := state(1)
		table.Insert(h, 5)
		slot := &table.slots[table.home(h)]
		tag := h.Lo &^ table.depths
		seen, word := tag|(9+1), tag|uint64(c.depth+1)
		got := table.again(slot, seen, word)
		if at, _ := table.stored(h); got != c.want || at != c.stored {
			t.Errorf("depth %d, where 9 was seen and 5 is stored: %s, and %d is stored", c.depth, got, at)
		}
	}
}

// With few bits of the hash, states are one exactly if those bits are.
func TestHashBits(t *testing.T) {
	for _, hashBits := range []int{1, 4, 10, 32, 56} {
		table := made(t, 4_096, Options{HashBits: hashBits})
		known := map[uint64]bool{}
		for i := range 2_000 {
			h := state(i)
			key := h.Lo % (1 << hashBits)
			want := New
			if known[key] {
				want = Known
			}
			known[key] = true
			table.Touch(h)
			if got := table.Insert(h, 3); got != want {
				t.Fatalf("%d bits, state %d: %s, not %s", hashBits, i, got, want)
			}
		}
	}
}

func TestDepthBits(t *testing.T) {
	for most, want := range map[int]int{-1: 2, 0: 2, 1: 2, 2: 3, 5: 3, 6: 4, 253: 8, 254: 9, 1_021: 10, 1_022: 11, math.MaxInt: 32} {
		if got := DepthBits(most); got != want {
			t.Errorf("depths to %d need %d bits, not %d", most, want, got)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{}, "a table of visited states in 0 bytes; it needs at least 128"},
		{Options{Bytes: 1 << 20, DepthBits: 1}, "a table of visited states with 1 bits for the depth; it takes from 2 to 32"},
		{Options{Bytes: 1 << 20, DepthBits: 33}, "a table of visited states with 33 bits for the depth; it takes from 2 to 32"},
		{Options{Bytes: 1 << 20, HashBits: 57}, "a table of visited states with 57 bits of the hash; beside 8 for the depth it takes up to 56, or 0 for all"},
		{Options{Bytes: math.MaxInt &^ 7}, "give it less memory"},
	} {
		table, err := Make(c.o)
		if table != nil || err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%+v: %v, not %q", c.o, err, c.want)
		}
	}
}
