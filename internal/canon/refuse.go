package canon

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// refusal says which part of a root cannot be walked, and why. Its path is collected while the walk, or the
// compilation of a plan, returns from the inside out.
type refusal struct {
	typ    reflect.Type
	reason string
	advice string   // what to do if no field can be left out
	firm   bool     // the advice holds even if a field can be left out
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

// in adds a step to the path, outside of the steps that it has.
func (r *refusal) in(step string) *refusal {
	r.path = append(r.path, step)
	return r
}

// inField adds a field of the struct t to the path, outside of the steps that it has.
func (r *refusal) inField(t reflect.Type, name string) *refusal {
	r.fields = append(r.fields, member{t, name})
	return r.in("." + name)
}

// under returns the refusal as the error of a walk whose root has type t.
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

// pointee returns the type to which t leads when all pointers are followed: T for T, *T and **T. A named pointer
// type is not followed.
func pointee(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer && t.Name() == "" {
		t = t.Elem()
	}
	return t
}

// outer returns the field to leave out so that the rest of the root can be walked: the innermost field on the
// path. If the path ends inside a value of the standard library (a logger, a timer), it is the field that
// holds this value, since users cannot tag fields inside it.
func (r *refusal) outer(root reflect.Type) member {
	for _, f := range r.fields {
		if !standard(f.of, root) {
			return f
		}
	}
	return r.fields[0]
}

// functions returns how many fields with functions the struct of m has. It returns 0 if m has no function, or
// if the struct has no name.
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

// guest returns the rule that leaves out the innermost type on the path that belongs to another package than
// the struct around it, as caches, metrics and loggers do. It returns "" if there is none.
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
		default: // leaving it out may leave out the whole node
			return ""
		}
	}
	return ""
}

// fieldRule returns the rule that names the field of the struct t.
func fieldRule(t reflect.Type, field string) string {
	if names := ruleNames(t); names != nil {
		return names[0] + "." + field
	}
	return "*." + field
}

// standard reports whether a type is from the standard library: its import path has no dot in the first
// element, and that element differs from the root's.
func standard(t, root reflect.Type) bool {
	first, _, _ := strings.Cut(t.PkgPath(), "/")
	own, _, _ := strings.Cut(root.PkgPath(), "/")
	return first != "" && first != own && !strings.Contains(first, ".")
}

// where returns the path as text, from the outside in. It shortens a very long path.
func (r *refusal) where() string {
	const ends = 12
	steps := slices.Clone(r.path)
	slices.Reverse(steps)
	if len(steps) > 3*ends {
		steps = slices.Concat(steps[:ends], []string{"..."}, steps[len(steps)-ends:])
	}
	return strings.Join(steps, "")
}
