package vet

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
)

// TestHandlers checks that each bad handler in testdata is reported with its error, and that no good handler is, though
// they look similar.
func TestHandlers(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	analysistest.Run(t, root, Analyzer, "./internal/vet/testdata/bad", "./internal/vet/testdata/good")
	for folder, least := range map[string]int{"bad": 40, "good": 40} {
		if n := handlers(t, filepath.Join("testdata", folder, folder+".go")); n < least {
			t.Errorf("testdata/%s has %d handlers; it must have %d or more", folder, n, least)
		}
	}
}

// handlers returns the number of functions in a file that have a sim.Env as a parameter.
func handlers(t *testing.T, name string) (n int) {
	f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(node ast.Node) bool {
		if p, ok := node.(*ast.Field); ok {
			s, is := p.Type.(*ast.SelectorExpr)
			if is && s.Sel.Name == "Env" {
				n++
			}
		}
		return true
	})
	return n
}

// TestCalled checks that Called returns true only for the arguments with which go vet calls its tool.
func TestCalled(t *testing.T) {
	for _, c := range []struct {
		args []string
		want bool
	}{
		{nil, false},
		{[]string{"-V=full"}, true},
		{[]string{"-flags"}, true},
		{[]string{"/tmp/go-build1/b001/vet.cfg"}, true},
		{[]string{"-results=all", "/tmp/go-build1/b001/vet.cfg"}, true},
		{[]string{"replay", "odd.cfg"}, false},
		{[]string{"vet", "./..."}, false},
	} {
		if got := Called(c.args); got != c.want {
			t.Errorf("Called(%q) = %v, want %v", c.args, got, c.want)
		}
	}
}
