package netsim

import (
	"fmt"
	"slices"
	"testing"

	"macemc/internal/canon"
)

// copyTCP sets one TCP to the state of another.
func copyTCP(to, from *TCP) {
	for i := range from.n {
		to.SetFlushing(i, from.Flushing(i))
	}
	for c := range from.n * from.n {
		packets := slices.Clone(from.Packets(c))
		to.Place(c, from.End(c), packets)
		clear(packets) // Place keeps its own
	}
}

// TestTCPPlace checks that a TCP which was set to the state of another one behaves as that one does, whatever its
// state was before.
func TestTCPPlace(t *testing.T) {
	for seed := range uint64(300) {
		n := 2 + int(seed)%3
		a, b := NewTCP(n, 2), NewTCP(n, 2)
		storm(t, a, nil, seed, int(seed), nil)
		storm(t, b, nil, seed+1000, int(seed*7%300), nil)
		if seed%3 == 0 {
			b = NewTCP(n, 2)
		}
		copyTCP(b, a)
		if got, want := tcpText(b), tcpText(a); got != want {
			t.Fatalf("seed %d: placed is\n%s\nwant\n%s", seed, got, want)
		}
		if a.Disturbed() && !b.Disturbed() && tcpBroken(a) {
			t.Fatalf("seed %d: the copy has not noted that something broke", seed)
		}
		storm(t, a, nil, seed+2000, 200, nil)
		storm(t, b, nil, seed+2000, 200, nil)
		if got, want := tcpText(b), tcpText(a); got != want {
			t.Fatalf("seed %d: the copy went on to\n%s\nwant\n%s", seed, got, want)
		}
	}
}

// TestTCPPlaceOfWaits checks that a node which waits in a placed state gets its event, on a network where no node
// waited before.
func TestTCPPlaceOfWaits(t *testing.T) {
	asked := NewTCP(2, 1)
	asked.Place(1, End{Asked: true}, []Packet{{Message: 1}})
	if asked.Pop(1); !asked.Special() || !asked.Clear().Has(1) {
		t.Error("a node that waits for room is not told of it")
	}
	flushing := NewTCP(2, 1)
	if flushing.SetFlushing(1, true); !flushing.Special() || !flushing.Flushed().Has(1) {
		t.Error("a node that waits until nothing is queued is not told of it")
	}
}

// TestTCPPlaceOfFlags checks that Disturbed returns true after Place if an end alone shows that the connection is neither
// closed nor open.
func TestTCPPlaceOfFlags(t *testing.T) {
	for e, want := range map[End]bool{
		{}: false, {Flags: Flags{Open: true}}: false, {Asked: true}: false,
		{Flags: Flags{Local: true}}: true, {Flags: Flags{Remote: true}}: true, {Broken: true}: true,
	} {
		tcp := NewTCP(2, 1)
		if tcp.Place(1, e, nil); tcp.Disturbed() != want || tcp.Special() != (want || e.Asked) {
			t.Errorf("%+v is placed: disturbed %v, special %v", e, tcp.Disturbed(), tcp.Special())
		}
	}
}

// tcpBroken reports whether some connection is neither closed nor open.
func tcpBroken(t *TCP) bool {
	for c := range t.n * t.n {
		if e := t.End(c); e.Local || e.Remote || e.Broken {
			return true
		}
	}
	return false
}

// TestWords checks that the words for a broken connection name the end that has yet to learn of the error.
func TestWords(t *testing.T) {
	tcp := NewTCP(2, 1)
	there, back := tcp.Channel(0, 1), tcp.Channel(1, 0)
	tcp.Push(there, Packet{Message: 1})
	tcp.Pop(there)
	for _, c := range []struct {
		does       func()
		one, other string
	}{
		{func() {}, "open", "open"},
		{func() { tcp.Break(0, 1) }, "broken, neither has heard of it", "broken, neither has heard of it"},
		{func() { tcp.PopError(there) }, "broken, has yet to hear of it", "broken, the peer has yet to hear of it"},
		{func() { tcp.PopError(back) }, "closed", "closed"},
	} {
		c.does()
		if one, other := tcp.Flags(0, 1).Words(), tcp.Flags(1, 0).Words(); one != c.one || other != c.other {
			t.Errorf("the ends are %q and %q, want %q and %q", one, other, c.one, c.other)
		}
	}
}

// TestEndTold checks that different ends have different numbers.
func TestEndTold(t *testing.T) {
	met := map[uint8]End{}
	for k := range 32 {
		e := End{Flags{k&1 != 0, k&2 != 0, k&4 != 0}, k&8 != 0, k&16 != 0}
		if other, there := met[e.Told()]; there {
			t.Errorf("%+v and %+v are both told as %d", e, other, e.Told())
		}
		met[e.Told()] = e
	}
	if (End{}).Told() != 0 {
		t.Error("there is something to tell of nothing")
	}
	if b := NewTCP(2, 7).Buffer(); b != 7 {
		t.Errorf("the buffer is %d", b)
	}
}

// TestFIFOPlace compares Take and Place with a slice per channel.
func TestFIFOPlace(t *testing.T) {
	const n = 2
	r, f, twin := draws(5), NewFIFO(n), make([][]int, n*n)
	held := 0
	for step := range 20_000 {
		c := r.IntN(n * n)
		switch x := r.IntN(10); {
		case x < 5 && len(twin[c]) < 100:
			f.Push(c, Packet{Message: step})
			twin[c] = append(twin[c], step)
			held++
		case x < 8 && len(twin[c]) > 0:
			k := r.IntN(len(twin[c]))
			if p := f.Take(c, k); p.Message != twin[c][k] {
				t.Fatalf("step %d: taken is %v, want %d", step, p.Message, twin[c][k])
			}
			twin[c] = slices.Delete(slices.Clone(twin[c]), k, k+1)
			held--
		case x == 8:
			from := r.IntN(n * n)
			packets := slices.Clone(f.Packets(from))
			f.Place(c, packets)
			held += len(twin[from]) - len(twin[c])
			twin[c] = slices.Clone(twin[from])
			clear(packets) // Place keeps its own
		}
		checkFIFO(t, step, f, twin, held)
	}
}

// TestSetPlace checks that a set that was placed behaves as one to which the messages were added.
func TestSetPlace(t *testing.T) {
	r, a, b := draws(6), NewSet(2), NewSet(2)
	for round := range 500 {
		a.Reset()
		for range r.IntN(6) {
			a.Add(r.IntN(3), r.IntN(2), Packet{Message: round, Sum: canon.OfString(fmt.Sprint(r.IntN(4)))})
		}
		for to := range 2 {
			members := slices.Clone(a.For(to))
			b.Place(to, members)
			clear(members)
		}
		if fmt.Sprint(b.For(0), b.For(1)) != fmt.Sprint(a.For(0), a.For(1)) || a.Len() != b.Len() {
			t.Fatalf("round %d: placed is %v %v, %d in all, want %v %v, %d", round, b.For(0), b.For(1), b.Len(), a.For(0), a.For(1), a.Len())
		}
	}
}
