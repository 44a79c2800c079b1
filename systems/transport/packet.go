package transport

import "macemc/sim"

// packet is the unit that a connection numbers: a message, or a part of one.
type packet struct {
	seq     int
	syn     int // for the first packet of a connection: the connection's identifier
	payload sim.Message
}

// datagram returns the datagram that carries the packet.
func (p packet) datagram() sim.Message {
	if p.syn > 0 {
		return syn{p.syn, p.seq, p.payload}
	}
	return data{p.seq, p.payload}
}

// size returns the number of packets of the message to which this packet belongs.
func (p packet) size() int {
	if f, is := p.payload.(fragment); is {
		return f.of
	}
	return 1
}

// last reports whether the packet is the last one of its message.
func (p packet) last() bool {
	f, is := p.payload.(fragment)
	return !is || f.part == f.of
}

// index returns the index of the packet with a number, or -1 if there is none.
func index(all []packet, seq int) int {
	for i := range all {
		if all[i].seq == seq {
			return i
		}
	}
	return -1
}

// insert returns the packets with p added, in the order of their numbers. It returns a new slice,
// since other states may share the old one.
func insert(all []packet, p packet) []packet {
	at := 0
	for at < len(all) && all[at].seq <= p.seq {
		at++
	}
	out := make([]packet, 0, len(all)+1)
	out = append(out, all[:at]...)
	out = append(out, p)
	return append(out, all[at:]...)
}

// beyond returns the packets whose numbers are greater than seq. If there are none, it returns nil and not an
// empty slice, so that states without packets are equal.
func beyond(all []packet, seq int) []packet {
	for len(all) > 0 && all[0].seq <= seq {
		all = all[1:]
	}
	if len(all) == 0 {
		return nil
	}
	return all
}
