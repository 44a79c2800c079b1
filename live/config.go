package live

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"strings"
	"time"

	"macemc/sim"
)

// Config says how nodes are run. The zero Config runs all nodes of a system in this
// process, on free ports of the loopback interface, with nothing kept on disk.
type Config struct {
	// Params are those of the system: see sim.System.Configure.
	Params sim.Params
	// Book says where each node is. It may lack the last of Params.Nodes, which Host.Grow
	// adds later. If it is nil, all nodes use free ports of 127.0.0.1.
	Book Book
	// Only are the indices of the book's nodes that this process runs. If it is nil, it runs
	// all.
	Only []int
	// Public allows addresses of the book beyond the loopback interface for the nodes that this
	// process runs. Without TLS, anyone who can reach such an address may read and forge the
	// nodes' messages.
	Public bool
	// TLS encrypts connections and checks both ends: a certificate of a node names it, as n0,
	// in its DNS names or as its common name. With TLS, datagrams travel on the connections. If
	// TLS is nil, nothing is encrypted.
	TLS *tls.Config
	// TLSNow is used instead of TLS if it is not nil. It is called for each new connection, so
	// that certificates may change while nodes run: see TLSFiles. If it returns both an error
	// and a configuration, the error is logged and the configuration is used.
	TLSNow func() (*tls.Config, error)

	// Dir is the folder in which each node has a folder for its stable storage, named n0 and so on.
	// If it is "", the storage is in memory, and lasts as long as the Host.
	Dir string
	// Seed seeds the coins of Env.Choose and the like. If it is 0, each run draws another seed.
	Seed uint64
	// Codec writes and reads messages. If it is nil, messages are written by their fields, and
	// any value is possible that the simulator takes.
	Codec Codec
	// Types are values of message and request types that live cannot find by itself in the nodes' packages.
	Types []any

	// Grace is the time after the start of a node during which a connection to a peer that was
	// never seen does not count as refused. 0 means 10 s.
	Grace time.Duration
	// Timeout is how long a connection may be silent, or take nothing, before it counts as
	// broken. 0 means 10 s.
	Timeout time.Duration
	// Idle is the pause between two guarded actions (those that Offers returns) of a node. 0 means 1 ms.
	Idle time.Duration
	// Stay is the longest time that a Join or a Leave of a script waits once it is its turn;
	// the time is drawn. Pace multiplies it too. 0 means 5 s.
	Stay time.Duration
	// MessageMost is the largest size of a message in bytes. 0 means 4 MiB.
	MessageMost int
	// Pace multiplies the durations of timers: 0.1 makes them fire ten times as soon, and the
	// clock that Env.Now reads go ten times as fast. 0 means 1.
	Pace float64
	// Weather makes links worse than they are. If it is nil, nothing is added to the real
	// network.
	Weather *Weather

	// Record, if not nil, is called for each life of a node and returns the file of its record:
	// see Records.
	Record func(node int, life int) (io.WriteCloser, error)
	// Facts is called with the facts that nodes Emit, on the nodes' goroutines.
	Facts func(at sim.Addr, fact any)
	// Failed is called when a handler panics. The node is dead then, and may be started again.
	// If Failed is nil, Run returns the error.
	Failed func(at sim.Addr, err error)
	// Log gets the events of nodes and connections, if it is not nil.
	Log *slog.Logger
	// Trace logs the lines that services write by Env.Logf.
	Trace bool

	// Life is the number of the first life of the nodes here. It is used only if Dir is "",
	// since a Dir counts lives itself.
	Life int
}

// Codec is a user's own encoding of messages, which is used instead of an encoding by their
// fields. Several goroutines use it at the same time.
type Codec interface {
	// Name identifies the format. Both ends of a connection must have the same.
	Name() string
	Append(buf []byte, m sim.Message) ([]byte, error)
	// Decode must check everything: the bytes may come from a stranger.
	Decode(data []byte) (sim.Message, error)
}

// Book has the address of each node: a host and a port, for both TCP and UDP.
type Book []string

// ReadBook reads a book, which has a line such as "n0 10.0.0.1:7000" for each node. It skips
// lines that are blank or begin with #.
func ReadBook(r io.Reader) (Book, error) {
	at := map[int]string{}
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		words := strings.Fields(lines.Text())
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		if len(words) != 2 {
			return nil, fmt.Errorf("line %d of the book is %q; write a node and its address, as n0 10.0.0.1:7000", n, lines.Text())
		}
		var i int
		if _, err := fmt.Sscanf(words[0], "n%d", &i); err != nil || words[0] != fmt.Sprintf("n%d", i) || i < 0 || i >= 64 {
			return nil, fmt.Errorf("line %d of the book names the node %q; nodes are n0, n1 and so on", n, words[0])
		}
		if _, _, err := net.SplitHostPort(words[1]); err != nil {
			return nil, fmt.Errorf("line %d of the book: %w; write a host and a port, as 10.0.0.1:7000", n, err)
		}
		if was, twice := at[i]; twice {
			return nil, fmt.Errorf("line %d of the book names %s again, which is at %s", n, words[0], was)
		}
		at[i] = words[1]
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	var b Book
	for i := range len(at) {
		if at[i] == "" {
			return nil, fmt.Errorf("the book has %d nodes, and no line for n%d; number them from n0 to n%d", len(at), i, len(at)-1)
		}
		b = append(b, at[i])
	}
	if len(b) == 0 {
		return nil, fmt.Errorf("the book is empty; write a line for each node, as n0 10.0.0.1:7000")
	}
	return b, nil
}

// String returns the form that ReadBook reads.
func (b Book) String() string {
	var text strings.Builder
	for i, at := range b {
		fmt.Fprintf(&text, "n%d %s\n", i, at)
	}
	return text.String()
}

// Loopback returns a book of n ports of 127.0.0.1 that are free now. It avoids the ports that
// operating systems give to outgoing connections, so that a node that is killed finds its port
// free when it starts again.
func Loopback(n int) (Book, error) {
	var b Book
	var held []io.Closer
	defer func() {
		for _, c := range held {
			_ = c.Close()
		}
	}()
	const first, end = 10_000, 32_768 // Linux gives ports from 32,768 on to outgoing connections, and other systems from 49,152 on
	dice := rand.New(rand.NewPCG(draw(), draw()))
	for tries := 0; len(b) < n; tries++ {
		l, u, err := listen(fmt.Sprintf("127.0.0.1:%d", first+dice.IntN(end-first)))
		if err != nil {
			if tries > 1000 {
				return nil, err
			}
			continue
		}
		held = append(held, l, u)
		b = append(b, l.Addr().String())
	}
	return b, nil
}

// listen listens at one address for both TCP and UDP.
func listen(at string) (*net.TCPListener, *net.UDPConn, error) {
	l, err := net.Listen("tcp", at)
	if err != nil {
		return nil, nil, err
	}
	a := l.Addr().(*net.TCPAddr)
	u, err := net.ListenUDP("udp", &net.UDPAddr{IP: a.IP, Port: a.Port, Zone: a.Zone})
	if err != nil {
		_ = l.Close()
		return nil, nil, err
	}
	return l.(*net.TCPListener), u, nil
}

func (c *Config) defaults() {
	for _, d := range []struct {
		of *time.Duration
		is time.Duration
	}{{&c.Grace, 10 * time.Second}, {&c.Timeout, 10 * time.Second}, {&c.Idle, time.Millisecond}, {&c.Stay, 5 * time.Second}} {
		if *d.of == 0 {
			*d.of = d.is
		}
	}
	if c.Pace <= 0 {
		c.Pace = 1
	}
	if c.MessageMost == 0 {
		c.MessageMost = 4 << 20
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
}

// Run runs nodes of a system until ctx is done. Then it stops them, after their messages were
// written. If a handler fails, Run returns its error.
func Run(ctx context.Context, sys *sim.System, c Config) error {
	h, err := Start(sys, c)
	if err != nil {
		return err
	}
	select {
	case <-ctx.Done():
	case <-h.failed:
	}
	return h.Stop()
}
