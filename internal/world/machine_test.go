package world

import (
	"fmt"
	"macemc/sim"
	"math/rand/v2"
	"time"
)

// A machine is a small random service. What it does in each of its states, on
// each occasion, is drawn from the seed of its plan: two machines of one plan
// and one place are one function.
type machine struct {
	At    int // where it is
	Fuel  int // how much more it may send and post, so that spaces end
	Heard map[sim.Addr][]int

	plan *plan `mc:"-"`
	self int   `mc:"-"`
}

// plan is what the machines of a system are made by.
type plan struct {
	seed    uint64
	n       int
	states  int
	fuel    int
	can     []verb
	links   []sim.Link
	offers  bool // guarded actions
	accepts bool // guards on messages
	layered bool
	heard   bool // machines remember what they heard
}

// verb is one of the things that a machine does.
type verb int

const (
	verbSend verb = iota
	verbAfter
	verbCancel
	verbPost
	verbChoose
	verbWeigh
	verbScheduled
	verbEmit
	verbReset
	verbAsk
	verbFlush
	verbs
)

// What machines send each other and themselves.
type (
	note  int
	tick  int
	job   int
	deed  int
	order int
)

// Occasions are what a machine reacts to.
const (
	onInit = iota
	onNote
	onTick
	onJob
	onDeed
	onOrder
	onError
	onClear
	onFlushed
	onOffer
	onAccept
	onRefused
)

// randomPlan draws a plan of a few machines.
func randomPlan(seed uint64) *plan {
	r := rand.New(rand.NewPCG(seed, 1))
	p := &plan{
		seed: seed, n: 1 + min(2, 1+r.IntN(3)), states: 2 + r.IntN(3), fuel: 2 + r.IntN(4), can: []verb{verbSend, verbSend, verbSend},
		offers: r.IntN(3) == 0, accepts: r.IntN(3) == 0, layered: r.IntN(4) == 0, heard: r.IntN(2) == 0,
	}
	for v := verbAfter; v < verbs; v++ {
		if r.IntN(2) == 0 {
			p.can = append(p.can, v)
		}
	}
	for p.links == nil {
		for _, l := range []sim.Link{sim.LinkTCP, sim.LinkUDP, sim.LinkSet} {
			if r.IntN(2) == 0 {
				p.links = append(p.links, l)
			}
		}
	}
	return p
}

// draw is a generator that is a function of what is named.
func (p *plan) draw(words ...int) *rand.Rand {
	h := p.seed
	for _, w := range words {
		h = (h ^ uint64(w+1)) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return rand.New(rand.NewPCG(p.seed, h))
}

func (p *plan) system() *sim.System {
	return &sim.System{
		Name: "machines", Doc: fmt.Sprintf("Machines that were drawn from the seed %d.", p.seed),
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: p.n, Least: p.n, Most: p.n} },
		New: func(_ sim.Params, self sim.Addr) sim.Node {
			m := machine{Fuel: p.fuel, plan: p, self: self.Index()}
			var n sim.Node = &m
			if p.offers || p.accepts {
				n = &guardian{m}
			}
			if p.layered {
				return &casing{inner: n}
			}
			return n
		},
		Script: func(_ sim.Params, self sim.Addr, life int) (all []sim.Signal) {
			for k := range p.draw(self.Index(), life).IntN(3) {
				all = append(all, order(k))
			}
			return all
		},
		Properties: []sim.Property{
			sim.Always("machines are somewhere", func(v sim.View[cored]) bool {
				for _, c := range v.Nodes() {
					m := c.core()
					if m.At >= p.states {
						return false
					}
				}
				return v.Len() <= p.n
			}),
			sim.Eventually("every machine is at 0", func(v sim.View[cored]) bool {
				for _, c := range v.Nodes() {
					m := c.core()
					if m.At != 0 {
						return false
					}
				}
				return true
			}),
			sim.Monitor("facts are counted", count3),
		},
		Within: sim.While("some fuel is left", func(v sim.View[cored]) bool {
			for _, c := range v.Nodes() {
				m := c.core()
				if m.Fuel > 0 {
					return true
				}
			}
			return false
		}),
		Assume: sim.While("nobody is at 1", func(v sim.View[cored]) bool {
			for _, c := range v.Nodes() {
				m := c.core()
				if m.At == 1 {
					return false
				}
			}
			return true
		}),
	}
}

// tallied is a monitor's memory of its own kind of containers.
type tallied struct {
	Facts map[int]int
	Last  []int
}

func (l *tallied) Init() { l.Facts = map[int]int{} }

func count3(l *tallied, _ sim.Addr, fact any) error {
	l.Facts[fact.(int)] = (l.Facts[fact.(int)] + 1) % 3
	l.Last = append(l.Last[max(0, len(l.Last)-1):], fact.(int))
	return nil
}

func (m *machine) Init(env sim.Env) { m.on(env, onInit, 0) }

func (m *machine) Deliver(env sim.Env, from sim.Addr, msg sim.Message) {
	if m.plan.heard {
		if m.Heard == nil {
			m.Heard = map[sim.Addr][]int{}
		}
		last := m.Heard[from]
		m.Heard[from] = append(last[max(0, len(last)-1):], int(msg.(note)))
	}
	m.on(env, onNote, int(msg.(note)))
}

func (m *machine) Handle(env sim.Env, s sim.Signal) {
	switch s := s.(type) {
	case tick:
		m.on(env, onTick, int(s))
	case job:
		m.on(env, onJob, int(s))
	case deed:
		m.on(env, onDeed, int(s))
	case order:
		m.on(env, onOrder, int(s))
	case sim.PeerError:
		m.on(env, onError, s.Peer.Index())
	case sim.ClearToSend:
		m.on(env, onClear, s.Peer.Index())
	case sim.Flushed:
		m.on(env, onFlushed, 0)
	default:
		panic(fmt.Sprintf("machine: no case for the signal %T", s))
	}
}

// cored is a machine, with or without guards.
type cored interface{ core() *machine }

func (m *machine) core() *machine { return m }

// guardian is a machine with guards; a service without any is another path.
type guardian struct{ machine }

func (m *guardian) Offers(offer func(sim.Signal)) {
	for d := range 2 {
		if m.plan.offers && m.plan.draw(m.self, onOffer, m.At, d).IntN(3) == 0 {
			offer(deed(d))
		}
	}
}

func (m *guardian) Accepts(from sim.Addr, msg sim.Message) bool {
	return !m.plan.accepts || m.plan.draw(m.self, onAccept, m.At, int(msg.(note)), from.Index()).IntN(3) > 0
}

// on does what the plan has for an occasion.
func (m *machine) on(env sim.Env, occasion, value int) {
	r := m.plan.draw(m.self, occasion, m.At, value)
	for range 1 + r.IntN(3) {
		m.do(env, m.plan.can[r.IntN(len(m.plan.can))], r.IntN(m.plan.n), r.IntN(3), r)
	}
	if r.IntN(2) == 0 {
		m.At = r.IntN(m.plan.states)
	}
}

func (m *machine) do(env sim.Env, v verb, to, x int, r *rand.Rand) {
	peer := addrOf(to)
	switch v {
	case verbSend:
		m.send(env, m.plan.links[r.IntN(len(m.plan.links))], peer, x)
	case verbAfter:
		env.After(time.Second, tick(x))
	case verbCancel:
		env.Cancel(tick(x))
	case verbPost:
		if m.Fuel > 0 {
			m.Fuel--
			env.Post(job(x))
		}
	case verbChoose:
		m.move(env.Choose(2+x/2, "where to"))
	case verbWeigh:
		m.move(env.Weighted([]int{1, 0, 2}[:2+x/2], "how far"))
	case verbScheduled:
		if env.Scheduled(tick(x)) {
			m.move(1)
		}
	case verbEmit:
		env.Emit(x)
	case verbReset:
		env.TCP().Reset(peer)
	case verbAsk:
		env.TCP().RequestToSend(peer)
	case verbFlush:
		env.TCP().NotifyFlushed()
	default:
		panic(fmt.Sprintf("machine: no verb %d", v))
	}
}

// move moves on by so many places.
func (m *machine) move(by int) { m.At = (m.At + by) % m.plan.states }

func (m *machine) send(env sim.Env, link sim.Link, to sim.Addr, x int) {
	if m.Fuel == 0 {
		return
	}
	m.Fuel--
	port := map[sim.Link]sim.Port{sim.LinkTCP: env.TCP(), sim.LinkUDP: env.UDP(), sim.LinkSet: env.Set()}[link]
	if !port.Send(to, note(x)) {
		m.At = m.plan.draw(m.self, onRefused, m.At, x).IntN(m.plan.states)
	}
}

// casing is a layer about a machine: it counts what passes, and offers to
// forget it.
type casing struct {
	Passed int
	above  sim.Above `mc:"-"`
	inner  sim.Node
}

type forget struct{}

func (c *casing) Upper() sim.Node { return c.inner }

func (c *casing) env(env sim.Env) sim.Env {
	c.above = sim.Above{Env: env, Port: env.TCP()}
	return &c.above
}

func (c *casing) Init(env sim.Env) { c.inner.Init(c.env(env)) }

func (c *casing) Deliver(env sim.Env, from sim.Addr, m sim.Message) {
	c.Passed = min(c.Passed+1, 2)
	c.inner.Deliver(c.env(env), from, m)
}

func (c *casing) Handle(env sim.Env, s sim.Signal) {
	switch s.(type) {
	case forget:
		c.Passed = 0
	default:
		c.inner.Handle(c.env(env), s)
	}
}

func (c *casing) Offers(offer func(sim.Signal)) {
	if c.Passed == 2 {
		offer(forget{})
	}
}

// storms are budgets, limits on timers and links for the machines of a seed.
func storms(seed uint64) Config {
	r := rand.New(rand.NewPCG(seed, 2))
	c := Config{Conditions: sim.Conditions{Network: sim.Network{TCPBuffer: 1 + r.IntN(2), UDPCapacity: 1 + r.IntN(2)}}}
	if r.IntN(4) > 0 {
		c.Faults = new(sim.Faults)
		for k := range faultNames {
			*c.Faults.Budget(k) = r.IntN(3)
		}
		if n := r.IntN(4); n > 0 {
			c.Early = new(n - 1)
		}
	}
	return c
}
