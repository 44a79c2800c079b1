package sim

import (
	"fmt"
	"strings"

	"macemc/internal/canon"
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
	KindTimer                   // a timer fires

	KindCrash     // fault: a node fails, and may restart
	KindDown      // fault: a node fails for good
	KindReset     // fault: an open connection breaks
	KindLose      // fault: a datagram is lost
	KindDuplicate // fault: a datagram is duplicated
	KindReorder   // fault: a datagram is delivered before older ones
	KindPartition // fault: two groups of nodes cannot reach each other
	KindOneWay    // fault: one group of nodes cannot reach the others

	KindHeal // the environment stops misbehaving: a step of the search's making

	kinds
)

// kindInfo is what the kinds have of their own: a name, and the weight of an
// event of the kind in random walks.
var kindInfo = [kinds]struct {
	name   string
	weight float64
}{
	KindScript:    {"script", 40},
	KindAction:    {"action", 40},
	KindTask:      {"task", 40},
	KindMessage:   {"message", 8},
	KindClear:     {"clear to send", 8},
	KindFlushed:   {"flushed", 40},
	KindError:     {"error", 2},
	KindRefused:   {"refused", 2},
	KindBreak:     {"break", 2},
	KindMend:      {"mend", 2},
	KindRestart:   {"restart", 40},
	KindTimer:     {"timer", 1},
	KindCrash:     {"crash", 0},
	KindDown:      {"down", 0},
	KindReset:     {"reset", 0},
	KindLose:      {"lose", 0},
	KindDuplicate: {"duplicate", 0},
	KindReorder:   {"reorder", 0},
	KindPartition: {"partition", 0},
	KindOneWay:    {"one-way partition", 0},
	KindHeal:      {"heal", 0},
}

func (k Kind) String() string {
	if k == 0 || k >= kinds {
		return fmt.Sprintf("kind %d", uint8(k))
	}
	return kindInfo[k].name
}

// Kinds are all kinds of events, in canonical order.
func Kinds() (all []Kind) {
	for k := KindScript; k < kinds; k++ {
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

// Weight is that of an event of the kind in random walks; 0: it is rare.
func (k Kind) Weight() float64 { return kindInfo[k].weight }

// Fault reports whether the kind is the environment's misbehaviour.
func (k Kind) Fault() bool { return k >= KindCrash && k <= KindOneWay }

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
	place := ""
	if e.Place > 0 {
		place = fmt.Sprintf(" (place %d)", e.Place+1)
	}
	switch e.Kind {
	case KindScript, KindAction, KindTask, KindTimer:
		return fmt.Sprintf("%s %s %s", e.Node, e.Kind, walker.Text(e.Value))
	case KindMessage:
		return fmt.Sprintf("%s message %s from %s by %s", e.Node, walker.Text(e.Value), e.From, e.Link)
	case KindClear:
		return fmt.Sprintf("%s clear to send to %s", e.Node, e.From)
	case KindError:
		return fmt.Sprintf("%s error with %s", e.Node, e.From)
	case KindRefused:
		if e.Link == LinkTCP {
			return fmt.Sprintf("%s refused by %s", e.Node, e.From)
		}
		return fmt.Sprintf("%s unreached by %s from %s", e.Node, walker.Text(e.Value), e.From)
	case KindFlushed, KindRestart, KindCrash, KindDown:
		return fmt.Sprintf("%s %s", e.Node, e.Kind)
	case KindBreak, KindReset:
		return fmt.Sprintf("%s %s with %s", e.Node, e.Kind, e.From)
	case KindLose, KindDuplicate, KindReorder:
		return fmt.Sprintf("%s %s %s from %s%s", e.Node, e.Kind, walker.Text(e.Value), e.From, place)
	case KindPartition:
		return fmt.Sprintf("partition %s", e.Value.(Split).Text(n, " | "))
	case KindOneWay:
		return fmt.Sprintf("one-way partition %s", e.Value.(Split).Text(n, " cannot reach "))
	case KindMend, KindHeal:
		return e.Kind.String()
	default:
		panic(fmt.Sprintf("macemc bug: sim: no text for a %s event", e.Kind))
	}
}
