package cluster

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// The names of what is kept in a cluster.
const (
	streamWork    = "macemc-work"
	subjectWork   = "macemc.work."
	bucketResults = "macemc-results"
	bucketKnown   = "macemc-known"
	bucketTries   = "macemc-tries"
	bucketRun     = "macemc-run"

	keyJob = "job"
	keyLot = "lot" // that is under way
	keyOf  = "worker."
)

const (
	retryWait = 200 * time.Millisecond
	callWait  = 10 * time.Second
	ackWait   = 6 * time.Second // after which a span of a worker that is silent goes to another

	payloadMost = 32 << 20 // of the server of its own
	partMost    = 512 << 10
)

// start starts a server of its own, which keeps what it has in a directory, with every write synced.
func (s *settings) start(dir string) (*server.Server, *nats.Conn, error) {
	secret, err := s.secret()
	if err != nil {
		return nil, nil, err
	}
	config, err := s.tls()
	if err != nil {
		return nil, nil, err
	}
	host, port, err := s.address(secret != "" || config != nil && s.ca != "" && s.cert != "")
	if err != nil {
		return nil, nil, err
	}
	opts := &server.Options{
		ServerName: "macemc", Host: host, Port: port, JetStream: true, StoreDir: filepath.Join(dir, "nats"), SyncAlways: true,
		NoSigs: true, NoLog: true, MaxPayload: payloadMost, Authorization: secret,
	}
	if config != nil {
		opts.TLSConfig, opts.TLS, opts.TLSVerify = config, true, s.ca != ""
		if opts.TLSVerify {
			config.ClientAuth = 4 // tls.RequireAndVerifyClientCert
		}
	}
	ns, err := server.NewServer(opts)
	if err != nil {
		return nil, nil, err
	}
	ns.Start()
	if !ns.ReadyForConnections(callWait) {
		ns.Shutdown()
		return nil, nil, fmt.Errorf("the server cannot listen at %s; is another coordinator there?", s.listen)
	}
	nc, err := nats.Connect("", nats.InProcessServer(ns), nats.Token(secret))
	if err != nil {
		ns.Shutdown()
		return nil, nil, err
	}
	return ns, nc, nil
}

// places are the stream and the buckets of a cluster.
type places struct {
	js                          jetstream.JetStream
	work                        jetstream.Stream
	results, known, tries, runs jetstream.KeyValue
}

// open opens them. Where make is more than 0 they are made, of so many copies.
func open(ctx context.Context, nc *nats.Conn, make int) (*places, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	p := &places{js: js}
	if make > 0 {
		p.work, err = js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
			Name: streamWork, Subjects: []string{subjectWork + ">"}, Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage, Replicas: make,
		})
	} else {
		p.work, err = js.Stream(ctx, streamWork)
	}
	if err != nil {
		return nil, err
	}
	for name, kv := range map[string]*jetstream.KeyValue{bucketResults: &p.results, bucketKnown: &p.known, bucketTries: &p.tries, bucketRun: &p.runs} {
		if make > 0 {
			*kv, err = js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: name, History: 1, Storage: jetstream.FileStorage, Replicas: make})
		} else {
			*kv, err = js.KeyValue(ctx, name)
		}
		if err != nil {
			return nil, err
		}
	}
	return p, nil
}

// empty removes the keys of a bucket that a pattern names; "": all.
func (p *places) empty(ctx context.Context, bucket, keys string) error {
	stream, err := p.js.Stream(ctx, "KV_"+bucket)
	if err != nil {
		return err
	}
	if keys == "" {
		return stream.Purge(ctx)
	}
	return stream.Purge(ctx, jetstream.WithPurgeSubject("$KV."+bucket+"."+keys))
}

// putParts stores a value of any size under a key, in parts; the first part is stored last.
func putParts(ctx context.Context, kv jetstream.KeyValue, key string, value []byte) error {
	n := max(1, (len(value)+partMost-1)/partMost)
	for k := n - 1; k >= 0; k-- {
		part := value[k*partMost : min((k+1)*partMost, len(value))]
		name := fmt.Sprintf("%s.%d", key, k)
		if k == 0 {
			part = append([]byte{byte(n >> 8), byte(n)}, part...)
		}
		if _, err := kv.Put(ctx, name, part); err != nil {
			return err
		}
	}
	return nil
}

// getParts returns what putParts has stored.
func getParts(ctx context.Context, kv jetstream.KeyValue, key string) ([]byte, error) {
	first, err := kv.Get(ctx, key+".0")
	if err != nil {
		return nil, err
	}
	b := first.Value()
	if len(b) < 2 {
		return nil, errors.New("what is known of a lot is damaged")
	}
	n, value := int(b[0])<<8|int(b[1]), append([]byte(nil), b[2:]...)
	for k := 1; k < n; k++ {
		part, err := kv.Get(ctx, fmt.Sprintf("%s.%d", key, k))
		if err != nil {
			return nil, err
		}
		value = append(value, part.Value()...)
	}
	return value, nil
}
