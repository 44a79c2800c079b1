package spec

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"macemc/internal/contract"
	"macemc/macetime"
	"macemc/sim"
)

// System returns the spec as a service. Its nodes have fields of several kinds: maps, slices, and two
// pointers that may lead to one cell.
func (s *Spec) System() *sim.System {
	sys := &sim.System{
		Name: "random", Doc: "A system that was drawn at random.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: s.Nodes, Least: s.Nodes, Most: s.Nodes} },
		Network: func(sim.Params) sim.Network {
			if s.Says != [2]int{} {
				return sim.Network{TCPBuffer: s.Says[0], UDPCapacity: s.Says[1], Slow: at(s.Slow)}
			}
			return sim.Network{TCPBuffer: s.TCPBuffer, UDPCapacity: s.UDPCapacity, Slow: at(s.Slow)}
		},
		Tolerates:  s.Faults(),
		New:        func(p sim.Params, self sim.Addr) sim.Node { return s.node(p, self, nil) },
		Properties: s.properties(),
		Opaque:     []string{"spec.home"},
	}
	if s.Keeps {
		sys.Crash = func(p sim.Params, self sim.Addr, dead sim.Node) sim.Node {
			if s.Layered {
				dead = dead.(contract.Layer).Upper()
			}
			return s.node(p, self, s.core(dead))
		}
	}
	if s.Pokes == ByClosure {
		sys.Clone = s.clone
	}
	if s.Scripts != nil {
		sys.Script = func(p sim.Params, self sim.Addr, life int) (all []sim.Signal) {
			for _, v := range s.Script(slices.Index(p.Addrs(), self), life) {
				switch v {
				case Joins:
					all = append(all, sim.Join{})
				case Leaves:
					all = append(all, sim.Leave{})
				default:
					all = append(all, order(v))
				}
			}
			return all
		}
	}
	if s.Pace != nil {
		sys.Clock = func(sim.Params) *sim.Clock {
			c := &sim.Clock{Handlers: time.Duration(s.Pace.Handlers) * time.Second}
			if s.Pace.Drifts {
				c.Drift = 100
			}
			return c
		}
	}
	if s.Within != nil {
		sys.Within = sim.While("within "+s.Within.String(), s.holds(*s.Within))
	}
	if s.Assume != nil {
		sys.Assume = sim.While("assume "+s.Assume.String(), s.holds(*s.Assume))
	}
	if len(s.Rare) > 0 {
		sys.Weight = s.weight
	}
	return sys
}

// The types of messages and signals of the nodes.
type (
	word   int
	ring   int
	chore  int
	deed   int
	order  int
	packet struct{ Inner sim.Message } // the message of a layer
	forget struct{}                    // its action
)

type cell struct{ N int }

func (c *cell) flip() { c.N = (c.N + 1) % 2 }

type machine struct {
	At, Fuel int
	Heard    map[sim.Addr]int
	Trail    []int
	A, B     *cell
	Times    [2]macetime.Time
	Marks    [2]macetime.Monotone

	poke func() `mc:"-"` // changes A, and has the form Spec.Pokes
	*home
}

// home has the values that a machine gets when it is made and that never change. The
// system's Opaque rule keeps it out of the state. It also holds a function, so that copies
// of the machine share it.
type home struct {
	spec *Spec
	self int
	all  []sim.Addr
	//lint:ignore U1000 it is never called: its kind is what matters
	shared func()
}

type cored interface{ core() *machine }

func (m *machine) core() *machine { return m }

func (s *Spec) node(p sim.Params, self sim.Addr, dead *machine) sim.Node {
	h := &home{spec: s, all: p.Addrs()}
	h.self = slices.Index(h.all, self)
	m := machine{Fuel: s.Fuel, Heard: map[sim.Addr]int{}, A: &cell{}, B: &cell{}, home: h}
	if dead != nil {
		m.Heard, m.Trail = dead.Heard, dead.Trail
	}
	return m.asNode(0)
}

// clone returns a copy of n, for System.Clone.
func (s *Spec) clone(_ sim.Params, _ sim.Addr, n sim.Node) sim.Node {
	passed := 0
	if c, ok := n.(*casing); ok {
		passed, n = c.Passed, c.inner
	}
	m := *s.core(n)
	m.Heard, m.Trail = maps.Clone(m.Heard), slices.Clone(m.Trail)
	was := m
	if m.A = &(cell{was.A.N}); was.B == was.A {
		m.B = m.A
	} else {
		m.B = &cell{was.B.N}
	}
	return m.asNode(passed)
}

// asNode returns the machine as a node, with the guards and the layer of the spec.
func (m machine) asNode(passed int) sim.Node {
	s := m.spec
	switch a := m.A; s.Pokes {
	case ByMethod:
		m.poke = a.flip
	case ByClosure:
		m.poke = func() { a.flip() }
	}
	var n sim.Node
	switch s.guards() {
	case 0:
		n = of(s, machines, &m)
	case 1:
		n = of(s, offerers, &offerer{m})
	case 2:
		n = of(s, decliners, &decliner{m})
	case 3:
		n = of(s, guardians, &guardian{offerer{m}})
	default:
		n = of(s, wardens, &warden{guardian{offerer{m}}})
	}
	if s.Layered {
		return &casing{passed, n}
	}
	return n
}

// guards returns the guards that a machine of the spec has, as a number: 1 for Offers, 2 for
// Declines, 3 for both, 4 for these two, Opens and Gathers.
func (s *Spec) guards() (n int) {
	if len(s.Gathers)+len(s.Waits) > 0 {
		return 4
	}
	if len(s.Offers) > 0 {
		n++
	}
	if len(s.Declines) > 0 {
		n += 2
	}
	return n
}

// The tables of handlers, for machines that are plain values.
var (
	machines, offerers, decliners = table[*machine](), table[*offerer](), table[*decliner]()
	guardians, wardens            = table[*guardian](), table[*warden]()
)

func table[N cored]() *sim.Handlers[N] {
	return sim.Handle(
		sim.OnInit(func(n N, env sim.Env) { n.core().Init(env) }),
		sim.OnMessage(func(n N, env sim.Env, from sim.Addr, w word) { n.core().Deliver(env, from, w) }),
		signal[N, ring](), signal[N, chore](), signal[N, deed](), signal[N, order](),
		signal[N, sim.PeerError](), signal[N, sim.ClearToSend](), signal[N, sim.Flushed](),
	)
}

func signal[N cored, S any]() sim.Handler[N] {
	return sim.OnSignal(func(n N, env sim.Env, s S) { n.core().Handle(env, s) })
}

func of[N interface {
	cored
	sim.Node
}](s *Spec, t *sim.Handlers[N], n N) sim.Node {
	if s.Table {
		return t.Node(n)
	}
	return n
}

// core returns the machine of node n, which must not be wrapped in a casing (the layer of this
// package).
func (s *Spec) core(n sim.Node) *machine {
	if c, ok := n.(cored); ok {
		return c.core()
	}
	switch s.guards() {
	case 0:
		return machines.Of(n)
	case 1:
		return offerers.Of(n).core()
	case 2:
		return decliners.Of(n).core()
	case 3:
		return guardians.Of(n).core()
	default:
		return wardens.Of(n).core()
	}
}

// The types of machines with guards. A machine has only the guards that it needs, since the runtime treats a
// node without guards differently.
type (
	offerer  struct{ machine }
	decliner struct{ machine }
	guardian struct{ offerer }
	warden   struct{ guardian }
)

func (w *warden) Opens(s sim.Signal) bool {
	o, ok := s.(order)
	return !ok || !w.spec.Waiting(w.self, w.At, int(o))
}

func (w *warden) Gathers(in iter.Seq2[sim.Addr, sim.Message], offer func(sim.Signal)) {
	offered := map[int]bool{}
	for _, m := range in {
		for _, g := range w.spec.Gathers {
			if g.Node == w.self && g.At == w.At && word(g.Word) == m && !offered[g.Deed] {
				offered[g.Deed] = true
				offer(deed(g.Deed))
			}
		}
	}
}

func (m *offerer) Offers(offer func(sim.Signal)) {
	for _, o := range m.spec.Offers {
		if o.Node == m.self && o.At == m.At {
			offer(deed(o.Deed))
		}
	}
}

func (m *decliner) Accepts(from sim.Addr, msg sim.Message) bool { return m.accepts(from, msg) }
func (g *guardian) Accepts(from sim.Addr, msg sim.Message) bool { return g.accepts(from, msg) }

func (m *machine) accepts(from sim.Addr, msg sim.Message) bool {
	w, ok := msg.(word)
	return !ok || !m.spec.Declined(m.self, m.At, slices.Index(m.all, from), int(w))
}

func (m *machine) Init(env sim.Env) { m.on(env, OnInit, 0) }

func (m *machine) Deliver(env sim.Env, from sim.Addr, msg sim.Message) {
	if m.spec.Hears() {
		m.Heard[from] = int(msg.(word))
	}
	m.on(env, OnWord, int(msg.(word)))
}

func (m *machine) Handle(env sim.Env, s sim.Signal) {
	switch s := s.(type) {
	case ring:
		m.on(env, OnRing, int(s))
	case chore:
		m.on(env, OnChore, int(s))
	case deed:
		m.on(env, OnDeed, int(s))
	case order:
		m.on(env, OnOrder, int(s))
	case sim.PeerError:
		m.on(env, OnError, map[sim.Cause]int{sim.CauseReset: 0, sim.CauseRefused: 1}[s.Cause])
	case sim.ClearToSend:
		m.on(env, OnClear, 0)
	case sim.Flushed:
		m.on(env, OnFlushed, 0)
	default:
		panic(fmt.Sprintf("machine: no case for the signal %T", s))
	}
}

func (m *machine) on(env sim.Env, occasion string, value int) {
	for _, op := range m.spec.Ops(m.self, occasion, value, m.At) {
		m.do(env, op)
	}
}

func (m *machine) move(by int) { m.At = (m.At + by) % m.spec.Places }

func (m *machine) do(env sim.Env, op Op) {
	switch op.Verb {
	case Send:
		m.send(env, op)
	case After:
		env.After(time.Duration(2+2*op.To)*time.Second, ring(op.X))
	case Cancel:
		env.Cancel(ring(op.X))
	case Scheduled:
		if env.Scheduled(ring(op.X)) {
			m.move(1)
		}
	case Post:
		if m.Fuel > 0 {
			m.Fuel--
			env.Post(chore(op.X))
		}
	case Choose:
		m.move(env.Choose(op.X, "where to"))
	case Weigh:
		m.move(env.Weighted(op.Weights, "how far"))
	case Emit:
		env.Emit(op.X)
	case Reset:
		env.TCP().Reset(m.all[op.To])
	case Ask:
		env.TCP().RequestToSend(m.all[op.To])
	case Put, Delete, Append, Truncate:
		m.write(env.Store(), op)
	case SyncKeys, SyncFile:
		sync := env.Store().Sync
		if op.Verb == SyncFile {
			sync = env.Store().File(File).Sync
		}
		m.failed(sync())
	case Recall:
		all := env.Store().File(File).ReadAll()
		for _, key := range Keys {
			value, _ := env.Store().Get(key)
			all = append(all, value...)
		}
		for _, c := range all {
			if 'a' <= c && c <= 'z' {
				m.move(1)
			}
		}
	case List:
		m.move(len(env.Store().Keys()))
	case Flush:
		env.TCP().NotifyFlushed()
	case Go:
		m.At = op.X
	case Read:
		m.Times[op.X] = env.Now().Add(time.Duration(op.To) * time.Second)
	case Forget:
		m.Times[op.X] = macetime.Time{}
	case Before:
		at := func(x int) macetime.Time {
			if x == 2 {
				return env.Now()
			}
			return m.Times[x]
		}
		a, b := at(op.X), at(op.To)
		if op.Weights == nil && env.Before(a, b) || op.Weights != nil && env.BeforeWeighted(a, b, op.Weights[1], op.Weights[0]) {
			m.move(1)
		}
	case Count:
		m.Marks[op.X] = env.Monotone()
	case Older:
		if m.Marks[0].Less(m.Marks[1]) {
			m.move(1)
		}
	case Say:
		env.Logf("at %d", m.At)
	case Trail:
		if m.Trail = append(m.Trail, op.X); len(m.Trail) > 2 {
			m.Trail = slices.Clone(m.Trail[1:])
		}
	case Poke:
		if m.poke != nil {
			m.poke()
		} else {
			m.A.flip()
		}
	case Join:
		m.B = m.A
	case Part:
		m.B = &cell{m.B.N}
	case Fail:
		panic(Broken)
	default:
		panic(fmt.Sprintf("machine: no verb %q", op.Verb))
	}
}

func (m *machine) write(to sim.Store, op Op) {
	log := to.File(File)
	if m.Fuel == 0 || op.Verb == Truncate && len(log.ReadAll()) < op.X {
		return
	}
	m.Fuel--
	switch op.Verb {
	case Put:
		to.Put(Keys[op.To], Letters(op.X))
	case Delete:
		to.Delete(Keys[op.To])
	case Append:
		m.failed(log.Append([]byte(Letters(op.X))))
	case Truncate:
		log.Truncate(op.X)
	}
}

// failed moves the machine to its next place if err is that of a failed disk. It panics for
// any other error.
func (m *machine) failed(err error) {
	switch {
	case errors.Is(err, sim.ErrDisk):
		m.move(1)
	case err != nil:
		panic(err)
	}
}

func (m *machine) send(env sim.Env, op Op) {
	port := map[string]func() sim.Port{"tcp": func() sim.Port { return env.TCP() }, "udp": env.UDP, "set": env.Set, "bag": env.Bag}[op.Link]()
	if op.Link == "set" {
		port.Send(m.all[op.To], word(op.X))
		return
	}
	if m.Fuel == 0 {
		return
	}
	if port.Send(m.all[op.To], word(op.X)) {
		m.Fuel--
	} else {
		m.move(1)
	}
}

// casing is a layer. It wraps the messages that its node sends by TCP in packets, and
// counts the packets whose messages it passes to the node. The count stops at 2; then
// casing offers an action that sets it to 0.
type casing struct {
	Passed int
	inner  sim.Node
}

// wrap is the TCP port of the node above a casing: it sends each message in a packet.
type wrap struct{ sim.Conn }

func (w wrap) Send(to sim.Addr, m sim.Message) bool { return w.Conn.Send(to, packet{m}) }

func (c *casing) Upper() sim.Node { return c.inner }

func above(env sim.Env) sim.Env { return &sim.Above{Env: env, Port: wrap{env.TCP()}} }

func (c *casing) Init(env sim.Env) { c.inner.Init(above(env)) }

func (c *casing) Deliver(env sim.Env, from sim.Addr, m sim.Message) {
	if p, ok := m.(packet); ok {
		c.Passed, m = min(c.Passed+1, 2), p.Inner
	}
	c.inner.Deliver(above(env), from, m)
}

func (c *casing) Handle(env sim.Env, s sim.Signal) {
	if _, ok := s.(forget); ok {
		c.Passed = 0
		return
	}
	c.inner.Handle(above(env), s)
}

func (c *casing) Offers(offer func(sim.Signal)) {
	if c.Passed == 2 {
		offer(forget{})
	}
}

// counts is the memory of the monitor: how often each fact was emitted.
type counts struct{ Facts map[int]int }

func (c *counts) Init() { c.Facts = map[int]int{} }

func (s *Spec) properties() (all []sim.Property) {
	for _, p := range s.Always {
		all = append(all, p.declared(sim.Always("always "+p.String(), s.holds(p))))
	}
	for _, p := range s.Each {
		all = append(all, sim.Each("each "+p.String(), s.holds(p)))
	}
	for _, p := range s.Eventually {
		all = append(all, p.declared(sim.Eventually("eventually "+p.String(), s.holds(p))))
	}
	if s.Step != nil {
		all = append(all, sim.Steps("steps", func(before, after sim.View[cored]) bool {
			return places(after) <= places(before)+*s.Step
		}))
	}
	if s.Monitored {
		all = append(all, sim.Monitor("monitor", func(c *counts, _ sim.Addr, fact any) error {
			c.Facts[fact.(int)] = (c.Facts[fact.(int)] + 1) % 3
			if s.Limit && c.Facts[0] == 2 && c.Facts[1] == 1 {
				return errors.New("two of 0 and one of 1")
			}
			return nil
		}))
	}
	return all
}

func places(v sim.View[cored]) (n int) {
	for _, c := range v.Nodes() {
		n += c.core().At
	}
	return n
}

func (s *Spec) holds(p Pred) func(sim.View[cored]) bool {
	each := func(v sim.View[cored], is func(*machine) bool) (all, some bool) {
		all = true
		for _, c := range v.Nodes() {
			if is(c.core()) {
				some = true
			} else {
				all = false
			}
		}
		return all, some
	}
	all := func(is func(*machine) bool) func(sim.View[cored]) bool {
		return func(v sim.View[cored]) bool { all, _ := each(v, is); return all != p.Not }
	}
	some := func(is func(*machine) bool) func(sim.View[cored]) bool {
		return func(v sim.View[cored]) bool { _, some := each(v, is); return some != p.Not }
	}
	whole := func(is func(sim.View[cored]) bool) func(sim.View[cored]) bool {
		return func(v sim.View[cored]) bool { return is(v) != p.Not }
	}
	switch p.Kind {
	case Every:
		return all(func(m *machine) bool { return m.At == p.P })
	case Some:
		return some(func(m *machine) bool { return m.At == p.P })
	case Spent:
		return all(func(m *machine) bool { return m.Fuel == 0 })
	case Shared:
		return all(func(m *machine) bool { return m.A == m.B })
	case Heard:
		return some(func(m *machine) bool { h, ok := m.Heard[m.all[0]]; return ok && h == p.P })
	case Trailed:
		return some(func(m *machine) bool { return len(m.Trail) == 2 && m.Trail[1] == p.P })
	case Quiet:
		return whole(func(v sim.View[cored]) bool { return v.InFlight() == 0 })
	case Flying:
		return whole(func(v sim.View[cored]) bool { return v.InFlight() >= p.P })
	case NoTimers:
		return whole(func(v sim.View[cored]) bool { return v.Timers() == 0 })
	case Armed:
		return whole(func(v sim.View[cored]) bool {
			for a, c := range v.Nodes() {
				if c.core().self == 0 {
					return v.Scheduled(a, ring(p.P))
				}
			}
			return false
		})
	case AllUp:
		return whole(func(v sim.View[cored]) bool { return v.Len() == s.Nodes })
	case Sum:
		return whole(func(v sim.View[cored]) bool { return places(v) >= p.P })
	case UnderWay:
		return whole(func(v sim.View[cored]) bool {
			for sent := range sim.UnderWay[any](v) {
				m := sent.Message
				if in, ok := m.(packet); ok {
					m = in.Inner
				}
				if m == word(p.P) {
					return true
				}
			}
			return false
		})
	case Never:
		return whole(func(sim.View[cored]) bool { return false })
	default:
		panic(fmt.Sprintf("macemc bug: spec: no predicate %q", p.Kind))
	}
}

// declared returns a copy of property of that also declares, by sim.Takes, on which values of a
// node predicate p depends. If p depends on more than one node's own fields, declared returns of
// itself.
func (p Pred) declared(of sim.Property) sim.Property {
	take := p.takes()
	if take == nil {
		return of
	}
	return sim.Takes(of, func(c cored) any { return take(c.core()) })
}

// takes returns a function that returns the part of a machine on which the predicate depends. It returns nil
// if the predicate depends on more than the machine's own fields.
func (p Pred) takes() func(*machine) any {
	switch p.Kind {
	case Every, Some, Sum:
		return func(m *machine) any { return m.At }
	case Spent:
		return func(m *machine) any { return m.Fuel }
	case Shared:
		return func(m *machine) any { return m.A == m.B }
	case Heard:
		return func(m *machine) any { h, ok := m.Heard[m.all[0]]; return ok && h == p.P }
	case Trailed:
		return func(m *machine) any { return len(m.Trail) == 2 && m.Trail[1] == p.P }
	case AllUp, Never:
		return func(*machine) any { return nil }
	}
	return nil
}

// Hears reports whether machines record the messages that they get. They do so only if something depends on
// it.
func (s *Spec) Hears() bool {
	if s.Keeps {
		return true
	}
	for _, list := range [][]Pred{s.Always, s.Eventually} {
		if slices.ContainsFunc(list, func(p Pred) bool { return p.Kind == Heard }) {
			return true
		}
	}
	return false
}

func (s *Spec) weight(e sim.Event) float64 {
	value := -1
	switch v := e.Value.(type) {
	case word:
		value = int(v)
	case ring:
		value = int(v)
	case chore:
		value = int(v)
	case deed:
		value = int(v)
	case order:
		value = int(v)
	}
	if s.IsRare(e.Kind.String(), value) {
		return 0
	}
	return 1
}

func (s *Spec) IsRare(kind string, value int) bool {
	for _, r := range s.Rare {
		if r.Kind == kind && (r.Value < 0 || r.Value == value) {
			return true
		}
	}
	return false
}

// Faults returns the budgets as sim.Faults.
func (s *Spec) Faults() sim.Faults {
	f := s.Budgets.faults()
	var only []string
	for _, l := range s.Only {
		only = append(only, l.Fault+"@"+at(l.Places))
	}
	f.Only = strings.Join(only, ",")
	return f
}

// Links returns the settings of links that a search uses instead of the system's own.
func (s *Spec) Links() sim.Network {
	if s.Says == [2]int{} {
		return sim.Network{}
	}
	return sim.Network{TCPBuffer: s.TCPBuffer, UDPCapacity: s.UDPCapacity}
}

// at returns the names of nodes and links, in the form of a limit of faults: "n0+n1-n2" for node
// 0 and the link between the nodes 1 and 2.
func at(places [][2]int) string {
	var all []string
	for _, p := range places {
		place := fmt.Sprintf("n%d", p[0])
		if p[1] != p[0] {
			place += fmt.Sprintf("-n%d", p[1])
		}
		all = append(all, place)
	}
	return strings.Join(all, "+")
}

func (b Budgets) faults() (f sim.Faults) {
	for k, n := range b.All() {
		*f.Budget(k) = *n
	}
	return f
}
