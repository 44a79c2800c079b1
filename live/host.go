package live

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"macemc/internal/guard"
	"macemc/internal/handler"
	"macemc/internal/record"
	"macemc/netsim"
	"macemc/sim"
)

// Host runs the nodes of one process.
type Host struct {
	sys    *sim.System
	params sim.Params
	config Config
	where  *addresses
	run    string // identifies the system and its parameters; all nodes must have the same
	mark   uint64
	buffer int

	metrics *metrics
	goes    sync.WaitGroup
	asking  []chan struct{}
	failed  chan struct{} // closed when a handler has failed

	mu       sync.Mutex
	nodes    []*Node // by index; nil if another process runs the node
	dead     []sim.Node
	kept     []*contents // by index: the stable storage, if Config.Dir is ""
	lives    []int
	stopping bool
	failure  error
	told     bool
	paused   map[int]chan struct{}
	cut      cut
	leaving  chan struct{} // closed when the nodes are to take no more steps
	released chan struct{} // closed when they may close their connections
	left     bool
}

// asksMost is the largest number of requests that may wait at a node.
const asksMost = 1024

// Honest returns an error for a system that has Byzantine nodes. Their actions are choices of a search, which
// live cannot make.
func Honest(sys *sim.System, p sim.Params) error {
	bad, err := sys.Byzantines(p, "")
	if err == nil && len(bad) > 0 {
		err = fmt.Errorf("%s has the Byzantine node %s, and live runs honest ones only; choose parameters without Byzantine nodes", sys.Name, bad[0])
	}
	return err
}

// Start starts nodes of a system, and returns when they listen and have begun their lives. They run until
// Stop.
func Start(sys *sim.System, c Config) (*Host, error) {
	p, err := sys.Resolve(c.Params)
	if err != nil {
		return nil, err
	}
	if err := sys.Validate(p); err != nil {
		return nil, err
	}
	if err := Honest(sys, p); err != nil {
		return nil, err
	}
	if err := quorate(sys, p); err != nil {
		return nil, err
	}
	c.defaults()
	if c.Book == nil {
		if c.Book, err = Loopback(p.Nodes); err != nil {
			return nil, err
		}
	}
	where, err := newAddresses(c.Book, p.Nodes)
	if err != nil {
		return nil, err
	}
	if c.Only == nil {
		for i := range p.Nodes {
			c.Only = append(c.Only, i)
		}
	}
	if err := c.checkTLS(); err != nil {
		return nil, err
	}
	links, err := sys.Links(p)
	if err != nil {
		return nil, err
	}
	h := &Host{
		sys: sys, params: p, config: c, where: where, buffer: links.TCPBuffer, failed: make(chan struct{}), leaving: make(chan struct{}), released: make(chan struct{}), paused: map[int]chan struct{}{},
		nodes: make([]*Node, p.Nodes), dead: make([]sim.Node, p.Nodes), kept: make([]*contents, p.Nodes), lives: make([]int, p.Nodes),
	}
	if h.buffer == 0 {
		h.buffer = netsim.BufferDefault
	}
	h.run = fmt.Sprintf("%d nodes, %d messages a connection%s%s", p.Nodes, h.buffer, listed(p.Settings(sys)), listed(names(p.Bugs())))
	if c.Codec != nil {
		h.run += ", codec " + c.Codec.Name()
	}
	h.mark, h.metrics = h.fingerprint(), newMetrics(h)
	for range p.Nodes {
		h.asking = append(h.asking, make(chan struct{}, asksMost))
	}
	for i := range h.lives {
		h.lives[i] = c.Life - 1
	}
	var made []*Node
	for _, i := range c.Only {
		if i < 0 || i >= p.Nodes {
			err = fmt.Errorf("there is no node %d; the system runs with %d, counted from 0", i, p.Nodes)
			break
		}
		if where.at(i) == "" {
			err = fmt.Errorf("the book does not say where n%d is", i)
			break
		}
		var n *Node
		if n, err = h.make(i); err != nil {
			break
		}
		made = append(made, n)
	}
	if err != nil {
		for _, n := range made {
			n.unmake()
		}
		return nil, err
	}
	for _, n := range made {
		h.begin(n)
	}
	return h, nil
}

func names(bugs []sim.BugID) (all []string) {
	for _, b := range bugs {
		all = append(all, string(b))
	}
	return all
}

func listed(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return ", " + strings.Join(words, ", ")
}

// make makes node i, before its life begins, and returns all errors that can prevent that.
func (h *Host) make(i int) (_ *Node, err error) {
	if err := h.local(i); err != nil {
		return nil, err
	}
	self := h.params.Addr(i)
	n := &Node{place: newPlace(h, i), timer: time.NewTimer(0)}
	defer func() {
		if err != nil {
			n.unmake()
		}
	}()
	h.mu.Lock()
	h.lives[i]++
	n.number = h.lives[i]
	dead, kept, cut := h.dead[i], h.kept[i], h.cut
	h.mu.Unlock()
	n.clock = clock{pace: h.config.Pace, pause: h.config.Idle}
	n.reality = &reality{place: n.place, clock: &n.clock, store: &n.store, links: &n.links}
	if n.m, err = newMachine(h.sys, h.params, self, n.reality); err != nil {
		return nil, err
	}
	packer := newPacker(h)
	n.store = keeper{place: n.place, m: n.m, packer: packer}
	if h.config.Dir != "" {
		life := 0
		if n.store.disk, n.m.disk, life, err = openStorage(filepath.Join(h.config.Dir, self.String())); err != nil {
			return nil, err
		}
		n.number = max(n.number, life)
	} else if kept != nil {
		n.m.disk = kept.clone()
	}
	if dead != nil && h.sys.Crash != nil {
		if err := guard.Call("Crash", func() { n.m.node = h.sys.Crash(h.params, self, dead) }); err != nil {
			return nil, err
		}
		n.kept = true
	}
	var last []byte
	if dead == nil {
		var left sim.Node
		if left, last = n.store.remains(); left != nil {
			n.m.node, n.kept = left, true
		}
	}
	if h.sys.Script != nil {
		if err := guard.Call("Script", func() { n.script = slices.Clone(h.sys.Script(h.params, self, n.number)) }); err != nil {
			return nil, err
		}
	}
	n.member.late = late(n.script)
	seed := h.config.Seed
	if seed == 0 {
		seed = draw()
	}
	n.reality.rand = rand.New(rand.NewPCG(seed, uint64(i)<<32|uint64(n.number)))
	if err := n.connect(packer); err != nil {
		return nil, err
	}
	n.links.barrier, n.links.absent = cut.around(i), n.member.late
	n.recorder = recorder{place: n.place, m: n.m}
	if h.config.Record != nil {
		to, err := h.config.Record(i, n.number)
		if err != nil {
			return nil, err
		}
		if to != nil {
			if err := n.recorder.begin(to, &record.Beginning{
				System: h.sys.Name, Nodes: h.params.Nodes, Params: h.params.Settings(h.sys), Bugs: names(h.params.Bugs()),
				Number: n.number, Buffer: h.buffer, Kept: n.kept, Disk: n.m.disk.writes(), Encoded: last,
			}); err != nil {
				return nil, err
			}
		}
	}
	return n, nil
}

// connect opens the sockets of the node.
func (n *Node) connect(packer *packer) error {
	h := n.host
	listener, conn, err := listen(h.where.at(n.at))
	if err != nil {
		return fmt.Errorf("%s cannot listen: %w", n.m.self, err)
	}
	if h.config.TLSNow != nil {
		_ = conn.Close()
		conn = nil
	}
	d := &datagrams{place: n.place, packer: packer, works: n.works, conn: conn, meter: meter{most: gramsMost}}
	n.links = links{
		place: n.place, traffic: traffic{n.place, map[course]prometheus.Counter{}}, m: n.m, packer: packer, clock: &n.clock, recorder: &n.recorder, datagrams: d, buffer: h.buffer,
		door: &door{place: n.place, packer: packer, datagrams: d, works: n.works, buffer: h.buffer, listener: listener, meetings: meter{most: 64}, greeted: map[net.Conn]bool{}},
	}
	for j, a := range h.params.Addrs() {
		n.links.peers = append(n.links.peers, &peer{at: j, addr: a, boxes: boxes{taken: map[uint64]bool{}}})
	}
	return nil
}

// unmake releases the resources of a node that was made and is not started.
func (n *Node) unmake() {
	n.cease()
	if n.links.door != nil {
		n.links.door.close()
		n.links.datagrams.close()
	}
	_ = n.store.close(false)
	_ = n.recorder.close()
}

// local returns an error if the address of node i can be reached from other machines and Config.Public is not
// set.
func (h *Host) local(i int) error {
	if h.config.Public {
		return nil
	}
	a, err := net.ResolveTCPAddr("tcp", h.where.at(i))
	if err != nil {
		return fmt.Errorf("the book has n%d at %s: %w", i, h.where.at(i), err)
	}
	if !a.IP.IsLoopback() {
		return fmt.Errorf("the book has n%d at %s, which others can reach; nodes run on the loopback interface unless Config.Public is set", i, h.where.at(i))
	}
	return nil
}

func (h *Host) begin(n *Node) {
	h.mu.Lock()
	h.nodes[n.at] = n
	h.mu.Unlock()
	n.clock.began = time.Now()
	h.config.Log.Info("started", "node", n.name(n.at), "life", n.number, "at", h.where.at(n.at), "tls", h.config.TLSNow != nil)
	h.goes.Add(1)
	go n.loop()
}

// keep keeps the node and the disk of n, whose life ends, for its next life.
func (h *Host) keep(n *Node) {
	h.mu.Lock()
	h.dead[n.at], h.kept[n.at] = n.m.node, n.m.disk
	h.mu.Unlock()
}

// ended logs the end of the life of node n, and reports its failure if it has failed.
func (h *Host) ended(n *Node) {
	h.mu.Lock()
	defer h.mu.Unlock()
	why := "asked to"
	if n.err != nil {
		why = n.err.Error()
	} else if n.member.left {
		why = "its script says so, for good"
	} else if n.kill {
		why = "killed"
	}
	h.config.Log.Info("stopped", "node", n.name(n.at), "life", n.number, "steps", n.steps.Load(), "why", why)
	if n.err == nil {
		return
	}
	h.metrics.failed.Inc()
	if h.config.Failed != nil {
		h.goes.Go(func() {
			h.config.Failed(n.m.self, n.err)
		})
		return
	}
	h.failure = errors.Join(h.failure, n.err)
	if !h.told {
		h.told = true
		close(h.failed)
	}
}

// Params returns the parameters of the system.
func (h *Host) Params() sim.Params { return h.params }

// Nodes returns the nodes of this process, in the order of their indices. A node that was started again is
// returned in its newest life.
func (h *Host) Nodes() (all []*Node) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, n := range h.nodes {
		if n != nil {
			all = append(all, n)
		}
	}
	return all
}

// Node returns the node with index i, or nil if another process runs it.
func (h *Host) Node(i int) *Node {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.nodes[i]
}

// Kill ends the life of node i even in the middle of a step, as the end of its process would. Peers see only
// that its connections break.
func (h *Host) Kill(i int) error {
	n := h.Node(i)
	if n == nil {
		return fmt.Errorf("there is no node %d in this process", i)
	}
	n.call(func() { n.close(true) })
	<-n.stopped
	if n.member.left {
		return errLeft
	}
	return nil
}

// Restart begins the next life of node i, which must be dead.
func (h *Host) Restart(i int) error {
	if n := h.Node(i); n == nil {
		return fmt.Errorf("there is no node %d in this process", i)
	} else {
		select {
		case <-n.stopped:
			if n.member.left {
				return errLeft
			}
		default:
			return fmt.Errorf("n%d runs; kill it first", i)
		}
	}
	h.mu.Lock()
	stopping := h.stopping
	h.mu.Unlock()
	if stopping {
		return errors.New("the nodes are being stopped")
	}
	n, err := h.make(i)
	if err != nil {
		return err
	}
	h.begin(n)
	return nil
}

// Cut begins a partition: the nodes of a side and the others cannot reach each other. If oneWay is set, only
// messages from the side to the others are lost; connections break even then, since they need both
// directions. A nil side ends the partition. If the nodes are in several processes, each process must call
// Cut.
func (h *Host) Cut(side []int, oneWay bool) {
	h.mu.Lock()
	h.cut = cutOf(side, oneWay, h.params.Nodes)
	c := h.cut
	h.mu.Unlock()
	for _, n := range h.Nodes() {
		n.call(func() { n.links.part(c.around(n.at)) })
	}
}

// Leave keeps the nodes of this process from taking further steps. Their connections stay open, so that nodes
// of other processes, whose turn to leave comes later, see no broken connections.
func (h *Host) Leave() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.leave()
}

func (h *Host) leave() {
	if !h.left {
		h.left = true
		close(h.leaving)
	}
}

func (h *Host) leaves() bool {
	select {
	case <-h.leaving:
		return true
	default:
		return false
	}
}

// Stop stops the nodes of this process, after writing the messages that they have sent, and closes their
// storage. It returns the error of the first handler that failed.
func (h *Host) Stop() error {
	h.mu.Lock()
	h.leave()
	if !h.stopping {
		close(h.released)
	}
	h.stopping = true
	h.mu.Unlock()
	for _, n := range h.Nodes() {
		n.call(func() { n.close(false) })
	}
	for _, n := range h.Nodes() {
		<-n.stopped
	}
	h.goes.Wait()
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.failure
}

// RecordIn returns a Config.Record that writes each record into a file of a folder: n0-0.rec for life 0 of
// node n0. It makes the folder if there is none.
func RecordIn(dir string) func(node, life int) (io.WriteCloser, error) {
	return func(node, life int) (io.WriteCloser, error) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
		return os.OpenFile(filepath.Join(dir, fmt.Sprintf("n%d-%d.rec", node, life)), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	}
}

// quorate returns an error if some node takes several messages in one event (sim.OnQuorum), which live
// does not support.
func quorate(sys *sim.System, p sim.Params) error {
	for i, a := range p.Addrs() {
		if g := handler.GuardsOf(sys.New(p, a)); g.Quorate() {
			return fmt.Errorf("n%d of %s takes several messages at a time (sim.OnQuorum), which live cannot do: handle them one by one with sim.OnMessage", i, sys.Name)
		}
	}
	return nil
}
