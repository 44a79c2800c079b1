package sim

import (
	"fmt"
	"strings"

	"macemc/internal/kinds"
)

// Kind is the kind of an event. The order of the constants is the canonical order of
// events.
type Kind uint8

// The kinds of events. Faults are rare and spend a budget. The other kinds are ordinary and
// free; some of them are consequences of faults.
const (
	KindScript  Kind = iota + 1 // the next request of a node's script
	KindAction                  // a guarded action that the node offers
	KindTask                    // a task that the node posted
	KindMessage                 // a message is delivered
	KindClear                   // a buffer has room again, after RequestToSend
	KindFlushed                 // all buffers are empty, after NotifyFlushed
	KindError                   // a node learns that a connection broke
	KindRefused                 // a node learns that nobody listens at the address of a message; a datagram is dropped silently
	KindBreak                   // a connection between the two sides of a partition breaks
	KindMend                    // the partition ends
	KindRestart                 // a crashed node starts again
	KindResume                  // a paused node continues
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

	// KindQuorum means that a node takes several messages at once. In the canonical order its events come
	// after messages. Its constant stands here and not after KindMessage, since records of live runs
	// have the numbers of kinds, so older kinds must keep theirs.
	KindQuorum

	KindWipe // fault: a node fails and loses its disk, and may restart

	KindHeal // the environment stops misbehaving; the search inserts this step

	kindsMost
)

// weights holds the weight of each kind in random walks. It is kept apart from the table of
// kinds because it is read for every possible event.
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

// Weight returns the weight of events of this kind in random walks. Weight 0 means that the
// event is rare.
func (k Kind) Weight() float64 { return weights[k] }

// Fault reports whether the kind is a fault of the environment.
func (k Kind) Fault() bool { return budgetOf[k] >= 0 }

// Fails reports whether a node fails by an event of the kind.
func (k Kind) Fails() bool { return kinds.Of(uint8(k), false).Ground == kinds.Crash }

// Link is a network that messages travel by: LinkTCP, LinkUDP, LinkSet or LinkBag.
type Link uint8

// These are the links: a message is sent by one of them.
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

// Event is something that can happen now. Its identity consists of the node, the kind, and
// the message, signal or connection that it consumes.
type Event struct {
	Node  Addr   // where it happens; zero for an event of the whole network
	From  Addr   // the sender, or the other end of the connection
	Kind  Kind   //
	Link  Link   // for messages and datagrams
	Place uint16 // the position of a datagram in its queue, if it is not the oldest
	Value any    // the message or the signal; for a partition, a Split; for a quorum, a Quorum
}

// Split describes a partition. Side has a bit for each node on the first side, by index. If
// the partition is one-way, only messages from the first side to the second are lost.
type Split struct{ Side uint64 }

// Has reports whether a node is on the first side. In a one-way partition that is the side whose
// messages do not reach the other.
func (s Split) Has(a Addr) bool { return !a.IsZero() && s.Side&(1<<a.Index()) != 0 }

// Text returns the names of the nodes on both sides with arrow between the sides, in a
// system of n nodes.
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

// Text returns the event's identity as one line, in a system of n nodes. It calls value to get
// the text of the message or signal.
func (e Event) Text(value func(any) string, n int) string {
	return kinds.Fill(kinds.Of(uint8(e.Kind), e.Link == LinkUDP).Text, func(gap string) string {
		switch gap {
		case "node":
			return e.Node.String()
		case "from":
			return e.From.String()
		case "value":
			return textOf(value, e.Value)
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

// textOf returns the text of v, the value of an event. It calls value with v or, if v is a
// Quorum, with each of its messages.
func textOf(value func(any) string, v any) string {
	if q, is := v.(Quorum); is {
		return q.Text(value)
	}
	return value(v)
}

// Joins reports whether a node joins in the event.
func (e Event) Joins() bool { return e.Kind == KindScript && isValue[Join](e.Value) }

// Leaves reports whether a node leaves for good in the event.
func (e Event) Leaves() bool { return e.Kind == KindScript && isValue[Leave](e.Value) }

// Membership reports whether a node joins or leaves in the event. No Handle runs for it.
func (e Event) Membership() bool { return e.Joins() || e.Leaves() }

func isValue[T any](v any) bool {
	_, is := v.(T)
	return is
}
