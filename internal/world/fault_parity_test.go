//go:build linux

package world

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"macemc/choose"
	"macemc/internal/transcript"
	"macemc/sim"
)

// The simulated links behave as real sockets do. testdata/parity/*.txt has a table of rules.
// Each rule is a script that is run over the loopback interface, and in every order of events
// that the simulation allows. The logs of the real nodes must be among those that the
// simulation can produce; if they are not, the rule says "differs", and its comment says why.
//
//	NODE sends PEER WORD...   by tcp
//	NODE udp PEER WORD...     by udp
//	NODE resets PEER          Port.Reset; SO_LINGER 0 and close
//	NODE closes PEER          Port.Reset; close
//	NODE crashes, NODE restarts
//	NODE hears PEER N         waits until N things came from the peer in this life
//
// A node's log lists the messages and errors that it got; its lives are divided by |. A run in
// which a node would wait for ever ends in "waits in vain".
func TestFaultParity(t *testing.T) {
	transcript.Run(t, "testdata/parity", func(t *testing.T, d *transcript.Data) string {
		transcript.Allow(t, d, "differs")
		if d.Cmd != "rule" {
			d.Fatalf(t, "no command %q", d.Cmd)
		}
		var script []operation
		for line := range strings.SplitSeq(d.Input, "\n") {
			script = append(script, parseOperation(t, d, line))
		}
		real, simulated := onSockets(t, script), inSimulation(t, script)
		if in := slices.Contains(simulated, real); in == d.HasArg("differs") {
			d.Fatalf(t, "on sockets: %s\nin the simulation: %q", real, simulated)
		}
		out := "sockets:    " + real + "\n"
		for _, s := range simulated {
			out += "simulation: " + s + "\n"
		}
		return out
	})
}

// operation is one line of a script.
type operation struct {
	node, verb, peer string
	words            []string
	n                int
}

func parseOperation(t *testing.T, d *transcript.Data, line string) operation {
	word := strings.Fields(line)
	o := operation{node: word[0], verb: word[1]}
	switch o.verb {
	case "sends", "udp":
		o.peer, o.words = word[2], word[3:]
	case "resets", "closes":
		o.peer = word[2]
	case "hears":
		o.peer = word[2]
		o.n, _ = strconv.Atoi(word[3])
	case "crashes", "restarts":
	default:
		d.Fatalf(t, "no operation %q", line)
	}
	return o
}

// parityNodes is how many nodes a rule may name.
const parityNodes = 3

// heard is a message or an error that a node got from a peer. If from is "", it marks the end of a life.
type heard struct{ from, what string }

// toldLog returns a log as text.
func toldLog(log []heard) string {
	if len(log) == 0 {
		return "-"
	}
	var out []string
	for _, h := range log {
		out = append(out, h.what)
	}
	return strings.Join(out, " ")
}

// fromPeer counts what came from a peer in this life.
func fromPeer(log []heard, peer string) (n int) {
	for _, h := range log {
		switch h.from {
		case "":
			n = 0
		case peer:
			n++
		}
	}
	return n
}

func outcome(script []operation, log func(node string) []heard) string {
	var out []string
	for i := range parityNodes {
		name := "n" + strconv.Itoa(i)
		if slices.ContainsFunc(script, func(o operation) bool { return o.node == name || o.peer == name }) {
			out = append(out, name+": "+toldLog(log(name)))
		}
	}
	return strings.Join(out, ";  ")
}

// The simulation.

// hearer is a node of the simulation that logs what it hears.
type hearer struct{ Log []heard }

func (h *hearer) Init(sim.Env) {}

func (h *hearer) hear(from sim.Addr, what string) { h.Log = append(h.Log, heard{from.String(), what}) }

func (h *hearer) Deliver(_ sim.Env, from sim.Addr, m sim.Message) { h.hear(from, string(m.(say))) }

func (h *hearer) Handle(env sim.Env, s sim.Signal) {
	switch s := s.(type) {
	case do:
		new(puppet).do(env, strings.Fields(string(s)))
	case sim.PeerError:
		h.hear(s.Peer, s.Cause.String())
	default:
		panic(fmt.Sprintf("hearer: no case for the signal %T", s))
	}
}

// director is a source that picks the events of the script in the script's order, and lets an odometer
// pick when the events of the network happen.
type director struct {
	w      *World
	script []operation
	at     int
	free   *choose.Odometer
}

func (d *director) Err() error { return d.free.Err() }

func (d *director) log(node string) []heard {
	n, _ := strconv.Atoi(node[1:])
	return d.w.nodes.at[n].node.(*hearer).Log
}

// settle moves past the "hears" lines of the script that are fulfilled. It reports whether the script is done.
func (d *director) settle() (done bool) {
	for d.at < len(d.script) {
		o := d.script[d.at]
		if o.verb != "hears" || fromPeer(d.log(o.node), o.peer) < o.n {
			return false
		}
		d.at++
	}
	return true
}

func (d *director) Answer(q *choose.Question) int {
	var may []int
	own := -1
	for k := range q.N {
		switch e := d.w.Events.At(k); e.Kind {
		case sim.KindMessage, sim.KindError, sim.KindRefused:
			may = append(may, k)
		default:
			if o := d.script[d.at]; e.Node.String() == o.node && operationKind(o) == e.Kind {
				own = k
				may = append(may, k)
			}
		}
	}
	if len(may) == 0 {
		return -1
	}
	k := may[d.free.Answer(&choose.Question{Kind: choose.Event, N: len(may), Alternatives: q.Alternatives})]
	if k == own {
		d.at++
	}
	return k
}

func operationKind(o operation) sim.Kind {
	switch o.verb {
	case "crashes":
		return sim.KindCrash
	case "restarts":
		return sim.KindRestart
	case "hears":
		return 0
	default:
		return sim.KindScript
	}
}

// inSimulation returns the outcomes of all runs of a script in the simulation, sorted.
func inSimulation(t *testing.T, script []operation) (outcomes []string) {
	sys := &sim.System{
		Name: "parity", Doc: "Nodes that log what they hear.",
		New: func(sim.Params, sim.Addr) sim.Node { return &hearer{} },
		Crash: func(_ sim.Params, _ sim.Addr, dead sim.Node) sim.Node {
			return &hearer{append(slices.Clone(dead.(*hearer).Log), heard{"", "|"})}
		},
		Script: func(_ sim.Params, self sim.Addr, life int) (openings []sim.Signal) {
			for _, o := range script {
				switch {
				case o.node != self.String():
				case o.verb == "crashes":
					life--
				case life == 0 && operationKind(o) == sim.KindScript:
					verb := map[string]string{"sends": "send", "udp": "udp", "resets": "reset", "closes": "reset"}[o.verb]
					openings = append(openings, do(strings.Join(append([]string{verb, o.peer}, o.words...), " ")))
				}
			}
			return openings
		},
	}
	p, err := sys.Configure(parityNodes, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := New(sys, p, Config{Conditions: sim.Conditions{Faults: &sim.Faults{Crash: sim.Unlimited}}})
	if err != nil {
		t.Fatal(err)
	}
	met := map[string]bool{}
	d := &director{w: w, script: script, free: choose.NewOdometer()}
	for more := true; more; more = d.free.Next() {
		d.at = 0
		if f := w.Protect(func() {
			w.Start(d)
			for !d.settle() && w.Step(d) == Stepped && w.Judge.Check() == nil {
			}
		}); f != nil {
			t.Fatal(f.Message)
		}
		text := outcome(script, d.log)
		if d.at < len(script) {
			o := d.script[d.at]
			if o.verb != "hears" {
				t.Fatalf("the simulation cannot do %v: %s", o, text)
			}
			text += ";  " + o.node + " waits in vain"
		}
		met[text] = true
	}
	if d.free.Err() != nil {
		t.Fatal(d.free.Err())
	}
	return sim.Keys(met)
}

// The sockets.

// patience is the time after which a test fails because something does not happen. No test waits for it to pass.
const patience = 20 * time.Second

// socketNode is a node on the loopback interface. It reads only when the script has a line "hears",
// so that the outcome does not depend on time.
type socketNode struct {
	name     string
	listener *net.TCPListener // nil while it is down
	udp      *net.UDPConn
	link     map[string]*socketLink
	log      []heard
}

type socketLink struct {
	*net.TCPConn
	read *bufio.Reader
}

type sockets struct {
	t    *testing.T
	node map[string]*socketNode
	tcp  map[string]string // where a node listens, or did before it crashed
	udp  map[string]*net.UDPAddr
}

func onSockets(t *testing.T, script []operation) string {
	s := &sockets{t, map[string]*socketNode{}, map[string]string{}, map[string]*net.UDPAddr{}}
	for i := range parityNodes {
		name := "n" + strconv.Itoa(i)
		s.node[name] = &socketNode{name: name}
		s.listen(s.node[name])
	}
	for _, o := range script {
		n := s.node[o.node]
		switch o.verb {
		case "sends":
			for _, m := range o.words {
				s.send(n, o.peer, m)
			}
		case "udp":
			for _, m := range o.words {
				_, err := n.udp.WriteTo([]byte(m), s.udp[o.peer])
				s.must(err)
			}
		case "resets":
			s.must(n.link[o.peer].SetLinger(0))
			s.must(n.link[o.peer].Close())
			delete(n.link, o.peer)
		case "closes":
			s.must(n.link[o.peer].Close())
			delete(n.link, o.peer)
		case "crashes":
			s.crash(n)
			n.log = append(n.log, heard{"", "|"})
		case "restarts":
			s.listen(n)
		case "hears":
			for fromPeer(n.log, o.peer) < o.n {
				n.log = append(n.log, heard{o.peer, s.hear(n, o.peer, script)})
			}
		}
	}
	text := outcome(script, func(node string) []heard { return s.node[node].log })
	for _, n := range s.node {
		s.crash(n)
	}
	return text
}

func (s *sockets) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// listen begins a life of a node.
func (s *sockets) listen(n *socketNode) {
	loopback := net.IPv4(127, 0, 0, 1)
	var err error
	n.listener, err = net.ListenTCP("tcp4", &net.TCPAddr{IP: loopback})
	s.must(err)
	n.udp, err = net.ListenUDP("udp4", &net.UDPAddr{IP: loopback})
	s.must(err)
	n.link = map[string]*socketLink{}
	s.tcp[n.name], s.udp[n.name] = n.listener.Addr().String(), n.udp.LocalAddr().(*net.UDPAddr)
}

// crash ends a life: the operating system closes the connections of the process. (It resets those
// that have unread bytes; here SO_LINGER 0 makes it reset all of them.)
func (s *sockets) crash(n *socketNode) {
	if n.listener == nil {
		return
	}
	for _, l := range n.link {
		s.must(l.SetLinger(0))
		s.must(l.Close())
	}
	s.must(n.listener.Close())
	s.must(n.udp.Close())
	n.listener = nil
}

// send opens a connection if there is none. If sending fails, the node learns of it when it next
// reads.
func (s *sockets) send(n *socketNode, peer, m string) {
	if n.link[peer] == nil {
		c, err := net.DialTimeout("tcp4", s.tcp[peer], patience)
		if errors.Is(err, syscall.ECONNREFUSED) {
			n.log = append(n.log, heard{peer, "refused"})
			return
		}
		s.must(err)
		s.link(n, peer, c.(*net.TCPConn))
	}
	if _, err := io.WriteString(n.link[peer], m+"\n"); err != nil && !broken(err) {
		s.t.Fatal(err)
	}
}

func (s *sockets) link(n *socketNode, peer string, c *net.TCPConn) {
	s.must(c.SetDeadline(time.Now().Add(patience)))
	n.link[peer] = &socketLink{c, bufio.NewReader(c)}
}

// hear waits for the next message or error of a peer.
func (s *sockets) hear(n *socketNode, peer string, script []operation) string {
	if slices.ContainsFunc(script, func(o operation) bool { return o.verb == "udp" }) {
		return s.hearUDP(n)
	}
	if n.link[peer] == nil {
		s.must(n.listener.SetDeadline(time.Now().Add(patience)))
		c, err := n.listener.AcceptTCP()
		s.must(err)
		s.link(n, peer, c)
	}
	line, err := n.link[peer].read.ReadString('\n')
	if err == nil {
		return strings.TrimSuffix(line, "\n")
	}
	if !broken(err) {
		s.t.Fatalf("%s hears of %s: %v", n.name, peer, err)
	}
	s.must(n.link[peer].Close())
	delete(n.link, peer)
	return "reset"
}

func (s *sockets) hearUDP(n *socketNode) string {
	buf := make([]byte, 100)
	s.must(n.udp.SetDeadline(time.Now().Add(patience)))
	k, err := n.udp.Read(buf)
	s.must(err)
	return string(buf[:k])
}

// broken reports whether an error means that a connection has ended; operating systems use
// different errors for it.
func broken(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}
