package world

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"macemc/internal/canon"
	"macemc/internal/charts"
	"macemc/internal/guard"
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

	types      []*typeTally // in the order in which they were met
	near       [256]typeSlot
	tallies    map[uintptr]*typeTally // all, by canon.Dynamic
	kinds      [kinds]tally           // of the events that carry no value of the service
	disk       int                    // failures of disks
	rare       int                    // weighted coins that fell on a side of weight 0
	refused    int                    // sends for which there was no room
	senders    map[uintptr]bool       // which code got these refusals
	overflows  int                    // datagrams for which there was none
	facts      int
	allowed    sim.Faults    // the largest budgets of a run
	bugs       []atomic.Bool // by Params.Bugs: asked for; a node may ask by the Params that it keeps, on whatever goroutine
	coins      map[string]*coinTally
	recent     [8]*coinTally
	uncounted  bool // more coins were asked than are counted
	eventually []propertyTally
	sometimes  []propertyTally
	assume     stateTally
	within     stateTally
	monitors   []string
	listed     []sight.Handler // by the nodes, each once: see sim.Handlers
	charted    charted         // whether a node is a state machine
	charts     charts.Tally
}

// tally counts how often something happened, and how often at least it was possible (sent,
// scheduled, posted, offered).
type tally struct{ possible, happened int }

// typeTally is the tallies of the signals and messages of one type, by kind.
type typeTally struct {
	typ  reflect.Type
	word uintptr
	of   [sim.KindTimer + 1]tally

	// The number of audited deliveries of a message, and whether one of them changed the
	// node or had an effect.
	audited int
	noticed bool
}

// typeSlot is the place of a type, which most need not share.
type typeSlot struct {
	word  uintptr
	tally *typeTally
}

// coinTally counts the questions and answers of the coins with one purpose.
type coinTally struct {
	why   string
	whole int // the largest n of a Choose whose answers are counted
	wide  int // the largest n of one whose answers are not, since there are too many
	sides []side
}

type side struct {
	given    int
	possible bool // within the budgets
}

// stateTally is in how many of the states that were looked at something held.
type stateTally struct{ yes, no int }

func (t *stateTally) saw(holds bool) {
	if holds {
		t.yes++
	} else {
		t.no++
	}
}

type propertyTally struct {
	name string
	stateTally
	first  int // the least depth of a state in which it held, plus one; 0 if there is none
	empty  int // in how many of them it held while it saw no node
	onward int // the least number of steps of a run after which it held, plus one; 0 means none
	near   bool
	far    int // if near: the least that a state was away from one in which it holds
}

// missed records the distance of a state in which the property does not hold.
func (t *propertyTally) missed(far int) {
	if !t.near || far < t.far {
		t.near, t.far = true, far
	}
}

// ran records whether it held after that many steps of a run.
func (t *propertyTally) ran(steps int, holds bool) {
	t.saw(holds)
	if holds && (t.onward == 0 || steps < t.onward-1) {
		t.onward = steps + 1
	}
}

// lively records whether a liveness property holds, and after how many steps of the run, if that is
// known.
func (j *Judge) lively(k int, holds bool) {
	t := &j.cover.eventually[k]
	t.judged(holds && j.environ.gone > 0 && j.eventually[k].Seen() == 0)
	if j.run.lost {
		t.saw(holds)
	} else {
		t.ran(j.run.step, holds)
	}
}

// judged counts that the property held since it saw no node, if it did.
func (t *propertyTally) judged(empty bool) {
	if empty {
		t.empty++
	}
}

const kinds = sim.KindHeal + 1

// coinsMost is the largest number of purposes whose coins are counted. sidesMost is the largest
// number of answers of a coin each of whose answers is counted.
const (
	coinsMost = 1000
	sidesMost = 1 << 12
)

// bind makes c ready for a world. All worlds of one c bind alike.
func (c *Coverage) bind(w *World) {
	c.allow(w.Environ.budgets)
	if c.sys != nil {
		return
	}
	c.sys, c.params = w.sys, w.params
	for k := range w.nodes.at {
		c.openings(w.nodes.at[k].first)
	}
	for _, p := range w.Judge.eventually {
		c.eventually = append(c.eventually, propertyTally{name: p.Name})
	}
	for _, p := range w.Judge.sometimes {
		c.sometimes = append(c.sometimes, propertyTally{name: p.Name})
	}
	for _, m := range w.Judge.monitors {
		c.monitors = append(c.monitors, m.Name)
	}
}

// prepare allocates the counts of bugs and types, which are used before there is a world.
func (c *Coverage) prepare(p sim.Params) {
	if c.bugs == nil {
		c.bugs = make([]atomic.Bool, len(p.Bugs()))
		c.coins = map[string]*coinTally{}
		c.tallies = map[uintptr]*typeTally{}
	}
}

func (c *Coverage) allow(f sim.Faults) {
	for k := range faultNames {
		if n, most := *f.Budget(k), c.allowed.Budget(k); n == sim.Unlimited || n > *most && *most != sim.Unlimited {
			*most = n
		}
	}
}

func (c *Coverage) openings(script []sim.Signal) {
	for _, s := range script {
		c.of(s).of[sim.KindScript].can(1)
	}
}

// of returns the tallies of the type of v, which is not nil.
func (c *Coverage) of(v any) *typeTally {
	word := canon.Dynamic(v)
	if s := &c.near[place(word)]; s.word == word {
		return s.tally
	}
	return c.far(word, v)
}

func place(word uintptr) uint8 { return uint8(uint64(word) * 0x9E3779B97F4A7C15 >> 56) }

// far is the slow path of Coverage.of: it looks the type up and caches it.
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

// took notes an event that happens, but for timers: see take.
func (c *Coverage) took(e *sim.Event) {
	switch e.Kind {
	case sim.KindMessage, sim.KindAction, sim.KindTask, sim.KindScript:
		c.of(e.Value).of[e.Kind].did()
	case sim.KindQuorum:
		for _, t := range e.Value.(sim.Quorum) {
			c.of(t.Message).of[sim.KindMessage].did()
		}
		c.kinds[e.Kind].did()
	case sim.KindReorder:
		c.of(e.Value).of[sim.KindMessage].did()
		c.kinds[e.Kind].did()
	default:
		c.kinds[e.Kind].did()
	}
}

// audited records whether an event of an audited run changed or sent anything.
func (c *Coverage) audited(e *sim.Event, noticed bool) {
	switch e.Kind {
	case sim.KindMessage, sim.KindReorder:
		c.looked(e.Value, noticed)
	case sim.KindQuorum:
		for _, t := range e.Value.(sim.Quorum) {
			c.looked(t.Message, noticed)
		}
	}
}

// looked records whether the delivery of a message changed or sent anything.
func (c *Coverage) looked(message any, noticed bool) {
	t := c.of(message)
	t.audited++
	t.noticed = t.noticed || noticed
}

// possible counts events that became possible by faults.
func (c *Coverage) possible(consequences []happening) {
	for k := range consequences {
		c.kinds[consequences[k].Kind].can(1)
	}
}

// chosen counts the answer to a Choose.
func (c *Coverage) chosen(why string, n, k int) {
	t := c.coin(why)
	if n > sidesMost {
		t.widest(n)
		return
	}
	t.opens(n)
	t.sides[k].gave(1)
}

// widest records a choice that has too many alternatives to count each of them; opens records one
// whose n alternatives are counted.
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

// can records that an answer is possible; gave counts how often it was given.
func (s *side) can()       { s.possible = true }
func (s *side) gave(n int) { s.given += n }

// merge adds the counts of another tally.
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

// weighed records the answer to a weighted choice. rare says that sides of weight 0 were
// within the budget.
func (c *Coverage) weighed(why string, weights []int, rare bool, k int) {
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
	if len(c.coins) == coinsMost { // purposes that name values have no end
		c.uncounted = true
		return t
	}
	c.coins[strings.Clone(why)] = t
	if n := len(c.coins); n <= len(c.recent) {
		c.recent[n-1] = t
	}
	return t
}

// CoverState looks at the liveness properties of a state that is visited, which
// is at a depth: each for itself, while Live stops at the first that does not
// hold. Those that were seen to hold and not to hold are left alone.
func (j *Judge) CoverState(depth int) {
	if j.cover == nil {
		return
	}
	j.meet()
	for k := range j.eventually {
		t := &j.cover.eventually[k]
		if t.first > 0 && t.no > 0 {
			continue
		}
		holds := j.ask(&j.eventually[k])
		t.saw(holds)
		if holds && (t.first == 0 || depth < t.first-1) {
			t.first = depth + 1
		}
	}
}

// meet looks for the states that the search should meet, until it has.
func (j *Judge) meet() {
	for k := range j.sometimes {
		t := &j.cover.sometimes[k]
		if t.yes > 0 {
			continue
		}
		t.saw(j.ask(&j.sometimes[k]))
		if far, ok := j.sometimes[k].Away(); ok {
			t.missed(far)
		}
	}
}

// Scenarios returns which of the first 64 Sometimes properties hold now, a bit for each.
func (j *Judge) Scenarios() (bits uint64) {
	for k := range min(len(j.sometimes), 64) {
		if j.ask(&j.sometimes[k]) {
			bits |= 1 << k
		}
	}
	return bits
}

// CoverRun looks at all liveness properties where a run is now.
func (j *Judge) CoverRun() {
	if j.cover == nil {
		return
	}
	j.meet()
	for k := range j.eventually {
		j.cover.eventually[k].ran(j.run.step, j.ask(&j.eventually[k]))
	}
}

// Held is the place where a liveness property was first seen to hold.
type Held struct {
	Property string
	Depth    int  // of the state; 0 means at the start; -1 means nowhere
	Run      bool // it held in no visited state, but in a run, after Depth steps
}

// Held returns where each liveness property was first seen to hold. Properties for which that is not
// known are left out.
func (c *Coverage) Held() (held []Held) {
	for _, p := range c.eventually {
		switch {
		case p.first > 0:
			held = append(held, Held{Property: p.name, Depth: p.first - 1})
		case p.onward > 0:
			held = append(held, Held{Property: p.name, Depth: p.onward - 1, Run: true})
		case p.yes == 0:
			held = append(held, Held{Property: p.name, Depth: -1})
		}
	}
	return held
}

// Never returns a sentence for each thing that was possible or asked for and never happened. Their
// order does not depend on the run.
func (c *Coverage) Never() []string {
	never := []string{}
	for _, part := range [][]string{
		c.neverBugs(), c.neverFaults(), c.neverOpened(), c.neverValues(), c.neverNoticed(), c.neverHandlers(), c.neverKinds(), c.neverPairs(), c.neverCoins(), c.neverProperties(), c.Slack(),
	} {
		never = append(never, part...)
	}
	return never
}

func (c *Coverage) neverBugs() (never []string) {
	for i, id := range c.params.Bugs() {
		if !c.bugs[i].Load() {
			never = append(never, fmt.Sprintf("bug %s is switched on, and its line was never reached", id))
		}
	}
	return never
}

func (c *Coverage) neverFaults() (never []string) {
	for i, name := range faultNames {
		happened := map[string]int{"rare": c.rare, "disk": c.disk}[name] // of those that are no events
		for _, kind := range sim.Kinds() {
			if kind.Row().Budget == name {
				happened = c.kinds[kind].happened
			}
		}
		if n := *c.allowed.Budget(i); n != 0 && happened == 0 {
			var f sim.Faults
			*f.Budget(i) = n
			never = append(never, fmt.Sprintf("fault %s never happened", f))
		}
	}
	return never
}

// neverValues reports on the service's own signals and messages, by type.
func (c *Coverage) neverValues() (never []string) {
	names := typeNames(c.types)
	for _, k := range []struct {
		kind   sim.Kind
		phrase string
	}{
		{sim.KindScript, "is in a script and was never begun"}, {sim.KindAction, "was offered %s and never taken"},
		{sim.KindTask, "was posted %s and never run"}, {sim.KindMessage, "was sent %s and never delivered"},
		{sim.KindTimer, "was scheduled %s and never fired"},
	} {
		var some []string
		for i, t := range c.types {
			if n := t.of[k.kind]; n.possible > 0 && n.happened == 0 {
				some = append(some, fmt.Sprintf("%s %s %s", k.kind, names[i], strings.Replace(k.phrase, "%s", times(n.possible), 1)))
			}
		}
		slices.Sort(some)
		never = append(never, some...)
	}
	return never
}

// idleLeast is the number of deliveries of a message that must have been examined before a report
// says that they did nothing.
const idleLeast = 10

// neverNoticed reports on the messages that were delivered and did nothing.
func (c *Coverage) neverNoticed() (never []string) {
	names := typeNames(c.types)
	for i, t := range c.types {
		if t.audited >= idleLeast && !t.noticed {
			never = append(never, fmt.Sprintf("message %s did nothing when it was delivered, and changed nothing (looked at %s)", names[i], times(t.audited)))
		}
	}
	slices.Sort(never)
	return never
}

// neverOpened reports that the scripts of a service make no requests.
func (c *Coverage) neverOpened() []string {
	switch {
	case len(c.types) == 0:
		return []string{"nothing can happen but faults: no Init sets a timer, posts or sends, and the Script of every node is empty"}
	case c.sys.Script != nil && !slices.ContainsFunc(c.types, func(t *typeTally) bool { return t.of[sim.KindScript].possible > 0 }):
		return []string{"the Script of every node is empty: the application asks nothing of the service"}
	}
	return nil
}

// listAll records the handlers of all nodes, once.
func (c *Coverage) listAll(nodes []nodeState) {
	if c.listed != nil {
		return
	}
	c.listed = []sight.Handler{}
	for i := range nodes {
		c.list(nodes[i].node)
	}
}

// list records the handlers that a node lists. Messages that a layer passes up are not
// visible otherwise: they may come in messages of the layer's own.
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

// simPath is the import path of package sim. The signals that a run makes by itself are declared
// there.
var simPath = reflect.TypeFor[sim.PeerError]().PkgPath()

// neverHandlers reports handlers whose message or signal never came. neverValues reports on values
// that did come.
func (c *Coverage) neverHandlers() (never []string) {
	var messages, signals []string
	for _, h := range c.listed {
		k := slices.IndexFunc(c.types, func(t *typeTally) bool { return t.typ == h.Of })
		name := packages.ReplaceAllString(h.Of.String(), "")
		switch message := h.Kind != sight.HandlerSignal; {
		case message && (k < 0 || c.types[k].of[sim.KindMessage].possible == 0):
			messages = append(messages, name)
		case !message && (k < 0 || !c.types[k].signalled()):
			signals = append(signals, name)
		}
	}
	add := func(what string, names []string) {
		if slices.Sort(names); len(names) > 0 {
			never = append(never, fmt.Sprintf("never %s, though there are handlers: %s", what, strings.Join(names, ", ")))
		}
	}
	add("sent", messages)
	add("in a script, offered, posted or scheduled", signals)
	return never
}

// signalled reports whether one was possible at least as anything but a message.
func (t *typeTally) signalled() bool {
	return t.of[sim.KindScript].possible+t.of[sim.KindAction].possible+t.of[sim.KindTask].possible+t.of[sim.KindTimer].possible > 0
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return strconv.Itoa(n) + " times"
}

var packages = regexp.MustCompile(`[^\[\],*(){} ]+\.`)

// typeNames returns the names of types, without packages unless two names would be equal.
func typeNames(types []*typeTally) []string {
	names := make([]string, len(types))
	count := map[string]int{}
	for i, t := range types {
		names[i] = packages.ReplaceAllString(t.typ.String(), "")
		count[names[i]]++
	}
	for i, t := range types {
		if count[names[i]] > 1 && t.typ.Name() != "" {
			names[i] = t.typ.PkgPath() + "." + t.typ.Name()
		}
		if t.typ.Kind() == reflect.Struct && t.typ.Name() != "" {
			if t.typ.NumField() == 0 {
				names[i] += "{}"
			} else {
				names[i] += "{...}"
			}
		}
	}
	return names
}

// neverKinds reports events of the environment that were requested, or had a cause, and never
// happened.
func (c *Coverage) neverKinds() (never []string) {
	add := func(format string, args ...any) { never = append(never, fmt.Sprintf(format, args...)) }
	if n := c.kinds[sim.KindClear]; n.possible > 0 {
		if n.happened == 0 {
			add("clear to send was requested %s and never came", times(n.possible))
		}
		if c.refused == 0 {
			add("no send was ever refused, though room was requested %s", times(n.possible))
		}
	}
	if n := c.kinds[sim.KindFlushed]; n.possible > 0 && n.happened == 0 {
		add("flushed was requested %s and never came", times(n.possible))
	}
	for _, k := range []sim.Kind{sim.KindError, sim.KindRefused, sim.KindBreak, sim.KindMend, sim.KindRestart, sim.KindResume} {
		if n := c.kinds[k]; n.possible > 0 && n.happened == 0 {
			add("%s was possible and never happened", k)
		}
	}
	return never
}

func (c *Coverage) neverCoins() (never []string) {
	for _, t := range c.coins {
		var missing []string
		for i, s := range t.sides {
			if s.possible && s.given == 0 {
				missing = append(missing, strconv.Itoa(i))
			}
		}
		const most = 5
		was := "answer %s of 0 to %d was never given"
		if len(missing) > 1 {
			was = "answers %s of 0 to %d were never given"
		}
		if n := len(missing); n > most {
			missing = append(missing[:most-1], fmt.Sprintf("and %d more", n-most+1))
		}
		if len(missing) > 0 {
			never = append(never, fmt.Sprintf("coin %q: "+was, t.why, strings.Join(missing, ", "), len(t.sides)-1))
		}
		if t.wide > 0 {
			never = append(never, fmt.Sprintf("coin %q has %d answers: which of them were never given was not counted", t.why, t.wide))
		}
	}
	slices.Sort(never)
	if c.uncounted {
		never = append(never, fmt.Sprintf("coins of more than %d different purposes were asked; the others were not counted", coinsMost))
	}
	return never
}

func (c *Coverage) neverProperties() (never []string) {
	add := func(format string, args ...any) { never = append(never, fmt.Sprintf(format, args...)) }
	for _, p := range c.eventually {
		switch all := p.yes + p.no; {
		case all == 0:
			add("property %q was never looked at", p.name)
		case p.yes == 0:
			add("property %q held in none of the states in which it was looked at (%s)", p.name, times(all))
		case p.no == 0 && (p.first == 1 || p.onward == 1):
			add("property %q held from the start, in all states in which it was looked at (%s)", p.name, times(all))
		case p.no == 0:
			add("property %q held in all states in which it was looked at (%s)", p.name, times(all))
		}
		if p.empty > 0 {
			add("property %q held while all nodes that it is about were down: it says nothing there (%s)", p.name, times(p.empty))
		}
	}
	for _, p := range c.sometimes {
		if p.yes == 0 {
			nearest := ""
			if p.near {
				nearest = fmt.Sprintf("; the nearest was %d away", p.far)
			}
			add("property %q was to hold sometimes, and no such state was met%s", p.name, nearest)
		}
	}
	if c.facts == 0 {
		for _, name := range c.monitors {
			add("monitor %q was never told a fact", name)
		}
	}
	return never
}

// emitted, overflowed, turnedAway and diskFailed count facts, datagrams without room,
// sends that were refused, and failures of disks.
func (c *Coverage) emitted()    { c.facts++ }
func (c *Coverage) overflowed() { c.overflows++ }
func (c *Coverage) turnedAway() { c.refused++ }
func (c *Coverage) diskFailed() { c.disk++ }

// can counts that something was possible, and did, that it happened.
func (t *tally) can(n int) { t.possible += n }
func (t *tally) did()      { t.happened++ }

// refusedAt records the code whose send was refused.
func (c *Coverage) refusedAt(code uintptr) {
	if c.senders == nil {
		c.senders = map[uintptr]bool{}
	}
	c.senders[code] = true
}

// dropped reports on the sends that were refused, and whose answer nobody takes.
func (c *Coverage) dropped() (never []string) {
	at := map[string]bool{}
	for code := range c.senders {
		if place, drops := guard.Dropped(code, "Send"); drops {
			at[place] = true
		}
	}
	for _, place := range sim.Keys(at) {
		never = append(never, fmt.Sprintf("what Send returns at %s is never looked at, and was a refusal", place))
	}
	return never
}

// Overflowed reports whether a datagram was lost for want of room in its channel,
// which takes nothing from the budget of losses.
func (c *Coverage) Overflowed() bool { return c.overflows > 0 }

// Slack returns the sentences of Never that do not mean that less was checked: constraints that held
// in every state, so that they left no state out; and refused sends that the service never looks at.
func (c *Coverage) Slack() (slack []string) {
	for _, k := range []struct {
		name string
		in   stateTally
	}{{c.sys.Within.Name, c.within}, {c.sys.Assume.Name, c.assume}} {
		if k.name != "" && k.in.yes > 0 && k.in.no == 0 {
			slack = append(slack, fmt.Sprintf("constraint %q held in all states in which it was looked at (%s)", k.name, times(k.in.yes)))
		}
	}
	return append(slack, c.dropped()...)
}
