package stubborn

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// small returns the facts of a small system: node 0 may start, and then sends by a bag to node 1,
// which answers; node 2 has an event of its own.
func small() (f *Facts, start, ask, answer, own Class) {
	f = new(Facts)
	start, ask, answer, own = f.NewClass(0, -1), f.NewClass(1, -1), f.NewClass(0, -1), f.NewClass(2, -1)
	for _, c := range []Class{start, ask, answer, own} {
		f.Changes([]Class{c})
	}
	return f, start, ask, answer, own
}

func pending(all ...Class) *Situation {
	s := &Situation{Heads: map[int]Class{}}
	for _, c := range all {
		s.Pending.Add(c)
	}
	return s
}

func set(all ...Class) Set { return pending(all...).Pending }

func least(t *testing.T, f *Facts, s *Situation, seed Class, want ...Class) {
	t.Helper()
	p, is := f.Least(s, seed)
	if !is || !slices.Equal(slices.Collect(p.Each), want) {
		t.Errorf("the set around %d is %v, %v, and should be %v", seed, slices.Collect(p.Each), is, want)
	}
}

func TestSendersAreAdded(t *testing.T) {
	f, start, ask, _, own := small()
	s := pending(start, ask, own)
	least(t, f, s, ask, ask) // no sender to node 1 is known yet
	before := f.Version()
	f.Brings([]Class{start}, ask)
	if f.Version() == before {
		t.Error("an observation that is new does not change the version")
	}
	if f.Suffices(s, set(ask)) {
		t.Error("node 1 suffices though node 0 may send to it")
	}
	least(t, f, s, ask, start, ask)
	least(t, f, s, own, own)
}

// A kind that is not pending counts if an event that is pending may make it pending.
func TestChainsAreFollowed(t *testing.T) {
	f, start, ask, answer, own := small()
	f.Brings([]Class{start}, ask)
	f.Brings([]Class{ask}, own)
	f.Brings([]Class{own}, answer)
	if f.Suffices(pending(start, own), set(own)) {
		t.Error("node 2 suffices though node 0 may send to node 1, which then sends to it")
	}
	if !f.Suffices(pending(own), set(own)) {
		t.Error("node 2 does not suffice though nothing is pending for the others")
	}
}

// Events of one node are independent unless one of them changes it, both send on one channel in
// order, or the node takes several messages at once.
func TestEventsOfOneNode(t *testing.T) {
	f := new(Facts)
	a, b, there := f.NewClass(0, -1), f.NewClass(0, -1), f.NewClass(1, 5)
	s := pending(a, b)
	least(t, f, s, a, a)
	f.Brings([]Class{a}, there)
	least(t, f, s, a, a)
	f.Brings([]Class{b}, there)
	least(t, f, s, a, a, b)

	f = new(Facts)
	a, b = f.NewClass(0, -1), f.NewClass(0, -1)
	f.Changes([]Class{b})
	least(t, f, s, a, a, b)
	least(t, f, s, b, a, b)

	f = new(Facts)
	a, _ = f.NewClass(0, -1), f.NewClass(0, -1)
	f.Whole(0)
	least(t, f, s, a, a, b)
}

// A message that is sent comes behind those that its channel has. So it does not happen before an
// event of a set that has the first message of the channel; and a set with a message of a channel
// needs the first one.
func TestHeldChannels(t *testing.T) {
	f := new(Facts)
	start, message, other := f.NewClass(0, -1), f.NewClass(1, 7), f.NewClass(1, 7)
	f.Changes([]Class{message})
	f.Brings([]Class{start}, message)
	s := pending(start, message)
	if f.Suffices(s, set(message)) {
		t.Error("node 1 suffices though its channel may get its first message")
	}
	s.Heads[7] = message
	if !f.Suffices(s, set(message)) {
		t.Error("node 1 does not suffice though its channel has a message that comes first")
	}
	s = pending(message, other)
	s.Heads[7] = other
	least(t, f, s, message, message, other) // the first message is added
}

// An event that takes several messages makes other kinds pending only if all of its messages may be
// there.
func TestJointEvents(t *testing.T) {
	f := new(Facts)
	a, b, reply := f.NewClass(0, -1), f.NewClass(0, -1), f.NewClass(1, -1)
	f.Changes([]Class{reply})
	f.Brings([]Class{a, b}, reply)
	if !f.Suffices(pending(a, reply), set(reply)) {
		t.Error("node 1 does not suffice though the second message of the event cannot come")
	}
	if f.Suffices(pending(a, b, reply), set(reply)) {
		t.Error("node 1 suffices though both messages of the event are there")
	}
}

func TestBarredAndVisible(t *testing.T) {
	f, start, ask, _, own := small()
	s := pending(start, ask, own)
	f.See([]Class{ask})
	if !f.Visible(set(ask, own)) || f.Visible(set(own)) {
		t.Error("a kind is visible if one of its events was")
	}
	f.Bar([]Class{start})
	if f.Suffices(s, set(own)) || f.Suffices(s, set(start)) {
		t.Error("a set suffices though it has what is barred, or others may do it")
	}
}

// TestShortcuts: for random observations, Least finds the sets that it finds if it calls follow for everything. If
// messages wait in channels, it may find another set that suffices, and follow may meet a barred event that a
// larger set contains.
func TestShortcuts(t *testing.T) {
	met := map[bool]int{}
	for seed := range uint64(2_000) {
		r := rand.New(rand.NewPCG(seed, 1))
		f := new(Facts)
		const n = 9
		for c := range n {
			channel := -1
			if c%3 == 2 {
				channel = c / 3 % 2
			}
			f.NewClass(r.IntN(4), channel)
		}
		draw := func(times int, do func(c Class)) {
			for range r.IntN(times + 1) {
				do(r.IntN(n))
			}
		}
		draw(8, func(c Class) { f.Brings([]Class{c}, r.IntN(n)) })
		draw(6, func(c Class) { f.Changes([]Class{c}) })
		draw(1, func(c Class) { f.Bar([]Class{c}) })
		if seed%4 == 0 {
			draw(2, func(c Class) { f.Brings([]Class{c, (c + 1 + r.IntN(n-1)) % n}, r.IntN(n)) })
			f.Whole(r.IntN(4))
		}
		s := &Situation{Heads: map[int]Class{}}
		draw(7, func(c Class) {
			s.Pending.Add(c)
			if channel := f.classes[c].channel; channel >= 0 {
				s.Heads[channel] = c
			}
		})
		for c := range s.Pending.Each {
			got, is := f.Least(s, c)
			want, also := byFollow(f, s, c)
			met[is]++
			if also && !is || also && len(s.Heads) == 0 && !slices.Equal(slices.Collect(got.Each), slices.Collect(want.Each)) {
				t.Fatalf("seed %d: the set around %d is %v, %v, and should be %v, %v", seed, c, slices.Collect(got.Each), is, slices.Collect(want.Each), also)
			}
			if is {
				p := slices.Clone(got)
				if f.begin(s, &p); p.Len() != got.Len() {
					t.Fatalf("seed %d: the set around %d lacks what comes first in its channels", seed, c)
				}
				if dependent, ends := f.follow(s, p); dependent >= 0 || ends || !f.Suffices(s, got) {
					t.Fatalf("seed %d: the set around %d does not suffice", seed, c)
				}
			}
		}
	}
	if met[true] < 1_000 || met[false] < 100 {
		t.Errorf("the situations are too much alike: %v", met)
	}
}

// byFollow is Least, but calls follow for everything.
func byFollow(f *Facts, s *Situation, seed Class) (p Set, is bool) {
	for p.Add(seed); ; {
		if f.begin(s, &p) {
			return nil, false
		}
		dependent, ends := f.follow(s, p)
		if ends || dependent < 0 {
			return p, !ends
		}
		p.Add(dependent)
	}
}

// A message by a channel in order to a node that failed or may fail is refused. So no set suffices that has an
// event which sends it, or without which such an event may happen.
func TestRefusals(t *testing.T) {
	f := new(Facts)
	sender, there, own, fails := f.NewClass(0, -1), f.NewClass(1, 5), f.NewClass(2, -1), f.NewClass(1, -1)
	for _, c := range []Class{sender, there, own, fails} {
		f.Changes([]Class{c})
	}
	f.Brings([]Class{sender}, there)
	s := pending(sender, own, fails)
	least(t, f, s, own, own)
	least(t, f, s, sender, sender)
	s.Fails(1)
	for _, c := range []Class{own, sender} {
		if p, is := f.Least(s, c); is && p.Len() < s.Pending.Len() {
			t.Errorf("%v suffices, and a message may be refused", p)
		}
	}
	if s.Empty(); s.Away.Len() > 0 {
		t.Error("nodes that failed are left in a situation that is empty")
	}
}
