package search

import (
	"fmt"
	"slices"
	"testing"

	"macemc/internal/catalog"
	"macemc/internal/long"
	"macemc/internal/search/internal/explore"
	"macemc/internal/spec"
	"macemc/sim"
	"macemc/trace"
)

// TestCommutingSteps: a memo that does not look up steps which commute with the last one visits the
// same states, in the same order and by the same steps, and has the same counts as one that looks
// up all. This holds for every system, with faults and without.
func TestCommutingSteps(t *testing.T) {
	unasked := map[string]int{}
	for _, sys := range catalog.Systems() {
		for _, faults := range []string{"none", "crash=1,reset=1", "loss=1,dup=1"}[:long.Of(2, 3)] {
			for _, nodes := range []int{0, 4}[:long.Of(1, 2)] {
				budgets, err := sim.ParseFaults(faults)
				if err != nil {
					t.Fatal(err)
				}
				if params, err := sys.Configure(nodes, nil, nil); err == nil {
					opts := Options{Params: params, Conditions: sim.Conditions{Faults: &budgets}, Depth: long.Of(4, 7)}
					if faults == "none" {
						opts.Depth = long.Of(5, 10)
					}
					unasked[sys.Name] += lookedUpOrNot(t, sys, opts)
					if faults == "none" { // a step that sends to a full channel does something else before a message is taken
						opts.Network = sim.Network{TCPBuffer: 1, UDPCapacity: 1}
						unasked[sys.Name] += lookedUpOrNot(t, sys, opts)
					}
				}
			}
		}
	}
	for _, sys := range []string{"jointree", "twophase", "brokentree"} {
		if unasked[sys] == 0 {
			t.Errorf("every step of %s was looked up", sys)
		}
	}
}

// TestCommutingServices does the same as TestCommutingSteps for random services.
func TestCommutingServices(t *testing.T) {
	unasked := 0
	for seed := range uint64(long.Of(8, 200)) {
		s := spec.Draw(seed)
		opts := conditions(s)
		opts.Depth = 5
		unasked += lookedUpOrNot(t, s.System(), opts)
		if t.Failed() {
			t.Fatalf("service %d: %s", seed, s)
		}
	}
	if unasked == 0 {
		t.Error("every step of the random services was looked up")
	}
}

// lookedUpOrNot explores a system to a depth twice, once looking up all steps, compares the two,
// and returns the number of steps that were not looked up.
func lookedUpOrNot(t *testing.T, sys *sim.System, opts Options) (unasked int) {
	t.Helper()
	opts.once = true
	var all [2][]string
	for i := range all {
		opts.all = i == 0
		r, x := rooted(t, sys, opts)
		defer x.Close()
		m := x.ByMemo()
		bad, err := r.owner.Guarded(x.Taker, x.Roots)
		for level, depth := x.Level(), 0; err == nil && bad == nil && depth < opts.Depth && x.Set.Len() < long.Of(1_000, 20_000); depth++ {
			r.add(Stats{Depth: depth})
			bad, err = r.owner.Guarded(x.Taker, func() error { return expandSome(x, level) })
			next := x.Level()
			x.Expanded(level, next)
			level = next
		}
		for s := range x.Each {
			x.Get(s, x.From)
			all[i] = append(all[i], fmt.Sprint(x.From, x.Origin(s), x.Live(s), x.Outside(s)))
		}
		all[i] = append(all[i], fmt.Sprintf("%+v, %v, %+v", r.now(), err, bad))
		unasked += m.Unasked
		if i == 0 && unasked > 0 {
			t.Errorf("%s: not all is looked up", sys.Name)
		}
	}
	comparesStates(t, sys, opts, all)
	return unasked
}

// TestCommutingStepsTogether: several workers have the same counts as workers that look up all
// steps, also if a handler fails in the last level.
func TestCommutingStepsTogether(t *testing.T) {
	failed := 0
	for seed := range uint64(400) {
		s := spec.Draw(seed)
		if !*long.On && (!s.Does(spec.Fail) || failed > 0) {
			continue
		}
		opts := conditions(s)
		opts.Faults, opts.Depth, opts.NoWalks, opts.team = nil, 7, true, 1
		first := ""
		for _, workers := range []int{-2, 2, 3} {
			opts.all, opts.Workers = workers < 0, max(workers, -workers)
			res, err := Search(s.System(), opts)
			if err != nil {
				t.Fatal(err)
			}
			n := res.Stats
			said := fmt.Sprint(n.States, n.Transitions, n.Executed, n.Duplicates, res.Finding != nil)
			if first == "" {
				first = said
			}
			if said != first {
				t.Errorf("service %d, %d workers: %s; where all is looked up: %s", seed, workers, said, first)
			}
			if f := res.Finding; f != nil && f.Verdict == trace.VerdictPanic {
				failed++
			}
		}
	}
	if failed == 0 {
		t.Error("no service failed")
	}
}

// A knocker may knock at any time. It tosses a coin if its connection has room for the message.
type knocker struct{ Woken bool }

type (
	knock struct{}
	wake  struct{}
)

func (k *knocker) Offers(offer func(sim.Signal)) { offer(knock{}) }
func (k *knocker) wake(sim.Env, wake)            { k.Woken = true }
func (k *knocker) knock(env sim.Env, _ knock) {
	if env.TCP().Send(env.Peers()[len(env.Peers())-1], knock{}) {
		env.Choose(3, "how loud")
	}
}
func (k *knocker) knocked(sim.Env, sim.Addr, knock) {}

// TestCommutingStepsWithoutRoom: a step whose message finds no room may do something else than with room, so it is
// looked up even if it commutes with the last step.
func TestCommutingStepsWithoutRoom(t *testing.T) {
	handlers := sim.Handle(sim.OnSignal((*knocker).wake), sim.OnSignal((*knocker).knock), sim.OnMessage((*knocker).knocked))
	sys := &sim.System{
		Name: "knocker", Doc: "Knocks, if there is room.",
		Nodes:  func(sim.Params) sim.Range { return sim.Range{Default: 3, Least: 3, Most: 3} },
		New:    func(sim.Params, sim.Addr) sim.Node { return handlers.Node(&knocker{}) },
		Script: func(sim.Params, sim.Addr, int) []sim.Signal { return []sim.Signal{wake{}} },
	}
	opts := Options{Depth: 6, Conditions: sim.Conditions{Faults: &sim.Faults{}, Network: sim.Network{TCPBuffer: 1}}}
	if lookedUpOrNot(t, sys, opts) == 0 {
		t.Error("every step was looked up")
	}
}

// A speaker says something twice, and moves twice in silence.
type speaker struct{ Said, Moved int }

type (
	utter struct{}
	move  struct{}
)

func (s *speaker) Offers(offer func(sim.Signal)) {
	if s.Said < 2 {
		offer(utter{})
	}
	if s.Moved < 2 {
		offer(move{})
	}
}
func (s *speaker) utter(env sim.Env, _ utter) { s.Said++; env.Emit(env.Self()) }
func (s *speaker) move(sim.Env, move)         { s.Moved++ }

// heardAs is the memory of a monitor for which the order of facts matters.
type heardAs struct{ From string }

// TestCommutingFacts: of two steps that both emit facts each order is looked up, since a monitor may tell them
// apart; a step that emits some commutes with one that does not. No handler runs for each pair of a node and a memory.
func TestCommutingFacts(t *testing.T) {
	handlers := sim.Handle(sim.OnSignal((*speaker).utter), sim.OnSignal((*speaker).move))
	longest := 6
	sys := &sim.System{
		Name: "speaker", Doc: "Speaks, and moves.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 3, Least: 3, Most: 3} },
		New:   func(sim.Params, sim.Addr) sim.Node { return handlers.Node(&speaker{}) },
		Properties: []sim.Property{
			sim.Monitor("not too much", func(n *most, _ sim.Addr, _ any) error {
				if n.facts++; n.facts > longest {
					return fmt.Errorf("%d facts", n.facts)
				}
				return nil
			}),
			sim.Monitor("order", func(h *heardAs, from sim.Addr, fact any) error {
				h.From += fmt.Sprint(fact, from)
				return nil
			}),
		},
	}
	opts := Options{Depth: 20, NoWalks: true, Workers: 1, once: true}
	if lookedUpOrNot(t, sys, opts) == 0 {
		t.Error("every step was looked up")
	}
	for _, longest = range []int{6, 4} {
		var first Stats
		for _, engine := range []Engine{EngineLocal, EngineMemo} {
			opts.Engine = engine
			res, err := Search(sys, opts)
			if err != nil {
				t.Fatal(err)
			}
			if f := res.Finding; (f != nil) != (longest == 4) || f != nil && (f.Step != 5 || f.Message != "5 facts") {
				t.Errorf("%s: with at most %d facts, found %v", engine, longest, f)
			}
			n := res.Stats
			if engine == EngineLocal {
				first = n
			} else if longest == 6 && (n.States != first.States || n.Transitions != first.Transitions) || n.HandlerRuns > 350 {
				t.Errorf("memo: %d states, %d transitions and %d handler runs; local has %d and %d", n.States, n.Transitions, n.HandlerRuns, first.States, first.Transitions)
			}
		}
	}
}

// TestStepsKeepTheirNumbers: if a second exploration, with a ledger of its own, uses the memo first, the first
// exploration still visits the same states in the same order. The memo's results contain numbers of steps, which
// must mean the same in both ledgers.
func TestStepsKeepTheirNumbers(t *testing.T) {
	skipped := 0
	for _, name := range []string{"jointree", "twophase", "brokentree", "multipaxos"} {
		sys, err := catalog.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		params, err := sys.Configure(0, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		var all [2][]string
		for i := range all {
			r, x := rooted(t, sys, Options{Params: params, Conditions: sim.Conditions{Faults: new(sim.Faults)}, once: true})
			defer x.Close()
			x.ByMemo()
			explores := func(x *explore.Explorer, depth int) {
				level := x.Level()
				for range depth {
					bad, err := r.owner.Guarded(x.Taker, func() error { return expandSome(x, level) })
					if err != nil || bad != nil {
						t.Fatal(name, err, bad)
					}
					next := x.Level()
					x.Expanded(level, next)
					level = next
				}
			}
			if bad, err := r.owner.Guarded(x.Taker, x.Roots); err != nil || bad != nil {
				t.Fatal(name, err, bad)
			}
			if i == 1 {
				x.Reduce(true)
				y, err := x.Again()
				if err != nil {
					t.Fatal(err)
				}
				explores(y, 4)
				x.TakesBack(y)
				y.Close()
			}
			explores(x, 5)
			for s := range x.Each {
				x.Get(s, x.From)
				all[i] = append(all[i], fmt.Sprint(x.Sum(x.From), x.Origin(s)))
			}
			if i == 1 {
				skipped += x.Memo().Unasked
			}
		}
		if !slices.Equal(all[0], all[1]) {
			t.Errorf("%s: %d states, and %d or others after another exploration", name, len(all[0]), len(all[1]))
		}
	}
	if skipped == 0 {
		t.Error("every step was looked up")
	}
}
