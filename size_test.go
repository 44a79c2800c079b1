package macemc_test

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"macemc/internal/long"
)

// sized are the rows of the table "How large it is".
var sized = []struct{ name, packages string }{
	{"sim", "sim"},
	{"internal/world, kinds, sight, guard", "internal/world internal/kinds internal/sight internal/guard"},
	{"search and below", "search search/internal/*"},
	{"critical, internal/decide", "critical internal/decide"},
	{"internal/account, report, finding", "internal/account internal/report internal/finding"},
	{"internal/canon", "internal/canon internal/canon/fast"},
	{"eventgraph", "eventgraph"},
	{"mdb", "mdb mdb/tui"},
	{"command, macetest", "command macetest cmd/macemc"},
	{"macetime, disk, trail", "macetime internal/disk internal/trail"},
	{"live, internal/codec, merge", "live live/* internal/codec internal/merge"},
	{"internal/oracle, mutants, rename", "internal/oracle internal/mutants internal/rename"},
	{"internal/lines, history, layers", "internal/lines history layers/*"},
	{"systems", "systems/*"},
}

// size is what is counted of a room.
type size struct{ code, comment, names, arrows, back int }

func (s *size) add(o size) {
	*s = size{s.code + o.code, s.comment + o.comment, s.names + o.names, s.arrows + o.arrows, s.back + o.back}
}

// TestSize tells what stands in ARCHITECTURE.md under "How large it is".
func TestSize(t *testing.T) {
	if !*long.On {
		t.Skip("counts, and judges nothing: -long")
	}
	fset := token.NewFileSet()
	from := importer.ForCompiler(fset, "source", nil)
	rows, small, all := make([]size, len(sized)), size{}, size{}
	var kinds []string
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if name != "." && (skipped(name) || exists(os.DirFS(name), "go.mod")) {
			return fs.SkipDir
		}
		s, types := measure(t, fset, from, name)
		kinds = append(kinds, types...)
		all.add(s)
		row := slices.IndexFunc(sized, func(r struct{ name, packages string }) bool { return matches(strings.Fields(r.packages), name) })
		if row < 0 {
			small.add(s)
		} else {
			rows[row].add(s)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	tell := func(name string, s size) {
		t.Logf("%-40s code %6d  names %5d  back %2d%%  comment / code %.2f", name, s.code, s.names,
			100*s.back/max(1, s.arrows), float64(s.comment)/float64(max(1, s.code)))
	}
	for i, r := range sized {
		tell(r.name, rows[i])
	}
	tell("the other small rooms", small)
	tell("all", all)
	t.Log("types of 60 fields and methods or more:\n" + strings.Join(kinds, "\n"))
}

// measure counts a package, and names its types that are large.
func measure(t *testing.T, fset *token.FileSet, from types.Importer, folder string) (s size, large []string) {
	var files []*ast.File
	number := map[string]int{} // of a file, by its name
	names, _ := filepath.Glob(filepath.Join(folder, "*.go"))
	for _, name := range names {
		if fits, err := build.Default.MatchFile(folder, filepath.Base(name)); !fits || err != nil || strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(fset, name, text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		number[name] = len(files)
		files = append(files, file)
		for line := range strings.Lines(string(text)) {
			switch line = strings.TrimSpace(line); {
			case strings.HasPrefix(line, "//"):
				s.comment++
			case line != "":
				s.code++
			}
		}
	}
	if len(files) == 0 {
		return s, nil
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: from, Error: func(error) {}} // what cgo and assembly supply is not there
	pkg, _ := config.Check(folder, fset, files, info)
	for _, name := range pkg.Scope().Names() {
		if token.IsExported(name) {
			s.names++
		}
		if named, ok := pkg.Scope().Lookup(name).Type().(*types.Named); ok {
			fields := 0
			if st, ok := named.Underlying().(*types.Struct); ok {
				fields = st.NumFields()
			}
			if _, is := pkg.Scope().Lookup(name).(*types.TypeName); is && fields+named.NumMethods() >= 60 {
				large = append(large, fmt.Sprintf("%s.%s %d and %d", folder, name, fields, named.NumMethods()))
			}
		}
	}
	arrows := map[[2]int]bool{} // from file to file
	for from, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			id, _ := n.(*ast.Ident)
			if o := info.Uses[id]; o != nil && o.Pkg() == pkg {
				if to, ok := number[fset.Position(o.Pos()).Filename]; ok && to != from {
					arrows[[2]int{from, to}] = true
				}
			}
			return true
		})
	}
	s.arrows, s.back = len(arrows), against(len(files), arrows)
	return s, large
}

// against is how many arrows run back in the best order of files that moving one
// after another finds.
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
