package merge

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/codecs"
	"macemc/internal/handler"
	"macemc/internal/record"
	"macemc/internal/setting"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

// Result is the outcome of a merge.
type Result struct {
	Path        *choose.Path
	Steps       int      // the steps of nodes, after each of which the states were compared
	Faults      int      // the faults that were inserted because they must have happened
	Differences []string // where the simulation differs from the records; a difference may end the path, and is then the last
	Parted      bool     // the path ends before the records end
	Left        int      // the number of recorded steps that are not in the path
	Failure     *trace.Failure
}

// FromFolder merges the records of a folder, as live.RecordIn wrote them.
func FromFolder(find func(name string) (*sim.System, error), dir string) (*Result, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.rec"))
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("there are no records in %s; name the folder in which the nodes were recorded", dir)
	}
	var sys *sim.System
	var records []io.Reader
	for _, name := range names {
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer func() { _ = file.Close() }()
		system, err := record.SystemOf(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if system == "" { // torn before anything was said
			continue
		}
		of, err := find(system)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if sys != nil && sys != of {
			return nil, fmt.Errorf("%s is a record of %s, and others are of %s", name, of.Name, sys.Name)
		}
		sys = of
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		records = append(records, file)
	}
	if sys == nil {
		return nil, fmt.Errorf("the records in %s are torn before their first entries", dir)
	}
	return Merge(sys, records)
}

// Merge merges the records of a system's nodes, one for each life.
func Merge(sys *sim.System, records []io.Reader) (*Result, error) {
	m := &merger{sys: sys, opened: map[end]opening{}, over: map[end]bool{}, last: map[end]int{}, rest: map[arrival]int{}, numbers: map[arrival]int32{}}
	if err := m.read(records); err != nil {
		return nil, err
	}
	if err := m.prepare(); err != nil {
		return nil, err
	}
	m.run()
	return m.result()
}

func (r *Result) step() { r.Steps++ }

func (r *Result) fault() { r.Faults++ }

// finish records the path that the merge made, and the number of steps that it left.
func (r *Result) finish(p *choose.Path, left int) {
	r.Path = p
	r.Left += left
}

// end is one end of a connection; opening describes a connection that opens.
type end struct {
	node int
	conn uint64
}

type opening struct {
	peer int
	life uint64 // the peer's life
	mine uint64
}

// arrival is a datagram at its receiver.
type arrival struct {
	life   uint64
	serial uint64
	to     int
}

// refusal is a step in which a send was refused, and the messages that the sender knew to be delivered then.
type refusal struct {
	at    int // its index among the node's entries
	life  uint64
	peer  int
	acked uint64
	sends uint64 // the number of sends before the step
}

// nodeRecord is the record of one node, over all its lives.
type nodeRecord struct {
	entries  []*record.Entry
	at       int
	life     uint64            // the life that runs in the World
	sends    map[uint64]uint64 // by life, the number of sends
	refusals []refusal
	node     sim.Node // the node in the World
	dead     bool
}

type merger struct {
	sys    *sim.System
	params sim.Params
	begin  *record.Beginning
	nodes  []*nodeRecord
	asked  openings
	walker *canon.Walker
	faults sim.Faults

	w      *world.World
	record *choose.Record
	pick   int // the index of the event that the World takes next
	coins  []int
	said   answered   // the answers of the step that runs now
	starts []answered // the answers of the starts of all nodes, while they run

	effects []trace.Effect // the effects of the latest step of a node; effects of the environment may follow

	opened  map[end]opening
	over    map[end]bool // the ends that are closed
	last    map[end]int  // for each end, the entry that delivers the last message of its connection
	rest    map[arrival]int
	numbers map[arrival]int32 // for each datagram under way, its number in the World

	out     Result
	knotted bool // no order was found: each node waits for another
	lenient bool // a connection counts as over earlier: see silent
	stopped bool
}

// read sorts the entries by node and life.
func (m *merger) read(records []io.Reader) error {
	lives := map[int]map[int][]*record.Entry{}
	for _, r := range records {
		from := record.NewReader(r, m.sys)
		var all []*record.Entry
		for {
			e, err := from.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return err
			}
			all = append(all, e)
		}
		if len(all) == 0 || all[0].Kind != record.EntryLife {
			continue
		}
		b := all[0].Begin
		if m.begin == nil {
			m.begin = b
		}
		if b.Nodes != m.begin.Nodes || !slices.Equal(b.Params, m.begin.Params) || !slices.Equal(b.Bugs, m.begin.Bugs) {
			return fmt.Errorf("the records are of different runs: n%d ran with %d nodes %v %v, and another with %d nodes %v %v",
				all[0].Node, b.Nodes, b.Params, b.Bugs, m.begin.Nodes, m.begin.Params, m.begin.Bugs)
		}
		if lives[all[0].Node] == nil {
			lives[all[0].Node] = map[int][]*record.Entry{}
		}
		if lives[all[0].Node][b.Number] != nil {
			return fmt.Errorf("there are two records of life %d of n%d", b.Number, all[0].Node)
		}
		lives[all[0].Node][b.Number] = all
	}
	if m.begin == nil {
		return errors.New("the records are torn before their first entries")
	}
	var err error
	if m.params, err = m.sys.Configure(m.begin.Nodes, m.begin.Params, m.begin.Bugs); err != nil {
		return err
	}
	m.asked = openings{}
	for i := range m.params.Nodes {
		n := &nodeRecord{sends: map[uint64]uint64{}}
		if len(lives[i]) == 0 {
			return fmt.Errorf("there is no record of n%d; a run is that of all nodes, so record each of them", i)
		}
		for k := range len(lives[i]) {
			all := lives[i][k]
			if all == nil {
				return fmt.Errorf("there is no record of life %d of n%d, which has %d; a run begins with the first", k, i, len(lives[i]))
			}
			all = whole(all, lives[i][k+1])
			m.asked.collect(m.sys, m.params, all)
			n.entries = append(n.entries, all...)
		}
		if len(n.entries[0].Begin.Disk) > 0 {
			return fmt.Errorf("n%d had something in its storage when its first life began; a run begins with empty storage", i)
		}
		m.nodes = append(m.nodes, n)
	}
	return nil
}

// whole returns all entries of a life. If the record of this life lacks the last step, and the record of the
// next life has it, whole adds it.
func whole(all, next []*record.Entry) []*record.Entry {
	if next == nil {
		return all
	}
	steps := uint64(0)
	for _, e := range all {
		if e.Kind == record.EntryStep {
			steps++
		}
	}
	lost := next[0].Begin.Lost(all[0].Life, steps)
	if lost == nil {
		return all
	}
	lost.Node, lost.At = all[0].Node, all[len(all)-1].At
	return append(slices.Clone(all), lost)
}

// prepare collects the facts about connections that the merge needs in advance, and makes the World.
func (m *merger) prepare() (err error) {
	if m.walker, err = codecs.Walker(m.sys); err != nil {
		return err
	}
	f := sim.Faults{Loss: sim.Unlimited, Reorder: sim.Unlimited, Rare: sim.Unlimited}
	for i, n := range m.nodes {
		lives, sends := 0, uint64(0)
		for k, e := range n.entries {
			if e.Kind == record.EntryLife {
				lives, sends = lives+1, 0
			}
			if e.Step == nil {
				continue
			}
			v := &e.Step.Event
			if v.Kind == sim.KindMessage && v.Conn != 0 {
				m.last[end{i, v.Conn}] = k
			}
			switch {
			case v.Kind == sim.KindMessage && v.Link == sim.LinkUDP:
				m.rest[arrival{v.Life, v.Serial, i}]++
				if m.rest[arrival{v.Life, v.Serial, i}] > 1 {
					f.Dup = sim.Unlimited
				}
			case v.Kind == sim.KindError || v.Kind == sim.KindRefused:
				f.Reset, f.Crash = sim.Unlimited, sim.Unlimited
				if m.params.Nodes <= 10 {
					f.Partition = sim.Unlimited
				}
			}
			for _, a := range e.Step.Acked {
				n.refusals = append(n.refusals, refusal{k, e.Life, a.Peer, a.Of, sends})
			}
			sends = e.Step.Sends
		}
		if lives > 1 {
			f.Crash = sim.Unlimited
		}
	}
	m.faults = f
	sys := *m.asked.of(m.sys)
	sys.New = func(p sim.Params, self sim.Addr) sim.Node { return m.made(self, m.sys.New(p, self)) }
	sys.Crash = func(p sim.Params, self sim.Addr, dead sim.Node) sim.Node {
		if m.sys.Crash == nil {
			return sys.New(p, self)
		}
		if e := m.nodes[self.Index()].next(); e != nil && e.Kind == record.EntryLife && !e.Begin.Kept {
			m.differ("%s: what System.Crash keeps was lost with the process, and the simulation keeps it", self)
		}
		return m.made(self, m.sys.Crash(p, self, dead))
	}
	c := m.config()
	if m.w, err = world.New(&sys, m.params, c); err != nil {
		return err
	}
	m.record = choose.NewRecord(m)
	return nil
}

func (m *merger) config() world.Config {
	c := world.Config{Answers: func(a handler.Answerer) handler.Answerer { return &tap{a, m} }, Trace: true, Conditions: sim.Conditions{Faults: &m.faults, Network: sim.Network{UDPCapacity: 60_000, TCPBuffer: m.begin.Buffer}}}
	if pace, err := m.sys.Pace(m.params); err == nil && pace != nil {
		c.FreeTimers = true // the clocks of machines are not those of a simulation
	}
	return c
}

// pass goes on to the next entry.
func (n *nodeRecord) pass() { n.at++ }

// send counts a message, and returns its number in the life that runs.
func (n *nodeRecord) send() uint64 {
	n.sends[n.life]++
	return n.sends[n.life]
}

// left returns the number of steps that were not taken.
func (n *nodeRecord) left() (steps int) {
	for _, e := range n.entries[min(n.at, len(n.entries)):] {
		if e.Kind == record.EntryStep {
			steps++
		}
	}
	return steps
}

func (n *nodeRecord) next() *record.Entry {
	if n.at >= len(n.entries) {
		return nil
	}
	return n.entries[n.at]
}

// Answer answers the World: see choose.Source.
func (m *merger) Answer(q *choose.Question) int {
	if q.Kind == choose.Event {
		return m.pick
	}
	if len(m.coins) > 0 {
		k := m.coins[0]
		m.coins = m.coins[1:]
		if k < q.N {
			return k
		}
	}
	return 0 // does the node crash within the step: no; what survives a crash: everything
}

// Err implements choose.Source. A merger always has an answer.
func (m *merger) Err() error { return nil }

// made records a node that the World has made.
func (m *merger) made(self sim.Addr, node sim.Node) sim.Node {
	if i := self.Index(); i < len(m.nodes) {
		m.nodes[i].node = node
	}
	return node
}

// answered returns the answers of the handler that runs.
func (m *merger) answered() *answered {
	if m.starts != nil {
		return &m.starts[m.w.Run.Acting().Index()]
	}
	return &m.said
}

// run takes the entries in order.
func (m *merger) run() {
	m.w.Environ.Allow(m.faults, nil)
	f := m.w.Protect(func() {
		for _, n := range m.nodes { // what comes before the start
			for e := n.next(); e != nil && e.Kind != record.EntryStep && e.Kind != record.EntryFailed; e = n.next() {
				m.note(e)
				n.pass()
			}
		}
		m.starts = make([]answered, len(m.nodes))
		for i, n := range m.nodes {
			if e := n.next(); e != nil {
				m.starts[i] = answered{step: e.Step}
			}
		}
		m.w.Start(m.record)
		starts := m.starts
		m.starts = nil
		for i, n := range m.nodes {
			if e := n.next(); e != nil && e.Step != nil && e.Step.Event.Kind == 0 {
				m.sent(i, m.w.Run.Trace().Starts[i].Effects)
				starts[i].end()
				m.compare(i, e, &starts[i])
				n.pass()
			}
		}
		for !m.stopped && m.w.Judge.Check() == nil && m.advance() {
		}
	})
	if f == nil {
		f = m.w.Judge.Check()
	}
	m.out.Failure, m.out.Parted = f, m.out.Parted && f == nil // a merge that ended in a failure did not part
}

// advance takes the earliest entry that can be taken. If none can be, it takes the earliest
// one and reports the problem.
func (m *merger) advance() bool {
	var order []int
	for i, n := range m.nodes {
		if n.next() != nil {
			order = append(order, i)
		}
	}
	if len(order) == 0 {
		return false
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := m.nodes[a].next().At, m.nodes[b].next().At
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	for _, m.lenient = range []bool{false, true} {
		for _, i := range order {
			if m.ready(i) {
				m.take(i)
				return true
			}
		}
	}
	m.knotted = true
	m.take(order[0])
	return !m.stopped
}

// note records an event of a connection.
func (m *merger) note(e *record.Entry) {
	switch e.Kind {
	case record.EntryLife:
		m.nodes[e.Node].life = e.Life
	case record.EntryOpened:
		m.opened[end{e.Node, e.Conn}] = opening{e.Peer, e.Other, e.Life}
	case record.EntryClosed:
		m.over[end{e.Node, e.Conn}] = true
	}
}

// silent reports whether a node delivers no more messages on a connection that its present life has.
func (m *merger) silent(node int, conn uint64) bool {
	if m.lenient { // a close may be recorded later, as long as no message arrives on the connection
		last, is := m.last[end{node, conn}]
		return !is || m.nodes[node].at > last
	}
	if conn == 0 || m.over[end{node, conn}] {
		return true
	}
	o, is := m.opened[end{node, conn}]
	if is && o.mine != m.nodes[node].life {
		return true
	}
	n := m.nodes[node]
	if n.next() == nil || n.dead {
		return true
	}
	if is {
		return false
	}
	// It was never opened here so far: it may still be, in this life.
	for k := n.at; k < len(n.entries); k++ {
		if n.entries[k].Kind == record.EntryOpened && n.entries[k].Conn == conn {
			return false
		}
	}
	return true
}

// ready reports whether the next entry of a node may be taken now.
func (m *merger) ready(i int) bool {
	n := m.nodes[i]
	e := n.next()
	switch e.Kind {
	case record.EntryLife: // the one before is over: whatever came of it has arrived
		return m.buried(i)
	case record.EntryStep:
	default:
		return true
	}
	s := e.Step
	if v := &s.Event; (sim.Event{Kind: v.Kind, Value: v.Value}).Leaves() && !m.buried(i) {
		return false
	}
	for _, r := range s.Resets {
		if !m.silent(r.Peer, r.Of) {
			return false
		}
	}
	switch v := &s.Event; v.Kind {
	case sim.KindMessage:
		from := m.nodes[v.From.Index()]
		if from.sends[v.Life] < v.Serial {
			return false
		}
		if v.Link != sim.LinkTCP {
			return true
		}
		for _, r := range from.refusals {
			if r.at >= from.at && r.life == v.Life && r.peer == i && r.acked < v.Serial && v.Serial <= r.sends {
				return false // its sender was refused while this one waited
			}
		}
		return m.find(v, i) >= 0
	case sim.KindError, sim.KindRefused:
		if v.Kind == sim.KindRefused && m.yetToHear(v.From.Index(), i) {
			return false // of a connection before this one
		}
		return m.silent(v.From.Index(), v.Conn)
	case sim.KindClear, sim.KindFlushed:
		return m.find(v, i) >= 0
	default:
		return true
	}
}

// yetToHear reports whether a node, whose record goes on, has yet to be informed in the World
// that its connection with a peer broke.
func (m *merger) yetToHear(node, peer int) bool {
	n := m.nodes[node]
	if n.dead || n.next() == nil || n.next().Kind == record.EntryLife {
		return false
	}
	return m.where(func(e *sim.Event) bool {
		return e.Kind == sim.KindError && e.Node.Index() == node && e.From.Index() == peer
	}) >= 0
}

// buried reports whether all messages of a node's ended life have been delivered: no connection with that
// life delivers more.
func (m *merger) buried(i int) bool {
	for at, o := range m.opened {
		if at.node != i && o.peer == i && o.life == m.nodes[i].life && !m.silent(at.node, at.conn) {
			return false
		}
	}
	for at, o := range m.opened {
		if at.node == i && o.mine == m.nodes[i].life && !m.silent(o.peer, at.conn) && m.nodes[o.peer].life == o.life {
			return false
		}
	}
	return true
}

// find returns the index of a recorded event among the possible events, or -1 if it is not possible.
func (m *merger) find(v *record.Event, i int) int {
	kind := v.Kind
	return m.where(func(e *sim.Event) bool {
		if e.Kind != kind || e.Node.Index() != i {
			return false
		}
		switch kind {
		case sim.KindMessage:
			return e.From == v.From && e.Link == v.Link && m.same(e.Value, v.Value)
		case sim.KindError, sim.KindClear:
			return e.From == v.From
		case sim.KindRefused:
			return e.From == v.From && e.Link == sim.LinkTCP
		case sim.KindScript, sim.KindTask, sim.KindTimer, sim.KindAction:
			return m.same(e.Value, v.Value)
		}
		return true
	})
}

func (m *merger) where(is func(e *sim.Event) bool) int {
	for k := range m.w.Events.Count() {
		if e := m.w.Events.At(k); is(&e) {
			return k
		}
	}
	return -1
}

func (m *merger) same(a, b any) bool {
	x, errX := m.w.Walker().Sum(a)
	y, errY := m.w.Walker().Sum(b)
	return errX == nil && errY == nil && x == y
}

// step makes the World take the k-th possible event.
func (m *merger) step(k int) bool {
	m.pick = k
	if k < 0 || m.w.Step(m.record) != world.Stepped {
		return false
	}
	if m.said.recorded() != nil {
		m.said.end()
		m.effects = m.w.Run.Trace().Steps[len(m.w.Run.Trace().Steps)-1].Effects
	}
	return true
}

// cause makes the World take a fault of a kind for which is reports true. Such a fault must have happened.
func (m *merger) cause(kind sim.Kind, is func(e *sim.Event) bool) bool {
	return m.faulty(m.where(func(e *sim.Event) bool { return e.Kind == kind && is(e) }))
}

// faulty makes the World take the k-th possible event, which is a fault.
func (m *merger) faulty(k int) bool {
	if k < 0 {
		return false
	}
	m.said.hold()
	m.coins = nil
	m.out.fault()
	return m.step(k)
}

func (m *merger) differ(format string, args ...any) {
	m.out.Differences = append(m.out.Differences, fmt.Sprintf(format, args...))
}

// knot is the error that the entries of the nodes cannot be put in an order.
const knot = "the steps of the nodes have no order in which a connection breaks at both ends at once and a send is refused only if there is no room; docs/live.md explains these differences"

// part ends the path and records a difference, since the simulation cannot go on as the records do.
func (m *merger) part(i int, format string, args ...any) {
	m.stopped = true
	m.out.Parted = true
	text := fmt.Sprintf("n%d, entry %d: %s", i, m.nodes[i].at+1, fmt.Sprintf(format, args...))
	if m.knotted {
		text += "; " + knot
	}
	m.differ("%s", text)
}

func (m *merger) take(i int) {
	n := m.nodes[i]
	e := n.next()
	switch e.Kind {
	case record.EntryLife:
		m.crash(i)
		n.pass()
		m.note(e)
	case record.EntryStep:
		m.takeStep(i, e)
	case record.EntryFailed:
		n.pass()
		if e.Step != nil {
			m.said = answered{step: e.Step}
			if !m.perform(i, &e.Step.Event) && !m.stopped {
				m.part(i, "a handler panicked (%s), and the simulation cannot take its event", e.Text)
				return
			}
			m.part(i, "a handler panicked (%s), and not in the simulation", e.Text)
		}
	default:
		n.pass()
		m.note(e)
	}
}

// crash ends the life of a node in the World, if it has not ended yet.
func (m *merger) crash(i int) {
	n := m.nodes[i]
	n.dead = n.dead || m.cause(sim.KindCrash, func(e *sim.Event) bool { return e.Node.Index() == i })
}

func (m *merger) takeStep(i int, e *record.Entry) {
	n := m.nodes[i]
	m.said = answered{step: e.Step}
	if !m.perform(i, &e.Step.Event) {
		if !m.stopped {
			m.part(i, "the simulation does not let %s happen here", m.told(i, &e.Step.Event))
		}
		return
	}
	n.pass()
	n.dead = false
	if v := &e.Step.Event; (sim.Event{Kind: v.Kind, Value: v.Value}).Leaves() {
		m.out.step() // there is no state to compare
		return
	}
	m.sent(i, m.effects)
	m.compare(i, e, &m.said)
}

func (m *merger) told(i int, v *record.Event) string {
	link := v.Link
	if link == 0 {
		link = sim.LinkTCP
	}
	step := trace.Step{Event: sim.Event{Node: m.params.Addr(i), Kind: v.Kind, From: v.From, Link: link, Value: v.Value}}
	step.Identity = step.Event.Text(m.w.Walker().Text, m.params.Nodes)
	return step.Shown(m.w.Walker().Text)
}

// perform takes a recorded event, after the faults that it needs.
func (m *merger) perform(i int, v *record.Event) bool {
	defer m.said.hold()
	switch {
	case v.Kind == sim.KindMessage && v.Link == sim.LinkUDP:
		return m.datagram(i, v)
	case v.Kind == sim.KindError || v.Kind == sim.KindRefused:
		return m.broken(i, v)
	default:
		return m.itself(m.find(v, i))
	}
}

// itself takes the k-th possible event, which is the recorded one, and checks it.
func (m *merger) itself(k int) bool {
	m.said.held = false
	return m.step(k)
}

// broken takes the step in which a node is informed of the end of a connection.
func (m *merger) broken(i int, v *record.Event) bool {
	from := v.From.Index()
	hears := func(kind sim.Kind) bool {
		k := m.find(&record.Event{Kind: kind, From: v.From}, i)
		if k < 0 {
			return false
		}
		if kind != v.Kind {
			m.differ("n%d heard that its connection to %s was %q, and in the simulation it can only be %q: whether anything had come by it could not be known", i, v.From, word(v.Kind), word(kind))
		}
		return m.itself(k)
	}
	if p := m.nodes[from]; !p.dead && (p.next() == nil || p.next().Kind == record.EntryLife || p.next().Kind == record.EntryEnd) && v.Conn != 0 {
		if hears(v.Kind) {
			return true
		}
		m.crash(from)
	}
	first, second := sim.KindError, sim.KindRefused
	if v.Kind == sim.KindRefused {
		first, second = second, first
	}
	if hears(first) {
		return true
	}
	breaks := func() bool {
		a, b := min(i, from), max(i, from)
		return m.cause(sim.KindReset, func(e *sim.Event) bool { return e.Node.Index() == a && e.From.Index() == b }) && hears(sim.KindError)
	}
	if v.Kind == sim.KindError && breaks() || hears(second) {
		return true
	}
	if v.Kind == sim.KindRefused && v.Conn != 0 && breaks() { // it broke, and what had come by it was not known
		return true
	}
	if p := m.nodes[from]; p.next() == nil && !p.dead {
		m.crash(from)
		if hears(first) || hears(second) {
			return true
		}
	}
	// Nobody listens there, or a partition is between: for as long as it takes to hear of it.
	side := uint64(1) << i
	if side&1 == 0 {
		side = ^side & (1<<m.params.Nodes - 1)
	}
	if m.cause(sim.KindPartition, func(e *sim.Event) bool { return e.Value == sim.Split{Side: side} }) {
		heard := hears(first) || hears(second)
		return m.cause(sim.KindMend, func(*sim.Event) bool { return true }) && heard
	}
	return false
}

func word(kind sim.Kind) string {
	if kind == sim.KindError {
		return "reset"
	}
	return "refused"
}

// datagram takes a recorded datagram, after the faults that datagrams before it must have met.
func (m *merger) datagram(i int, v *record.Event) bool {
	at := arrival{v.Life, v.Serial, i}
	number := m.numbers[at]
	delete(m.numbers, at)
	if m.rest[at] > 1 {
		if !m.meets(sim.KindDuplicate, number) {
			return false
		}
		steps := m.w.Run.Trace().Steps
		m.numbers[at] = int32(steps[len(steps)-1].Copy)
	}
	m.rest[at]--
	k := m.taking(sim.KindMessage, number)
	if k < 0 {
		if k = m.taking(sim.KindReorder, number); k < 0 {
			return false
		}
		m.out.fault()
	}
	return m.itself(k)
}

// taking returns the index of the possible event of a kind that takes a datagram, or -1.
func (m *merger) taking(kind sim.Kind, number int32) int {
	for k := range m.w.Events.Count() {
		if m.w.Events.Look(k).Kind == kind && m.w.Events.Number(k) == number {
			return k
		}
	}
	return -1
}

// meets takes a fault of a kind that hits the datagram with a number.
func (m *merger) meets(kind sim.Kind, number int32) bool { return m.faulty(m.taking(kind, number)) }

// sent records the messages that a step has sent, and drops those that never arrive.
func (m *merger) sent(i int, effects []trace.Effect) {
	n := m.nodes[i]
	for k := range effects {
		e := &effects[k]
		if e.Kind != trace.EffectSend {
			continue
		}
		serial := n.send()
		if e.Link != sim.LinkUDP {
			continue
		}
		if e.Lost {
			m.differ("n%d sent more datagrams to %s than may be under way in the simulation", i, e.To)
			continue
		}
		if at := (arrival{n.life, serial, e.To.Index()}); m.rest[at] == 0 {
			m.meets(sim.KindLose, e.Number)
		} else {
			m.numbers[at] = e.Number
		}
	}
}

// compare compares a node's state with the recorded one.
func (m *merger) compare(i int, e *record.Entry, a *answered) {
	m.out.step()
	n := m.nodes[i]
	state, err := m.walker.Sum(n.node)
	switch {
	case a.strayed != "":
		m.part(i, "in %s: %s", m.told2(i, e), a.strayed)
	case err != nil:
		m.part(i, "its state cannot be written: %v", err)
	case n.sends[n.life] != e.Step.Sends:
		m.part(i, "after %s it had sent %d messages, and %d in the simulation", m.told2(i, e), e.Step.Sends, n.sends[n.life])
	case state != e.Step.State:
		m.part(i, "after %s its state was %s, and in the simulation it is %s", m.told2(i, e), e.Step.State, state)
	}
}

func (m *merger) told2(i int, e *record.Entry) string {
	if e.Step.Event.Kind == 0 {
		return "its start"
	}
	return m.told(i, &e.Step.Event)
}

// result returns the merged path with its counts.
func (m *merger) result() (*Result, error) {
	if err := m.w.Run.Err(); err != nil && m.out.Failure == nil {
		return nil, err
	}
	r := &m.out
	p := m.record.Path()
	s := setting.Setting{Sys: m.sys, Params: m.params, Conditions: m.config().Conditions}
	p.Header = s.Header(true)
	if err := m.asked.write(m.sys, p); err != nil {
		return nil, err
	}
	verdict := trace.VerdictNone
	if f := r.Failure; f != nil {
		verdict = f.Verdict
	}
	p.Add("verdict", verdict.String())
	if f := r.Failure; f != nil && f.Property != "" {
		p.Add("violates", f.Property)
	}
	left := 0
	for _, n := range m.nodes {
		left += n.left()
	}
	r.finish(p, left)
	return r, nil
}
