package live

import (
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"macemc/sim"
)

// get returns the answer of a host to an HTTP request.
func get(t *testing.T, h *Host, path string) (status int, text string) {
	t.Helper()
	r := httptest.NewRecorder()
	h.Handler().ServeHTTP(r, httptest.NewRequest("GET", path, nil))
	return r.Code, r.Body.String()
}

// metric returns the value of a metric, whose name includes its labels.
func metric(t *testing.T, h *Host, name string) float64 {
	t.Helper()
	_, text := get(t, h, "/metrics")
	for line := range strings.Lines(text) {
		if value, is := strings.CutPrefix(line, name+" "); is {
			x, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil {
				t.Fatal(err)
			}
			return x
		}
	}
	return -1
}

// Messages are counted by type and peer, and handlers and waits are measured.
func TestMetrics(t *testing.T) {
	h, _ := startEchoes(t, Config{})
	for i := range 5 {
		asks(t, h, i)
	}
	for name, least := range map[string]float64{
		`macemc_live_messages_sent_total{link="tcp",node="n0",peer="n1",type="live.number"}`:     5,
		`macemc_live_messages_received_total{link="tcp",node="n1",peer="n0",type="live.number"}`: 5,
		`macemc_live_handler_seconds_count{kind="message"}`:                                      10,
		`macemc_live_queue_wait_seconds_count{kind="message"}`:                                   10,
		`macemc_live_queue_wait_seconds_count{kind="script"}`:                                    5,
		`macemc_live_handler_seconds_count{kind="start"}`:                                        2,
		`macemc_live_sent_bytes_total{by="tcp"}`:                                                 100,
		`macemc_live_received_bytes_total{by="tcp"}`:                                             100,
		`macemc_live_node_up{node="n0"}`:                                                         1,
		`go_goroutines`:                                                                          1,
	} {
		eventually(t, name, func() bool { return metric(t, h, name) >= least })
	}
	_, text := get(t, h, "/metrics")
	for _, kind := range []string{"heal", "lose", "mend", "crash", "quorum", "reorder", "partition"} {
		if strings.Contains(text, `{kind="`+kind+`"`) {
			t.Errorf("there are rows for %q, of which no node has a handler", kind)
		}
	}
}

// sticker is a node whose handler returns when it is allowed to.
type sticker struct {
	stick chan struct{} `mc:"-"`
}

type stick struct{}

func (*sticker) Init(sim.Env)                           {}
func (*sticker) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (s *sticker) Handle(sim.Env, sim.Signal)           { <-s.stick }

// A process is healthy while its handlers return. It is ready while its nodes have joined, and have a
// connection with each peer for which they have messages.
func TestHealth(t *testing.T) {
	h, _ := startEchoes(t, Config{})
	asks(t, h, 1)
	for _, path := range []string{"/healthz", "/readyz"} {
		if status, text := get(t, h, path); status != 200 || text != "ok\n" {
			t.Errorf("%s answers %d, %q", path, status, text)
		}
	}
	if err := h.Node(0).Look(func(sim.Node) {
		h.Node(0).links.peers[1].queue(outgoing{})
		h.Node(0).links.peers[1].sess, h.Node(0).links.peers[1].dialing = nil, true
	}); err != nil {
		t.Fatal(err)
	}
	if status, text := get(t, h, "/readyz"); status != 503 || text != "n0 has messages for n1 (1), and no connection with it\n" {
		t.Errorf("without its connection /readyz answers %d, %q", status, text)
	}
	if err := h.Kill(1); err != nil {
		t.Fatal(err)
	}
	if status, text := get(t, h, "/healthz"); status != 503 || !strings.Contains(text, "n1 has ended") {
		t.Errorf("after a kill /healthz answers %d, %q", status, text)
	}
	h.Leave()
	if status, text := get(t, h, "/readyz"); status != 503 || text != "the nodes are being stopped\n" {
		t.Errorf("at the end /readyz answers %d, %q", status, text)
	}
}

// A node whose handler does not return is not healthy.
func TestUnhealthy(t *testing.T) {
	free := make(chan struct{})
	sys := &sim.System{Name: "sticker", Doc: "It may stick.", Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 2} },
		New: func(sim.Params, sim.Addr) sim.Node { return &sticker{free} }}
	h, err := Start(sys, Config{Timeout: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = h.Stop() }()
	eventually(t, "healthy", func() bool { return h.Healthy() == nil })
	h.Node(0).inbox.post(arrival{kind: arriveRequest, ask: asking{signal: stick{}, done: make(chan error, 1), at: time.Now()}})
	eventually(t, "stuck", func() bool {
		err := h.Healthy()
		return err != nil && strings.Contains(err.Error(), "a handler does not return")
	})
	close(free)
	eventually(t, "healthy", func() bool { return h.Healthy() == nil })
}
