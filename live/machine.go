package live

import (
	"fmt"
	"iter"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"macemc/internal/canon"
	"macemc/internal/disk"
	"macemc/internal/guard"
	"macemc/internal/sight"
	"macemc/macetime"
	"macemc/sim"
)

// machine is one node in one life and what it asks of Env: its handlers run here, in
// the real world and when a record is taken again. Who answers is the one difference.
type machine struct {
	sys    *sim.System
	params sim.Params
	self   sim.Addr
	peers  []sim.Addr
	walker *canon.Walker
	node   sim.Node
	answer answerer

	timers  map[sim.Signal]time.Time // that are scheduled, and when they fire
	tasks   []sim.Signal
	disk    *contents
	writes  int // to it, in this life
	counted uint64
	sends   uint64 // that were not refused, in this life

	running bool
	acting  int8 // whether it has actions: 0: not known yet, 1, or -1
	calls   int
	effects []sim.Effect
	said    said // in the step that runs
	ports   [4]port
	store   store
}

// answerer answers what Env asks.
type answerer interface {
	choose(weights []int, n int) int
	now() time.Duration
	before(a, b macetime.Time) bool
	room(to sim.Addr, spent int) bool // spent: what the step has sent already; negative after a reset
	log(format string, args ...any)
	tracing() bool
	// stored is told of each write, before the handler goes on, and of each sync.
	stored(w disk.Write) error
	synced(file string, keys bool) error
}

// said are the answers that were given in a step, in order.
type said struct {
	Picks   []uint32 // of Choose, Weighted, Before
	Refused []uint32 // the places of the sends that were refused, counted from 0
	tried   uint32   // sends
	spent   []int
}

// callsMost is how many calls of Env a step may make, as in the simulation.
const callsMost = 100_000

type port struct {
	m    *machine
	link sim.Link
}

// RuntimePort says that a port is no part of a node's state: see sight.Port.
func (p *port) RuntimePort() {}

func newMachine(sys *sim.System, p sim.Params, self sim.Addr, a answerer) (*machine, error) {
	walker, err := hasher(sys)
	if err != nil {
		return nil, err
	}
	m := &machine{sys: sys, params: p, self: self, walker: walker, answer: a, timers: map[sim.Signal]time.Time{}, disk: newContents()}
	for _, peer := range p.Addrs() {
		if peer != self {
			m.peers = append(m.peers, peer)
		}
	}
	m.ports = [4]port{{m, sim.LinkTCP}, {m, sim.LinkUDP}, {m, sim.LinkSet}, {m, sim.LinkBag}}
	m.store = store{m}
	m.said.spent = make([]int, p.Nodes)
	if err := guard.Call("New", func() { m.node = sys.New(p, self) }); err != nil {
		return nil, err
	}
	if m.node == nil {
		return nil, fmt.Errorf("system %s: New made a nil node at %s", sys.Name, self)
	}
	return m, nil
}

// hasher walks a system's nodes for their identity, here and in the simulation alike:
// times are left out, which are names there and readings here.
func hasher(sys *sim.System) (*canon.Walker, error) {
	w, err := canon.New(canon.Options{
		Opaque:  sys.Opaque,
		Skip:    []reflect.Type{reflect.TypeFor[sim.Env](), reflect.TypeFor[sight.Port](), reflect.TypeFor[sight.Table](), reflect.TypeFor[instant]()},
		Named:   []reflect.Type{reflect.TypeFor[sim.Addr]()},
		Through: reflect.TypeFor[sight.Handled](),
	})
	if err != nil {
		return nil, fmt.Errorf("system %s: %w", sys.Name, err)
	}
	return w, nil
}

// instant is a macetime.Time or Monotone.
type instant interface {
	IsZero() bool
	Instant()
}

// Hasher gives the identity of a node, wherever it runs.
func Hasher(sys *sim.System) (func(node sim.Node) (canon.Hash, error), error) {
	w, err := hasher(sys)
	if err != nil {
		return nil, err
	}
	return func(node sim.Node) (canon.Hash, error) { return w.Sum(node) }, nil
}

// failure is what a handler did wrong.
type failure struct {
	text  string
	stack string
}

func (f *failure) Error() string { return f.text }

// run runs a handler. What it asked for is in effects then; a failure is the
// service's.
func (m *machine) run(e *Event) (failed *failure) {
	m.running, m.calls, m.effects = true, 0, m.effects[:0]
	m.said.Picks, m.said.Refused, m.said.tried = m.said.Picks[:0], m.said.Refused[:0], 0
	clear(m.said.spent)
	returned := false
	defer func() {
		m.running = false
		if returned {
			return
		}
		r := recover()
		if r == nil {
			failed = &failure{text: "the handler ended its goroutine by runtime.Goexit: it must return"}
			return
		}
		if of, is := r.(*failure); is {
			failed = of
			return
		}
		failed = &failure{guard.Text(r), guard.Stack(debug.Stack())}
	}()
	m.dispatch(e)
	returned = true
	return nil
}

// settle carries out what is the node's own of what the handler asked for: timers and
// tasks. now is when timers begin.
func (m *machine) settle(now time.Time, pace float64) {
	for i := range m.effects {
		switch e := &m.effects[i]; e.Kind {
		case sim.EffectAfter:
			m.timers[e.Value] = now.Add(time.Duration(float64(e.Delay) * pace))
		case sim.EffectCancel:
			delete(m.timers, e.Value)
		case sim.EffectPost:
			m.tasks = append(m.tasks, e.Value)
		case sim.EffectSend:
			m.sends++
		}
	}
}

func (m *machine) use(what string) {
	if !m.running {
		panic(fmt.Sprintf("macemc: env.%s of %s was called outside a handler, or by a goroutine; an Env is valid until its handler returns: pass it on, do not keep it",
			what, m.self))
	}
	if m.calls++; m.calls > callsMost {
		panic(&failure{text: fmt.Sprintf("the handler called Env %d times in one step (the last: %s): it loops for ever", callsMost, what)})
	}
}

func (m *machine) Self() sim.Addr    { m.use("Self"); return m.self }
func (m *machine) Peers() []sim.Addr { m.use("Peers"); return m.peers }
func (m *machine) TCP() sim.Port     { return &m.ports[0] }
func (m *machine) UDP() sim.Port     { return &m.ports[1] }
func (m *machine) Set() sim.Port     { return &m.ports[2] }
func (m *machine) Bag() sim.Port     { return &m.ports[3] }

func (m *machine) pick(k int) int {
	m.said.Picks = append(m.said.Picks, uint32(k))
	return k
}

func (m *machine) Choose(n int, why string) int {
	m.use("Choose")
	if n < 1 {
		panic(fmt.Sprintf("macemc: env.Choose(%d, %q): there must be at least one alternative", n, why))
	}
	return m.pick(m.answer.choose(nil, n))
}

func (m *machine) Weighted(w []int, why string) int {
	m.use("Weighted")
	total := 0
	for _, x := range w {
		if x < 0 {
			panic(fmt.Sprintf("macemc: env.Weighted(%v, %q): a weight is 0 or more", w, why))
		}
		total += x
	}
	if total == 0 {
		panic(fmt.Sprintf("macemc: env.Weighted(%v, %q): at least one weight must be more than 0", w, why))
	}
	return m.pick(m.answer.choose(w, len(w)))
}

func (m *machine) Now() macetime.Time {
	m.use("Now")
	return macetime.Wall(m.self.Index(), m.answer.now())
}

func (m *machine) Before(a, b macetime.Time) bool {
	m.use("Before")
	is := m.answer.before(a, b)
	k := 0
	if is {
		k = 1
	}
	m.pick(k)
	return is
}

func (m *machine) BeforeWeighted(a, b macetime.Time, _, _ int) bool { return m.Before(a, b) }

func (m *machine) Monotone() macetime.Monotone {
	m.use("Monotone")
	m.counted++
	return macetime.Counted(m.counted)
}

func (m *machine) text(v any) string { return m.walker.Text(v) }

func (p *port) check(call string, to sim.Addr) *machine {
	m := p.m
	m.use(call)
	if to.IsZero() || to.Index() >= m.params.Nodes {
		panic(fmt.Sprintf("macemc: %s calls %s about %s, which is no node; check the address before", m.self, call, to))
	}
	return m
}

func (p *port) Send(to sim.Addr, msg sim.Message) bool {
	m := p.check("Send", to)
	if msg == nil {
		panic(fmt.Sprintf("macemc: %s sends nil to %s; a message is a value of a type of its own", m.self, to))
	}
	place := m.said.tried
	m.said.tried++
	if p.link == sim.LinkTCP {
		if !m.answer.room(to, m.said.spent[to.Index()]) {
			m.said.Refused = append(m.said.Refused, place)
			m.effects = append(m.effects, sim.Effect{Kind: sim.EffectRefused, Link: p.link, To: to, Value: msg})
			return false
		}
		m.said.spent[to.Index()]++
	}
	m.effects = append(m.effects, sim.Effect{Kind: sim.EffectSend, Link: p.link, To: to, Value: msg})
	return true
}

func (p *port) connected(call string, to sim.Addr) *machine {
	m := p.check(call, to)
	if p.link != sim.LinkTCP {
		panic(fmt.Sprintf("macemc: %s calls %s on its %s port; only tcp has connections and buffers", m.self, call, p.link))
	}
	return m
}

func (p *port) RequestToSend(to sim.Addr) {
	m := p.connected("RequestToSend", to)
	m.effects = append(m.effects, sim.Effect{Kind: sim.EffectAskClear, Link: p.link, To: to})
}

func (p *port) NotifyFlushed() {
	m := p.connected("NotifyFlushed", p.m.self)
	m.effects = append(m.effects, sim.Effect{Kind: sim.EffectAskFlushed, Link: p.link})
}

// emptied is what a reset makes of what a step has sent: nothing is queued.
const emptied = -1 << 20

func (p *port) Reset(to sim.Addr) {
	m := p.connected("Reset", to)
	m.said.spent[to.Index()] = emptied
	m.effects = append(m.effects, sim.Effect{Kind: sim.EffectReset, Link: p.link, To: to})
}

// timer refuses a signal that cannot be one, in the sentences of the simulation.
func (m *machine) timer(call string, s sim.Signal) {
	m.use(call)
	if s == nil || !reflect.ValueOf(s).Comparable() {
		panic(fmt.Sprintf("macemc: env.%s(%s): a timer must be a comparable value (no slice, map or func in it), since equal values are one timer", call, m.text(s)))
	}
}

func (m *machine) After(d time.Duration, timer sim.Signal) {
	m.timer("After", timer)
	if d < 0 {
		panic(fmt.Sprintf("macemc: env.After(%s, %s): a timer cannot be in the past", d, m.text(timer)))
	}
	m.effects = append(m.effects, sim.Effect{Kind: sim.EffectAfter, Delay: d, Value: timer})
}

func (m *machine) Cancel(timer sim.Signal) {
	m.timer("Cancel", timer)
	m.effects = append(m.effects, sim.Effect{Kind: sim.EffectCancel, Value: timer})
}

func (m *machine) Scheduled(timer sim.Signal) bool {
	m.timer("Scheduled", timer)
	for _, e := range slices.Backward(m.effects) {
		if (e.Kind == sim.EffectAfter || e.Kind == sim.EffectCancel) && e.Value == timer {
			return e.Kind == sim.EffectAfter
		}
	}
	_, is := m.timers[timer]
	return is
}

func (m *machine) Post(task sim.Signal) {
	m.use("Post")
	if task == nil {
		panic(fmt.Sprintf("macemc: %s posts nil; a task is a value of a type of its own", m.self))
	}
	m.effects = append(m.effects, sim.Effect{Kind: sim.EffectPost, Value: task})
}

func (m *machine) Bug(id sim.BugID) bool {
	m.use("Bug")
	if !slices.ContainsFunc(m.sys.Bugs, func(b sim.Bug) bool { return b.ID == id }) {
		panic(fmt.Sprintf("macemc: system %s asks for bug %q, which System.Bugs does not list", m.sys.Name, id))
	}
	return m.params.Bug(id)
}

func (m *machine) Emit(fact any) {
	m.use("Emit")
	m.effects = append(m.effects, sim.Effect{Kind: sim.EffectEmit, Value: fact})
}

func (m *machine) Tracing() bool { return m.answer.tracing() }

func (m *machine) Logf(format string, args ...any) {
	m.use("Logf")
	if m.answer.tracing() {
		m.answer.log(format, args...)
	}
}

func (m *machine) Store() sim.Store {
	m.use("Store")
	return &m.store
}

// store is the Store of a node, and file one file in it.
type store struct{ m *machine }

type file struct {
	m    *machine
	name string
}

// RuntimePort says that a store is no part of a node's state: see sight.Port.
func (s *store) RuntimePort() {}

// RuntimePort says that a file is no part of a node's state: see sight.Port.
func (f *file) RuntimePort() {}

func (m *machine) write(w disk.Write) error {
	m.use("Store")
	m.disk.write(w)
	m.writes++
	m.effects = append(m.effects, sim.Effect{Kind: sim.EffectWrite, Value: w.String()})
	return m.answer.stored(w)
}

func (m *machine) sync(file string, keys bool, text string) error {
	m.use("Store.Sync")
	m.effects = append(m.effects, sim.Effect{Kind: sim.EffectSync, Value: text})
	return m.answer.synced(file, keys)
}

func (s *store) Get(key string) (string, bool) {
	s.m.use("Store.Get")
	v, is := s.m.disk.keys[key]
	return v, is
}
func (s *store) Keys() []string        { s.m.use("Store.Keys"); return sim.Keys(s.m.disk.keys) }
func (s *store) Put(key, value string) { s.must(disk.Write{Kind: disk.Put, Name: key, Data: value}) }
func (s *store) Delete(key string)     { s.must(disk.Write{Kind: disk.Delete, Name: key}) }
func (s *store) Sync() error           { return s.m.sync("", true, "the keys") }

func (s *store) Files() []string {
	s.m.use("Store.Files")
	return slices.DeleteFunc(sim.Keys(s.m.disk.files), func(name string) bool { return len(s.m.disk.files[name]) == 0 })
}

// must ends the node where a write fails that has no error to return: it could not
// go on as if it was written.
func (s *store) must(w disk.Write) {
	if err := s.m.write(w); err != nil {
		panic(&failure{text: fmt.Sprintf("a write to the storage of %s failed: %v", s.m.self, err)})
	}
}

func (s *store) File(name string) sim.File {
	s.m.use("Store.File")
	if name == "" || strings.ContainsAny(name, "/\\") {
		panic(fmt.Sprintf("macemc: env.Store().File(%q): a file has a name without a slash; there are no folders", name))
	}
	return &file{s.m, name}
}

func (f *file) Append(data []byte) error {
	if len(data) == 0 {
		return nil
	}
	return f.m.write(disk.Write{Kind: disk.Append, Name: f.name, Data: string(data)})
}

func (f *file) WriteAt(data []byte, offset int) error {
	if offset < 0 {
		panic(fmt.Sprintf("macemc: File.WriteAt(%d) of %s: an offset is 0 or more", offset, f.name))
	}
	if len(data) == 0 {
		return nil
	}
	return f.m.write(disk.Write{Kind: disk.Overwrite, Name: f.name, Data: string(data), Size: offset})
}

func (f *file) Sync() error { return f.m.sync(f.name, false, "the file "+f.name) }
func (f *file) ReadAll() []byte {
	f.m.use("File.ReadAll")
	return append([]byte{}, f.m.disk.files[f.name]...)
}

func (f *file) Truncate(size int) {
	if n := len(f.m.disk.files[f.name]); size < 0 || size > n {
		panic(fmt.Sprintf("macemc: File.Truncate(%d) of %s: it has %d bytes; a file is only ever cut", size, f.name, n))
	}
	(&store{f.m}).must(disk.Write{Kind: disk.Truncate, Name: f.name, Size: size})
}

// dispatch calls the handler of an event.
func (m *machine) dispatch(e *Event) {
	switch e.Kind {
	case 0, sim.KindRestart:
		m.node.Init(m)
	case sim.KindMessage:
		m.node.Deliver(m, e.From, e.Value)
	case sim.KindError:
		m.node.Handle(m, sim.PeerError{Peer: e.From, Cause: sim.CauseReset})
	case sim.KindRefused:
		m.node.Handle(m, sim.PeerError{Peer: e.From, Cause: sim.CauseRefused})
	case sim.KindClear:
		m.node.Handle(m, sim.ClearToSend{Peer: e.From})
	case sim.KindFlushed:
		m.node.Handle(m, sim.Flushed{})
	case sim.KindScript, sim.KindAction, sim.KindTask, sim.KindTimer:
		switch {
		case e.joins():
			m.node.Init(m)
		case e.leaves(): // nobody is told
		default:
			m.node.Handle(m, e.Value)
		}
	default:
		panic(fmt.Sprintf("macemc bug: live: nobody handles a %s event", e.Kind))
	}
}

// guards are the Accepts and Offers of a node and its layers.
func (m *machine) accepts(from sim.Addr, msg sim.Message) bool {
	for n := any(m.node); n != nil; n = upper(n) {
		if a, is := sight.Subject(n).(sim.Accepter); is && !a.Accepts(from, msg) {
			return false
		}
	}
	return true
}

// acts reports whether the node or one of its layers has actions at all.
func (m *machine) acts() bool {
	if m.acting == 0 {
		m.acting = -1
		for n := any(m.node); n != nil; n = upper(n) {
			_, offers := sight.Subject(n).(sim.Offerer)
			_, gathers := sight.Subject(n).(sim.Gatherer)
			if offers || gathers {
				m.acting = 1
			}
		}
	}
	return m.acting > 0
}

func (m *machine) offers() (all []sim.Signal) {
	for n := any(m.node); n != nil; n = upper(n) {
		if o, is := sight.Subject(n).(sim.Offerer); is {
			o.Offers(func(s sim.Signal) { all = append(all, s) })
		}
	}
	return all
}

// opens reports whether the next opening of the script may be taken.
func (m *machine) opens(s sim.Signal) bool {
	for n := any(m.node); n != nil; n = upper(n) {
		if o, is := sight.Subject(n).(sim.Opener); is && !o.Opens(s) {
			return false
		}
	}
	return true
}

// gathers are the actions that depend on what is in the node's set.
func (m *machine) gathers(in iter.Seq2[sim.Addr, sim.Message]) (all []sim.Signal) {
	for n := any(m.node); n != nil; n = upper(n) {
		if g, is := sight.Subject(n).(sim.Gatherer); is {
			g.Gathers(in, func(s sim.Signal) { all = append(all, s) })
		}
	}
	return all
}

func upper(n any) any {
	if l, is := sight.Subject(n).(interface{ Upper() sim.Node }); is {
		if u := l.Upper(); u != nil {
			return u
		}
	}
	return nil
}
