package live

import (
	"bufio"
	"io"
	"net"
	"testing"
	"time"

	"macemc/sim"
)

// pump is a node that sends as fast as its buffer allows, or that answers.
type pump struct {
	udp  bool
	echo bool
	left int
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
		if p.left--; p.echo {
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
	if p.left == 0 {
		p.done <- struct{}{}
		return
	}
	p.push(env)
}

var payload = string(make([]byte, 100))

var counted = 1

func pumps(udp, echo bool, done chan struct{}) *sim.System {
	return &sim.System{
		Name: "pumps", Doc: "Two nodes, one of which sends.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
		New: func(p sim.Params, self sim.Addr) sim.Node {
			n := &pump{udp: udp, echo: echo, done: done}
			if self == p.Addr(0) {
				n.most = 1
			}
			return n
		},
	}
}

// BenchmarkPair is a message from one node to another: as a stream (and its delivery), and
// there and back; here and by a program of bare sockets with the same frames.
func BenchmarkPair(b *testing.B) {
	for _, udp := range []bool{false, true} {
		link := map[bool]string{false: "tcp", true: "udp"}[udp]
		for _, echo := range []bool{false, true} {
			if udp && !echo {
				continue // what is lost by a stream of datagrams is a matter of buffers
			}
			way := map[bool]string{false: "stream", true: "there-and-back"}[echo]
			b.Run(link+"/"+way+"/live", func(b *testing.B) {
				done := make(chan struct{}, 1)
				counted = b.N
				h, err := Start(pumps(udp, echo, done), Config{})
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
			b.Run(link+"/"+way+"/bare", func(b *testing.B) { bare(b, link, echo) })
		}
	}
}

// bare is the same by sockets alone. A stream has at most as many messages under way as
// a connection of nodes.
func bare(b *testing.B, link string, echo bool) {
	frame, err := codecOf(pumps(false, false, nil)).Append(numberFrame(nil, frameMessage, 1), load{1, payload})
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
		for range b.N {
			if _, err := near.Write(frame); err != nil {
				b.Fatal(err)
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
