//go:build unix

package cluster

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// authority signs certificates.
type authority struct {
	t    testing.TB
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t testing.TB) *authority {
	a := &authority{t: t, dir: t.TempDir()}
	a.cert, a.key = a.sign("ca", nil)
	return a
}

// sign makes a certificate for a name, in files of that name. If by is nil, the certificate is that of an
// authority.
func (a *authority) sign(name string, by *authority) (*x509.Certificate, *ecdsa.PrivateKey) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), BasicConstraintsValid: true,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		IsCA: by == nil,
	}
	parent, signer := c, key
	if by != nil {
		parent, signer = by.cert, by.key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, &key.PublicKey, signer)
	if err != nil {
		a.t.Fatal(err)
	}
	secret, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	a.write(name+".pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	a.write(name+".key", pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: secret}))
	if c, err = x509.ParseCertificate(der); err != nil {
		a.t.Fatal(err)
	}
	return c, key
}

func (a *authority) write(name string, text []byte) string {
	a.t.Helper()
	if err := os.WriteFile(a.in(name), text, 0o600); err != nil {
		a.t.Fatal(err)
	}
	return a.in(name)
}

func (a *authority) in(name string) string { return filepath.Join(a.dir, name) }

func (a *authority) flags(name string) string {
	return "--tls-cert " + a.in(name+".pem") + " --tls-key " + a.in(name+".key") + " --tls-ca " + a.in("ca.pem")
}

// With certificates and a token, workers that have them take the walks; others are not let in.
func TestSecured(t *testing.T) {
	t.Parallel()
	a, stranger := newAuthority(t), newAuthority(t)
	a.sign("here.test", a)
	a.sign("there.test", a)
	stranger.sign("there.test", stranger)
	token := a.write("token", []byte("0123456789abcdef-secret\n"))
	other := a.write("other", []byte("fedcba9876543210-secret\n"))
	line := lines[1]
	want := start(t, t.TempDir(), "search "+line+" --json --quiet").wait(t).result(t)

	c := newCrew(t, line, a.flags("here.test")+" --token-file "+token+" --no-work", 0)
	url := "worker --workers 1 --cluster nats://" + c.at
	var outside []*process
	for what, flags := range map[string]string{
		"no certificate":        "--token-file " + token,
		"another authority":     stranger.flags("there.test") + " --tls-name here.test --token-file " + token,
		"another token":         a.flags("there.test") + " --tls-name here.test --token-file " + other,
		"no token":              a.flags("there.test") + " --tls-name here.test",
		"another server's name": a.flags("there.test") + " --tls-name elsewhere.test --token-file " + token,
	} {
		p := start(t, c.dir, url+" "+flags)
		p.Args = append(p.Args, what)
		outside = append(outside, p)
	}
	for _, p := range outside {
		if !p.stderr.hears(c.coordinator.ended, "cannot join", "refuses the connection") {
			t.Fatalf("%s: it was let in: %s", p.Args[len(p.Args)-1], c.coordinator.stderr.String())
		}
	}
	c.workers = append(c.workers, start(t, c.dir, url+" "+a.flags("there.test")+" --tls-name here.test --token-file "+token))
	holds(t, "secured", want, c.coordinator.wait(t).result(t))
	if said := c.coordinator.stderr.String(); strings.Count(said, " goroutines;") != 1 {
		t.Errorf("somebody else was let in: %s", said)
	}
	for _, p := range outside {
		p.kill()
		t.Logf("%s: %s", p.Args[len(p.Args)-1], p.stderr.String())
	}
	c.end()

	// The coordinator's own worker has what it needs.
	c = newCrew(t, line, a.flags("here.test")+" --token-file "+token, 0)
	holds(t, "its own worker", want, c.coordinator.wait(t).result(t))
}
