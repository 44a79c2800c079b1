package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"macemc/macetime"
	"macemc/sim"
)

// A machine is a small random service. What it does in each of its states, on
// each occasion, is drawn from the seed of its plan: two machines of one plan
// and one place are one function.
type machine struct {
	At    int // where it is
	Fuel  int // how much more it may send and post, so that spaces end
	Heard map[sim.Addr]int
	times

	plan *plan      `mc:"-"`
	self int        `mc:"-"`
	all  []sim.Addr `mc:"-"`
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
	heard   bool       // machines remember what they heard
	stores  bool       // machines begin where their store says
	clock   *sim.Clock // what timers keep to
	fails   string     // how the service is wrong: "", always, monitor, panic, steps
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

	verbRead // the rest are of timed machines
	verbMove
	verbCompare
	verbCompareRarely
	verbCount
	verbForget

	verbPut // the rest are of machines with stable storage
	verbAppend
	verbSync
	verbSyncLog
	verbRecall
)

// times are what a timed machine holds, where times can lie.
type times struct {
	Read    [2]macetime.Time
	Due     map[int]any
	Counted *macetime.Monotone
}

// What machines send each other and themselves.
type (
	word  int
	ring  int
	chore int
	deed  int
	order int
)

// Occasions are what a machine reacts to.
const (
	onInit = iota
	onWord
	onRing
	onChore
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
		seed: seed, n: 2 + r.IntN(5)/4, states: 2 + r.IntN(3), fuel: 1 + r.IntN(3), can: []verb{verbSend, verbSend},
		offers: r.IntN(3) == 0, accepts: r.IntN(3) == 0, layered: r.IntN(5) == 0, heard: r.IntN(4) == 0,
		fails: []string{"", "", "", "", "always", "monitor", "panic", "steps"}[r.IntN(8)],
	}
	for v := verbAfter; v < verbs; v++ {
		if r.IntN(3) == 0 {
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

// timed is a plan with times.
func (p *plan) timed() *plan {
	p.can = append(p.can, verbRead, verbRead, verbMove, verbCompare, verbCompare, verbCompareRarely, verbCount, verbForget)
	p.fuel = 1
	return p
}

// paced is a plan with times and timers in order.
func (p *plan) paced() *plan {
	p.timed().can = append(p.can, verbAfter, verbAfter, verbAfter)
	p.clock = &sim.Clock{Drift: int(p.seed%3) * 20, Handlers: time.Duration(p.seed%2) * time.Second}
	return p
}

// storing is a plan with stable storage.
func (p *plan) storing() *plan {
	p.can = append(p.can, verbPut, verbAppend, verbAppend, verbSync, verbSyncLog, verbRecall)
	p.stores, p.fuel = true, 2
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
	r := p.draw(1000)
	sys := &sim.System{
		Name: "machines", Doc: fmt.Sprintf("Machines that were drawn from the seed %d.", p.seed),
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: p.n, Least: p.n, Most: p.n} },
		New: func(params sim.Params, self sim.Addr) sim.Node {
			m := machine{Fuel: p.fuel, plan: p, all: params.Addrs()}
			m.self = slices.Index(m.all, self)
			var n sim.Node = &m
			if p.offers || p.accepts {
				n = &guardian{m}
			}
			if p.layered {
				return &casing{inner: n}
			}
			return n
		},
	}
	if p.clock != nil {
		sys.Clock = func(sim.Params) *sim.Clock { return p.clock }
	}
	if r.IntN(2) == 0 {
		sys.Script = func(params sim.Params, self sim.Addr, life int) (all []sim.Signal) {
			for k := range p.draw(slices.Index(params.Addrs(), self), life).IntN(3) {
				all = append(all, order(k))
			}
			return all
		}
	}
	if r.IntN(3) == 0 {
		sys.Crash = func(params sim.Params, self sim.Addr, dead sim.Node) sim.Node { // what it heard survives
			next := sys.New(params, self)
			next.(cored).core().Heard = dead.(cored).core().Heard
			return next
		}
	}
	if p.fails == "" || r.IntN(4) == 0 {
		x := r.IntN(p.states)
		sys.Properties = append(sys.Properties, []sim.Property{
			sim.Eventually("every machine is there", every(func(m *machine) bool { return m.At == x })),
			sim.Eventually("some machine is there", some(func(m *machine) bool { return m.At == x })),
			sim.Eventually("no fuel is left", every(func(m *machine) bool { return m.Fuel == 0 })),
		}[r.IntN(3)])
	}
	bad := func(m *machine) bool { return m.At == p.states-1 && m.Fuel == 0 }
	switch p.fails {
	case "always":
		always := sim.Always[cored]
		if p.seed%2 == 1 { // it is of each machine by itself
			always = sim.Each[cored]
		}
		sys.Properties = append(sys.Properties, always("no machine is bad", every(func(m *machine) bool { return !bad(m) })))
	case "steps":
		sys.Properties = append(sys.Properties, sim.Steps("not both move", func(before, after sim.View[cored]) bool {
			return sumOf(after) <= sumOf(before)+2
		}))
	}
	if p.fails == "monitor" || slices.Contains(p.can, verbEmit) {
		sys.Properties = append(sys.Properties, sim.Monitor("facts are counted", func(l *tallied, _ sim.Addr, fact any) error {
			l.Facts[fact.(int)] = (l.Facts[fact.(int)] + 1) % 3
			if p.fails == "monitor" && l.Facts[0] == 2 && l.Facts[1] == 1 {
				return fmt.Errorf("facts are %v", l.Facts)
			}
			return nil
		}))
	}
	if r.IntN(8) == 0 {
		sys.Within = sim.While("some fuel is left", some(func(m *machine) bool { return m.Fuel > 0 }))
	}
	if r.IntN(8) == 0 {
		sys.Assume = sim.While("nobody is at 1", every(func(m *machine) bool { return m.At != 1 }))
	}
	if r.IntN(8) == 0 {
		sys.Weight = func(e sim.Event) float64 {
			if x, ok := e.Value.(ring); ok && x == 0 {
				return 0
			}
			return 1
		}
	}
	return sys
}

func every(holds func(*machine) bool) func(sim.View[cored]) bool {
	return func(v sim.View[cored]) bool {
		for _, c := range v.Nodes() {
			if !holds(c.core()) {
				return false
			}
		}
		return true
	}
}

func some(holds func(*machine) bool) func(sim.View[cored]) bool {
	none := every(func(m *machine) bool { return !holds(m) })
	return func(v sim.View[cored]) bool { return !none(v) }
}

func sumOf(v sim.View[cored]) (n int) {
	for _, c := range v.Nodes() {
		n += c.core().At
	}
	return n
}

// tallied is the memory of the monitor.
type tallied struct{ Facts map[int]int }

func (l *tallied) Init() { l.Facts = map[int]int{} }

func (m *machine) Init(env sim.Env) {
	if m.plan.stores {
		m.recall(env)
	}
	m.on(env, onInit, 0)
}

// recall moves to where the store says.
func (m *machine) recall(env sim.Env) {
	value, _ := env.Store().Get("at")
	m.move(len(value) + len(env.Store().File("log").ReadAll()))
}

// store does what has to do with stable storage.
func (m *machine) store(env sim.Env, v verb, x int) {
	log := env.Store().File("log")
	if v <= verbAppend { // what is not synced is part of the state
		if m.Fuel == 0 {
			return
		}
		m.Fuel--
	}
	switch v {
	case verbPut:
		env.Store().Put("at", "abc"[:m.At%3])
	case verbAppend:
		if n := len(log.ReadAll()); n > 2 {
			log.Truncate(x)
		} else if err := log.Append([]byte("log"[:1+x])); err != nil {
			m.move(1)
		}
	case verbSync:
		_ = env.Store().Sync()
	case verbSyncLog:
		if log.Sync() != nil {
			m.move(1)
		}
	case verbRecall:
		m.recall(env)
	default:
		panic(fmt.Sprintf("machine: no verb %d", v))
	}
}

func (m *machine) Deliver(env sim.Env, from sim.Addr, msg sim.Message) {
	if m.plan.heard {
		if m.Heard == nil {
			m.Heard = map[sim.Addr]int{}
		}
		m.Heard[from] = int(msg.(word)) % 2
	}
	m.on(env, onWord, int(msg.(word)))
}

func (m *machine) Handle(env sim.Env, s sim.Signal) {
	switch s := s.(type) {
	case ring:
		m.on(env, onRing, int(s))
	case chore:
		m.on(env, onChore, int(s))
	case deed:
		m.on(env, onDeed, int(s))
	case order:
		m.on(env, onOrder, int(s))
	case sim.PeerError:
		m.on(env, onError, slices.Index(m.all, s.Peer)*2+int(s.Cause))
	case sim.ClearToSend:
		m.on(env, onClear, slices.Index(m.all, s.Peer))
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
	return !m.plan.accepts || m.plan.draw(m.self, onAccept, m.At, int(msg.(word)), slices.Index(m.all, from)).IntN(3) > 0
}

// on does what the plan has for an occasion.
func (m *machine) on(env sim.Env, occasion, value int) {
	r := m.plan.draw(m.self, occasion, m.At, value)
	if m.plan.fails == "panic" && occasion != onInit && m.Fuel == 0 && r.IntN(10) == 0 {
		panic("the machine is broken")
	}
	for range 1 + r.IntN(3) {
		m.do(env, m.plan.can[r.IntN(len(m.plan.can))], r.IntN(m.plan.n), r.IntN(2), r)
	}
	if r.IntN(2) == 0 {
		m.At = r.IntN(m.plan.states)
	}
}

func (m *machine) do(env sim.Env, v verb, to, x int, r *rand.Rand) {
	switch v {
	case verbSend:
		m.send(env, m.plan.links[r.IntN(len(m.plan.links))], m.all[to], x)
	case verbAfter:
		d := time.Second
		if m.plan.clock != nil {
			d *= time.Duration(1 + x + r.IntN(2))
		}
		env.After(d, ring(x))
	case verbCancel:
		env.Cancel(ring(x))
	case verbPost:
		if m.Fuel > 0 {
			m.Fuel--
			env.Post(chore(x))
		}
	case verbChoose:
		m.move(env.Choose(2+x, "where to"))
	case verbWeigh:
		m.move(env.Weighted([]int{1, 0, 2}[:2+x], "how far"))
	case verbScheduled:
		if env.Scheduled(ring(x)) {
			m.move(1)
		}
	case verbEmit:
		env.Emit(x)
	case verbReset:
		env.TCP().Reset(m.all[to])
	case verbAsk:
		env.TCP().RequestToSend(m.all[to])
	case verbFlush:
		env.TCP().NotifyFlushed()
	default:
		if v >= verbPut {
			m.store(env, v, x)
			return
		}
		m.tell(env, v, x, r.IntN(2))
	}
}

// tell does what has to do with time.
func (m *machine) tell(env sim.Env, v verb, x, y int) {
	due, _ := m.Due[y].(macetime.Time)
	switch v {
	case verbRead:
		m.Read[x] = env.Now()
	case verbMove:
		if m.Due == nil {
			m.Due = map[int]any{}
		}
		m.Due[y] = m.Read[x].Add(time.Second)
	case verbCompare:
		if env.Before(m.Read[x], due) {
			m.move(1)
		}
	case verbCompareRarely:
		if env.BeforeWeighted(m.Read[x], m.Read[y], 1, 0) {
			m.move(1)
		}
	case verbCount:
		n := env.Monotone()
		if m.Counted != nil && !m.Counted.Less(n) {
			panic("a machine counts backwards")
		}
		m.Counted = &n
	case verbForget:
		m.Read[x], m.Due = macetime.Time{}, nil
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
	port := map[sim.Link]sim.Port{sim.LinkTCP: env.TCP(), sim.LinkUDP: env.UDP(), sim.LinkSet: env.Set()}[link]
	if port.Send(to, word(x)) {
		m.Fuel--
	} else {
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

func (c *casing) core() *machine { return c.inner.(cored).core() }

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
func (p *plan) storms() (o Options) {
	r := p.draw(2000)
	defer func() {
		if s := p.draw(2002); p.stores {
			o.DiskReorder = s.IntN(2) == 0
			o.Faults.Crash, o.Faults.Disk = 1, s.IntN(2)
			if s.IntN(3) == 0 {
				o.Faults.Crash, o.Faults.Down = 0, 1
			}
		}
	}()
	o = Options{once: true, NoWalks: true, Walks: 3, WalkSteps: 50, Conditions: sim.Conditions{Network: sim.Network{TCPBuffer: 1 + r.IntN(2), UDPCapacity: 1}, Faults: &sim.Faults{}}}
	tcp, udp := slices.Contains(p.links, sim.LinkTCP), slices.Contains(p.links, sim.LinkUDP)
	f := o.Faults
	for range r.IntN(3) {
		switch r.IntN(9) {
		case 0:
			f.Crash = 1
		case 1:
			f.Down = 1
		case 2:
			f.Reset = count(tcp)
		case 3:
			f.Loss = count(udp)
		case 4:
			f.Dup = count(udp)
		case 5:
			f.Reorder = count(udp) * sim.Unlimited
		case 6:
			f.Partition = 1
		case 7:
			f.OneWay = 1
		case 8:
			f.Rare = 1
		}
	}
	f.Pause = count(p.draw(2001).IntN(5) == 0) // of its own: the rest of a seed stays
	if r.IntN(6) == 0 {
		o.Early = new(r.IntN(3))
	}
	return o
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
