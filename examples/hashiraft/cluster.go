package hashiraft

import (
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"

	"macemc/macetest"
	"macemc/program"
)

// A cluster is three servers, and what the test has observed of them.
type cluster struct {
	t       *testing.T
	w       *macetest.World
	names   []string
	servers map[string]*raft.Raft // of the latest lives
	leaders map[uint64]string     // by term
	applied map[uint64]string     // by index: the same for all servers
	has     map[string][]string   // by server: what its latest life applied
	acked   []string
	next    int  // the number of the next word to write
	hasty   bool // members change even if the result of the previous change is not known
	unknown bool // the result of the latest change of members is not known
}

// layer is the network of a server, in the form that raft needs.
type layer struct {
	net.Listener
	h *program.Host
}

func (l layer) Dial(to raft.ServerAddress, timeout time.Duration) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return l.h.DialContext(ctx, "tcp", string(to))
}

// lines adds raft's log lines to the log of the world.
type lines struct{ h *program.Host }

func (l lines) Write(p []byte) (int, error) {
	l.h.Logf("%s", strings.TrimSpace(string(p)))
	return len(p), nil
}

func start(t *testing.T, w *macetest.World) *cluster {
	c := &cluster{t: t, w: w, names: []string{"n0", "n1", "n2"}, servers: map[string]*raft.Raft{},
		leaders: map[uint64]string{}, applied: map[uint64]string{}, has: map[string][]string{}}
	for _, name := range c.names {
		w.Host(name).Disk().Slow(20 * time.Millisecond)
		w.Start(name, c.server)
	}
	time.Sleep(3 * time.Second) // they elect a leader
	return c
}

// server is the program that runs on each server.
func (c *cluster) server(ctx context.Context, h *program.Host) {
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	l, err := h.Listen("tcp", ":7000")
	must(err)
	log := hclog.New(&hclog.LoggerOptions{Output: lines{h}, Level: hclog.Info, DisableTime: true})
	transport := raft.NewNetworkTransportWithLogger(layer{l, h}, 3, 10*time.Second, log)
	s, err := open(h.Disk())
	must(err)
	config := raft.DefaultConfig()
	config.LocalID = raft.ServerID(h.Name())
	config.Logger = log
	snapshots := raft.NewDiscardSnapshotStore()
	config.SnapshotInterval = time.Hour
	first, err := s.LastIndex()
	must(err)
	if first == 0 {
		must(raft.BootstrapCluster(config, s, s, snapshots, transport, c.members()))
	}
	c.has[h.Name()] = nil
	r, err := raft.NewRaft(config, &machine{c, h.Name()}, s, s, snapshots, transport)
	must(err)
	c.servers[h.Name()] = r
	<-ctx.Done()
	must(r.Shutdown().Error())
	must(transport.Close())
}

func (c *cluster) members() (all raft.Configuration) {
	for _, name := range c.names {
		all.Servers = append(all.Servers, raft.Server{ID: raft.ServerID(name), Address: raft.ServerAddress(name + ":7000")})
	}
	return all
}

// A machine is the state machine of a server: a list of words.
type machine struct {
	c    *cluster
	name string
}

func (m *machine) Apply(l *raft.Log) any {
	word := string(l.Data)
	if other, is := m.c.applied[l.Index]; is && other != word {
		m.c.t.Errorf("%s applies %q at index %d, where another server applied %q", m.name, word, l.Index, other)
	}
	m.c.applied[l.Index] = word
	m.c.has[m.name] = append(m.c.has[m.name], word)
	return nil
}

func (m *machine) Snapshot() (raft.FSMSnapshot, error) { return nil, fmt.Errorf("none is taken") }
func (m *machine) Restore(io.ReadCloser) error         { return fmt.Errorf("none is taken") }

// leader returns a server that is leader and can be reached.
func (c *cluster) leader() (string, *raft.Raft) {
	for _, name := range c.names {
		if r := c.servers[name]; r != nil && c.w.Host(name).Running() && r.State() == raft.Leader {
			return name, r
		}
	}
	return "", nil
}

// look checks that each term has had at most one leader.
func (c *cluster) look() {
	c.w.Wait()
	for _, name := range c.names {
		r := c.servers[name]
		if r == nil || !c.w.Host(name).Running() || r.State() != raft.Leader {
			continue
		}
		term := r.CurrentTerm()
		if other, is := c.leaders[term]; is && other != name {
			c.t.Fatalf("%s and %s are both leader in term %d", other, name, term)
		}
		c.leaders[term] = name
	}
}

// write asks the leader to write a word. Nobody waits for the result.
func (c *cluster) write() {
	name, r := c.leader()
	if r == nil {
		return
	}
	word := fmt.Sprint("w", c.next)
	c.next++
	c.w.Host(name).Go(func() {
		if err := r.Apply([]byte(word), time.Second).Error(); err == nil {
			c.acked = append(c.acked, word)
		}
	})
}

// transfer asks the leader to make another server the leader.
func (c *cluster) transfer(to string) {
	name, r := c.leader()
	if r == nil || name == to {
		return
	}
	c.w.Logf("%s is to transfer its leadership to %s", name, to)
	c.w.Host(name).Go(func() {
		err := r.LeadershipTransferToServer(raft.ServerID(to), raft.ServerAddress(to+":7000")).Error()
		c.w.Logf("the transfer from %s to %s ended: %v", name, to, err)
	})
}

func (c *cluster) any() string { return c.names[c.w.Choose(len(c.names))] }

// member removes a server's vote, or gives it back.
func (c *cluster) member() {
	name, r := c.leader()
	who := c.any()
	if r == nil || who == name || c.unknown && !c.hasty {
		return
	}
	votes := slices.ContainsFunc(r.GetConfiguration().Configuration().Servers, func(s raft.Server) bool {
		return string(s.ID) == who && s.Suffrage == raft.Voter
	})
	c.w.Logf("%s is to make %s a voter: %v", name, who, !votes)
	c.unknown = true
	c.w.Host(name).Go(func() {
		var err error
		if votes {
			err = r.DemoteVoter(raft.ServerID(who), 0, time.Second).Error()
		} else {
			err = r.AddVoter(raft.ServerID(who), raft.ServerAddress(who+":7000"), 0, time.Second).Error()
		}
		if err == nil {
			c.unknown = false
		}
	})
}

// faulty is the test of one world: first crashes, partitions, changes of members and writes; then
// the network is healed, and a write must commit.
func faulty(t *testing.T, w *macetest.World) { start(t, w).storm() }

// hasty tests, during partitions, changes of members that do not wait for the previous change.
func hasty(t *testing.T, w *macetest.World) {
	c := start(t, w)
	c.hasty = true
	for range 12 {
		switch w.Choose(8) {
		case 1:
			c.write()
		case 2, 3:
			w.Partition(nil, []string{c.any()})
		case 4:
			w.Heal()
		case 5, 6, 7:
			c.member()
		}
		c.wait()
	}
	c.heal()
	c.commits()
}

func (c *cluster) storm() {
	w := c.w
	crashes, clocks := 2, 2
	for range 20 {
		switch w.Choose(8) {
		case 1, 2:
			c.write()
		case 3:
			w.Partition(nil, []string{c.any()})
		case 4:
			w.Heal()
		case 5:
			if name := c.any(); !w.Host(name).Running() {
				w.Restart(name)
			} else if crashes > 0 {
				crashes--
				w.Crash(name)
			}
		case 6:
			c.member()
		case 7:
			if clocks > 0 {
				clocks--
				w.Unclock(c.any(), 0, 0)
			}
		}
		c.wait()
	}
	c.heal()
	c.commits()
}

// transfers is like faulty, but with transfers of the leadership and without crashes. Afterwards
// each server in turn must become leader and commit a write.
func transfers(t *testing.T, w *macetest.World) {
	c := start(t, w)
	for range 24 {
		switch w.Choose(8) {
		case 1, 2:
			c.write()
		case 3, 4:
			c.transfer(c.any())
		case 5, 6:
			w.Partition(nil, []string{c.any()})
		case 7:
			w.Heal()
		}
		c.wait()
	}
	c.heal()
	for _, name := range c.names {
		c.commits()
		c.transfer(name)
		time.Sleep(2 * time.Second)
	}
	c.commits()
}

// wait lets some time pass.
func (c *cluster) wait() {
	time.Sleep(time.Duration(1+c.w.Choose(32)) * 25 * time.Millisecond)
	c.look()
}

// heal ends all faults of the world.
func (c *cluster) heal() {
	c.w.Heal()
	for _, name := range c.names {
		c.w.RightClock(name)
		if !c.w.Host(name).Running() {
			c.w.Restart(name)
		}
	}
}

// commits fails the test if no write commits within 30 seconds, or if one that was
// acknowledged is lost.
func (c *cluster) commits() {
	var last error
	for range 30 {
		time.Sleep(time.Second)
		c.look()
		name, r := c.leader()
		if r == nil {
			last = fmt.Errorf("there is no leader")
			continue
		}
		if last = r.Apply([]byte("last"), time.Second).Error(); last != nil {
			continue
		}
		for _, word := range c.acked {
			if !slices.Contains(c.has[name], word) {
				c.t.Errorf("the write %s was acknowledged, and the leader %s has %v", word, name, c.has[name])
			}
		}
		return
	}
	c.t.Fatalf("no write commits within 30 s after the network was healed: %v", last)
}
