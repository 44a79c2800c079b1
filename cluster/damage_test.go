package cluster

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"macemc/internal/long"
	"macemc/internal/search"
)

// external is a server of an external cluster, in this process.
type external struct {
	t       testing.TB
	options server.Options
	ns      *server.Server
}

// newExternal starts a server whose files have at most most bytes; 0 means no limit.
func newExternal(t testing.TB, most int64) *external {
	t.Helper()
	e := &external{t: t, options: server.Options{
		ServerName: "external", Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(), JetStreamMaxStore: most, NoSigs: true, NoLog: true,
	}}
	e.start()
	e.options.Port = e.ns.Addr().(*net.TCPAddr).Port
	t.Cleanup(e.stop)
	return e
}

func (e *external) start() {
	e.t.Helper()
	options := e.options
	ns, err := server.NewServer(&options)
	if err != nil {
		e.t.Fatal(err)
	}
	ns.Start()
	if !ns.ReadyForConnections(startWait) {
		e.t.Fatal("the server does not start")
	}
	e.ns = ns
}

func (e *external) stop() {
	e.ns.Shutdown()
	e.ns.WaitForShutdown()
}

// damages damages the largest file of a stream's messages.
func (e *external) damages(stream string, damage func([]byte) []byte) {
	e.t.Helper()
	var largest string
	var most int64 = -1
	files, err := filepath.Glob(filepath.Join(e.options.StoreDir, "jetstream", "*", "streams", stream, "msgs", "*.blk"))
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil {
			e.t.Fatal(err)
		}
		if info.Size() > most {
			largest, most = f, info.Size()
		}
	}
	text, err2 := os.ReadFile(largest)
	if err != nil || err2 != nil || most == 0 {
		e.t.Fatalf("%s has no messages: %v, %v", stream, err, err2)
	}
	if err := os.WriteFile(largest, damage(text), 0o600); err != nil {
		e.t.Fatal(err)
	}
}

// The files of a server are damaged while it is down. The search that then continues gives the right result or
// ends with an error. It never claims to be exhaustive with other counts.
func TestDamageIsNoticed(t *testing.T) {
	t.Parallel()
	damages := map[string]func([]byte) []byte{
		"truncated": func(b []byte) []byte { return b[:len(b)*2/3] },
		"flipped":   func(b []byte) []byte { b[len(b)/2] ^= 1; return b },
	}
	s := small(t)
	want, err := search.Search(s.sys, s.opts)
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for _, stream := range []string{streamStates(0), streamVisited(1), "KV_" + bucketSpace}[:long.Of(2, 3)] {
		for name, damage := range damages {
			e := newExternal(t, 0)
			of := settings{url: e.ns.ClientURL(), shards: 2, synced: true, pace: brisk}
			of.pace.gone = 10 * time.Second
			g := newRig(t, s, of)
			var met atomic.Int32
			g.worker(1, func(at, _ string) {
				if at == "recorded" {
					met.Add(1)
				}
			})
			g.opts.Stop = func() search.Stop {
				if met.Load() < 12 {
					return ""
				}
				return search.StopInterrupted
			}
			if r := g.visits(); r.Stop != search.StopInterrupted {
				t.Fatalf("the search was not interrupted: %v", r.Stop)
			}
			g.c.end()
			e.stop()
			e.damages(stream, damage)
			e.start()
			g.opts.Stop = nil
			g.begins()
			opts := g.opts
			opts.Afar = g.c
			stops := g.patience()
			r, err := search.Search(g.sys, opts)
			stops()
			switch {
			case err != nil:
				refused++
				t.Logf("%s, %s: %v", stream, name, err)
			case coveredBy(r) != coveredBy(want):
				t.Errorf("%s, %s: another result:\n alone   %+v\n cluster %+v\n%s", stream, name, coveredBy(want), coveredBy(r), g.said.String())
			default:
				t.Logf("%s, %s: the search came to the right counts", stream, name)
			}
			g.stop()
		}
	}
	if refused == 0 {
		t.Error("no damage was noticed")
	}
}

// A server whose disk is full takes no more states. The search waits, and goes on once there is room.
func TestDiskIsFull(t *testing.T) {
	t.Parallel()
	if !*long.On {
		t.Skip("it takes some 20 s; -long takes it")
	}
	e := newExternal(t, 32<<10)
	of := settings{url: e.ns.ClientURL(), shards: 2, synced: true, pace: brisk}
	g := newRig(t, small(t), of)
	g.worker(1, nil)
	var full atomic.Bool
	g.all.Go(func() {
		if !g.said.hears(g.ctx.Done(), "insufficient", "resource", "exceeded") {
			return
		}
		full.Store(true)
		e.stop()
		e.options.JetStreamMaxStore = 0
		e.start()
	})
	g.visited("the disk was full")
	if !full.Load() {
		t.Errorf("the disk was not full: %s", g.said.String())
	}
	for line := range strings.Lines(g.said.String()) {
		if strings.Contains(line, "again") {
			t.Log(strings.TrimSpace(line))
			break
		}
	}
}
