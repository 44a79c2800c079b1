package live

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"macemc/internal/long"
	"macemc/sim"
)

// A replicated service continues after the largest number of failures that its replicas allow, of which each is
// that of the leader. This is tested on real sockets, through the service's dispatcher, and the history is
// still linearizable, or the transactions atomic.
func TestServicesOutliveReplicas(t *testing.T) {
	const operations = 150 // of each client, and transactions
	for _, c := range []struct {
		system string
		first  int // replica
		params []string
	}{
		{"collections", 3, []string{"clients=2", fmt.Sprint("commands=", operations)}},
		{"transactions", 2, []string{"participants=2", fmt.Sprint("transactions=", operations)}},
	} {
		for _, over := range []string{"chain", "multipaxos"} {
			for faults := 1; faults <= long.Of(1, 2); faults++ {
				t.Run(fmt.Sprint(c.system, " over ", over, ", ", faults), func(t *testing.T) {
					sys := system(t, c.system)
					params := append(c.params, "over="+over, "through=dispatcher", fmt.Sprint("faults=", faults))
					var facts atomic.Int64
					half := make(chan struct{})
					k := runWith(t, sys, 0, params, Config{Grace: time.Second, Facts: func(sim.Addr, any) {
						if facts.Add(1) == operations/2 {
							close(half)
						}
					}})
					<-half
					for n := range faults {
						k.Look(func(w *Watch) { w.Fails(c.first + n) })
						if err := k.Kill(c.first + n); err != nil {
							t.Fatal(err)
						}
					}
					k.lives()
					t.Log(facts.Load(), "facts")
				})
			}
		}
	}
}
