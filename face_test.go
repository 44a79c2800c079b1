package macemc_test

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
	"testing"
)

const insideFile = "testdata/inside.txt"

// TestNoInternalTypes lets no exported function, method, field, variable, constant or alias of a package
// that users import have a type of an internal package. A user could hold such a value and not name
// its type, and go doc does not show it. (An alias is named once, where it stands.) The file lists the exceptions, which may only become fewer;
// go test . -run TestNoInternalTypes -lower writes those that are left.
func TestNoInternalTypes(t *testing.T) {
	found := insideOf(typed(t))
	hold(t, insideFile, insideText(found), func(text string) []string { return holdInside(text, found) })
}

// insideOf returns, in order, the exported names of public packages in whose type an internal type
// stands, each with the first such type.
func insideOf(all []checked) (found []string) {
	for _, c := range all {
		if top, _, _ := strings.Cut(c.path, "/"); !slices.Contains(public, top) || strings.Contains(c.path, "internal") {
			continue
		}
		l := &faceOf{path: c.path, found: map[string]bool{}}
		for _, name := range c.pkg.Scope().Names() {
			if o := c.pkg.Scope().Lookup(name); o.Exported() {
				l.object(name, o)
			}
		}
		found = append(found, sortedKeys(l.found)...)
	}
	slices.Sort(found)
	return found
}

// A faceOf collects what a public package exports in internal types.
type faceOf struct {
	path  string
	found map[string]bool
}

func (l *faceOf) object(name string, o types.Object) {
	of, isType := o.(*types.TypeName)
	if !isType {
		l.look(name, o.Type())
		return
	}
	if of.IsAlias() {
		l.look(name, types.Unalias(of.Type()))
		return
	}
	l.params(name, of.Type().(*types.Named).TypeParams())
	l.body(name, of.Type().Underlying())
	for _, t := range []types.Type{of.Type(), types.NewPointer(of.Type())} {
		for m := range types.NewMethodSet(t).Methods() { // with those of embedded fields
			if m.Obj().Exported() {
				l.look(name+"."+m.Obj().Name(), m.Obj().Type())
			}
		}
	}
}

// body looks at the type behind a name: of a struct, only its exported fields are public.
func (l *faceOf) body(name string, t types.Type) {
	s, isStruct := t.(*types.Struct)
	if !isStruct {
		l.look(name, t)
		return
	}
	for f := range s.Fields() {
		if f.Exported() {
			l.look(name+"."+f.Name(), f.Type())
		}
	}
}

func (l *faceOf) params(name string, list *types.TypeParamList) {
	for p := range list.TypeParams() {
		l.look(name, p.Constraint())
	}
}

// look notes the first internal type in a type that is written out: it does not go into named types,
// which stand for themselves.
func (l *faceOf) look(name string, t types.Type) {
	switch t := t.(type) {
	case *types.Alias:
		l.named(name, t.Obj(), t.TypeArgs())
	case *types.Named:
		l.named(name, t.Obj(), t.TypeArgs())
	case *types.Pointer:
		l.look(name, t.Elem())
	case *types.Slice:
		l.look(name, t.Elem())
	case *types.Array:
		l.look(name, t.Elem())
	case *types.Chan:
		l.look(name, t.Elem())
	case *types.Map:
		l.look(name, t.Key())
		l.look(name, t.Elem())
	case *types.Tuple:
		for v := range t.Variables() {
			l.look(name, v.Type())
		}
	case *types.Signature:
		l.params(name, t.TypeParams())
		l.look(name, t.Params())
		l.look(name, t.Results())
	case *types.Struct:
		l.body(name, t)
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			l.look(name+"."+m.Name(), m.Type())
		}
		for e := range t.EmbeddedTypes() {
			l.look(name, e)
		}
	case *types.Union:
		for term := range t.Terms() {
			l.look(name, term.Type())
		}
	}
}

func (l *faceOf) named(name string, of *types.TypeName, args *types.TypeList) {
	if of.Pkg() != nil && slices.Contains(strings.Split(of.Pkg().Path(), "/"), "internal") {
		l.found[fmt.Sprintf("%s.%s %s.%s", l.path, name, strings.TrimPrefix(of.Pkg().Path(), module+"/"), of.Name())] = true
	}
	for t := range args.Types() {
		l.look(name, t)
	}
}

func insideText(found []string) string {
	return "# Exported names of public packages with a type of an internal package: see TestNoInternalTypes.\n" +
		"# The list may only become shorter; go test . -run TestNoInternalTypes -lower shortens it.\n" +
		strings.Join(append(found, ""), "\n")
}

// holdInside reports names that the list does not have, and names of the list that are no more.
func holdInside(text string, found []string) (problems []string) {
	var listed []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			listed = append(listed, line)
		}
	}
	for _, f := range found {
		if !slices.Contains(listed, f) {
			name, of, _ := strings.Cut(f, " ")
			problems = append(problems, fmt.Sprintf("%s is public and its type has %s, which is internal: let it have a public type, or be a function of an internal package", name, of))
		}
	}
	for _, l := range listed {
		if !slices.Contains(found, l) {
			problems = append(problems, fmt.Sprintf("%s lists %q, which is no more: go test . -run TestNoInternalTypes -lower", insideFile, l))
		}
	}
	return problems
}

func TestInternalTypesAreFound(t *testing.T) {
	all, err := typeCheck(mustParse(house(map[string]string{
		"internal/y/y.go": "package y\ntype T struct{ N int }\nfunc (T) M() {}\ntype I interface{ Do(T) }\n",
		"choose/a.go": `package choose
import "macemc/internal/y"
type A struct { F map[string][]*y.T; g y.T }
func (A) M(func() y.T) {}
func (A) m(y.T) {}
type B[P y.I] []chan y.T
type C = y.T
type D struct{ E }
type E struct{ A }
type G interface{ M(y.T) }
func H(a A, b B[y.I]) (c C) { return }
func own(y.T) {}
var V struct{ W [2]y.T; x y.T }
var Fine A
`,
	})))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"A.F T", "A.M T", "B I", "B T", "C T", "D.M T", "E.M T", "G.M T", "H I", "V.W T"}
	for i := range want {
		name, of, _ := strings.Cut(want[i], " ")
		want[i] = "choose." + name + " internal/y." + of
	}
	found := insideOf(all)
	if !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
	text := insideText(found)
	if problems := holdInside(text, found); len(problems) > 0 {
		t.Errorf("of what is listed: %q", problems)
	}
	for _, change := range [][2]string{{"choose.A.F", "choose.A.G"}, {"#", "choose.Z internal/y.T\n#"}} {
		if problems := holdInside(strings.Replace(text, change[0], change[1], 1), found); len(problems) == 0 {
			t.Errorf("%q for %q: no problem", change[1], change[0])
		}
	}
}
