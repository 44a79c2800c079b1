package sim

import (
	"fmt"

	"macemc/internal/canon"
)

// Kind is the kind of an event. Its order is the canonical order of events.
type Kind uint8

// The kinds of events.
const (
	KindScript  Kind = iota + 1 // the next opening of a node's script
	KindAction                  // a guarded action that the node offers
	KindTask                    // a task that the node posted
	KindMessage                 // a message is delivered
	KindTimer                   // a timer fires
	kinds
)

// kindInfo is what the kinds have of their own: a name, and the weight of an
// event of the kind in random walks.
var kindInfo = [kinds]struct {
	name   string
	weight float64
}{
	KindScript:  {"script", 40},
	KindAction:  {"action", 40},
	KindTask:    {"task", 40},
	KindMessage: {"message", 8},
	KindTimer:   {"timer", 1},
}

func (k Kind) String() string {
	if k == 0 || k >= kinds {
		return fmt.Sprintf("kind %d", uint8(k))
	}
	return kindInfo[k].name
}

// Link is the network that a message travels by.
type Link uint8

// The links.
const (
	LinkTCP Link = iota + 1
	LinkUDP
	LinkSet
	links
)

var linkNames = [links]string{LinkTCP: "tcp", LinkUDP: "udp", LinkSet: "set"}

func (l Link) String() string {
	if l == 0 || l >= links {
		return fmt.Sprintf("link %d", uint8(l))
	}
	return linkNames[l]
}

// Event is something that can happen now. Its identity is the node, the kind,
// and what is consumed: From, Link and Value.
type Event struct {
	Node  Addr
	Kind  Kind
	Link  Link // messages only
	From  Addr // messages only
	Value any  // the message or the signal
}

// Text is the event's identity as one line, values told by walker.
func (e Event) Text(walker *canon.Walker) string {
	if e.Kind == KindMessage {
		return fmt.Sprintf("%s message %s from %s by %s", e.Node, walker.Text(e.Value), e.From, e.Link)
	}
	return fmt.Sprintf("%s %s %s", e.Node, e.Kind, walker.Text(e.Value))
}
