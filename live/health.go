package live

import (
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Healthy returns nil if no handler of the nodes of this process has failed, and all handlers
// return. Otherwise its error names the nodes, and the process should be started again. A node
// that does not answer for a fifth of Config.Timeout counts as stuck.
func (h *Host) Healthy() error { return h.each(func(*Node) error { return nil }) }

// Ready returns nil if the nodes of this process are healthy, have joined, and have a
// connection with each peer for which they have messages. Otherwise its error names the nodes
// that are not ready. They may become ready by themselves.
func (h *Host) Ready() error {
	if h.leaves() {
		return errors.New("the nodes are being stopped")
	}
	return h.each((*Node).unready)
}

// unready returns an error that says why the node is not ready, or nil if it is.
func (n *Node) unready() error {
	if n.member.late {
		return fmt.Errorf("%s has yet to join", n.m.self)
	}
	for _, p := range n.links.peers {
		if p.at != n.at && p.sess == nil && len(p.out) > 0 {
			return fmt.Errorf("%s has messages for %s (%d), and no connection with it", n.m.self, p.addr, len(p.out))
		}
	}
	return nil
}

// each calls check for each node of this process, on the node's goroutine, and returns the
// errors. A node that does not answer in time is one of them.
func (h *Host) each(check func(*Node) error) error {
	var all []error
	for _, n := range h.Nodes() {
		all = append(all, n.checked(check))
	}
	return errors.Join(all...)
}

func (n *Node) checked(check func(*Node) error) error {
	answer := make(chan error, 1)
	n.call(func() { answer <- check(n) })
	patience := n.config.Timeout / 5
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case err := <-answer:
		return err
	case <-late.C:
		return fmt.Errorf("%s has not answered for %s: a handler does not return", n.m.self, patience)
	case <-n.stopped:
		if n.err == nil && n.member.left {
			return nil
		}
		return errors.Join(fmt.Errorf("%s has ended", n.m.self), n.err)
	}
}

// Handler serves, by HTTP, /metrics for Prometheus, and /healthz and /readyz for supervisors
// and load balancers: status 200 and "ok", or 503 and the reason.
func (h *Host) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/metrics", h.Metrics())
	for path, ask := range map[string]func() error{"/healthz": h.Healthy, "/readyz": h.Ready} {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			if err := ask(); err != nil {
				http.Error(w, err.Error(), http.StatusServiceUnavailable)
				return
			}
			_, _ = fmt.Fprintln(w, "ok")
		})
	}
	return mux
}
