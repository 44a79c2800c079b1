package program

import (
	"io"
	"net"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"macemc/internal/bubble"
	"macemc/internal/happens"
)

// A stream is one direction of a connection.
type stream struct {
	net      *network
	from, to *Host
	mu       lock
	arrived  []byte        // the bytes that have arrived and were not read yet
	err      error         // the error that the reader gets after the arrived bytes
	broken   error         // the error that the writer gets
	flight   int           // the number of bytes that were written and not read yet
	latest   time.Time     // the time at which the last segment arrives; no later segment arrives before that
	underWay []segment     // the segments under way, in order
	news     chan struct{} // closed at the next change
}

// A segment is a piece of data, or another change such as the end, that is under way in a
// stream.
type segment struct {
	number  int // the number that the observer gets for it; 0 if the observer is not informed of it
	text    string
	arrives func()
}

// window is the number of unread bytes that a stream accepts.
const window = 64 << 10

func newStream(n *network, from, to *Host) *stream {
	return &stream{net: n, from: from, to: to, news: make(chan struct{})}
}

// changed wakes the goroutines that wait for a change. The caller holds the lock.
func (s *stream) changed() {
	close(s.news)
	s.news = make(chan struct{})
}

// end ends the stream at once, for both sides. Segments under way are lost.
func (s *stream) end(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken == nil {
		s.broken = err
	}
	if s.err == nil {
		s.err = err
	}
	s.changed()
}

// close wakes the goroutines that wait at this end. If err is not nil, the peer can no
// longer write.
func (s *stream) close(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.broken = err
	}
	s.changed()
}

// finish ends the stream for the reader, after the segments under way. text describes the
// end for the observer.
func (s *stream) finish(err error, text string) { s.shows(text, func() { s.finished(err) }) }

// shows does what send does, and also describes the segment to the observer.
func (s *stream) shows(text string, happen func()) {
	s.sendAs(segment{s.net.world.sent(s.from, s.to, "tcp", text), text, happen})
}

func (s *stream) finished(err error) {
	if s.err == nil {
		s.err = err
	}
	if err != io.EOF {
		s.broken = err
	}
}

// send sends a segment. When it arrives at the other end, after all earlier segments, happen is
// called. During a partition no segment arrives.
func (s *stream) send(happen func()) { s.sendAs(segment{arrives: happen}) }

func (s *stream) sendAs(g segment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.net.arrival(s.latest.Add(1))
	s.latest = time.Now().Add(d)
	s.underWay = append(s.underWay, g)
	s.net.later(d, s.arrives)
}

// arrives makes the first segment under way arrive: it calls the function arrives of the segment.
// If a partition separates the hosts, it first waits until that ends.
func (s *stream) arrives() {
	for s.net.apart(s.from, s.to) {
		<-s.net.mended()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	first := s.underWay[0]
	if first.number != 0 && s.to.Running() {
		s.net.world.happened(Event{Kind: happens.Arrive, Host: s.to.name, Peer: s.from.name, Link: "tcp", Number: first.number, Text: first.text})
	}
	first.arrives()
	s.underWay = s.underWay[1:]
	s.changed()
}

// put sends p as one segment or, if the search chooses so, as two.
func (s *stream) put(p []byte) {
	p = slices.Clone(p)
	if len(p) > 1 && bubble.Ask(8) == 7 {
		half := p[:len(p)/2]
		p = p[len(p)/2:]
		s.shows(s.net.world.summary(half), func() { s.arrive(half) })
	}
	s.shows(s.net.world.summary(p), func() { s.arrive(p) })
}

func (s *stream) arrive(p []byte) {
	if s.err == nil {
		s.arrived = append(s.arrived, p...)
	}
}

// A conn is one end of a connection.
type conn struct {
	host          *Host
	peer          *conn
	local, remote addr
	in, out       *stream
	read, write   *deadline
	closing       sync.Once
	closed        atomic.Bool
}

func (c *conn) meet(peer *conn) { c.peer = peer }

func (n *network) forget(c *conn) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.conns = slices.DeleteFunc(n.conns, func(o *conn) bool { return o == c })
}

func (c *conn) LocalAddr() net.Addr  { return c.local }
func (c *conn) RemoteAddr() net.Addr { return c.remote }

func (c *conn) fail(op string, err error) error {
	return &net.OpError{Op: op, Net: c.local.network, Source: c.local, Addr: c.remote, Err: err}
}

// Read reads bytes that have arrived, and waits if there are none.
func (c *conn) Read(p []byte) (int, error) {
	for {
		n, news, err := c.take(p)
		if n > 0 || err == io.EOF || len(p) == 0 && err == nil {
			return n, err
		}
		if err != nil {
			return 0, c.fail("read", err)
		}
		select {
		case <-news:
		case <-c.read.over():
			return 0, c.fail("read", os.ErrDeadlineExceeded)
		}
	}
}

// take reads bytes without waiting. If there are none, it returns a channel that is closed
// at the next change.
func (c *conn) take(p []byte) (int, chan struct{}, error) {
	switch {
	case c.closed.Load():
		return 0, nil, net.ErrClosed
	case c.read.passed():
		return 0, nil, os.ErrDeadlineExceeded
	}
	return c.in.take(p)
}

// take returns bytes that have arrived. If there are none, it returns the error for the reader, and
// a channel that is closed at the next change.
func (s *stream) take(p []byte) (int, chan struct{}, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.arrived) == 0 {
		return 0, s.news, s.err
	}
	n := copy(p, s.arrived)
	s.arrived = s.arrived[n:]
	s.flight -= n
	s.changed()
	return n, nil, nil
}

// Write writes p, in segments.
func (c *conn) Write(p []byte) (written int, err error) {
	for len(p) > 0 {
		n, news, err := c.room(len(p))
		if err != nil {
			return written, c.fail("write", err)
		}
		if n > 0 {
			c.out.put(p[:n])
			p, written = p[n:], written+n
			continue
		}
		select {
		case <-news:
		case <-c.write.over():
			return written, c.fail("write", os.ErrDeadlineExceeded)
		}
	}
	return written, nil
}

// room reserves at most n bytes of the window. If it is full, it returns a channel that is
// closed at the next change.
func (c *conn) room(n int) (int, chan struct{}, error) {
	switch {
	case c.closed.Load():
		return 0, nil, net.ErrClosed
	case c.write.passed():
		return 0, nil, os.ErrDeadlineExceeded
	}
	return c.out.room(n)
}

func (s *stream) room(n int) (int, chan struct{}, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return 0, nil, syscall.EPIPE
	}
	n = min(n, window-s.flight)
	s.flight += n
	return n, s.news, nil
}

// Close closes the connection. The peer reads the segments under way, and then io.EOF.
func (c *conn) Close() error {
	err := c.fail("close", net.ErrClosed)
	c.closing.Do(func() {
		err = nil
		c.closed.Store(true)
		c.out.finish(io.EOF, "close")
		c.in.close(io.ErrClosedPipe)
		c.out.close(nil)
		c.in.net.forget(c)
	})
	return err
}

// CloseWrite ends the direction to the peer, which then reads io.EOF.
func (c *conn) CloseWrite() error { c.out.finish(io.EOF, "close"); return nil }

func (c *conn) SetDeadline(t time.Time) error {
	c.read.set(t)
	c.write.set(t)
	return nil
}
func (c *conn) SetReadDeadline(t time.Time) error  { c.read.set(t); return nil }
func (c *conn) SetWriteDeadline(t time.Time) error { c.write.set(t); return nil }

// A deadline is the time at which a read or a write stops waiting. It may be changed.
type deadline struct {
	mu    lock
	timer *time.Timer
	done  chan struct{}
	late  bool // done is closed
}

func newDeadline() *deadline { return &deadline{done: make(chan struct{})} }

// over returns a channel that is closed when the deadline has passed.
func (d *deadline) over() chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.done
}

// passed reports whether the deadline has passed.
func (d *deadline) passed() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.late
}

// set changes the deadline; the zero time removes it.
func (d *deadline) set(t time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
	if d.late {
		d.done, d.late = make(chan struct{}), false
	}
	switch {
	case t.IsZero():
	case time.Until(t) <= 0:
		d.end()
	default:
		var timer *time.Timer
		timer = time.AfterFunc(time.Until(t), func() {
			d.mu.Lock()
			defer d.mu.Unlock()
			if d.timer == timer {
				d.end()
			}
		})
		d.timer = timer
	}
}

func (d *deadline) end() {
	d.late = true
	close(d.done)
}
