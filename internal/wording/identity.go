package wording

import (
	"strconv"
	"strings"

	"macemc/internal/contract"
	"macemc/internal/kinds"
	"macemc/internal/sight"
	"macemc/sim"
)

// Identity is the identity of an event, split into its parts. Paths keep and compare identities as lines of
// text.
type Identity struct {
	Node sim.Addr // where it happens; zero for an event of the whole network
	Kind sim.Kind
	What string // the rest of the line: for a message, its value and its sender
}

// Identify parses the text that Event.Text wrote. The Kind is 0 if the text is not an
// event's.
func Identify(text string) Identity {
	var id Identity
	rest := text
	if node, after, _ := strings.Cut(text, " "); isNode(node) {
		index, _ := strconv.Atoi(node[1:])
		id.Node, rest = addrs[index], after
	}
	for _, k := range contract.Kinds() {
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

// Alike returns the identity of an event without the contents of its value: it keeps the
// type and, for a message, the sender and the link. So messages that differ only in their
// contents, such as a term, have the same result.
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

// addrs are the addresses of all nodes that a system may have.
var addrs = sim.Params{Nodes: sight.NodesMost}.Addrs()

// isNode reports whether a word is the name of a node, as in "n12".
func isNode(word string) bool {
	digits, is := strings.CutPrefix(word, "n")
	n, err := strconv.Atoi(digits)
	return is && err == nil && n >= 0 && n < len(addrs) && strconv.Itoa(n) == digits
}
