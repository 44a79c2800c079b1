package choose

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// pathOf makes a path of a text whose words are its events. A word a/b is the event a with the coin b.
func pathOf(words string) *Path {
	p := new(Path)
	for w := range strings.FieldsSeq(words) {
		event, coin, tossed := strings.Cut(w, "/")
		s := Step{Event: Choice{Kind: Event, Of: 1, What: event}}
		if tossed {
			s.Coins = []Choice{{Kind: Coin, Of: 2, What: coin}}
		}
		p.Steps = append(p.Steps, s)
	}
	return p
}

func TestAlign(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"", "", "prefix 0: "},
		{"a b c", "a b c", "prefix 3: a1=1 b2=2 c3=3 "},
		{"a b c", "", "prefix 0: "},
		{"a b c", "a x c", "prefix 1: a1=1 c3=3 "},
		{"a b/1 c", "a b/2 c", "prefix 1: a1=1 b2=2 c3=3 "}, // the coin ends the prefix, not the pairing
		{"a b c d e", "a c x e d", "prefix 1: a1=1 c3=2 e5=4 "},
		{"x y a b c d", "a b q c d", "prefix 0: a3=1 b4=2 c5=4 d6=5 "},
		{"a a a", "a a", "prefix 2: a1=1 a2=2 "},
		{"b a a a", "c a a", "prefix 0: a3=2 a4=3 "},
	} {
		a := Align(pathOf(c.a), pathOf(c.b))
		got := fmt.Sprintf("prefix %d: ", a.Prefix)
		for _, m := range a.Same {
			for k := range m.N {
				got += fmt.Sprintf("%s%d=%d ", pathOf(c.a).Steps[m.A+k].Event.What, m.A+k+1, m.B+k+1)
			}
		}
		if got != c.want {
			t.Errorf("%q and %q: %s, want %s", c.a, c.b, got, c.want)
		}
	}
}

// TestAlignStart checks that two paths whose starts differ have no common prefix.
func TestAlignStart(t *testing.T) {
	a, b := pathOf("a b"), pathOf("a b")
	b.Start = []Choice{{Kind: Coin, Of: 2, What: "root: n1"}}
	if got := Align(a, b); got.Prefix != 0 || got.Paired() != 2 {
		t.Errorf("%+v", got)
	}
}

// TestAlignIsLongest checks that pairs are equal events, in order and in maximal stretches, and that there are as
// many as the textbook algorithm finds, whether all rows are kept or only halves at a time.
func TestAlignIsLongest(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	draw := func(n, events int) []int {
		out := make([]int, n)
		for i := range out {
			out[i] = random.IntN(events)
		}
		return out
	}
	for range 400 {
		events := 1 + random.IntN(90)
		x, y := draw(random.IntN(200), events), draw(random.IntN(200), events)
		var whole, halved Alignment
		whole.subsequence(x, y, 0, 0, rowsMost)
		halved.subsequence(x, y, 0, 0, 1)
		for _, a := range []Alignment{whole, halved} {
			at := Match{}
			for k, m := range a.Same {
				if k > 0 && m.A == at.A && m.B == at.B {
					t.Fatalf("stretches %v, of which two are one", a.Same)
				}
				if m.A < at.A || m.B < at.B || !slices.Equal(x[m.A:m.A+m.N], y[m.B:m.B+m.N]) {
					t.Fatalf("pairs %v of\n%v and\n%v", a.Same, x, y)
				}
				at = Match{A: m.A + m.N, B: m.B + m.N}
			}
			if got, want := a.Paired(), textbook(x, y); got != want {
				t.Fatalf("%d pairs, want %d, of\n%v and\n%v", got, want, x, y)
			}
		}
	}
}

func textbook(x, y []int) int {
	row := make([]int, len(y)+1)
	for _, n := range x {
		corner := 0
		for k := range y {
			up := row[k+1]
			if n == y[k] {
				row[k+1] = corner + 1
			} else {
				row[k+1] = max(up, row[k])
			}
			corner = up
		}
	}
	return row[len(y)]
}

// BenchmarkAlign aligns two paths of 10,000 steps: a pair with most steps in common, and a
// pair with nearly none.
func BenchmarkAlign(b *testing.B) {
	const n = 10_000
	random := rand.New(rand.NewPCG(1, 2))
	draw := func(events int) *Path {
		p := new(Path)
		for range n {
			p.Steps = append(p.Steps, Step{Event: Choice{Kind: Event, Of: 1, What: fmt.Sprintf("n%d timer", random.IntN(events))}})
		}
		return p
	}
	few, few2, many, many2 := draw(10), draw(10), draw(5_000), draw(5_000)
	changed := &Path{Steps: slices.Clone(few.Steps)}
	for k := 7; k < n; k += 13 {
		changed.Steps[k].Event.What = "other"
	}
	for _, c := range []struct {
		name string
		a, b *Path
	}{{"changed", few, changed}, {"few", few, few2}, {"many", many, many2}} {
		b.Run(c.name, func(b *testing.B) {
			for range b.N {
				Align(c.a, c.b)
			}
		})
	}
}
