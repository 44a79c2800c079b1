package search_test

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"macemc/internal/search"
	"macemc/internal/world"
	"macemc/layers/broadcast"
	"macemc/layers/machine"
	"macemc/layers/rpc"
	"macemc/macetime"
	"macemc/sim"
)

// No feature of the contract is slow in silence. A small service is searched with one feature
// after the other, and testdata/features/table.txt has what each may cost: see TestFeatures.

// member counts the requests that it got, and sends the count to the other members until they
// have confirmed it.
type member struct {
	self  sim.Addr
	peers []sim.Addr
	known map[sim.Addr]int // requests, by member
	waits []sim.Addr       // members that have not confirmed the last request
	tries int              // how often the count was sent to them again
	with  trait

	heard macetime.Time // with trait.times: when the last count of another member came
	calls map[rpc.ID]bool
}

type (
	add   struct{} // the application's request
	again struct{} // the timer
	tell  struct{ Count int }
	heard struct{ Count int }
	fact  struct{ Count int } // for the monitor
)

// trait lists the features of the contract that a member uses.
type trait struct {
	emits, times, stores, reads bool
	by                          sim.Link // by which members send counts; 0 means TCP
	call, cast                  bool     // by rpc, by broadcast
}

const (
	triesMost = 1
	deaf      = sim.BugID("DEAF") // a member ignores the second count
)

func (m *member) port(env sim.Env) sim.Port {
	switch m.with.by {
	case sim.LinkUDP:
		return env.UDP()
	case sim.LinkSet:
		return env.Set()
	case sim.LinkBag:
		return env.Bag()
	}
	return env.TCP()
}

func (m *member) start(env sim.Env) {
	if m.with.reads {
		if text, is := env.Store().Get("count"); is {
			m.known[m.self], _ = strconv.Atoi(text)
		}
	}
}

func (m *member) add(env sim.Env, _ add) {
	m.known[m.self]++
	if m.with.stores {
		env.Store().Put("count", strconv.Itoa(m.known[m.self]))
		if err := env.Store().Sync(); err != nil {
			panic(err)
		}
	}
	m.waits, m.tries = append(m.waits[:0:0], m.peers...), 0
	m.tellAll(env)
}

func (m *member) tellAll(env sim.Env) {
	if m.with.cast {
		broadcast.Send(env, tell{m.known[m.self]})
		return
	}
	for _, peer := range m.waits {
		if m.with.call {
			m.calls[rpc.Call(env, peer, tell{m.known[m.self]})] = true
		} else {
			m.port(env).Send(peer, tell{m.known[m.self]})
		}
	}
	if !m.with.call {
		env.After(time.Second, again{})
	}
}

func (m *member) tell(env sim.Env, from sim.Addr, t tell) {
	if m.with.cast && from == m.self || env.Bug(deaf) && t.Count > 1 {
		return
	}
	if t.Count > m.known[from] {
		m.known[from] = t.Count
		if m.with.emits {
			env.Emit(fact(t))
		}
		if m.with.times {
			m.heard = env.Now()
		}
	}
	switch {
	case m.with.call:
		rpc.Answer(env, heard(t))
	case !m.with.cast:
		m.port(env).Send(from, heard(t))
	}
}

func (m *member) hear(env sim.Env, from sim.Addr, h heard) {
	if m.with.call {
		delete(m.calls, rpc.Of(env))
	}
	if h.Count != m.known[m.self] {
		return
	}
	m.waits = slices.DeleteFunc(m.waits, func(a sim.Addr) bool { return a == from })
	if len(m.waits) == 0 && !m.with.call {
		env.Cancel(again{})
	}
}

func (m *member) again(env sim.Env, _ again) {
	switch {
	case m.tries < triesMost:
		m.tries++
		m.tellAll(env)
	case env.Bug(deaf):
		env.After(time.Second, again{}) // so that it is never at rest
	}
}

func (m *member) timedOut(_ sim.Env, t rpc.TimedOut) { delete(m.calls, t.ID) }

// Copy is for System.Clone.
func (m *member) Copy() *member {
	c := *m
	c.known, c.calls = maps.Clone(m.known), maps.Clone(m.calls)
	c.waits = slices.Clone(m.waits)
	return &c
}

// switched is a member whose Deliver and Handle switch over types, without a table of handlers.
type switched struct{ *member }

func (s switched) Init(env sim.Env) { s.start(env) }
func (s switched) Deliver(env sim.Env, from sim.Addr, m sim.Message) {
	switch m := m.(type) {
	case tell:
		s.tell(env, from, m)
	case heard:
		s.hear(env, from, m)
	default:
		panic("a message that no member sends")
	}
}

func (s switched) Handle(env sim.Env, x sim.Signal) {
	switch x := x.(type) {
	case add:
		s.add(env, x)
	case again:
		s.again(env, x)
	case rpc.TimedOut:
		s.timedOut(env, x)
	default:
		panic("a signal that no member knows")
	}
}

var memberHandlers = sim.Handle(
	sim.OnInit((*member).start), sim.OnSignal((*member).add), sim.OnSignal((*member).again),
	sim.OnMessage((*member).tell), sim.OnMessage((*member).hear), sim.OnSignal((*member).timedOut),
)

// aside is a part of a member that is left out of its state.
type aside struct{ Last [8]int }

// These are members with more fields, which a tag, System.Opaque or a Summary leaves out of the
// state in full or in part.
type (
	tagged struct {
		switched
		Aside aside `mc:"-"`
	}
	opaque struct {
		switched
		Aside aside
	}
	summed struct {
		switched
		Tally tally
	}
	tally struct{ Counts []int }
)

// Summary returns the number of counts, the only part of a tally that belongs to the state.
func (t tally) Summary() any { return len(t.Counts) }

// charted is a member as a state machine.
type charted struct {
	machine.Core
	*member
}

func (c *charted) add(env sim.Env, s add)                    { c.member.add(env, s) }
func (c *charted) again(env sim.Env, s again)                { c.member.again(env, s) }
func (c *charted) tell(env sim.Env, from sim.Addr, m tell)   { c.member.tell(env, from, m) }
func (c *charted) heard(env sim.Env, from sim.Addr, m heard) { c.member.hear(env, from, m) }

var charts = machine.Define("member", machine.State[*charted]{Name: "member", On: machine.On(
	machine.OnSignal((*charted).add), machine.OnSignal((*charted).again), machine.OnMessage((*charted).tell), machine.OnMessage((*charted).heard),
)})

// plainMembers returns a system of three members: one has two requests, the others one. They use the features in
// with.
func plainMembers(with trait, of func(*member) sim.Node) *sim.System {
	if of == nil {
		of = func(m *member) sim.Node { return switched{m} }
	}
	return &sim.System{
		Name: "members", Doc: "Members tell each other what they count.",
		Nodes:   func(sim.Params) sim.Range { return sim.Range{Default: 3, Least: 2, Most: 5} },
		Network: func(sim.Params) sim.Network { return sim.Network{TCPBuffer: 4} },
		Bugs:    []sim.Bug{{ID: deaf, Story: "A member does not hear the second count."}},
		New: func(p sim.Params, self sim.Addr) sim.Node {
			m := &member{self: self, known: map[sim.Addr]int{}, with: with}
			for _, a := range p.Addrs() {
				if a != self {
					m.peers = append(m.peers, a)
				}
			}
			if with.call {
				m.calls = map[rpc.ID]bool{}
			}
			return of(m)
		},
		Script: func(_ sim.Params, self sim.Addr, _ int) []sim.Signal {
			if self.Index() == 0 {
				return []sim.Signal{add{}, add{}}
			}
			return []sim.Signal{add{}}
		},
	}
}

// feature is one feature of the contract: the members that use it, and members without it for
// comparison.
type feature struct {
	name          string
	with, without func() *sim.System
}

// counter is any of the types that embed a member.
type counter interface{ it() *member }

func (m *member) it() *member { return m }

// eachMember reports whether all members are so.
func eachMember(v sim.View[counter], is func(*member) bool) bool {
	for _, m := range v.Nodes() {
		if !is(m.it()) {
			return false
		}
	}
	return true
}

func features() []feature {
	plain := func() *sim.System { return plainMembers(trait{}, typed) }
	with := func(change func(*sim.System)) func() *sim.System {
		return func() *sim.System {
			sys := plain()
			change(sys)
			return sys
		}
	}
	property := func(all ...sim.Property) func() *sim.System {
		return with(func(s *sim.System) { s.Properties = all })
	}
	uses := func(t trait) func() *sim.System { return func() *sim.System { return plainMembers(t, typed) } }
	made := func(of func(*member) sim.Node, change func(*sim.System)) func() *sim.System {
		return func() *sim.System {
			sys := plainMembers(trait{}, of)
			if change != nil {
				change(sys)
			}
			return sys
		}
	}
	layered := func(t trait, over func(sim.Node) sim.Node, bugs ...sim.Bug) func() *sim.System {
		return func() *sim.System {
			sys := plainMembers(t, func(m *member) sim.Node { return over(typed(m)) })
			sys.Bugs = append(sys.Bugs, bugs...)
			return sys
		}
	}
	switches := made(nil, nil)
	agree := sim.Eventually("all know all", func(v sim.View[counter]) bool {
		return eachMember(v, func(m *member) bool {
			return eachMember(v, func(o *member) bool { return m.known[o.self] == o.known[o.self] }) && m.known[v.Params().Addr(0)] == 2 && len(m.known) == v.Len()
		})
	})
	timed := trait{times: true}
	return []feature{
		{"Always", property(sim.Always("nobody knows more than the member itself", func(v sim.View[counter]) bool {
			return eachMember(v, func(m *member) bool {
				return eachMember(v, func(o *member) bool { return m.known[o.self] <= o.known[o.self] })
			})
		})), plain},
		{"Each", property(sim.Each("tries end", func(v sim.View[counter]) bool {
			return eachMember(v, func(m *member) bool { return m.tries <= triesMost })
		})), plain},
		{"Eventually", property(agree), plain},
		{"Steps", property(sim.Steps("counts do not fall", func(before, after sim.View[counter]) bool {
			for a, m := range after.Nodes() {
				if was, up := before.At(a); up && was.it().known[a] > m.it().known[a] {
					return false
				}
			}
			return true
		})), plain},
		{"Monitor", func() *sim.System {
			sys := plainMembers(trait{emits: true}, typed)
			sys.Properties = []sim.Property{sim.Monitor("nobody counts to three", func(most *int, _ sim.Addr, f any) error {
				if *most = max(*most, f.(fact).Count); *most > 2 {
					return fmt.Errorf("somebody counts to %d", *most)
				}
				return nil
			})}
			return sys
		}, plain},
		{"Sometimes", property(sim.Sometimes("all wait", func(v sim.View[counter]) bool {
			return eachMember(v, func(m *member) bool { return len(m.waits) == 2 })
		})), plain},
		{"Within", with(func(s *sim.System) {
			s.Within = sim.While("tries end", func(v sim.View[counter]) bool {
				return eachMember(v, func(m *member) bool { return m.tries <= triesMost })
			})
		}), plain},
		{"Assume", with(func(s *sim.System) {
			s.Properties = []sim.Property{agree}
			s.Assume = sim.While("tries end", func(v sim.View[counter]) bool {
				return eachMember(v, func(m *member) bool { return m.tries <= triesMost })
			})
		}), property(agree)},
		{"times", uses(timed), plain},
		{"timers in order", with(func(s *sim.System) { s.Clock = func(sim.Params) *sim.Clock { return new(sim.Clock) } }), plain},
		{"timers in order and times", func() *sim.System {
			sys := plainMembers(timed, typed)
			sys.Clock = func(sim.Params) *sim.Clock { return new(sim.Clock) }
			return sys
		}, plain},
		{"storage", uses(trait{stores: true, reads: true}), plain},
		{"UDP", uses(trait{by: sim.LinkUDP}), plain},
		{"Set", uses(trait{by: sim.LinkSet}), plain},
		{"Bag", uses(trait{by: sim.LinkBag}), plain},
		{"layers/rpc", layered(trait{call: true}, func(n sim.Node) sim.Node { return rpc.Over(n, rpc.Options{Tries: 1}) }, rpc.Bugs...), uses(trait{by: sim.LinkUDP})},
		{"layers/broadcast", layered(trait{cast: true}, func(n sim.Node) sim.Node { return broadcast.Over(n) }, broadcast.Bugs...), plain},
		{"layers/machine", made(func(m *member) sim.Node { return charts.Node(&charted{member: m}) }, nil), plain},
		{"handlers by type", plain, switches},
		{"mc:\"-\"", made(func(m *member) sim.Node { return &tagged{switched: switched{m}} }, nil), switches},
		{"Opaque", made(func(m *member) sim.Node { return &opaque{switched: switched{m}} }, func(s *sim.System) { s.Opaque = []string{"search_test.opaque.Aside"} }), switches},
		{"Summary", made(func(m *member) sim.Node { return &summed{switched: switched{m}} }, nil), switches},
		{"Clone", made(nil, func(s *sim.System) {
			s.Clone = func(_ sim.Params, _ sim.Addr, n sim.Node) sim.Node { return switched{n.(switched).Copy()} }
		}), switches},
	}
}

func typed(m *member) sim.Node { return memberHandlers.Node(m) }

// way is a way of searching, with the unit in which its work is counted.
type way struct {
	name  string
	opts  search.Options
	more  search.Options // for the benchmark
	bugs  []string
	nodes int // 0 means the default
	unit  string
	per   func(s *search.Stats) int
}

var ways = []way{
	{name: "walks", unit: "step", per: func(s *search.Stats) int { return s.Steps },
		opts: search.Options{Depth: 1, Walks: 150, Walking: search.WalkWeighted, WalkSteps: 200}, more: search.Options{Walks: 10_000}},
	{name: "memo", unit: "transition", per: func(s *search.Stats) int { return s.Transitions },
		opts: search.Options{Depth: 6, NoWalks: true, Engine: search.EngineMemo}, more: search.Options{Depth: 10}},
	{name: "local", unit: "transition", per: func(s *search.Stats) int { return s.Transitions },
		opts: search.Options{Depth: 5, NoWalks: true, Engine: search.EngineLocal}, more: search.Options{Depth: 8}},
	{name: "judging", unit: "step or state", per: func(s *search.Stats) int { return s.Steps + s.States + s.Settled }, bugs: []string{string(deaf)}, nodes: 2,
		opts: search.Options{Depth: 1, Walks: 20, WalkSteps: 30, MaxWalkSteps: 30}},
}

// spend searches a system in a way, and returns the cost of the search and the number of units that
// it took.
func spend(t testing.TB, sys *sim.System, w way) (cost world.Work, units int) {
	if w.bugs != nil && !slices.ContainsFunc(sys.Properties, sim.Property.Liveness) {
		sys.Properties = append(slices.Clone(sys.Properties), sim.Eventually("all count to two", func(v sim.View[counter]) bool {
			return eachMember(v, func(m *member) bool { return m.known[v.Params().Addr(0)] == 2 })
		}))
	}
	params, err := sys.Configure(w.nodes, nil, w.bugs)
	if err != nil {
		t.Fatal(err)
	}
	var all []*world.World
	opts := w.opts
	opts.Params, opts.Workers, opts.Seed = params, 1, 1
	search.Watch(&opts, func(w *world.World) { all = append(all, w) })
	r, err := search.Search(sys, opts)
	if err != nil {
		t.Fatal(err)
	}
	if f := r.Finding; f != nil && w.bugs == nil {
		t.Fatalf("found is %s %s: %s", f.Verdict, f.Property, f.Message)
	}
	for _, w := range all {
		cost.Add(w.Work())
	}
	return cost, w.per(&r.Stats)
}

// row is a line of the table: the cost that a feature may have for each unit of a search in one
// way.
type row struct {
	costs  [4]float64 // handler runs, hashes, copies, searches for times
	time   float64    // processor time with the feature over that without, as measured once
	reason string     // why it is more than slowerMost, if it is
}

// slowerMost is the time that a feature may cost without a reason.
const slowerMost = 1.3

const featureTable = "testdata/features/table.txt"

// rows reads the table.
func rows(t *testing.T) map[string]row {
	text, err := os.ReadFile(featureTable)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]row{}
	for line := range strings.Lines(string(text)) {
		columns := strings.Split(strings.TrimSpace(line), "|")
		if len(columns) != 8 || strings.HasPrefix(line, "#") {
			continue
		}
		for k := range columns {
			columns[k] = strings.TrimSpace(columns[k])
		}
		r := row{reason: columns[7]}
		for k := range r.costs {
			if r.costs[k], err = strconv.ParseFloat(columns[2+k], 64); err != nil {
				t.Fatal(err)
			}
		}
		if r.time, err = strconv.ParseFloat(columns[6], 64); err != nil {
			t.Fatal(err)
		}
		all[columns[0]+" | "+columns[1]] = r
	}
	return all
}

// TestFeatures compares the table with the cost of each feature: the numbers of handler runs,
// hashes, copies and searches for times that a step, a transition or a state takes, outside of
// audits. A row whose time is above slowerMost must have a reason.
func TestFeatures(t *testing.T) {
	table := rows(t)
	for _, f := range append(features(), feature{name: "nothing", with: func() *sim.System { return plainMembers(trait{}, typed) }}) {
		for _, w := range ways {
			name := f.name + " | " + w.name
			listed, is := table[name]
			delete(table, name)
			work, units := spend(t, f.with(), w)
			is = is && (listed.time <= slowerMost || listed.reason != "")
			var line strings.Builder
			for k, n := range [...]int{work.Handlers, work.Hashes, work.Copies, work.Searches} {
				cost := float64(n) / float64(units)
				is = is && cost <= listed.costs[k]
				fmt.Fprintf(&line, " | %.2f", 1.05*cost+0.005)
			}
			if !is {
				t.Errorf("%s%s: that is what a %s costs, and %s allows %v, with a time of %.2f for the reason %q; find out why, or say why in the table", name, line.String(), w.unit, featureTable, listed.costs, listed.time, listed.reason)
			}
		}
	}
	for name := range table {
		t.Errorf("%s has the row %q, which nothing measures", featureTable, name)
	}
}

// BenchmarkFeatures measures, by turns, the processor time for each unit of a search with each
// feature and without it. The table has the ratios as time.
func BenchmarkFeatures(b *testing.B) {
	for _, f := range features() {
		for _, w := range ways {
			b.Run(strings.ReplaceAll(f.name, "/", ".")+"/"+w.name, func(b *testing.B) {
				w.opts.Walks, w.opts.Depth = cmp.Or(w.more.Walks, w.opts.Walks), cmp.Or(w.more.Depth, w.opts.Depth)
				var took [2]time.Duration
				var units [2]int
				for range b.N {
					for k, sys := range []*sim.System{f.without(), f.with()} {
						began := search.Processor()
						_, n := spend(b, sys, w)
						took[k] += search.Processor() - began
						units[k] += n
					}
				}
				each := func(k int) float64 { return float64(took[k].Nanoseconds()) / float64(units[k]) }
				b.ReportMetric(each(0), "ns/without")
				b.ReportMetric(each(1), "ns/with")
				b.ReportMetric(each(1)/each(0), "ratio")
			})
		}
	}
}
