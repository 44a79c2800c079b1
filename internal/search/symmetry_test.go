package search

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"macemc/internal/long"
	"macemc/internal/world"
	"macemc/macetime"
	"macemc/sim"
	"macemc/systems/twophase"
)

// TestSymmetryOfTwophase: the numbers of states of twophase are those of the published specification with symmetry.
func TestSymmetryOfTwophase(t *testing.T) {
	for rms, want := range map[int]int{3: 80, 7: 920, 10: 3300} {
		p, err := twophase.System.Configure(0, []string{fmt.Sprint("rms=", rms)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, engine := range []Engine{EngineMemo, EngineLocal} {
			if !*long.On && (rms == 10 || rms == 7 && engine == EngineLocal) {
				continue
			}
			r, err := Search(twophase.System, Options{Params: p, Engine: engine, Symmetry: ReduceAuto, NoWalks: true, Effort: 1 << 30, Workers: 2, team: 1, once: true})
			if err != nil {
				t.Fatal(err)
			}
			if r.Stats.States != want || r.Liveness.State != StateExhausted || r.Safety.State != StateExhausted {
				t.Errorf("%d managers by %s: %d states, want %d; %v %v", rms, engine, r.Stats.States, want, r.Safety, r.Liveness)
			}
			if r.Stats.Renamed < min(want, 200) {
				t.Errorf("%d managers: only %d states were compared with renamed ones", rms, r.Stats.Renamed)
			}
		}
	}
}

// A peer is a node of a random service. It does not depend on the names of nodes, unless peerRules.wrong says so.
type peer struct {
	rules  *peerRules
	At     uint8
	Left   uint8
	Friend sim.Addr
	Known  map[sim.Addr]uint8
	Log    []sim.Addr
	Number int // of the node, where wrong is "number"
}

type gossip struct {
	Kind  uint8
	About sim.Addr
}

type (
	prod  struct{ Kind uint8 }
	bell  struct{ About sim.Addr }
	chore struct{ About sim.Addr }
)

// peerRules are the rules of a random service of peers. A peer is always at one of three places.
type peerRules struct {
	left       int            // number of events to which a peer reacts
	peers, hub int            // number of interchangeable nodes; 1 if n0 is not one of them, otherwise 0
	does       [3][5][]string // by place and cause: the actions of a peer
	links      []string
	faults     sim.Faults
	never      uint8  // two nodes that know others must not be at this place at the same time
	all        uint8  // all nodes must come to this place or a later one; 0 means that there is no liveness property
	wrong      string // the way in which the service depends on names, or ""
}

const (
	causeNudge = 2 + iota
	causeAlarm
	causeChore
)

var peerDeeds = []string{
	"answer", "friend", "all", "hub", "about", "be friends", "befriend about", "know from", "know about", "forget", "log", "next", "next", "back", "alarm", "chore", "pick", "again",
}

func drawPeers(seed uint64) *peerRules {
	r := rand.New(rand.NewPCG(seed, 11))
	s := &peerRules{left: 2, peers: 2 + r.IntN(3), hub: r.IntN(2), never: uint8(1 + r.IntN(3)), all: uint8(r.IntN(3))}
	for at := range s.does {
		for cause := range s.does[at] {
			for range r.IntN(4) {
				s.does[at][cause] = append(s.does[at][cause], peerDeeds[r.IntN(len(peerDeeds))])
			}
		}
	}
	for range 4 {
		s.links = append(s.links, []string{"tcp", "udp", "set", "bag"}[r.IntN(4)])
	}
	switch r.IntN(6) {
	case 0:
		s.faults.Crash = 1
	case 1:
		s.faults.Loss = 1
	case 2:
		s.faults.Partition = 1
	case 3:
		s.faults.Pause = 1
	}
	return s
}

var peers = sim.Handle(sim.OnSignal((*peer).nudged), sim.OnMessage((*peer).noted), sim.OnSignal((*peer).alarmed), sim.OnSignal((*peer).busy))

func (p *peer) nudged(env sim.Env, _ prod)                 { p.react(env, causeNudge, sim.Addr{}, sim.Addr{}) }
func (p *peer) noted(env sim.Env, from sim.Addr, n gossip) { p.react(env, int(n.Kind), from, n.About) }
func (p *peer) alarmed(env sim.Env, a bell)                { p.react(env, causeAlarm, a.About, a.About) }
func (p *peer) busy(env sim.Env, c chore)                  { p.react(env, causeChore, c.About, c.About) }
func (s *peerRules) system() *sim.System {
	n := s.peers + s.hub
	one := func(params sim.Params) sim.Range { return sim.Range{Default: n, Least: n, Most: n} }
	sys := &sim.System{
		Name: "peers", Doc: "A random service.", Nodes: one, Tolerates: s.faults,
		New: func(p sim.Params, self sim.Addr) sim.Node {
			q := &peer{rules: s, Left: uint8(s.left), Known: map[sim.Addr]uint8{}}
			if s.wrong == "number" {
				q.Number = self.Index()
			}
			return peers.Node(q)
		},
		Script: func(p sim.Params, self sim.Addr, life int) []sim.Signal {
			if life > 0 || s.wrong == "script" && self == p.Addr(n-1) {
				return nil
			}
			return []sim.Signal{prod{}}
		},
		Opaque:          []string{"search.peer.rules"},
		Interchangeable: func(p sim.Params) [][]sim.Addr { return [][]sim.Addr{p.Addrs()[s.hub:]} },
	}
	sys.Properties = []sim.Property{sim.Always("not two there", func(v sim.View[*peer]) bool {
		there := 0
		for a, q := range v.Nodes() {
			if q.At == s.never && len(q.Known) > 1 {
				there++
			}
			if s.wrong == "property" && a.Index() == n-1 && q.At > 0 {
				there = 2
			}
		}
		return there < 2
	})}
	if s.all > 0 {
		sys.Properties = append(sys.Properties, sim.Eventually("all there", func(v sim.View[*peer]) bool {
			for _, q := range v.Nodes() {
				if q.At < s.all {
					return false
				}
			}
			return true
		}))
	}
	return sys
}

func (p *peer) react(env sim.Env, cause int, from, about sim.Addr) {
	if p.Left == 0 {
		return
	}
	p.Left--
	for k, deed := range p.rules.does[p.At][cause] {
		p.do(env, deed, p.rules.links[k], from, about)
	}
}

func (p *peer) do(env sim.Env, deed, link string, from, about sim.Addr) {
	send := func(to sim.Addr, m gossip) {
		if to.IsZero() || to == env.Self() {
			return
		}
		port := map[string]sim.Port{"tcp": env.TCP(), "udp": env.UDP(), "set": env.Set(), "bag": env.Bag()}[link]
		port.Send(to, m)
	}
	switch deed {
	case "answer":
		send(from, gossip{0, p.Friend})
	case "friend":
		send(p.Friend, gossip{1, from})
	case "all":
		for _, to := range env.Peers() {
			if p.rules.wrong != "order" || env.Self().Less(to) {
				send(to, gossip{0, env.Self()})
			}
		}
	case "hub":
		if p.rules.hub == 1 {
			send(peerHub, gossip{1, p.Friend})
		}
	case "about":
		send(about, gossip{1, env.Self()})
	case "be friends":
		p.Friend = from
	case "befriend about":
		p.Friend = about
	case "know from":
		p.Known[from] = p.At
	case "know about":
		p.Known[about]++
	case "forget":
		clear(p.Known)
	case "log":
		p.Log = append(p.Log, from)
		if p.rules.wrong == "sorted" {
			slices.SortFunc(p.Log, sim.Addr.Compare)
		}
	case "next":
		p.At = min(p.At+1, 2)
	case "back":
		p.At = 0
	case "alarm":
		env.After(0, bell{from})
	case "chore":
		env.Post(chore{about})
	case "pick":
		if env.Choose(2, "friend") == 1 {
			p.Friend = env.Self()
		}
	case "again":
		p.Left = min(p.Left+1, 2)
		p.At = min(p.At+1, 2)
	}
}

var peerHub = sim.Params{Nodes: 1}.Addr(0)

var nodeWord = regexp.MustCompile(`\bn(\d+)\b`)

// orbits visits all states of a space, and counts those that differ in more than the names of peers: it renames
// the nodes in the text of each state in all ways. It also returns the number of all states and the failure, and
// reports whether there are at most most states.
func orbits(t *testing.T, s *peerRules, most int) (n, states int, wrong string, whole bool) {
	t.Helper()
	all, wrong := texts(t, s, ReduceNone, most)
	if len(all) > most {
		return 0, 0, "", false
	}
	perms := permutations(s.peers)
	classes := map[string]bool{}
	for _, lines := range all {
		least := ""
		for k, perm := range perms {
			var as []string
			for _, line := range lines {
				as = append(as, sided(nodeWord.ReplaceAllStringFunc(line, func(w string) string {
					i, _ := strconv.Atoi(w[1:])
					if i -= s.hub; i < 0 || i >= s.peers {
						return w
					}
					return fmt.Sprint("n", perm[i]+s.hub)
				})))
			}
			slices.Sort(as)
			if text := strings.Join(as, "\n"); k == 0 || text < least {
				least = text
			}
		}
		classes[least] = true
	}
	return len(classes), len(all), wrong, true
}

// sided sorts the nodes on each side of a partition, and the sides, in a line about the partition. It returns
// other lines unchanged.
func sided(line string) string {
	of, is := strings.CutPrefix(line, "partition: ")
	if !is {
		return line
	}
	sides := strings.Split(of, " | ")
	for k, side := range sides {
		nodes := strings.Fields(side)
		slices.Sort(nodes)
		sides[k] = strings.Join(nodes, " ")
	}
	slices.Sort(sides)
	return "partition: " + strings.Join(sides, " | ")
}

func permutations(n int) (all [][]int) {
	if n == 0 {
		return [][]int{nil}
	}
	for _, p := range permutations(n - 1) {
		for at := range n {
			all = append(all, slices.Insert(slices.Clone(p), at, n-1))
		}
	}
	return all
}

// texts returns the lines of all states that a search visits, or more than most if there are more, and the failure that ends it.
func texts(t *testing.T, s *peerRules, how Reduce, most int) (all [][]string, wrong string) {
	t.Helper()
	r, x := rooted(t, s.system(), Options{Symmetry: how})
	defer x.Close()
	x.ByMemo()
	if err := r.interchanges(x); err != nil {
		t.Fatal(err)
	}
	bad, err := r.owner.Guarded(x.Taker, x.Roots)
	for level := x.Level(); err == nil && bad == nil && level.Len() > 0 && x.Len() <= most; level = x.Level() {
		bad, err = r.owner.Guarded(x.Taker, func() (err error) {
			level.Some(0, level.Len(), func(_ int, at uint32) bool {
				if !x.Outside(at) {
					err = x.Expand(at)
				}
				return err == nil
			})
			if err != nil {
				return err
			}
			return x.Settle()
		})
	}
	if err != nil {
		return nil, err.Error()
	}
	if bad != nil {
		wrong = bad.Failure.Property
	}
	v := make(world.Vector, x.Bank.Places())
	for at := range x.Each {
		x.Get(at, v)
		x.World.State.Load(x.Bank, v)
		var lines []string
		for _, l := range x.World.Text.Lines() {
			lines = append(lines, l.Path+": "+l.Value)
		}
		all = append(all, lines)
	}
	return all, wrong
}

// TestSymmetryTwin: the number of states that a search with symmetry visits is the number of classes that orbits
// counts.
func TestSymmetryTwin(t *testing.T) {
	compared, states, classes, failed := 0, 0, 0, 0
	for seed := range uint64(long.Of(24, 1000)) {
		s := drawPeers(seed)
		n, of, wrong, whole := orbits(t, s, long.Of(600, 4000))
		if !whole || of < 10 {
			continue
		}
		some, fails := texts(t, s, ReduceAuto, 1<<30)
		if wrong != fails {
			t.Errorf("seed %d: %q, and with all states %q", seed, fails, wrong)
		}
		if wrong == "" && len(some) != n {
			t.Errorf("seed %d: %d states of %d were visited, which are of %d classes", seed, len(some), of, n)
		}
		if compared, states, classes = compared+1, states+of, classes+n; wrong != "" {
			failed++
		}
	}
	t.Logf("%d services, %d states, %d classes; %d fail", compared, states, classes, failed)
	if compared < 15 || failed == 0 {
		t.Errorf("%d services were compared, and %d fail", compared, failed)
	}
}

// TestInterchangeableIsChecked: if a service depends on the names of nodes that it declares interchangeable, the
// search reports that.
func TestInterchangeableIsChecked(t *testing.T) {
	s := &peerRules{peers: 3, left: 3, never: 1, links: []string{"tcp", "bag", "tcp", "bag"}}
	s.does[0][causeNudge] = []string{"all"}
	s.does[0][0] = []string{"log", "know from", "next"}
	s.does[1][0] = []string{"log", "know from"}
	s.does[1][causeNudge] = []string{"all"}
	for wrong, want := range map[string]string{
		"number": "n0 and n1 are not alike at the start: n0.Number is 0, and with the names swapped n1.Number would be 0, and is 1", "script": "at the start", "order": "at the start", "sorted": "where the names are swapped (n",
		"property": "property \"not two there\" fails, and with the names swapped (n", "": "",
	} {
		s.wrong = wrong
		all, failed := texts(t, s, ReduceAuto, 1<<20)
		if wrong == "" && failed != "" && failed != "not two there" || wrong != "" && (all != nil || !strings.HasPrefix(failed, "System.Interchangeable says that n0 to n2 may swap their names, and they may not: ") || !strings.Contains(failed, want)) {
			t.Errorf("a service that goes by %q: %s", wrong, failed)
		}
	}
}

type dated struct{ At macetime.Time }

func (d *dated) note(env sim.Env, _ prod) { d.At = env.Now() }

// A node that holds times cannot be interchangeable, and the search says so.
func TestInterchangeableHoldsNoTimes(t *testing.T) {
	handlers := sim.Handle(sim.OnSignal((*dated).note))
	sys := &sim.System{
		Name: "dated", Doc: "Nodes that hold times.",
		New:             func(sim.Params, sim.Addr) sim.Node { return handlers.Node(&dated{}) },
		Script:          func(sim.Params, sim.Addr, int) []sim.Signal { return []sim.Signal{prod{}} },
		Interchangeable: func(p sim.Params) [][]sim.Addr { return [][]sim.Addr{p.Addrs()} },
	}
	_, err := Search(sys, Options{Symmetry: ReduceAuto, NoWalks: true})
	if err == nil || !strings.Contains(err.Error(), "a node that holds times cannot be interchangeable") {
		t.Errorf("the error is %v", err)
	}
}
