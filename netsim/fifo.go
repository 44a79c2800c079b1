package netsim

// A Packet is one message under way. Its Origin, which helps to explain a run, is not part of a
// state.
type Packet struct {
	Message any
	Sum     Sum // the identity of Message, if messages are hashed; otherwise zero
	Origin
}

// Sum is the identity of a message. This package compares sums but does not compute them. No
// message has the zero Sum.
type Sum = struct{ Hi, Lo uint64 }

// Origin is the step that sent a message, and the message's number in its run, counted from 1; 0
// means not known.
type Origin struct{ Step, Number int32 }

// FIFO is a network in which every ordered pair of nodes has a queue of its
// own: first in, first out, nothing lost.
//
// The channel from a to b has the number b*n+a, so that channels are ordered
// by receiver, then by sender.
type FIFO struct {
	n     int
	queue []queue
	ready Bits // the channels that hold a packet
	held  int  // the number of packets under way
}

// queue is a FIFO in a slice. Packets that were taken leave a gap at the front. It is reclaimed
// when the queue is empty, or when the gap is longer than the rest.
type queue struct {
	items []Packet
	head  int
}

func (q *queue) len() int       { return len(q.items) - q.head }
func (q *queue) first() *Packet { return &q.items[q.head] }
func (q *queue) push(p Packet)  { q.items = append(q.items, p) }

func (q *queue) pop() Packet {
	p := q.items[q.head] // stays behind until it is overwritten: clearing costs more
	q.head++
	switch {
	case q.head == len(q.items):
		q.items, q.head = q.items[:0], 0
	case q.head > 32 && q.head > len(q.items)/2:
		rest := copy(q.items, q.items[q.head:])
		q.items, q.head = q.items[:rest], 0
	}
	return p
}

func (q *queue) empty() { q.items, q.head = q.items[:0], 0 }

// NewFIFO makes a network of n nodes.
func NewFIFO(n int) *FIFO {
	return &FIFO{n: n, queue: make([]queue, n*n), ready: NewBits(n * n)}
}

// Reset empties the network and keeps its memory.
func (f *FIFO) Reset() {
	for c := range f.queue {
		f.queue[c].empty()
	}
	f.ready.Clear()
	f.held = 0
}

// Channel returns the number of the channel from one node to another.
func (f *FIFO) Channel(from, to int) int { return to*f.n + from }

// Ends returns the two nodes of a channel.
func (f *FIFO) Ends(channel int) (from, to int) { return channel % f.n, channel / f.n }

// Ready returns the channels that hold a packet.
func (f *FIFO) Ready() *Bits { return &f.ready }

// Len returns the number of packets under way.
func (f *FIFO) Len() int { return f.held }

// Push appends a packet to a channel.
func (f *FIFO) Push(channel int, p Packet) {
	f.queue[channel].push(p)
	f.held++
	f.ready.Put(channel, true)
}

// Head returns the packet that Pop would take. It stays valid until the next Push or Pop.
func (f *FIFO) Head(channel int) *Packet {
	return f.queue[channel].first()
}

// Pop takes the oldest packet of a channel, which must be in Ready.
func (f *FIFO) Pop(channel int) Packet {
	q := &f.queue[channel]
	p := q.pop()
	f.held--
	if q.len() == 0 {
		f.ready.Put(channel, false)
	}
	return p
}

// Packets returns the packets of a channel, oldest first. They stay valid until the next
// Push or Pop.
func (f *FIFO) Packets(channel int) []Packet {
	q := &f.queue[channel]
	return q.items[q.head:]
}

// Take removes the k-th oldest packet of a channel, counted from 0.
func (f *FIFO) Take(channel, k int) Packet {
	if k == 0 {
		return f.Pop(channel)
	}
	q := &f.queue[channel]
	at := q.head + k
	p := q.items[at]
	q.items = append(q.items[:at], q.items[at+1:]...)
	f.held--
	return p
}

// Place makes a channel hold these packets.
func (f *FIFO) Place(channel int, packets []Packet) {
	q := &f.queue[channel]
	f.held += len(packets) - q.len()
	q.empty()
	q.items = append(q.items, packets...)
	f.ready.Put(channel, len(packets) > 0)
}
