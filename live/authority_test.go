package live

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"macemc/sim"
)

// authority signs certificates of nodes.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pool *x509.CertPool

	written int // how often files were
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{pool: x509.NewCertPool()}
	a.cert, a.key = a.sign(t, "authority")
	a.pool.AddCert(a.cert)
	return a
}

func (a *authority) sign(t *testing.T, name string) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, BasicConstraintsValid: true, IsCA: a.cert == nil,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	parent, by := a.cert, a.key
	if parent == nil {
		parent, by = c, key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, &key.PublicKey, by)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert, key
}

// of returns the TLS configuration of the node that the certificate names.
func (a *authority) of(t *testing.T, name string) *tls.Config {
	t.Helper()
	cert, key := a.sign(t, name)
	return &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{cert.Raw}, PrivateKey: key}},
		RootCAs:      a.pool, ClientCAs: a.pool,
	}
}

// write writes a certificate of a node, its key and the authority's own certificate into files.
func (a *authority) write(t *testing.T, dir, name string) (cert, key, ca string) {
	t.Helper()
	c, k := a.sign(t, name)
	der, err := x509.MarshalECPrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	files := []string{filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"), filepath.Join(dir, "ca.pem")}
	for i, b := range []pem.Block{{Type: "CERTIFICATE", Bytes: c.Raw}, {Type: "EC PRIVATE KEY", Bytes: der}, {Type: "CERTIFICATE", Bytes: a.cert.Raw}} {
		if err := os.WriteFile(files[i], pem.EncodeToMemory(&b), 0o600); err != nil {
			t.Fatal(err)
		}
		later := time.Now().Add(time.Duration(a.written) * time.Second)
		if err := os.Chtimes(files[i], later, later); err != nil {
			t.Fatal(err)
		}
	}
	a.written++
	return files[0], files[1], files[2]
}

// Connections use the certificates, and the authorities that may sign them, that are in the
// files when the connection begins.
func TestCertificatesAreReadAgain(t *testing.T) {
	authority := newAuthority(t)
	book, err := Loopback(2)
	if err != nil {
		t.Fatal(err)
	}
	dirs := [2]string{t.TempDir(), t.TempDir()}
	start := func(i int) (*Host, *diary) {
		now, err := TLSFiles(authority.write(t, dirs[i], "n"+strconv.Itoa(i)))
		if err != nil {
			t.Fatal(err)
		}
		return startEchoes(t, Config{Book: book, Only: []int{i}, TLSNow: now})
	}
	a, _ := start(0)
	b, log := start(1)
	asks(t, a, 1)
	again := func() {
		if err := errors.Join(b.Kill(1), b.Restart(1)); err != nil {
			t.Fatal(err)
		}
		heardOf := func(fact any) bool {
			return fact == heard{2} || fact == broken{sim.CauseReset} || fact == broken{sim.CauseRefused}
		}
		eventually(t, "answered", func() bool {
			fact, err := a.Node(0).Ask(t.Context(), begin{2}, heardOf)
			return err == nil && fact == heard{2}
		})
	}
	authority = newAuthority(t) // nobody trusts the old one any more
	authority.written = 10
	authority.write(t, dirs[0], "n0")
	authority.write(t, dirs[1], "n1")
	again()

	if err := os.WriteFile(filepath.Join(dirs[1], "cert.pem"), []byte("half of one"), 0o600); err != nil {
		t.Fatal(err)
	}
	again() // what was read last holds
	if log.count("the certificates cannot be read again") == 0 {
		t.Error("nothing is said of a file that cannot be read")
	}
}
