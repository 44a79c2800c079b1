package refine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"macemc/internal/fair"
	"macemc/internal/long"
	"macemc/internal/search"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

// robot is a node of a random system. A table says what it does on each event in each state.
type robot struct {
	Rules *rules
	State int
	Peer  sim.Addr
}

type rules struct {
	states int
	on     map[[2]int]reaction // by state and event
}

type reaction struct {
	next   int
	sends  []int // messages to the peer, by kind
	udp    bool
	timers []int
	posts  bool
	coin   string // the name of a coin; if it falls on 1, the next state is other
	other  int
	calms  bool // and then it cools, too
	says   int  // a fact: 0 is none, 1 heats, 2 cools, 3 cools and heats again
}

type (
	ma    struct{}
	mb    struct{}
	ta    struct{}
	tb    struct{}
	pa    struct{}
	begin struct{}
)

var robots = sim.Handle(
	sim.OnMessage(func(r *robot, env sim.Env, _ sim.Addr, _ ma) { r.react(env, 0) }),
	sim.OnMessage(func(r *robot, env sim.Env, _ sim.Addr, _ mb) { r.react(env, 1) }),
	sim.OnSignal(func(r *robot, env sim.Env, _ ta) { r.react(env, 2) }),
	sim.OnSignal(func(r *robot, env sim.Env, _ tb) { r.react(env, 3) }),
	sim.OnSignal(func(r *robot, env sim.Env, _ pa) { r.react(env, 4) }),
	sim.OnSignal(func(r *robot, env sim.Env, _ begin) { r.react(env, 5) }),
	sim.OnSignal(func(r *robot, env sim.Env, _ sim.PeerError) { r.react(env, 2) }),
)

type (
	heats struct{}
	cools struct{}
)

func (r *robot) react(env sim.Env, event int) {
	does, has := r.Rules.on[[2]int{r.State, event}]
	if !has {
		return
	}
	r.State = does.next
	if does.coin != "" && env.Choose(2, does.coin) == 1 {
		r.State = does.other
		if does.calms {
			env.Emit(cools{})
			return
		}
	}
	for _, kind := range does.sends {
		var m any = ma{}
		if kind == 1 {
			m = mb{}
		}
		if does.udp {
			env.UDP().Send(r.Peer, m)
		} else {
			env.TCP().Send(r.Peer, m)
		}
	}
	for _, kind := range does.timers {
		if kind == 0 {
			env.After(time.Second, ta{})
		} else {
			env.After(time.Second, tb{})
		}
	}
	if does.posts {
		env.Post(pa{})
	}
	switch does.says {
	case 1:
		env.Emit(heats{})
	case 2:
		env.Emit(cools{})
	case 3:
		env.Emit(cools{})
		env.Emit(heats{})
	}
}

type temper struct{ hot bool }

func (t *temper) observe(_ sim.Addr, fact any) { _, t.hot = fact.(heats) }
func (t *temper) isHot() bool                  { return t.hot }

// drawSystem draws a random system. The buffers of its links are small, so most of its state spaces are finite and small.
func drawSystem(rng *rand.Rand) (sys *sim.System, faults sim.Faults) {
	t := &rules{states: 2 + rng.IntN(2), on: map[[2]int]reaction{}}
	for state := range t.states {
		for event := range 6 {
			if rng.IntN(5) == 0 {
				continue
			}
			does := reaction{next: rng.IntN(t.states), udp: rng.IntN(4) == 0, other: rng.IntN(t.states), calms: rng.IntN(2) == 0}
			if rng.IntN(2) == 0 {
				does.sends = append(does.sends, rng.IntN(2))
			}
			if rng.IntN(2) == 0 {
				does.timers = append(does.timers, rng.IntN(2))
			}
			if event != 4 && rng.IntN(6) == 0 {
				does.posts = true
			}
			if rng.IntN(2) == 0 {
				does.coin = []string{"marked", "marked", "free"}[rng.IntN(3)]
			}
			if k := rng.IntN(5); k < 4 {
				does.says = k
			}
			t.on[[2]int{state, event}] = does
		}
	}
	if rng.IntN(3) == 0 {
		faults = sim.Faults{Loss: 1, Crash: rng.IntN(2)}
	}
	var marked []string
	if rng.IntN(3) > 0 {
		marked = []string{"marked"}
	}
	return &sim.System{
		Name: "robots", Doc: "Robots. They follow tables.",
		New: func(p sim.Params, self sim.Addr) sim.Node {
			return robots.Node(&robot{Rules: t, Peer: p.Addr(1 - self.Index())})
		},
		Nodes:   func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
		Network: func(sim.Params) sim.Network { return sim.Network{TCPBuffer: 1, UDPCapacity: 1} },
		Script: func(p sim.Params, self sim.Addr, life int) []sim.Signal {
			if self == p.Addr(0) && life == 0 {
				return []sim.Signal{begin{}}
			}
			return nil
		},
		Immutable:  []string{"refine.rules"},
		Properties: []sim.Property{sim.Cools("it cools down", (*temper).observe, (*temper).isHot)},
		Fair:       marked,
	}, faults
}

// graphOf builds the graph of a system by taking each run from its start. No step heals the environment in it: a run that
// does not use up its budgets is as good as one that heals.
func graphOf(side Side, most int) (g *fair.Graph, whole bool, err error) {
	g = &fair.Graph{Answers: make([]int, len(side.System.Fair))}
	actions := map[string]int32{}
	g.Meet(0, false) // state 0 is before a run begins
	x, err := newExplorer(side, most, true, hooks{met: func(w *world.World, from, to int, identity string) error {
		g.Meet(to, w.Judge.Hot(0))
		e := fair.Edge{To: int32(to), Action: fair.Unfair}
		if event := w.Run.LastEvent(); event.Kind != 0 && !event.Kind.Fault() && event.Kind != sim.KindScript && event.Kind != sim.KindAction {
			key := identity
			if event.Kind == sim.KindMessage {
				key = fmt.Sprint(event.Link, " ", event.From, " ", event.Node)
			}
			if _, known := actions[key]; !known {
				actions[key] = int32(len(actions))
			}
			e.Action = actions[key]
		}
		for _, effect := range w.Run.Effects() {
			if effect.Kind == trace.EffectEmit && effect.Value == (cools{}) {
				e.Cools = 1
			}
		}
		var asked []fair.Answer
		for _, c := range w.Run.LastCoins() {
			if k := slices.IndexFunc(side.System.Fair, func(why string) bool { return strings.HasPrefix(c.What, why+": ") }); k >= 0 {
				g.Ask(k, c.Of)
				asked = append(asked, fair.Answer{Choice: k, Answer: c.Pick})
			}
		}
		g.Add(from, e, asked...)
		return nil
	}})
	if err != nil {
		return nil, false, err
	}
	err = x.all()
	return g, x.out.whole, err
}

// TestSearchAgreesWithBuchi checks, for the monitors of random systems (2,000 with -long), that a search gives the same
// answer as a Büchi automaton on the systems' graphs. The graphs are built by taking every run from its start.
func TestSearchAgreesWithBuchi(t *testing.T) {
	const most = 200
	count := map[string]int{}
	for seed := uint64(0); count["compared"] < long.Of(30, 2000); seed++ {
		sys, faults := drawSystem(rand.New(rand.NewPCG(seed, 33)))
		params, err := sys.Resolve(sim.Params{})
		if err != nil {
			t.Fatal(err)
		}
		conditions := sim.Conditions{Faults: &faults}
		g, whole, err := graphOf(Side{System: sys, Params: params, Conditions: conditions}, most)
		if err != nil {
			t.Fatal(seed, err)
		}
		if !whole || len(g.Edges) < 4 {
			count["too large or too small"]++
			continue
		}
		count["compared"]++
		want := fair.Buchi(g)
		var is [2]bool
		for k, opts := range []search.Options{{}, {Depth: 1, Paths: 1}} { // on the whole space, and by walks
			if k == 1 && seed%4 > 0 {
				break
			}
			sys.Tolerates = faults
			res, err := search.Search(sys, opts)
			if err != nil {
				t.Fatal(seed, err)
			}
			is[k] = res.Verdict() == trace.VerdictHot
			if !is[k] && res.Finding != nil || k == 0 && !is[k] && res.Liveness.State != search.StateExhausted {
				t.Fatalf("seed %d: %v, liveness %s", seed, res.Finding, res.Liveness.State)
			}
			if !is[k] {
				continue
			}
			if again, err := search.Replay(sys, res.Finding.Path, search.Options{}); err != nil || !again.Reproduced {
				t.Fatalf("seed %d: replayed, %v %+v", seed, err, again)
			}
		}
		if is[0] != want || is[1] && !want {
			t.Fatalf("seed %d: a search says %v, walks %v, the automaton %v", seed, is[0], is[1], want)
		}
		for name, yes := range map[string]bool{"hot": want, "by walks": is[1], "faults": !faults.IsZero(), "hot with faults": want && !faults.IsZero(), "marked": len(sys.Fair) > 0} {
			if yes {
				count[name]++
			}
		}
		if want && len(sys.Fair) == 0 {
			continue
		}
		weak := *g
		weak.Answers = nil
		if !want && fair.Buchi(&weak) {
			count["cool for a marked coin alone"]++
		}
	}
	t.Log(count)
	if n := count["compared"]; count["hot"] < n/10 || count["hot"] > n*9/10 || count["hot with faults"] == 0 || count["by walks"] < count["hot"]/8 || n > 1000 && count["cool for a marked coin alone"] < 3 {
		t.Errorf("too few to mean anything: %v", count)
	}
}
