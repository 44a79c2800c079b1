package observe

import (
	"reflect"
	"slices"
	"strings"
	"sync/atomic"

	"macemc/internal/canon"
	"macemc/internal/charts"
	"macemc/internal/contract"
	"macemc/internal/sight"
	"macemc/sim"
)

// Coverage counts the events, answers and properties that the runs of one search exercised, so that
// a report can list those that never were. A search sets it as Config.Coverage of every world in
// which it takes runs; it does not see the runs of other worlds. Worlds that share a Coverage have
// equal systems, params and properties, and belong to one goroutine. The zero Coverage is ready to
// use.
type Coverage struct {
	sys    *sim.System
	params sim.Params

	types      []*typeTally // the tallies of each type of message and signal, in the order in which they were first met
	near       [256]typeSlot
	tallies    map[uintptr]*typeTally // the same tallies, by the type word that canon.Dynamic returns
	kinds      [kinds]Tally           // by kind: the tally of the events that carry no value of the service
	disk       int                    // the number of failures of disks
	rare       int                    // the number of weighted coins that fell on a side of weight 0
	refused    int                    // the number of sends for which there was no room
	senders    map[uintptr]bool       // the code whose sends were refused
	overflows  int                    // the number of datagrams that were lost because there was no room
	facts      int
	allowed    sim.Faults    // for each budget, its largest amount in any run
	bugs       []atomic.Bool // for each of Params.Bugs, whether it was asked for; a node may ask on any goroutine, by the Params that it keeps
	coins      map[string]*coinTally
	recent     [8]*coinTally
	uncounted  bool // more different coins were asked than are counted
	eventually []propertyTally
	sometimes  []propertyTally
	assume     stateTally
	within     stateTally
	monitors   []string
	listed     []sight.Handler // the handlers that the nodes list, each once: see sim.Handlers
	charted    charted         // whether some node is a state machine
	charts     charts.Tally
}

// Tally counts how often an event happened, and how often it became possible, because its value was sent,
// scheduled, posted or offered. The second count may be too small.
type Tally struct{ possible, happened int }

// typeTally has the tallies of the signals and messages of one type, one for each kind of event.
type typeTally struct {
	typ  reflect.Type
	word uintptr
	of   [sim.KindTimer + 1]Tally

	// The number of audited deliveries of messages of the type, and whether one of them
	// changed the node or had an effect.
	audited int
	noticed bool
}

// typeSlot is a slot of a cache of tallies by type. Most types have a slot for themselves.
type typeSlot struct {
	word  uintptr
	tally *typeTally
}

// coinTally counts the random choices (coins) that the service makes for one purpose, and their
// answers.
type coinTally struct {
	why   string
	whole int // the largest number of alternatives of a Choose with at most sidesMost, whose answers are counted one by one
	wide  int // the largest number of alternatives of a Choose with more than sidesMost; 0 means that there was none
	sides []side
}

type side struct {
	given    int
	possible bool // the answer was possible within the budgets
}

const kinds = sim.KindHeal + 1

// A service makes each random choice (coin) for a purpose. coinsMost is the largest number of purposes whose
// coins are counted. The answers to a coin with more than sidesMost possible answers are not counted one by one.
const (
	coinsMost = 1000
	sidesMost = 1 << 12
)

// Subject describes the system that a Coverage counts: its values, the names of its checks, the scripts of
// the first lives of its nodes, and the budgets of a run.
type Subject struct {
	System                          *sim.System
	Params                          sim.Params
	Faults                          sim.Faults
	Scripts                         [][]sim.Signal
	Eventually, Sometimes, Monitors []string
}

// Bind prepares c for a world. All worlds of one c must bind equal subjects.
func (c *Coverage) Bind(of Subject) {
	c.Allow(of.Faults)
	if c.sys != nil {
		return
	}
	c.sys, c.params, c.monitors = of.System, of.Params, of.Monitors
	for _, script := range of.Scripts {
		c.Script(script)
	}
	for _, name := range of.Eventually {
		c.eventually = append(c.eventually, propertyTally{name: name})
	}
	for _, name := range of.Sometimes {
		c.sometimes = append(c.sometimes, propertyTally{name: name})
	}
}

// Prepare allocates the counts of bugs and types, which are used before Bind. It returns
// the list in which Params record that the service asked for a bug: see sim.Params.Noting.
func (c *Coverage) Prepare(p sim.Params) []atomic.Bool {
	if c.bugs == nil {
		c.bugs = make([]atomic.Bool, len(p.Bugs()))
		c.coins = map[string]*coinTally{}
		c.tallies = map[uintptr]*typeTally{}
	}
	return c.bugs
}

// Allow records the budgets of a run: how often each fault may happen in it. c keeps the largest
// budget of all runs for each fault.
func (c *Coverage) Allow(f sim.Faults) {
	for k := range contract.FaultNames() {
		if n, most := *f.Budget(k), c.allowed.Budget(k); n == sim.Unlimited || n > *most && *most != sim.Unlimited {
			*most = n
		}
	}
}

// Script records that the requests of a script are possible.
func (c *Coverage) Script(script []sim.Signal) {
	for _, s := range script {
		c.Offered(sim.KindScript, s)
	}
}

// Offered records that an event of a kind with the value v became possible: v was sent, posted or offered, or
// is in a script.
func (c *Coverage) Offered(kind sim.Kind, v any) { c.of(v).of[kind].Can(1) }

// Timer returns the tally of the timers whose signals have the type of s.
func (c *Coverage) Timer(s sim.Signal) *Tally { return &c.of(s).of[sim.KindTimer] }

// Possible counts that n events of a kind became possible because of faults or of what a
// node asked for.
func (c *Coverage) Possible(kind sim.Kind, n int) { c.kinds[kind].Can(n) }

// Happened counts an event that happened within a step of another event, such as the crash of a
// node in the middle of its handler.
func (c *Coverage) Happened(kind sim.Kind) { c.kinds[kind].Did() }

// Emitted counts an emitted fact. The methods Overflow, Refused and DiskFailed count a
// datagram that was lost because there was no room, a refused send, and a failure of a
// disk.
func (c *Coverage) Emitted()    { c.facts++ }
func (c *Coverage) Overflow()   { c.overflows++ }
func (c *Coverage) Refused()    { c.refused++ }
func (c *Coverage) DiskFailed() { c.disk++ }

// of returns the tallies of the type of v, which is not nil.
func (c *Coverage) of(v any) *typeTally {
	word := canon.Dynamic(v)
	if s := &c.near[place(word)]; s.word == word {
		return s.tally
	}
	return c.far(word, v)
}

func place(word uintptr) uint8 { return uint8(uint64(word) * 0x9E3779B97F4A7C15 >> 56) }

// far does what Coverage.of does for a type that is not in its slot of the cache: it looks
// the type up and caches it.
func (c *Coverage) far(word uintptr, v any) *typeTally {
	t, known := c.tallies[word]
	if !known {
		t = &typeTally{typ: reflect.TypeOf(v), word: word}
		c.types, c.tallies[word] = append(c.types, t), t
		if s := &c.near[place(word)]; s.word == 0 {
			*s = typeSlot{word, t}
		}
	}
	return t
}

// Took counts an event that happens. Firings of timers are counted by Timer.
func (c *Coverage) Took(e *sim.Event) {
	switch e.Kind {
	case sim.KindMessage, sim.KindAction, sim.KindTask, sim.KindScript:
		c.of(e.Value).of[e.Kind].Did()
	case sim.KindQuorum:
		for _, t := range e.Value.(sim.Quorum) {
			c.of(t.Message).of[sim.KindMessage].Did()
		}
		c.kinds[e.Kind].Did()
	case sim.KindReorder:
		c.of(e.Value).of[sim.KindMessage].Did()
		c.kinds[e.Kind].Did()
	default:
		c.kinds[e.Kind].Did()
	}
}

// Audited records whether an event of an audited run changed the node or sent anything.
func (c *Coverage) Audited(e *sim.Event, noticed bool) {
	switch e.Kind {
	case sim.KindMessage, sim.KindReorder:
		c.looked(e.Value, noticed)
	case sim.KindQuorum:
		for _, t := range e.Value.(sim.Quorum) {
			c.looked(t.Message, noticed)
		}
	}
}

// looked counts an audited delivery of a message. noticed says whether the delivery changed the
// node or sent anything.
func (c *Coverage) looked(message any, noticed bool) {
	t := c.of(message)
	t.audited++
	t.noticed = t.noticed || noticed
}

// Chosen counts that a Choose for the purpose why, with n alternatives, was answered by
// alternative k.
func (c *Coverage) Chosen(why string, n, k int) {
	t := c.coin(why)
	if n > sidesMost {
		t.widest(n)
		return
	}
	t.opens(n)
	t.sides[k].gave(1)
}

// widest records a Choose among n alternatives that are too many to be counted one by one. The
// method opens records a Choose whose alternatives are counted one by one.
func (t *coinTally) widest(n int) { t.wide = max(t.wide, n) }

func (t *coinTally) opens(n int) {
	if n <= t.whole {
		return
	}
	t.whole = n
	t.grow(n)
	for i := range n {
		t.sides[i].can()
	}
}

// can records that this answer to a coin was possible. The method gave adds n to the number of
// times that it was given.
func (s *side) can()       { s.possible = true }
func (s *side) gave(n int) { s.given += n }

// merge adds the counts of o.
func (t *coinTally) merge(o *coinTally) {
	t.whole, t.wide = max(t.whole, o.whole), max(t.wide, o.wide)
	t.grow(len(o.sides))
	for i, s := range o.sides {
		t.sides[i].gave(s.given)
		if s.possible {
			t.sides[i].can()
		}
	}
}

// Weighed counts that a choice with weights, made for the purpose why, got the answer k. rare says
// that an answer of weight 0 was possible, too, within the budget of rare answers.
func (c *Coverage) Weighed(why string, weights []int, rare bool, k int) {
	t := c.coin(why)
	t.grow(len(weights))
	for i, x := range weights {
		if x > 0 || rare {
			t.sides[i].can()
		}
	}
	t.sides[k].gave(1)
	if weights[k] == 0 {
		c.rare++
	}
}

func (t *coinTally) grow(n int) {
	for len(t.sides) < n {
		t.sides = append(t.sides, side{})
	}
}

func (c *Coverage) coin(why string) *coinTally {
	for _, t := range c.recent {
		if t != nil && t.why == why {
			return t
		}
	}
	if t, ok := c.coins[why]; ok {
		return t
	}
	t := &coinTally{why: why}
	if len(c.coins) == coinsMost { // purposes with values in their names may be unlimited in number
		c.uncounted = true
		return t
	}
	c.coins[strings.Clone(why)] = t
	if n := len(c.coins); n <= len(c.recent) {
		c.recent[n-1] = t
	}
	return t
}

// Listed reports whether the handlers of the nodes were recorded.
func (c *Coverage) Listed() bool { return c.listed != nil }

// List records the handlers of all nodes.
func (c *Coverage) List(nodes []sim.Node) {
	c.listed = []sight.Handler{}
	for _, n := range nodes {
		c.list(n)
	}
}

// list records the handlers that a node lists. The handlers of a layer's upper node matter, since its
// messages arrive inside messages of the layer.
func (c *Coverage) list(n sim.Node) {
	h, ok := n.(sight.Handled)
	if !ok {
		return
	}
	for _, one := range h.Handlers().List {
		if one.Of != nil && one.Of.PkgPath() != simPath && !slices.Contains(c.listed, one) {
			c.listed = append(c.listed, one)
		}
	}
}

// simPath is the import path of package sim, which declares the signals that a run itself makes.
var simPath = reflect.TypeFor[sim.PeerError]().PkgPath()

// Can counts that something was possible n times. The method Did counts that it happened.
func (t *Tally) Can(n int) { t.possible += n }
func (t *Tally) Did()      { t.happened++ }

// RefusedAt records the code whose send was refused.
func (c *Coverage) RefusedAt(code uintptr) {
	if c.senders == nil {
		c.senders = map[uintptr]bool{}
	}
	c.senders[code] = true
}

// Overflowed reports whether a datagram was lost because its channel was full. Such a loss does not count
// against the budget of losses.
func (c *Coverage) Overflowed() bool { return c.overflows > 0 }
