package transport

import (
	"fmt"

	"macemc/sim"
)

// incoming is a connection from a peer:
//
//	deliver <= next; buffer holds what arrived from deliver on, in order
//	next is not in buffer, but all from deliver up to it
type incoming struct {
	syn     int
	next    int // everything below arrived
	deliver int // every message that begins below was handed up
	buffer  []data
}

// arrived is where a datagram comes. It acknowledges, and hands up the messages
// that are whole and in order now.
func (l *Layer) arrived(env sim.Env, from sim.Addr, d data) {
	in := l.in[from]
	replaced := false
	switch {
	case d.syn == 0 && in == nil:
		env.UDP().Send(from, reset{d.seq})
		return
	case d.syn == 0:
	case in != nil && d.syn == in.syn && !env.Bug(MT1):
		// sent again
	case d.syn < l.least[from] && !env.Bug(MT1) && !env.Bug(MT3):
		env.UDP().Send(from, reset{d.seq}) // it is late: a newer connection is known
		return
	default:
		replaced = in != nil
		in = &incoming{syn: d.syn, next: d.seq, deliver: d.seq}
		l.in[from] = in
		l.least[from] = d.syn + 1
		remember(env, leastKey(from), d.syn+1)
	}
	whole := in.accept(env, d)
	number := in.acknowledge(env, d)
	env.UDP().Send(from, ack{number})
	env.Emit(acknowledges{from, number, in.next - 1})
	if replaced {
		l.fail(env, from)
	}
	for _, m := range whole {
		l.upper.Deliver(&l.above, from, m)
	}
}

// accept takes a datagram, and returns the messages that are whole and in order
// with it.
func (in *incoming) accept(env sim.Env, d data) (whole []sim.Message) {
	if d.seq < in.next || index(in.buffer, d.seq) >= 0 && !(d.of > 0 && env.Bug(MT8)) {
		return nil // it came before
	}
	if d.seq < in.deliver {
		panic(fmt.Sprintf("transport: datagram %d is taken for new, and all below %d was handed up", d.seq, in.deliver))
	}
	in.buffer = insert(in.buffer, d)
	if d.seq == in.next {
		in.next++
		for index(in.buffer, in.next) >= 0 && !env.Bug(MT4) {
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

// message takes the next message out of the buffer, if all of it is there.
func (in *incoming) message() sim.Message {
	if len(in.buffer) == 0 || in.buffer[0].seq != in.deliver {
		return nil
	}
	first := in.buffer[0]
	of := max(first.of, 1)
	var parts []sim.Message
	for _, d := range in.buffer {
		if d.seq < first.seq+of {
			parts = append(parts, d.payload)
		}
	}
	if len(parts) < of {
		return nil
	}
	in.deliver += of
	in.buffer = beyond(in.buffer, in.deliver-1)
	if of == 1 {
		return first.payload
	}
	return first.payload.(Divisible).Unite(parts)
}

// acknowledge is the number of the ack for a datagram.
func (in *incoming) acknowledge(env sim.Env, d data) int {
	switch all := in.next - 1; {
	case d.seq > all && env.Bug(MT5):
		return in.next // which is not there
	case d.seq < all && env.Bug(MT9):
		return d.seq
	default:
		return all
	}
}

// closeIn forgets the connection from a peer.
func (l *Layer) closeIn(env sim.Env, peer sim.Addr) {
	delete(l.in, peer)
}
