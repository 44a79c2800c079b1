package sim

import (
	"fmt"
	"strings"

	"macemc/internal/canon"
	"macemc/internal/kinds"
)

// Kind is the kind of an event. Its order is the canonical order of events.
type Kind uint8

// The kinds of events. Faults are rare and cost a budget; the kinds before
// them are ordinary, some of them consequences of faults.
const (
	KindScript  Kind = iota + 1 // the next opening of a node's script
	KindAction                  // a guarded action that the node offers
	KindTask                    // a task that the node posted
	KindMessage                 // a message is delivered
	KindClear                   // a buffer has room again, and the node had asked
	KindFlushed                 // nothing is queued any more, and the node had asked
	KindError                   // the node hears that a connection broke
	KindRefused                 // the node hears that nobody listens; a datagram is dropped silently
	KindBreak                   // a connection across a partition gives up
	KindMend                    // the partition ends
	KindRestart                 // a crashed node starts again
	KindResume                  // a paused node goes on
	KindTimer                   // a timer fires

	KindCrash     // fault: a node fails, and may restart
	KindDown      // fault: a node fails for good
	KindReset     // fault: an open connection breaks
	KindLose      // fault: a datagram is lost
	KindDuplicate // fault: a datagram is duplicated
	KindReorder   // fault: a datagram is delivered before older ones
	KindPartition // fault: two groups of nodes cannot reach each other
	KindOneWay    // fault: one group of nodes cannot reach the others
	KindPause     // fault: a node takes no step until it resumes

	KindHeal // the environment stops misbehaving: a step of the search's making

	kindsMost
)

// weights are those of the kinds, apart from the rest of their rows: every event
// that is possible asks for one.
var weights = func() (all [kindsMost]float64) {
	for k := range all {
		all[k] = kinds.Of(uint8(k), false).Weight
	}
	return all
}()

func (k Kind) String() string {
	if k == 0 || k >= kindsMost {
		return fmt.Sprintf("kind %d", uint8(k))
	}
	return kinds.Of(uint8(k), false).Name
}

// Kinds are all kinds of events, in canonical order.
func Kinds() (all []Kind) {
	for k := KindScript; k < kindsMost; k++ {
		all = append(all, k)
	}
	return all
}

// ParseKind is the inverse of String.
func ParseKind(s string) (Kind, bool) {
	for _, k := range Kinds() {
		if k.String() == s {
			return k, true
		}
	}
	return 0, false
}

// Row is what the kind has of its own; of Refused, where the link is TCP.
func (k Kind) Row() *kinds.Row { return kinds.Of(uint8(k), false) }

// Row is what the event's kind has of its own.
func (e *Event) Row() *kinds.Row { return kinds.Of(uint8(e.Kind), e.Link == LinkUDP) }

// Weight is that of an event of the kind in random walks; 0: it is rare.
func (k Kind) Weight() float64 { return weights[k] }

// Fault reports whether the kind is the environment's misbehaviour.
func (k Kind) Fault() bool { return k >= KindCrash && k <= KindPause }

// Link is the network that a message travels by.
type Link uint8

// The links.
const (
	LinkTCP Link = iota + 1
	LinkUDP
	LinkSet
	LinkBag
	links
)

var linkNames = [links]string{LinkTCP: "tcp", LinkUDP: "udp", LinkSet: "set", LinkBag: "bag"}

func (l Link) String() string {
	if l == 0 || l >= links {
		return fmt.Sprintf("link %d", uint8(l))
	}
	return linkNames[l]
}

// Event is something that can happen now. Its identity is the node, the kind,
// and what is consumed.
type Event struct {
	Node  Addr   // where it happens; nobody: to the network as a whole
	From  Addr   // the sender, or the other end of the connection
	Kind  Kind   //
	Link  Link   // of messages and datagrams
	Place uint16 // of a datagram in its queue, where it is not the oldest
	Value any    // the message or the signal; a Split of a partition
}

// Split is a partition: the nodes on one side, as a set of bits by their index;
// OneWay, only what they send is lost.
type Split struct{ Side uint64 }

// Has reports whether a node is on the first side; of a one-way partition, the
// one that cannot reach the other.
func (s Split) Has(a Addr) bool { return !a.IsZero() && s.Side&(1<<a.Index()) != 0 }

// Text names both sides, in a system of n nodes.
func (s Split) Text(n int, arrow string) string {
	var in, out []string
	for i := range n {
		if s.Side&(1<<i) != 0 {
			in = append(in, addrOf(i).String())
		} else {
			out = append(out, addrOf(i).String())
		}
	}
	return strings.Join(in, " ") + arrow + strings.Join(out, " ")
}

// Text is the event's identity as one line, values told by walker, in a
// system of n nodes.
func (e Event) Text(walker *canon.Walker, n int) string {
	return kinds.Fill(e.Row().Text, func(gap string) string {
		switch gap {
		case "node":
			return e.Node.String()
		case "from":
			return e.From.String()
		case "value":
			return walker.Text(e.Value)
		case "link":
			return e.Link.String()
		case "place":
			if e.Place == 0 {
				return ""
			}
			return fmt.Sprintf(" (place %d)", e.Place+1)
		case "sides":
			arrow := " | "
			if e.Kind == KindOneWay {
				arrow = " cannot reach "
			}
			return e.Value.(Split).Text(n, arrow)
		default:
			panic(fmt.Sprintf("macemc bug: sim: the identity of a %s event has the gap %s", e.Kind, gap))
		}
	})
}

// Joins reports whether a node joins by the event.
func (e Event) Joins() bool { return e.Kind == KindScript && isValue[Join](e.Value) }

// Leaves reports whether a node leaves for good by the event.
func (e Event) Leaves() bool { return e.Kind == KindScript && isValue[Leave](e.Value) }

// Membership reports whether a node joins or leaves by the event: no Handle runs.
func (e Event) Membership() bool { return e.Joins() || e.Leaves() }

func isValue[T any](v any) bool {
	_, is := v.(T)
	return is
}
