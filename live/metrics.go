package live

import (
	"net/http"
	"reflect"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"macemc/internal/contract"
	"macemc/internal/wording"
	"macemc/sim"
)

// metrics has the counters and measurements of the nodes of a host, for Prometheus.
type metrics struct {
	registry *prometheus.Registry

	handler, waited [32]prometheus.Observer // by the kind of the event; index 0 is for the start of a node
	fsync           prometheus.Observer

	sent, received *prometheus.CounterVec // messages: by node, peer, link and type
	in, out        [sim.LinkBag + 1]prometheus.Counter

	refused, lost, strangers, failed prometheus.Counter
}

func newMetrics(h *Host) *metrics {
	m := &metrics{registry: prometheus.NewRegistry()}
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), nodeGauges{h})
	make := promauto.With(m.registry)
	count := func(name, help string, labels ...string) *prometheus.CounterVec {
		return make.NewCounterVec(prometheus.CounterOpts{Namespace: "macemc_live", Name: name, Help: help}, labels)
	}
	measure := func(name, help string, least float64, labels ...string) *prometheus.HistogramVec {
		return make.NewHistogramVec(prometheus.HistogramOpts{Namespace: "macemc_live", Name: name, Help: help, Buckets: prometheus.ExponentialBuckets(least, 4, 10)}, labels)
	}
	handler := measure("handler_seconds", "How long handlers took, by the kind of their event.", 1e-6, "kind")
	waited := measure("queue_wait_seconds", "How long messages and requests waited for their handler, and how late timers were.", 10e-6, "kind")
	m.handler[0] = handler.WithLabelValues("start")
	for _, k := range contract.Kinds() {
		if !handles(k) {
			continue
		}
		m.handler[k] = handler.WithLabelValues(k.String())
		if k == sim.KindMessage || k == sim.KindScript || k == sim.KindTimer {
			m.waited[k] = waited.WithLabelValues(k.String())
		}
	}
	m.fsync = measure("fsync_seconds", "How long the storage took to sync.", 50e-6).WithLabelValues()
	m.sent = count("messages_sent_total", "Messages that nodes have sent. Of a message in an envelope of a layer, its own type.", "node", "peer", "link", "type")
	m.received = count("messages_received_total", "Messages that were delivered to nodes.", "node", "peer", "link", "type")
	in := count("received_bytes_total", "Bytes that came by connections and by datagrams.", "by")
	out := count("sent_bytes_total", "Bytes that went by connections and by datagrams.", "by")
	for _, l := range []sim.Link{sim.LinkTCP, sim.LinkUDP} {
		m.in[l], m.out[l] = in.WithLabelValues(l.String()), out.WithLabelValues(l.String())
	}
	m.refused = count("sends_refused_total", "Sends that found a full buffer.").WithLabelValues()
	m.lost = count("datagrams_dropped_total", "Datagrams for which there was no room.").WithLabelValues()
	m.strangers = count("strangers_refused_total", "Connections and datagrams that were refused.").WithLabelValues()
	m.failed = count("handlers_failed_total", "Handlers that have panicked.").WithLabelValues()
	return m
}

// handles reports whether nodes that live runs handle events of kind k. They handle no datagrams
// that overtake others, since live delivers these as ordinary messages, and no quorums, since it
// does not run such nodes.
func handles(k sim.Kind) bool {
	e := sim.Event{Kind: k}
	return contract.Row(&e).Runs() && k != sim.KindReorder && k != sim.KindQuorum
}

// stepped records the run of a handler, from began until now. If came is not zero, the event had
// waited since then.
func (m *metrics) stepped(kind sim.Kind, came, began, now time.Time) {
	m.handler[kind].Observe(now.Sub(began).Seconds())
	if !came.IsZero() {
		m.waited[kind].Observe(began.Sub(came).Seconds())
	}
}

// traffic has the counters of the messages of one node. It belongs to the node's goroutine, which
// looks counters up without a lock.
type traffic struct {
	*place
	known map[course]prometheus.Counter
}

// course identifies a counter of the messages of one node, as the key of traffic.known.
type course struct {
	of   *prometheus.CounterVec
	peer int
	link sim.Link
	is   reflect.Type
}

func (t *traffic) count(of *prometheus.CounterVec, peer int, link sim.Link, m sim.Message) {
	body, _ := wording.Carried(m)
	c := course{of, peer, link, reflect.TypeOf(body)}
	counter := t.known[c]
	if counter == nil {
		counter = of.WithLabelValues(t.name(t.at), t.name(peer), link.String(), c.is.String())
		t.known[c] = counter
	}
	counter.Inc()
}

// nodeGauges collects the statuses of the nodes of a host for Prometheus.
type nodeGauges struct{ host *Host }

var (
	gaugeUp     = prometheus.NewDesc("macemc_live_node_up", "Whether a node runs.", []string{"node"}, nil)
	gaugePeers  = prometheus.NewDesc("macemc_live_node_peers", "Peers that a node has a connection with.", []string{"node"}, nil)
	gaugeQueued = prometheus.NewDesc("macemc_live_node_queued", "Messages of a node that are not delivered.", []string{"node"}, nil)
	gaugeLife   = prometheus.NewDesc("macemc_live_node_life", "How often a node was started again.", []string{"node"}, nil)
)

// Describe implements prometheus.Collector.
func (g nodeGauges) Describe(to chan<- *prometheus.Desc) { prometheus.DescribeByCollect(g, to) }

func (g nodeGauges) Collect(to chan<- prometheus.Metric) {
	for _, n := range g.host.Nodes() {
		s := n.Status()
		up := 0
		if s.Up {
			up = 1
		}
		for d, value := range map[*prometheus.Desc]int{gaugeUp: up, gaugePeers: s.Peers, gaugeQueued: s.Queued, gaugeLife: s.Life} {
			to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(value), s.Node)
		}
	}
}

// Metrics returns a handler that serves the counters and measurements of the host's nodes, in the
// formats that Prometheus reads.
func (h *Host) Metrics() http.Handler {
	return promhttp.HandlerFor(h.metrics.registry, promhttp.HandlerOpts{})
}
