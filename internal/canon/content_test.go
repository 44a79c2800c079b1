package canon

import (
	"strings"
	"testing"
	"time"
)

type chained struct {
	tips []*tip
	seen map[string]*tip
	key  string // filled in when it is asked for
}

type tip struct{ height int }

type keeps struct {
	name        string
	first, last *chained
	whole       chained
	any         any
}

func chainOf(heights ...int) *chained {
	c := &chained{seen: map[string]*tip{}}
	for _, h := range heights {
		c.tips = append(c.tips, &tip{h})
		c.seen[strings.Repeat("x", h)] = c.tips[0]
	}
	return c
}

func contentWalker(t *testing.T) *Walker {
	t.Helper()
	w, err := New(Options{Opaque: []string{"canon.chained.key"}, Immutable: []string{"canon.chained"}})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func sumOf(t *testing.T, w *Walker, v any) Hash {
	t.Helper()
	h, err := w.Sum(v)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestImmutableValuesCountByContent(t *testing.T) {
	w, plain := contentWalker(t), walkerOf(omissions{})
	one := chainOf(1, 2)
	shared := &keeps{"n", one, one, *chainOf(3), one}
	apart := &keeps{"n", chainOf(1, 2), chainOf(1, 2), *chainOf(3), chainOf(1, 2)}
	if sumOf(t, plain, shared) == sumOf(t, plain, apart) {
		t.Error("without the rule, shared and equal-but-apart have one hash")
	}
	if sumOf(t, w, shared) != sumOf(t, w, apart) || w.Text(shared) != w.Text(apart) {
		t.Errorf("equal immutable values differ:\n%s\n%s", w.Text(shared), w.Text(apart))
	}
	apart.first.seen["x"] = apart.first.tips[1] // which was tips[0]
	if sumOf(t, w, shared) == sumOf(t, w, apart) {
		t.Error("other content has the same hash")
	}
	apart = &keeps{"n", one, one, *chainOf(3), one}
	apart.last = chainOf(1, 2)
	apart.last.tips[1] = apart.last.tips[0]
	apart.last.tips[0].height = 1
	if sumOf(t, w, shared) == sumOf(t, w, apart) {
		t.Error("other content behind a pointer has the same hash")
	}
	shared.first, apart.first = nil, nil
	apart.last = one
	if sumOf(t, w, shared) != sumOf(t, w, apart) {
		t.Error("nil differs from nil")
	}
	lazy := &keeps{"n", nil, one, *chainOf(3), one}
	one.key = "asked for"
	if sumOf(t, w, shared) != sumOf(t, w, lazy) {
		t.Error("a field that is left out counts")
	}
}

func TestImmutableValuesAreShared(t *testing.T) {
	w := contentWalker(t)
	v := &keeps{"n", chainOf(1), chainOf(2), *chainOf(3), chainOf(4)}
	c, err := w.Copy(v)
	if err != nil {
		t.Fatal(err)
	}
	h := c.(*keeps)
	if h == v || h.first != v.first || h.last != v.last || h.whole.tips[0] != v.whole.tips[0] || h.any.(*chained) != v.any.(*chained) {
		t.Errorf("a copy is %s, and does not share what is immutable", w.Text(h))
	}
	if sumOf(t, w, h) != sumOf(t, w, v) {
		t.Error("a copy has another hash")
	}
}

type optional struct {
	after func(int) int
	tick  func(int) int
}

func TestFunctionsThatNeverChange(t *testing.T) {
	base := 3
	v := &optional{after: func(n int) int { return n + base }, tick: nil}
	left := Options{Opaque: []string{"canon.optional.after", "canon.optional.tick"}}
	w, err := New(left)
	if err != nil {
		t.Fatal(err)
	}
	if why := w.Bound(v); !strings.HasSuffix(why, `if these never change, add "canon.optional.after" to System.Immutable, or else sim.Remake("canon.optional.after", ...) to System.Remade`) {
		t.Errorf("the advice is %q", why)
	}
	if w, err = New(Options{Opaque: []string{"canon.optional.tick"}, Immutable: []string{"canon.optional.after"}}); err != nil {
		t.Fatal(err)
	}
	if why := w.Bound(v); why != "" {
		t.Errorf("it is still bound: %s", why)
	}
	c, err := w.Copy(v)
	if err != nil || c.(*optional).after(1) != 4 {
		t.Errorf("the copy is %v, %v", c, err)
	}
	if _, err := w.Sum(v); err != nil {
		t.Error(err)
	}
	if unused := w.Unused(); len(unused) > 0 {
		t.Errorf("rules that match nothing: %q", unused)
	}
}

type hooked struct {
	add, times func(int) int
	count      int
}

func (h *hooked) plus(n int) int { h.count += n; return h.count }

// TestAllFunctionsOfAType checks a rule that declares all functions of a type immutable: copies share the
// closures among them, and a method value is copied with its receiver.
func TestAllFunctionsOfAType(t *testing.T) {
	if _, err := New(Options{Opaque: []string{"canon.hooked.func"}}); err != nil {
		t.Fatal(err)
	}
	w, err := New(Options{Immutable: []string{"canon.hooked.func"}})
	if err != nil {
		t.Fatal(err)
	}
	base := 3
	v := &hooked{times: func(n int) int { return n * base }}
	v.add = v.plus
	if why := w.Bound(v); why != "" {
		if Slow() == "" {
			t.Errorf("it is bound: %s", why)
		}
		return
	}
	c, err := w.Copy(v)
	if err != nil {
		t.Fatal(err)
	}
	h := c.(*hooked)
	if h.add(5); v.count != 0 || h.count != 5 || h.times(2) != 6 {
		t.Errorf("after add(5) on the copy, the original has count %d and the copy %d", v.count, h.count)
	}
	if sumOf(t, w, v) == sumOf(t, w, h) {
		t.Error("the count is not in the hash")
	}
	if unused := w.Unused(); len(unused) > 0 {
		t.Errorf("rules that match nothing: %q", unused)
	}
}

type clocked struct {
	now   time.Time
	until time.Time
	alarm map[string]time.Time
}

func TestTimesCountFromNow(t *testing.T) {
	w, err := New(Options{Now: func(root any) (time.Time, bool) {
		c, is := root.(*clocked)
		if !is {
			return time.Time{}, false
		}
		return c.now, true
	}})
	if err != nil {
		t.Fatal(err)
	}
	at := func(s, until int64) *clocked {
		now := time.Unix(s, 0)
		return &clocked{now, now.Add(time.Duration(until)), map[string]time.Time{"x": now, "y": {}}}
	}
	if a, b := at(100, 3), at(200, 3); sumOf(t, w, a) != sumOf(t, w, b) || w.Text(a) != w.Text(b) {
		t.Errorf("%s and %s differ", w.Text(a), w.Text(b))
	}
	if a, b := at(100, 3), at(100, 4); sumOf(t, w, a) == sumOf(t, w, b) {
		t.Errorf("%s and %s are one", w.Text(a), w.Text(b))
	}
	if a, b := at(100, 3), at(100, 3); true {
		b.alarm["x"] = time.Time{}
		if sumOf(t, w, a) == sumOf(t, w, b) {
			t.Errorf("%s and %s are one", w.Text(a), w.Text(b))
		}
	}
	if got, want := w.Text(at(100, -5)), "&clocked{now: now, until: now-5ns, alarm: {\"x\": now, \"y\": never}}"; !strings.HasSuffix(got, want[len("&clocked"):]) {
		t.Errorf("the text is %s; want %s", got, want)
	}
	if sumOf(t, w, time.Unix(1, 0)) == sumOf(t, w, time.Unix(2, 0)) {
		t.Error("where there is no present, times are one")
	}
}
