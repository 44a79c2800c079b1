package main

import (
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const sample = `package p

func (t *table[K]) put(k, v int) bool {
	if k < 3 && !t.has(k) {
		t.n++
		t.last = v
		t.grow()
		return true
	}
	return t.n == 0
}
`

// Every mutant is a file that parses, differs, and has an identity of its own that
// does not depend on where the file is.
func TestMutants(t *testing.T) {
	ms, err := mutantsOf("room", "p", "p.go", sample)
	if err != nil {
		t.Fatal(err)
	}
	moved, err := mutantsOf("room", "p", "other/q.go", "package p\n\n\n\n"+sample[len("package p\n"):])
	if err != nil || len(moved) != len(ms) {
		t.Fatalf("%d mutants, and %d where the file is another one: %v", len(ms), len(moved), err)
	}
	kinds, seen := map[string]int{}, map[string]bool{}
	for i, m := range ms {
		kinds[m.Kind]++
		if m.text == sample || m.Old == m.New {
			t.Errorf("it changes nothing: %s", m)
		}
		if _, err := parser.ParseFile(token.NewFileSet(), "p.go", m.text, 0); err != nil {
			t.Errorf("%s: %v", m, err)
		}
		if seen[m.ID] {
			t.Errorf("its identity is another's, too: %s", m)
		}
		seen[m.ID] = true
		if m.ID != moved[i].ID {
			t.Errorf("it has the identity %s, and %s where the file is another one: %s", m.ID, moved[i].ID, m)
		}
		if m.Function != "table.put" {
			t.Errorf("it is said to be in %s", m.Function)
		}
	}
	for _, kind := range []string{"condition flipped", "condition dropped", "bound moved", "update dropped", "answer turned"} {
		if kinds[kind] == 0 {
			t.Errorf("there is none of the kind %q: %v", kind, kinds)
		}
	}
}

// The places of mutants are sorted before one is drawn: the order of files does not count.
func TestDrawIsTheSame(t *testing.T) {
	a := source{"netsim", "a", "a.go", sample}
	b := source{"netsim", "b", "b.go", "package p\n\nfunc f(x int) int { return x + 1 }\n"}
	was := names
	names = nil
	defer func() { names = was }()
	first, err := draw([]source{a, b}, 5, 1)
	if err != nil {
		t.Fatal(err)
	}
	second, err := draw([]source{b, a}, 5, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range first.upTo() {
		if second.upTo()[i].ID != m.ID {
			t.Errorf("the mutant %d is %s or %s", i, m.ID, second.upTo()[i].ID)
		}
	}
}

// Adding a function keeps the mutants that were drawn before, except for the number drawn from
// the new function.
func TestDrawIsStable(t *testing.T) {
	was := names
	names = nil
	defer func() { names = was }()
	var many strings.Builder
	for i := range 40 {
		fmt.Fprintf(&many, "func f%d(x int) bool { return x < %d }\n", i, i)
	}
	text := "package p\n" + many.String()
	drawn := func(text string) map[string]bool {
		q, err := draw([]source{{"netsim", "a", "a.go", text}}, 20, 1)
		if err != nil {
			t.Fatal(err)
		}
		ids := map[string]bool{}
		for _, m := range q.upTo() {
			ids[m.ID] = true
		}
		return ids
	}
	old, now := drawn(text), drawn("package p\nfunc g(x int) bool { return x < 3 }\n"+text[len("package p\n"):])
	kept := 0
	for id := range old {
		if now[id] {
			kept++
		}
	}
	if len(old) != 20 || len(now) != 20 || kept < 17 { // g has three
		t.Errorf("of %d mutants %d are drawn where a function is added, in all %d", len(old), kept, len(now))
	}
}

// The tests of the mutant's own package come first, but for the slowest.
func TestOrder(t *testing.T) {
	most, rest := "./internal/search -"+slow, "./internal/search "+slow
	for _, c := range []struct {
		pkg, file string
		want      []string
	}{
		{"macemc/choose", "../../choose/walk.go", []string{"./choose", "./internal/oracle", most, rest}},
		{"macemc/internal/search", "../../internal/search/search.go", []string{"./internal/oracle", "./choose", most, rest}},
		{"macemc/internal/search/internal/walk", "../../internal/search/internal/walk/x.go", []string{"./internal/search/internal/walk", "./internal/oracle", "./choose", most, rest}},
		{"macemc/internal/search/nothing", "../../internal/search/nothing/x.go", []string{"./internal/oracle", "./choose", most, rest}},
	} {
		got := order(&mutant{Package: c.pkg, File: c.file}, []string{"./internal/oracle", "./choose", most, rest})
		if !slices.Equal(got, c.want) {
			t.Errorf("of %s: %v, want %s", c.pkg, got, c.want)
		}
	}
}

// Every named mutant has its text in exactly one place. Otherwise the command would end with an error.
func TestNamesHavePlaces(t *testing.T) {
	t.Chdir("../..")
	files, err := sources()
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		if _, err := n.find(files); err != nil {
			t.Error(err)
		}
	}
}

// Every test that is listed as slow exists. One with another name now would run with the quick ones.
func TestSlowTestsAreThere(t *testing.T) {
	files, err := filepath.Glob("../../internal/search/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	for name := range strings.SplitSeq(slow, "|") {
		if name = strings.TrimSuffix(name, "$"); !strings.Contains(all.String(), "\nfunc "+name) {
			t.Errorf("no test of search is called %s: see slow in main.go", name)
		}
	}
}

// sleeper is the output of a package's tests if one of them was still running when the time was over.
const sleeper = "panic: test timed out after 20s\n\trunning tests:\n\t\tTestKept (20s)\n\t\tTestKept/one (5s)\n\ngoroutine 17 [running]:\n"

// The test that was running when the time was over is recognized, with the time that it has run. It hangs if,
// without the mutant, it passes in a fraction of that time.
func TestHangs(t *testing.T) {
	at := running.FindStringSubmatch(sleeper)
	if len(at) != 3 || at[1] != "TestKept" || at[2] != "20s" {
		t.Fatalf("of %q is read %q", sleeper, at)
	}
	for _, c := range []struct {
		test, running string
		want          bool
	}{{"TestMutants", "1m0s", true}, {"TestMutants", "4s", false}, {"TestHangsForEver", "5s", false}} {
		if got := hangs(t.Context(), ".", c.test, c.running, t.TempDir()); got != c.want {
			t.Errorf("%s, running for %s, hangs: %v", c.test, c.running, got)
		}
	}
}

// TestHangsForEver passes only where it is not run alone.
func TestHangsForEver(t *testing.T) {
	if f := flag.Lookup("test.run"); f.Value.String() == "^TestHangsForEver$" {
		<-t.Context().Done()
	}
}
