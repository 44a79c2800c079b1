package world_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"macemc/choose"
	"macemc/internal/long"
	"macemc/internal/world"
	"macemc/macetime"
	"macemc/sim"
)

// The order of timers is tested against a simulator that knows nothing of bounds:
// its clock shows an integer, which is added to before each handler and within it,
// a timer is due at an integer, and one fires that is the first. An outcome is which
// events happened in which order, with what was answered. All outcomes that it shows
// must be explored, and no others.

// pacedPlan is a random service for tests of timers: for each event, it has the operations of the handler.
type pacedPlan struct {
	clock sim.Clock // in units
	on    map[string][]pacedOp
	asks  int // openings
	steps int
	unit  int // integers in one unit of a delay
}

type pacedOp struct {
	kind string // "set", "cancel", "read", "ask"
	a, b int    // timer, or slots
	d    int    // delay, or what is added to slot a
}

const pacedTimers, pacedSlots = 3, 2

func drawPaced(r *rand.Rand) *pacedPlan {
	p := &pacedPlan{
		clock: sim.Clock{Drift: 100 * r.IntN(2), Handlers: time.Duration(r.IntN(3) / 2)},
		on:    map[string][]pacedOp{}, asks: r.IntN(2), steps: 4, unit: 1,
	}
	// A cycle of more than one strict bound needs two comparisons, and then halves:
	// see clock_test.go of macetime.
	timers, compares := pacedTimers, r.IntN(2) == 0
	if compares {
		p.unit, timers = 2, 2
	}
	delay := func() int {
		if p.clock.Drift > 0 {
			if compares {
				return 2
			}
			return 2 + 2*r.IntN(2) // halves are whole
		}
		return r.IntN(4)
	}
	events := []string{"start", "ask"}
	for k := range pacedTimers {
		events = append(events, fmt.Sprint("timer ", k))
	}
	for _, e := range events {
		n := 1 + r.IntN(2)
		if e == "start" {
			n = 3
		}
		for range n {
			switch k := r.IntN(10); {
			case k < 6 || e == "start":
				p.on[e] = append(p.on[e], pacedOp{kind: "set", a: r.IntN(timers), d: delay()})
			case k < 7:
				p.on[e] = append(p.on[e], pacedOp{kind: "cancel", a: r.IntN(timers)})
			case k < 8 || !compares:
				p.on[e] = append(p.on[e], pacedOp{kind: "read", a: r.IntN(pacedSlots)})
			default:
				p.on[e] = append(p.on[e], pacedOp{kind: "read", a: r.IntN(pacedSlots)}, pacedOp{kind: "ask", a: r.IntN(pacedSlots), b: r.IntN(pacedSlots), d: r.IntN(4)})
			}
		}
	}
	return p
}

// paced is the node of a pacedPlan. All times are counted in units.
type paced struct {
	Slots [pacedSlots]macetime.Time
	plan  *pacedPlan               `mc:"-"`
	unit  int                      `mc:"-"`
	heard func(event, what string) `mc:"-"`
}

type beep int

func (n *paced) Init(env sim.Env) { n.do(env, "start") }

func (n *paced) Deliver(sim.Env, sim.Addr, sim.Message) {}

func (n *paced) Handle(env sim.Env, s sim.Signal) {
	if k, is := s.(beep); is {
		n.do(env, fmt.Sprint("timer ", int(k)))
		return
	}
	n.do(env, "ask")
}

func (n *paced) do(env sim.Env, event string) {
	n.heard(event, "")
	for _, o := range n.plan.on[event] {
		switch o.kind {
		case "set":
			env.After(time.Duration(o.d*n.unit), beep(o.a))
		case "cancel":
			env.Cancel(beep(o.a))
		case "read":
			n.Slots[o.a] = env.Now()
		case "ask":
			n.heard(event, fmt.Sprint(env.Before(n.Slots[o.a].Add(time.Duration(o.d*n.unit)), n.Slots[o.b])))
		}
	}
}

// explored returns the outcomes of all runs in a world, and the number of runs.
func (p *pacedPlan) explored(t *testing.T, unit int, config world.Config) (outcomes map[string]bool, runs int) {
	t.Helper()
	var told []string
	sys := sound()
	sys.Clock = func(sim.Params) *sim.Clock {
		return &sim.Clock{Drift: p.clock.Drift, Handlers: p.clock.Handlers * time.Duration(unit)}
	}
	sys.New = func(sim.Params, sim.Addr) sim.Node {
		return &paced{plan: p, unit: unit, heard: func(event, what string) {
			if what == "" {
				what = event
			}
			told = append(told, what)
		}}
	}
	sys.Script = func(sim.Params, sim.Addr, int) (all []sim.Signal) {
		for k := range p.asks {
			all = append(all, ask{k})
		}
		return all
	}
	w, err := world.New(sys, sim.Params{Nodes: 1}, config)
	if err != nil {
		t.Fatal(err)
	}
	outcomes = map[string]bool{}
	for o, more := choose.NewOdometer(), true; more; more = o.Next() {
		told = nil
		if f := w.Protect(func() {
			w.Start(o)
			for range p.steps {
				if w.Step(o) != world.Stepped {
					break
				}
			}
		}); f != nil {
			t.Fatal(f)
		}
		runs++
		if o.Err() != nil {
			t.Fatal(o.Err())
		}
		outcomes[strings.Join(told, ", ")] = true
	}
	return outcomes, runs
}

// moment is a state of the simulator by which the outcomes are checked. All times are relative to now.
type moment struct {
	due   [pacedTimers]int // from now; none: it is not set
	slots [pacedSlots]int  // likewise
	asks  int
}

const notSet = 1 << 20

// simulated returns the outcomes if clocks show whole numbers. It tries every reading of them.
func (p *pacedPlan) simulated(unit int) map[string]bool {
	level := map[string]map[moment]bool{}
	first := moment{}
	for k := range first.due {
		first.due[k] = notSet
	}
	for k := range first.slots {
		first.slots[k] = notSet
	}
	p.handle(unit, first, "start", "", level)
	outcomes := map[string]bool{}
	for range p.steps {
		next := map[string]map[moment]bool{}
		for told, moments := range level {
			for m := range moments {
				if !p.step(unit, m, told, next) {
					outcomes[told] = true // nothing is left
				}
			}
		}
		level = next
	}
	for told := range level {
		outcomes[told] = true
	}
	return outcomes
}

// step adds to next every moment that one event may lead to from m. It tries every time that may pass before
// the event and matters.
func (p *pacedPlan) step(unit int, m moment, told string, next map[string]map[moment]bool) (any bool) {
	last := 0
	for _, due := range m.due {
		if due != notSet {
			last = max(last, due)
		}
	}
	for gap := range last + 4*unit + 2 { // beyond the last timer, and what is added to slots, nothing changes
		then := m.later(gap)
		if then.asks < p.asks {
			any = true
			asked := then
			asked.asks++
			p.handle(unit, asked, "ask", told, next)
		}
		for k, due := range then.due {
			if due != notSet && due <= 0 && due == slices.Min(then.due[:]) {
				fired := then
				fired.due[k] = notSet
				p.handle(unit, fired, fmt.Sprint("timer ", k), told, next)
			}
			any = any || due != notSet
		}
	}
	return any
}

func (m moment) later(by int) moment {
	for k := range m.due {
		if m.due[k] != notSet {
			m.due[k] -= by
		}
	}
	for k := range m.slots {
		if m.slots[k] != notSet {
			m.slots[k] -= by
		}
	}
	return m
}

// handle adds to next every moment in which the handler of an event may end, for each time that it may take.
func (p *pacedPlan) handle(unit int, m moment, event, told string, next map[string]map[moment]bool) {
	told = strings.TrimPrefix(told+", "+event, ", ")
	ops := p.on[event]
	var run func(k, left int, m moment, told string)
	run = func(k, left int, m moment, told string) {
		if k == len(ops) {
			if next[told] == nil {
				next[told] = map[moment]bool{}
			}
			next[told][m] = true
			return
		}
		for spent := range left + 1 {
			o, m, told := ops[k], m.later(spent), told
			switch o.kind {
			case "set":
				least, most := o.d*unit, o.d*unit
				if p.clock.Drift > 0 {
					least, most = least/2, most*2
				}
				for m.due[o.a] = least; m.due[o.a] <= most; m.due[o.a]++ {
					run(k+1, left-spent, m, told)
				}
				continue
			case "cancel":
				m.due[o.a] = notSet
			case "read":
				m.slots[o.a] = 0
			case "ask":
				before := m.slots[o.b] != notSet && m.slots[o.a]+o.d*unit < m.slots[o.b]
				if m.slots[o.a] == notSet { // the zero time comes before every other
					before = m.slots[o.b] != notSet
				}
				told += fmt.Sprint(", ", before)
			}
			run(k+1, left-spent, m, told)
		}
	}
	run(0, int(p.clock.Handlers)*unit, m, told)
}

func TestTimersFireInTheOrderThatClocksShow(t *testing.T) {
	few, all, many := 0, 0, 0
	for seed := range uint64(long.Of(20, 2000)) {
		p := drawPaced(rand.New(rand.NewPCG(seed, 7)))
		got, runs := p.explored(t, p.unit, world.Config{})
		want := p.simulated(p.unit)
		for _, outcome := range slices.Sorted(maps.Keys(got)) {
			if !want[outcome] {
				t.Fatalf("seed %d: explored is %q, and no clock shows it: %+v", seed, outcome, p)
			}
		}
		for _, outcome := range slices.Sorted(maps.Keys(want)) {
			if !got[outcome] {
				t.Fatalf("seed %d: %q is not explored, and a clock shows it: %+v", seed, outcome, p)
			}
		}
		if runs != len(got) {
			t.Fatalf("seed %d: %d runs for %d outcomes: %+v", seed, runs, len(got), p)
		}
		free, _ := p.explored(t, p.unit, world.Config{Conditions: sim.Conditions{FreeTimers: true}})
		few, all, many = few+len(got), all+len(free), many+count(p.clock.Drift > 0)
	}
	t.Logf("%d outcomes with timers in order; %d with free ones; %d plans with drift", few, all, many)
	if few*3 > all*2 {
		t.Errorf("%d outcomes with timers in order, and %d with free ones: the plans order too little", few, all)
	}
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
