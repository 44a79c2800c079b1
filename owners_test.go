package macemc_test

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var lower = flag.Bool("lower", false, "with -run TestOwners: write the lower ceilings into "+ceilings)

const (
	ceilings    = "testdata/owners.txt"
	shareMost   = 35 // of each package, in percent
	usualWrites = 5  // a package with more foreign writes may have a lower ceiling in the file
)

// TestOwners holds the share of foreign writes in each package to 35 %, and to a
// ceiling that may only sink where the file has one. A write is foreign if a field is assigned by code that does
// not belong to the type that declares the field.
//
// It counts assignments, ++ and --, the variables of a range, and
// delete, clear and copy, in the code of this module without its tests, where
// the last field on the left is declared by a struct type of this module, in the
// same package or another. So x.f.g = v writes g and not f, and x.list[i] = v,
// *x.pointer = v and delete(x.table, k) write list, pointer and table. *x = T{}
// is one write. A field that is promoted through embedding belongs to the type
// that declares it.
//
// The writer is found as follows. A method belongs to its receiver's type, a function without
// a receiver to the types that it returns, and a function literal to the
// declaration around it. A type that is declared in a function belongs to it.
//
// A method whose statements all assign its arguments, or constants beside them, is
// a field by another name: its writes count where it is called or mentioned,
// and not in its body. The exception are assignments to a local variable by value
// (var o Options; o.Depth = 3), which no other code can see.
//
// The test does not see writes through a pointer, a slice or a map that was taken
// from a field first (m := x.table; m[k] = v), and calls through interfaces.
func TestOwners(t *testing.T) {
	text, err := os.ReadFile(ceilings)
	if err != nil {
		t.Fatal(err)
	}
	found := writes(typed(t))
	lowered, problems := holdCeilings(string(text), shares(found))
	if *lower {
		if err := os.WriteFile(ceilings, []byte(lowered), 0o666); err != nil {
			t.Fatal(err)
		}
		t.Logf("wrote %s", ceilings)
		return
	}
	for _, p := range problems {
		t.Errorf("%s%s", p.text, pairs(found, p.pkg))
	}
}

// A share is how many of the writes of a package are foreign.
type share struct{ foreign, all int }

func (s share) percent() int { return 100 * s.foreign / max(1, s.all) }

// above reports whether both the number and the share of foreign writes are above
// those of a ceiling. Deleting writes that are not foreign raises the share
// alone, and new code of the same kind the number alone: both are allowed.
func (s share) above(ceiling share) bool {
	return s.foreign > ceiling.foreign && s.foreign*ceiling.all > ceiling.foreign*s.all
}

// below reports whether a ceiling is too high: by more than one write in a hundred.
func (s share) below(ceiling share) bool { return s.percent() < ceiling.percent()-1 }

func (s share) String() string {
	return fmt.Sprintf("%d of %d writes, %d%%", s.foreign, s.all, s.percent())
}

// shares counts the writes of each package.
func shares(found []write) map[string]share {
	counts := map[string]share{}
	for _, w := range found {
		s := counts[w.pkg]
		s.all++
		if !w.own {
			s.foreign++
		}
		counts[w.pkg] = s
	}
	return counts
}

// A shareProblem is a package whose share differs from its ceiling.
type shareProblem struct {
	pkg, text string
	high      bool
}

// holdCeilings compares shares with the ceilings in text. It returns the problems,
// and text with each ceiling that is too high lowered to the share.
func holdCeilings(text string, now map[string]share) (lowered string, problems []shareProblem) {
	var b strings.Builder
	for line := range strings.Lines(text) {
		var pkg string
		var ceiling share
		if n, _ := fmt.Sscan(line, &pkg, &ceiling.foreign, &ceiling.all); strings.HasPrefix(line, "#") || n < 3 {
			b.WriteString(line)
			continue
		}
		has, exists := now[pkg]
		switch {
		case !exists || has.below(ceiling):
			problems = append(problems, shareProblem{pkg, fmt.Sprintf(
				"%s: %v are foreign, and the ceiling is %v: lower it with go test . -run TestOwners -lower", pkg, has, ceiling), false})
			if has.foreign > usualWrites {
				fmt.Fprintln(&b, pkg, has.foreign, has.all)
			}
			continue
		case has.above(ceiling):
			problems = append(problems, shareProblem{pkg, fmt.Sprintf(
				"%s: %v are foreign, and the ceiling is %v: let the type that declares a field write it", pkg, has, ceiling), true})
		}
		b.WriteString(line)
	}
	for _, pkg := range sortedKeys(now) {
		if has := now[pkg]; has.percent() > shareMost {
			problems = append(problems, shareProblem{pkg, fmt.Sprintf(
				"%s: %v are foreign, and a package may have %d%%: let the type that declares a field write it", pkg, has, shareMost), true})
		}
	}
	return b.String(), problems
}

// pairs describes which types' fields are written most often by which other types in a package.
func pairs(found []write, pkg string) string {
	times := map[string]int{}
	for _, w := range found {
		if w.pkg == pkg && !w.own {
			times[w.writer+" writes "+w.owner.Name()]++
		}
	}
	most := sortedKeys(times)
	slices.SortStableFunc(most, func(a, b string) int { return cmp.Compare(times[b], times[a]) })
	text := ""
	for _, pair := range most[:min(10, len(most))] {
		text += fmt.Sprintf("\n\t%4d times %s", times[pair], pair)
	}
	return text
}

func TestOwnersFire(t *testing.T) {
	for _, test := range []struct{ name, body, want string }{
		{"own", `func (a *A) set() { a.x = 1; a.list[0]++; delete(a.table, 1); *a = A{} }`, "0 of 4"},
		{"another type's", `func (b *B) set(a *A) { a.x = 1; a.list[0]++; delete(a.table, 1); *a = A{} }`, "4 of 4"},
		{"the last field that is named", `func (b *B) set() { b.a.x = 1; b.many[0].x = 1; b.many[0] = nil }`, "2 of 3"},
		{"a promoted field", `func (c *C) set() { c.x = 1; c.own = 1 }`, "1 of 2"},
		{"a function", `func f(a *A) { a.x = 1 }`, "1 of 1"},
		{"a constructor", `func f() *A { a := &A{}; a.x = 1; return a }`, "0 of 1"},
		{"a literal in a method", `func (b *B) f(a *A) func() { return func() { a.x, b.a = 1, a } }`, "1 of 2"},
		{"a copy", `func (b *B) f(a A) int { a.x = 1; a.list[0] = 1; return a.x }`, "1 of 1"},
		{"a setter", `func (a *A) set(x int) { a.x = x }; func (b *B) f() { b.a.set(3) }; func (a *A) g() { a.set(4) }`, "1 of 2"},
		{"a setter that is mentioned", `func (a *A) set(x int) { a.x = x }; func (b *B) f() func(int) { return b.a.set }`, "1 of 1"},
		{"a method that does more", `func (a *A) add(x int) { a.x += x; a.list = append(a.list, x) }; func (b *B) f() { b.a.add(3) }`, "0 of 2"},
		{"a range", `func (b *B) f(a *A) { for a.x = range 3 {} }`, "1 of 1"},
		{"another package's", `func f(o *other.O) { o.X = 1 }`, "1 of 1"},
		{"a type parameter", `func (p *P[T]) f(x T) { p.x = x; p.n++ }; func f(p *P[int]) { p.f(1); p.x = 1 }`, "1 of 3"},
	} {
		t.Run(test.name, func(t *testing.T) {
			all, err := typeCheck(mustParse(house(map[string]string{
				"sim/a.go": `package sim; import "macemc/other"
					type A struct { x int; list []int; table map[int]int }
					type B struct { a *A; many []*A }
					type C struct { A; own int }
					type P[T any] struct { x T; n int }
					var _ other.O
					` + test.body,
				"other/o.go": `package other; type O struct { X int }`,
			})))
			if err != nil {
				t.Fatal(err)
			}
			if got := shares(writes(all))["sim"]; fmt.Sprintf("%d of %d", got.foreign, got.all) != test.want {
				t.Errorf("%v are foreign, want %s", got, test.want)
			}
		})
	}
}

func TestCeilingsFire(t *testing.T) {
	const file = "# a comment\nsim 20 80\n"
	for _, test := range []struct {
		name          string
		now           map[string]share
		problem, then string // then: the file with ceilings lowered
	}{
		{"at the ceiling", map[string]share{"sim": {20, 80}}, "", file},
		{"more of the same", map[string]share{"sim": {25, 100}}, "", file},
		{"fewer in all", map[string]share{"sim": {20, 60}}, "", file},
		{"above", map[string]share{"sim": {21, 81}}, "sim: 21 of 81 writes, 25% are foreign, and the ceiling is 20 of 80", file},
		{"a little below", map[string]share{"sim": {19, 79}}, "", file},
		{"below", map[string]share{"sim": {15, 80}}, "lower it with", "# a comment\nsim 15 80\n"},
		{"hardly any left", map[string]share{"sim": {3, 80}}, "lower it with", "# a comment\n"},
		{"gone", nil, "lower it with", "# a comment\n"},
		{"fewer in all, and above the limit", map[string]share{"sim": {20, 40}}, "sim: 20 of 40 writes, 50% are foreign, and a package may have 35%", file},
		{"a new package", map[string]share{"sim": {20, 80}, "new": {6, 12}}, "new: 6 of 12", file},
		{"a new package with few", map[string]share{"sim": {20, 80}, "new": {1, 2}}, "new: 1 of 2", file},
		{"a new package with a small share", map[string]share{"sim": {20, 80}, "new": {30, 100}}, "", file},
	} {
		t.Run(test.name, func(t *testing.T) {
			then, problems := holdCeilings(file, test.now)
			if then != test.then {
				t.Errorf("lowered to %q, want %q", then, test.then)
			}
			if got := fmt.Sprint(problems); test.problem == "" && len(problems) > 0 || !strings.Contains(got, test.problem) {
				t.Errorf("the problems are %q, want one with %q", got, test.problem)
			}
		})
	}
}
