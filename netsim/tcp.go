package netsim

import "strings"

// Flags is the state of a node's end of its connection to one peer.
type Flags struct {
	Local  bool // an error is queued for the peer, ahead of everything else
	Remote bool // the peer has an error queued for this node
	Open   bool // a message was delivered on the connection, in either direction
}

func (f Flags) String() string {
	bit := func(b bool) byte {
		if b {
			return '1'
		}
		return '0'
	}
	return string([]byte{bit(f.Local), bit(f.Remote), bit(f.Open)})
}

// Words describes the meaning of the flags for the node whose end has them.
func (f Flags) Words() string {
	switch f.bits() {
	case 0b000:
		return "closed"
	case 0b001:
		return "open"
	case 0b100:
		return "broken, the peer has yet to hear of it"
	case 0b011:
		return "broken, has yet to hear of it"
	case 0b111:
		return "broken, neither has heard of it"
	}
	var all []string // a correct transport never has these combinations
	for _, c := range []struct {
		is    bool
		words string
	}{{f.Local, "the peer has yet to hear of an error"}, {f.Remote, "has yet to hear of an error"}, {f.Open, "open"}} {
		if c.is {
			all = append(all, c.words)
		}
	}
	return strings.Join(all, ", and ")
}

// bits returns the flags as a number, one bit each.
func (f Flags) bits() (n uint8) {
	if f.Local {
		n |= 4
	}
	if f.Remote {
		n |= 2
	}
	if f.Open {
		n |= 1
	}
	return n
}

// legal holds the pairs of flags that the two ends of a connection may have: closed; open; broken
// and neither end knows; broken and only one end still has to learn of it.
var legal = func() (pairs [8][8]bool) {
	pairs[0b000][0b000] = true
	pairs[0b001][0b001] = true
	pairs[0b111][0b111] = true
	pairs[0b100][0b011] = true
	pairs[0b011][0b100] = true
	return pairs
}()

// The flaws are known bugs of the simulated TCP, modelled on those of the original one. They can be
// switched on to test whether the checker finds them.
const (
	// FlawResetFallsThrough is a missing break statement. When a node resets a connection, its
	// peer handles the reset, and then also an error of which both ends must still learn.
	FlawResetFallsThrough = "reset-falls-through"
	// FlawWrongIndex is a wrong index. When the error from a node is delivered, the node should
	// clear its local flag for the receiver, but clears its local flag for node 1, since it uses
	// the value of the flag as the number of the receiver.
	FlawWrongIndex = "wrong-index"
	// FlawRemoteStays is a flag that is not cleared. If a node resets a connection while both
	// ends still have to learn of an error, its remote flag stays set.
	FlawRemoteStays = "remote-stays"
)

// TCP is a network of connections. Each ordered pair of nodes has a FIFO queue of at most Buffer
// messages. A connection opens with the first message that is delivered. It breaks by an error, of
// which each end is informed separately, ahead of everything that the other end has sent since. The
// messages that an end has queued when it is informed of the error are lost.
//
// If the destination resets a connection that is not open yet, the first message queued on it
// survives: it stands for the connection request that is under way.
type TCP struct {
	n      int
	buffer int
	flaws  map[string]bool

	conn     []conn // by channel: the state of the sender's end of the connection
	messages Bits   // channels whose next packet is a message that may be delivered
	errors   Bits   // channels whose next packet is an error
	clear    Bits   // channels that have room again, and whose sender asked for room
	flushed  Bits   // nodes that asked for Flushed and have nothing queued
	queued   []int  // by node: the number of messages that it has queued
	flush    []bool // by node, whether it asked for a Flushed signal
	held     int

	lost []int32 // the numbers of the messages that were lost with connections

	disturbed bool // a connection has been reset or broken
	special   bool // disturbed is set, or a node asked for room or for Flushed; otherwise only the messages of channels change
}

type conn struct {
	Flags
	queue
	broken bool // an error is ahead of the messages in the queue
	asked  bool // the sender waits for room
}

// BufferDefault is the default number of messages that a connection queues in each direction.
const BufferDefault = 20

// NewTCP makes a network of n nodes, whose connections queue buffer messages
// in each direction.
func NewTCP(n, buffer int, flaws ...string) *TCP {
	t := &TCP{
		n: n, buffer: buffer, flaws: map[string]bool{}, conn: make([]conn, n*n),
		messages: NewBits(n * n), errors: NewBits(n * n), clear: NewBits(n * n), flushed: NewBits(n),
		queued: make([]int, n), flush: make([]bool, n),
	}
	for _, f := range flaws {
		t.flaws[f] = true
	}
	return t
}

// Reset closes all connections and keeps the memory.
func (t *TCP) Reset() {
	for c := range t.conn {
		k := &t.conn[c]
		k.queue.empty()
		*k = conn{queue: k.queue}
	}
	t.messages.Clear()
	t.errors.Clear()
	t.clear.Clear()
	t.flushed.Clear()
	clear(t.queued)
	clear(t.flush)
	t.held, t.disturbed, t.special, t.lost = 0, false, false, t.lost[:0]
}

// Channel returns the number of the channel from one node to another.
func (t *TCP) Channel(from, to int) int { return to*t.n + from }

// Ends returns the two nodes of a channel.
func (t *TCP) Ends(channel int) (from, to int) { return channel % t.n, channel / t.n }

// Messages returns the channels whose next message may be delivered by the rules of the network.
func (t *TCP) Messages() *Bits { return &t.messages }

// Errors returns the channels with an error at the front. When it is delivered, the receiver learns
// that its connection to the sender broke.
func (t *TCP) Errors() *Bits { return &t.errors }

// Clear returns the channels with room whose sender asked for room.
func (t *TCP) Clear() *Bits { return &t.clear }

// Flushed returns the nodes that asked for a Flushed signal and have no messages queued.
func (t *TCP) Flushed() *Bits { return &t.flushed }

// Len returns the number of messages under way.
func (t *TCP) Len() int { return t.held }

// Flags returns the flags of node from's end of its connection to node to.
func (t *TCP) Flags(from, to int) Flags { return t.conn[t.Channel(from, to)].Flags }

// Packets returns the messages of a channel, oldest first. They stay valid until the
// network changes.
func (t *TCP) Packets(channel int) []Packet {
	q := &t.conn[channel].queue
	return q.items[q.head:]
}

// Broken reports whether an error is queued ahead of a channel's messages.
func (t *TCP) Broken(channel int) bool { return t.conn[channel].broken }

// Asked reports whether a channel's sender waits for room.
func (t *TCP) Asked(channel int) bool { return t.conn[channel].asked }

// Flushing reports whether a node waits until none of its messages is queued.
func (t *TCP) Flushing(node int) bool { return t.flush[node] }

// Special reports whether anything but messages may be possible: an error, room, or Flushed.
func (t *TCP) Special() bool { return t.special }

// Told returns the state of the sending end of a channel as a number: see End.Told.
func (t *TCP) Told(channel int) uint8 { return t.End(channel).Told() }

// Room returns how many more messages a channel can queue.
func (t *TCP) Room(channel int) int { return t.buffer - t.conn[channel].len() }

// Buffer returns how many messages a channel can queue.
func (t *TCP) Buffer() int { return t.buffer }

// Push queues a message. The channel must have Room.
func (t *TCP) Push(channel int, p Packet) {
	k := &t.conn[channel]
	k.push(p)
	t.queued[channel%t.n]++
	t.held++
	if !t.special {
		t.messages.Put(channel, true)
		return
	}
	t.settle(channel)
}

// Head returns the message that Pop would take.
func (t *TCP) Head(channel int) *Packet { return t.conn[channel].first() }

// Pop takes the oldest message of a channel, which must be in Messages. It reports whether this
// opened the connection.
func (t *TCP) Pop(channel int) (p Packet, opened bool) {
	from, to := t.Ends(channel)
	k := &t.conn[channel]
	p = k.pop()
	t.queued[from]--
	t.held--
	if !k.Open && from != to {
		k.Open, opened = true, true
		t.conn[t.Channel(to, from)].Open = true
	}
	if !t.special {
		t.messages.Put(channel, k.len() > 0)
		return p, opened
	}
	t.settle(channel)
	return p, opened
}

// PopError takes the error of a channel, which must be in Errors. The receiver's end is closed, and
// its queued messages are lost.
func (t *TCP) PopError(channel int) {
	from, to := t.Ends(channel)
	mine := &t.conn[channel]
	mine.broken = false
	if t.flaws[FlawWrongIndex] {
		t.conn[t.Channel(from, min(1, t.n-1))].Local = false
	} else {
		mine.Local = false
	}
	back := t.Channel(to, from)
	theirs := &t.conn[back]
	theirs.Remote, theirs.Open = false, false
	t.drop(back)
	t.settle(channel)
	t.settle(back)
}

// Break breaks the open connection between two nodes, as a fault. Each end still has to learn of
// it.
func (t *TCP) Break(a, b int) {
	t.disturbed, t.special = true, true
	for _, c := range []int{t.Channel(a, b), t.Channel(b, a)} {
		k := &t.conn[c]
		k.Local, k.Remote, k.broken = true, true, true
		t.settle(c)
	}
}

// Breakable reports whether the connection between two nodes is open, and no
// error about it is under way.
func (t *TCP) Breakable(a, b int) bool {
	return a != b && t.Flags(a, b) == Flags{Open: true} && t.Flags(b, a) == Flags{Open: true}
}

// Close resets node's connection to one peer, on request or because it crashed. Its queued
// messages are lost. The peer gets an error if the connection was open. If it was not open, the
// first message that the peer has queued survives, since it stands for a connection request.
func (t *TCP) Close(node, peer int) {
	t.disturbed, t.special = true, true
	mine, back := t.Channel(node, peer), t.Channel(peer, node)
	k := &t.conn[mine]
	t.drop(mine)
	k.asked = false
	if node != peer {
		switch k.Flags.bits() {
		case 0b001:
			k.Flags = Flags{Local: true}
			k.broken = true
			t.sourceReset(back)
		case 0b111:
			t.sourceReset(back)
			k.Flags = Flags{Local: true, Remote: t.flaws[FlawRemoteStays]}
		case 0b011:
			t.sourceReset(back)
			k.Flags = Flags{}
		case 0b100, 0b000: // an error is queued for the peer already, or the connection is not open
		default: // only a flaw leads to other flags
		}
	}
	t.settle(mine)
	t.settle(back)
}

// sourceReset records, at the end of channel back, that its peer has reset the connection.
// An error that is still queued there is removed.
func (t *TCP) sourceReset(back int) {
	k := &t.conn[back]
	switch {
	case k.broken:
		k.broken, k.Local = false, false
	default:
		k.Remote = true
	}
	if t.flaws[FlawResetFallsThrough] {
		k.Local, k.Remote, k.broken = true, true, true
	}
}

// Crash closes all connections of a node.
func (t *TCP) Crash(node int) {
	t.special = true
	for peer := range t.n {
		t.Close(node, peer)
	}
	t.flush[node] = false
	t.settle(t.Channel(node, node))
}

// Refuse drops the messages that are queued on a channel, since its receiver does not listen.
func (t *TCP) Refuse(channel int) {
	t.drop(channel)
	t.settle(channel)
}

// Lost returns the numbers of the messages that were lost with connections since the last
// call of Forget or Reset.
func (t *TCP) Lost() []int32 { return t.lost }

// Forget clears the list of lost messages.
func (t *TCP) Forget() { t.lost = t.lost[:0] }

// AskClear records that a channel's sender waits for room.
func (t *TCP) AskClear(channel int) {
	t.special = true
	t.conn[channel].asked = true
	t.settle(channel)
}

// PopClear delivers the signal that there is room.
func (t *TCP) PopClear(channel int) {
	t.conn[channel].asked = false
	t.settle(channel)
}

// AskFlushed records that a node waits until none of its messages is queued.
func (t *TCP) AskFlushed(node int) {
	t.special = true
	t.flush[node] = true
	t.settle(t.Channel(node, node))
}

// PopFlushed delivers the signal that nothing is queued.
func (t *TCP) PopFlushed(node int) {
	t.flush[node] = false
	t.settle(t.Channel(node, node))
}

func (t *TCP) drop(channel int) {
	k := &t.conn[channel]
	from, _ := t.Ends(channel)
	for _, p := range k.items[k.head:] {
		t.lost = append(t.lost, p.Number)
	}
	t.queued[from] -= k.len()
	t.held -= k.len()
	k.empty()
}

// settle updates which events are possible on a channel. A message may be delivered if no error is
// ahead of it, and none is coming the other way: the message would be lost when that error arrives.
func (t *TCP) settle(channel int) {
	k := &t.conn[channel]
	may := k.Local || !k.Remote
	t.errors.Put(channel, k.broken && may)
	t.messages.Put(channel, !k.broken && may && k.len() > 0)
	t.clear.Put(channel, k.asked && k.len() < t.buffer)
	from, _ := t.Ends(channel)
	t.flushed.Put(from, t.flush[from] && t.queued[from] == 0)
}

// Disturbed reports whether a connection was ever in another state than closed or open. Until then,
// all flags are legal.
func (t *TCP) Disturbed() bool { return t.disturbed }

// Illegal returns two nodes with flags about each other that no connection may have.
func (t *TCP) Illegal() (a, b int, found bool) {
	for a := range t.n {
		for b := range a {
			if !legal[t.Flags(b, a).bits()][t.Flags(a, b).bits()] {
				return b, a, true
			}
		}
	}
	return 0, 0, false
}

// End is the state of a node's end of one connection, without the queued messages.
type End struct {
	Flags
	Broken bool // an error is at the front of the queue
	Asked  bool // the node waits for room
}

// Told returns the end as a number: its flags, whether it is broken, and whether it waits for room.
// It is 0 if none of these is set.
func (e End) Told() uint8 {
	n := e.bits()
	if e.Broken {
		n |= 8
	}
	if e.Asked {
		n |= 16
	}
	return n
}

// End returns the state of a channel's sending end.
func (t *TCP) End(channel int) End {
	k := &t.conn[channel]
	return End{k.Flags, k.broken, k.asked}
}

// Place sets a channel to a state that it had before: its sending end, and its messages.
func (t *TCP) Place(channel int, e End, packets []Packet) {
	k := &t.conn[channel]
	from := channel % t.n
	t.queued[from] += len(packets) - k.len()
	t.held += len(packets) - k.len()
	k.Flags, k.broken, k.asked = e.Flags, e.Broken, e.Asked
	k.empty()
	k.items = append(k.items, packets...)
	if e.Local || e.Remote || e.Broken {
		t.disturbed = true
	}
	if t.disturbed || e.Asked {
		t.special = true
	}
	t.settle(channel)
}

// SetFlushing records whether a node waits until none of its messages is queued.
func (t *TCP) SetFlushing(node int, waits bool) {
	t.special = t.special || waits
	t.flush[node] = waits
	t.settle(t.Channel(node, node))
}
