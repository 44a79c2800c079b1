package live

import (
	"bufio"
	"io"
	"net"
	"testing"
	"time"

	"macemc/internal/codecs"
	"macemc/sim"
)

// pump is a node that sends as fast as its buffer allows, or that answers.
type pump struct {
	udp  bool
	echo bool
	ways int // with echo: the number of messages under way at once, in both directions
	left int
	out  int // with echo: that have not come back
	got  int
	done chan struct{} `mc:"-"`
	most int
}

type (
	load struct {
		seq  int
		data string
	}
	goOn struct{ n int }
)

func (p *pump) port(env sim.Env) sim.Port {
	if p.udp {
		return env.UDP()
	}
	return env.TCP()
}

func (p *pump) Init(sim.Env) {}

func (p *pump) Handle(env sim.Env, s sim.Signal) {
	switch s := s.(type) {
	case goOn:
		p.left += s.n
	case sim.ClearToSend:
	default:
		return
	}
	p.push(env)
}

func (p *pump) push(env sim.Env) {
	to := env.Peers()[0]
	for p.left > 0 {
		if !p.port(env).Send(to, load{p.left, payload}) {
			env.TCP().RequestToSend(to)
			return
		}
		p.left--
		if p.out++; p.echo && p.out == p.ways {
			return // the answer asks for the next
		}
	}
}

func (p *pump) Deliver(env sim.Env, from sim.Addr, m sim.Message) {
	if env.Self() == from {
		return
	}
	p.got++
	if p.most == 0 { // the one who answers
		if p.echo {
			p.port(env).Send(from, m)
		} else if p.got%counted == 0 {
			p.done <- struct{}{}
		}
		return
	}
	if p.out--; p.left == 0 && p.out == 0 {
		p.done <- struct{}{}
		return
	}
	p.push(env)
}

var payload = string(make([]byte, 100))

var counted = 1

func pumps(udp bool, ways int, done chan struct{}) *sim.System {
	return &sim.System{
		Name: "pumps", Doc: "Two nodes, one of which sends.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
		New: func(p sim.Params, self sim.Addr) sim.Node {
			n := &pump{udp: udp, echo: ways > 0, ways: ways, done: done}
			if self == p.Addr(0) {
				n.most = 1
			}
			return n
		},
	}
}

// BenchmarkPair measures messages from one node to another: as a stream (and its delivery),
// there and back, and twenty there and back at a time. Each is measured with live's nodes and
// with a program of bare sockets that writes the same frames. A stream of datagrams is missing,
// since its loss depends on the size of buffers.
func BenchmarkPair(b *testing.B) {
	for _, of := range []struct {
		link, way string
		ways      int
	}{{"tcp", "stream", 0}, {"tcp", "there-and-back", 1}, {"udp", "twenty-there-and-back", 20}, {"udp", "there-and-back", 1}} {
		name := of.link + "/" + of.way
		b.Run(name+"/live", func(b *testing.B) {
			done := make(chan struct{}, 1)
			counted = b.N
			h, err := Start(pumps(of.link == "udp", of.ways, done), Config{})
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = h.Stop() }()
			b.ReportAllocs()
			b.ResetTimer()
			if err := h.Node(0).Request(b.Context(), goOn{b.N}); err != nil {
				b.Fatal(err)
			}
			<-done
		})
		b.Run(name+"/bare", func(b *testing.B) { bare(b, of.link, of.ways) })
	}
}

// bare measures the same exchange by a program of bare sockets. Like a connection of nodes, it limits the
// number of messages of a stream that are under way.
func bare(b *testing.B, link string, ways int) {
	echo := ways > 0
	frame, err := codecs.Of(pumps(false, 0, nil)).Append(numberFrame(nil, frameMessage, 1), load{1, payload})
	if err != nil {
		b.Fatal(err)
	}
	frame = endFrame(frame, 0)
	var near, far net.Conn
	if link == "udp" {
		u, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
		if err != nil {
			b.Fatal(err)
		}
		defer func() { _ = u.Close() }()
		if near, err = net.Dial("udp", u.LocalAddr().String()); err != nil {
			b.Fatal(err)
		}
		go func() {
			buf := make([]byte, 2000)
			for {
				n, from, err := u.ReadFromUDPAddrPort(buf)
				if err != nil {
					return
				}
				_, _ = u.WriteToUDPAddrPort(buf[:n], from)
			}
		}()
	} else {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			b.Fatal(err)
		}
		if near, err = net.Dial("tcp", l.Addr().String()); err != nil {
			b.Fatal(err)
		}
		if far, err = l.Accept(); err != nil {
			b.Fatal(err)
		}
		_ = l.Close()
		go answer(far, echo)
	}
	defer func() { _ = near.Close() }()
	_ = near.SetDeadline(time.Now().Add(patience))
	b.ReportAllocs()
	b.ResetTimer()
	buf := make([]byte, len(frame))
	if link == "udp" {
		buf = make([]byte, 2000)
	}
	if echo {
		for i := range b.N + ways - 1 {
			if i < b.N {
				if _, err := near.Write(frame); err != nil {
					b.Fatal(err)
				}
			}
			if i < ways-1 {
				continue
			}
			if link == "udp" {
				_, err = near.Read(buf)
			} else {
				_, err = io.ReadFull(near, buf)
			}
			if err != nil {
				b.Fatal(err)
			}
		}
		return
	}
	room := make(chan struct{}, 20)
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		acks := bufio.NewReader(near)
		for range b.N {
			if _, err := acks.ReadByte(); err != nil {
				return
			}
			<-room
		}
	}()
	for range b.N {
		room <- struct{}{}
		if _, err := near.Write(frame); err != nil {
			b.Fatal(err)
		}
	}
	<-finished
}

// answer reads frames, and sends them back or acknowledges them by a byte.
func answer(c net.Conn, echo bool) {
	defer func() { _ = c.Close() }()
	from := bufio.NewReader(c)
	var head [frameHead]byte
	var buf []byte
	for {
		kind, body, err := readFrame(from, &head, buf, 1<<20)
		if err != nil {
			return
		}
		buf = body
		if echo {
			out := append(beginFrame(nil, kind), body...)
			_, err = c.Write(endFrame(out, 0))
		} else {
			_, err = c.Write([]byte{1})
		}
		if err != nil {
			return
		}
	}
}
