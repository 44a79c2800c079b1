package walk

import (
	"slices"
	"testing"
	"time"

	"macemc/internal/search/internal/run"
	"macemc/internal/world"
	"macemc/sim"
)

// echo answers each message with a message, and sets its timer again whenever it fires.
type echo struct{ Ticks int }

type ping struct{}

func (e *echo) Init(env sim.Env) {
	env.After(time.Second, "tick")
	for _, to := range env.Peers() {
		env.TCP().Send(to, ping{})
	}
}

func (e *echo) Deliver(env sim.Env, from sim.Addr, _ sim.Message) { env.TCP().Send(from, ping{}) }

func (e *echo) Handle(env sim.Env, _ sim.Signal) {
	e.Ticks = (e.Ticks + 1) % 3
	env.After(time.Second, "tick")
}

func (e *echo) Error(sim.Env, sim.Addr, error) {}

func newEchoes(t *testing.T, faults sim.Faults) *world.World {
	t.Helper()
	w, err := world.New(&sim.System{
		Name: "echoes", Doc: "Nodes send back what they get.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 3, Least: 3, Most: 3} },
		New:   func(sim.Params, sim.Addr) sim.Node { return &echo{} },
		Properties: []sim.Property{
			sim.Sometimes("there are three", func(v sim.View[*echo]) bool { return v.Len() == 3 }),
		},
	}, sim.Params{}, world.Config{Conditions: sim.Conditions{Faults: &faults}})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// take takes the walk of a plan, and returns its events.
func take(t *testing.T, w *world.World, s *Walk, p Plan) (events []sim.Event) {
	t.Helper()
	s.Begin(p)
	if failure := w.Protect(func() {
		w.Start(s)
		for s.Visit(w, w.Run.Steps()) && p.Climate.Step(w, s) == world.Stepped {
			events = append(events, w.Run.LastEvent())
		}
	}); failure != nil {
		t.Fatal(failure)
	}
	return events
}

// TestDueFaults: when a fault is due, it is the next event, with every manner. All kinds of faults are
// equally likely, even if one kind can happen at more places than another.
func TestDueFaults(t *testing.T) {
	w, s := newEchoes(t, sim.Faults{Crash: 1, Partition: 1}), New(1)
	const each = 60
	kinds := map[sim.Kind]int{}
	for m := range Manners {
		for i := range uint64(each) {
			p := Plan{Number: i, Climate: run.Climate{Faults: true, Heal: 12}, Judged: 13, Storm: Storm{Every: 1, Stuck: true}, Length: Length{Most: 1}}
			p.Guide = Guide{Manner: m, Key: mix(i + 1), Until: 12, Faults: 1, Kinds: 1<<sim.KindCrash | 1<<sim.KindPartition}
			p.Guide.Points[0] = 3
			for k, e := range take(t, w, s, p) {
				if e.Kind.Fault() != (k == 3) {
					t.Errorf("%s %d: step %d is %s", m, i, k, e.Kind)
				}
				if k == 3 {
					kinds[e.Kind]++
				}
			}
		}
	}
	if all := int(Manners) * each; kinds[sim.KindCrash] < all/3 || kinds[sim.KindPartition] < all/3 {
		t.Errorf("of %d faults are %v", all, kinds)
	}
}

// TestFaultsWaitForTheirMoment: a fault that waits for a certain moment happens at the node of that
// moment, at the latest patience steps after it was due. Only the kinds in Guide.Kinds happen.
func TestFaultsWaitForTheirMoment(t *testing.T) {
	w, s := newEchoes(t, sim.Faults{Crash: 1, Partition: 1}), New(1)
	const each, due = 100, 3
	waited := map[Moment]int{}
	for m := Sent; m < moments; m++ {
		for i := range uint64(each) {
			p := Plan{Number: i, Climate: run.Climate{Faults: true, Heal: 40}, Judged: 41, Storm: Storm{Every: 1, Stuck: true}, Length: Length{Most: 1}}
			p.Guide = Guide{Key: mix(i + 1), Until: 40, Faults: 1, Kinds: 1 << sim.KindCrash}
			p.Guide.Points[0], p.Guide.Moments[0] = due, m
			events := take(t, w, s, p)
			at := slices.IndexFunc(events, func(e sim.Event) bool { return e.Kind.Fault() })
			switch {
			case at < due || at > due+patience || events[at].Kind != sim.KindCrash:
				t.Fatalf("moment %d, walk %d: fault %d of %v", m, i, at, events)
			case at < due+patience && m == Sent && events[at].Node != events[at-1].Node:
				t.Fatalf("walk %d: %s crashes after a step of %s", i, events[at].Node, events[at-1].Node)
			case at < due+patience:
				waited[m]++
			}
		}
	}
	if waited[Sent] < each/2 || waited[Reborn] > 0 || waited[Unsynced] > 0 || waited[Pending] > 0 {
		t.Errorf("of %d faults each, so many came at their moment: %v; nothing here has a task or a disk", each, waited)
	}
}

// TestOneThingIsRarer: in a walk of the manner single, the messages to one node, from one node or on one
// link get a smaller weight, and all other events keep theirs. If the thing is a sort of events, no
// weight changes before the sort is determined.
func TestOneThingIsRarer(t *testing.T) {
	at := sim.Params{Nodes: 3}.Addrs()
	const walks = 1_000
	var slow [aspects]int
	for i := range uint64(walks) {
		g := guiding{all: at}
		g.begin(Guide{Manner: Single, Key: mix(i + 1), Until: 100})
		g.thing = draw(&g.draws, at)
		n := 0
		for _, to := range at {
			for _, from := range at {
				if by := g.distortion(nil, &world.Glance{Kind: sim.KindMessage, Node: place(to), From: place(from)}, 0, 0); by != 0 {
					if by != -rarer {
						t.Fatalf("by %d", by)
					}
					n++
				}
			}
			if g.distortion(nil, &world.Glance{Kind: sim.KindTimer, Node: place(to)}, 0, 0) != 0 {
				t.Errorf("walk %d: a timer is rarer, and no sort was taken yet", i)
			}
		}
		if want := [aspects]int{inbox: 3, sender: 3, lane: 1}[g.thing.aspect]; n != want {
			t.Errorf("walk %d: of 9 links %d are slow, want %d: %+v", i, n, want, g.thing)
		}
		slow[g.thing.aspect]++
	}
	for a, n := range slow {
		if n < walks/int(aspects)*3/4 {
			t.Errorf("of %d walks %d have aspect %d", walks, n, a)
		}
	}
}

// TestSortIsSettled: if the thing of a walk of the manner single is a sort of events, it is determined
// from the messages and timers that are possible at some step.
func TestSortIsSettled(t *testing.T) {
	w, s := newEchoes(t, sim.Faults{}), New(1)
	kinds := map[sim.Kind]int{}
	for i := range uint64(100) {
		take(t, w, s, Plan{Number: i, Climate: run.Fair, Judged: 80, Length: Length{Most: 1}, Guide: Guide{Manner: Single, Key: mix(i + 1), Until: 80}})
		if x := s.guide.thing; x.aspect == sort {
			if kinds[x.kind]++; x.after >= 0 || x.of == 0 {
				t.Errorf("walk %d: %+v", i, x)
			}
		}
	}
	if kinds[sim.KindMessage] == 0 || kinds[sim.KindTimer] == 0 {
		t.Errorf("what is rarer is of kinds %v", kinds)
	}
}

// TestChainsGoFirst: walks of the manner chain take few timers while messages are under way, fewer than
// a fifth of those in walks by weight.
func TestChainsGoFirst(t *testing.T) {
	w, s := newEchoes(t, sim.Faults{}), New(1)
	timers := map[Manner]int{}
	const steps = 2_000
	for m := range Manners {
		p := Plan{Climate: run.Fair, Judged: steps, Length: Length{Most: 1}, Guide: Guide{Manner: m, Key: 3, Until: steps}}
		for _, e := range take(t, w, s, p) {
			if e.Kind == sim.KindTimer {
				timers[m]++
			}
		}
	}
	if timers[Chain] == 0 || timers[Chain] > timers[ByWeight]/5 {
		t.Errorf("of %d steps are timers: %v", steps, timers)
	}
}

// TestNotesBeginBehindTheStart: a walk notes states for the corpus only after its first step, since
// walks begin at the start in any case.
func TestNotesBeginBehindTheStart(t *testing.T) {
	w, s := newEchoes(t, sim.Faults{}), New(1)
	s.Corpus = NewCorpus()
	p := Plan{Climate: run.Fair, Judged: 50, Length: Length{Most: 1}, Guide: Guide{Manner: Swarm, Key: 3, Until: 50}, keeps: true}
	take(t, w, s, p)
	met := s.met
	if len(met) == 0 {
		t.Fatal("nothing is noted")
	}
	for _, n := range met {
		if n.depth < 1 || n.answers < n.depth {
			t.Errorf("noted is a state after %d steps and %d answers", n.depth, n.answers)
		}
	}
}
