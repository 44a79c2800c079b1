package ensemble

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"macemc/internal/bubble"
	"macemc/internal/canon"
	"macemc/internal/contract"
	"macemc/internal/guard"
	"macemc/internal/happens"
	"macemc/internal/setting"
	"macemc/internal/sight"
	"macemc/internal/worlds"
	"macemc/program"
	"macemc/sim"
)

// An entry of the log of a run is an event, or the states of the nodes at a moment at which all goroutines
// are blocked.
type entry struct {
	Event *program.Event `json:",omitempty"`
	Quiet *quiet         `json:",omitempty"`
}

// quiet has the states of the nodes at a moment at which all goroutines are blocked.
type quiet struct {
	At       time.Duration
	States   map[string][]canon.Line // the states, by host, of the nodes whose state has changed
	Violated string                  // the property that is violated, or ""
	Message  string
}

// The defaults of sim.Programs.Storm and sim.Programs.Calm.
const (
	stormDefault = 10 * time.Second
	calmDefault  = time.Minute
)

// A director runs one world of a system, a run of its programs: it starts the nodes, makes requests and
// faults, and judges the properties.
type director struct {
	setting.Setting
	t    *worlds.T
	w    *program.World
	say  func(any) // writes an entry of the log; nil if nobody reads the log
	wake chan struct{}

	walker  *canon.Walker
	dirty   bool
	over    bool
	facts   []fact
	state   sight.State
	shown   []string // the text of the state of each host
	always  []sight.Check
	live    []sight.Check
	monitor []sight.Monitor

	scripts [][]sim.Signal // the requests that each node has yet to get
	down    []bool         // whether a node has failed for good
	clocks  int            // the number of clocks that may still jump or drift
	faults  sim.Faults
	parted  bool
}

type fact struct {
	node  int
	value any
}

// body returns the function by which a child process takes a run of the system.
func body(s setting.Setting) worlds.System {
	return func(t *worlds.T, w *program.World, say func(any)) {
		bubble.Hush() // the goroutine of the director never pauses at a draw
		d := &director{Setting: s, t: t, w: w, say: say, wake: make(chan struct{}, 1), faults: s.Budgets()}
		d.bind()
		defer func() { d.over = true }()
		d.run()
	}
}

// bind binds the properties to d.state, the states of the nodes.
func (d *director) bind() {
	var err error
	if d.walker, err = contract.Walker(d.Sys); err != nil {
		d.t.Fatal(err)
	}
	n := d.Params.Nodes
	d.state = sight.State{Runtime: nothing{}, Params: d.Params, Nodes: make([]*sight.Node, n)}
	for i := range d.state.Nodes {
		d.state.Nodes[i] = new(sight.Node)
	}
	d.shown, d.scripts, d.down = make([]string, n), make([][]sim.Signal, n), make([]bool, n)
	for _, p := range d.Sys.Properties {
		if len(d.Properties) > 0 && !slices.Contains(d.Properties, p.Name) {
			continue
		}
		switch r := contract.Rule(p); r.Kind {
		case sight.RuleAlways:
			d.always = append(d.always, r.State(&d.state))
		case sight.RuleEventually:
			d.live = append(d.live, r.State(&d.state))
		case sight.RuleMonitor:
			m := r.Monitor(d.Params)
			m.Reset()
			d.monitor = append(d.monitor, m)
		}
	}
}

// nothing is a sight.Runtime without messages and timers, for properties that count them.
type nothing struct{}

func (nothing) Timers() int                    { return 0 }
func (nothing) InFlight() int                  { return 0 }
func (nothing) UnderWay(func(sight.Sent) bool) {}

// unfit returns an error if a setting has options or properties that a system with programs cannot have.
func unfit(s setting.Setting) error {
	for _, p := range s.Sys.Properties {
		switch contract.Rule(p).Kind {
		case sight.RuleSteps, sight.RuleCools:
			return fmt.Errorf("property %q was made by %s, which systems with programs do not have; make it by Always, Each, Eventually or Monitor",
				p.Name, strings.ToUpper(p.Kind()[:1])+p.Kind()[1:])
		}
	}
	f := s.Budgets()
	if f.OneWay != 0 || f.Rare != 0 || f.Pause != 0 || f.Disk != 0 || f.Reorder != 0 || f.Only != "" {
		return fmt.Errorf("a fault of %s is not possible in a system with programs: it has crash, down, reset, loss, dup and partition, on any node; its datagrams overtake each other without a budget", f)
	}
	if s.Byzantine != "" || s.Sys.Byzantine != nil {
		return errors.New("systems with programs have no Byzantine nodes; leave them out")
	}
	return nil
}

func (d *director) name(i int) string { return d.Params.Addr(i).String() }

// run runs the world from its beginning to its end.
func (d *director) run() {
	d.w.Observe(d.observe)
	for i := range d.Params.Nodes {
		d.starts(i)
	}
	of := d.Sys.Programs
	storm, calm := of.Storm, of.Calm
	if storm == 0 {
		storm = stormDefault
	}
	if calm == 0 {
		calm = calmDefault
	}
	d.w.Loss(budget(d.faults.Loss) + budget(d.faults.Dup))
	d.clocks = clocks(d.Sys, d.faults)
	for end := time.Now().Add(storm); time.Now().Before(end); {
		d.waits(storm * time.Duration(1+d.w.Choose(16)) / 64)
		d.meets(d.w.Choose(8))
		if len(d.asks()) == 0 || d.w.Choose(3) == 1 {
			d.strikes()
		} else {
			d.requests()
		}
	}
	d.mends()
	for len(d.asks()) > 0 {
		d.waits(storm / 64)
		d.requests()
	}
	d.lives(calm)
	d.stops()
}

// budget returns the number of faults that a budget of n allows. For sim.Unlimited it returns a
// number that no run reaches.
func budget(n int) int {
	if n == sim.Unlimited {
		return 1 << 30
	}
	return n
}

// starts begins a life of the i-th node.
func (d *director) starts(i int) {
	self := d.Params.Addr(i)
	life := 0
	if h := d.w.Host(self.String()); h.Life() >= 0 {
		life = h.Life() + 1
	}
	if d.Sys.Script != nil {
		d.scripts[i] = d.Sys.Script(d.Params, self, life)
	}
	p := d.Sys.Programs.New(d.Params, self)
	if p == nil {
		p = func(ctx context.Context, h *program.Host) { newNode(d.Setting, self, h).run(ctx) }
	}
	d.w.Start(self.String(), p)
}

// observe writes an event of the world to the log, and notes that something has happened.
func (d *director) observe(e program.Event) {
	if d.over {
		return
	}
	if e.Kind == happens.Emit {
		if i := d.index(e.Host); i >= 0 {
			d.facts = append(d.facts, fact{i, e.Value})
		}
	}
	if d.say != nil {
		d.say(entry{Event: &e})
	}
	d.dirty = true
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

func (d *director) index(host string) int {
	for i := range d.Params.Nodes {
		if d.name(i) == host {
			return i
		}
	}
	return -1
}

// waits lets the clock of the bubble advance by the duration long, and evaluates the properties whenever something
// has happened.
func (d *director) waits(long time.Duration) {
	over := time.After(long)
	for {
		select {
		case <-d.wake:
			d.looks()
		case <-over:
			d.looks()
			return
		}
	}
}

// meets waits until something has happened the given number of times, but at most for a second. So the next
// fault or request comes in the middle of the programs' work.
func (d *director) meets(times int) {
	over := time.After(time.Second)
	for range times {
		select {
		case <-d.wake:
			d.looks()
		case <-over:
			return
		}
	}
}

// looks waits until all goroutines are blocked, and then evaluates the safety properties if something has
// happened.
func (d *director) looks() {
	d.w.Wait()
	if !d.dirty {
		return
	}
	d.dirty = false
	d.sees()
	for _, f := range d.facts {
		for _, m := range d.monitor {
			if err := m.Observe(f.node, f.value); err != nil {
				d.violated(m.Name, err.Error())
			}
		}
	}
	d.facts = nil
	for i := range d.always {
		if c := &d.always[i]; !d.holds(c) {
			d.violated(c.Name, c.Explained())
		}
	}
}

// holds reports whether a property holds. It counts as violated if it panics.
func (d *director) holds(c *sight.Check) bool {
	holds, panicked := c.Asked()
	if panicked != "" {
		d.violated(c.Name, panicked)
	}
	return holds
}

// sees reads the states that the programs show now.
func (d *director) sees() {
	q := &quiet{At: d.since(), States: map[string][]canon.Line{}}
	for i, n := range d.state.Nodes {
		h := d.w.Host(d.name(i))
		n.Node, n.Up = h.Shown(), h.Running()
		if d.say == nil {
			continue
		}
		var lines []canon.Line
		text := ""
		if n.Node != nil {
			lines = d.walker.Lines(n.Node)
			for _, l := range lines {
				text += l.Path + "=" + l.Value + "\n"
			}
		}
		if text != d.shown[i] {
			d.shown[i], q.States[h.Name()] = text, lines
		}
	}
	d.state.Regrouped()
	if d.say != nil {
		d.say(entry{Quiet: q})
	}
}

func (d *director) since() time.Duration {
	return time.Since(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC))
}

// violated ends the world, since a property is violated.
func (d *director) violated(property, message string) {
	if d.say != nil {
		d.say(entry{Quiet: &quiet{At: d.since(), Violated: property, Message: message}})
	}
	d.over = true
	d.t.Fatal(fmt.Sprintf("property %q is violated: %s", property, guard.Bounded(message)))
}

// asks returns the numbers of the nodes that can get a request now.
func (d *director) asks() (all []int) {
	for i, s := range d.scripts {
		if len(s) > 0 && d.w.Host(d.name(i)).Running() {
			all = append(all, i)
		}
	}
	return all
}

// requests gives a node, which a draw picks, the next request of its script.
func (d *director) requests() {
	all := d.asks()
	i := all[d.w.Choose(len(all))]
	s := d.scripts[i][0]
	d.scripts[i] = d.scripts[i][1:]
	d.w.Ask(d.name(i), s)
	d.looks()
}

// strikes lets a draw pick a fault that is possible now, the end of one, or nothing, and carries it out.
func (d *director) strikes() {
	var all []func()
	spend := func(n *int, do func()) {
		if *n != 0 {
			all = append(all, func() {
				if *n > 0 {
					*n--
				}
				do()
			})
		}
	}
	for i := range d.Params.Nodes {
		name := d.name(i)
		switch running := d.w.Host(name).Running(); {
		case running:
			spend(&d.faults.Crash, func() { d.w.Crash(name) })
			spend(&d.faults.Down, func() { d.w.Crash(name); d.down[i] = true })
			spend(&d.clocks, func() { d.w.Unclock(name, d.Sys.Programs.Skew, d.Sys.Programs.Drift) })
			if !d.parted && d.Params.Nodes > 1 {
				spend(&d.faults.Partition, func() { d.w.Partition(nil, []string{name}); d.parted = true })
			}
			if k := d.Params.Nodes - 1; k > i {
				spend(&d.faults.Reset, func() { d.w.Reset(name, d.name(i+1+d.w.Choose(k-i))) })
			}
		case !d.down[i]:
			all = append(all, func() { d.starts(i) })
		}
	}
	if d.parted {
		all = append(all, d.heals)
	}
	if k := d.w.Choose(len(all) + 1); k > 0 {
		all[k-1]()
		d.looks()
	}
}

func (d *director) heals() {
	d.w.Heal()
	d.parted = false
}

// mends ends all faults: it heals the network and the clocks, and restarts the nodes that have not failed for
// good.
func (d *director) mends() {
	d.w.Loss(0)
	d.heals()
	for i := range d.Params.Nodes {
		d.w.RightClock(d.name(i))
		if !d.w.Host(d.name(i)).Running() && !d.down[i] {
			d.starts(i)
		}
	}
	d.looks()
}

// lives waits until all liveness properties hold at the same time. If that does not happen within calm, one
// is violated.
func (d *director) lives(calm time.Duration) {
	const look = 250 * time.Millisecond
	if len(d.live) == 0 {
		d.waits(calm / 12)
		return
	}
	for end := time.Now().Add(calm); ; d.waits(look) {
		d.sees()
		wrong := slices.IndexFunc(d.live, func(c sight.Check) bool { return !d.holds(&c) })
		if wrong < 0 {
			return
		}
		if !time.Now().Before(end) {
			c := d.live[wrong]
			d.violated(c.Name, strings.TrimPrefix(c.Explained()+"; ", "; ")+fmt.Sprintf("it does not hold %v after the faults were over", calm))
		}
	}
}

// stops stops the programs. Goroutines that are left after that are a failure.
func (d *director) stops() {
	for i := range d.Params.Nodes {
		d.w.Stop(d.name(i))
		d.looks()
	}
}
