package live

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"syscall"
	"time"

	"macemc/internal/codec"
	"macemc/internal/record"
	"macemc/sim"
	"macemc/trace"
)

// links has the connections of a node with its peers, and the messages on them. It belongs to the node's
// goroutine.
type links struct {
	*place
	traffic   traffic
	m         *machine
	packer    *packer
	clock     *clock
	recorder  *recorder
	door      *door
	datagrams *datagrams
	peers     []*peer
	buffer    int
	found     event // the next event, set by broken, roomy or message
	barrier   barrier
	closing   bool  // no new connections are opened
	absent    bool  // the node has yet to join: no peer reaches it
	flush     bool  // the node waits for Flushed, when all that it has sent was delivered
	stuck     error // the error of a message that cannot be written
}

// arrived handles an arrival from a connection or a socket. It closes a new connection that is not
// wanted.
func (l *links) arrived(a *arrival) {
	p := l.peers[a.peer]
	switch a.kind {
	case arriveMessage:
		switch {
		case a.link == sim.LinkUDP:
			if l.absent || !l.barrier.hears(a.peer) {
				l.datagrams.meter.leave()
				return
			}
			p.arriveUDP(incoming{value: a.value, serial: a.serial, life: a.life, conn: 0, link: sim.LinkUDP, at: a.at})
		case a.sess != p.sess: // of a connection that is over
		case a.link == sim.LinkTCP:
			p.arriveTCP(incoming{value: a.value, serial: a.serial, life: a.life, conn: a.sess.id, link: sim.LinkTCP, at: a.at})
		default:
			l.cameBox(p, a)
		}
	case arriveBoxed:
		if a.sess == p.sess {
			l.tookBox(p, a.serial)
		}
	case arriveUp:
		switch {
		case p.sess != nil || l.closing:
			p.dialed()
			a.sess.abort()
		case l.barrier.parts(p.at): // since it was asked for
			a.sess.abort()
			l.notDialed(&arrival{peer: a.peer, err: errCut})
		default:
			l.established(p, a.sess, a.hello)
			a.sess.start()
		}
	case arriveNoDial:
		l.notDialed(a)
	case arriveOffer:
		l.offered(a)
	case arriveDown:
		if a.sess == p.sess {
			if !quiet(a.err) {
				l.config.Log.Debug("a connection broke", "node", l.name(l.at), "peer", l.name(p.at), "why", a.err.Error())
			}
			if l.acknowledge(p); p.sess != nil {
				l.ended(p, a.err, a.open)
			}
		}
	}
}

// acknowledges removes from the queues to the peers the messages that the peers have acknowledged
// as delivered.
func (l *links) acknowledges() {
	for _, p := range l.peers {
		if p.sess != nil && p.sess.acked.Load() != p.acked {
			l.acknowledge(p)
		}
	}
}

// flows gives the queued messages to the connections with all peers.
func (l *links) flows() {
	for _, p := range l.peers {
		l.flow(p)
	}
}

// writes writes the messages that were given to the connections.
func (l *links) writes() {
	for _, p := range l.peers {
		if p.sess != nil && p.sess.due {
			p.sess.flush()
		}
	}
}

// broken looks for a broken connection of which the node must be informed, which comes before all other
// events. It sets l.found, and reports whether there is one.
func (l *links) broken() bool {
	for _, p := range l.peers {
		if p.broken != 0 {
			l.found = p.hearBroken()
			l.flow(p) // of bags and sets nothing is lost
			return true
		}
	}
	return false
}

// roomy looks for a ClearToSend or Flushed event that is due. It sets l.found, and reports whether there
// is one.
func (l *links) roomy() bool {
	for _, p := range l.peers {
		if p.hearClear(l.buffer) {
			l.found = event{Event: record.Event{Kind: sim.KindClear, From: p.addr, Link: sim.LinkTCP}}
			return true
		}
	}
	if l.flush && !slices.ContainsFunc(l.peers, func(p *peer) bool { return len(p.out) > 0 }) {
		l.flush = false
		l.found = event{Event: record.Event{Kind: sim.KindFlushed}}
		return true
	}
	return false
}

// message looks for a message that the node accepts, beginning with peer from. It sets l.found, and
// reports whether there is one.
func (l *links) message(from int) bool {
	for k := range l.peers {
		p := l.peers[(from+k)%len(l.peers)]
		if len(p.in) > 0 && l.m.guards().Accept(p.addr, p.in[0].value) {
			l.found = p.takeTCP(p.at == l.at).event(p.addr)
			return true
		}
		if len(p.grams) > 0 && l.m.guards().Accept(p.addr, p.grams[0].value) {
			l.datagrams.meter.leave()
			l.found = p.takeUDP().event(p.addr)
			return true
		}
		for j, i := range p.boxes.in {
			if l.m.guards().Accept(p.addr, i.value) {
				p.boxes.deliver(j)
				l.found = i.event(p.addr)
				return true
			}
		}
	}
	return false
}

// delivered records that the message of event e was delivered. The node's record has the step by now, so
// the sender may be informed.
func (l *links) delivered(e *record.Event) {
	p := l.peers[e.From.Index()]
	l.traffic.count(l.host.metrics.received, p.at, e.Link, e.Value)
	switch {
	case p.at == l.at || e.Link == sim.LinkUDP:
	case p.sess == nil || p.sess.other != e.Life:
	case e.Link == sim.LinkTCP:
		p.confirm()
	case e.Link == sim.LinkBag:
		p.sess.hand(numberFrame(nil, frameBoxed, e.Serial))
	}
}

// inSet yields the messages in the node's set, in canonical order, with their senders.
func (l *links) inSet(yield func(sim.Addr, sim.Message) bool) {
	for _, p := range l.peers {
		for _, i := range p.boxes.set {
			if !yield(p.addr, i.value) {
				return
			}
		}
	}
}

// apply carries out the effects of the step on the links. serial is the number of sends in this life
// before the step.
func (l *links) apply(serial uint64) {
	effects := l.m.step.Effects()
	for i := range effects {
		switch e := &effects[i]; e.Kind {
		case trace.EffectSend:
			serial++
			l.send(e, serial)
		case trace.EffectReset:
			l.reset(l.peers[e.To.Index()])
		case trace.EffectAskClear:
			l.peers[e.To.Index()].ask()
		case trace.EffectAskFlushed:
			l.flush = true
		case trace.EffectRefused:
			l.host.metrics.refused.Inc()
		}
	}
}

func (l *links) send(e *trace.Effect, serial uint64) {
	p := l.peers[e.To.Index()]
	l.traffic.count(l.host.metrics.sent, p.at, e.Link, e.Value)
	switch e.Link {
	case sim.LinkTCP:
		l.sendTCP(p, e.Value, serial)
	case sim.LinkUDP:
		l.sendUDP(p, e.Value, serial)
	default:
		l.sendBox(p, e.Link, e.Value, serial)
	}
}

// sendTCP queues a message for peer p.
func (l *links) sendTCP(p *peer, m sim.Message, serial uint64) {
	if p.at == l.at {
		p.queue(outgoing{serial: serial})
		p.arriveTCP(incoming{value: m, serial: serial, life: l.life, conn: 0, link: sim.LinkTCP})
		return
	}
	frame, err := l.packer.frame(frameMessage, serial, m, p.spare())
	if err != nil {
		l.cannot(m, err)
		return
	}
	p.queue(outgoing{serial: serial, frame: frame})
	if w := l.config.Weather; w != nil && p.sess != nil && w.breaks() {
		l.breaks(p, errors.New("broken on purpose: the weather resets connections"))
	}
	l.flow(p)
}

// cannot records in l.stuck that message m cannot be written, which ends the node.
func (l *links) cannot(m sim.Message, err error) {
	if l.stuck == nil {
		l.stuck = fmt.Errorf("%s sends a %T, which cannot be sent: %w", l.m.self, m, err)
	}
}

// flow gives the queued messages for a peer to its connection, or opens a connection if there is none.
func (l *links) flow(p *peer) {
	if p.at == l.at || p.broken != 0 {
		return
	}
	if p.sess == nil {
		if len(p.out) > 0 || len(p.boxes.out) > p.settled() {
			l.dial(p)
		}
		return
	}
	p.hand()
	p.boxes.hand(p.sess)
}

// dial opens a connection, unless one is being opened.
func (l *links) dial(p *peer) {
	if p.dialing || p.sess != nil || l.closing {
		return
	}
	now := time.Now()
	if now.Before(p.redial) {
		l.clock.alarm(p.redial)
		return
	}
	p.dial()
	if l.barrier.parts(p.at) {
		l.inbox.post(arrival{kind: arriveNoDial, peer: p.at, err: errCut})
		return
	}
	h := l.hello(p, draw())
	l.host.goes.Go(func() {
		l.door.dials(p.at, h)
	})
}

var errCut = errors.New("a partition is between the nodes; it ends with the next one, or when it heals")

// hello returns the hello of this node for the connection with the name conn to a peer.
func (l *links) hello(p *peer, conn uint64) *hello {
	var types []codec.Type
	if l.packer.own != nil {
		types = l.packer.own.Types()
		types = types[:min(len(types), typesMost)]
	}
	return &hello{
		system: l.host.sys.Name, run: l.host.run, from: l.at, to: p.at, life: l.life,
		conn: conn, last: p.before, came: p.came, low: p.boxes.lowest(l.m.sends + 1), types: types,
	}
}

// offered handles a connection that a peer opens. It accepts the connection, or refuses it with a reason.
func (l *links) offered(a *arrival) {
	p := l.peers[a.peer]
	switch {
	case l.absent:
		a.reply <- answered{why: notThere}
		return
	case l.barrier.parts(p.at) || l.closing:
		a.reply <- answered{why: notNow}
		return
	case p.dialing && p.sess == nil && l.at < p.at:
		a.reply <- answered{why: crossed}
		return
	case p.sess != nil && p.sess.dialed && p.sess.other == a.hello.life && p.sess.id != a.hello.last:
		// After this hello the peer has answered my connection. Had it lost that, the hello would name it as the last.
		a.reply <- answered{why: crossed}
		return
	case p.sess != nil: // the peer has lost the connection that this node still has
		l.breaks(p, errors.New("the other node has opened another connection, and does not know this one any more"))
	}
	s := l.door.session(a.conn, p.at, a.hello.conn, a.hello.life, false)
	a.reply <- answered{sess: s, hello: l.hello(p, a.hello.conn)}
	l.established(p, s, a.hello)
}

// established begins to use session s, a new connection with peer p. h is the hello that the peer has sent on
// it.
func (l *links) established(p *peer, s *session, h *hello) {
	p.connect(s, h)
	l.recorder.note(&record.Entry{Kind: record.EntryOpened, Peer: p.at, Conn: s.id, Other: s.other})
	l.config.Log.Debug("connected", "node", l.name(l.at), "peer", l.name(p.at))
	l.flow(p)
}

// part sets a new barrier, and breaks the connections that it forbids.
func (l *links) part(b barrier) {
	l.barrier = b
	for _, p := range l.peers {
		if b.parts(p.at) {
			l.breaks(p, errCut)
		}
	}
}

// breaks ends the connection with a peer because of err, if there is a connection.
func (l *links) breaks(p *peer, err error) {
	if p.sess == nil {
		return
	}
	p.sess.close(false)
	if l.acknowledge(p); p.sess != nil {
		l.ended(p, err, false)
	}
}

// ended handles the end of a connection. The messages that the peer has acknowledged were removed from
// the queue before; an acknowledgement that arrives while this node ends the connection is ignored.
func (l *links) ended(p *peer, err error, open bool) {
	s := p.sess
	p.disconnect(open)
	l.recorder.note(&record.Entry{Kind: record.EntryClosed, Peer: p.at, Conn: s.id})
	if !quiet(err) {
		l.config.Log.Debug("disconnected", "node", l.name(l.at), "peer", l.name(p.at), "why", err.Error())
	}
	l.flow(p)
}

// acknowledge removes from the queue to peer p the messages that p has acknowledged as delivered. If p
// acknowledges messages that were not sent to it, acknowledge closes the connection.
func (l *links) acknowledge(p *peer) {
	if p.sess == nil {
		return
	}
	if !p.settle() {
		l.complaints.complain("a peer breaks the protocol", "peer", l.name(p.at), "it says that more was delivered than was sent")
		l.breaks(p, nil)
	}
}

// notDialed handles the failure to open a connection.
func (l *links) notDialed(a *arrival) {
	p := l.peers[a.peer]
	p.dialed()
	if p.sess != nil {
		return
	}
	var other refused
	soon := func(d time.Duration) {
		p.wait(time.Now(), d)
		l.flow(p)
	}
	refuses := errors.As(a.err, &other)
	if !refuses && unwelcome(a.err) {
		l.complaints.complain("a connection fails", "peer", l.name(p.at), a.err.Error())
	}
	switch {
	case refuses && string(other) == crossed:
		soon(50 * time.Millisecond)
		return
	case refuses && string(other) == notThere, errors.Is(a.err, errNowhere):
	case refuses && string(other) != notNow:
		l.complaints.complain("a peer refuses this node", "peer", l.name(p.at), string(other))
	case errors.Is(a.err, errCut):
	case !p.seen && time.Since(l.clock.began) < l.config.Grace:
		soon(20 * time.Millisecond)
		return
	case !errors.Is(a.err, syscall.ECONNREFUSED) && !errors.Is(a.err, syscall.ECONNRESET):
		l.config.Log.Debug("no connection", "node", l.name(l.at), "peer", l.name(p.at), "why", a.err.Error())
	}
	p.refuse()
	if len(p.boxes.out) > 0 { // messages of bags and sets wait for a connection
		soon(100 * time.Millisecond)
	}
}

// unwelcome reports whether err means that a process answers at the address, but is not the right peer.
// It is false if no process answers, or if the peer is about to end.
func unwelcome(err error) bool {
	var network net.Error
	if alert := tls.AlertError(0); errors.As(err, &alert) {
		return true
	}
	return !errors.As(err, &network) && !errors.Is(err, errCut) && !errors.Is(err, errNowhere) && !errors.Is(err, io.EOF) && !errors.Is(err, errUnmet) && !errors.Is(err, errSilent) &&
		!errors.Is(err, context.Canceled) && !errors.Is(err, net.ErrClosed)
}

// reset breaks the connection to peer p, because a handler has called Port.Reset. It drops the
// messages that are queued for p. It returns the name of the connection, or 0 if there was none.
func (l *links) reset(p *peer) (conn uint64) {
	l.acknowledge(p)
	p.forget(p.at == l.at)
	if p.at == l.at {
		return 0
	}
	if p.sess == nil {
		l.flow(p)
		return 0
	}
	s := p.sess
	conn = s.id
	open := byte(0)
	if p.open {
		open = 1
	}
	frame := append(beginFrame(nil, frameReset), open)
	s.hand(endFrame(frame, 0))
	s.close(true)
	p.close()
	l.ended(p, errReset, false)
	return conn
}

// close ends all connections. If orderly is set, messages that were sent are written first; otherwise the
// connections break as if the process had ended.
func (l *links) close(orderly bool) {
	for _, p := range l.peers {
		if p.sess != nil {
			p.sess.close(orderly)
		}
	}
}
