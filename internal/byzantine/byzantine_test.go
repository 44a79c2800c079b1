package byzantine_test

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"macemc/choose"
	"macemc/internal/long"
	"macemc/internal/search"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

type (
	ask    struct{ round int }
	answer struct{ count int }
	begin  struct{ round int }
	tick   struct{}
	job    struct{}
)

// server counts requests, keeps the count on its disk, and also counts a timer and a task of its own.
type server struct{ count int }

func (s *server) start(env sim.Env) {
	text, _ := env.Store().Get("count")
	s.count, _ = strconv.Atoi(text)
}

func (s *server) ask(env sim.Env, from sim.Addr, _ ask) {
	s.count++
	env.Store().Put("count", strconv.Itoa(s.count))
	_ = env.Store().Sync()
	env.Bag().Send(from, answer{s.count})
	env.After(1, tick{})
	env.Emit(s.count)
}

func (s *server) tick(env sim.Env, _ tick) { env.Post(job{}) }

func (s *server) job(sim.Env, job) { s.count += 10 }

func (s *server) answer(sim.Env, sim.Addr, answer) {}

var servers = sim.Handle(sim.OnMessage((*server).answer), sim.OnInit((*server).start), sim.OnMessage((*server).ask), sim.OnSignal((*server).tick), sim.OnSignal((*server).job))

// client asks the server once.
type client struct{ heard []int }

func (c *client) begin(env sim.Env, b begin) { env.Bag().Send(env.Peers()[0], ask(b)) }

func (c *client) answer(_ sim.Env, _ sim.Addr, m answer) {
	c.heard = append(c.heard, m.count)
	slices.Sort(c.heard)
}

func (c *client) ask(sim.Env, sim.Addr, ask) { c.heard = append(c.heard, -1) }

var clients = sim.Handle(sim.OnSignal((*client).begin), sim.OnMessage((*client).answer), sim.OnMessage((*client).ask))

func service(name string, makeServer func() sim.Node) *sim.System {
	return &sim.System{
		Name: name, Doc: "A server that counts.",
		New: func(p sim.Params, self sim.Addr) sim.Node {
			if self == p.Addr(0) {
				return makeServer()
			}
			return clients.Node(&client{})
		},
		Script: func(p sim.Params, self sim.Addr, life int) []sim.Signal {
			if self == p.Addr(0) || life > 0 {
				return nil
			}
			return []sim.Signal{begin{self.Index()}}
		},
		Properties: []sim.Property{sim.Always("every client hears something", func(sim.View[*client]) bool { return true })},
	}
}

// both is a pair of servers under one address, written by hand as one ordinary node.
type both struct{ of [2]server }

type (
	itsTick struct{ k int }
	itsJob  struct{ k int }
)

func (b *both) start(env sim.Env) {
	for k := range b.of {
		text, _ := env.Store().Get(fmt.Sprint(k, "count"))
		b.of[k].count, _ = strconv.Atoi(text)
	}
}

func (b *both) ask(env sim.Env, from sim.Addr, _ ask) {
	which := env.Choose(3, "which")
	for k := range b.of {
		if which == 1-k {
			continue
		}
		b.of[k].count++
		env.Store().Put(fmt.Sprint(k, "count"), strconv.Itoa(b.of[k].count))
		_ = env.Store().Sync()
		env.Bag().Send(from, answer{b.of[k].count})
		env.After(1, itsTick{k})
	}
}

func (b *both) tick(env sim.Env, t itsTick) { env.Post(itsJob(t)) }

func (b *both) job(_ sim.Env, j itsJob) { b.of[j.k].count += 10 }

var pairs = sim.Handle(sim.OnInit((*both).start), sim.OnMessage((*both).ask), sim.OnSignal((*both).tick), sim.OnSignal((*both).job))

// counts returns the numbers of states and transitions of a correct system to a depth, as text.
func counts(t *testing.T, sys *sim.System, o search.Options) string {
	t.Helper()
	o.NoWalks, o.Effort = true, 1<<40
	res, err := search.Search(sys, o)
	if err != nil {
		t.Fatal(err)
	}
	if res.Finding != nil {
		t.Fatalf("%s: found %v", sys.Name, res.Finding.Failure)
	}
	return fmt.Sprint(res.Stats.States, " states, ", res.Stats.Transitions, " transitions, ", res.Safety.State)
}

var engines = []search.Engine{search.EngineMemo, search.EngineLocal, search.EngineReference}

// TestTwinsByHand checks that twins have the same states as a pair of servers written by hand as one ordinary node.
func TestTwinsByHand(t *testing.T) {
	plain := service("plain", func() sim.Node { return servers.Node(&server{}) })
	byHand := service("pair", func() sim.Node { return pairs.Node(&both{}) })
	for _, f := range []sim.Faults{{}, {Crash: 1, Only: "crash@n0"}} {
		for _, engine := range engines {
			o := search.Options{Engine: engine, Conditions: sim.Conditions{Faults: &f}}
			if o.Depth = long.Of(5, 8); engine == search.EngineReference {
				o.Depth = long.Of(4, 6)
			}
			want := counts(t, byHand, o)
			o.Byzantine = "twins@n0"
			if got := counts(t, plain, o); got != want {
				t.Errorf("%s, faults %s: %s; by hand %s", engine, f, got, want)
			}
		}
	}
}

// liar is a client, written by hand, that may send again any message that it has seen.
type liar struct {
	client
	left int
	seen []told
	sent bool
}

type told struct {
	from sim.Addr
	m    sim.Message
}

type lie struct {
	to sim.Addr
	m  sim.Message
}

func (l *liar) see(from sim.Addr, m sim.Message) {
	if one := (told{from, m}); l.left > 0 && !slices.Contains(l.seen, one) {
		l.seen = append(l.seen, one)
		slices.SortFunc(l.seen, func(a, b told) int { return cmp.Compare(fmt.Sprintf("%#v", a), fmt.Sprintf("%#v", b)) })
	}
}

func (l *liar) begin(env sim.Env, b begin) {
	l.client.begin(env, b)
	l.sent = l.left > 0
	l.see(env.Self(), ask(b))
}

func (l *liar) answer(env sim.Env, from sim.Addr, m answer) {
	l.see(from, m)
	l.client.answer(env, from, m)
}

func (l *liar) ask(env sim.Env, from sim.Addr, m ask) {
	l.see(from, m)
	l.client.ask(env, from, m)
}

func (l *liar) Offers(offer func(sim.Signal)) {
	var all []lie
	for _, one := range l.seen {
		for _, to := range l.peers() {
			if x := (lie{to, one.m}); l.sent && !slices.Contains(all, x) {
				all = append(all, x)
			}
		}
	}
	for _, x := range all {
		offer(x)
	}
}

// peers returns n0 and n1, since the liar is n2.
func (l *liar) peers() []sim.Addr { return theirs }

var theirs = sim.Params{Nodes: 2}.Addrs()

func (l *liar) lie(env sim.Env, x lie) {
	if l.left--; l.left == 0 {
		l.seen, l.sent = nil, false
	}
	env.Bag().Send(x.to, x.m)
}

var liars = sim.Handle(sim.OnSignal((*liar).begin), sim.OnSignal((*liar).lie), sim.OnMessage((*liar).answer), sim.OnMessage((*liar).ask))

// TestLiesByHand checks that a node that lies has the same states as an ordinary node, written by hand, that lies.
func TestLiesByHand(t *testing.T) {
	plain := service("plain", func() sim.Node { return servers.Node(&server{}) })
	byHand := *plain
	byHand.New = func(p sim.Params, self sim.Addr) sim.Node {
		if self == p.Addr(2) {
			return liars.Node(&liar{left: 2})
		}
		return plain.New(p, self)
	}
	byHand.Weight = func(e sim.Event) float64 {
		if _, is := e.Value.(lie); is {
			return 0
		}
		return 1
	}
	for _, engine := range engines {
		o := search.Options{Engine: engine, Depth: long.Of(6, 9), Conditions: sim.Conditions{Faults: &sim.Faults{}}}
		if engine == search.EngineReference {
			o.Depth = long.Of(5, 6)
		}
		want := counts(t, &byHand, o)
		o.Byzantine = "lies=2@n2"
		if got := counts(t, plain, o); got != want {
			t.Errorf("%s: %s; by hand %s", engine, got, want)
		}
	}
}

// waiter fills a connection, and asks for room only if its script says so.
type waiter struct {
	cleared int
	files   []string
}

type fill struct{ ask bool }

func (w *waiter) fill(env sim.Env, f fill) {
	for env.TCP().Send(env.Peers()[0], ask{}) {
	}
	if f.ask {
		env.TCP().RequestToSend(env.Peers()[0])
		_ = env.Store().File("log").Append([]byte("x"))
	}
	w.files = env.Store().Files()
}

func (w *waiter) clear(sim.Env, sim.ClearToSend) { w.cleared++ }

func (w *waiter) ask(sim.Env, sim.Addr, ask) {}

var waiters = sim.Handle(sim.OnSignal((*waiter).fill), sim.OnSignal((*waiter).clear), sim.OnMessage((*waiter).ask))

// TestTwinsWaitAlone checks that a twin gets ClearToSend only if it has asked for it, and reads only its own files.
func TestTwinsWaitAlone(t *testing.T) {
	var all []*waiter
	sys := &sim.System{
		Name: "waiters", Doc: "One fills a connection.",
		New: func(_ sim.Params, self sim.Addr) sim.Node {
			w := &waiter{}
			if self.Index() == 1 {
				all = append(all, w)
			}
			return waiters.Node(w)
		},
		Script: func(p sim.Params, self sim.Addr, life int) []sim.Signal {
			return [][]sim.Signal{nil, {fill{true}, fill{false}}}[self.Index()]
		},
	}
	w, err := world.New(sys, sim.Params{Nodes: 2}, world.Config{Conditions: sim.Conditions{Byzantine: "twins@n1", Network: sim.Network{TCPBuffer: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	all = nil
	if f := w.Protect(func() {
		w.Start(choose.NewFixed())
		w.Step(choose.NewFixed(0, 0)) // the first twin fills, and asks
		w.Step(choose.NewFixed(0, 1)) // the second fills, and does not
		w.Step(choose.NewFixed(0))    // a message is delivered
		w.Step(choose.NewFixed(0))    // there is room
	}); f != nil {
		t.Fatal(f)
	}
	if len(all) != 2 || all[0].cleared != 1 || all[1].cleared != 0 || len(all[0].files) != 1 || len(all[1].files) != 0 {
		t.Errorf("the twins are %+v and %+v after %s", all[0], all[1], w.Run.LastIdentity())
	}
}

// TestTwinsAreCloned checks that twins are copied by the system's Clone, if it has one.
func TestTwinsAreCloned(t *testing.T) {
	plain := service("plain", func() sim.Node { return servers.Node(&server{}) })
	cloned := *plain
	cloned.Clone = func(p sim.Params, self sim.Addr, n sim.Node) sim.Node {
		if self == p.Addr(0) {
			s := *servers.Of(n)
			return servers.Node(&s)
		}
		return clients.Node(&client{slices.Clone(clients.Of(n).heard)})
	}
	o := search.Options{Conditions: sim.Conditions{Byzantine: "twins@n0,lies=1@n2", Faults: &sim.Faults{}}, Depth: 6}
	if want, got := counts(t, plain, o), counts(t, &cloned, o); got != want {
		t.Errorf("%s; copied by the walk %s", got, want)
	}
}

// gossip returns a ring of nodes in which n1 gets a message from n0 only by a lie.
func gossip(properties ...sim.Property) *sim.System {
	sys := service("gossip", func() sim.Node { return servers.Node(&server{}) })
	sys.Properties = properties
	return sys
}

func hears(v sim.View[*client]) bool {
	n, is := v.At(v.Params().Addr(1))
	return is && slices.Contains(n.heard, -1)
}

func found(t *testing.T, sys *sim.System, o search.Options) *search.Finding {
	t.Helper()
	res, err := search.Search(sys, o)
	if err != nil {
		t.Fatal(err)
	}
	return res.Finding
}

// TestWalksLie checks that walks take lies, and that a finding after a lie is replayed by its path alone.
func TestWalksLie(t *testing.T) {
	sys := gossip(sim.Always("n1 is not asked", func(v sim.View[*client]) bool { return !hears(v) }))
	o := search.Options{Depth: 1, Conditions: sim.Conditions{Byzantine: "lies=1@n2"}}
	f := found(t, sys, o)
	if f == nil || f.Verdict != trace.VerdictSafety {
		t.Fatalf("found %v; a lie asks n1", f)
	}
	if text, _ := f.Path.Get("byzantine"); text != "lies=1@n2" {
		t.Errorf("the path has byzantine: %q", text)
	}
	if res, err := search.Replay(sys, f.Path, search.Options{}); err != nil || res.Finding == nil || res.Finding.Step != f.Step {
		t.Errorf("the replay says %v, %v", res, err)
	}
	if o.Byzantine = ""; found(t, sys, o) != nil {
		t.Error("n1 is asked without a lie")
	}
}

// TestLiesAreNoRecovery checks that a state is dead if only a lie could make it live.
func TestLiesAreNoRecovery(t *testing.T) {
	sys := gossip(sim.Eventually("n1 is asked", hears))
	f := found(t, sys, search.Options{Depth: 6, Walks: 100, Conditions: sim.Conditions{Byzantine: "lies=all@n2"}})
	if f == nil || f.Verdict != trace.VerdictDead {
		t.Errorf("found %v; only a lie asks n1", f)
	}
}

// TestHonestOnly checks that properties of any type do not see a Byzantine node, and that monitors do not get its facts.
func TestHonestOnly(t *testing.T) {
	seen := func(is bool) *sim.System {
		return &sim.System{
			Name: "seen", Doc: "A server that counts.",
			New: service("plain", func() sim.Node { return servers.Node(&server{}) }).New,
			Script: func(p sim.Params, self sim.Addr, life int) []sim.Signal {
				if self == p.Addr(0) {
					return nil
				}
				return []sim.Signal{begin{0}}
			},
			Byzantine: func(p sim.Params) []sim.Byzantine {
				return []sim.Byzantine{{Node: p.Addr(0), Seen: is, New: func(sim.Params, sim.Addr) sim.Node { return servers.Node(&server{}) }}}
			},
		}
	}
	for _, c := range []struct {
		name     string
		property sim.Property
	}{
		{"any node", sim.Always("x", func(v sim.View[any]) bool { return v.Len() < 3 })},
		{"methods", sim.Always("x", func(v sim.View[interface {
			ask(sim.Env, sim.Addr, ask)
		}]) bool {
			return v.Len() < 3
		})},
		{"facts", sim.Monitor("x", func(_ *struct{}, at sim.Addr, fact any) error { return fmt.Errorf("heard %v", fact) })},
	} {
		for _, is := range []bool{false, true} {
			sys := seen(is)
			sys.Properties = []sim.Property{c.property}
			if f := found(t, sys, search.Options{Depth: 20, NoWalks: true}); (f != nil) != is {
				t.Errorf("%s, seen %t: found %v", c.name, is, f)
			}
		}
	}
}

// TestCrashKeepsBudget checks that a crash keeps the messages that a lying node has seen, and the number of lies that
// it may still send.
func TestCrashKeepsBudget(t *testing.T) {
	sys := gossip(sim.Always("n1 is asked once at most", func(v sim.View[*client]) bool {
		n, is := v.At(v.Params().Addr(1))
		return !is || len(n.heard) < 3
	}))
	script := sys.Script
	sys.Script = func(p sim.Params, self sim.Addr, life int) []sim.Signal { return script(p, self, 0) } // it asks again in each life
	o := search.Options{Depth: 8, Walks: 300, Conditions: sim.Conditions{Byzantine: "lies=1@n2", Faults: &sim.Faults{Crash: 1, Only: "crash@n2"}}}
	if f := found(t, sys, o); f != nil {
		t.Errorf("found %v", f.Failure)
	}
	if o.Byzantine = "lies=2@n2"; found(t, sys, o) == nil {
		t.Error("two lies do not ask n1 twice")
	}
}

func TestByzantinesRejects(t *testing.T) {
	sys := service("plain", func() sim.Node { return servers.Node(&server{}) })
	for text, want := range map[string]string{
		"twins@n7":        "n7 is Byzantine, and there are 3 nodes",
		"twin@n1":         `no Byzantine behaviour "twin"`,
		"lies@n1":         `no Byzantine behaviour "lies"`,
		"lies=0@n1":       "the budget of lies is 0",
		"lies=x@n1":       `the budget of lies is "x"`,
		"twins":           `twins is at ""`,
		"twins@n0-n1":     `twins is at "n0-n1"`,
		"twins@n1,,":      `no Byzantine behaviour ""`,
		"none,twins@n1":   `no Byzantine behaviour "none"`,
		"lies=1@n1+n2+q3": `lies is at "q3"`,
	} {
		if _, err := search.Search(sys, search.Options{Conditions: sim.Conditions{Byzantine: text}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %s", text, err, want)
		}
	}
	all, err := sys.Byzantines(sim.Params{}, "twins@n2+n0,lies=all@n2")
	if got := fmt.Sprint(all, err); got != "[n0 (twins) n2 (twins, any number of lies)] <nil>" {
		t.Error(got)
	}
}
