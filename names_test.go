package macemc_test

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
	"testing"
)

const namesFile = "testdata/names.txt"

// TestPublicNames holds the number of exported names of each package that a user imports to
// a ceiling that may only sink. Every name is one more that a reader of go doc has to pass by,
// so what only this module's own packages need belongs into internal. Methods and fields do
// not count, since nobody reads them before the type. A ceiling is a multiple of five.
// go test . -run TestPublicNames -lower writes the present numbers.
func TestPublicNames(t *testing.T) {
	names := exported(repository(t))
	hold(t, namesFile, namesText(names), func(text string) []string { return holdNames(text, names) })
}

// exported returns the exported names of the packages of public and below them, without tests.
func exported(sources []source) map[string][]string {
	names := map[string][]string{}
	add := func(pkg string, id *ast.Ident) {
		if id.IsExported() {
			names[pkg] = append(names[pkg], id.Name)
		}
	}
	for _, s := range sources {
		top, _, _ := strings.Cut(s.pkg, "/")
		if s.test || !slices.Contains(public, top) || strings.Contains(s.pkg, "internal") {
			continue
		}
		for _, d := range s.file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					add(s.pkg, d.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						add(s.pkg, spec.Name)
					case *ast.ValueSpec:
						for _, id := range spec.Names {
							add(s.pkg, id)
						}
					}
				}
			}
		}
	}
	return names
}

func namesText(names map[string][]string) string {
	text := "# Ceilings of exported names, without methods and fields, by package: see TestPublicNames.\n" +
		"# A ceiling may only sink; go test . -run TestPublicNames -lower lowers it.\n"
	for _, pkg := range sortedKeys(names) {
		text += fmt.Sprintln(pkg, (len(names[pkg])+4)/5*5)
	}
	return text
}

// holdNames reports packages with more names than their ceiling, and ceilings that are too high.
func holdNames(text string, names map[string][]string) (problems []string) {
	ceiling := ceilingsOf(text)
	for _, pkg := range sortedKeys(names) {
		has, most := len(names[pkg]), ceiling[pkg]
		switch {
		case has > most:
			problems = append(problems, fmt.Sprintf("%s exports %d names, and may export %d: put what users do not need into internal, or give a reason for the new ceiling in the commit", pkg, has, most))
		case most > has+9:
			problems = append(problems, fmt.Sprintf("%s exports %d names, and its ceiling is %d: lower it with go test . -run TestPublicNames -lower", pkg, has, most))
		}
	}
	return problems
}

func TestNamesAreCounted(t *testing.T) {
	names := exported(mustParse(house(map[string]string{
		"sim/a.go":          "package sim\ntype A struct{ B int }\nfunc (A) C() {}\nfunc D() {}\nfunc e() {}\nconst F, g = 1, 2\nvar (\n\tH = 1\n)\n",
		"sim/a_test.go":     "package sim\nfunc TestA() {}\n",
		"sim/internal/x.go": "package x\nfunc X() {}\n",
		"internal/y/y.go":   "package y\nfunc Y() {}\n",
	})))
	if got := strings.Join(names["sim"], " "); got != "A D F H" || len(names) != 1 {
		t.Errorf("the names are %q", names)
	}
	for text, want := range map[string]int{"sim 4\n": 0, "sim 3\n": 1, "": 1, "# sim 4\n": 1, "sim 13\n": 0, "sim 14\n": 1} {
		if problems := holdNames(text, names); len(problems) != want {
			t.Errorf("%q: %d problems, want %d: %q", text, len(problems), want, problems)
		}
	}
	if text := namesText(names); !strings.HasSuffix(text, "\nsim 5\n") {
		t.Errorf("the ceilings are %q", text)
	}
}
