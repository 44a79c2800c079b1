package transport

import (
	"fmt"
	"strings"

	"macemc/sim"
)

// These are the facts that nodes emit for the monitors. The comments say who emits each of them, and when.
type (
	started struct{} // a node, when one of its lives begins

	heard struct { // the application, when a note arrives
		from  sim.Addr
		note  note
		whole bool
	}
	acknowledges struct { // the receiver, when it sends an ack
		to      sim.Addr
		number  int
		arrived int // everything up to this number had arrived
	}
	isTold struct { // the sender, when an ack arrives
		by     sim.Addr
		number int
	}
	sentAgain struct { // the sender, when it sends a datagram again
		to  sim.Addr
		seq int
	}
	gaveUp struct{ on sim.Addr }
	failed struct{ peer sim.Addr } // the sender, when its connection to peer failed
)

func properties() []sim.Property {
	return []sim.Property{
		sim.Always("every packet in flight has its timer", timed),
		sim.Always("no clear-to-send that was not asked for", asked),
		sim.Monitor("messages come whole and in order, none twice, none left out", (*hearing).inOrder),
		sim.Monitor("incarnations come in order", (*hearing).incarnations),
		sim.Monitor("no ack above what arrived", honest),
		sim.Monitor("nothing is sent again that an ack should have told of", (*telling).frugal),
		sim.Monitor("a failure costs each end one connection at most", (*failures).contained),
		sim.Eventually("everything sent is acknowledged", acknowledged, explainAcknowledged),
		sim.Eventually("sequence numbers agree", agreed, explainAgreed),
		sim.Eventually("all messages are delivered", delivered, explainDelivered),
		sim.Eventually("no timer and no datagram is left", quiet, explainQuiet),
	}
}

type (
	layers = sim.View[*Layer]
	apps   = sim.View[*app]
)

func timed(v layers) bool {
	for a, l := range v.Nodes() {
		for peer, o := range l.out {
			for _, p := range o.flight {
				if !v.Scheduled(a, retransmit{peer, p.seq}) {
					return false
				}
			}
		}
	}
	return true
}

func asked(v apps) bool {
	for _, a := range v.Nodes() {
		if a.clears > 0 {
			return false
		}
	}
	return true
}

func acknowledged(v layers) bool {
	for _, l := range v.Nodes() {
		for _, o := range l.out {
			if !o.idle() {
				return false
			}
		}
	}
	return true
}

func explainAcknowledged(v layers) string {
	var all []string
	for a, l := range v.Nodes() {
		for _, peer := range sim.Addrs(l.out) {
			if o := l.out[peer]; !o.idle() {
				all = append(all, fmt.Sprintf("%s sent %d to %s and knows of %d", a, o.next-1, peer, o.acked))
			}
		}
	}
	return strings.Join(all, "; ")
}

func agreed(v layers) bool { return explainAgreed(v) == "" }

func explainAgreed(v layers) string {
	var all []string
	for a, l := range v.Nodes() {
		for _, peer := range sim.Addrs(l.out) {
			receiver, up := v.At(peer)
			if !up || receiver.in[a] == nil {
				continue
			}
			if o, in := l.out[peer], receiver.in[a]; o.next != in.next {
				all = append(all, fmt.Sprintf("%s sends %d to %s next, which waits for %d", a, o.next, peer, in.next))
			}
		}
	}
	return strings.Join(all, "; ")
}

func delivered(v apps) bool { return explainDelivered(v) == "" }

// explainDelivered describes the messages that were not sent yet, or have not arrived, or returns "" if
// there are none. A receiver that has crashed need not know which messages arrived before.
func explainDelivered(v apps) string {
	var all []string
	for a, s := range v.Nodes() {
		for b, r := range v.Nodes() {
			if a == b || s.messages == 0 {
				continue
			}
			if s.sent[b] < s.messages {
				all = append(all, fmt.Sprintf("%s has sent %d of %d messages to %s", a, s.sent[b], s.messages, b))
			} else if h := r.heard[a]; r.life == 0 && (h.life != s.life || h.errors != s.errors[b] || h.number != s.messages) {
				all = append(all, fmt.Sprintf("%s has %d of %d messages of %s", b, h.number, s.messages, a))
			}
		}
	}
	return strings.Join(all, "; ")
}

func quiet(v layers) bool { return v.Timers() == 0 && v.InFlight() == 0 }

func explainQuiet(v layers) string {
	return fmt.Sprintf("timers: %d, datagrams under way: %d", v.Timers(), v.InFlight())
}

// direction is an ordered pair of nodes.
type direction struct{ from, to sim.Addr }

// hearing is the memory of a monitor: by direction, the last note that has arrived.
type hearing struct{ last map[direction]note }

// Init makes the memory of the monitor before the first step.
func (h *hearing) Init() { h.last = map[direction]note{} }

// forget records that node at starts again, and has received nothing in its new life.
func (h *hearing) forget(at sim.Addr) {
	for d := range h.last {
		if d.to == at {
			delete(h.last, d)
		}
	}
}

func (h *hearing) inOrder(at sim.Addr, fact any) error {
	switch f := fact.(type) {
	case started:
		h.forget(at)
	case heard:
		d := direction{f.from, at}
		last := h.last[d]
		if last.life != f.note.life || last.errors != f.note.errors {
			last = note{}
		}
		if f.note.number != last.number+1 {
			return fmt.Errorf("%s hears message %d of %s after %d", at, f.note.number, f.from, last.number)
		}
		if !f.whole {
			return fmt.Errorf("%s hears only %q of message %d of %s", at, f.note.text, f.note.number, f.from)
		}
		h.last[d] = f.note
	}
	return nil
}

// incarnations returns an error if a note arrives whose incarnation is earlier than that of the previous
// note.
func (h *hearing) incarnations(at sim.Addr, fact any) error {
	f, is := fact.(heard)
	if !is {
		if _, anew := fact.(started); anew {
			h.forget(at)
		}
		return nil
	}
	d := direction{f.from, at}
	if last := h.last[d]; f.note.life < last.life || f.note.life == last.life && f.note.errors < last.errors {
		return fmt.Errorf("%s hears a message of incarnation %d.%d of %s after one of %d.%d", at, f.note.life, f.note.errors, f.from, last.life, last.errors)
	}
	h.last[d] = note{life: f.note.life, errors: f.note.errors}
	return nil
}

type nothing struct{}

func honest(_ *nothing, at sim.Addr, fact any) error {
	if f, is := fact.(acknowledges); is && f.number > f.arrived {
		return fmt.Errorf("%s acknowledges everything up to %d to %s, and has received only what is up to %d", at, f.number, f.to, f.arrived)
	}
	return nil
}

// telling is the memory of a monitor. It compares the numbers in acks with the packets that had arrived.
type telling struct {
	arrived map[told]int      // by ack: the number up to which all packets had arrived when it was sent
	known   map[direction]int // by direction: the number up to which the sender should know that all have arrived
}

type told struct {
	direction
	number int // the number in the ack
}

// Init makes the memory of the monitor before the first step.
func (t *telling) Init() { t.arrived, t.known = map[told]int{}, map[direction]int{} }

func (t *telling) frugal(at sim.Addr, fact any) error {
	switch f := fact.(type) {
	case acknowledges:
		if f.arrived > f.number { // else it covers all
			t.arrived[told{direction{at, f.to}, f.number}] = f.arrived
		}
	case isTold:
		d := direction{f.by, at}
		if arrived := t.arrived[told{d, f.number}]; arrived > t.known[d] {
			t.known[d] = arrived
		}
	case sentAgain:
		if known := t.known[direction{f.to, at}]; f.seq <= known {
			return fmt.Errorf("%s sends packet %d to %s again, where everything up to %d had arrived before an ack that came", at, f.seq, f.to, known)
		}
	}
	return nil
}

// failures is the memory of a monitor. By direction, it counts the connections that failed, and the events
// that are a reason for a failure.
type failures struct {
	lives   map[sim.Addr]int
	reasons map[direction]int
	failed  map[direction]int
}

// Init makes the memory of the monitor before the first step.
func (m *failures) Init() {
	m.lives, m.reasons, m.failed = map[sim.Addr]int{}, map[direction]int{}, map[direction]int{}
}

func (m *failures) contained(at sim.Addr, fact any) error {
	switch f := fact.(type) {
	case started:
		m.lives[at]++
	case gaveUp:
		m.reasons[direction{at, f.on}]++
	case failed:
		d := direction{at, f.peer}
		m.failed[d]++
		if reasons := m.reasons[d] + m.reasons[direction{f.peer, at}] + m.lives[f.peer] - 1; m.failed[d] > reasons {
			return fmt.Errorf("%d connections from %s to %s failed by now, for %d reasons", m.failed[d], at, f.peer, reasons)
		}
	}
	return nil
}
