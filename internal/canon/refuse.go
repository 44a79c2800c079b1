package canon

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// refusal describes what cannot be walked, and where. The path is collected from the inside
// out while the walk, or the compilation of a plan, unwinds.
type refusal struct {
	typ    reflect.Type
	reason string
	advice string   // used if no field can be left out
	firm   bool     // the advice is used in any case
	path   []string // innermost first
	fields []member // the steps that are fields of structs
}

// member is a field of a struct.
type member struct {
	of   reflect.Type
	name string
}

func refuse(t reflect.Type, reason, advice string) *refusal {
	return &refusal{typ: t, reason: reason, advice: advice}
}

// in adds a step to the path.
func (r *refusal) in(step string) *refusal {
	r.path = append(r.path, step)
	return r
}

// inField adds a field of the struct t.
func (r *refusal) inField(t reflect.Type, name string) *refusal {
	r.fields = append(r.fields, member{t, name})
	return r.in("." + name)
}

// under returns the error of a walk from a root of type t.
func (r *refusal) under(t reflect.Type) error {
	t = pointee(t)
	advice := r.advice
	if len(r.fields) > 0 && !r.firm {
		one := r.outer(t)
		advice = fmt.Sprintf("tag the field mc:\"-\" or add %q to System.Opaque", fieldRule(one.of, one.name))
		if n := one.functions(); n > 1 {
			advice += fmt.Sprintf("; if what they hold never changes, %q in System.Immutable names all %d functions of this type", fieldRule(one.of, anyFunction), n)
		}
		if guest := r.guest(t); guest != "" {
			advice += fmt.Sprintf(", or %q if all of this type are caches, metrics or loggers", guest)
		}
	}
	return fmt.Errorf("cannot walk %s%s (%s): %s; %s", t, r.where(), r.typ, r.reason, advice)
}

// pointee returns the type to which pointers of type t lead after all pointers are followed.
func pointee(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer && t.Name() == "" {
		t = t.Elem()
	}
	return t
}

// outer returns the field to leave out so that the rest can be walked: the innermost field on the path. If
// the path ends in a value of the standard library (a logger, a timer), it is the field that holds this
// value, since users cannot tag the fields inside.
func (r *refusal) outer(root reflect.Type) member {
	for _, f := range r.fields {
		if !standard(f.of, root) {
			return f
		}
	}
	return r.fields[0]
}

// functions returns the number of fields with functions in the struct of m, or 0 if m has no function or the
// struct has no name.
func (m member) functions() (n int) {
	if f, is := m.of.FieldByName(m.name); !is || !functions(f.Type) || ruleNames(m.of) == nil {
		return 0
	}
	for i := range m.of.NumField() {
		if functions(m.of.Field(i).Type) {
			n++
		}
	}
	return n
}

// guest returns the rule for the innermost type on the path that is of another package than the struct around
// it. Caches, metrics and loggers are of such types. It returns "" if there is none.
func (r *refusal) guest(root reflect.Type) string {
	home := func(t reflect.Type) string {
		if standard(t, root) {
			return "the standard library"
		}
		return t.PkgPath()
	}
	var inner reflect.Type
	for _, f := range r.fields {
		switch {
		case f.of.PkgPath() == "":
		case inner == nil || home(f.of) == home(inner):
			inner = f.of
		case standard(inner, root) || f.of.PkgPath() != root.PkgPath():
			return ruleNames(inner)[0]
		default: // it may be all that the node consists of
			return ""
		}
	}
	return ""
}

// fieldRule returns the rule that names a field of a struct.
func fieldRule(t reflect.Type, field string) string {
	if names := ruleNames(t); names != nil {
		return names[0] + "." + field
	}
	return "*." + field
}

// standard reports whether a type is from the standard library: the first element of its
// package path has no dot, and differs from that of the root's.
func standard(t, root reflect.Type) bool {
	first, _, _ := strings.Cut(t.PkgPath(), "/")
	own, _, _ := strings.Cut(root.PkgPath(), "/")
	return first != "" && first != own && !strings.Contains(first, ".")
}

// where returns the path, outermost step first. A very long path is shortened.
func (r *refusal) where() string {
	const ends = 12
	steps := slices.Clone(r.path)
	slices.Reverse(steps)
	if len(steps) > 3*ends {
		steps = slices.Concat(steps[:ends], []string{"..."}, steps[len(steps)-ends:])
	}
	return strings.Join(steps, "")
}
