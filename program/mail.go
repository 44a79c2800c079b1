package program

import (
	"fmt"
	"syscall"
	"time"

	"macemc/internal/happens"
)

// A Mail is a value that another host posted, or a request from the system's script, for
// which From is "". If the value is a Broken, a connection for mail broke.
type Mail struct {
	From  string
	Value any
}

// Broken is the value of a Mail that reports a broken connection with From. Values under way on it are lost.
type Broken struct {
	Refused bool // the host From does not run
}

// mailMost is the largest number of values that wait at a host. Further ones are lost.
const mailMost = 1 << 12

// Mail returns the mail of the current life. The values of one host arrive in their order.
func (h *Host) Mail() <-chan Mail { return h.life.mail() }

// Post sends a value to a host, by a connection that keeps the order. The value must not be changed
// after that. If the host does not run, or crashes, or if the connection is reset, a Broken arrives
// at the poster. In a partition the value waits.
func (h *Host) Post(to string, value any) {
	n, peer := h.world.net, h.world.Host(to)
	l := n.line(h, peer)
	number := h.world.sent(h, peer, "tcp", h.world.mailText(value))
	l.send(func() { n.posted(l, number, value) })
}

// PostDatagram sends a value that may be lost or doubled, and overtake others.
func (h *Host) PostDatagram(to string, value any) {
	n, peer := h.world.net, h.world.Host(to)
	number := h.world.sent(h, peer, "udp", h.world.mailText(value))
	for i := range n.times() {
		if i > 0 {
			number = h.world.sent(h, peer, "udp", h.world.mailText(value)+" (doubled)")
		}
		copied := number
		n.later(n.arrival(time.Time{}), func() {
			if !n.apart(h, peer) {
				peer.gets(Mail{h.name, value}, "udp", copied)
			}
		})
	}
}

// Ask delivers a request of the script to the program of a running host.
func (w *World) Ask(host string, request any) {
	w.Host(host).gets(Mail{Value: request}, "script", 0)
}

// line returns the connection by which one host posts to another. It makes the connection if there is none.
func (n *network) line(from, to *Host) *stream {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, l := range n.lines {
		if l.from == from && l.to == to && l.broken == nil {
			return l
		}
	}
	l := newStream(n, from, to)
	n.lines = append(n.lines, l)
	return l
}

// posted delivers a value that was posted on connection l. If the receiver does not run, it breaks
// l, and the sender gets a Broken instead. A value on a connection that is broken is lost.
func (n *network) posted(l *stream, number int, value any) {
	switch {
	case l.broken != nil:
	case !l.to.Running():
		l.broken = errRefused
		l.from.gets(Mail{l.to.name, Broken{Refused: true}}, "mail", 0)
	default:
		l.to.gets(Mail{l.from.name, value}, "tcp", number)
	}
}

// breaks ends the connections for mail between a host and a peer, or all other hosts if peer is
// nil. Both ends get a Broken.
func (n *network) breaks(h, peer *Host) {
	n.mu.Lock()
	var broken []*stream
	var rest []*stream
	for _, l := range n.lines {
		if (l.from == h && (peer == nil || l.to == peer)) || (l.to == h && (peer == nil || l.from == peer)) {
			broken = append(broken, l)
		} else {
			rest = append(rest, l)
		}
	}
	n.lines = rest
	n.mu.Unlock()
	seen := map[[2]*Host]bool{}
	for _, l := range broken {
		l.broken = errReset
		for _, end := range [][2]*Host{{l.from, l.to}, {l.to, l.from}} {
			if !seen[end] {
				seen[end] = true
				n.later(n.arrival(time.Time{}), func() { end[0].gets(Mail{end[1].name, Broken{}}, "mail", 0) })
			}
		}
	}
}

// gets puts a mail into the queue of the host's current life. The mail is lost if the host does
// not run or the queue is full. link and number describe the mail to the observer.
func (h *Host) gets(m Mail, link string, number int) {
	if !h.Running() {
		return
	}
	select {
	case h.life.mail() <- m:
		h.world.happened(Event{Kind: happens.Arrive, Host: h.name, Peer: m.From, Link: link, Number: number, Text: h.world.mailText(m.Value)})
	default:
	}
}

// mailText describes a value for the observer.
func (w *World) mailText(value any) string {
	if w.observe == nil {
		return ""
	}
	return fmt.Sprintf("%T%+v", value, value)
}

const (
	errRefused = syscall.ECONNREFUSED
	errReset   = syscall.ECONNRESET
)

// Break breaks the connections for mail between this host and the host named with.
func (h *Host) Break(with string) { h.world.net.breaks(h, h.world.Host(with)) }
