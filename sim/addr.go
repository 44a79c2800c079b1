package sim

import (
	"fmt"
	"strconv"
	"strings"

	"macemc/internal/sight"
)

// Addr identifies a node. It can be compared and used as a map key; there is no arithmetic
// on it. The zero Addr means "no node". (The field is a uint32 because maps with keys of
// that size are fastest.)
type Addr struct{ id uint32 }

var addrNames = func() (names [sight.NodesMost + 1]string) {
	names[0] = "nobody"
	for i := range sight.NodesMost {
		names[i+1] = "n" + strconv.Itoa(i)
	}
	return names
}()

func addrOf(index int) Addr { return Addr{uint32(index + 1)} }

// Index returns the node's position among the nodes, counted from 0, or -1 for the zero
// Addr. It is for code that runs a service; a service itself only compares addresses.
func (a Addr) Index() int { return int(a.id) - 1 }

// IsZero reports whether a is the zero Addr, which names no node.
func (a Addr) IsZero() bool { return a.id == 0 }

// Less reports whether a comes before b, for services whose protocol orders nodes.
func (a Addr) Less(b Addr) bool { return a.id < b.id }

// Compare orders addresses as Less does, in the form that slices.SortFunc expects.
func (a Addr) Compare(b Addr) int { return int(a.id) - int(b.id) }

// String returns n0, n1, ..., or "nobody" for the zero Addr.
func (a Addr) String() string {
	if int(a.id) < len(addrNames) {
		return addrNames[a.id]
	}
	return "n" + strconv.Itoa(a.Index())
}

// MarshalText returns the same text as String, so that encoding/json writes an address as
// "n0", also as the key of a map. Without it JSON would write {}, and a node that stores
// addresses would read none of them back.
func (a Addr) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText sets a to the address that MarshalText wrote.
func (a *Addr) UnmarshalText(text []byte) error {
	if string(text) == addrNames[0] {
		*a = Addr{}
		return nil
	}
	if i, err := strconv.Atoi(strings.TrimPrefix(string(text), "n")); err == nil && i >= 0 && i < sight.NodesMost {
		if of := addrOf(i); of.String() == string(text) {
			*a = of
			return nil
		}
	}
	return fmt.Errorf("%q is not the address of a node; an address is n0 to n%d, or %s", text, sight.NodesMost-1, addrNames[0])
}
