package transport

import (
	"fmt"

	"macemc/sim"
)

// incoming is a connection from a peer. Its invariants are:
//
//	deliver <= next; buffer holds the packets that arrived from deliver on, in order
//	next is not in buffer, but all numbers from deliver to next-1 are
type incoming struct {
	syn     int
	next    int // all packets below it have arrived
	deliver int // all messages that begin below it were handed up
	buffer  []packet
}

// arrived handles packet p of node from, and acknowledges it. If p begins a connection that
// replaces an earlier one, arrived then reports to the upper node that the earlier one has ended.
// Last, it passes to the upper node the messages that are whole and in order now.
func (l *Layer) arrived(env sim.Env, from sim.Addr, p packet) {
	in := l.in[from]
	replaced := false
	switch {
	case p.syn == 0 && in == nil:
		l.transfer(env, from, reset{p.seq})
		return
	case p.syn == 0:
	case in != nil && p.syn == in.syn && !l.bug(env, MT1):
		// sent again
	case p.syn < l.least[from] && !(in != nil && (p.syn == in.syn || l.bug(env, MT3))):
		l.transfer(env, from, reset{p.seq}) // late: it is known
		return
	default:
		replaced = in != nil
		in = &incoming{syn: p.syn, next: p.seq, deliver: p.seq}
		l.in[from] = in
		l.least[from] = max(l.least[from], p.syn+1)
		remember(env, leastKey(from), l.least[from])
	}
	whole := l.accept(env, in, p)
	number := l.acknowledges(env, in, p)
	l.transfer(env, from, ack{number})
	env.Emit(acknowledges{from, number, in.next - 1})
	if len(whole) > 0 {
		if _, is := whole[0].(begun); is { // within heard it by the datagram
			whole = whole[1:]
		}
	}
	if replaced {
		l.fail(env, from)
	}
	for _, m := range whole {
		l.upper.Deliver(&l.above, from, m)
	}
}

// accept stores packet p of a connection, and returns the messages that are whole and in
// order now.
func (l *Layer) accept(env sim.Env, in *incoming, p packet) (whole []sim.Message) {
	if p.seq < in.next || index(in.buffer, p.seq) >= 0 && !(p.size() > 1 && l.bug(env, MT8)) {
		return nil // it came before
	}
	if p.seq < in.deliver {
		panic(fmt.Sprintf("transport: packet %d is taken for new, and all below %d was handed up", p.seq, in.deliver))
	}
	if in.keep(p) {
		for index(in.buffer, in.next) >= 0 && !l.bug(env, MT4) {
			in.next++
		}
	}
	for {
		m := in.message()
		if m == nil {
			return whole
		}
		whole = append(whole, m)
	}
}

// keep adds a packet to the buffer, and reports whether it is the one after all packets that
// had arrived without a gap.
func (in *incoming) keep(p packet) bool {
	in.buffer = insert(in.buffer, p)
	if p.seq != in.next {
		return false
	}
	in.next++
	return true
}

// message removes the packets of the next message from the buffer and returns the message, or
// nil if not all of them have arrived.
func (in *incoming) message() sim.Message {
	if len(in.buffer) == 0 || in.buffer[0].seq != in.deliver {
		return nil
	}
	first := in.buffer[0]
	size := first.size()
	m := first.payload
	if size > 1 {
		var parts []sim.Message
		for _, p := range in.buffer {
			if p.seq < in.deliver+size {
				parts = append(parts, p.payload.(fragment).payload)
			}
		}
		if len(parts) < size {
			return nil
		}
		m = parts[0].(Divisible).Unite(parts)
	}
	in.deliver += size
	in.buffer = beyond(in.buffer, in.deliver-1)
	return m
}

// acknowledges returns the number to acknowledge after packet p has arrived.
func (l *Layer) acknowledges(env sim.Env, in *incoming, p packet) int {
	switch all := in.next - 1; {
	case p.seq > all && l.bug(env, MT5):
		return in.next // which is not there
	case p.seq < all && l.bug(env, MT9):
		return p.seq
	default:
		return all
	}
}
