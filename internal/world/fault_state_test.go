package world

import (
	"fmt"
	"strings"
	"testing"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/contract"
	"macemc/internal/long"
	"macemc/internal/state"
	"macemc/sim"
)

// gale is a system of three puppets that use all that the links have.
func gale() *sim.System {
	openings := map[string][]sim.Signal{
		"n0": {do("send n1 a b c; flush"), do("udp n1 u u v; timer tick"), do("ask n1; reset n2"), do("toss")},
		"n1": {do("send n0 p; send n2 q"), do("udp n0 u; ask n0; flush"), do("reset n0; send n0 r")},
		"n2": {do("send n0 x x; timer tick"), do("send n1 y; udp n1 v"), do("toss; flush")},
	}
	return &sim.System{
		Name: "gale", Doc: "Puppets in all weathers.",
		New: func(sim.Params, sim.Addr) sim.Node { return &puppet{} },
		Crash: func(_ sim.Params, self sim.Addr, dead sim.Node) sim.Node {
			if self == state.AddrOf(2) {
				return &puppet{Disk: dead.(*puppet).Disk + 1}
			}
			return &puppet{}
		},
		Script: func(_ sim.Params, self sim.Addr, life int) []sim.Signal {
			return openings[self.String()][min(life, 2):]
		},
	}
}

// TestFaultHashAndEvents checks after each step that the hash, which is updated step by step, equals one that
// is computed from the whole state, that two states have equal hashes exactly if they have equal text, and
// that the possible events are those that a search of the whole state finds.
func TestFaultHashAndEvents(t *testing.T) {
	sys := gale()
	p, err := sys.Configure(3, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := New(sys, p, Config{
		Conditions: sim.Conditions{Faults: &sim.Faults{Crash: 2, Down: 1, Reset: 2, Loss: 2, Dup: 1, Reorder: 1, Partition: 1, OneWay: 1, Rare: 1, Pause: 1, Wipe: 1}, Early: new(2), Network: sim.Network{TCPBuffer: 2, UDPCapacity: 3}},
	})
	if err != nil {
		t.Fatal(err)
	}
	texts, hashes, met := map[canon.Hash]string{}, map[string]canon.Hash{}, map[sim.Kind]int{}
	source := choose.NewWalk(1)
	source.Uniform, source.Rare = true, true
	for i := range long.Of(1_000, 3_000) {
		source.Restart(1, uint64(i))
		f := w.Protect(func() {
			w.Start(source)
			for step := range 60 {
				inspect(t, w, texts, hashes)
				if step == i%40 {
					w.Heal(source)
					met[sim.KindHeal]++
					inspect(t, w, texts, hashes)
				}
				if t.Failed() || w.Step(source) != Stepped {
					return
				}
				met[w.Run.current.Kind]++
				if w.Judge.Check() != nil {
					return
				}
			}
		})
		if t.Failed() {
			return
		}
		if f != nil || w.Run.Err() != nil {
			t.Fatalf("walk %d: %v %v", i, f, w.Run.Err())
		}
	}
	for k := sim.KindScript; k <= sim.KindHeal; k++ {
		if met[k] == 0 && k != sim.KindAction && k != sim.KindTask && k != sim.KindQuorum {
			t.Errorf("no %s event occurred", k)
		}
	}
	t.Logf("%d states, %v", len(texts), met)
}

func inspect(t *testing.T, w *World, texts map[canon.Hash]string, hashes map[string]canon.Hash) {
	t.Helper()
	h := w.State.Hash()
	var anew canon.Hash
	for part := range w.sums.Parts() {
		anew = anew.Add(w.State.PartSum(part))
	}
	if h != anew {
		t.Fatalf("after %s: the hash is %v, computed anew it is %v", w.Run.identity(), h, anew)
	}
	var all strings.Builder
	for _, l := range w.Text.Lines() {
		fmt.Fprintf(&all, "%s: %s\n", l.Path, l.Value)
	}
	text := all.String()
	if other, met := texts[h]; met && other != text {
		t.Fatalf("one hash:\n%s\nand\n%s", text, other)
	}
	if other, met := hashes[text]; met && other != h {
		t.Fatalf("two hashes, %v and %v:\n%s", h, other, text)
	}
	texts[h], hashes[text] = text, h

	before := events(w)
	w.Links.SoilAll()
	if anew := events(w); before != anew {
		t.Fatalf("after %s these events are possible:\n%s\nand found anew:\n%s\n%s", w.Run.identity(), before, anew, text)
	}
}

// events returns the possible events as text, in their order. An event that is out of order is
// marked.
func events(w *World) string {
	var out strings.Builder
	last := sim.Kind(0)
	for k := range w.Events.Count() {
		e := w.Events.At(k)
		if e.Kind < last {
			fmt.Fprintf(&out, "OUT OF ORDER: ")
		}
		last = e.Kind
		out.WriteString(w.timers.text(e) + "\n")
	}
	return out.String()
}

// TestCausesAndWildSteps checks that the cause of a step is an earlier step or none, and that faults have
// none. It checks that faults, and the steps that only faults make possible, count as wild, and that no step
// is wild if no fault is allowed.
func TestCausesAndWildSteps(t *testing.T) {
	w, err := New(gale(), sim.Params{Nodes: 3}, Config{Trace: true, Conditions: sim.Conditions{Faults: &sim.Faults{Crash: 1, Partition: 2, Pause: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	source, met := choose.NewWalk(1), map[sim.Kind]int{}
	source.Uniform, source.Rare = true, true
	for i := range uint64(100) {
		source.Restart(1, i)
		if f := w.Protect(func() {
			w.Start(source)
			for range 60 {
				if w.Step(source) != Stepped {
					break
				}
				kind := w.Run.LastEvent().Kind
				wild := contract.RowOf(kind).Budget != "" || kind == sim.KindBreak || kind == sim.KindRefused
				if met[kind]++; w.Run.Wild() != wild {
					t.Fatalf("a %s is said to be wild: %v", kind, w.Run.Wild())
				}
			}
		}); f != nil || w.Run.Err() != nil {
			t.Fatal(f, w.Run.Err())
		}
		for _, s := range w.Run.Trace().Steps {
			caused := s.Event.Link != 0 || s.Event.Kind == sim.KindTimer
			if s.Cause() < -1 || s.Cause() >= s.Index || s.Cause() != -1 && !caused {
				t.Fatalf("step %d, %s, was caused by step %d", s.Index, s.Identity, s.Cause())
			}
		}
	}
	for _, kind := range []sim.Kind{sim.KindMend, sim.KindRestart, sim.KindBreak, sim.KindRefused, sim.KindResume, sim.KindTimer} {
		if met[kind] == 0 {
			t.Errorf("no %s was met", kind)
		}
	}
	w.Environ.Allow(sim.Faults{}, nil)
	w.Protect(func() { w.Start(source) })
	if w.Environ.storm || w.Links.Barred() || w.Environ.gone+w.Environ.away != 0 {
		t.Error("the environment is looked after, and nothing may fail")
	}
}

// TestGoneAreCounted checks that the environment's counts of nodes that are away or gone are right after nodes
// have crashed, restarted, joined and left.
func TestGoneAreCounted(t *testing.T) {
	sys := gale()
	sys.Script = func(p sim.Params, self sim.Addr, life int) []sim.Signal {
		switch {
		case life > 0:
			return nil
		case self == p.Addr(1):
			return []sim.Signal{do("send n0 p"), sim.Leave{}}
		default:
			return []sim.Signal{sim.Join{}, do("send n1 a")}
		}
	}
	w, err := New(sys, sim.Params{Nodes: 3}, Config{Conditions: sim.Conditions{Faults: &sim.Faults{Crash: 2, Down: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	source, met := choose.NewWalk(1), map[string]int{}
	source.Uniform, source.Rare = true, true
	for i := range uint64(60) {
		source.Restart(1, i)
		if f := w.Protect(func() {
			w.Start(source)
			for range 40 {
				away, gone := 0, 0
				for i := range w.nodes.at {
					away += count(w.nodes.at[i].life == lifeAway)
					gone += count(w.nodes.at[i].life.absent())
				}
				if e := w.Environ; e.away != away || e.gone != gone || e.links.Barred() != (away+gone > 0) {
					t.Fatalf("after %s %d are away and %d gone, said to be %d and %d", w.Run.identity(), away, gone, e.away, e.gone)
				}
				met[fmt.Sprint(away, " away, ", gone, " gone")]++
				if w.Step(source) != Stepped {
					return
				}
			}
		}); f != nil || w.Run.Err() != nil {
			t.Fatal(f, w.Run.Err())
		}
	}
	if len(met) < 6 {
		t.Errorf("met were only %v", met)
	}
}

// bettor is a node that asks a weighted coin when it starts.
type bettor struct {
	weights []int
	Won     int
}

func (b *bettor) Init(env sim.Env)                     { b.Won = env.Weighted(b.weights, "bet") }
func (*bettor) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (*bettor) Handle(sim.Env, sim.Signal)             {}

// TestIdleRare checks that a budget of rare outcomes is reported as idle if no coin that was asked has a rare
// side.
func TestIdleRare(t *testing.T) {
	for _, c := range []struct {
		weights []int
		idle    bool
	}{{[]int{1, 2}, true}, {[]int{3, 0}, false}} {
		w, err := New(&sim.System{
			Name: "bettor", Doc: "It bets.",
			New: func(sim.Params, sim.Addr) sim.Node { return &bettor{weights: c.weights} },
		}, sim.Params{}, Config{Conditions: sim.Conditions{Faults: &sim.Faults{Rare: 1}}})
		if err != nil {
			t.Fatal(err)
		}
		if f := w.Protect(func() { w.Start(choose.NewFixed()) }); f != nil {
			t.Fatal(f)
		}
		if told := w.Environ.Idle(sim.Faults{Rare: 1}); (told != "") != c.idle {
			t.Errorf("of a coin with the weights %v is told %q", c.weights, told)
		}
	}
}
