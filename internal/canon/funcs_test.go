package canon

import (
	"strings"
	"testing"
)

func nothingDone() {}

// machine has functions as fields, as some libraries have.
type machine struct {
	n     int
	part  counter
	other *counter
	is    getter
	tick  func()            `mc:"-"` // bound to the machine itself, as the next is
	again func()            `mc:"-"`
	count func() int        `mc:"-"` // bound to a part of it
	there func() int        `mc:"-"` // bound to something that it leads to
	value func() int        `mc:"-"` // bound to a value
	any   func() int        `mc:"-"` // bound to what an interface holds
	plain func()            `mc:"-"`
	none  func()            `mc:"-"`
	table map[string]func() `mc:"-"`
	list  []func()          `mc:"-"`
}

func (m *machine) advance() { m.n++ }

type counter struct{ n int }

func (c *counter) next() int { c.n++; return c.n }
func (c counter) get() int   { return c.n }

type getter interface{ get() int }

func newMachine() *machine {
	m := &machine{n: 1, part: counter{10}, other: &counter{20}}
	m.tick = m.advance
	m.again, m.plain = m.tick, nothingDone
	m.count, m.there, m.value = m.part.next, m.other.next, counter{30}.get
	m.is = m.other
	m.any = m.is.get
	m.table = map[string]func(){"tick": m.advance}
	m.list = []func(){nil, m.tick}
	return m
}

// run calls all functions of the machine, and returns their results.
func (m *machine) run() (told [6]int) {
	for _, f := range []func(){m.tick, m.again, m.plain, m.table["tick"], m.list[1]} {
		f()
	}
	return [6]int{m.n, m.count(), m.part.n, m.there(), m.value(), m.any()}
}

// TestCopyOfMethodValues checks that method values in a copy are bound to the copy.
func TestCopyOfMethodValues(t *testing.T) {
	w := mustNew(t, Options{})
	if !w.known {
		t.Skip("functions are not known here")
	}
	type pair struct {
		m    *machine
		next func() int `mc:"-"` // met before its receiver is
		at   *counter
	}
	for range 2 {
		v := pair{m: newMachine()}
		v.at = v.m.other
		v.next = v.at.next
		if why := w.Bound(v); why != "" {
			t.Fatal(why)
		}
		c := mustCopy(t, w, v).(pair)
		same(t, w, v, c)
		if got, want := c.m.run(), [6]int{5, 11, 11, 21, 30, 21}; got != want {
			t.Errorf("the copy comes to %v, want %v", got, want)
		}
		if c.next() != 22 || c.m.other.n != 22 || c.m.none != nil {
			t.Error("what is bound to one counter is bound to several in the copy")
		}
		if v.m.n != 1 || v.m.part.n != 10 || v.at.n != 20 {
			t.Errorf("what ran in the copy changed the original: %s", w.Text(v.m))
		}
		if got, want := v.m.run(), [6]int{5, 11, 11, 21, 30, 21}; got != want {
			t.Errorf("the original comes to %v, want %v", got, want)
		}
	}
}

// stranger is a type to which no value of the tests below leads.
type stranger struct{ n int }

func (s *stranger) next() int { s.n++; return s.n }

type generic[T any] struct{ V T }

func (g *generic[T]) get() int { return 1 }

type quiet struct{ f func() int }

type carrier struct{ any any }

// TestFunctionsWithVariables checks that Copy refuses a function whose variables the copy would share,
// wherever the function is.
func TestFunctionsWithVariables(t *testing.T) {
	n := 0
	literal := func() int { n++; return n }
	other := func() int { return n }
	type holds struct {
		f func() int `mc:"-"`
	}
	type shares struct {
		out struct {
			f  func() int
			ch chan int
		} `mc:"-"`
		at *counter
	}
	in := func(f func() int) any { s := new(shares); s.out.f, s.at = f, new(counter); return s }
	for _, c := range []struct {
		v      any
		want   string
		copies bool // all the same: it is shared
	}{
		{&holds{}, "", true},
		{&holds{literal}, "TestFunctionsWithVariables.func1 has variables that a copy would share with the original, and what these are is not known", false},
		{[]any{&holds{literal}, &holds{other}}, "TestFunctionsWithVariables.func1 has variables", false},
		{&holds{new(stranger).next}, "(*stranger).next-fm has variables that a copy would share with the original, and the receiver's type does not occur elsewhere", false},
		{&holds{new(generic[int]).get}, "(*generic[...]).get-fm has variables", false},
		{in(literal), "func1 has variables", true},
		{in(new(counter).next), "(*counter).next-fm is in a value that copies share", true},
		{in(counter{}.get), "counter.get-fm is in a value that copies share", true},
	} {
		for _, w := range copiers(t, Options{}) {
			if !w.known && strings.Contains(c.want, "-fm") {
				continue // refused for another reason
			}
			if got := w.Bound(c.v); (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
				t.Errorf("%T is bound: %q, want %q", c.v, got, c.want)
			}
			if _, err := w.Copy(c.v); (err == nil) != c.copies || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("copying %T: %v", c.v, err)
			}
		}
	}
	w := mustNew(t, Options{Opaque: []string{"canon.quiet"}})
	if got := w.Bound([]any{&quiet{literal}}); got != "" {
		t.Errorf("what is in values of a type that a rule names is looked into: %s", got)
	}
	carries := &struct{ in carrier }{carrier{any: &holds{literal}}}
	w = mustNew(t, Options{Opaque: []string{"canon.carrier"}})
	if _, err := w.Copy(carries); err == nil || w.Bound(carries) == "" {
		t.Errorf("what is in values that a rule names and that can be walked is bound: %q; copying: %v", w.Bound(carries), err)
	}
	if w := mustSlow(t, Options{}); w.Bound(newMachine()) == "" {
		t.Error("method values are thought to be known where functions are not")
	}
}

// TestBoundEndsInCycles checks that Bound ends for a value that leads to itself.
func TestBoundEndsInCycles(t *testing.T) {
	type ring struct {
		next *ring
		f    func() int `mc:"-"`
	}
	n := 0
	a, b := &ring{}, &ring{}
	a.next, b.next = b, a
	w := mustNew(t, Options{})
	if got := w.Bound(a); got != "" {
		t.Errorf("nothing is bound, and it says %s", got)
	}
	if b.f = func() int { n++; return n }; w.Bound(a) == "" {
		t.Error("a function with variables in a cycle is not told")
	}
}

// TestReceiverNames checks that Copy refuses a method value if two types have the name of its receiver.
func TestReceiverNames(t *testing.T) {
	type counter struct{ M int }
	type both struct {
		a *counter
		f func() int `mc:"-"`
		b any
	}
	w := mustNew(t, Options{})
	if !w.known {
		t.Skip("functions are not known here")
	}
	m := newMachine()
	if got := w.Bound(&both{a: &counter{}, f: m.other.next, b: m}); !strings.Contains(got, "several types have the same name") {
		t.Errorf("bound is %q", got)
	}
}
