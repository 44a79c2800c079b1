package sim

import (
	"strconv"
	"strings"
)

// Identity is what the identity of an event says, as types: paths keep it as one
// line of text, which is what it is compared by.
type Identity struct {
	Node Addr // where it happens; zero: in the network as a whole
	Kind Kind
	What string // the rest of the line: the value, and whom it is from
}

// Identify reads what Event.Text wrote. Of a text that is no event's the Kind is 0.
func Identify(text string) Identity {
	var id Identity
	rest := text
	if node, after, _ := strings.Cut(text, " "); isNode(node) {
		index, _ := strconv.Atoi(node[1:])
		id.Node, rest = addrOf(index), after
	}
	for k := KindScript; k < kindsMost; k++ {
		for _, phrase := range phrases(k) {
			what, begins := strings.CutPrefix(rest+" ", phrase+" ")
			if begins && id.Node.IsZero() == k.ofNetwork() {
				id.Kind, id.What = k, strings.TrimSuffix(what, " ")
				return id
			}
		}
	}
	return Identity{}
}

// phrases are the words by which Event.Text begins to tell a kind.
func phrases(k Kind) []string {
	if k == KindRefused {
		return []string{"refused", "unreached"}
	}
	return []string{k.String()}
}

// ofNetwork reports whether events of the kind happen at no node.
func (k Kind) ofNetwork() bool {
	switch k {
	case KindPartition, KindOneWay, KindMend, KindHeal:
		return true
	default:
		return false
	}
}

// isNode reports whether a word is the name of a node.
func isNode(word string) bool {
	digits, is := strings.CutPrefix(word, "n")
	n, err := strconv.ParseUint(digits, 10, 31)
	return is && err == nil && strconv.FormatUint(n, 10) == digits
}
