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
)

// settings say how the cluster is reached.
type settings struct {
	url, listen, token, creds string
	cert, key, ca             string
	peer                      string // the name in the certificate of the other side
	replicas                  int
	pace                      pace
	at                        func(point, span string) // of tests: see worker
}

// Commands are the commands coordinator and worker, for command.Program.
func Commands() *command.Cluster {
	return commands(usual, nil)
}

// commands are Commands for tests, which wait less and end workers in the middle of a commit.
func commands(p pace, reaches func(point, span string)) *command.Cluster {
	of, at := &settings{pace: p}, &settings{pace: p, at: reaches} // of the coordinator, and of a worker
	flags := func(flags *pflag.FlagSet, coordinator bool) {
		if coordinator {
			of.flags(flags, true)
		} else {
			at.flags(flags, false)
		}
	}
	return &command.Cluster{Flags: flags, Coordinate: of.coordinate, Work: at.work}
}

const defaultListen = "127.0.0.1:4222"

func (s *settings) flags(flags *pflag.FlagSet, coordinator bool) {
	url := ""
	if !coordinator {
		url = "nats://" + defaultListen
	}
	usage := "reach the coordinator, or an external cluster, at `URL`"
	if coordinator {
		usage = "use the external NATS cluster at `URL` (default a server of its own)"
		flags.StringVar(&s.listen, "listen", defaultListen, "let the server of its own listen at `ADDR`; anywhere but on the loopback it needs a token or certificates")
		flags.IntVar(&s.replicas, "replicas", 1, "keep `N` copies of everything, in an external cluster")
	}
	flags.StringVar(&s.url, "cluster", url, usage)
	flags.StringVar(&s.token, "token-file", "", "the token by which workers are known is in `FILE`")
	flags.StringVar(&s.creds, "creds", "", "the credentials for an external cluster are in `FILE`")
	flags.StringVar(&s.cert, "tls-cert", "", "the certificate of this side, in `FILE`")
	flags.StringVar(&s.key, "tls-key", "", "its key, in `FILE`")
	flags.StringVar(&s.peer, "tls-name", "", "the name in the other side's certificate is `NAME` (default that of the URL)")
	flags.StringVar(&s.ca, "tls-ca", "", "the certificates that the other side's is signed by, in `FILE`")
}

// secret is the token; "": there is none.
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

// tls is the configuration for both sides; nil: there is none.
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
			return nil, fmt.Errorf("%s has no certificates", s.ca)
		}
		c.RootCAs, c.ClientCAs = pool, pool
	}
	return c, nil
}

// address is where the server of its own listens. It refuses to listen to everybody.
func (s *settings) address(secured bool) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(s.listen)
	if err != nil {
		return "", 0, fmt.Errorf("--listen is %q; it must be as %s", s.listen, defaultListen)
	}
	if port, err = net.LookupPort("tcp", text); err != nil {
		return "", 0, err
	}
	if port == 0 {
		port = -1 // of the server's choice
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) && !secured {
		return "", 0, fmt.Errorf("--listen %s is open to other machines; give --token-file, or --tls-cert, --tls-key and --tls-ca", s.listen)
	}
	return host, port, nil
}

// quiet: calls that fail return their errors, and are made again.
var quiet = nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})

// connect connects to a server that is not of this process.
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
		err = fmt.Errorf("nobody answers at %s", s.url)
	}
	return nc, err
}

// joins returns the arguments by which a worker on this machine reaches the cluster.
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

// itself returns a name in the certificate of a coordinator that has a server of its own.
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
