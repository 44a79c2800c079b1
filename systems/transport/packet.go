package transport

import "macemc/sim"

// packet is what a connection numbers: a message, or a fragment of one.
type packet struct {
	seq     int
	syn     int // of the first of a connection: the connection's identifier
	payload sim.Message
}

// datagram returns how it travels.
func (p packet) datagram() sim.Message {
	if p.syn > 0 {
		return syn{p.syn, p.seq, p.payload}
	}
	return data{p.seq, p.payload}
}

// size is of how many packets the message is.
func (p packet) size() int {
	if f, is := p.payload.(fragment); is {
		return f.of
	}
	return 1
}

// last reports whether no more of the message follows.
func (p packet) last() bool {
	f, is := p.payload.(fragment)
	return !is || f.part == f.of
}

// index returns the place of a number among packets, or -1 if it is not there.
func index(all []packet, seq int) int {
	for i := range all {
		if all[i].seq == seq {
			return i
		}
	}
	return -1
}

// insert puts a packet among others, by its number. It makes the slice anew, since
// other states may share the old one.
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

// beyond returns the packets above a number; none are nil, so that they are one state.
func beyond(all []packet, seq int) []packet {
	for len(all) > 0 && all[0].seq <= seq {
		all = all[1:]
	}
	if len(all) == 0 {
		return nil
	}
	return all
}
