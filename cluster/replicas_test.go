//go:build unix

package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"macemc/internal/long"
	"macemc/internal/search"
)

// asServer is the environment variable that makes the test's program a server of an external cluster.
const asServer = "MACEMC_TEST_SERVER"

type serverOptions struct {
	Name, Store   string
	Port, Routing int
	Routes        string
}

// serve runs the server in this process.
func serve(text string) {
	var o serverOptions
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		panic(err)
	}
	ns, err := server.NewServer(&server.Options{
		ServerName: o.Name, Host: "127.0.0.1", Port: o.Port, JetStream: true, StoreDir: o.Store, SyncAlways: true, NoSigs: true, NoLog: true,
		Cluster: server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: o.Routing}, Routes: server.RoutesFromStr(o.Routes),
	})
	if err != nil {
		panic(err)
	}
	ns.Start()
	ns.WaitForShutdown()
}

// replicas are three servers that keep three copies of everything.
type replicas struct {
	t       testing.TB
	options [3]serverOptions
	all     [3]*process
	url     string
}

func newReplicas(t testing.TB) *replicas {
	t.Helper()
	r := &replicas{t: t}
	var routes, urls []string
	for k := range r.all {
		o := serverOptions{Name: fmt.Sprintf("s%d", k), Store: t.TempDir(), Port: port(t), Routing: port(t)}
		r.options[k] = o
		routes, urls = append(routes, fmt.Sprintf("nats://127.0.0.1:%d", o.Routing)), append(urls, fmt.Sprintf("nats://127.0.0.1:%d", o.Port))
	}
	for k := range r.all {
		r.options[k].Routes = strings.Join(routes, ",")
		r.start(k)
	}
	r.url = strings.Join(urls, ",")
	nc, err := nats.Connect(r.url, nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond), quiet)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	for { // until there is a leader, with two others
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		_, err := js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{Name: "ready", Subjects: []string{"ready"}, Replicas: 3})
		cancel()
		if err == nil {
			return r
		}
		if t.Context().Err() != nil {
			t.Fatal(err)
		}
	}
}

func port(t testing.TB) int {
	_, text, err := net.SplitHostPort(free(t))
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func (r *replicas) start(k int) {
	text, err := json.Marshal(r.options[k])
	if err != nil {
		r.t.Fatal(err)
	}
	r.all[k] = start(r.t, r.options[k].Store, "", asServer+"="+string(text))
}

// again kills a server, and begins it again.
func (r *replicas) again(k int) {
	r.all[k].kill()
	r.start(k)
}

// Searches over three servers have the same result as with one process, while each server in turn, with the
// streams that it leads, is killed and begins again.
func TestThreeServers(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes some 10 s")
	}
	servers := newReplicas(t)
	r := rand.New(rand.NewPCG(5, uint64(long.Of(1, int(time.Now().UnixNano())))))
	for _, s := range []subject{clean(t, 12000), found(t)}[:long.Of(1, 2)] {
		want := s.alone(t)
		of := settings{url: servers.url, replicas: 3, pace: brisk}
		of.pace.ack = time.Second
		g := newRig(t, s, of)
		turn := make(chan struct{}) // a worker waits at a point until the server is killed, or begun again
		var met, next atomic.Int64
		next.Store(1 + r.Int64N(8))
		at := func(string, string) {
			if due := next.Load(); met.Add(1) < due || !next.CompareAndSwap(due, math.MaxInt64) {
				return
			}
			select {
			case turn <- struct{}{}:
			case <-g.ctx.Done():
			}
		}
		g.worker(1, at)
		g.worker(1, at)
		kills, most := 0, long.Of(1, 6)
		g.all.Go(func() {
			wait := func() {
				select {
				case <-turn:
				case <-g.ctx.Done():
				}
			}
			for k := r.IntN(3); kills < most && g.ctx.Err() == nil; k = (k + 1) % 3 {
				wait()
				servers.all[k].kill()
				kills++
				next.Store(met.Load() + 1 + r.Int64N(12))
				wait()
				servers.start(k)
				if kills < most { // or a worker would wait at a point, and nobody would let it go on
					next.Store(met.Load() + 1 + r.Int64N(12))
				}
			}
		})
		holds(t, "three servers", want, g.search())
		g.stop()
		if g.all.Wait(); kills == 0 {
			t.Error("no server was killed")
		}
		t.Logf("%d kills of a server", kills)
	}
}

// States in shards over three servers are those of one process, while each server in turn is killed and begins
// again. The servers are not known to sync, so the search is not called exhaustive.
func TestShardsOverThreeServers(t *testing.T) {
	if !*long.On {
		t.Skip("it takes some 30 s; -long takes it")
	}
	servers := newReplicas(t)
	s := whole(t, "peterson", 0, []string{"n=3"}, nil, 200)
	of := settings{url: servers.url, replicas: 3, shards: 3, pace: brisk}
	of.pace.ack = 4 * time.Second
	g := newRig(t, s, of)
	turn := make(chan struct{})
	var met atomic.Int64
	at := func(point, _ string) {
		if point == "asks" || met.Add(1)%25 != 0 {
			return
		}
		select {
		case turn <- struct{}{}:
		case <-g.ctx.Done():
		}
	}
	g.worker(1, at)
	g.worker(1, at)
	kills := 0
	g.all.Go(func() {
		for k := 0; ; k = (k + 1) % 3 {
			for _, do := range []func(){func() { servers.all[k].kill(); kills++ }, func() { servers.start(k) }} {
				select {
				case <-turn:
					do()
				case <-g.ctx.Done():
					return
				}
			}
		}
	})
	want, err := search.Search(s.sys, s.opts)
	if err != nil {
		t.Fatal(err)
	}
	got := g.visits()
	g.stop()
	g.all.Wait()
	want.Safety.State = search.StateIncomplete
	if want, got := coveredBy(want), coveredBy(got); want != got || kills == 0 {
		t.Errorf("after %d kills another result:\n alone   %+v\n cluster %+v\n%s", kills, want, got, g.said.String())
	}
	t.Logf("%d kills of a server", kills)
}

// The whole cluster is killed at once, and begins again.
func TestThreeServersAtOnce(t *testing.T) {
	if !*long.On {
		t.Skip("it takes some 20 s; -long takes it")
	}
	servers := newReplicas(t)
	s := clean(t, 9000)
	want := s.alone(t)
	of := settings{url: servers.url, replicas: 3, pace: brisk}
	of.pace.ack = time.Second
	g := newRig(t, s, of)
	due, met := make(chan struct{}), atomic.Int64{}
	g.worker(1, func(string, string) {
		if met.Add(1) == 20 {
			close(due)
		}
	})
	g.all.Go(func() {
		select {
		case <-due:
		case <-g.ctx.Done():
			return
		}
		for _, p := range servers.all {
			p.signal(syscall.SIGKILL)
		}
		for k, p := range servers.all {
			<-p.ended
			servers.start(k)
		}
	})
	holds(t, "all servers", want, g.search())
}
