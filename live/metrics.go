package live

import (
	"fmt"
	"io"
	"net/http"
	"sync/atomic"

	"macemc/sim"
)

// metrics count what the nodes of a host do, together.
type metrics struct {
	steps    [32]atomic.Uint64 // by the kind of their events; 0: starts
	sent     [8]atomic.Uint64  // by link
	refused  atomic.Uint64
	lost     atomic.Uint64
	refusals atomic.Uint64 // connections and datagrams of strangers
	failed   atomic.Uint64
	bytesIn  atomic.Uint64
	bytesOut atomic.Uint64
}

func (m *metrics) step(kind sim.Kind) { m.steps[kind].Add(1) }

// WriteMetrics writes what was counted in the text form of Prometheus.
func (h *Host) WriteMetrics(w io.Writer) error {
	m := &h.metrics
	var err error
	line := func(format string, args ...any) {
		if err == nil {
			_, err = fmt.Fprintf(w, format+"\n", args...)
		}
	}
	head := func(name, kind, help string) {
		line("# HELP macemc_live_%s %s", name, help)
		line("# TYPE macemc_live_%s %s", name, kind)
	}
	head("steps_total", "counter", "Handlers that have run, by the kind of their event.")
	line("macemc_live_steps_total{kind=\"start\"} %d", m.steps[0].Load())
	for _, k := range sim.Kinds() {
		if n := m.steps[k].Load(); n > 0 {
			line("macemc_live_steps_total{kind=%q} %d", k, n)
		}
	}
	head("messages_sent_total", "counter", "Messages that nodes have sent, by link.")
	for l := sim.LinkTCP; l <= sim.LinkBag; l++ {
		line("macemc_live_messages_sent_total{link=%q} %d", l, m.sent[l].Load())
	}
	for _, c := range []struct {
		name, help string
		of         *atomic.Uint64
	}{
		{"sends_refused_total", "Sends that found a full buffer.", &m.refused},
		{"datagrams_dropped_total", "Datagrams for which there was no room.", &m.lost},
		{"strangers_refused_total", "Connections and datagrams that were refused.", &m.refusals},
		{"handlers_failed_total", "Handlers that have panicked.", &m.failed},
		{"received_bytes_total", "Bytes that came by connections.", &m.bytesIn},
		{"sent_bytes_total", "Bytes that went by connections.", &m.bytesOut},
	} {
		head(c.name, "counter", c.help)
		line("macemc_live_%s %d", c.name, c.of.Load())
	}
	nodes := h.Nodes()
	head("node_up", "gauge", "Whether a node runs.")
	for _, n := range nodes {
		up := 0
		if n.Status().Up {
			up = 1
		}
		line("macemc_live_node_up{node=%q} %d", n.Status().Node, up)
	}
	head("node_peers", "gauge", "Peers that a node has a connection with.")
	for _, n := range nodes {
		line("macemc_live_node_peers{node=%q} %d", n.Status().Node, n.Status().Peers)
	}
	head("node_queued", "gauge", "Messages of a node that are not delivered.")
	for _, n := range nodes {
		line("macemc_live_node_queued{node=%q} %d", n.Status().Node, n.Status().Queued)
	}
	return err
}

// Metrics serves WriteMetrics by HTTP.
func (h *Host) Metrics() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_ = h.WriteMetrics(w)
	})
}
