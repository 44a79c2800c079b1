package explore

import (
	"math/rand/v2"
	"testing"
)

// TestInboxes: an inbox that is found has the messages that were added for its parts, in order; one that is not
// completed is not found; and most are found again once there are enough slots.
func TestInboxes(t *testing.T) {
	type parts struct {
		i         int
		node, set uint32
	}
	r := rand.New(rand.NewPCG(5, 5))
	var b inboxes
	known := map[parts][]accepted{}
	found, asked := 0, 0
	for range 40_000 {
		p := parts{r.IntN(3), uint32(r.IntN(20)), uint32(r.IntN(20))}
		if x := b.get(p.i, p.node, p.set); x != nil {
			want, ended := known[p]
			if found++; !ended || x.len() != len(want) {
				t.Fatalf("the inbox of %v has %d messages, %v; want %d", p, x.len(), ended, len(want))
			}
			for k := range want {
				if *x.at(k) != want[k] {
					t.Fatalf("message %d of %v is %v; want %v", k, p, *x.at(k), want[k])
				}
			}
			continue
		}
		x := b.begin(p.i, p.node, p.set)
		var all []accepted
		for range r.IntN(6) {
			a := accepted{o: new(footprint), what: r.Uint32(), from: uint16(r.IntN(9)), bag: r.IntN(2) == 0}
			pops := none
			if a.bag {
				pops = 3
			}
			x.add(occurrence{what: a.what, from: int(a.from), pops: pops}, a.o)
			all = append(all, a)
		}
		if delete(known, p); r.IntN(10) > 0 {
			x.ends()
			known[p] = all
		}
		asked++
	}
	if found < 4*asked {
		t.Errorf("found %d inboxes, and made %d", found, asked)
	}
}
