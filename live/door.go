package live

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"
)

// door opens and accepts the connections of a node, and identifies the peer at the other end of
// each. It works on goroutines of its own, and posts the results to the inbox of the node.
type door struct {
	*place
	packer    *packer
	datagrams *datagrams
	works     func(now time.Time) // see Node.works
	buffer    int
	listener  *net.TCPListener
	meetings  meter // counts the connections on which no hello has arrived

	mu      sync.Mutex
	closed  bool
	greeted map[net.Conn]bool
}

// greeting adds a connection to those whose hello is awaited, or removes it if begins is false.
// When the node ends, these connections are closed.
func (d *door) greeting(c net.Conn, begins bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if begins {
		if d.closed {
			_ = c.Close()
			return
		}
		d.greeted[c] = true
	} else {
		delete(d.greeted, c)
	}
}

// close ends the accepting of connections, and closes those whose hello is awaited.
func (d *door) close() {
	_ = d.listener.Close()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	for c := range d.greeted {
		_ = c.Close()
	}
}

// listens accepts connections until the node stops. It waits for a limited number of hellos at
// a time.
func (d *door) listens() {
	defer d.host.goes.Done()
	for {
		c, err := d.listener.Accept()
		if err != nil {
			return
		}
		if !d.meetings.enter() {
			d.complaints.complain("a connection is refused", "from", "anybody", "too many have connected and not said who they are")
			_ = c.Close()
			continue
		}
		d.host.goes.Go(func() {
			defer d.meetings.leave()
			d.accepts(c)
		})
	}
}

// dials opens a connection to node to, sends hello h and waits for the answer. It runs on a
// goroutine of its own.
func (d *door) dials(to int, h *hello) {
	fail := func(err error) { d.inbox.post(arrival{kind: arriveNoDial, peer: to, err: err}) }
	dialer := net.Dialer{Timeout: d.config.Timeout}
	if ip := d.listener.Addr().(*net.TCPAddr).IP; !ip.IsUnspecified() {
		dialer.LocalAddr = &net.TCPAddr{IP: ip}
	}
	at := d.host.where.at(to)
	if at == "" {
		fail(errNowhere)
		return
	}
	conn, err := dialer.DialContext(d.alive, "tcp", at)
	if err != nil {
		fail(err)
		return
	}
	d.greeting(conn, true)
	defer d.greeting(conn, false)
	if err = conn.SetDeadline(time.Now().Add(d.config.Timeout)); err == nil && d.config.TLSNow != nil {
		conn, err = d.encrypt(conn, to, false)
	}
	if err == nil {
		err = greet(conn, h, "")
	}
	var w *hello
	if err == nil {
		w, err = met(conn)
	}
	if err == nil {
		err = d.agrees(w, to)
	}
	if err == nil {
		err = conn.SetDeadline(time.Time{})
	}
	if err != nil {
		_ = conn.Close()
		fail(err)
		return
	}
	s := d.session(conn, to, h.conn, w.life, true)
	d.inbox.post(arrival{kind: arriveUp, peer: to, sess: s, hello: w})
}

// errNowhere is the error for a node that is not in the book yet.
var errNowhere = errors.New("the book does not have this node's address yet; start it, or add a line for it")

// encrypt begins TLS on a connection. The end that has opened it checks that the other end has the
// certificate of node to. The end that has accepted it, at which accepts is set, only requires a
// certificate that one of the authorities has signed: see claims for the name in it.
func (d *door) encrypt(conn net.Conn, to int, accepts bool) (net.Conn, error) {
	c := d.tlsNow()
	if c.MinVersion < tls.VersionTLS12 {
		c.MinVersion = tls.VersionTLS12
	}
	var t *tls.Conn
	if accepts {
		c.ClientAuth = tls.RequireAndVerifyClientCert
		t = tls.Server(conn, c)
	} else {
		c.ServerName = d.name(to)
		if c.RootCAs == nil {
			c.RootCAs = c.ClientCAs
		}
		// If a certificate has no DNS names, its common name is the node's name.
		c.InsecureSkipVerify = true
		c.VerifyConnection = func(s tls.ConnectionState) error { return verified(s, c.RootCAs, d.name(to)) }
		t = tls.Client(conn, c)
	}
	return t, t.HandshakeContext(d.alive)
}

// verified checks that the other end of a connection has a certificate for name, which one of
// roots has signed. The TLS package checks only names of hosts, and this is the name of a node.
func verified(s tls.ConnectionState, roots *x509.CertPool, name string) error {
	if len(s.PeerCertificates) == 0 {
		return fmt.Errorf("the other end shows no certificate, and this node accepts only %s; give all nodes certificates", name)
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

// accepts receives the hello on a connection that a peer has opened, and answers it. It runs on
// a goroutine of its own.
func (d *door) accepts(conn net.Conn) {
	remote := conn.RemoteAddr().String()
	d.greeting(conn, true)
	defer d.greeting(conn, false)
	refuse := func(why error) {
		if errors.Is(why, net.ErrClosed) { // this node ends
			_ = conn.Close()
			return
		}
		host, _, _ := net.SplitHostPort(remote)
		d.host.metrics.strangers.Inc()
		d.complaints.complain("a connection is refused", "from", host, why.Error())
		_ = greet(conn, nil, why.Error())
		_ = conn.Close()
	}
	err := conn.SetDeadline(time.Now().Add(min(d.config.Timeout, 5*time.Second)))
	if err == nil && d.config.TLSNow != nil {
		plain := conn
		if conn, err = d.encrypt(conn, 0, true); err != nil {
			conn = plain
		}
	}
	var h *hello
	if err == nil {
		h, err = met(conn)
	}
	if err == nil {
		err = d.agrees(h, h.from)
	}
	if err == nil {
		err = d.claims(conn, h.from)
	}
	if err != nil {
		refuse(err)
		return
	}
	reply := make(chan answered, 1)
	d.inbox.post(arrival{kind: arriveOffer, peer: h.from, conn: conn, hello: h, reply: reply})
	var a answered
	select {
	case a = <-reply:
	case <-d.stopped:
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
		a.sess.down(err, false)
		return
	}
	a.sess.start()
}

// answered is the node's answer to a connection that a peer opens: a session with the node's
// own hello, or the reason of the refusal.
type answered struct {
	sess  *session
	hello *hello
	why   string
}

// These are reasons for which a node refuses a connection. The peer may open another one later.
const (
	crossed = "crossed: my own connection to you is under way"
	notNow  = "not now"

	notThere = "the node has yet to join"
)

// agrees returns an error if a hello is not from node from, not for this node, or not from the
// same run, or if its sender encodes a type in another way.
func (d *door) agrees(h *hello, from int) error {
	switch {
	case h.system != d.host.sys.Name:
		return fmt.Errorf("it runs the system %q, and this is a node of %q", printable([]byte(h.system)), d.host.sys.Name)
	case h.run != d.host.run:
		return fmt.Errorf("it runs with %q, and this node with %q: give all nodes the same nodes, parameters and codec", printable([]byte(h.run)), d.host.run)
	case h.from != from || h.from >= d.host.params.Nodes || h.from == d.at:
		return fmt.Errorf("it says that it is n%d, which it cannot be; compare the address books", h.from)
	case h.to != d.at:
		return fmt.Errorf("it wants n%d, and this is %s: the address books differ", h.to, d.name(d.at))
	case h.life == 0 || h.conn == 0:
		return errors.New("the hello has life 0 or connection 0, and both begin at 1; run the same macemc on all nodes")
	}
	if d.packer.own != nil {
		for _, t := range h.types {
			if err := d.packer.own.Differs(t); err != nil {
				return err
			}
		}
	}
	return nil
}

// claims returns an error if the other end of conn, whose hello says that it is node from, does not
// prove that. With TLS it must have the certificate of that node, whatever its address is. Without
// TLS it must come from the address of that node.
func (d *door) claims(conn net.Conn, from int) error {
	if t, is := conn.(*tls.Conn); is {
		return certifies(t.ConnectionState().PeerCertificates[0], d.name(from))
	}
	at := conn.RemoteAddr().(*net.TCPAddr).IP
	for _, ip := range d.host.where.ips(from) {
		if ip.Equal(at) {
			return nil
		}
	}
	return fmt.Errorf("it says that it is %s, which the book has at %s", d.name(from), cmp.Or(d.host.where.at(from), "no address yet"))
}
