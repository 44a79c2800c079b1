package live

import (
	"fmt"
	"iter"
	"runtime/debug"
	"slices"
	"time"

	"macemc/internal/canon"
	"macemc/internal/codecs"
	"macemc/internal/contract"
	"macemc/internal/disk"
	"macemc/internal/guard"
	"macemc/internal/handler"
	"macemc/internal/record"
	"macemc/internal/sight"
	"macemc/macetime"
	"macemc/sim"
	"macemc/trace"
)

// machine is one node in one life, with its Env. It runs the handlers, both in the real world
// and when a record is repeated; only the answerer differs.
type machine struct {
	sys    *sim.System
	self   sim.Addr
	walker *canon.Walker
	node   sim.Node
	answer answerer

	handler.Pending
	disk    *contents
	writes  int // the number of writes to the disk in this life
	counted uint64
	sends   uint64 // the number of sends in this life that were not refused

	step    handler.Step
	envs    handler.Envs
	guarded *handler.Guards // nil means that they are not computed yet
	times   *canon.Finder   // nil if the node has not read its clock
	picks   []uint32        // the answers of the step that runs, in order: of Choose, Weighted, Before
	refused []uint32        // the places of its sends that were refused, counted from 0
}

// answerer answers the questions that a handler asks Env.
type answerer interface {
	choose(weights []int, n int) int
	now() time.Duration
	before(a, b macetime.Time) bool
	room(s handler.Send) bool
	log(line string)
	tracing() bool
	// stored is called for each write, and synced for each sync, before the handler continues.
	stored(w disk.Write) error
	synced(file string, keys bool) error
}

func newMachine(sys *sim.System, p sim.Params, self sim.Addr, a answerer) (*machine, error) {
	walker, err := codecs.Walker(sys)
	if err != nil {
		return nil, err
	}
	m := &machine{sys: sys, self: self, walker: walker, answer: a, Pending: handler.NewPending(), disk: newContents()}
	peers := slices.DeleteFunc(p.Addrs(), func(a sim.Addr) bool { return a == self })
	m.step.Init(handler.Config{System: sys, Params: p, Text: walker.Text, Tracing: a.tracing(), Strict: true}, m)
	m.envs.Bind(&m.step, self, peers)
	if err := guard.Call("New", func() { m.node = sys.New(p, self) }); err != nil {
		return nil, err
	}
	if m.node == nil {
		return nil, fmt.Errorf("system %s: New made a nil node at %s", sys.Name, self)
	}
	return m, nil
}

// failure describes how a handler failed.
type failure struct {
	text  string
	stack string
}

func (f *failure) Error() string { return f.text }

// run runs the handler of event e, and keeps its effects. It returns the failure of the
// handler, or nil.
func (m *machine) run(e *record.Event) (failed *failure) {
	m.picks, m.refused = m.picks[:0], m.refused[:0]
	m.step.Begin()
	m.Begin()
	returned := false
	defer func() {
		m.step.End()
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

// settle carries out those effects of a handler that concern only the node itself, which are its
// timers and tasks. A timer that the handler has set runs from the time now on.
func (m *machine) settle(now time.Time, pace float64) {
	effects := m.step.Effects()
	for i := range effects {
		if m.Settle(&effects[i], now, pace); effects[i].Kind == trace.EffectSend {
			m.sends++
		}
	}
}

// dispatch calls the handler of an event.
func (m *machine) dispatch(e *record.Event) {
	link := e.Link
	if link == 0 {
		link = sim.LinkTCP
	}
	of := sim.Event{Node: m.self, From: e.From, Kind: e.Kind, Link: link, Value: e.Value}
	start := e.Kind == 0
	m.step.Run(m.envs.Next(start || e.Kind == sim.KindRestart || of.Joins()), m.times != nil)
	if start {
		m.step.Start(m.node)
		return
	}
	m.step.Dispatch(m.node, &of)
}

// The answers to a handler's questions: see handler.Answerer.

func (m *machine) pick(k int) int {
	m.picks = append(m.picks, uint32(k))
	return k
}

func (m *machine) Choose(n int, _ string) int { return m.pick(m.answer.choose(nil, n)) }
func (m *machine) Weighted(weights []int, _ string) int {
	return m.pick(m.answer.choose(weights, len(weights)))
}

func (m *machine) Now() macetime.Time {
	m.reads()
	return macetime.Wall(m.self.Index(), m.answer.now())
}

func (m *machine) Monotone() macetime.Monotone {
	m.reads()
	m.counted++
	return macetime.Counted(m.counted)
}

func (m *machine) Before(_ string, a, b macetime.Time, _ []int) bool {
	is := m.answer.before(a, b)
	k := 0
	if is {
		k = 1
	}
	m.pick(k)
	return is
}

// reads records that the node has read its clock, so that its state may contain times from
// now on.
func (m *machine) reads() {
	if m.times != nil {
		return
	}
	w, err := contract.Walker(m.sys) // unlike the machine's own, it sees times
	if err != nil {
		panic(&failure{text: err.Error()})
	}
	m.times = sight.Times(w)
}

func (m *machine) HoldsTime(v any) bool { return m.times != nil && m.times.Holds(v) }

func (m *machine) Room(s handler.Send) bool {
	if m.answer.room(s) {
		return true
	}
	m.refused = append(m.refused, uint32(s.Place))
	return false
}

func (m *machine) Disk() handler.Disk { return m.disk }

func (m *machine) Write(w disk.Write) (int, error) {
	m.disk.write(w)
	m.writes++
	return 0, m.answer.stored(w)
}

func (m *machine) Sync(file string) error { return m.answer.synced(file, file == "") }

func (m *machine) Log(line string)  { m.answer.log(line) }
func (m *machine) Fail(text string) { panic(&failure{text: text}) }

// guards returns the layers of the node that have methods such as Accepts and Offers, by which they
// decline messages or offer actions. It looks for them only once, since the layers of a node stay
// the same.
func (m *machine) guards() *handler.Guards {
	if m.guarded == nil {
		g := handler.GuardsOf(m.node)
		m.guarded = &g
	}
	return m.guarded
}

func (m *machine) offers() (all []sim.Signal) {
	m.guards().Offer(func(s sim.Signal) { all = append(all, s) })
	return all
}

// gathers returns the actions that the node offers because of the messages in its set. in yields
// these messages, with their senders.
func (m *machine) gathers(in iter.Seq2[sim.Addr, sim.Message]) (all []sim.Signal) {
	m.guards().Gather(in, func(s sim.Signal) { all = append(all, s) })
	return all
}
