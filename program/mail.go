package program

import (
	"fmt"
	"syscall"
	"time"

	"macemc/internal/happens"
)

// A Mail is a value that another host posted, or that the script of a system asks for: then From
// is "". A Broken in it says that a connection of mail is broken.
type Mail struct {
	From  string
	Value any
}

// Broken is the value of a Mail about the connection with From: what was under way on it is lost.
type Broken struct {
	Refused bool // From does not run
}

// mailMost is how much mail waits at a host. More is lost.
const mailMost = 1 << 12

// Mail returns the mail of the current life. The values of one host arrive in their order.
func (h *Host) Mail() <-chan Mail { return h.life.mail() }

// Post sends a value to a host, which must not be changed later, by a connection that keeps the
// order. If the host does not run, or crashes, or if the connection is reset, a Broken arrives
// here. In a partition the value waits.
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

// Ask gives a request of the script to the program of a host that runs.
func (w *World) Ask(host string, request any) {
	w.Host(host).gets(Mail{Value: request}, "script", 0)
}

// line is the connection by which one host posts to another; it is made if there is none.
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

// posted delivers a value, unless its connection is broken.
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

// breaks ends the connections of mail of a host with a peer, or with every other one if peer is nil.
// Both ends get a Broken.
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

// gets puts a mail into the queue of the current life, if there is one.
func (h *Host) gets(m Mail, link string, number int) {
	if !h.Running() {
		return
	}
	select {
	case h.life.mail() <- m:
		h.world.happened(happens.Event{Kind: happens.Arrive, Host: h.name, Peer: m.From, Link: link, Number: number, Text: h.world.mailText(m.Value)})
	default:
	}
}

// mailText describes a value of a mail.
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

// Break breaks the connections of mail with a host.
func (h *Host) Break(with string) { h.world.net.breaks(h, h.world.Host(with)) }
