package live

import (
	"fmt"
	"net"
	"sync"
	"sync/atomic"
)

// addresses has the address of each node. Nodes may be added while others run. Any goroutine
// may use it.
type addresses struct {
	mu   sync.Mutex
	book Book // the address of a node is "" if it is not in the book yet
	ipOf map[int][]net.IP
	udp  []atomic.Pointer[net.UDPAddr]
}

// newAddresses returns the addresses of n nodes, according to book b, which may lack the last
// ones.
func newAddresses(b Book, n int) (*addresses, error) {
	if len(b) > n {
		return nil, fmt.Errorf("the book has %d nodes, and the system runs with %d", len(b), n)
	}
	a := &addresses{book: make(Book, n), ipOf: map[int][]net.IP{}, udp: make([]atomic.Pointer[net.UDPAddr], n)}
	_, err := a.add(b)
	return a, err
}

// add adds the nodes that are in b and not known yet, and returns their indices. It rejects
// the whole book if a known node has another address in it, or is missing.
func (a *addresses) add(b Book) (fresh []int, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(b) > len(a.book) {
		return nil, fmt.Errorf("the book has %d nodes now, and the system runs with %d; start all nodes with a larger Params.Nodes", len(b), len(a.book))
	}
	at := make([]*net.UDPAddr, len(b))
	for i, was := range a.book {
		switch {
		case i >= len(b) && was != "":
			return nil, fmt.Errorf("the book lacks n%d now, which is at %s", i, was)
		case i >= len(b):
		case was != "" && was != b[i]:
			return nil, fmt.Errorf("the book has n%d at %s now, and had it at %s; only nodes that are new may be written into it while others run", i, b[i], was)
		case was == "":
			if at[i], err = net.ResolveUDPAddr("udp", b[i]); err != nil {
				return nil, fmt.Errorf("the book has n%d at %s: %w", i, b[i], err)
			}
			fresh = append(fresh, i)
		}
	}
	for _, i := range fresh {
		a.book[i] = b[i]
		a.udp[i].Store(at[i])
	}
	return fresh, nil
}

// at returns the address of node i, or "" if it is not in the book yet.
func (a *addresses) at(i int) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.book[i]
}

// whole returns the book of all nodes that are known so far.
func (a *addresses) whole() (b Book) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, at := range a.book {
		if at != "" {
			b = append(b, at)
		}
	}
	return b
}

// datagrams returns the UDP address of node i, or nil if the node is not in the book yet.
func (a *addresses) datagrams(i int) *net.UDPAddr { return a.udp[i].Load() }

// ips returns the addresses to which the host of node i resolves.
func (a *addresses) ips(i int) []net.IP {
	a.mu.Lock()
	defer a.mu.Unlock()
	if all, is := a.ipOf[i]; is {
		return all
	}
	host, _, _ := net.SplitHostPort(a.book[i])
	all, err := net.LookupIP(host)
	if err == nil && a.book[i] != "" {
		a.ipOf[i] = all
	}
	return all
}

// Grow adds the new nodes in b to the book of this process, so that the nodes of this process reach
// them. Params.Nodes is the largest number of nodes. A node that is not in the book yet counts as
// one that has yet to join, and no node reaches it.
func (h *Host) Grow(b Book) error {
	fresh, err := h.where.add(b)
	for _, i := range fresh {
		h.config.Log.Info("a node is in the book now", "peer", h.params.Addr(i).String(), "at", b[i])
	}
	return err
}

// Book returns the addresses of the nodes that are in the book by now.
func (h *Host) Book() Book { return h.where.whole() }
