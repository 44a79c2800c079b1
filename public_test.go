package macemc_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// public are the packages that a user's service, its tests and its program import.
var public = []string{"sim", "macetest", "macetime", "command", "history", "layers", "live", "search", "choose", "netsim", "critical", "eventgraph", "mdb", "program", "refine", "simfs", "trace"}

// TestPublicIsDocumented: every exported identifier of the public packages has a comment. A group
// of constants may share one, and a field or a constant may have it at the end of its line.
func TestPublicIsDocumented(t *testing.T) {
	for _, root := range public {
		err := filepath.WalkDir(root, func(folder string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			if d.Name() == "internal" || d.Name() == "testdata" {
				return fs.SkipDir
			}
			unsaidOf(t, folder)
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", root, err)
		}
	}
}

// Each package that a user imports has an example with an output, which go test runs.
func TestPublicHasExamples(t *testing.T) {
	for _, folder := range []string{
		"choose", "command", "critical", "eventgraph", "history", "layers/broadcast", "layers/machine", "layers/rpc", "live", "macetest",
		"macetime", "mdb", "netsim", "program", "refine", "search", "sim", "simfs", "trace",
	} {
		names, _ := filepath.Glob(filepath.Join(folder, "*_test.go"))
		runs := 0
		for _, name := range names {
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range doc.Examples(f) {
				if e.Output != "" {
					runs++
				}
			}
		}
		if runs == 0 {
			t.Errorf("%s has no Example function with an output", folder)
		}
	}
}

func unsaidOf(t *testing.T, folder string) {
	t.Helper()
	files := token.NewFileSet()
	names, _ := filepath.Glob(filepath.Join(folder, "*.go"))
	var parsed []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(files, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, f)
	}
	if len(parsed) == 0 {
		return
	}
	pkg, err := doc.NewFromFiles(files, parsed, folder)
	if err != nil {
		t.Fatal(err)
	}
	lacks := func(what, text string) {
		if strings.TrimSpace(text) == "" {
			t.Errorf("%s: %s has no sentence that says what it is", folder, what)
		}
	}
	values := func(all []*doc.Value) {
		for _, v := range all {
			for _, spec := range v.Decl.Specs {
				s := spec.(*ast.ValueSpec)
				for _, name := range s.Names {
					if name.IsExported() {
						lacks(name.Name, v.Doc+s.Doc.Text()+s.Comment.Text())
					}
				}
			}
		}
	}
	funcs := func(of string, all []*doc.Func) {
		for _, f := range all {
			if f.Name != "String" && f.Name != "Error" { // what these are, fmt and the language say
				lacks(of+f.Name, f.Doc)
			}
		}
	}
	values(pkg.Consts)
	values(pkg.Vars)
	funcs("", pkg.Funcs)
	for _, one := range pkg.Types {
		lacks(one.Name, one.Doc)
		values(one.Consts)
		values(one.Vars)
		funcs("", one.Funcs)
		funcs(one.Name+".", one.Methods)
	}
}
