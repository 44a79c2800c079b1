package cluster

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// The names of the stream, the buckets and the keys in a cluster.
const (
	streamWork    = "macemc-work"
	subjectWork   = "macemc.work."
	bucketResults = "macemc-results"
	bucketKnown   = "macemc-known"
	bucketTries   = "macemc-tries"
	bucketRun     = "macemc-run"

	keyJob = "job"
	keyLot = "lot" // the first lot whose spans are still needed, as EPOCH.LOT
	keyOf  = "worker."
)

const (
	startWait   = 10 * time.Second
	payloadMost = 32 << 20 // bytes of a message, for the coordinator's own server
	partMost    = 512 << 10
)

// pace has the waiting times of coordinators and workers. Tests use shorter ones.
type pace struct {
	call  time.Duration // until a call without an answer fails
	retry time.Duration // until a failed call is repeated
	ack   time.Duration // until a span of a silent worker is delivered to another one
	tell  time.Duration // from one heartbeat of a worker to the next
	stuck time.Duration // until a walk counts as one that never returns
	gone  time.Duration // until a cluster that does not answer ends the search
	span  time.Duration // the time that the walks of one span should take
}

var usual = pace{
	call: 4 * time.Second, retry: 200 * time.Millisecond, ack: 4 * time.Second, tell: time.Second, stuck: time.Minute, gone: 2 * time.Minute, span: 700 * time.Millisecond,
}

// start starts a NATS server in this process, and connects to it. The server keeps tasks and results in memory
// only: it ends with the coordinator, whose own state of the search has everything that must survive. It keeps
// the states in shards in files below dir, and syncs each write.
func (s *settings) start(dir string) (*server.Server, *nats.Conn, error) {
	secret, err := s.secret()
	if err != nil {
		return nil, nil, err
	}
	config, err := s.tls()
	if err != nil {
		return nil, nil, err
	}
	host, port, err := address("--listen", s.listen, secret != "" || config != nil && s.ca != "" && s.cert != "", "--token-file, or --tls-cert, --tls-key and --tls-ca")
	if err != nil {
		return nil, nil, err
	}
	opts := &server.Options{
		ServerName: "macemc", Host: host, Port: port, JetStream: true, StoreDir: filepath.Join(dir, "nats"),
		NoSigs: true, NoLog: true, MaxPayload: payloadMost, Authorization: secret, SyncAlways: !s.hasty,
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
	if !ns.ReadyForConnections(startWait) {
		ns.Shutdown()
		return nil, nil, fmt.Errorf("the server cannot listen at %s; is another coordinator there?", s.listen)
	}
	nc, err := nats.Connect("", nats.InProcessServer(ns), nats.Token(secret), quiet)
	if err != nil {
		ns.Shutdown()
		return nil, nil, err
	}
	return ns, nc, nil
}

// places has the stream and the buckets of a cluster.
type places struct {
	js                          jetstream.JetStream
	work                        jetstream.Stream
	results, known, tries, runs jetstream.KeyValue
}

// storage says how the stream and the buckets of a cluster are stored.
type storage struct {
	kind   jetstream.StorageType
	copies int
}

// storage returns how the cluster stores its stream and its buckets. The coordinator's own server
// (own is set) keeps them in memory. An external cluster keeps them in files, since its servers may
// restart while the coordinator goes on.
func (s *settings) storage(own bool) *storage {
	if own {
		return &storage{jetstream.MemoryStorage, 1}
	}
	return &storage{jetstream.FileStorage, max(1, s.replicas)}
}

// open opens the stream and the buckets. Calls to them fail after the time wait. If in is not nil, open creates
// what does not exist.
func open(ctx context.Context, nc *nats.Conn, wait time.Duration, in *storage) (*places, error) {
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(wait))
	if err != nil {
		return nil, err
	}
	p := &places{js: js}
	if in != nil {
		p.work, err = js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
			Name: streamWork, Subjects: []string{subjectWork + ">"}, Retention: jetstream.WorkQueuePolicy, Storage: in.kind, Replicas: in.copies,
		})
	} else {
		p.work, err = js.Stream(ctx, streamWork)
	}
	if err != nil {
		return nil, err
	}
	for name, kv := range map[string]*jetstream.KeyValue{bucketResults: &p.results, bucketKnown: &p.known, bucketTries: &p.tries, bucketRun: &p.runs} {
		if in != nil {
			*kv, err = js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: name, History: 1, Storage: in.kind, Replicas: in.copies})
		} else {
			*kv, err = js.KeyValue(ctx, name)
		}
		if err != nil {
			return nil, err
		}
	}
	return p, nil
}

// empty removes the keys of a bucket that match a pattern, or all keys if the pattern is "".
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

// putParts stores a value of any size in parts, unless its key has a value. It creates the first part
// last: the writer that succeeds in that is the first one, and its value counts. The keys of the other
// parts contain the writer's name, so the parts of several writers do not mix.
func putParts(ctx context.Context, kv jetstream.KeyValue, key, writer string, value []byte) error {
	n := max(1, (len(value)+partMost-1)/partMost)
	for k := n - 1; k >= 0; k-- {
		part := value[k*partMost : min((k+1)*partMost, len(value))]
		if k > 0 {
			if _, err := kv.Put(ctx, partName(key, writer, k), part); err != nil {
				return err
			}
			continue
		}
		first := append([]byte{byte(n >> 8), byte(n), byte(len(writer))}, writer...)
		if _, err := kv.Create(ctx, key, append(first, part...)); err != nil {
			return err
		}
	}
	return nil
}

func partName(key, writer string, k int) string { return fmt.Sprintf("%s.%s.%d", key, writer, k) }

// getParts returns the value that putParts stored under a key.
func getParts(ctx context.Context, kv jetstream.KeyValue, key string) ([]byte, error) {
	first, err := kv.Get(ctx, key)
	if err != nil {
		return nil, err
	}
	return otherParts(ctx, kv, key, first.Value())
}

// otherParts reads the parts after the first one of the value of key, whose first part is b, and
// returns the whole value.
func otherParts(ctx context.Context, kv jetstream.KeyValue, key string, b []byte) ([]byte, error) {
	if len(b) < 3 || len(b) < 3+int(b[2]) {
		return nil, fmt.Errorf("the value of key %q in the cluster is damaged", key)
	}
	n, writer := int(b[0])<<8|int(b[1]), string(b[3:3+int(b[2])])
	value := append([]byte(nil), b[3+len(writer):]...)
	for k := 1; k < n; k++ {
		part, err := kv.Get(ctx, partName(key, writer, k))
		if err != nil {
			return nil, err
		}
		value = append(value, part.Value()...)
	}
	return value, nil
}
