package cluster

import (
	"macemc/internal/jobs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"
)

// operator is an operator of an external cluster, with one account for searches.
type operator struct {
	t            testing.TB
	key, account nkeys.KeyPair
}

func newOperator(t testing.TB) *operator {
	t.Helper()
	o := &operator{t: t}
	o.key, o.account = o.pair(nkeys.CreateOperator()), o.pair(nkeys.CreateAccount())
	return o
}

func (o *operator) pair(key nkeys.KeyPair, err error) nkeys.KeyPair {
	o.t.Helper()
	if err != nil {
		o.t.Fatal(err)
	}
	return key
}

func (o *operator) public(key nkeys.KeyPair) string {
	o.t.Helper()
	name, err := key.PublicKey()
	if err != nil {
		o.t.Fatal(err)
	}
	return name
}

// signed returns claims as a JWT that a key signed.
func (o *operator) signed(c jwt.Claims, by nkeys.KeyPair) string {
	o.t.Helper()
	text, err := c.Encode(by)
	if err != nil {
		o.t.Fatal(err)
	}
	return text
}

// serve starts a server that admits the users of the operator's accounts only, and returns its URL.
func (o *operator) serve() string {
	o.t.Helper()
	system := o.pair(nkeys.CreateAccount())
	self := jwt.NewOperatorClaims(o.public(o.key))
	self.SystemAccount = o.public(system)
	accounts := &server.MemAccResolver{}
	searches := jwt.NewAccountClaims(o.public(o.account))
	searches.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: -1, DiskStorage: -1, Streams: -1, Consumer: -1}
	for _, c := range []*jwt.AccountClaims{searches, jwt.NewAccountClaims(o.public(system))} {
		if err := accounts.Store(c.Subject, o.signed(c, o.key)); err != nil {
			o.t.Fatal(err)
		}
	}
	ns, err := server.NewServer(&server.Options{
		ServerName: "external", Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: o.t.TempDir(), NoSigs: true, NoLog: true,
		TrustedOperators: []*jwt.OperatorClaims{self}, AccountResolver: accounts, SystemAccount: self.SystemAccount,
	})
	if err != nil {
		o.t.Fatal(err)
	}
	ns.Start()
	if !ns.ReadyForConnections(startWait) {
		o.t.Fatal("the server does not start")
	}
	o.t.Cleanup(func() { ns.Shutdown(); ns.WaitForShutdown() })
	return ns.ClientURL()
}

// user writes the credentials of a new user of the account, as nsc does, and returns their file.
func (o *operator) user() string {
	o.t.Helper()
	key := o.pair(nkeys.CreateUser())
	seed, err := key.Seed()
	if err != nil {
		o.t.Fatal(err)
	}
	text, err := jwt.FormatUserConfig(o.signed(jwt.NewUserClaims(o.public(key)), o.account), seed)
	if err != nil {
		o.t.Fatal(err)
	}
	file := filepath.Join(o.t.TempDir(), "user.creds")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		o.t.Fatal(err)
	}
	return file
}

// At an external cluster that knows its users by signed credentials, a coordinator and a worker with
// credentials search as one process does. Credentials of another operator, or none, are refused.
func TestCredentials(t *testing.T) {
	t.Parallel()
	o, other := newOperator(t), newOperator(t)
	s := clean(t, 1200)
	want := s.alone(t)
	url := o.serve()
	g := newRig(t, s, settings{url: url, creds: o.user()})
	g.worker(1, nil)
	holds(t, "credentials", want, g.search())

	for what, creds := range map[string]string{"another operator's user": other.user(), "no credentials": ""} {
		refused := settings{url: url, creds: creds, pace: brisk}
		if _, err := refused.coordinate(g.job, t.TempDir(), g.say, g.status); err == nil || !strings.Contains(err.Error(), "Authorization") {
			t.Errorf("%s: the coordinator: %v", what, err)
		}
		if err := refused.work(g.ctx, jobs.Hands{N: 1, Say: g.say}); err == nil || !strings.Contains(err.Error(), "refuses the connection of this worker") {
			t.Errorf("%s: the worker: %v", what, err)
		}
	}
}
