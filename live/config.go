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
	// Only are the nodes of the book that this process runs, by their index. Nil means all.
	Only []int
	// Public allows addresses of the book beyond the loopback interface for the nodes
	// that this process runs. Without TLS whoever reaches them may read and forge what
	// nodes say.
	Public bool
	// TLS encrypts connections and checks both ends: a certificate of a node names it, as
	// n0, in its DNS names or as its common name. Datagrams go by the connections then. If
	// it is nil, everything is plain.
	TLS *tls.Config
	// TLSNow, if given instead of TLS, is called for each new connection, so that
	// certificates may change while nodes run: see TLSFiles. If it returns an error besides
	// a configuration, the error is logged and the configuration used.
	TLSNow func() (*tls.Config, error)

	// Dir keeps the stable storage of each node in a folder, n0 and so on. If it is "", in
	// memory, for as long as the Host is.
	Dir string
	// Seed seeds the coins of Env.Choose and the like; 0 means another each time.
	Seed uint64
	// Codec writes and reads messages. If it is nil, any value that the simulator takes, by
	// its fields.
	Codec Codec
	// Types are of messages and requests of packages that the nodes do not lead to.
	Types []any

	// Grace is how long a peer that was never seen is waited for after this node has
	// started, before a connection to it counts as refused. 0 means 10 s.
	Grace time.Duration
	// Timeout is how long a connection may be silent, or take nothing, before it counts as
	// broken. 0 means 10 s.
	Timeout time.Duration
	// Idle is the pause between two guarded actions (sim.Offerer) of a node. 0 means 1 ms.
	Idle time.Duration
	// Stay is how long, at most, a Join or a Leave of a script waits for when it is its
	// turn; how long is drawn. Pace is for it too. 0 means 5 s.
	Stay time.Duration
	// MessageMost is how many bytes a message may have. 0 means 4 MiB.
	MessageMost int
	// Pace multiplies the durations of timers: 0.1 makes them fire ten times as soon, and the
	// clock that Env.Now reads go ten times as fast. 0 means 1.
	Pace float64
	// Weather makes links worse than they are. If it is nil, they are as they are.
	Weather *Weather

	// Record, if given, is asked for where each life of a node is recorded: see Records.
	Record func(node int, life int) (io.WriteCloser, error)
	// Facts is called with the facts that nodes Emit, on the nodes' goroutines.
	Facts func(at sim.Addr, fact any)
	// Failed is called when a handler panics. The node is dead then, and may be started
	// again. If Failed is nil, Run ends with the error.
	Failed func(at sim.Addr, err error)
	// Log gets the events of nodes and connections, if it is not nil.
	Log *slog.Logger
	// Trace logs what services say by Env.Logf.
	Trace bool

	// Life is the number of the first life that nodes begin here, where no Dir counts
	// them.
	Life int
}

// Codec is a codec of one's own: for what is not to be written by its fields. It is
// used by several goroutines.
type Codec interface {
	// Name is what both ends must agree on.
	Name() string
	Append(buf []byte, m sim.Message) ([]byte, error)
	// Decode believes nothing: the bytes may be a stranger's.
	Decode(data []byte) (sim.Message, error)
}

// Book says where each node is: a host and a port, of TCP and of UDP.
type Book []string

// ReadBook reads a book: a line for each node, as "n0 10.0.0.1:7000". Lines that are
// blank or begin with # do not count.
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
			return nil, fmt.Errorf("the book has %d nodes, and none is n%d; they count from n0", len(at), i)
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

// Loopback returns a book of n free ports of 127.0.0.1. They are free when it is made, and
// none of those that systems give to connections on their own: so a node that is killed
// finds its port free again.
func Loopback(n int) (Book, error) {
	var b Book
	var held []io.Closer
	defer func() {
		for _, c := range held {
			_ = c.Close()
		}
	}()
	const first, end = 10_000, 32_768 // from there on Linux gives them, others from 49,152 on
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

// listen opens a port for both.
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

// Run runs nodes of a system until ctx is done, and stops them in good order; or until
// a handler fails, which is its error.
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
