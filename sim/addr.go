package sim

import "strconv"

// Addr names a node. (Its one field has the width for which maps keyed by it are
// fastest.) It is opaque: it can be compared and used as a key, but
// there is no arithmetic on it. The zero Addr is nobody.
type Addr struct{ id uint32 }

// nodesMost is the largest number of nodes in a system.
const nodesMost = 64

var addrNames = func() (names [nodesMost + 1]string) {
	names[0] = "nobody"
	for i := range nodesMost {
		names[i+1] = "n" + strconv.Itoa(i)
	}
	return names
}()

func addrOf(index int) Addr { return Addr{uint32(index + 1)} }

// index is the node's place among the nodes; -1 is nobody.
func (a Addr) index() int { return int(a.id) - 1 }

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
	return "n" + strconv.Itoa(a.index())
}
