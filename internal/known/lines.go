package known

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// Line is a line of a system's code that a known bug changes.
type Line struct {
	File string // as the build names it
	Line int
	Text string
}

// Lines returns the lines of code that ask whether the bug is switched on, or pass that on. It reads the
// sources from which the system was built; if they are missing, the error names their folder.
func (e Entry) Lines() (lines []Line, err error) {
	dir := e.sources()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("the sources of %s are not here; they were in %s when this program was built", e.System.Name, dir)
	}
	if err != nil {
		return nil, err
	}
	constant, uses := "", map[string][]token.Position{}
	layers := map[string]bool{}
	for _, name := range names {
		if err := read(name, string(e.ID), &constant, uses, layers); err != nil {
			return nil, err
		}
	}
	for _, layer := range slices.Sorted(maps.Keys(layers)) { // the bug may be one of a layer
		if constant != "" {
			break
		}
		names, err := filepath.Glob(filepath.Join(layer, "*.go"))
		if err != nil {
			return nil, err
		}
		clear(uses)
		for _, name := range names {
			if err := read(name, string(e.ID), &constant, uses, map[string]bool{}); err != nil {
				return nil, err
			}
		}
	}
	for _, at := range uses[constant] {
		line := Line{at.Filename, at.Line, ""}
		if line.Text, err = lineOf(at); err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return slices.CompactFunc(lines, func(a, b Line) bool { return a.File == b.File && a.Line == b.Line }), nil
}

// read parses a file, for Entry.Lines. It sets constant to the name of the constant that is the id of the
// bug, adds the uses of names to uses, and adds the folders of imported packages of the same module to
// layers.
func read(name, bug string, constant *string, uses map[string][]token.Position, layers map[string]bool) error {
	if strings.HasSuffix(name, "_test.go") {
		return nil
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, nil, 0)
	if err != nil {
		return err
	}
	look(file, bug, constant, func(id string, at token.Pos) { uses[id] = append(uses[id], set.Position(at)) })
	root, module := moduleOf(filepath.Dir(name))
	for _, imp := range file.Imports {
		path, err := strconv.Unquote(imp.Path.Value)
		if within, is := strings.CutPrefix(path, module+"/"); err == nil && is && module != "" {
			layers[filepath.Join(root, within)] = true
		}
	}
	return nil
}

// moduleOf returns the root folder and the path of the module that contains a folder. Both are "" if it is
// in none that can be read.
func moduleOf(dir string) (root, path string) {
	for root = dir; ; root = filepath.Dir(root) {
		text, err := os.ReadFile(filepath.Join(root, "go.mod"))
		if err == nil {
			line, _, _ := strings.Cut(string(text), "\n")
			return root, strings.TrimSpace(strings.TrimPrefix(line, "module "))
		}
		if root == filepath.Dir(root) {
			return "", ""
		}
	}
}

// sources returns the folder with the code of the system: that of the file with its function New.
func (e Entry) sources() string {
	f := runtime.FuncForPC(reflect.ValueOf(e.System.New).Pointer())
	file, _ := f.FileLine(f.Entry())
	return filepath.Dir(file)
}

// look sets constant to the name of the constant that is the id of a bug, if file declares it. It calls
// use for each use of a name, except in declarations of constants and in the system's list of bugs.
func look(file *ast.File, bug string, constant *string, use func(name string, at token.Pos)) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			for i, v := range n.Values {
				if lit, ok := v.(*ast.BasicLit); ok && lit.Value == `"`+bug+`"` && i < len(n.Names) {
					*constant = n.Names[i].Name
					return false
				}
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && key.Name == "ID" {
				return false
			}
		case *ast.Ident:
			use(n.Name, n.Pos())
		}
		return true
	})
}

func lineOf(at token.Position) (string, error) {
	text, err := os.ReadFile(at.Filename)
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(strings.Split(string(text), "\n")[at.Line-1]), nil
}
