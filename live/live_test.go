package live

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"macemc/internal/catalog"
	"macemc/sim"
)

// patience is the time after which a test fails. No test waits for it to pass.
const patience = 60 * time.Second

// cluster is a system whose nodes run in this process, and are watched.
type cluster struct {
	t *testing.T
	*Host
	*Follower
}

func run(t *testing.T, sys *sim.System, nodes int, c Config) *cluster {
	t.Helper()
	return runWith(t, sys, nodes, nil, c)
}

func runWith(t *testing.T, sys *sim.System, nodes int, settings []string, c Config) *cluster {
	t.Helper()
	p, err := sys.Configure(nodes, settings, nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Follow(sys, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.Params, c.Record = p, f.Record
	h, err := Start(sys, c)
	if err != nil {
		t.Fatal(err)
	}
	k := &cluster{t, h, f}
	t.Cleanup(k.stop)
	return k
}

func (k *cluster) stop() {
	if err := k.Stop(); err != nil {
		k.t.Error(err)
	}
	k.Close()
	k.unharmed()
}

// unharmed checks that no violation was found.
func (k *cluster) unharmed() {
	k.t.Helper()
	if err := k.Follower.Err(); err != nil {
		k.t.Error(err)
	}
	k.Look(func(w *Watch) {
		for _, v := range w.Violations() {
			k.t.Error(v.String())
		}
	})
}

// lives waits until all liveness properties hold.
func (k *cluster) lives() {
	k.t.Helper()
	if !k.Wait(patience, func(w *Watch) bool { is, _ := w.Live(); return is || len(w.Violations()) > 0 }) {
		k.Look(func(w *Watch) {
			_, why := w.Live()
			k.t.Fatalf("not live after %d steps, %d entries wait: %s\n%+v", w.Steps(), w.Waiting(), strings.Join(why, "; "), k.statuses())
		})
	}
	k.unharmed()
}

func (k *cluster) statuses() (all []Status) {
	for _, n := range k.Nodes() {
		all = append(all, n.Status())
		_ = n.Look(func(sim.Node) {
			for _, p := range n.links.peers {
				k.t.Logf("n%d to n%d: session %v, seen %v, dialing %v, redial in %v, out %d, handed %d, broken %v, in %d",
					n.at, p.at, p.sess != nil, p.seen, p.dialing, time.Until(p.redial), len(p.out), p.handed, p.broken, len(p.in))
			}
		})
	}
	return all
}

func system(t *testing.T, name string) *sim.System {
	t.Helper()
	for _, s := range catalog.Systems() {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no system %s", name)
	return nil
}

// The trees form on real sockets, and again after each node was killed in turn.
func TestTreesForm(t *testing.T) {
	for _, name := range []string{"randtree", "overcast"} {
		t.Run(name, func(t *testing.T) {
			before := runtime.NumGoroutine()
			began := time.Now()
			k := run(t, system(t, name), 8, Config{Pace: 0.02})
			k.lives()
			t.Log(time.Since(began))
			for i := range 2 {
				if err := k.Kill(i * 3); err != nil {
					t.Fatal(err)
				}
				if err := k.Restart(i * 3); err != nil {
					t.Fatal(err)
				}
				k.lives()
				t.Log(time.Since(began))
			}
			t.Log(k.statuses())
			_ = before
		})
	}
}
