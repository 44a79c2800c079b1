package macemc_test

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
	"testing"
)

// TestNoInternalTypes lets no exported function, method, field, variable, constant or alias of a package
// that users import have a type of an internal package. A user could hold such a value and not name
// its type, and go doc does not show it. (An alias is named once, where it stands.)
func TestNoInternalTypes(t *testing.T) {
	for _, f := range insideOf(typed(t)) {
		name, of, _ := strings.Cut(f, " ")
		t.Errorf("%s is public and its type has %s, which is internal: let it have a public type, or be a function of an internal package", name, of)
	}
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

// A faceOf collects the names that a public package exports and whose type contains an internal type.
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

// body looks for internal types in the type that a name is defined as. Of a struct, it looks only
// at the exported fields.
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

// look records the first internal type that occurs in t. It does not look into the definitions of
// named types, which are checked under their own names.
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
	if found := insideOf(all); !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
}
