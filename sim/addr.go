package sim

import (
	"strconv"

	"macemc/internal/sight"
)

// Addr names a node. (Its one field has the width for which maps keyed by it are
// fastest.) It is opaque: it can be compared and used as a key, but
// there is no arithmetic on it. The zero Addr is nobody.
type Addr struct{ id uint32 }

var addrNames = func() (names [sight.NodesMost + 1]string) {
	names[0] = "nobody"
	for i := range sight.NodesMost {
		names[i+1] = "n" + strconv.Itoa(i)
	}
	return names
}()

func addrOf(index int) Addr { return Addr{uint32(index + 1)} }

// Index is the node's place among the nodes, counted from 0; -1 is nobody. It
// is for those who run a service: a service compares addresses.
func (a Addr) Index() int { return int(a.id) - 1 }

// IsZero reports whether a is nobody.
func (a Addr) IsZero() bool { return a.id == 0 }

// Less orders addresses, for services whose protocol does.
func (a Addr) Less(b Addr) bool { return a.id < b.id }

// Compare is Less in the form that slices.SortFunc wants.
func (a Addr) Compare(b Addr) int { return int(a.id) - int(b.id) }

// String is n0, n1, ... or nobody.
func (a Addr) String() string {
	if int(a.id) < len(addrNames) {
		return addrNames[a.id]
	}
	return "n" + strconv.Itoa(a.Index())
}
