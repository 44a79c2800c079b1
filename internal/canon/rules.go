package canon

import (
	"fmt"
	"path"
	"reflect"
	"regexp"
	"strings"
)

// omissions holds the Options that leave values out of the walk, or declare them immutable.
type omissions struct {
	rules []rule
	fixed []rule // the rules of Options.Immutable
	skip  []reflect.Type

	remade []rule // for each of made, the rule that names its field
	made   []Made
}

// rule is one line of Options.Opaque or of Options.Immutable.
type rule struct {
	text string
	used bool
}

var (
	anyField   = regexp.MustCompile(`^\*\.[\pL_][\pL\pN_]*$`)
	namedThing = regexp.MustCompile(`^([^\s/*\[\]]+/)*[^\s/*.\[\]]+(\.[^\s/*.\[\]]+){1,}$`)
)

func parseRules(of string, texts []string) ([]rule, error) {
	var rules []rule
	for _, s := range texts {
		if !anyField.MatchString(s) && !namedThing.MatchString(s) {
			return nil, fmt.Errorf("%s rule %q is malformed; want pkg.Type.field, *.field or pkg.Type", of, s)
		}
		rules = append(rules, rule{text: s})
	}
	return rules, nil
}

// opaqueField reports whether a rule of Options.Opaque leaves out the field of t. It marks all matching
// rules as used, so that a redundant rule is not reported as misspelt.
func (o *omissions) opaqueField(t reflect.Type, field string) bool {
	return matchField(o.rules, t, field)
}

// fixedField reports whether a rule declares the functions in the field f of t immutable.
func (o *omissions) fixedField(t reflect.Type, f reflect.StructField) bool {
	return functions(f.Type) && matchField(o.fixed, t, f.Name)
}

// matchField reports whether a rule names the field of the struct t: by the field's name or, if the field
// holds functions, by the word that stands for all such fields.
func matchField(rules []rule, t reflect.Type, field string) bool {
	found := match(rules, "*."+field)
	f, _ := t.FieldByName(field)
	all := f.Type != nil && functions(f.Type)
	for _, name := range ruleNames(t) {
		found = match(rules, name+"."+field) || found
		found = all && match(rules, name+"."+anyFunction) || found
	}
	return found
}

// anyFunction stands in a rule for all fields of a type that hold functions. No field can have this name,
// since it is a keyword of Go.
const anyFunction = "func"

// opaqueType reports whether a rule of Options.Opaque names t, and so leaves out all its values.
func (o *omissions) opaqueType(t reflect.Type) bool { return matchType(o.rules, t) }

// fixedType reports whether a rule of Options.Immutable declares the values of t immutable, or those that t
// points to.
func (o *omissions) fixedType(t reflect.Type) bool {
	return matchType(o.fixed, t) || t.Kind() == reflect.Pointer && matchType(o.fixed, t.Elem())
}

func matchType(rules []rule, t reflect.Type) bool {
	found := false
	for _, name := range ruleNames(t) {
		found = match(rules, name) || found
	}
	return found
}

func match(rules []rule, text string) bool {
	found := false
	for i := range rules {
		if rules[i].text == text {
			rules[i].used, found = true, true
		}
	}
	return found
}

// ruleNames returns the names by which a rule may call t, the shortest first: by the package's name, by the
// last element of its import path, and by the full path. A type without a package has none.
func ruleNames(t reflect.Type) []string {
	if t.PkgPath() == "" {
		return nil
	}
	name, _, _ := strings.Cut(t.Name(), "[")
	pkg, _, _ := strings.Cut(t.String(), ".")
	return []string{pkg + "." + name, path.Base(t.PkgPath()) + "." + name, t.PkgPath() + "." + name}
}

// leftOut reports whether a rule of Options.Opaque leaves out all values of t, or all that t points to.
func (o *omissions) leftOut(t reflect.Type) bool {
	return o.opaqueType(t) || t.Kind() == reflect.Pointer && o.opaqueType(t.Elem())
}

// ofWorld reports whether values of t belong to the World (see Options.Skip), so that all copies share them.
// A pointer to a struct that merely embeds such a value does not: the other fields of the struct may be
// those of a layer.
func (o *omissions) ofWorld(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		for _, s := range o.skip {
			if embeds(t.Elem(), s) {
				return false
			}
		}
	}
	return o.skipped(t)
}

// skipped reports whether Options.Skip leaves out all values of t. A struct that embeds an implementation is
// not left out: it implements the interface by accident, and its own fields may be state.
func (o *omissions) skipped(t reflect.Type) bool {
	for _, s := range o.skip {
		if implements(t, s) && !embeds(t, s) {
			return true
		}
	}
	return false
}

// implements reports whether t, or a pointer to t, implements the interface.
func implements(t, iface reflect.Type) bool {
	return t.Implements(iface) || t.Kind() != reflect.Interface && reflect.PointerTo(t).Implements(iface)
}

// embeds reports whether t is a struct with an embedded field that implements the interface. Then t may have
// its methods from that field.
func embeds(t, iface reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	for i := range t.NumField() {
		if f := t.Field(i); f.Anonymous && implements(f.Type, iface) {
			return true
		}
	}
	return false
}
