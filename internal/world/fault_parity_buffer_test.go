//go:build linux

package world

import (
	"fmt"
	"io"
	"net"
	"syscall"
	"testing"
	"time"

	"macemc/choose"
	"macemc/internal/state"
	"macemc/sim"
)

// TestFaultParityBuffer fills a buffer, in the simulation and on sockets, and checks that both behave alike:
// Send is refused at some point, the accepted messages arrive in order and without a gap, and there is room
// again when the receiver has read.
func TestFaultParityBuffer(t *testing.T) {
	const rule = "refused, then %t accepted messages arrive in order, then room: %t"
	want := fmt.Sprintf(rule, true, true)

	accepted, inOrder, room := fillSimulation(t)
	if got := fmt.Sprintf(rule, inOrder, room); got != want || accepted != bufferOfTest {
		t.Errorf("simulation: %d accepted, %s", accepted, got)
	}
	accepted, inOrder, room = fillSocket(t)
	if got := fmt.Sprintf(rule, inOrder, room); got != want {
		t.Errorf("sockets: %d accepted, %s", accepted, got)
	}
	t.Logf("sockets: %d accepted", accepted)
}

// bufferOfTest is the size of the simulated buffer in this test.
const bufferOfTest = 5

func fillSimulation(t *testing.T) (accepted int, inOrder, room bool) {
	sys := &sim.System{
		Name: "fill", Doc: "n0 sends until it is refused.",
		New: func(sim.Params, sim.Addr) sim.Node { return &filler{} },
		Script: func(_ sim.Params, self sim.Addr, _ int) []sim.Signal {
			if self == state.AddrOf(0) {
				return []sim.Signal{do("fill")}
			}
			return nil
		},
	}
	p, err := sys.Configure(2, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := New(sys, p, Config{Conditions: sim.Conditions{Network: sim.Network{TCPBuffer: bufferOfTest}}})
	if err != nil {
		t.Fatal(err)
	}
	if f := w.Protect(func() {
		source := choose.NewFixed() // always the first event: messages before news of room
		for w.Start(source); w.Step(source) == Stepped; {
		}
	}); f != nil {
		t.Fatal(f.Message)
	}
	n0, n1 := w.nodes.at[0].node.(*filler), w.nodes.at[1].node.(*filler)
	return n0.Sent, n1.Got == n0.Sent && !n1.Gap, n0.Room
}

type filler struct {
	Sent, Got int
	Gap, Room bool
}

func (f *filler) Init(sim.Env) {}

func (f *filler) Handle(env sim.Env, s sim.Signal) {
	switch s.(type) {
	case do:
		for env.TCP().Send(state.AddrOf(1), f.Sent) {
			f.Sent++
		}
		env.TCP().RequestToSend(state.AddrOf(1))
	case sim.ClearToSend:
		f.Room = true
	}
}

func (f *filler) Deliver(_ sim.Env, _ sim.Addr, m sim.Message) {
	f.Gap = f.Gap || m != f.Got
	f.Got++
}

// fillSocket writes bytes without waiting until the system refuses one.
func fillSocket(t *testing.T) (accepted int, inOrder, room bool) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	must(t, err)
	defer func() { must(t, listener.Close()) }()
	client, err := net.Dial("tcp4", listener.Addr().String())
	must(t, err)
	defer func() { must(t, client.Close()) }()
	server, err := listener.Accept()
	must(t, err)
	defer func() { must(t, server.Close()) }()
	for _, c := range []net.Conn{client, server} {
		must(t, c.SetDeadline(time.Now().Add(patience)))
	}
	must(t, client.(*net.TCPConn).SetWriteBuffer(4096))
	must(t, server.(*net.TCPConn).SetReadBuffer(4096))
	raw, err := client.(*net.TCPConn).SyscallConn()
	must(t, err)

	refused := false
	must(t, raw.Write(func(fd uintptr) bool {
		for !refused {
			switch n, err := syscall.Write(int(fd), []byte{byte(accepted)}); {
			case n == 1:
				accepted++
			case err == syscall.EAGAIN:
				refused = true
			case err != syscall.EINTR:
				t.Fatalf("write: %d, %v", n, err)
			}
		}
		return true
	}))
	got := make([]byte, accepted)
	_, err = io.ReadFull(server, got)
	must(t, err)
	inOrder = true
	for i, b := range got {
		inOrder = inOrder && b == byte(i)
	}
	must(t, raw.Write(func(fd uintptr) bool { // waits until the system says that there is room
		n, _ := syscall.Write(int(fd), []byte{0})
		room = n == 1
		return room
	}))
	return accepted, inOrder, room
}

// TestFaultParityOverflow checks, on sockets and in the simulation, that datagrams which do not fit into the
// buffer are lost without an error for the sender, that the others keep their order, and that later ones arrive.
func TestFaultParityOverflow(t *testing.T) {
	receiver, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	must(t, err)
	defer func() { must(t, receiver.Close()) }()
	must(t, receiver.SetReadBuffer(2048))
	must(t, receiver.SetDeadline(time.Now().Add(patience)))
	sender, err := net.DialUDP("udp4", nil, receiver.LocalAddr().(*net.UDPAddr))
	must(t, err)
	defer func() { must(t, sender.Close()) }()

	const many = 1000
	datagram := func(i int) []byte { return append([]byte{byte(i >> 8), byte(i)}, make([]byte, 200)...) }
	for i := range many {
		_, err := sender.Write(datagram(i))
		must(t, err)
	}
	arrived, last, buf := 0, -1, make([]byte, 300)
	for { // after each that is read, one more is sent, until one of those arrives
		_, err := receiver.Read(buf)
		must(t, err)
		i := int(buf[0])<<8 | int(buf[1])
		if i <= last {
			t.Fatalf("sockets: %d arrived after %d", i, last)
		}
		if last = i; i >= many {
			break
		}
		_, err = sender.Write(datagram(many + arrived))
		must(t, err)
		arrived++
	}
	if arrived == many {
		t.Error("sockets: nothing was lost")
	}
	t.Logf("sockets: %d of %d arrived", arrived, many)
	// The simulation's half of the rule is the transcript testdata/fault/udp.txt.
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
