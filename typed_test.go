package macemc_test

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// A checked is a package of this module, type-checked from its sources without
// its tests. All of them share their objects, so that a field has one identity
// in every package that writes it.
type checked struct {
	path    string // from the root of the repository
	sources []source
	pkg     *types.Package
	info    *types.Info
}

// typed returns the packages of this module, those that a package imports
// before it. It type-checks them once for all tests.
func typed(t *testing.T) []checked {
	t.Helper()
	all, err := typeChecked()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

var typeChecked = sync.OnceValues(func() ([]checked, error) {
	sources, err := parse(os.DirFS("."))
	if err != nil {
		return nil, err
	}
	var built []source
	for _, s := range sources {
		if fits, err := build.Default.MatchFile(path.Split(s.path)); err != nil {
			return nil, err
		} else if fits {
			built = append(built, s)
		}
	}
	return typeCheck(built)
})

// typeCheck type-checks the packages of sources, except for tests. It imports
// packages of other modules from the export data of the build cache.
func typeCheck(sources []source) ([]checked, error) {
	packages, outside := map[string][]source{}, map[string]bool{}
	for _, s := range sources {
		if s.test {
			continue
		}
		packages[s.pkg] = append(packages[s.pkg], s)
		for _, spec := range s.file.Imports {
			if imported, _ := strconv.Unquote(spec.Path.Value); !strings.HasPrefix(imported, module+"/") {
				outside[imported] = true
			}
		}
	}
	exports, err := exportData(sortedKeys(outside))
	if err != nil {
		return nil, err
	}
	c := &checker{packages: packages, done: map[string]*types.Package{}}
	if len(sources) > 0 {
		c.fset = sources[0].fset
		c.outside = importer.ForCompiler(c.fset, "gc", func(name string) (io.ReadCloser, error) {
			if exports[name] == "" {
				return nil, fmt.Errorf("no export data of %s", name)
			}
			return os.Open(exports[name])
		})
	}
	for _, name := range sortedKeys(packages) {
		if _, err := c.Import(module + "/" + name); err != nil {
			return nil, err
		}
	}
	return c.all, nil
}

// A checker imports packages of this module from their sources, each once.
type checker struct {
	packages map[string][]source
	fset     *token.FileSet
	outside  types.Importer
	done     map[string]*types.Package
	all      []checked
}

func (c *checker) Import(name string) (*types.Package, error) {
	folder, ours := strings.CutPrefix(name, module+"/")
	if !ours {
		return c.outside.Import(name)
	}
	if pkg := c.done[folder]; pkg != nil {
		return pkg, nil
	}
	if len(c.packages[folder]) == 0 {
		return nil, fmt.Errorf("no package %s", name)
	}
	info := &types.Info{
		Types:      map[ast.Expr]types.TypeAndValue{},
		Defs:       map[*ast.Ident]types.Object{},
		Uses:       map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	var files []*ast.File
	for _, s := range c.packages[folder] {
		files = append(files, s.file)
	}
	pkg, err := (&types.Config{Importer: c}).Check(name, c.fset, files, info)
	if err != nil {
		return nil, err
	}
	c.done[folder] = pkg
	c.all = append(c.all, checked{folder, c.packages[folder], pkg, info})
	return pkg, nil
}

// exportData returns the files of export data of packages and of all that they
// import. The go command keeps these files in the build cache.
func exportData(packages []string) (map[string]string, error) {
	exports := map[string]string{}
	if len(packages) == 0 {
		return exports, nil
	}
	list := exec.Command("go", append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}, packages...)...)
	list.Stderr = os.Stderr
	text, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("%v: %w", list, err)
	}
	for line := range strings.Lines(string(text)) {
		if name, file, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			exports[name] = file
		}
	}
	return exports, nil
}
