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

// FromFolder merges the records in a folder, which live.RecordIn wrote there. find returns the system with a
// name.
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
		if system == "" { // the record was torn before the name of the system
			continue
		}
		of, err := find(system)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if sys != nil && sys != of {
			return nil, fmt.Errorf("%s is a record of system %s, and the records before it are of system %s; merge the records of one run", name, of.Name, sys.Name)
		}
		sys = of
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		records = append(records, file)
	}
	if sys == nil {
		return nil, fmt.Errorf("each record in %s ends before its first entry is complete", dir)
	}
	return Merge(sys, records)
}

// Merge merges the records of a system's nodes: one record for each life of each node.
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

// finish completes the result with the path that was merged, and the number of recorded steps that are not
// in it.
func (r *Result) finish(p *choose.Path, left int) {
	r.Path = p
	r.Left += left
}

// end is one end of a connection, at a node.
type end struct {
	node int
	conn uint64
}

type opening struct {
	peer int
	life uint64 // the peer's life
	mine uint64 // the node's own life
}

// arrival identifies a datagram at its receiver, the node to: by its sender's life, and its number in that
// life.
type arrival struct {
	life   uint64
	serial uint64
	to     int
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
	said   answered   // the recorded answers for the step that runs now
	starts []answered // the recorded answers for the starts of all nodes, while these run

	effects []trace.Effect // the effects of the latest step of a node; effects of the environment may follow

	opened  map[end]opening
	over    map[end]bool      // the ends that are closed
	last    map[end]int       // for each end, the entry that delivers the last message of its connection
	rest    map[arrival]int   // how many times each datagram has yet to arrive
	numbers map[arrival]int32 // for each datagram under way, its number in the World

	out     Result
	knotted bool // the entries have no order: each node waits for another
	lenient bool // a connection counts as over earlier: see silent
	stopped bool
}

// read reads the entries of all records, and sorts them by node and life.
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
		return errors.New("no record has a complete first entry, so there is nothing to merge; let the nodes run longer, or name other records")
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

// whole returns all entries of one life of a node. all has the entries of the life's own record, which may
// lack the last step. next has the entries of the next life; if they have that step, whole adds it.
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

// prepare collects, before the merge, the facts about connections and datagrams that it needs in advance,
// and makes the World.
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
		c.FreeTimers = true // the timers of live nodes followed real clocks, and not those of a simulation
	}
	return c
}

// Answer answers the World's questions as a choose.Source.
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
	return 0 // a node does not crash within its step, and everything on its disk survives a crash
}

// Err implements choose.Source. It is always nil, since a merger has an answer to every question.
func (m *merger) Err() error { return nil }

// made notes the node that the World has made for an address, and returns it.
func (m *merger) made(self sim.Addr, node sim.Node) sim.Node {
	if i := self.Index(); i < len(m.nodes) {
		m.nodes[i].node = node
	}
	return node
}

// answered returns the recorded answers for the handler that runs now.
func (m *merger) answered() *answered {
	if m.starts != nil {
		return &m.starts[m.w.Run.Acting().Index()]
	}
	return &m.said
}

// run takes the entries, in an order that the records allow, until none is left, or a difference or a failure
// ends the path.
func (m *merger) run() {
	m.w.Environ.Allow(m.faults, nil)
	f := m.w.Protect(func() {
		for _, n := range m.nodes { // take the entries before the start of each node
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

// result returns the merged path with its counts and differences.
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
