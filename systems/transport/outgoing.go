package transport

import (
	"fmt"
	"slices"
	"time"

	"macemc/macetime"
	"macemc/sim"
)

// outgoing is a connection to a peer. Its invariants are:
//
//	its numbers begin with Span*syn+1, and none is greater than one of a later connection
//	acked < numbers in flight and in again, in any order < numbers in queue < next
//	len(flight) <= window, except after window has shrunk
//	each packet in flight has its timer, and no other packet has one
type outgoing struct {
	syn    int
	next   int      // the number of the next packet to be queued
	acked  int      // everything up to this number has arrived
	flight []packet // packets that were sent
	again  []packet // packets that count as lost, and must be sent again
	queue  []packet // packets that must be sent

	since     macetime.Time // when something last arrived, or the first packet in flight was sent; zero if nothing is in flight
	window    int           // the number of packets that may be in flight, for congestion control
	threshold int           // above it the window grows more slowly
	grown     int           // above the threshold: number of packets that arrived since the window last grew
	doubled   int           // how often the time-out was doubled
	repeated  int           // number of acks in a row with nothing new, up to duplicates
}

// duplicates is the number of acks for the same number after which the next packet counts as lost,
// which is the fast retransmit of TCP.
const duplicates = 3

// open begins a connection to a node, with the next identifier, and returns it.
func (l *Layer) open(env sim.Env, to sim.Addr) *outgoing {
	l.opened++
	remember(env, openedKey, l.opened)
	last := l.options.Span * l.opened // that an earlier connection can have used
	o := &outgoing{syn: l.opened, next: last + 1, acked: last, window: 1, threshold: l.options.Window}
	l.out[to] = o
	return o
}

// take puts the parts of a message into the queue. If their numbers reach those of the next identifier, the
// connection uses up that identifier as well. Otherwise the next connection would have the same numbers, and
// its receiver would take packets of this connection that are still under way for packets of the new one.
func (l *Layer) take(env sim.Env, o *outgoing, parts []sim.Message) {
	o.add(parts, l.options.Span)
	if used := (o.next - 1) / l.options.Span; used > l.opened {
		l.opened = used
		remember(env, openedKey, used)
	}
}

// add puts the parts of a message into the queue.
func (o *outgoing) add(parts []sim.Message, span int) {
	queue := slices.Clone(o.queue)
	for i, part := range parts {
		p := packet{seq: o.next, payload: part}
		if p.seq == span*o.syn+1 {
			p.syn = o.syn
		}
		if len(parts) > 1 {
			p.payload = fragment{i + 1, len(parts), part}
		}
		queue = append(queue, p)
		o.next++
	}
	o.queue = queue
}

func (o *outgoing) idle() bool { return o.acked == o.next-1 }

// messages returns the number of messages that are not acknowledged, or only in part.
func (o *outgoing) messages() (n int) {
	for _, part := range [][]packet{o.flight, o.again, o.queue} {
		for _, p := range part {
			if p.last() {
				n++
			}
		}
	}
	return n
}

// timeout returns the time after which a packet without an ack is sent again.
func (o *outgoing) timeout() time.Duration { return firstTimeout << o.doubled }

// pump sends the packets that the window allows, beginning with those that must be sent again.
func (l *Layer) pump(env sim.Env, to sim.Addr, o *outgoing) {
	for len(o.flight) < o.window {
		if len(o.again) > 0 {
			env.Emit(sentAgain{to, o.again[0].seq})
		}
		p, ok := o.send(env)
		if !ok {
			return
		}
		l.transmit(env, to, o, p)
	}
}

// send moves the next packet into flight, and returns it. ok is false if there is none.
func (o *outgoing) send(env sim.Env) (p packet, ok bool) {
	from := &o.queue
	if len(o.again) > 0 {
		from = &o.again
	}
	if len(*from) == 0 {
		return p, false
	}
	p = (*from)[0]
	*from = beyond(*from, p.seq)
	if o.since.IsZero() {
		o.since = env.Now()
	}
	o.flight = insert(o.flight, p)
	return p, true
}

func (l *Layer) transmit(env sim.Env, to sim.Addr, o *outgoing, p packet) {
	l.transfer(env, to, p.datagram())
	env.After(o.timeout(), retransmit{to, p.seq})
}

// timeout handles the timer of packet seq, which has no ack. All packets in flight count as lost. If
// no ack has arrived for a long time, the layer gives up the peer, which is rare.
func (l *Layer) timeout(env sim.Env, to sim.Addr, seq int) {
	o := l.out[to]
	if o == nil || index(o.flight, seq) < 0 {
		panic(fmt.Sprintf("transport: the timer of packet %d to %s fires, which is not in flight", seq, to))
	}
	if env.BeforeWeighted(o.since.Add(patience), env.Now(), 0, 1) {
		l.giveUp(env, to)
		l.fail(env, to)
		return
	}
	for _, p := range o.flight {
		env.Cancel(retransmit{to, p.seq})
	}
	o.lose()
	l.pump(env, to, o)
}

// lose makes all packets in flight count as lost, and the window as small as possible.
func (o *outgoing) lose() {
	o.threshold, o.window, o.grown, o.repeated = max(o.window/2, 1), 1, 0, 0
	o.doubled = min(o.doubled+1, doublings)
	for _, p := range o.flight {
		o.again = insert(o.again, p)
	}
	o.flight = nil
}

// acknowledged handles an ack of node from: it removes the packets up to seq, and sends more.
func (l *Layer) acknowledged(env sim.Env, from sim.Addr, seq int) {
	o := l.out[from]
	env.Emit(isTold{from, seq})
	switch {
	case o == nil || seq < o.acked || seq >= o.next:
		return // old, or of another connection
	case seq == o.acked:
		l.acknowledgedAgain(env, from, o)
		return
	case index(o.flight, seq) < 0 && l.bug(env, MT6):
		return // it is not in flight
	}
	for _, p := range o.flight {
		if p.seq <= seq {
			env.Cancel(retransmit{from, p.seq})
		}
	}
	o.arrived(env, seq, l.options.Window)
	l.pump(env, from, o)
	l.tellClear(env, from)
	l.tellFlushed(env)
}

// arrived removes the packets up to number seq, which have arrived, and enlarges the window. most is the
// largest window.
func (o *outgoing) arrived(env sim.Env, seq, most int) {
	o.grow(seq-o.acked, most)
	o.acked, o.doubled, o.repeated = seq, 0, 0
	o.flight, o.again = beyond(o.flight, seq), beyond(o.again, seq)
	o.since = macetime.Time{}
	if len(o.flight) > 0 {
		o.since = env.Now()
	}
}

// acknowledgedAgain handles an ack with nothing new, which means that a packet has arrived, but not the
// next one.
func (l *Layer) acknowledgedAgain(env sim.Env, from sim.Addr, o *outgoing) {
	if len(o.flight) > 0 && o.repeats() {
		env.Emit(sentAgain{from, o.flight[0].seq})
		l.transmit(env, from, o, o.flight[0])
	}
}

// repeats counts an ack with nothing new. If it is the last of the acks after which a packet counts as
// lost (see duplicates), repeats halves the window and returns true.
func (o *outgoing) repeats() bool {
	if o.repeated == duplicates {
		return false
	}
	if o.repeated++; o.repeated < duplicates {
		return false
	}
	o.threshold = max(o.window/2, 1)
	o.window, o.grown = o.threshold, 0
	return true
}

// grow enlarges the window after a number of packets have arrived: below the threshold by one for each
// packet, and above it by one for each window of packets. most is the largest window.
func (o *outgoing) grow(arrived, most int) {
	for range arrived {
		if o.window < o.threshold {
			o.window++
		} else if o.grown++; o.grown >= o.window {
			o.window, o.grown = o.window+1, 0
		}
	}
	if o.window >= most {
		o.window, o.grown = most, 0
	}
}

// refused handles the message of node from that it does not know the connection to which number seq
// belongs: it closes that connection.
func (l *Layer) refused(env sim.Env, from sim.Addr, seq int) {
	o := l.out[from]
	if o == nil || index(o.flight, seq) < 0 && index(o.again, seq) < 0 {
		return // of an earlier connection, or it arrived after all
	}
	if l.bug(env, MT7) {
		delete(l.in, from)
	}
	l.closeOut(env, from)
	l.fail(env, from)
}

// giveUp closes the connections to and from a peer.
func (l *Layer) giveUp(env sim.Env, peer sim.Addr) {
	env.Emit(gaveUp{peer})
	delete(l.in, peer)
	l.closeOut(env, peer)
	if l.options.Paired {
		l.begin(env, peer)
	}
}

// closeOut closes the connection to a peer, and drops the messages that were not delivered.
func (l *Layer) closeOut(env sim.Env, peer sim.Addr) {
	o := l.out[peer]
	if o == nil {
		return
	}
	if !l.bug(env, MT2) {
		for _, p := range o.flight {
			env.Cancel(retransmit{peer, p.seq})
		}
	}
	delete(l.out, peer)
	env.Emit(failed{peer})
	l.tellFlushed(env)
}
