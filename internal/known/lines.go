package known

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
)

// Line is a line of a system's code that a known bug changes.
type Line struct {
	File string // as the build knows it
	Line int
	Text string
}

// Lines are the lines that ask for a known bug, or hand it on: where it is
// switched on. They are read from the sources that the system was built of; the
// error says where those should be.
func (e Entry) Lines() (lines []Line, err error) {
	dir := e.sources()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("the sources of %s are not here; they were in %s when this program was built", e.System.Name, dir)
	}
	var constant string
	uses := map[string][]token.Position{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			return nil, err
		}
		look(file, string(e.ID), &constant, func(id string, at token.Pos) { uses[id] = append(uses[id], set.Position(at)) })
	}
	for _, at := range uses[constant] {
		line := Line{at.Filename, at.Line, ""}
		if line.Text, err = lineOf(at); err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return slices.CompactFunc(lines, func(a, b Line) bool { return a.File == b.File && a.Line == b.Line }), err
}

// sources is the folder of the system's code: that of its function New.
func (e Entry) sources() string {
	f := runtime.FuncForPC(reflect.ValueOf(e.System.New).Pointer())
	file, _ := f.FileLine(f.Entry())
	return filepath.Dir(file)
}

// look finds the constant that is a bug's id, and tells all uses of names but in
// the declarations of constants and in the system's list of bugs.
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
