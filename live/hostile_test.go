package live

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"net"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"macemc/internal/codec"
	"macemc/internal/codecs"
	"macemc/sim"
)

// echo answers every number with itself, and reports it.
type echo struct{ Got int }

type (
	number struct{ n int }
	back   struct{ n int }
	begin  struct{ n int }
	heard  struct{ n int }
	broken struct{ cause sim.Cause }
	pour   struct{ size int }
	bulk   struct{ text string }
	poured struct{ messages int }
)

func (e *echo) Init(sim.Env) {}

func (e *echo) Deliver(env sim.Env, from sim.Addr, m sim.Message) {
	switch m := m.(type) {
	case number:
		e.Got++
		env.TCP().Send(from, back(m))
	case back:
		env.Emit(heard(m))
	}
}

func (e *echo) Handle(env sim.Env, s sim.Signal) {
	switch s := s.(type) {
	case begin:
		env.TCP().Send(env.Peers()[0], number(s))
	case pour:
		n := 0
		for env.TCP().Send(env.Peers()[0], bulk{strings.Repeat("x", s.size)}) {
			n++
		}
		env.Emit(poured{n})
	case sim.PeerError:
		env.Emit(broken{s.Cause})
	}
}

var echoes = &sim.System{
	Name: "echoes", Doc: "Two nodes that answer.",
	Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 8} },
	New:   func(sim.Params, sim.Addr) sim.Node { return &echo{} },
	Properties: []sim.Property{
		sim.Always("nothing is negative", func(v sim.View[*echo]) bool {
			for _, e := range v.Nodes() {
				if e.Got < 0 {
					return false
				}
			}
			return true
		}),
	},
}

// diary keeps what is logged.
type diary struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (d *diary) Write(b []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.text.Write(b)
}

func (d *diary) count(part string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Count(d.text.String(), part)
}

func startEchoes(t *testing.T, c Config) (*Host, *diary) {
	t.Helper()
	d := new(diary)
	c.Log = slog.New(slog.NewTextHandler(d, nil))
	h, err := Start(echoes, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Stop(); err != nil {
			t.Error(err)
		}
	})
	return h, d
}

// asks makes node 0 ask node 1, and waits for the answer.
func asks(t *testing.T, h *Host, n int) {
	t.Helper()
	fact, err := h.Node(0).Ask(t.Context(), begin{n}, func(fact any) bool { return fact == heard{n} })
	if err != nil || fact != (heard{n}) {
		t.Fatalf("answered %v, %v", fact, err)
	}
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for until := time.Now().Add(patience); !is(); {
		if time.Now().After(until) {
			t.Fatalf("not %s", what)
		}
		<-time.After(time.Millisecond)
	}
}

// A stranger on the sockets neither stops a node nor gets anything into it, and
// each cause is logged once.
func TestHostileSockets(t *testing.T) {
	h, log := startEchoes(t, Config{Timeout: 500 * time.Millisecond, MessageMost: 1 << 16})
	n1 := h.Node(1)
	good := func() *hello {
		return &hello{system: "echoes", run: h.run, from: 0, to: 1, life: 7, conn: 9, types: codecs.Of(echoes).Types()}
	}
	dial := func() net.Conn {
		c, err := net.Dial("tcp", h.Book()[1])
		if err != nil {
			t.Fatal(err)
		}
		if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
			t.Fatal(err)
		}
		return c
	}
	greeted := func(h *hello) (*hello, net.Conn, error) {
		c := dial()
		if err := greet(c, h, ""); err != nil {
			t.Fatal(err)
		}
		w, err := met(c)
		return w, c, err
	}
	for _, bad := range []struct {
		name, why string
		change    func(h *hello)
	}{
		{"another system", "it runs the system", func(h *hello) { h.system = "other\x1b[2J" }},
		{"other parameters", "it runs with", func(h *hello) { h.run = "3 nodes" }},
		{"no such node", "which it cannot be", func(h *hello) { h.from = 9 }},
		{"itself", "which it cannot be", func(h *hello) { h.from = 1 }},
		{"another's book", "the address books differ", func(h *hello) { h.to = 0 }},
		{"another shape", "two builds differ", func(h *hello) {
			h.types = []codec.Type{{Name: codec.Name(reflect.TypeFor[number]()), Shape: 1}}
		}},
		{"an unknown type", "there is no type", func(h *hello) { h.types = []codec.Type{{Name: "net.Conn", Shape: 1}} }},
	} {
		for range 3 {
			who := good()
			bad.change(who)
			_, c, err := greeted(who)
			_ = c.Close()
			if err == nil || !strings.Contains(err.Error(), bad.why) {
				t.Errorf("%s: %v", bad.name, err)
			}
			if err != nil && strings.ContainsAny(err.Error(), "\x1b\n") {
				t.Errorf("%s: %q steers a terminal", bad.name, err)
			}
		}
		if k := log.count(bad.why); bad.name != "itself" && bad.name != "no such node" && k != 1 {
			t.Errorf("%s is logged %d times", bad.name, k)
		}
	}
	for _, bad := range []struct{ name, data, why string }{
		{"random bytes", "\x00\x17GET / HTTP/1.1\r\n\r\n and so on, for longer than the magic is", "no live node of macemc"},
		{"a version", strings.Replace(magicWire, "1", "9", 1), "speaks version"},
		{"a huge hello", magicWire + "\xff\xff\xff\xff", "the hello says that it has 4294967295 bytes"},
		{"no hello", magicWire + "\x00\x00\x00\x05\x00\x01\x02\x03\x04", "the hello is malformed"},
		{"half a hello", magicWire + "\x00\x00", "the other end connected, but did not name itself in time"},
	} {
		for range 2 {
			c := dial()
			if _, err := io.WriteString(c, bad.data); err != nil {
				t.Fatal(err)
			}
			if _, err := met(c); err == nil {
				t.Errorf("%s is welcome", bad.name)
			}
			_ = c.Close()
		}
		if k := log.count(bad.why); k != 1 {
			t.Errorf("%s is logged %d times", bad.name, k)
		}
	}
	asks(t, h, 1)

	// A peer that is let in and breaks the protocol is cut off; the real n0 comes back.
	for _, bad := range []struct {
		name  string
		frame []byte
		why   string
	}{
		{"a huge frame", []byte{0xff, 0xff, 0xff, 0xff, byte(frameMessage)}, "is too large"},
		{"an unknown kind", []byte{0, 0, 0, 0, 99}, "a frame has kind 99"},
		{"a broken value", append([]byte{0, 0, 0, 3, byte(frameMessage)}, 1, 2, 3), "breaks the protocol"},
		{"acks of nothing", numberFrame(nil, frameAck, 1000), ""},
		{"more than may be", bytes.Repeat(validFrame(t, number{1}), 1000), "messages that may be under way"},
		{"a malformed count", []byte{0, 0, 0, 1, byte(frameAck), 0x80}, "a malformed number"},
	} {
		was := log.count(bad.why)
		for range 2 {
			_, c, err := greeted(good())
			if err != nil {
				t.Fatalf("%s: %v", bad.name, err)
			}
			_, _ = c.Write(bad.frame)
			if bad.why != "" { // else it is noticed when something was sent
				if _, err := io.Copy(io.Discard, c); err != nil && strings.Contains(err.Error(), "timeout") {
					t.Errorf("%s: nobody cuts it off", bad.name)
				}
			}
			_ = c.Close()
		}
		// Other lines may come between, of a link that said nothing for half a second on a busy machine.
		if k := log.count(bad.why) - was; bad.why != "" && k != 1 {
			t.Errorf("%s: %d lines more in the log with %q", bad.name, k, bad.why)
		}
	}
	// Half-open: it is there and says nothing. A slow reader: it is written to, and reads nothing.
	_, quiet, err := greeted(good())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, quiet); err != nil && strings.Contains(err.Error(), "i/o timeout") {
		t.Error("a connection that says nothing is kept")
	}
	_ = quiet.Close()

	// Datagrams.
	u, err := net.Dial("udp", h.Book()[1])
	if err != nil {
		t.Fatal(err)
	}
	valid := datagramTo1(h)
	value, err := codecs.Of(echoes).Append(append(valid, 1), number{-5})
	if err != nil {
		t.Fatal(err)
	}
	const refused = "macemc_live_strangers_refused_total"
	was := metric(t, h, refused)
	for _, d := range [][]byte{{}, []byte("hello"), valid[:10], valid, append(valid, 1, 2, 3), value} {
		if _, err := u.Write(d); err != nil {
			t.Fatal(err)
		}
	}
	_ = u.Close()
	eventually(t, "all refused", func() bool { return metric(t, h, refused) >= was+5 })

	asks(t, h, 2)
	select {
	case <-n1.Done():
		t.Fatal("n1 has died")
	default:
	}
}

func validFrame(t *testing.T, m any) []byte {
	t.Helper()
	b, err := codecs.Of(echoes).Append(binary.AppendUvarint(beginFrame(nil, frameMessage), 1), m)
	if err != nil {
		t.Fatal(err)
	}
	return endFrame(b, 0)
}

// datagramTo1 is the head of a datagram from node 0 to node 1.
func datagramTo1(h *Host) []byte {
	head := append([]byte(datagramMagic), make([]byte, 18)...)
	binary.BigEndian.PutUint64(head[4:], h.mark)
	head[13] = 1
	return head
}

// If a peer is connected and does not read, or sends nothing, its connection breaks after Timeout. The messages
// that wait for it are limited, and so are the bytes that its socket does not take.
func TestSlowPeers(t *testing.T) {
	for name, reads := range map[string]bool{"reads nothing": false, "says nothing": true} {
		t.Run(name, func(t *testing.T) {
			book, err := Loopback(2)
			if err != nil {
				t.Fatal(err)
			}
			l, err := net.Listen("tcp", book[1])
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = l.Close() }()
			facts := make(chan any, 1000)
			h, _ := startEchoes(t, Config{Book: book, Only: []int{0}, Timeout: 300 * time.Millisecond, Facts: func(_ sim.Addr, fact any) { facts <- fact }})
			peer := make(chan error, 1)
			go func() { // is n1
				c, err := l.Accept()
				if err == nil {
					defer func() { _ = c.Close() }()
					var who *hello
					if who, err = met(c); err == nil {
						err = greet(c, &hello{system: "echoes", run: h.run, from: 1, to: 0, life: 7, conn: who.conn, types: codecs.Of(echoes).Types()}, "")
					}
				}
				if peer <- err; err == nil && reads {
					_, _ = io.Copy(io.Discard, c)
				} else {
					<-h.Node(0).Done()
				}
			}()
			if err := h.Node(0).Request(t.Context(), pour{1 << 20}); err != nil {
				t.Fatal(err)
			}
			if err := <-peer; err != nil {
				t.Fatal(err)
			}
			sent := (<-facts).(poured).messages
			if sent != h.buffer {
				t.Errorf("%d messages are taken for a peer that answers none, and a connection queues %d", sent, h.buffer)
			}
			_ = l.Close() // a connection that comes back is refused
			if fact := <-facts; fact != (broken{sim.CauseRefused}) {
				t.Errorf("the node hears %v", fact)
			}
			if err := h.Node(0).Look(func(sim.Node) {
				if p := h.Node(0).links.peers[1]; len(p.out) != 0 || p.sess != nil {
					t.Errorf("%d messages wait for who is gone", len(p.out))
				}
			}); err != nil {
				t.Error(err)
			}
		})
	}
}

// The node waits for peers that connect and do not identify themselves, but only for a limited
// number of them at a time. The log has one line about it.
func TestSilentCrowd(t *testing.T) {
	h, log := startEchoes(t, Config{Timeout: 300 * time.Millisecond})
	for range 200 {
		c, err := net.Dial("tcp", h.Book()[1])
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
	}
	const why = "too many have connected and not said who they are"
	eventually(t, "refused", func() bool { return log.count(why) > 0 })
	if held := h.Node(1).links.door.meetings.held.Load(); held > 65 { // with the one that is just being refused
		t.Errorf("%d strangers are waited for", held)
	}
	asks(t, h, 1) // the real peer is let in when they were given up
	if n := log.count(why); n != 1 {
		t.Errorf("it is logged %d times", n)
	}
}

// A peer that causes ever new errors is not logged for ever.
func TestComplaintsAreBounded(t *testing.T) {
	d := new(diary)
	c := complaints{log: slog.New(slog.NewTextHandler(d, nil)), of: "n0", last: map[string]*complaint{}}
	for i := range 10_000 {
		c.complain("a connection is refused", "from", fmt.Sprintf("host %d", i), "it is a stranger")
	}
	if lines, all := d.count("\n"), len(c.last); lines != complaintsMost+1 || all != complaintsMost+1 {
		t.Errorf("%d lines are logged, and %d causes kept", lines, all)
	}
}

// The parts of an error that differ each time, such as a remote port, do not make it a new
// cause: a flood is logged once.
func TestComplaintIsLoggedOnceForEachCause(t *testing.T) {
	d := new(diary)
	c := complaints{log: slog.New(slog.NewTextHandler(d, nil)), of: "n0", last: map[string]*complaint{}}
	for i := range 1000 {
		c.complain("a connection is refused", "from", "10.0.0.1", fmt.Sprintf("read tcp 127.0.0.1:7000->127.0.0.1:%d: connection reset by peer", 30_000+i))
		c.complain("a connection is refused", "from", "10.0.0.1", fmt.Sprintf("it runs the system %q, and this is a node of \"echo\"", strings.Repeat("x", i)))
		c.complain("a datagram is refused", "from", "10.0.0.1", fmt.Sprintf("a value of %d bytes ends at byte %d", i, i/2))
	}
	c.complain("a connection is refused", "from", "10.0.0.2", "it is a stranger")
	if lines := d.count("\n"); lines != 4 {
		t.Errorf("%d lines are logged for 4 causes", lines)
	}
	c.since = c.since.Add(-2 * time.Minute)
	for _, one := range c.last {
		one.said = one.said.Add(-2 * time.Minute)
	}
	c.complain("a connection is refused", "from", "10.0.0.2", "it is a stranger")
	if n := d.count("times=999"); n != 3 {
		t.Errorf("%d of 3 causes are said to have come again 999 times", n)
	}
}

// A peer that says that it is another comes from elsewhere than the book says.
func TestClaimedIdentity(t *testing.T) {
	book := Book{}
	for _, ip := range []string{"127.0.0.2", "127.0.0.3"} {
		l, u, err := listen(ip + ":0")
		if err != nil {
			t.Skip("this machine has one loopback address")
		}
		book = append(book, l.Addr().String())
		_, _ = l.Close(), u.Close()
	}
	h, _ := startEchoes(t, Config{Book: book})
	c, err := net.Dial("tcp", book[1]) // from 127.0.0.1 or .3
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if err := greet(c, &hello{system: "echoes", run: h.run, from: 0, to: 1, life: 7, conn: 9}, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := met(c); err == nil || !strings.Contains(err.Error(), "which the book has at 127.0.0.2") {
		t.Errorf("it is let in: %v", err)
	}
	asks(t, h, 3)
}

// An acknowledgement may come while a node resets the connection.
func TestResetMeetsAcknowledgement(t *testing.T) {
	h, log := startEchoes(t, Config{})
	asks(t, h, 1)
	if err := h.Node(0).Look(func(sim.Node) {
		l := h.Node(0).links
		p := l.peers[1]
		l.sendTCP(p, number{2}, 100)
		p.sess.acked.Add(1)
		l.reset(p)
		if p.sess != nil || p.broken != 0 || len(p.out) != 0 || p.handed != 0 {
			t.Errorf("after a reset there is %+v", p)
		}
	}); err != nil {
		t.Fatal(err)
	}
	asks(t, h, 3)
	if log.count("breaks the protocol") > 0 {
		t.Error("the peer is taken for one who breaks the protocol")
	}
}

// If a partition begins while a connection is being opened, the messages that wait for the connection are
// refused, and do not wait for ever.
func TestPartedWhileDialing(t *testing.T) {
	h, _ := startEchoes(t, Config{})
	if err := h.Node(0).Look(func(sim.Node) {
		l := h.Node(0).links
		p := l.peers[1]
		near, far := net.Pipe()
		defer func() { _ = far.Close() }()
		p.out, p.dialing = append(p.out, outgoing{serial: 1}), true
		l.barrier = barrier{group{1: true}, group{1: true}}
		l.arrived(&arrival{kind: arriveUp, peer: 1, sess: l.door.session(near, 1, 5, 6, true), hello: &hello{life: 6}})
		if p.sess != nil || p.dialing || p.broken != sim.KindRefused {
			t.Errorf("a partition leaves %+v", p)
		}
	}); err != nil {
		t.Fatal(err)
	}
}

// Messages that wait in a bag or a set outlive the connection. When the node has heard of the
// connection's end, or has ended it, it opens another one for them.
func TestBoxesOutliveConnections(t *testing.T) {
	for name, end := range map[string]func(l *links, p *peer){
		"broken": func(l *links, p *peer) {
			p.broken = sim.KindRefused
			if l.flow(p); p.dialing {
				t.Error("a connection is asked for before the node has heard of the end of the last")
			}
			if e := &l.found; !l.broken() || e.Kind != sim.KindRefused {
				t.Errorf("heard of is %+v", e)
			}
		},
		"reset": func(l *links, p *peer) { l.reset(p) },
	} {
		h, _ := startEchoes(t, Config{})
		if err := h.Node(0).Look(func(sim.Node) {
			l := &h.Node(0).links
			l.barrier = barrier{group{1: true}, group{1: true}} // so that none is opened
			p := l.peers[1]
			p.boxes.out = append(p.boxes.out, boxed{outgoing: outgoing{serial: 1}, link: sim.LinkBag})
			if end(l, p); !p.dialing {
				t.Errorf("%s: no connection is asked for, though a message waits: %+v", name, p)
			}
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// With TLS a node is who its certificate says.
func TestTLS(t *testing.T) {
	authority := newAuthority(t)
	book, err := Loopback(2)
	if err != nil {
		t.Fatal(err)
	}
	start := func(i int, name string) (*Host, *diary) {
		return startEchoes(t, Config{Book: book, Only: []int{i}, TLS: authority.of(t, name)})
	}
	a, _ := start(0, "n0")
	_, _ = start(1, "n1")
	asks(t, a, 4)

	other, err := Loopback(2)
	if err != nil {
		t.Fatal(err)
	}
	book = other
	_, log := start(1, "n1")
	thief, _ := start(0, "n5") // has a certificate, and not of n0
	go func() {
		_, _ = thief.Node(0).Ask(t.Context(), begin{1}, func(fact any) bool { return fact == broken{sim.CauseRefused} })
	}()
	eventually(t, "refused", func() bool { return log.count("the certificate is of") > 0 })
}

// Whatever bytes a stranger sends as frames, a session rejects them or goes on.
func FuzzFrames(f *testing.F) {
	h, err := Start(echoes, Config{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = h.Stop() })
	f.Add(numberFrame(numberFrame(nil, frameAck, 0), frameBoxed, 7))
	f.Add(append(beginFrame(nil, framePing), 1, 2))
	b, _ := codecs.Of(echoes).Append(binary.AppendUvarint(beginFrame(nil, frameMessage), 1), number{1})
	f.Add(endFrame(b, 0))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := h.Node(1).links.door.session(nil, 0, 1, 2, false)
		from := bytes.NewReader(data)
		var head [frameHead]byte
		var buf []byte
		for {
			kind, body, err := readFrame(from, &head, buf, 1<<16)
			if err != nil {
				break
			}
			if s.take(kind, body, time.Now()) != nil {
				break
			}
		}
		if _, err := met(bytes.NewReader(data)); err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("two lines: %q", err)
		}
		_ = new(hello).read(data)
		_, _ = h.Node(1).links.datagrams.of(data)
		_, _ = h.Node(1).links.datagrams.of(append(datagramTo1(h), data...))
	})
}
