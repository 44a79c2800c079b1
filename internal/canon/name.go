package canon

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// fullName returns the name of t with full import paths. The String of a reflect.Type has
// package names alone, which are ambiguous. Types declared inside of functions may share a
// name; identify refuses those. The recursion ends, since only named types can contain
// themselves.
func fullName(t reflect.Type) string { return nameOf(t, qualified) }

// shortName returns the name of t without packages, for readers.
func shortName(t reflect.Type) string { return nameOf(t, unqualified) }

func qualified(t reflect.Type) string {
	if t.PkgPath() == "" {
		return t.Name()
	}
	return t.PkgPath() + "." + t.Name()
}

// packages matches the package in each type argument of a generic type's name.
var packages = regexp.MustCompile(`[^\[\],*(){} ]+\.`)

func unqualified(t reflect.Type) string { return packages.ReplaceAllString(t.Name(), "") }

func nameOf(t reflect.Type, named func(reflect.Type) string) string {
	if t.Name() != "" {
		return named(t)
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + nameOf(t.Elem(), named)
	case reflect.Slice:
		return "[]" + nameOf(t.Elem(), named)
	case reflect.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), nameOf(t.Elem(), named))
	case reflect.Map:
		return "map[" + nameOf(t.Key(), named) + "]" + nameOf(t.Elem(), named)
	case reflect.Struct:
		return "struct {" + strings.Join(fieldNames(t, named), "; ") + "}"
	default: // interfaces, functions and channels without a name
		if t == reflect.TypeFor[any]() {
			return "any"
		}
		return t.String()
	}
}

func fieldNames(t reflect.Type, named func(reflect.Type) string) []string {
	var fields []string
	for i := range t.NumField() {
		f := t.Field(i)
		s := f.Name + " " + nameOf(f.Type, named)
		if f.Anonymous {
			s = "embedded " + s
		}
		if f.PkgPath != "" {
			s = f.PkgPath + "." + s
		}
		if f.Tag != "" {
			s += fmt.Sprintf(" %q", f.Tag)
		}
		fields = append(fields, s)
	}
	return fields
}

// identify sets the tag that stands for p's type in encodings, and the short name that
// stands for it in texts. Different types of one Walker have different tags and names.
func (w *compiler) identify(p *plan) *refusal {
	if p.short != "" {
		return nil
	}
	full := fullName(p.typ)
	tag := xxhash.Sum64String(full)
	if t, taken := w.tags[tag]; taken && t != p.typ {
		return refuse(p.typ, fmt.Sprintf("an interface also holds another type called %s", full),
			"move one of them out of its function, or rename it")
	}
	w.tags[tag], p.tag, p.short = p.typ, tag, shortName(p.typ)
	if t, taken := w.shorts[p.short]; taken && t != p.typ {
		p.short = full
	}
	w.shorts[p.short] = p.typ
	return nil
}
