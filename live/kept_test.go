package live

import (
	"sync"
	"testing"
	"time"

	"macemc/sim"
)

// TestKeptBeforeStopped checks that the host keeps a node that was killed before anybody sees that it has stopped. Kill
// used to return a moment earlier, and a Restart at once then began without the node's state and disk.
func TestKeptBeforeStopped(t *testing.T) {
	sys := &sim.System{
		Name: "kept", Doc: "A node that survives crashes.",
		New: func(sim.Params, sim.Addr) sim.Node { return &hearer{new(sync.Mutex), new([]noise)} },
	}
	h, err := Start(sys, Config{Params: sim.Params{Nodes: 1}, Grace: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	n := h.Node(0)
	h.mu.Lock() // so that nothing can be kept
	n.call(func() { n.close(true) })
	select {
	case <-n.stopped:
		t.Error("the node has stopped, and the host has not kept it")
	case <-time.After(50 * time.Millisecond):
	}
	h.mu.Unlock()
	<-n.stopped
	h.mu.Lock()
	if h.dead[0] != n.m.node {
		t.Error("the host has not kept the node")
	}
	h.mu.Unlock()
	if err := h.Stop(); err != nil {
		t.Error(err)
	}
}
