package live

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

// TLSFiles returns a function for Config.TLSNow that reads PEM files: a node's certificate,
// its key, and the certificates of the authorities that sign the certificates of nodes. It
// reads them again when one has changed. While they cannot be read, for example because only
// one of them was replaced so far, it returns the last configuration that it read. TLSFiles
// itself returns an error if the first reading fails.
func TLSFiles(cert, key, ca string) (func() (*tls.Config, error), error) {
	f := &tlsFiles{cert: cert, key: key, ca: ca}
	_, err := f.current()
	return f.current, err
}

type tlsFiles struct {
	cert, key, ca string

	mu   sync.Mutex
	read [3]stamp // the versions of the three files that were read last
	now  *tls.Config
}

// stamp identifies a version of a file.
type stamp struct {
	at   time.Time
	size int64
}

func (f *tlsFiles) current() (*tls.Config, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var is [3]stamp
	for i, name := range []string{f.cert, f.key, f.ca} {
		info, err := os.Stat(name)
		if err != nil {
			return f.now, err
		}
		is[i] = stamp{info.ModTime(), info.Size()}
	}
	if f.now != nil && is == f.read {
		return f.now, nil
	}
	c, err := f.load()
	if err != nil {
		return f.now, err
	}
	f.now, f.read = c, is
	return c, nil
}

func (f *tlsFiles) load() (*tls.Config, error) {
	pair, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.cert, err)
	}
	text, err := os.ReadFile(f.ca)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s holds no certificate", f.ca)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, RootCAs: roots, ClientCAs: roots}, nil
}

// checkTLS sets TLSNow from TLS, and returns an error for a configuration that does not
// identify the nodes at both ends.
func (c *Config) checkTLS() error {
	if c.TLS != nil && c.TLSNow != nil {
		return errors.New("Config.TLS and Config.TLSNow are both given; leave one of them out")
	}
	if fixed := c.TLS; fixed != nil {
		c.TLSNow = func() (*tls.Config, error) { return fixed, nil }
	}
	if c.TLSNow == nil {
		return nil
	}
	now, err := c.TLSNow()
	switch {
	case err != nil:
		return err
	case len(now.Certificates) == 0 && now.GetCertificate == nil:
		return errors.New("Config.TLS has no certificate; give the one of this node")
	case now.ClientCAs == nil:
		return errors.New("Config.TLS has no ClientCAs: say who signs the certificates of nodes")
	}
	return nil
}

// tlsNow returns the TLS configuration for a new connection. If it cannot be read again,
// tlsNow logs that and returns the last one.
func (p *place) tlsNow() *tls.Config {
	c, err := p.config.TLSNow()
	if err != nil {
		p.complaints.complain("the certificates cannot be read again", "of", p.name(p.at), err.Error())
	}
	return c.Clone()
}
