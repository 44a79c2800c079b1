package canon

import (
	"reflect"
	"strconv"
	"strings"
)

// Where names the place in a value to which the path of a Line leads, in terms that advice to the user can
// use.
type Where struct {
	Field string // the rule for the innermost field on the path, or "" if there is none
	Type  string // the rule for the type there, or that a pointer there leads to, or ""
}

// Where follows a path that Lines has returned for v, so that advice can name a rule for the place. If v does
// not have an element on the path, or its key is neither a string nor an integer, Where follows the type of
// the element. It returns the zero Where if the path leads nowhere.
func (w *Walker) Where(v any, path string) (at Where) {
	here := reflect.ValueOf(v)
	for {
		for here.IsValid() && (here.Kind() == reflect.Interface || here.Kind() == reflect.Pointer) {
			if here.Kind() == reflect.Pointer && here.IsNil() {
				here = reflect.Zero(here.Type().Elem())
				continue
			}
			here = here.Elem()
		}
		if !here.IsValid() {
			return Where{}
		}
		if f, through := w.seenThrough(w.plans[here.Type()]); through {
			here = here.Field(f.index)
			continue
		}
		if path == "" {
			at.Type = TypeRule(here.Type())
			return at
		}
		label, rest, is := firstStep(path)
		if !is {
			return Where{}
		}
		if here.Kind() == reflect.Struct {
			at.Field = fieldRule(here.Type(), label)
		}
		here, path = part(here, label), rest
	}
}

// TypeRule returns the rule that names a type, or the type to which it points, or "" if that type has no
// name.
func TypeRule(t reflect.Type) string {
	if names := ruleNames(pointee(t)); names != nil {
		return names[0]
	}
	return ""
}

// Opaque reports whether a rule of Options.Opaque names t, or the type that t points to.
func (w *Walker) Opaque(t reflect.Type) bool { return w.leftOut(t) }

// firstStep splits a path into the label of its first step and the rest. is reports whether the path has a
// step.
func firstStep(path string) (label, rest string, is bool) {
	if path[0] == '[' {
		end := closing(path)
		if end < 0 {
			return "", "", false
		}
		return path[1:end], path[end+1:], true
	}
	path = strings.TrimPrefix(path, ".")
	end := strings.IndexAny(path, ".[")
	if end < 0 {
		end = len(path)
	}
	return path[:end], path[end:], true
}

// closing returns the index of the bracket that closes the one with which path begins, or -1. The text
// between them may contain brackets and strings.
func closing(path string) int {
	open, quoted := 0, false
	for i := 0; i < len(path); i++ {
		switch c := path[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[':
			open++
		case c == ']':
			if open--; open == 0 {
				return i
			}
		}
	}
	return -1
}

// part returns the field, element or entry of v that a label denotes. If v has none, it returns a zero value
// of the type that it would have, or the zero reflect.Value.
func part(v reflect.Value, label string) reflect.Value {
	switch v.Kind() {
	case reflect.Struct:
		return v.FieldByName(label)
	case reflect.Slice, reflect.Array:
		if i, err := strconv.Atoi(label); err == nil && i < v.Len() {
			return v.Index(i)
		}
		return reflect.Zero(v.Type().Elem())
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			if labelled(it.Key(), label) {
				return it.Value()
			}
		}
		return reflect.Zero(v.Type().Elem())
	}
	return reflect.Value{}
}

// labelled reports whether key, a string or an integer, is the key that a label denotes.
func labelled(key reflect.Value, label string) bool {
	switch {
	case key.Kind() == reflect.String:
		return strconv.Quote(key.String()) == label
	case key.CanInt():
		return strconv.FormatInt(key.Int(), 10) == label
	case key.CanUint():
		return strconv.FormatUint(key.Uint(), 10) == label
	}
	return false
}
