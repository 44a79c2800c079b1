package kinds

import "strings"

// Ground is what an event touches besides its node.
type Ground uint8

// The grounds.
const (
	Node     Ground = iota // nothing but the node
	Head                   // the next packet on a channel
	Packet                 // a datagram at any position of its channel
	Channel                // one direction of a connection, or a channel of datagrams
	Pair                   // both directions of a connection
	Crash                  // all connections of the node
	Everyone               // the network as a whole; the event has no node
	Several                // the next packets on several channels
)

// Handler says which method of a node handles an event.
type Handler uint8

// The handlers.
const (
	Nobody  Handler = iota // no method
	Deliver                // Deliver, with the message
	Handle                 // Handle, with the event's value
	Signal                 // Handle, with a signal of package sim
	Init
	Quorum // Quorum, with the messages
)

// Row describes a kind of event.
type Row struct {
	Name   string  // the name, as in an identity
	Weight float64 // the weight in random walks; 0 means rare
	Budget string  // for a fault, the name of the budget that it spends: see Budgets
	Link   string  // the link without which the event cannot happen, or ""

	Ground  Ground
	Handler Handler

	Text  string // the identity of the event, with gaps {node} {from} {value} {link} {place} {sides}
	Tells string // a sentence for reports without a full stop, with the same gaps and {posted} {set} {sent}
	Class string // the class by which pictures draw it
	Span  string // the span that it begins on its node's line in a picture (away, gone, paused or cut), or Ends
}

// Ends is the value of Row.Span for an event, such as a restart, that ends a span in a picture: the part of
// the node's line which an earlier event, such as a crash, began.
const Ends = "ends"

// Runs reports whether a handler runs when the event happens: that of its node, which templates call {node}.
func (r *Row) Runs() bool { return r.Handler != Nobody }

// Travels reports whether the event consumes a packet. Templates call its sender {from} and its receiver
// {node}.
func (r *Row) Travels() bool { return r.Ground == Head || r.Ground == Packet }

// Aside reports whether the event happens to the network, without a node that takes part.
func (r *Row) Aside() bool {
	return !r.Runs() && r.Ground != Node && r.Ground != Crash
}

// Fill returns a template with each gap, such as {node}, replaced by the result of fill for the gap's name.
func Fill(template string, fill func(gap string) string) string {
	var b strings.Builder
	for {
		before, rest, gap := strings.Cut(template, "{")
		b.WriteString(before)
		if !gap {
			return b.String()
		}
		name, after, _ := strings.Cut(rest, "}")
		b.WriteString(fill(name))
		template = after
	}
}

// refusedDatagram is the index in rows of the row for a datagram that is refused. Such a datagram is dropped
// silently: no handler runs.
const refusedDatagram = 0

// Of returns the row of the kind with that number in package sim. datagram says whether the
// event is about a datagram. It panics if no kind has the number.
func Of(kind uint8, datagram bool) *Row {
	if datagram && rows[kind].Name == "refused" {
		return &rows[refusedDatagram]
	}
	return &rows[kind]
}

// Count is the number of kinds, including "none".
const Count = len(rows)

// rows is the table. It is ordered by the numbers of the kinds in package sim, which is their canonical
// order. The first row belongs to no number: it is that of KindRefused for a datagram.
var rows = [...]Row{
	{
		Name: "refused", Weight: 2, Ground: Channel, Class: "lose",
		Text: "{node} unreached by {value} from {from}", Tells: "{value} from {from} does not reach {node}{sent}",
	},
	{
		Name: "script", Weight: 40, Handler: Handle, Class: "script",
		Text: "{node} script {value}", Tells: "the application asks {node} for {value}",
	},
	{
		Name: "action", Weight: 40, Handler: Handle, Class: "script",
		Text: "{node} action {value}", Tells: "{node} takes its action {value}",
	},
	{
		Name: "task", Weight: 40, Handler: Handle, Class: "task",
		Text: "{node} task {value}", Tells: "{node} does its task {value}{posted}",
	},
	{
		Name: "message", Weight: 8, Ground: Head, Handler: Deliver, Class: "message",
		Text: "{node} message {value} from {from} by {link}", Tells: "{node} receives {value} from {from}{sent}",
	},
	{
		Name: "clear to send", Weight: 8, Ground: Channel, Handler: Signal, Class: "room",
		Text: "{node} clear to send to {from}", Tells: "{node} has room again to send to {from}",
	},
	{
		Name: "flushed", Weight: 40, Handler: Signal, Class: "room",
		Text: "{node} flushed", Tells: "everything that {node} sent was handed over",
	},
	{
		Name: "error", Weight: 2, Ground: Pair, Handler: Signal, Class: "error",
		Text: "{node} error with {from}", Tells: "{node} hears that its connection with {from} broke",
	},
	{
		Name: "refused", Weight: 2, Ground: Channel, Handler: Signal, Class: "error",
		Text: "{node} refused by {from}", Tells: "{node} hears that {from} refuses the connection",
	},
	{
		Name: "break", Weight: 2, Ground: Pair, Class: "break",
		Text: "{node} break with {from}", Tells: "{node} gives the connection with {from} up, across the partition",
	},
	{
		Name: "mend", Weight: 2, Ground: Everyone, Class: "mend", Span: Ends,
		Text: "mend", Tells: "the partition ends",
	},
	{
		Name: "restart", Weight: 40, Handler: Init, Class: "restart", Span: Ends,
		Text: "{node} restart", Tells: "{node} starts again",
	},
	{
		Name: "resume", Weight: 2, Class: "resume", Span: Ends,
		Text: "{node} resume", Tells: "{node} goes on",
	},
	{
		Name: "timer", Weight: 1, Handler: Handle, Class: "timer",
		Text: "{node} timer {value}", Tells: "the timer {value} of {node} fires{set}",
	},
	{
		Name: "crash", Budget: "crash", Ground: Crash, Class: "crash", Span: "away",
		Text: "{node} crash", Tells: "{node} crashes; it may start again",
	},
	{
		Name: "down", Budget: "down", Ground: Crash, Class: "crash", Span: "gone",
		Text: "{node} down", Tells: "{node} fails for good",
	},
	{
		Name: "reset", Budget: "reset", Link: "tcp", Ground: Pair, Class: "break",
		Text: "{node} reset with {from}", Tells: "the connection between {node} and {from} breaks",
	},
	{
		Name: "lose", Budget: "loss", Link: "udp", Ground: Packet, Class: "lose",
		Text: "{node} lose {value} from {from}{place}", Tells: "the network loses {value} from {from} to {node}{sent}",
	},
	{
		Name: "duplicate", Budget: "dup", Link: "udp", Ground: Packet, Class: "copy",
		Text: "{node} duplicate {value} from {from}{place}", Tells: "the network duplicates {value} from {from} to {node}{sent}",
	},
	{
		Name: "reorder", Budget: "reorder", Link: "udp", Ground: Packet, Handler: Deliver, Class: "reorder",
		Text: "{node} reorder {value} from {from}{place}", Tells: "{node} receives {value} from {from} before older ones{sent}",
	},
	{
		Name: "partition", Budget: "partition", Ground: Everyone, Class: "cut", Span: "cut",
		Text: "partition {sides}", Tells: "the network is cut: {identity}",
	},
	{
		Name: "one-way partition", Budget: "oneway", Ground: Everyone, Class: "cut", Span: "cut",
		Text: "one-way partition {sides}", Tells: "the network is cut: {identity}",
	},
	{
		Name: "pause", Budget: "pause", Class: "pause", Span: "paused",
		Text: "{node} pause", Tells: "{node} takes no step until it resumes",
	},
	{
		Name: "quorum", Weight: 8, Ground: Several, Handler: Quorum, Class: "message",
		Text: "{node} quorum {value}", Tells: "{node} receives at once {value}{sent}",
	},
	{
		Name: "wipe", Budget: "wipe", Ground: Crash, Class: "crash", Span: "away",
		Text: "{node} wipe", Tells: "{node} crashes and loses all that it stored; it may start again",
	},
	{
		Name: "heal", Ground: Everyone, Class: "mend", Span: Ends,
		Text: "heal", Tells: "the environment heals: partitions and pauses end, and no more faults happen",
	},
}
