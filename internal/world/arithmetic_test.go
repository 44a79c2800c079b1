package world

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"macemc/internal/canon"
	"macemc/internal/net"
	"macemc/internal/state"
	"macemc/sim"
	"macemc/trace"
)

// TestArithmetic checks that, in plain states, the state after a step and the possible events can be
// computed from the numbers of the parts alone. A world that takes the same steps is the reference.
func TestArithmetic(t *testing.T) {
	plans, walks := uint64(300), uint64(3)
	if testing.Short() {
		plans = 80
	}
	seen := map[string]int{}
	for seed := range plans {
		sys, c := random(seed)
		if seed%5 > 0 {
			c.Early = nil
		}
		if seed%3 == 0 {
			c.Faults = nil
		}
		b := newBanked(t, sys, c, seed)
		for walk := range walks {
			b.arithmetic(walk, seen)
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	for _, what := range []string{
		"plain", "not plain", "tcp message", "tcp opens", "tcp opens in both directions", "tcp to itself", "udp message", "udp to itself", "set message",
		"push tcp", "push udp", "push set", "pushed what was there", "pushed to the popped channel", "declined", "healed", "heals nothing",
		"script", "action", "task", "timer", "lost or refused",
	} {
		if seen[what] == 0 {
			t.Errorf("not met: %s", what)
		}
	}
	t.Log(seen)
}

// arithmetic takes one random walk and checks what is computed for each of its steps.
func (b *banked) arithmetic(walk uint64, seen map[string]int) {
	b.t.Helper()
	w, before, after, healed := b.w, make(Vector, b.bank.Places()), make(Vector, b.bank.Places()), make(Vector, b.bank.Places())
	b.walk.Restart(1, walk)
	f := w.Protect(func() {
		w.Start(b.walk)
		for range 60 {
			w.State.Save(b.bank, before)
			b.described(before, seen)
			if b.r.IntN(4) == 0 {
				b.healed(before, healed, seen)
			}
			if w.Step(b.walk) != Stepped || w.Judge.Check() != nil {
				return
			}
			w.State.Save(b.bank, after)
			if sum := b.sum(after); sum != w.State.Hash() {
				b.t.Fatalf("the sum is %v, the hash %v", sum, w.State.Hash())
			}
			e := w.Run.current.Event
			if !b.plain(before) || e.Kind.Fault() || w.Run.Tossed() {
				continue
			}
			want, plain := b.computed(before, after, e, seen)
			if plain && !slices.Equal(want, after) {
				b.t.Fatalf("%s led to\n%v\nand was computed to lead to\n%v\nfrom\n%v", w.Run.identity(), after, want, before)
			}
		}
	})
	if unexpected(f) || w.Run.Err() != nil {
		b.t.Fatalf("%+v %v", f, w.Run.Err())
	}
}

func (b *banked) sum(v Vector) (h canon.Hash) {
	for p, id := range v {
		h = h.Add(b.bank.Sum(p, id))
	}
	return h
}

// plain reports whether state v is plain, by what the bank knows of its parts: no node is absent,
// each part is Plain, and the environment is calm.
func (b *banked) plain(v Vector) bool {
	n := b.w.n
	for i := range n {
		if l := b.bank.Local(i, v[i]); !l.Plain || l.Absent {
			return false
		}
	}
	for c := range n * n {
		if !b.bank.Queue(TCPPlace(n, c), v[TCPPlace(n, c)]).Plain || !b.bank.Queue(UDPPlace(n, c), v[UDPPlace(n, c)]).Plain {
			return false
		}
	}
	calm, _ := b.bank.Calm(v)
	return calm
}

// isPlain reports whether the present state of w is plain, by the world's own fields.
func isPlain(w *World) bool {
	for i := range w.nodes.at {
		if n := &w.nodes.at[i]; n.life != lifeUp || w.Links.TCP().Flushing(i) || n.guards.Gathers() || n.next < len(n.script) && n.script[n.next] == (sim.Leave{}) {
			return false
		}
	}
	for c := range w.n * w.n {
		if e := w.Links.TCP().End(c); e.Local || e.Remote || e.Broken || e.Asked {
			return false
		}
	}
	return w.Environ.cut == nil && w.Environ.paused.Empty() && w.Environ.early == sim.Unlimited && !w.Links.Slow()
}

// TestArithmeticMakesParts checks that a part made by Push, Pop or Opened has the identity that the bank
// records for it, and that it does not change when other parts are made of it.
func TestArithmeticMakesParts(t *testing.T) {
	const plans, each = 40, 400
	for seed := range uint64(plans) {
		sys, _ := random(seed)
		b := newBanked(t, sys, Config{}, seed)
		b.run(seed, 10, false)
		w, n := b.w, b.w.n
		var made []Vector
		for range each {
			v := slices.Clone(b.moments[b.r.IntN(len(b.moments))].v)
			if len(made) > 0 {
				v = slices.Clone(made[b.r.IntN(len(made))])
			}
			place := n + b.r.IntN(2*n*n+n)
			switch tcp := place < UDPPlace(n, 0); {
			case b.r.IntN(2) == 0:
				v[place] = b.bank.Push(place, v[place], b.r.IntN(n), w.State.Message(b.bank, note(b.r.IntN(3)))).To
			case place < SetPlace(n, 0) && b.bank.Queue(place, v[place]).Head != 0:
				v[place] = b.bank.Pop(place, v[place])
			case tcp && b.bank.links(place):
				v[place] = b.bank.Opened(place, v[place])
			}
			made = append(made, v)
		}
		for at, v := range made {
			w.State.Load(b.bank, v)
			var anew canon.Hash
			for part := range w.sums.Parts() {
				anew = anew.Add(w.State.PartSum(part))
			}
			if anew != b.sum(v) {
				t.Fatalf("seed %d: vector %d has the sum %v, and its state the hash %v:\n%s", seed, at, b.sum(v), anew, tellState(w))
			}
		}
	}
}

// described compares the possible events that the bank computes for state v with those that the
// world lists. It does nothing if v is not plain.
func (b *banked) described(v Vector, seen map[string]int) {
	b.t.Helper()
	if plain := b.plain(v); plain != isPlain(b.w) {
		b.t.Fatalf("the bank says that the state is plain: %v, the world: %v\n%s", plain, !plain, tellState(b.w))
	} else if !plain {
		seen["not plain"]++
		return
	}
	seen["plain"]++
	var got []string
	faults := false
	for k := range b.w.Events.Count() {
		if e := b.w.Events.At(k); e.Kind.Fault() {
			faults = true
		} else {
			got = append(got, b.tell(e))
		}
	}
	if want := b.enabled(v, seen); !slices.Equal(got, want) {
		b.t.Fatalf("possible is\n%s\nand by the parts\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if _, may := b.bank.Calm(v); faults && !may || may == b.w.Environ.left.IsZero() {
		b.t.Fatalf("the bank says that faults are possible: %v; left is %s", may, b.w.Environ.left)
	}
}

// tell returns an event as text, in which a message is its number in the bank.
func (b *banked) tell(e sim.Event) string {
	if e.Kind == sim.KindMessage {
		return fmt.Sprintf("%s from %s to %s: %d", e.Link, e.From, e.Node, b.w.State.Message(b.bank, e.Value))
	}
	return fmt.Sprintf("%s of %s", e.Kind, e.Node)
}

// enabled lists the events of a plain state, which it computes from the state's parts.
func (b *banked) enabled(v Vector, seen map[string]int) (all []string) {
	n := b.w.n
	local := func(kind sim.Kind, count func(Local) int) {
		for i := range n {
			for range count(b.bank.Local(i, v[i])) {
				all = append(all, fmt.Sprintf("%s of %s", kind, state.AddrOf(i)))
			}
		}
	}
	message := func(link sim.Link, from, to int, m uint32) {
		if b.bank.Local(to, v[to]).Accepts && !b.bank.Accepts(to, v[to], from, m) {
			seen["declined"]++
			return
		}
		all = append(all, fmt.Sprintf("%s from %s to %s: %d", link, state.AddrOf(from), state.AddrOf(to), m))
	}
	local(sim.KindScript, func(l Local) int { return count(l.Script) })
	local(sim.KindAction, func(l Local) int { return int(l.Offers) })
	local(sim.KindTask, func(l Local) int { return int(l.Tasks) })
	for _, link := range []sim.Link{sim.LinkTCP, sim.LinkUDP} {
		for c := range n * n {
			place := TCPPlace(n, c)
			packets := b.w.Links.TCP().Packets(c)
			if link == sim.LinkUDP {
				place, packets = UDPPlace(n, c), b.w.Links.UDP().Packets(c)
			}
			q := b.bank.Queue(place, v[place])
			if q.Len != len(packets) || (q.Head == 0) != (len(packets) == 0) || link == sim.LinkTCP && q.Open != b.w.Links.TCP().End(c).Open {
				b.t.Fatalf("channel %d of %s is told as %+v and holds %v", c, link, q, packets)
			}
			if q.Head != 0 {
				message(link, c%n, c/n, q.Head)
			}
		}
	}
	for i := range n {
		for _, m := range b.bank.Items(SetPlace(n, i), v[SetPlace(n, i)]) {
			link := sim.LinkSet
			if m.Bag {
				link = sim.LinkBag
			}
			message(link, m.From, i, m.Message)
		}
	}
	local(sim.KindTimer, func(l Local) int { return int(l.Timers) })
	return all
}

// computed returns the state after step e from state before, as computed by arithmetic: it takes the node's
// part from after, and computes all others from the message that e took and those that it sent. plain is
// false if the handler did anything else that changes other parts.
func (b *banked) computed(before, after Vector, e sim.Event, seen map[string]int) (v Vector, plain bool) {
	w, n := b.w, b.w.n
	i := e.Node.Index()
	v = slices.Clone(before)
	v[i] = after[i]
	popped := -1
	switch {
	case e.Kind == sim.KindMessage && e.Link == sim.LinkSet:
		seen["set message"]++
	case e.Kind == sim.KindMessage && e.Link == sim.LinkBag: // arithmetic leaves bags to the world
		return nil, false
	case e.Kind == sim.KindMessage:
		popped = b.pop(v, e, seen)
	default:
		seen[e.Kind.String()]++
	}
	for _, effect := range w.Run.Effects() {
		switch effect.Kind {
		case trace.EffectSend:
			if effect.Lost {
				seen["lost or refused"]++
				continue
			}
			to := effect.To.Index()
			place, name := SetPlace(n, to), "push set"
			switch effect.Link {
			case sim.LinkTCP:
				place, name = TCPPlace(n, w.Links.Channel(i, to)), "push tcp"
			case sim.LinkUDP:
				place, name = UDPPlace(n, w.Links.Channel(i, to)), "push udp"
			case sim.LinkBag:
				return nil, false
			}
			was := v[place]
			made := b.bank.Push(place, was, i, w.State.Message(b.bank, effect.Value))
			v[place] = made.To
			if want := b.bank.Sum(place, made.To).Sub(b.bank.Sum(place, was)); made.Delta != want {
				b.t.Fatalf("pushed, the identity changes by %v; want %v", made.Delta, want)
			}
			seen[name]++
			seen["pushed what was there"] += count(v[place] == was)
			seen["pushed to the popped channel"] += count(place == popped)
			if again := b.bank.Push(place, was, i, w.State.Message(b.bank, effect.Value)); again != made {
				b.t.Fatalf("pushed twice is %v and %v", made, again)
			}
		case trace.EffectRefused:
			seen["lost or refused"]++
		case trace.EffectAfter, trace.EffectCancel, trace.EffectPost, trace.EffectLog: // of the node
		default:
			return nil, false
		}
	}
	return v, true
}

// pop takes the message of event e off its channel in v, and returns the place of the channel.
func (b *banked) pop(v Vector, e sim.Event, seen map[string]int) (place int) {
	n, from, to := b.w.n, e.From.Index(), e.Node.Index()
	seen[e.Link.String()+" message"]++
	seen[e.Link.String()+" to itself"] += count(from == to)
	if e.Link == sim.LinkUDP {
		place = UDPPlace(n, b.w.Links.Channel(from, to))
		v[place] = b.bank.Pop(place, v[place])
		return place
	}
	place, back := TCPPlace(n, b.w.Links.Channel(from, to)), TCPPlace(n, b.w.Links.Channel(to, from))
	if !b.bank.Queue(place, v[place]).Open && from != to {
		seen["tcp opens"]++
		seen["tcp opens in both directions"] += count(b.bank.Queue(back, v[back]).Len > 0)
		v[back] = b.bank.Opened(back, v[back])
	}
	v[place] = b.bank.Pop(place, v[place])
	return place
}

// healed checks that Bank.Heal changes v as World.Heal changes the world's state, and loads v again.
func (b *banked) healed(v, to Vector, seen map[string]int) {
	b.t.Helper()
	want := slices.Clone(v)
	b.bank.Heal(want)
	seen["healed"] += count(!slices.Equal(want, v))
	seen["heals nothing"] += count(slices.Equal(want, v))
	b.w.Heal(b.walk)
	b.w.State.Save(b.bank, to)
	if !slices.Equal(want, to) || b.sum(to) != b.w.State.Hash() {
		b.t.Fatalf("healing leads to\n%v\nand was computed to lead to\n%v", to, want)
	}
	b.w.State.Load(b.bank, v)
}

// TestArithmeticOfSets checks that a set keeps each message once, in whatever order and however often the
// messages are added.
func TestArithmeticOfSets(t *testing.T) {
	sys, _ := random(1)
	w, err := New(sys, sim.Params{}, Config{})
	if err != nil {
		t.Fatal(err)
	}
	b := w.State.NewBank()
	place := SetPlace(w.n, 0)
	var orders [][]int
	for _, o := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		orders = append(orders, o, append(o, o...))
	}
	end := uint32(0)
	for _, order := range orders {
		id := uint32(0)
		for _, k := range order {
			id = b.Push(place, id, k%2, w.State.Message(b, note(k))).To
		}
		if end != 0 && id != end {
			t.Errorf("in the order %v the set is %d, not %d", order, id, end)
		}
		end = id
	}
	items := b.Items(place, end)
	if len(items) != 3 || !slices.IsSortedFunc(items, func(a, b Item) int { return a.From - b.From }) {
		t.Errorf("the set is %v", items)
	}
	if b.Len() != 7 {
		t.Errorf("there are %d sets of three messages, and nothing", b.Len())
	}
}

// The capacities are those of sim.Network, and the defaults where that is zero.
func TestCapacities(t *testing.T) {
	w, err := New(gale(), sim.Params{}, Config{Conditions: sim.Conditions{Network: sim.Network{TCPBuffer: 7}}})
	if err != nil {
		t.Fatal(err)
	}
	if tcp, udp := w.Links.Capacities(); tcp != 7 || udp != net.UDPCapacityDefault {
		t.Errorf("capacities are %d and %d", tcp, udp)
	}
	if c, f := w.State.NewBank().Calm(make(Vector, w.State.Places())); !c || f {
		t.Errorf("nothing is calm: %v; faults are possible: %v", c, f)
	}
}
