package macetime

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"macemc/internal/long"
)

// A program reads, moves, compares and forgets times in a fixed order. Its outcome is the
// list of its answers. The clock must allow exactly the outcomes that integer times can
// show.

type op struct {
	kind int // see below
	a, b int // slots
	d    int // units
}

const (
	opRead = iota
	opMove
	opCompare
	opSettle // forget slot a
)

const slots = 4

// randomProgram returns a program that mostly compares times that it has read, and rarely forgets one.
func randomProgram(r *rand.Rand, reads, compares int) (p []op) {
	var set [slots]bool
	known := func() int {
		for range 2 * slots {
			if at := r.IntN(slots); set[at] {
				return at
			}
		}
		return r.IntN(slots)
	}
	for reads > 0 || compares > 0 {
		o := op{a: known(), b: known(), d: r.IntN(5) - 2}
		switch k := r.IntN(12); {
		case k < 4 && reads > 0:
			o.kind, o.a, reads = opRead, r.IntN(slots), reads-1
			set[o.a] = true
		case k < 7:
			o.kind, o.b = opMove, r.IntN(slots)
			set[o.b] = set[o.a]
		case k < 11 && compares > 0 && (reads == 0 || r.IntN(3) == 0):
			if o.a == o.b {
				o.b = (o.a + 1 + r.IntN(slots-1)) % slots
			}
			o.kind, compares = opCompare, compares-1
		case k == 11 && r.IntN(2) == 0:
			o.kind, set[o.a] = opSettle, false
		default:
			continue
		}
		p = append(p, o)
	}
	return p
}

// symbolic counts in outcomes the outcomes of a program that a Clock allows.
func symbolic(p []op, unit time.Duration, outcomes map[string]int) {
	var run func(at int, c Clock, held [slots]Time, answers string)
	run = func(at int, c Clock, held [slots]Time, answers string) {
		for ; at < len(p); at++ {
			o := p[at]
			switch o.kind {
			case opRead:
				held[o.a] = c.Read()
			case opMove:
				held[o.b] = move(held[o.a], time.Duration(o.d)*unit)
			case opSettle:
				held[o.a] = Time{}
				settle(&c, &held)
			case opCompare:
				yes, no := c.Compare(held[o.a], held[o.b])
				if yes && no {
					other, theirs := c.Clone(), held
					other.Assume(held[o.a], held[o.b], true)
					run(at+1, other, theirs, answers+"y")
				}
				if yes && !no {
					answers += "y"
				} else {
					answers += "n"
					c.Assume(held[o.a], held[o.b], false)
				}
			}
		}
		outcomes[answers]++
	}
	run(0, Of(0), [slots]Time{}, "")
}

func settle(c *Clock, held *[slots]Time) {
	var places []*Time
	for i := range held {
		places = append(places, &held[i])
	}
	said, before, held0 := c.Settled(places, nil), string(c.Append(nil)), *held
	c.Settle(places, nil)
	if said && (string(c.Append(nil)) != before || *held != held0) {
		panic(fmt.Sprintf("Settled says that nothing changes: %q with %v, and then %q with %v", before, held0, c.Append(nil), *held))
	}
	settledTwice += count(c.Settled(places, nil))
}

var settledTwice int // times after which Settled knew that Settle changes nothing

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

func move(t Time, d time.Duration) Time {
	if d < 0 {
		return t.Sub(-d)
	}
	return t.Add(d)
}

// concrete runs a program on a clock that shows these integers, and returns the outcome.
func concrete(p []op, readings []int, unit int) string {
	var held [slots]int // the zero time
	answers := make([]byte, 0, 8)
	for _, o := range p {
		switch o.kind {
		case opRead:
			held[o.a], readings = readings[0], readings[1:]
		case opMove:
			held[o.b] = held[o.a]
			if held[o.a] != 0 {
				held[o.b] += o.d * unit
			}
		case opSettle:
			held[o.a] = 0
		case opCompare:
			x, y := held[o.a], held[o.b]
			if x != 0 && y != 0 && x < y || x == 0 && y != 0 {
				answers = append(answers, 'y')
			} else {
				answers = append(answers, 'n')
			}
		}
	}
	return string(answers)
}

// brute runs the program on all clocks that can make a difference. Gaps between readings
// that exceed all added durations are equivalent. Steps of one unit divided by the number
// of readings suffice, since a cycle of strict bounds is no longer than that.
func brute(p []op, reads int, outcomes map[string]int) (unit int) {
	unit = reads + 1
	var low, high, far [slots]int
	apart := 1
	for _, o := range p {
		switch o.kind {
		case opRead:
			low[o.a], high[o.a], far[o.a] = 0, 0, 0
		case opMove:
			far[o.b] = far[o.a] + o.d
		case opCompare:
			apart = max(apart, far[o.a]-far[o.b], far[o.b]-far[o.a])
		}
	}
	readings := make([]int, reads)
	var next func(k, least int)
	next = func(k, least int) {
		if k == reads {
			outcomes[concrete(p, readings, unit)]++
			return
		}
		for gap := range apart*unit + 2 {
			readings[k] = least + gap
			next(k+1, least+gap)
		}
	}
	if reads == 0 {
		next(0, 0)
		return unit
	}
	readings[0] = 1_000_000 // the first reading may be anything: only differences count
	next(1, readings[0])
	return unit
}

func TestClockAllowsWhatIntegersShow(t *testing.T) {
	explored, unguided := 0, 0
	for seed := range uint64(long.Of(10_000, 100_000)) {
		r := rand.New(rand.NewPCG(seed, 1))
		reads, compares := 2+r.IntN(long.Of(2, 3)), 1+r.IntN(6)
		p := randomProgram(r, reads, compares)
		want, got := map[string]int{}, map[string]int{}
		unit := brute(p, reads, want)
		symbolic(p, time.Duration(unit), got)
		for answers, times := range got {
			if times > 1 {
				t.Fatalf("seed %d: the outcome %s was explored %d times: %+v", seed, answers, times, p)
			}
			if want[answers] == 0 {
				t.Fatalf("seed %d: the outcome %s was explored, and no clock shows it: %+v", seed, answers, p)
			}
		}
		if len(got) != len(want) {
			t.Fatalf("seed %d: %d outcomes of %d were explored: %+v", seed, len(got), len(want), p)
		}
		explored, unguided = explored+len(got), unguided+1<<compares
	}
	if settledTwice < explored/100 {
		t.Errorf("Settled was true %d times in programs with %d outcomes", settledTwice, explored)
	}
	t.Logf("%d outcomes explored; free choice takes %d", explored, unguided)
	if explored*2 > unguided {
		t.Errorf("%d outcomes were explored, of %d that free choice takes: the programs compare too little", explored, unguided)
	}
}

// TestSettledClocksAreCanonical checks that clocks which know the same have the same bytes, whether they learnt it in another
// order or through instants that were forgotten since.
func TestSettledClocksAreCanonical(t *testing.T) {
	const s = time.Second
	one, two := Of(0), Of(0)

	a := one.Read()
	b := one.Read()
	one.Assume(a, b, true)
	one.Assume(b, a.Add(5*s), true)
	one.Settle([]*Time{&a, &b}, nil)

	x := two.Read()
	y := two.Read()
	z := two.Read()
	gone := two.Read()
	two.Assume(z, gone, false) // the last reading is the one before it
	two.Assume(z, y.Add(5*s), true)
	two.Assume(x, y, false)
	two.Assume(x, z, true)
	two.Settle([]*Time{&y, &z}, nil)

	if !bytes.Equal(one.Append(nil), two.Append(nil)) || a != y || b != z {
		t.Errorf("two clocks that know the same are settled as\n%q with %s, %s and\n%q with %s, %s",
			one.Lines(), a, b, two.Lines(), y, z)
	}
	if got, want := fmt.Sprint(one.Lines()), "[last-5s < t1 < last]"; got != want {
		t.Errorf("the clock tells %s; want %s", got, want)
	}
	if got, want := fmt.Sprint(a.Text(), " ", b.Text()), "t1 last"; got != want {
		t.Errorf("the times are %s; want %s", got, want)
	}
}

// TestRenewingForEverComesRound checks that a lease that is renewed for ever has few states, since a deadline is an instant of
// its own, whatever readings it was computed from.
func TestRenewingForEverComesRound(t *testing.T) {
	type state struct {
		clock    string
		deadline Time
	}
	seen := map[state]bool{}
	var visit func(c Clock, deadline Time)
	visit = func(c Clock, deadline Time) {
		c.Settle([]*Time{&deadline}, nil)
		s := state{string(c.Append(nil)), deadline}
		if seen[s] {
			return
		}
		if seen[s] = true; len(seen) > 100 {
			t.Fatalf("more than 100 states: %q", c.Lines())
		}
		for _, answer := range []bool{true, false} {
			next := c.Clone()
			now := next.Read()
			if yes, no := next.Compare(now, deadline); answer && !yes || !answer && !no {
				continue
			}
			next.Assume(now, deadline, answer)
			if visit(next.Clone(), deadline); answer { // renewed
				visit(next.Clone(), now.Add(5*time.Second))
			}
		}
	}
	c := Of(0)
	deadline := c.Read().Add(5 * time.Second)
	visit(c, deadline)
	if len(seen) != 3 {
		t.Errorf("a lease that is renewed for ever has %d states; want 3", len(seen))
	}
}

func TestMonotonesAreNumberedByTheirOrder(t *testing.T) {
	c := Of(2)
	first, _, third := c.Count(), c.Count(), c.Count()
	again := third
	none := Monotone{}
	c.Settle(nil, []*Monotone{&third, &none, &first, &again})
	if fmt.Sprint(none, first, third, again) != "⧖r0 ⧖r1 ⧖r2 ⧖r2" {
		t.Errorf("readings are numbered %s, %s, %s, %s; want r0 r1 r2 r2, marked", none, first, third, again)
	}
	if next := c.Count(); !third.Less(next) {
		t.Errorf("what is read after %s is %s", third, next)
	}
	if c.Settle(nil, nil); !c.IsZero() {
		t.Errorf("a clock of which nothing is held is %+v", c)
	}
}

func TestTimesAreRefused(t *testing.T) {
	c, other := Of(0), Of(1)
	mine, theirs := c.Read(), other.Read()
	for _, at := range []struct {
		time Time
		want string
	}{
		{Time{}, ""},
		{mine, ""},
		{theirs, "is a time of node 1 of the system; a time means nothing on another node: send a duration"},
		{Time{node: 1, point: 7}, "was kept where the state does not show it; keep times in fields of the node that are part of its state"},
	} {
		if got := c.Check(at.time); got != at.want {
			t.Errorf("of %s: %q; want %q", at.time, got, at.want)
		}
	}
	for name, call := range map[string]func(){
		"macemc: Time.Add(-1s): a duration that is added is 0 or more; use Sub to go back":                             func() { mine.Add(-time.Second) },
		"macemc: Time.Sub(-1s): a duration that is taken off is 0 or more; use Add to go on":                           func() { mine.Sub(-time.Second) },
		"macemc: two times are more than 320256h0m0s apart, which is more than macemc supports; use shorter durations": func() { mine.Add(1<<62 - 1) },
		"macemc bug: macetime: an answer was assumed that is not possible; Compare says which are":                     func() { c.Assume(mine, mine, true) },
	} {
		func() {
			defer func() {
				if got := recover(); got != name {
					t.Errorf("panicked with %v; want %q", got, name)
				}
			}()
			call()
		}()
	}
}

// TestBoundsStayClosed checks that the bounds of a clock stay closed and consistent under all operations.
func TestBoundsStayClosed(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range long.Of(300, 10_000) {
		c, held := Of(0), [slots]Time{}
		for range 30 {
			a, b := &held[r.IntN(slots)], &held[r.IntN(slots)]
			switch r.IntN(4) {
			case 0:
				*a = c.Read()
			case 1:
				*b = move(*a, time.Duration(r.IntN(9)-4))
			case 2:
				if yes, no := c.Compare(*a, *b); yes && (!no || r.IntN(2) == 0) {
					c.Assume(*a, *b, true)
				} else {
					c.Assume(*a, *b, false)
				}
			case 3:
				*a = Time{}
				settle(&c, &held)
				was, again := c.Clone(), held
				if settle(&c, &held); !reflect.DeepEqual(c, was) || !slices.Equal(held[:], again[:]) {
					t.Fatalf("settling twice changes %+v to %+v", was, c)
				}
			}
			checkClosed(t, &c)
		}
	}
}

func checkClosed(t *testing.T, c *Clock) {
	t.Helper()
	for i := range c.n {
		if c.at(i, i) != atMost(0) {
			t.Fatalf("an instant is apart from itself: %+v", c)
		}
		for j := range c.n {
			for k := range c.n {
				if c.at(i, k).plus(c.at(k, j)) < c.at(i, j) {
					t.Fatalf("bounds are not closed: %+v", c)
				}
			}
		}
	}
}
