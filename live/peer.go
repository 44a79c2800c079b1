package live

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"slices"
	"syscall"
	"time"

	"macemc/internal/canon"
	"macemc/netsim"
	"macemc/sim"
)

// peer is what a node keeps about another one, or about itself. It belongs to the
// node's goroutine.
//
// Its connection follows the rules of netsim: it opens with the first message that is
// delivered, by one end or the other; when it breaks after that, each end hears of it
// once, ahead of all that comes later, and what was under way is lost; when it
// breaks before that nobody hears of it, and what was sent goes by the next one. That
// takes knowing what was delivered at the other end: acknowledgements say so, and where a
// break has cut one off, the next hello does.
type peer struct {
	at   int
	addr sim.Addr

	sess    *session
	seen    bool // it was ever there
	dialing bool
	redial  time.Time // not before

	out     []outgoing // sent by TCP, and not known to be delivered
	handed  int        // how many of them this connection was given
	acked   uint64     // messages that it has delivered of this connection
	last    uint64     // the serial of the last that is known to be delivered
	open    bool
	in      []incoming // came by TCP
	asked   bool       // the node waits for room
	free    [][]byte
	lost    uint64   // a connection that broke while it was not known to be open; 0: none
	lostOf  uint64   // and with which life of the peer
	before  uint64   // the connection before this one
	came    uint64   // and how many messages were delivered here by it
	broken  sim.Kind // an error to be heard of: KindError or KindRefused; 0: none
	brokenC uint64   // of which connection

	grams []incoming // datagrams that came

	box     []boxed         // messages of bags and sets, to the peer
	boxOut  int             // of them that this connection was given and that were not taken
	boxed   []incoming      // that came and were not delivered
	set     []incoming      // what is in the node's set of this peer's, in canonical order
	taken   map[uint64]bool // serials that came, of takenOf
	takenOf uint64          // a life of the peer
}

type outgoing struct {
	serial uint64
	frame  []byte
	value  any // to oneself
}

type boxed struct {
	outgoing
	link  sim.Link
	sum   string // of a set: what it is known by
	given bool   // to this connection
	took  uint64 // a life of the peer that has it; of a bag it is gone then
}

type incoming struct {
	value  any
	serial uint64
	life   uint64
	conn   uint64
	link   sim.Link
	sum    canon.Hash // of one in a set
}

// room reports whether one more message can be queued, after so many in this step.
func (p *peer) room(buffer, spent int) bool {
	if spent < emptied/2 {
		return spent-emptied < buffer
	}
	return len(p.out)+spent < buffer
}

// send queues a message by TCP.
func (n *Node) sendTCP(p *peer, m sim.Message, serial uint64) {
	if p.at == n.at {
		p.out = append(p.out, outgoing{serial: serial, value: m})
		p.in = append(p.in, incoming{value: m, serial: serial, life: n.life, conn: 0, link: sim.LinkTCP})
		return
	}
	frame, err := n.frame(frameMessage, serial, m, p.spare())
	if err != nil {
		n.cannot(m, err)
		return
	}
	p.out = append(p.out, outgoing{serial: serial, frame: frame})
	if w := n.config.Weather; w != nil && p.sess != nil && w.breaks() {
		n.breaks(p, errors.New("the weather broke it"))
	}
	n.flow(p)
}

// freeMost is how many frames a peer keeps for later messages.
const freeMost = 32

// spare is the memory of a frame that is not used any more.
func (p *peer) spare() (frame []byte) {
	if last := len(p.free) - 1; last >= 0 {
		frame, p.free = p.free[last][:0], p.free[:last]
	}
	return frame
}

// flow hands what is queued to the connection, or asks for one.
func (n *Node) flow(p *peer) {
	if p.at == n.at || p.broken != 0 {
		return
	}
	if p.sess == nil {
		if len(p.out) > 0 || len(p.box) > p.settled() {
			n.dial(p)
		}
		return
	}
	for ; p.handed < len(p.out); p.handed++ {
		p.sess.hand(p.out[p.handed].frame)
	}
	n.flowBox(p)
}

// settled is how many messages of sets the peer has, in the life that is known.
func (p *peer) settled() (k int) {
	for i := range p.box {
		if p.box[i].took != 0 && p.sess == nil {
			k++
		}
	}
	return k
}

// dial opens a connection, unless that is being done.
func (n *Node) dial(p *peer) {
	if p.dialing || p.sess != nil || n.closing {
		return
	}
	now := time.Now()
	if now.Before(p.redial) {
		n.alarm(p.redial)
		return
	}
	p.dialing = true
	if n.cut&(1<<p.at) != 0 {
		n.post(arrival{kind: arriveNoDial, peer: p.at, err: errCut})
		return
	}
	h := n.hello(p)
	h.conn = n.draw()
	n.host.goes.Add(1)
	go func() {
		defer n.host.goes.Done()
		n.dials(p.at, h)
	}()
}

var errCut = errors.New("there is a partition between the nodes")

// dials opens a connection and says hello, on a goroutine of its own.
func (n *Node) dials(to int, h *hello) {
	fail := func(err error) { n.post(arrival{kind: arriveNoDial, peer: to, err: err}) }
	d := net.Dialer{Timeout: n.config.Timeout}
	if ip := n.listener.Addr().(*net.TCPAddr).IP; !ip.IsUnspecified() {
		d.LocalAddr = &net.TCPAddr{IP: ip}
	}
	conn, err := d.DialContext(n.alive, "tcp", n.host.book[to])
	if err != nil {
		fail(err)
		return
	}
	n.greeting(conn, true)
	defer n.greeting(conn, false)
	if err = conn.SetDeadline(time.Now().Add(n.config.Timeout)); err == nil && n.config.TLS != nil {
		conn, err = n.encrypt(conn, to, false)
	}
	if err == nil {
		err = greet(conn, h, "")
	}
	var w *hello
	if err == nil {
		w, err = met(conn)
	}
	if err == nil {
		err = n.agrees(w, to)
	}
	if err == nil {
		err = conn.SetDeadline(time.Time{})
	}
	if err != nil {
		_ = conn.Close()
		fail(err)
		return
	}
	s := n.newSession(conn, to, h.conn, w.life, true)
	n.post(arrival{kind: arriveUp, peer: to, sess: s, hello: w})
}

// encrypt begins TLS, and checks that the other end is the node that it is to be.
func (n *Node) encrypt(conn net.Conn, to int, accepts bool) (net.Conn, error) {
	c := n.config.TLS.Clone()
	if c.MinVersion < tls.VersionTLS12 {
		c.MinVersion = tls.VersionTLS12
	}
	var t *tls.Conn
	if accepts {
		c.ClientAuth = tls.RequireAndVerifyClientCert
		t = tls.Server(conn, c)
	} else {
		c.ServerName = n.name(to)
		if c.RootCAs == nil {
			c.RootCAs = c.ClientCAs
		}
		// A certificate without names is of the node that its common name says.
		c.InsecureSkipVerify = true
		c.VerifyConnection = func(s tls.ConnectionState) error { return verified(s, c.RootCAs, n.name(to)) }
		t = tls.Client(conn, c)
	}
	return t, t.HandshakeContext(n.alive)
}

// verified checks a certificate by hand, since the name in it is a node's.
func verified(s tls.ConnectionState, roots *x509.CertPool, name string) error {
	if len(s.PeerCertificates) == 0 {
		return errors.New("the other end shows no certificate")
	}
	between := x509.NewCertPool()
	for _, c := range s.PeerCertificates[1:] {
		between.AddCert(c)
	}
	if _, err := s.PeerCertificates[0].Verify(x509.VerifyOptions{Roots: roots, Intermediates: between, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}}); err != nil {
		return err
	}
	return certifies(s.PeerCertificates[0], name)
}

func certifies(c *x509.Certificate, name string) error {
	if c.Subject.CommonName == name || slices.Contains(c.DNSNames, name) {
		return nil
	}
	return fmt.Errorf("the certificate is of %s and %q, not of %s", printable([]byte(c.Subject.CommonName)), c.DNSNames, name)
}

// accepts answers one who connects, on a goroutine of its own.
func (n *Node) accepts(conn net.Conn) {
	remote := conn.RemoteAddr().String()
	n.greeting(conn, true)
	defer n.greeting(conn, false)
	refuse := func(why error) {
		host, _, _ := net.SplitHostPort(remote)
		n.host.metrics.refusals.Add(1)
		n.complain("a connection is refused", "from", host, "why", why.Error())
		_ = greet(conn, nil, why.Error())
		_ = conn.Close()
	}
	err := conn.SetDeadline(time.Now().Add(min(n.config.Timeout, 5*time.Second)))
	if err == nil && n.config.TLS != nil {
		plain := conn
		if conn, err = n.encrypt(conn, 0, true); err != nil {
			conn = plain
		}
	}
	var h *hello
	if err == nil {
		h, err = met(conn)
	}
	if err == nil {
		err = n.agrees(h, h.from)
	}
	if err == nil {
		err = n.claims(conn, h.from)
	}
	if err != nil {
		refuse(err)
		return
	}
	reply := make(chan answered, 1)
	n.post(arrival{kind: arriveOffer, peer: h.from, conn: conn, hello: h, reply: reply})
	var a answered
	select {
	case a = <-reply:
	case <-n.stopped:
		_ = conn.Close()
		return
	}
	if a.sess == nil {
		_ = greet(conn, nil, a.why)
		_ = conn.Close()
		return
	}
	if err = greet(conn, a.hello, ""); err == nil {
		err = conn.SetDeadline(time.Time{})
	}
	if err != nil {
		a.sess.down(err, false, false)
		return
	}
	a.sess.start()
}

// answered is what a node says to one who connects: a session, or why not.
type answered struct {
	sess  *session
	hello *hello
	why   string
}

const crossed = "crossed: my own connection to you is under way"

// agrees checks what the other end says of itself.
func (n *Node) agrees(h *hello, from int) error {
	switch {
	case h.system != n.host.sys.Name:
		return fmt.Errorf("it runs the system %q, and this is a node of %q", printable([]byte(h.system)), n.host.sys.Name)
	case h.run != n.host.run:
		return fmt.Errorf("it runs with %q, and this node with %q: give all nodes the same nodes, parameters and codec", printable([]byte(h.run)), n.host.run)
	case h.from != from || h.from >= n.host.params.Nodes || h.from == n.at:
		return fmt.Errorf("it says that it is n%d, which it cannot be", h.from)
	case h.to != n.at:
		return fmt.Errorf("it wants n%d, and this is %s: the address books differ", h.to, n.name(n.at))
	case h.life == 0 || h.conn == 0:
		return errors.New("the hello is malformed")
	}
	if n.ownCodec != nil {
		for _, t := range h.types {
			if err := n.ownCodec.Differs(t); err != nil {
				return err
			}
		}
	}
	return nil
}

// claims checks that who says that it is a node comes from where that node is, or has
// its certificate.
func (n *Node) claims(conn net.Conn, from int) error {
	if t, is := conn.(*tls.Conn); is {
		return certifies(t.ConnectionState().PeerCertificates[0], n.name(from))
	}
	at := conn.RemoteAddr().(*net.TCPAddr).IP
	for _, ip := range n.host.ips(from) {
		if ip.Equal(at) {
			return nil
		}
	}
	return fmt.Errorf("it says that it is %s, which the book has at %s", n.name(from), n.host.book[from])
}

// hello is what this node says to a peer.
func (n *Node) hello(p *peer) *hello {
	h := &hello{
		system: n.host.sys.Name, run: n.host.run, from: n.at, to: p.at, life: n.life,
		conn: 1, last: p.before, came: p.came, low: n.m.sends + 1,
	}
	for i := range p.box {
		if p.box[i].serial < h.low {
			h.low = p.box[i].serial
		}
	}
	if n.ownCodec != nil {
		h.types = n.ownCodec.Types()
		h.types = h.types[:min(len(h.types), typesMost)]
	}
	return h
}

// offered is a connection that a peer opens: the node takes it or says why not.
func (n *Node) offered(a *arrival) {
	p := n.peers[a.peer]
	switch {
	case n.cut&(1<<p.at) != 0 || n.closing:
		a.reply <- answered{why: "not now"}
		return
	case p.dialing && p.sess == nil && n.at < p.at:
		a.reply <- answered{why: crossed}
		return
	case p.sess != nil && p.sess.dialed && p.sess.life == a.hello.life && p.sess.id != a.hello.last:
		// It has answered my connection since it said this: had it lost that, it would be its last.
		a.reply <- answered{why: crossed}
		return
	case p.sess != nil: // it knows of no connection any more
		n.breaks(p, errors.New("the other node has opened another"))
	}
	s := n.newSession(a.conn, p.at, a.hello.conn, a.hello.life, false)
	a.reply <- answered{sess: s, hello: n.welcome(p, a.hello)}
	n.established(p, s, a.hello)
}

func (n *Node) welcome(p *peer, h *hello) *hello {
	w := n.hello(p)
	w.conn = h.conn
	return w
}

// established takes a connection into use.
func (n *Node) established(p *peer, s *session, h *hello) {
	p.sess, p.seen, p.dialing = s, true, false
	p.handed, p.acked, p.open, p.in = 0, 0, false, p.in[:0]
	p.boxOut = 0
	for i := range p.box {
		p.box[i].given = false
	}
	if p.takenOf != h.life {
		p.taken, p.takenOf = map[uint64]bool{}, h.life
	}
	for serial := range p.taken {
		if serial < h.low {
			delete(p.taken, serial)
		}
	}
	n.recorded(&Entry{Kind: EntryOpened, Peer: p.at, Conn: s.id, Other: s.life})
	n.config.Log.Debug("connected", "node", n.name(n.at), "peer", n.name(p.at))
	if p.lost != 0 && len(p.out) > 0 && p.broken == 0 { // what became of what was sent?
		switch {
		case h.life != p.lostOf:
			p.broken, p.brokenC = sim.KindRefused, p.lost
		case h.last == p.lost && h.came > 0:
			p.broken, p.brokenC = sim.KindError, p.lost
		}
	}
	p.lost = 0
	n.flow(p)
}

// breaks ends the connection with a peer, if there is one.
func (n *Node) breaks(p *peer, err error) {
	if p.sess != nil {
		p.sess.close(false)
		n.ended(p, err, false)
	}
}

// ended is what a connection that is over leaves.
func (n *Node) ended(p *peer, err error, open bool) {
	s := p.sess
	n.acknowledge(p)
	p.sess = nil
	n.recorded(&Entry{Kind: EntryClosed, Peer: p.at, Conn: s.id})
	if !quiet(err) {
		n.config.Log.Debug("disconnected", "node", n.name(n.at), "peer", n.name(p.at), "why", err.Error())
	}
	p.before, p.came = s.id, s.delivered.Load()
	p.in = p.in[:0]
	p.handed = 0
	for i := range p.box {
		p.box[i].given = false
	}
	p.boxOut = 0
	switch {
	case p.broken != 0:
	case p.open || open:
		p.broken, p.brokenC = sim.KindError, s.id
	case len(p.out) > 0:
		p.lost, p.lostOf = s.id, s.life
	}
	p.open = false
	n.flow(p)
}

// acknowledge takes what the peer has delivered off the queue.
func (n *Node) acknowledge(p *peer) {
	if p.sess == nil {
		return
	}
	d := p.sess.acked.Load() - p.acked
	if d == 0 {
		return
	}
	if d > uint64(p.handed) {
		n.complain("a peer breaks the protocol", "peer", n.name(p.at), "why", "it says that more was delivered than was sent")
		p.sess.acked.Store(p.acked)
		n.breaks(p, nil)
		return
	}
	p.acked += d
	p.last = p.out[d-1].serial
	for i := range p.out[:d] {
		if f := p.out[i].frame; len(p.free) < freeMost && cap(f) <= 64<<10 {
			p.free = append(p.free, f)
		}
	}
	kept := copy(p.out, p.out[d:])
	clear(p.out[kept:])
	p.out, p.handed = p.out[:kept], p.handed-int(d)
	p.open = true
}

// notDialed is that no connection could be opened.
func (n *Node) notDialed(a *arrival) {
	p := n.peers[a.peer]
	p.dialing = false
	if p.sess != nil {
		return
	}
	var other refused
	soon := func(d time.Duration) {
		p.redial = time.Now().Add(d)
		n.flow(p)
	}
	switch {
	case errors.As(a.err, &other) && string(other) == crossed:
		soon(50 * time.Millisecond)
		return
	case errors.As(a.err, &other) && string(other) != "not now":
		n.complain("a peer refuses this node", "peer", n.name(p.at), "why", string(other))
	case errors.Is(a.err, errCut):
	case !p.seen && time.Since(n.began) < n.config.Grace:
		soon(20 * time.Millisecond)
		return
	case !errors.Is(a.err, syscall.ECONNREFUSED) && !errors.Is(a.err, syscall.ECONNRESET):
		n.config.Log.Debug("no connection", "node", n.name(n.at), "peer", n.name(p.at), "why", a.err.Error())
	}
	if len(p.out) > 0 && p.broken == 0 {
		p.broken, p.brokenC = sim.KindRefused, p.lost
		p.lost = 0
	}
	if len(p.box) > 0 { // they wait
		soon(100 * time.Millisecond)
	}
}

// reset is Port.Reset.
func (n *Node) reset(p *peer) (conn uint64) {
	p.out = p.out[:0]
	p.asked, p.broken, p.lost = false, 0, 0
	if p.at == n.at {
		p.in = p.in[:0]
		return 0
	}
	if p.sess == nil {
		return 0
	}
	s := p.sess
	n.acknowledge(p)
	conn = s.id
	open := byte(0)
	if p.open {
		open = 1
	}
	frame := append(beginFrame(nil, frameReset), open)
	s.hand(endFrame(frame, 0))
	s.close(true)
	p.open = false
	p.out = p.out[:0]
	n.ended(p, errReset, false)
	return conn
}

// The messages of bags and sets.

func (n *Node) sendBox(p *peer, link sim.Link, m sim.Message, serial uint64) {
	b := boxed{outgoing: outgoing{serial: serial, value: m}, link: link}
	if p.at == n.at {
		if link == sim.LinkSet {
			frame, err := n.frame(frameSet, 0, m, nil)
			if err != nil {
				n.cannot(m, err)
				return
			}
			if b.sum = string(frame); slices.ContainsFunc(p.box, func(o boxed) bool { return o.sum == b.sum }) {
				return
			}
			p.box = append(p.box, b)
		}
		p.boxed = append(p.boxed, incoming{value: m, serial: serial, life: n.life, conn: 0, link: link})
		n.intoSet(p, incoming{value: m, serial: serial, life: n.life, conn: 0, link: link})
		return
	}
	var err error
	if b.frame, err = n.frame(kindOf(link), serial, m, nil); err != nil {
		n.cannot(m, err)
		return
	}
	if link == sim.LinkSet {
		frame, _ := n.frame(frameSet, 0, m, nil)
		if b.sum = string(frame); slices.ContainsFunc(p.box, func(o boxed) bool { return o.sum == b.sum }) {
			return
		}
	}
	b.value = nil
	p.box = append(p.box, b)
	n.flow(p)
}

func (n *Node) flowBox(p *peer) {
	for i := range p.box {
		b := &p.box[i]
		if b.given || b.took == p.sess.life {
			continue
		}
		if p.boxOut >= boxedMost {
			return
		}
		b.given = true
		p.boxOut++
		p.sess.hand(b.frame)
	}
}

// tookBox is that the peer has a message of a bag or a set.
func (n *Node) tookBox(p *peer, serial uint64) {
	for i := range p.box {
		if b := &p.box[i]; b.serial == serial && b.given {
			b.took, b.given = p.sess.life, false
			p.boxOut--
			if b.link == sim.LinkBag {
				p.box = slices.Delete(p.box, i, i+1)
			}
			n.flowBox(p)
			return
		}
	}
}

// cameBox is a message of a bag or a set that came.
func (n *Node) cameBox(p *peer, a *arrival) {
	if a.link == sim.LinkSet {
		p.sess.hand(numberFrame(nil, frameBoxed, a.serial))
	}
	if p.taken[a.serial] {
		if a.link == sim.LinkBag && !slices.ContainsFunc(p.boxed, func(i incoming) bool { return i.serial == a.serial && i.life == a.life }) {
			p.sess.hand(numberFrame(nil, frameBoxed, a.serial)) // it was delivered, and that got lost
		}
		return
	}
	if len(p.boxed) >= 2*boxedMost {
		n.complain("a peer breaks the protocol", "peer", n.name(p.at), "why", "it sends more messages of bags than may be under way")
		n.breaks(p, nil)
		return
	}
	p.taken[a.serial] = true
	p.boxed = append(p.boxed, incoming{value: a.value, serial: a.serial, life: a.life, conn: 0, link: a.link})
	n.intoSet(p, incoming{value: a.value, serial: a.serial, life: a.life, conn: 0, link: a.link})
}

// intoSet keeps a message of a set for nodes that gather.
func (n *Node) intoSet(p *peer, i incoming) {
	if i.link != sim.LinkSet {
		return
	}
	sum, err := n.m.walker.Sum(i.value)
	if err != nil {
		return
	}
	i.sum = sum
	at, _ := slices.BinarySearchFunc(p.set, i, func(a, b incoming) int { return netsim.CompareSums(a.sum, b.sum) })
	p.set = slices.Insert(p.set, at, i)
}
