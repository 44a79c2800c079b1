package live

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"macemc/sim"
)

// session is one connection with a peer. A goroutine reads from it, and another one writes what the node
// cannot write without waiting. Both post to the node's inbox, so the node never waits for them.
type session struct {
	*place
	packer *packer
	grams  *meter              // counts the datagrams that wait
	works  func(now time.Time) // see Node.works: the reader runs the node
	buffer int
	conn   net.Conn
	peer   int
	id     uint64
	other  uint64 // the name of the peer's life
	dialed bool

	due bool // used by the node: there are frames to write

	mu     sync.Mutex
	ackOut uint64  // the number of deliveries that were acknowledged to the peer
	out    []byte  // frames to be written; the limit of messages under way bounds them
	direct *direct // writes without waiting
	busy   bool    // the writer has a batch, or has not begun
	closed bool
	bye    bool          // close after writing what is queued
	wake   chan struct{} // capacity 1

	delivered atomic.Uint64 // the number of TCP messages whose handler ran here
	acked     atomic.Uint64 // the number of TCP messages whose handler ran at the other end
	received  uint64        // used by the reader: the number of TCP messages that arrived
	gone      sync.WaitGroup
}

func (d *door) session(conn net.Conn, peer int, id, life uint64, dialed bool) *session {
	return &session{
		direct: directly(conn), busy: true, place: d.place, packer: d.packer, grams: &d.datagrams.meter, works: d.works, buffer: d.buffer,
		conn: conn, peer: peer, id: id, other: life, dialed: dialed, wake: make(chan struct{}, 1),
	}
}

// start starts the goroutines that read and write. Both ends have accepted the connection by then.
func (s *session) start() {
	s.mu.Lock()
	s.busy = false
	s.mu.Unlock()
	s.host.goes.Add(2)
	s.gone.Add(2)
	go s.read()
	go s.write()
}

// hand adds a frame to those that flush writes.
func (s *session) hand(frame []byte) {
	s.due = true
	s.add(frame)
}

func (s *session) add(frame []byte) {
	s.mu.Lock()
	if !s.closed {
		s.acks()
		s.out = append(s.out, frame...)
	}
	s.mu.Unlock()
}

// flush writes the frames that hand has added, as far as it can without waiting, and leaves the rest to the
// writer goroutine.
func (s *session) flush() {
	s.due = false
	s.mu.Lock()
	defer s.mu.Unlock()
	s.acks()
	if len(s.out) == 0 || s.closed {
		return
	}
	if s.config.Weather == nil && !s.busy {
		k := s.direct.write(s.out)
		s.host.metrics.out[sim.LinkTCP].Add(float64(k))
		s.out = s.out[:copy(s.out, s.out[k:])]
	}
	if len(s.out) > 0 {
		s.nudge()
	}
}

// acks adds a frame that acknowledges deliveries, if there are new ones. It comes before frames of new
// messages, so that the receiver of a message knows which of its own messages were delivered before that was
// sent.
func (s *session) acks() {
	if d := s.delivered.Load(); d != s.ackOut {
		s.out, s.ackOut = numberFrame(s.out, frameAck, d), d
	}
}

func (s *session) nudge() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// close ends the connection. If orderly is set, the frames that hand has added are written first.
func (s *session) close(orderly bool) {
	s.mu.Lock()
	first := !s.closed
	s.closed, s.bye = true, s.bye || orderly
	s.mu.Unlock()
	if !first {
		return
	}
	if !orderly {
		s.abort()
	}
	s.nudge()
}

// abort breaks the connection, so that the other end sees it at once.
func (s *session) abort() {
	if tcp, is := s.conn.(interface{ SetLinger(int) error }); is {
		_ = tcp.SetLinger(0)
	}
	_ = s.conn.Close()
}

func (s *session) write() {
	defer s.host.goes.Done()
	defer s.gone.Done()
	var spare []byte
	timeout := s.config.Timeout
	beat := time.NewTimer(timeout / 3)
	defer beat.Stop()
	for {
		s.mu.Lock()
		s.acks()
		batch, closed, bye := s.out, s.closed, s.bye
		s.out, s.busy = spare[:0], len(s.out) > 0
		s.mu.Unlock()
		if closed && !bye {
			return
		}
		if len(batch) > 0 {
			if w := s.config.Weather; w != nil && !closed {
				w.pause(s.alive.Done())
			}
			if err := s.conn.SetWriteDeadline(time.Now().Add(timeout)); err != nil {
				s.down(err, false)
				return
			}
			_, err := s.conn.Write(batch)
			if err == nil {
				err = s.conn.SetWriteDeadline(time.Time{})
			}
			if err != nil {
				s.down(err, false)
				return
			}
			s.host.metrics.out[sim.LinkTCP].Add(float64(len(batch)))
			if spare = batch; cap(spare) > 1<<20 {
				spare = nil
			}
			continue
		}
		spare = batch
		if closed {
			_ = s.conn.Close()
			return
		}
		beat.Reset(timeout / 3)
		select {
		case <-s.wake:
		case <-beat.C:
			s.add(beginFrame(nil, framePing))
		}
	}
}

// down reports to the node, once, that the connection has ended because of err. open says that the peer
// has reported that the connection was open at its end.
func (s *session) down(err error, open bool) {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.nudge()
	s.abort()
	s.inbox.post(arrival{kind: arriveDown, peer: s.peer, sess: s, err: err, open: open})
}

func (s *session) read() {
	defer s.host.goes.Done()
	defer s.gone.Done()
	from := bufio.NewReaderSize(s.conn, 32<<10)
	var head [frameHead]byte
	var buf []byte
	var until time.Time
	timeout := s.config.Timeout
	for now := time.Now(); ; {
		if until.Sub(now) < timeout*3/4 {
			until = now.Add(timeout)
			if err := s.conn.SetReadDeadline(until); err != nil {
				s.down(err, false)
				return
			}
		}
		kind, body, err := readFrame(from, &head, buf, s.config.MessageMost)
		if err != nil {
			if errors.Is(err, errTooLarge) {
				s.complain(err)
			}
			s.down(err, false)
			return
		}
		if buf = body; cap(buf) > 1<<20 {
			buf = nil
		}
		s.host.metrics.in[sim.LinkTCP].Add(float64(len(body) + frameHead))
		if kind == frameReset {
			open := len(body) > 0 && body[0]&1 != 0
			s.down(errReset, open)
			return
		}
		now = time.Now()
		if err := s.take(kind, body, now); err != nil {
			s.complain(err)
			s.down(err, false)
			return
		}
		if from.Buffered() < frameHead {
			s.works(now)
		}
	}
}

func (s *session) complain(breach error) {
	s.complaints.complain("a peer breaks the protocol", "peer", s.name(s.peer), breach.Error())
}

var errReset = errors.New("the other node has reset the connection")

// take handles a frame that arrived at the time now. It returns an error if the peer has broken the
// protocol.
func (s *session) take(kind frameKind, body []byte, now time.Time) error {
	switch kind {
	case framePing:
		return nil
	case frameAck, frameBoxed:
		x, k := binary.Uvarint(body)
		if k <= 0 || k != len(body) {
			return errors.New("a malformed number")
		}
		if kind == frameBoxed {
			s.inbox.put(arrival{kind: arriveBoxed, peer: s.peer, sess: s, serial: x})
			return nil
		}
		if x < s.acked.Load() {
			return fmt.Errorf("it acknowledges %d messages, and has acknowledged %d before", x, s.acked.Load())
		}
		s.acked.Store(x)
		s.inbox.heed()
		return nil
	case frameMessage, frameBag, frameSet, frameDatagram:
		serial, k := binary.Uvarint(body)
		if k <= 0 {
			return errors.New("a malformed number")
		}
		m, err := s.packer.codec.Decode(body[k:])
		if err != nil {
			return err
		}
		a := arrival{kind: arriveMessage, peer: s.peer, sess: s, serial: serial, value: m, life: s.other, link: linkOf(kind), at: now}
		switch kind {
		case frameMessage:
			if s.received++; s.received-s.delivered.Load() > uint64(s.buffer) {
				return fmt.Errorf("it sends more than the %d messages that may be under way", s.buffer)
			}
		case frameDatagram:
			if !s.grams.enter() {
				return nil // lost: there is no room
			}
		}
		s.inbox.put(a)
		return nil
	}
	return fmt.Errorf("a frame has kind %d, which does not exist", kind)
}

func linkOf(kind frameKind) sim.Link {
	return [...]sim.Link{frameMessage: sim.LinkTCP, frameBag: sim.LinkBag, frameSet: sim.LinkSet, frameDatagram: sim.LinkUDP}[kind]
}

func kindOf(link sim.Link) frameKind {
	return [...]frameKind{sim.LinkTCP: frameMessage, sim.LinkBag: frameBag, sim.LinkSet: frameSet, sim.LinkUDP: frameDatagram}[link]
}

// meter limits the number of messages or connections that wait.
type meter struct {
	held atomic.Int64
	most int64
}

func (m *meter) enter() bool {
	if m.held.Add(1) > m.most {
		m.held.Add(-1)
		return false
	}
	return true
}

func (m *meter) leave() { m.held.Add(-1) }

// quiet reports whether err is only the ordinary end of a connection, so that it need not be
// logged.
func quiet(err error) bool {
	return err == nil || errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) || errors.Is(err, errReset)
}

// handLoss gives a frame to the writer goroutine, or drops it if too many frames wait.
func (s *session) handLoss(frame []byte) {
	s.mu.Lock()
	full := len(s.out) > 1<<20
	s.mu.Unlock()
	if full {
		s.host.metrics.lost.Inc()
		return
	}
	s.hand(frame)
}
