package explore

import (
	"math/rand/v2"
	"testing"

	"macemc/internal/canon"
)

// TestJudgedGrows: a remembered verdict is always the last one that was noted for its nodes. If the
// table has room, most verdicts are remembered.
func TestJudgedGrows(t *testing.T) {
	for _, counted := range []bool{false, true} {
		r := rand.New(rand.NewPCG(5, 5))
		type key struct {
			nodes  canon.Hash
			flying int
		}
		var j Judged
		twin := map[key]Said{}
		var keys []key
		for range 6 * judgedLeast {
			k := key{canon.Hash{Hi: r.Uint64(), Lo: r.Uint64()}, r.IntN(4)}
			if len(keys) > 0 && r.IntN(3) == 0 {
				k = keys[r.IntN(len(keys))]
				k.flying = r.IntN(4)
			}
			if !counted {
				k.flying = 0
			}
			keys = append(keys, k)
			twin[k] = Said(r.IntN(8))
			j.put(counted, k.nodes, k.flying, twin[k])
		}
		remembered := 0
		for k, want := range twin {
			got, known := j.Get(k.nodes, k.flying)
			if known && got != want {
				t.Fatalf("%v: %v was said; want %v", k, got, want)
			}
			remembered += count(known)
		}
		if len(j.slots) == judgedLeast || remembered < len(twin)/3 {
			t.Errorf("counted %v: of %d, %d are remembered in %d slots", counted, len(twin), remembered, len(j.slots))
		}
	}
}

// TestJudgedGivesUp: if hardly any state has the nodes of an earlier one, the table is given up; if one in eight
// has, it is kept.
func TestJudgedGivesUp(t *testing.T) {
	for _, again := range []uint64{2, 8, 100} {
		var j Judged
		for k := range uint64(3 * judgedTrial) {
			h := canon.Hash{Lo: k}
			if k%again == 1 {
				h.Lo--
			}
			if _, known := j.Get(h, 0); !known {
				j.put(false, h, 0, SaidGood)
			}
		}
		if want := again == 100; j.idle != want || (j.slots == nil) != want {
			t.Errorf("one verdict in %d is known: it gave up: %v; want %v", again, j.idle, want)
		}
	}
}
