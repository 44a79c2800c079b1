package paxos

import (
	"flag"
	"hash/maphash"
	"testing"
)

var large = flag.Bool("large", false, "count three proposers the dumb way: some GiB and minutes")

// The simple search of three proposers keeps a hash of 64 bits for each state. `make large` must find the same
// counts.
func TestThreeProposers(t *testing.T) {
	if !*large {
		t.Skip("it takes some GiB and minutes; make large does it")
	}
	seed, transitions := maphash.MakeSeed(), 0
	known := map[uint64]struct{}{maphash.Comparable(seed, twin{}): {}}
	for todo := []twin{{}}; len(todo) > 0; {
		var later []twin
		for _, s := range todo {
			rules{proposers: 3}.next(s, func(to twin) {
				transitions++
				h := maphash.Comparable(seed, to)
				if _, there := known[h]; !there {
					known[h] = struct{}{}
					later = append(later, to)
				}
			})
		}
		todo = later
	}
	if len(known) != 47_957_832 || transitions != 294_399_453 {
		t.Errorf("%d states, %d transitions; a search counts 47,957,832 and 294,399,453", len(known), transitions)
	}
}
