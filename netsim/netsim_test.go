package netsim

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"macemc/internal/canon"
)

// draws is a generator whose numbers a failing test can repeat.
func draws(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// TestBits compares Bits with a map, over sizes at, below and beyond a word.
func TestBits(t *testing.T) {
	for _, n := range []int{1, 2, 63, 64, 65, 127, 128, 200} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			r, b, twin := draws(uint64(n)), NewBits(n), map[int]bool{}
			for step := range 2000 {
				switch i := r.IntN(n); r.IntN(50) {
				case 0:
					b.Clear()
					clear(twin)
				default:
					in := r.IntN(2) == 0
					b.Put(i, in)
					if in {
						twin[i] = true
					} else {
						delete(twin, i)
					}
				}
				checkBits(t, step, n, &b, twin)
			}
		})
	}
}

func checkBits(t *testing.T, step, n int, b *Bits, twin map[int]bool) {
	t.Helper()
	var want, got []int
	for i := range n {
		if twin[i] {
			want = append(want, i)
		}
		if b.Has(i) != twin[i] {
			t.Fatalf("step %d: Has(%d) is %v", step, i, b.Has(i))
		}
	}
	for k := range b.Len() {
		got = append(got, b.At(k))
	}
	if !slices.Equal(got, want) {
		t.Fatalf("step %d: members are %v, want %v", step, got, want)
	}
}

func TestBitsAtBeyondTheLast(t *testing.T) {
	defer func() {
		if r := fmt.Sprint(recover()); r != "macemc bug: netsim: there are fewer members than Len returned" {
			t.Errorf("panic: %s", r)
		}
	}()
	b := NewBits(10)
	b.Put(3, true)
	b.At(1)
}

// TestFIFO compares FIFO with one slice for each channel, for so many operations that gaps at the front of
// queues are reclaimed.
func TestFIFO(t *testing.T) {
	const n = 3
	r, f, twin := draws(1), NewFIFO(n), make([][]int, n*n)
	held := 0
	for step := range 20_000 {
		switch c := r.IntN(n * n); {
		case r.IntN(5000) == 0:
			f.Reset()
			clear(twin)
			held = 0
		case r.IntN(100) < growth(step) || len(twin[c]) == 0:
			f.Push(c, Packet{Message: step, Origin: Origin{Step: int32(step)}})
			twin[c] = append(twin[c], step)
			held++
		default:
			if head := f.Head(c).Message; head != twin[c][0] {
				t.Fatalf("step %d: head of channel %d is %v, want %d", step, c, head, twin[c][0])
			}
			if p := f.Pop(c); p.Message != twin[c][0] || int(p.Step) != twin[c][0] {
				t.Fatalf("step %d: channel %d gave %v, want %d", step, c, p, twin[c][0])
			}
			twin[c] = twin[c][1:]
			held--
		}
		checkFIFO(t, step, f, twin, held)
	}
}

// growth returns the percentage of operations that are pushes: queues become long, then empty, and so on.
func growth(step int) int {
	if step/2000%2 == 0 {
		return 80
	}
	return 20
}

func checkFIFO(t *testing.T, step int, f *FIFO, twin [][]int, held int) {
	t.Helper()
	if f.Len() != held {
		t.Fatalf("step %d: %d packets are under way, want %d", step, f.Len(), held)
	}
	for c, want := range twin {
		if f.Ready().Has(c) != (len(want) > 0) {
			t.Fatalf("step %d: channel %d with %v: ready is %v", step, c, want, f.Ready().Has(c))
		}
		var got []int
		for _, p := range f.Packets(c) {
			got = append(got, p.Message.(int))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("step %d: channel %d holds %v, want %v", step, c, got, want)
		}
	}
}

// TestChannels checks that Channel and Ends are inverse to each other, and that channels are
// ordered by receiver, then by sender.
func TestChannels(t *testing.T) {
	f := NewFIFO(4)
	next := 0
	for to := range 4 {
		for from := range 4 {
			c := f.Channel(from, to)
			if c != next {
				t.Errorf("channel %d->%d has the number %d, want %d", from, to, c, next)
			}
			if a, b := f.Ends(c); a != from || b != to {
				t.Errorf("channel %d is %d->%d, want %d->%d", c, a, b, from, to)
			}
			next++
		}
	}
}

// TestSetOrder sends the same messages in many orders, some of them again, and checks that the members
// are the same, in the same order, and that the Origin of the first send is kept.
func TestSetOrder(t *testing.T) {
	type send struct {
		from, to int
		text     string
	}
	var sends []send
	for from := range 3 {
		for to := range 2 {
			for _, text := range []string{"a", "b", "c"} {
				sends = append(sends, send{from, to, text})
			}
		}
	}
	r, s := draws(2), NewSet(2)
	want := ""
	for round := range 100 {
		s.Reset()
		r.Shuffle(len(sends), func(i, j int) { sends[i], sends[j] = sends[j], sends[i] })
		for i, x := range sends {
			p := Packet{Message: x.text, Sum: canon.OfString(x.text), Origin: Origin{Step: 1}}
			if _, fresh := s.Add(x.from, x.to, p); !fresh {
				t.Fatalf("round %d: send %d of %v is not new", round, i, x)
			}
			p.Step = 2
			if is, fresh := s.Add(x.from, x.to, p); fresh || is.Step != 1 {
				t.Fatalf("round %d: the second send of %v is new, or that of step %d", round, x, is.Step)
			}
			if s.Len() != i+1 {
				t.Fatalf("round %d: %d messages after %d sends", round, s.Len(), i+1)
			}
		}
		got := fmt.Sprint(s.For(0), s.For(1))
		if round == 0 {
			want = got
		}
		if got != want {
			t.Fatalf("round %d: members are\n%s\nand were\n%s", round, got, want)
		}
	}
	for _, m := range s.For(0) {
		if m.Step != 1 {
			t.Errorf("%v is of its second send", m)
		}
	}
}

// TestSetSenders checks that equal messages of two senders are two members, ordered by
// sender whatever their identity.
func TestSetSenders(t *testing.T) {
	s := NewSet(1)
	for _, from := range []int{2, 0, 1} {
		s.Add(from, 0, Packet{Message: "a", Sum: canon.OfString("a")})
	}
	for from, m := range s.For(0) {
		if m.From != from {
			t.Errorf("member %d is of sender %d", from, m.From)
		}
	}
	if len(s.For(0)) != 3 {
		t.Errorf("%d members, want 3", len(s.For(0)))
	}
}

// TestBagNumbers checks that equal messages in a bag keep their numbers, and that the oldest is taken first.
func TestBagNumbers(t *testing.T) {
	r, s := draws(7), NewSet(2)
	queues := map[string][]int32{} // by sender and text, the numbers in the bag
	for number := range int32(5000) {
		if all := s.For(1); len(all) > 0 && r.IntN(2) == 0 {
			i := r.IntN(len(all))
			key := fmt.Sprint(all[i].From, all[i].Message)
			if p := s.Take(1, i); p.Number != queues[key][0] {
				t.Fatalf("message %d of %s is taken, want %d", p.Number, key, queues[key][0])
			}
			queues[key] = queues[key][1:]
		} else {
			from, text := r.IntN(2), fmt.Sprint("m", r.IntN(3))
			s.Put(from, 1, Packet{Message: text, Sum: canon.OfString(text), Origin: Origin{Number: number + 1}})
			key := fmt.Sprint(from, text)
			queues[key] = append(queues[key], number+1)
		}
		if number%100 == 99 { // another has its memory, and is the same
			other := NewSet(2)
			other.Place(1, s.For(1))
			other.SetEqual(1, s.Equal(1))
			s = other
		}
	}
}

// TestBag checks that a message in a bag is delivered as often as it was put in, that a message in a set
// stays, and that neither affects the other.
func TestBag(t *testing.T) {
	s := NewSet(2)
	p := func(n uint64) Packet { return Packet{Message: n, Sum: canon.Hash{Lo: n}} }
	s.Put(0, 1, p(2))
	s.Put(0, 1, p(1))
	s.Put(0, 1, p(2))
	s.Add(0, 1, p(2))
	if s.Len() != 3 || s.Bagged() != 3 {
		t.Fatalf("%d members, %d messages in the bag", s.Len(), s.Bagged())
	}
	told := func() (text string) {
		for _, m := range s.For(1) {
			text += fmt.Sprint(m.Message, "x", m.Count, " ")
		}
		return text
	}
	for _, c := range []struct {
		take int
		left string
	}{{2, "1x1 2x0 2x1 "}, {1, "1x1 2x0 2x1 "}, {0, "2x0 2x1 "}, {1, "2x0 "}, {0, "2x0 "}} {
		if s.Take(1, c.take); told() != c.left {
			t.Errorf("left is %q, want %q", told(), c.left)
		}
	}
	if s.Len() != 1 || s.Bagged() != 0 {
		t.Errorf("%d members, %d messages in the bag", s.Len(), s.Bagged())
	}
}
