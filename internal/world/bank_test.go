package world

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/long"
	"macemc/sim"
)

// moment is a state that the walk was in, with what the world reported about it.
type moment struct {
	v      Vector
	hash   canon.Hash
	state  string // its lines, events and properties
	taken  []int  // the answers of the step that followed, or nil if none did
	follow int    // the moment that this step led to
}

// tellState returns everything that a world reports about its present state, as text.
func tellState(w *World) string {
	var b strings.Builder
	for _, l := range w.Text.Lines() {
		fmt.Fprintf(&b, "%s: %s\n", l.Path, l.Value)
	}
	b.WriteString(events(w))
	for k := range w.Events.Count() {
		fmt.Fprint(&b, w.Events.Rare(k), " ")
	}
	names, _ := w.Judge.NotLive()
	fmt.Fprintln(&b, "\nlive", w.Judge.Live(), "assumed", w.Judge.Assumed(), "within", w.Judge.Within(), "healed", w.Environ.Healed(), "settled", w.Events.Settled(), "not live", names)
	if f := w.Judge.Check(); f != nil {
		fmt.Fprintln(&b, f.Verdict, f.Property, f.Message)
	}
	return b.String()
}

// noted passes questions to a source and records the answers.
type noted struct {
	choose.Source
	answers []int
}

func (n *noted) Answer(q *choose.Question) int {
	k := n.Source.Answer(q)
	n.answers = append(n.answers, k)
	return k
}

// scripted is a source that gives recorded answers.
type scripted struct{ answers []int }

func (s *scripted) Answer(*choose.Question) int {
	if len(s.answers) == 0 {
		return -1
	}
	k := s.answers[0]
	s.answers = s.answers[1:]
	return k
}

func (s *scripted) Err() error { return choose.ErrEnd }

// banked is one random walk in a world whose states are banked, with loads of
// earlier states in between.
type banked struct {
	t       *testing.T
	w       *World
	bank    *Bank
	walk    *choose.Walk
	r       *rand.Rand
	moments []moment
	texts   map[canon.Hash]string
	hashes  map[string]canon.Hash
}

func newBanked(t *testing.T, sys *sim.System, c Config, seed uint64) *banked {
	t.Helper()
	w, err := New(sys, sim.Params{}, c)
	if err != nil {
		t.Fatal(err)
	}
	b := &banked{
		t: t, w: w, bank: w.State.NewBank(), walk: choose.NewWalk(seed), r: rand.New(rand.NewPCG(seed, 3)),
		texts: map[canon.Hash]string{}, hashes: map[string]canon.Hash{},
	}
	w.State.Track()
	b.walk.Uniform, b.walk.Rare = true, true
	return b
}

var delivers int // states in which a message can be delivered, by Bank.Delivers

// save saves the world's present state in the bank, and returns the number of its moment.
func (b *banked) save() int {
	b.t.Helper()
	m := moment{v: make(Vector, b.bank.Places()), follow: -1}
	b.w.State.Save(b.bank, m.v)
	inspect(b.t, b.w, b.texts, b.hashes)
	m.hash, m.state = b.w.State.Hash(), tellState(b.w)
	if b.bank.Delivers(b.w, m.v) {
		found := false
		for k := range b.w.Events.Count() {
			e := b.w.Events.Look(k)
			found = found || e.Kind == sim.KindMessage && e.Link == sim.LinkBag
		}
		if delivers++; b.w.Events.Settled() || !found {
			b.t.Fatalf("no message can be delivered, though the bank says so:\n%s", m.state)
		}
	}
	var sum canon.Hash
	for p, id := range m.v {
		sum = sum.Add(b.bank.Sum(p, id))
	}
	if sum != m.hash {
		b.t.Fatalf("the parts' sums add up to %v, and the state is %v:\n%s", sum, m.hash, m.state)
	}
	b.moments = append(b.moments, m)
	return len(b.moments) - 1
}

// load loads the state of a moment into w, and checks that everything is as it was in that moment.
func (b *banked) load(w *World, at int) {
	b.t.Helper()
	w.State.Load(b.bank, b.moments[at].v)
	b.same(w, at, "loaded")
}

func (b *banked) same(w *World, at int, how string) {
	b.t.Helper()
	m := &b.moments[at]
	if h := w.State.Hash(); h != m.hash {
		b.t.Fatalf("moment %d, %s, has the hash %v and had %v:\n%s\nand was\n%s", at, how, h, m.hash, tellState(w), m.state)
	}
	if got := tellState(w); got != m.state {
		b.t.Fatalf("moment %d, %s, is\n%s\nand was\n%s", at, how, got, m.state)
	}
}

// step takes a random step in a world that is at the moment at. It returns the next moment, and whether
// the run can continue.
func (b *banked) step(at int) (next int, more bool) {
	b.t.Helper()
	src := &noted{Source: b.walk}
	progress := Progress(0)
	if b.r.IntN(30) == 0 {
		progress = b.w.Heal(src)
		src.answers = nil // not a step to take again
	} else {
		progress = b.w.Step(src)
	}
	if progress != Stepped {
		return at, false
	}
	failed := b.w.Judge.Check() != nil
	next = b.save()
	if src.answers != nil {
		b.moments[at].taken, b.moments[at].follow = src.answers, next
	}
	return next, !failed
}

// again takes, in world w, the step that was once taken from a moment, and checks where it leads.
func (b *banked) again(w *World, at int) {
	b.t.Helper()
	m := &b.moments[at]
	b.load(w, at)
	if p := w.Step(&scripted{slices.Clone(m.taken)}); p != Stepped {
		b.t.Fatalf("the step from moment %d cannot be taken again: %v", at, w.Run.Err())
	}
	w.Judge.Check()
	b.same(w, m.follow, fmt.Sprintf("reached again from moment %d,", at))
}

// run takes a number of steps from the start. If jumps is set, it sometimes loads an earlier state
// in between.
func (b *banked) run(index uint64, steps int, jumps bool) {
	b.t.Helper()
	b.walk.Restart(b.walk0(), index)
	f := b.w.Protect(func() {
		b.w.Start(b.walk)
		at, more := b.save(), true
		for range steps {
			if !more || jumps && b.r.IntN(5) == 0 {
				at = b.r.IntN(len(b.moments))
				b.load(b.w, at)
				if b.w.Judge.Check() != nil {
					continue
				}
			}
			if from := b.r.IntN(len(b.moments)); jumps && b.r.IntN(4) == 0 && b.moments[from].taken != nil {
				b.again(b.w, from)
				b.load(b.w, at)
			}
			if at, more = b.step(at); !more && !jumps {
				return
			}
		}
	})
	if unexpected(f) || b.w.Run.Err() != nil {
		b.t.Fatalf("%+v %v", f, b.w.Run.Err())
	}
}

func (b *banked) walk0() uint64 { return 1 }

// A state that is loaded equals the state that was saved, whatever the world did in between, and
// the steps from it lead to the same states as before.
func TestBank(t *testing.T) {
	plans, steps := uint64(long.Of(40, 150)), 80
	moments, parts := 0, 0
	for seed := range plans {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			sys, c := random(seed)
			bankWalk(t, sys, c, seed, steps, &moments, &parts)
		})
	}
	t.Run("gale", func(t *testing.T) {
		sys := gale()
		sys.Nodes = func(sim.Params) sim.Range { return sim.Range{Default: 3, Least: 3, Most: 3} }
		c := Config{Conditions: sim.Conditions{Faults: &sim.Faults{Crash: 2, Down: 1, Reset: 2, Loss: 2, Dup: 1, Reorder: 1, Partition: 1, OneWay: 1, Rare: 1}, Early: new(2), Network: sim.Network{TCPBuffer: 2, UDPCapacity: 3}}}
		for seed := range plans / 10 {
			bankWalk(t, sys, c, seed, 3*steps, &moments, &parts)
		}
	})
	t.Run("molds", func(t *testing.T) {
		for seed := range plans / 2 {
			bankWalk(t, shaped, Config{Live: 1, Conditions: sim.Conditions{Faults: &sim.Faults{Crash: 2, Down: 1}}}, seed, steps, &moments, &parts)
		}
	})
	t.Run("declined", func(t *testing.T) {
		sys, c := picking(sim.Faults{Crash: 2})
		for seed := range plans / 10 {
			bankWalk(t, sys, c, seed, steps, &moments, &parts)
		}
	})
	if t.Logf("%d moments of %d parts", moments, parts); delivers == 0 {
		t.Error("no message in a bag could be delivered")
	}
}

func bankWalk(t *testing.T, sys *sim.System, c Config, seed uint64, steps int, moments, parts *int) {
	t.Helper()
	b := newBanked(t, sys, c, seed)
	b.run(seed, steps, true)
	whole := b.bank.Len()

	// Nothing that was banked has changed since, and the steps are what they
	// were; in another world, too.
	other, err := New(sys, sim.Params{}, c)
	if err != nil {
		t.Fatal(err)
	}
	other.State.Track()
	for _, w := range []*World{b.w, other} {
		f := w.Protect(func() {
			for at := range b.moments {
				b.load(w, at)
				if b.moments[at].taken != nil {
					b.again(w, at)
					b.load(w, at) // after a step, the node may be in the mold that had it before
				}
			}
		})
		if unexpected(f) || w.Run.Err() != nil {
			t.Fatalf("%+v %v", f, w.Run.Err())
		}
	}
	if b.bank.Len() != whole {
		t.Errorf("the bank has %d parts, and had %d before every state was loaded again", b.bank.Len(), whole)
	}
	*moments, *parts = *moments+len(b.moments), *parts+whole
}

// shaped is a system whose nodes all have the same form, so that they are loaded into molds.
var shaped = &sim.System{
	Name:   "shaped",
	Doc:    "a node with timers, tasks and requests that all count",
	Nodes:  func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
	New:    func(sim.Params, sim.Addr) sim.Node { return &counter{} },
	Script: func(sim.Params, sim.Addr, int) []sim.Signal { return []sim.Signal{counts(3), counts(4)} },
	Properties: []sim.Property{sim.Always("few", func(v sim.View[*counter]) bool {
		for _, c := range v.Nodes() {
			if c.Of[4] > 9 {
				return false
			}
		}
		return true
	})},
}

// counts is a signal of a counter: 0 sets a timer, 1 posts a task, and others are only counted.
type counts uint8

type counter struct{ Of [5]uint8 }

func (c *counter) Offers(offer func(sim.Signal)) {
	for k := range counts(3) {
		if c.Of[k]%2 == 0 {
			offer(k)
		}
	}
}
func (c *counter) Init(sim.Env)                           {}
func (c *counter) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (c *counter) Handle(env sim.Env, s sim.Signal) {
	k := s.(counts)
	switch c.Of[k]++; k {
	case 0:
		env.After(1, counts(2))
	case 1:
		env.Post(counts(4))
	default:
		c.Of[k%2]++ // it may be offered again
	}
}

// TestPacks checks that a bank packs the nodes of a place that are added after a call of Packs, that it does not pack
// others, and that every state can be loaded afterwards.
func TestPacks(t *testing.T) {
	b := newBanked(t, shaped, Config{}, 1)
	b.run(1, 40, false)
	before := [2]int{b.bank.of.shelves[0].sums.Len(), b.bank.of.shelves[1].sums.Len()}
	b.bank.Packs(0)
	b.run(2, 80, true)
	for place, was := range before {
		now := b.bank.of.shelves[place].sums.Len()
		for id := 1; id < now; id++ {
			if packed := b.bank.record(place, uint32(id)) != nil; packed != (place == 0 && id >= was) {
				t.Errorf("node %d of place %d is packed: %t; the bank had %d before", id, place, packed, was)
			}
		}
		if now == was {
			t.Errorf("there is no further node of place %d", place)
		}
	}
	for at := range b.moments {
		b.load(b.w, at)
	}
}

// TestBankFindsPartsAgain checks that a walk which is repeated finds all of its parts in the bank, and adds
// none.
func TestBankFindsPartsAgain(t *testing.T) {
	for seed := range uint64(30) {
		sys, c := random(seed)
		b := newBanked(t, sys, c, seed)
		b.run(seed, 60, false)
		first, parts := b.moments, b.bank.Len()
		b.moments, b.r = nil, rand.New(rand.NewPCG(seed, 3))
		b.run(seed, 60, false)
		if b.bank.Len() != parts || len(b.moments) != len(first) {
			t.Fatalf("seed %d: %d moments and %d parts, and then %d and %d", seed, len(first), parts, len(b.moments), b.bank.Len())
		}
		for at := range first {
			if !slices.Equal(first[at].v, b.moments[at].v) {
				t.Fatalf("seed %d: moment %d is %v, and was %v", seed, at, b.moments[at].v, first[at].v)
			}
		}
	}
}
