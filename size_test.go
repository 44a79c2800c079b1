package macemc_test

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"macemc/internal/long"
)

// A size is what TestSize counts of a package.
type size struct{ code, comment, names, arrows, back, long int }

func (s *size) add(o size) {
	*s = size{s.code + o.code, s.comment + o.comment, s.names + o.names, s.arrows + o.arrows, s.back + o.back, s.long + o.long}
}

// TestSize prints the size of each package, of each tool, and of all of them,
// except for examples: lines of code without blanks, comments and tests; exported names
// without methods; the share of foreign writes, as TestOwners counts them; the
// share of uses between files that run against the best order of the files;
// lines of comment for each line of code; and functions of more than 50 lines.
func TestSize(t *testing.T) {
	if !*long.On {
		t.Skip("counts, and judges nothing: -long")
	}
	all, of := typed(t), map[string]size{}
	var sum size
	var large []largeType
	for _, c := range all {
		of[c.path] = measure(c)
		sum.add(of[c.path])
		large = append(large, largeTypes(c)...)
	}
	foreign, total := shares(writes(all)), share{}
	for _, pkg := range sortedKeys(of) {
		total.foreign, total.all = total.foreign+foreign[pkg].foreign, total.all+foreign[pkg].all
		t.Log(row(pkg, of[pkg], foreign[pkg]))
	}
	for _, module := range tools(t) {
		code, comment := 0, 0
		for _, s := range module.sources {
			if !s.test {
				c, more := lines(s.text)
				code, comment = code+c, comment+more
			}
		}
		sum.add(size{code: code, comment: comment})
		t.Logf("%-25s code %6d", module.path, code)
	}
	t.Log(row("all", sum, total))
	slices.SortFunc(large, func(a, b largeType) int { return cmp.Compare(b.fields+b.methods, a.fields+a.methods) })
	for _, l := range large[:5] {
		t.Logf("%s has %d fields and %d methods", l.name, l.fields, l.methods)
	}
}

// tools returns the modules below tools, which are parsed only.
func tools(t *testing.T) (all []checked) {
	t.Helper()
	files, err := filepath.Glob("tools/*/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		sources, err := parse(os.DirFS(filepath.Dir(file)))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, checked{path: filepath.Dir(file), sources: sources})
	}
	return all
}

func row(name string, s size, foreign share) string {
	return fmt.Sprintf("%-25s code %6d  names %5d  foreign %4d of %4d %3d%%  back %2d%%  comment / code %.2f  over 50 lines %3d",
		name, s.code, s.names, foreign.foreign, foreign.all, foreign.percent(),
		100*s.back/max(1, s.arrows), float64(s.comment)/float64(max(1, s.code)), s.long)
}

// measure counts a package.
func measure(c checked) (s size) {
	for _, source := range c.sources {
		code, comment := lines(source.text)
		s.code, s.comment = s.code+code, s.comment+comment
		for _, d := range source.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && source.line(f.End())-source.line(f.Pos())+1 > 50 {
				s.long++
			}
		}
	}
	for _, name := range c.pkg.Scope().Names() {
		if token.IsExported(name) {
			s.names++
		}
	}
	arrows := arrowsOf(c)
	s.arrows, s.back = len(arrows), against(len(c.sources), arrows)
	return s
}

// lines counts the lines of code and of comments in a file.
func lines(text string) (code, comment int) {
	for line := range strings.Lines(text) {
		switch line = strings.TrimSpace(line); {
		case strings.HasPrefix(line, "//"):
			comment++
		case line != "":
			code++
		}
	}
	return code, comment
}

func (s source) line(pos token.Pos) int { return s.fset.Position(pos).Line }

type largeType struct {
	name            string
	fields, methods int
}

// largeTypes returns the types of a package with their fields and methods.
func largeTypes(c checked) (all []largeType) {
	for _, name := range c.pkg.Scope().Names() {
		if o, is := c.pkg.Scope().Lookup(name).(*types.TypeName); is {
			l := largeType{name: c.path + "." + name}
			if s, ok := o.Type().Underlying().(*types.Struct); ok {
				l.fields = s.NumFields()
			}
			if n, ok := o.Type().(*types.Named); ok {
				l.methods = n.NumMethods()
			}
			all = append(all, l)
		}
	}
	return all
}

// arrowsOf returns which files of a package use names that other files of it
// declare, by the numbers of the files.
func arrowsOf(c checked) map[[2]int]bool {
	number := map[string]int{}
	for i, s := range c.sources {
		number[s.path] = i
	}
	arrows := map[[2]int]bool{}
	for from, s := range c.sources {
		ast.Inspect(s.file, func(n ast.Node) bool {
			id, _ := n.(*ast.Ident)
			if o := c.info.Uses[id]; o != nil && o.Pkg() == c.pkg {
				if to, ok := number[s.fset.Position(o.Pos()).Filename]; ok && to != from {
					arrows[[2]int{from, to}] = true
				}
			}
			return true
		})
	}
	return arrows
}

// against returns the number of arrows that point backwards in a good order of the files. It finds
// the order by moving one file after another.
func against(n int, arrows map[[2]int]bool) int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	count := func() (back int) {
		at := make([]int, n)
		for i, f := range order {
			at[f] = i
		}
		for a := range arrows {
			if at[a[0]] > at[a[1]] {
				back++
			}
		}
		return back
	}
	best := count()
	for better := true; better; {
		better = false
		for i := range order {
			for j := range order {
				was := slices.Clone(order)
				order = slices.Insert(slices.Delete(order, i, i+1), j, was[i])
				if c := count(); c < best {
					best, better = c, true
				} else {
					order = was
				}
			}
		}
	}
	return best
}
