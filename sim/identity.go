package sim

import (
	"strconv"
	"strings"

	"macemc/internal/kinds"
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
	for _, k := range Kinds() {
		for _, datagram := range []bool{false, true} {
			template, somewhere := strings.CutPrefix(kinds.Of(uint8(k), datagram).Text, "{node} ")
			phrase, _, _ := strings.Cut(template, " {")
			what, begins := strings.CutPrefix(rest+" ", phrase+" ")
			if begins && somewhere != id.Node.IsZero() {
				id.Kind, id.What = k, strings.TrimSuffix(what, " ")
				return id
			}
		}
	}
	return Identity{}
}

// Alike is an identity without what is said of its value but the type and, of a message, the
// sender and the link: what is the same of a message of this term and one of the next.
func Alike(text string) string {
	at := strings.IndexAny(text, `("{[`)
	if at < 0 {
		return text
	}
	if from := strings.LastIndex(text, " from "); from > at {
		return text[:at] + text[from:]
	}
	return text[:at]
}

// isNode reports whether a word is the name of a node.
func isNode(word string) bool {
	digits, is := strings.CutPrefix(word, "n")
	n, err := strconv.ParseUint(digits, 10, 31)
	return is && err == nil && strconv.FormatUint(n, 10) == digits
}
