package cluster

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/spf13/pflag"

	"macemc/command"
	"macemc/internal/jobs"
)

// settings are the flags of a coordinator or a worker.
type settings struct {
	url, listen, token, creds string
	status                    string // where the status page listens, or "" for no page
	cert, key, ca             string
	peer                      string // the name in the certificate of the other side
	replicas                  int
	shards                    int
	synced                    bool // the servers of an external cluster sync each write
	hasty                     bool // for tests: the coordinator's own server syncs nothing
	pace                      pace
	at                        func(point, span string) // for tests: see worker.at
}

// Commands returns the commands coordinator and worker, for command.Program.
func Commands() command.Part {
	return commands(usual, nil)
}

// commands returns the same as Commands, with the waiting times p. Tests pass a function reaches, which a
// worker calls at certain points of its work, such as before and after it stores a result, so that a test
// can end the worker there.
func commands(p pace, reaches func(point, span string)) *jobs.Cluster {
	of, at := &settings{pace: p}, &settings{pace: p, at: reaches} // of the coordinator, and of a worker
	flags := func(flags *pflag.FlagSet, coordinator bool) {
		if coordinator {
			of.flags(flags, true)
		} else {
			at.flags(flags, false)
		}
	}
	return &jobs.Cluster{Flags: flags, Coordinate: of.coordinate, Work: at.work}
}

const defaultListen = "127.0.0.1:4222"

func (s *settings) flags(flags *pflag.FlagSet, coordinator bool) {
	url := ""
	if !coordinator {
		url = "nats://" + defaultListen
	}
	usage := "connect to the coordinator, or to an external cluster, at `URL`"
	if coordinator {
		usage = "use the external NATS cluster at `URL` (default: the coordinator starts a server)"
		flags.StringVar(&s.listen, "listen", defaultListen, "let the coordinator's server listen at `ADDR`; an address off the loopback needs a token or\ncertificates")
		flags.IntVar(&s.replicas, "replicas", 1, "keep `N` copies of everything in an external cluster")
		flags.IntVar(&s.shards, "shards", 0, "divide the states of the exhaustive phase into `N` parts, which workers visit; two to four for each\ngoroutine of all workers (default the coordinator visits all states)")
		flags.BoolVar(&s.synced, "synced", false, "the servers of the external cluster sync each write (sync_interval: always); without that, a search in\nshards over them is not called exhaustive")
		flags.StringVar(&s.status, "status", "", "serve a page with the status of the search at `ADDR`, such as 127.0.0.1:8222; an address off\nthe loopback needs --token-file, and the page then asks for the token as a password")
	}
	flags.StringVar(&s.url, "cluster", url, usage)
	flags.StringVar(&s.token, "token-file", "", "read from `FILE` the token that coordinator and workers share, of 16 characters or more")
	flags.StringVar(&s.creds, "creds", "", "read the credentials of a user of an external cluster, a JWT and its seed, from `FILE`")
	flags.StringVar(&s.cert, "tls-cert", "", "read the certificate of this process from `FILE`")
	flags.StringVar(&s.key, "tls-key", "", "read the key of that certificate from `FILE`")
	flags.StringVar(&s.peer, "tls-name", "", "expect `NAME` in the server's certificate (default: the host of the URL)")
	flags.StringVar(&s.ca, "tls-ca", "", "read from `FILE` the certificates of the authorities that may have signed the other side's")
}

// shardable returns an error if the flags about shards are out of range or contradict each other.
func (s *settings) shardable() error {
	switch {
	case s.shards < 0 || s.shards > shardsMost:
		return fmt.Errorf("--shards is %d; it must be 0 to %d", s.shards, shardsMost)
	case s.synced && s.url == "":
		return errors.New("--synced needs --cluster: the coordinator's own server syncs each write")
	}
	return nil
}

// secret returns the token from the file that the flags name, or "" if they name none.
func (s *settings) secret() (string, error) {
	if s.token == "" {
		return "", nil
	}
	text, err := os.ReadFile(s.token)
	if err != nil {
		return "", err
	}
	if token := strings.TrimSpace(string(text)); len(token) >= 16 {
		return token, nil
	}
	return "", fmt.Errorf("the token in %s is shorter than 16 characters", s.token)
}

// tls returns the TLS configuration of a coordinator or a worker, or nil if the flags name no certificates.
func (s *settings) tls() (*tls.Config, error) {
	if s.cert == "" && s.key == "" && s.ca == "" {
		return nil, nil
	}
	c := &tls.Config{MinVersion: tls.VersionTLS13, ServerName: s.peer}
	if s.cert != "" || s.key != "" {
		pair, err := tls.LoadX509KeyPair(s.cert, s.key)
		if err != nil {
			return nil, err
		}
		c.Certificates = []tls.Certificate{pair}
	}
	if s.ca != "" {
		text, err := os.ReadFile(s.ca)
		if err != nil {
			return nil, err
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s has no certificate in PEM form; name the file of the authority that signed the servers' certificates", s.ca)
		}
		c.RootCAs, c.ClientCAs = pool, pool
	}
	return c, nil
}

// address splits value, the value of a flag, into a host and a port. Port -1 stands for any free port. If
// secured is false, the host must be the loopback interface; for another host the error says that the flags in
// needs must be given, which secure the connection.
func address(flag, value string, secured bool, needs string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(value)
	if err != nil {
		return "", 0, fmt.Errorf("%s is %q; it must be a host and a port, such as %s", flag, value, defaultListen)
	}
	if port, err = net.LookupPort("tcp", text); err != nil {
		return "", 0, err
	}
	if port == 0 {
		port = -1
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) && !secured {
		return "", 0, fmt.Errorf("%s %s is open to other machines; give %s", flag, value, needs)
	}
	return host, port, nil
}

// quiet discards the errors of NATS's client library, which would otherwise print them. The calls that
// failed return the same errors, and this package repeats these calls.
var quiet = nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})

// connect connects to a server outside of this process.
func (s *settings) connect(name string) (*nats.Conn, error) {
	opts := []nats.Option{nats.Name(name), nats.MaxReconnects(-1), nats.ReconnectWait(s.pace.retry), nats.RetryOnFailedConnect(true), quiet}
	secret, err := s.secret()
	if err != nil {
		return nil, err
	}
	if secret != "" {
		opts = append(opts, nats.Token(secret))
	}
	if s.creds != "" {
		opts = append(opts, nats.UserCredentials(s.creds))
	}
	config, err := s.tls()
	if err != nil {
		return nil, err
	}
	if config != nil {
		opts = append(opts, nats.Secure(config))
	}
	nc, err := nats.Connect(s.url, opts...)
	if errors.Is(err, nats.ErrNoServers) {
		err = fmt.Errorf("no server answers at %s; start the coordinator first, or name another address", s.url)
	}
	return nc, err
}

// joins returns the arguments with which a worker on this machine joins the cluster at the URL.
func (s *settings) joins(url string) []string {
	args := []string{"--cluster", strings.NewReplacer("//0.0.0.0:", "//127.0.0.1:", "//[::]:", "//[::1]:").Replace(url)}
	for name, value := range map[string]string{
		"token-file": s.token, "creds": s.creds, "tls-cert": s.cert, "tls-key": s.key, "tls-ca": s.ca, "tls-name": cmp.Or(s.peer, s.itself()),
	} {
		if value != "" {
			args = append(args, "--"+name, value)
		}
	}
	return args
}

// itself returns a name in the certificate of the coordinator's own server, or "" if there is no certificate.
func (s *settings) itself() string {
	config, err := s.tls()
	if err != nil || config == nil || s.url != "" || len(config.Certificates) == 0 {
		return ""
	}
	leaf, err := x509.ParseCertificate(config.Certificates[0].Certificate[0])
	switch {
	case err != nil:
		return ""
	case len(leaf.DNSNames) > 0:
		return leaf.DNSNames[0]
	case len(leaf.IPAddresses) > 0:
		return leaf.IPAddresses[0].String()
	}
	return ""
}
