package codec

import (
	"fmt"
	"reflect"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unsafe"
)

// typesByString finds types of this program by name. It is a function of reflect that is not exported,
// but is kept for other modules that rely on it. Types that it does not find can still be listed: see
// New.
//
//go:linkname typesByString reflect.typesByString
func typesByString(s string) []unsafe.Pointer

var basics = func() map[string]reflect.Type {
	all := map[string]reflect.Type{}
	for _, t := range []reflect.Type{
		reflect.TypeFor[bool](), reflect.TypeFor[string](),
		reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[int16](), reflect.TypeFor[int32](), reflect.TypeFor[int64](),
		reflect.TypeFor[uint](), reflect.TypeFor[uint8](), reflect.TypeFor[uint16](), reflect.TypeFor[uint32](), reflect.TypeFor[uint64](),
		reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[complex64](), reflect.TypeFor[complex128](),
		reflect.TypeFor[struct{}](), reflect.TypeFor[any](), reflect.TypeFor[error](),
	} {
		all[Name(t)] = t
	}
	return all
}()

// Name returns the name of t with full import paths.
func Name(t reflect.Type) string {
	if t.Name() != "" {
		if t.PkgPath() == "" {
			return t.Name()
		}
		return t.PkgPath() + "." + t.Name()
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + Name(t.Elem())
	case reflect.Slice:
		return "[]" + Name(t.Elem())
	case reflect.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), Name(t.Elem()))
	case reflect.Map:
		return "map[" + Name(t.Key()) + "]" + Name(t.Elem())
	}
	return t.String()
}

// Codec writes and reads values. Several goroutines may use it.
type Codec struct {
	allowed map[string]string                                 // the packages whose types may be read: their names by their import paths
	opaque  func(in reflect.Type, f reflect.StructField) bool // see New

	mu    sync.RWMutex
	plans map[reflect.Type]*plan
	named map[string]*plan // by the result of Name
	made  int              // how many unnamed types (slices, maps and the like) were made since received bytes asked for them
}

// madeMost is the largest number of unnamed types that are made since received bytes ask for them. The
// memory of a type is never freed.
const madeMost = 200

// New makes a codec that reads the given types, and the types of all packages to which they lead. A
// field for which opaque returns true is left out if it cannot be written. opaque may be nil.
func New(opaque func(in reflect.Type, f reflect.StructField) bool, types ...reflect.Type) *Codec {
	c := &Codec{opaque: opaque, allowed: map[string]string{}, plans: map[reflect.Type]*plan{}, named: map[string]*plan{}}
	c.Allow(types...)
	return c
}

// Allow makes c read further types, and the types of all packages to which they lead.
func (c *Codec) Allow(types ...reflect.Type) {
	c.mu.Lock()
	defer c.mu.Unlock()
	seen := map[reflect.Type]bool{}
	for _, t := range types {
		c.allow(t, seen)
		if t.Kind() != reflect.Interface {
			if p, err := c.compiled(t); err == nil {
				c.named[p.name] = p
			}
		}
	}
}

// Near makes c read the types of all packages to which t leads. Unlike Allow, it does not list t itself,
// whose values are not sent.
func (c *Codec) Near(t reflect.Type) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.allow(t, map[reflect.Type]bool{})
}

func (c *Codec) allow(t reflect.Type, seen map[reflect.Type]bool) {
	if seen[t] {
		return
	}
	seen[t] = true
	if path := t.PkgPath(); path != "" {
		pkg, _, _ := strings.Cut(t.String(), ".")
		c.allowed[path] = pkg
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		c.allow(t.Elem(), seen)
	case reflect.Map:
		c.allow(t.Key(), seen)
		c.allow(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			c.allow(t.Field(i).Type, seen)
		}
	}
}

// Type identifies a type by its name and the hash of its shape: see Codec.Differs.
type Type struct {
	Name  string
	Shape uint64
}

// Types returns the types that New and Allow were given, and those that c has found by their names since.
func (c *Codec) Types() (all []Type) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, p := range c.named {
		all = append(all, Type{p.name, p.shape})
	}
	return all
}

// Differs compares a type of another build with the type of that name in this one. It returns an error
// if there is none, or if its fields differ.
func (c *Codec) Differs(t Type) error {
	_, err := c.find([]byte(t.Name), t.Shape)
	return err
}

// Refused returns the reason why values of t cannot be written, or nil if they can be.
func (c *Codec) Refused(t reflect.Type) error {
	p, err := c.plan(t)
	if err != nil {
		return err
	}
	_, err = c.find([]byte(p.name), p.shape)
	return err
}

func (c *Codec) plan(t reflect.Type) (*plan, error) {
	c.mu.RLock()
	p := c.plans[t]
	c.mu.RUnlock()
	if p != nil {
		return p, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.compiled(t)
}

// find returns the plan of the type whose name and shape were received.
func (c *Codec) find(name []byte, shape uint64) (*plan, error) {
	c.mu.RLock()
	p := c.named[string(name)]
	c.mu.RUnlock()
	if p == nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		t, err := c.resolve(string(name), 0)
		if err != nil {
			return nil, err
		}
		if t.Name() == "" && c.plans[t] == nil {
			if c.made++; c.made > madeMost {
				return nil, fmt.Errorf("more than %d types without a name were asked for; the last is %s", madeMost, shown(string(name)))
			}
		}
		if p, err = c.compiled(t); err != nil {
			return nil, err
		}
		c.named[p.name] = p
	}
	if p.shape != shape {
		return nil, fmt.Errorf("the type %s has the shape %016x in this build and %016x in the other: the two builds differ in its fields; run the same build on all nodes", p.name, p.shape, shape)
	}
	return p, nil
}

// nameMost is the largest number of bytes of a type's name that is accepted from others.
const nameMost = 1000

// resolve returns the type with a name. depth counts how many type names contain this one.
func (c *Codec) resolve(name string, depth int) (reflect.Type, error) {
	if len(name) > nameMost || depth > 20 {
		return nil, fmt.Errorf("the bytes have a type name of %d bytes, nested in %d other names; no type of this program has such a name", len(name), depth)
	}
	if t, ok := basics[name]; ok {
		return t, nil
	}
	elem := func(rest string, of func(reflect.Type) reflect.Type) (reflect.Type, error) {
		t, err := c.resolve(rest, depth+1)
		if err != nil {
			return nil, err
		}
		return of(t), nil
	}
	if rest, ok := strings.CutPrefix(name, "*"); ok {
		return elem(rest, reflect.PointerTo)
	}
	if rest, ok := strings.CutPrefix(name, "[]"); ok {
		return elem(rest, reflect.SliceOf)
	}
	if rest, ok := strings.CutPrefix(name, "map["); ok {
		if key, rest, ok := bracket(rest); ok {
			k, err := c.resolve(key, depth+1)
			if err != nil {
				return nil, err
			}
			if !k.Comparable() {
				return nil, fmt.Errorf("%s cannot be the key type of a map", key)
			}
			return elem(rest, func(t reflect.Type) reflect.Type { return reflect.MapOf(k, t) })
		}
	}
	return c.byName(name)
}

// bracket splits text, which begins after an opening bracket, into the part up to the bracket that
// closes it and the part after that.
func bracket(text string) (inside, rest string, ok bool) {
	open := 1
	for i := range len(text) {
		switch text[i] {
		case '[':
			open++
		case ']':
			if open--; open == 0 {
				return text[:i], text[i+1:], true
			}
		}
	}
	return "", "", false
}

// shown returns a name that was received in a form that is fit for an error message: one line of limited
// length.
func shown(name string) string {
	if len(name) > 200 {
		name = name[:200]
	}
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(name)
	}
	return name
}

// byName finds a named type of this program in a package whose types may be read.
func (c *Codec) byName(name string) (reflect.Type, error) {
	head, _, _ := strings.Cut(name, "[") // a generic type's arguments have paths of their own
	slash := strings.LastIndexByte(head, '/') + 1
	dot := strings.IndexByte(head[slash:], '.')
	if dot < 0 {
		return nil, fmt.Errorf("there is no type %s in this program", shown(name))
	}
	// The path's last element may have dots of its own; the package's name has none.
	var found reflect.Type
	for at := slash + dot; ; {
		if pkg, is := c.readable(head[:at]); is {
			for t := range named("*" + pkg + name[at:]) {
				if Name(t) != name {
					continue
				}
				if found != nil && found != t {
					return nil, fmt.Errorf("there are two types %s in this program; declare one of them outside of its function", shown(name))
				}
				found = t
			}
		}
		next := strings.IndexByte(head[at+1:], '.')
		if next < 0 {
			break
		}
		at += 1 + next
	}
	if found == nil {
		return nil, fmt.Errorf("there is no type %s in this program, or its package is not one of the service's; list it in live.Config.Types", shown(name))
	}
	return found, nil
}

// readable reports whether types of the package with an import path may be read: it is an allowed
// package, or is in the module of one. pkg is the package's name.
func (c *Codec) readable(path string) (pkg string, is bool) {
	if pkg, is = c.allowed[path]; is {
		return pkg, true
	}
	of := moduleOf(path)
	if of == "" {
		return "", false
	}
	for other := range c.allowed {
		if moduleOf(other) == of {
			words := strings.Split(path, "/")
			pkg = words[len(words)-1]
			if last := len(words) - 1; last > 0 && len(pkg) > 1 && pkg[0] == 'v' && strings.Trim(pkg[1:], "0123456789") == "" {
				pkg = words[last-1]
			}
			return pkg, true
		}
	}
	return "", false
}

// modules returns the paths of the modules of which the program is built.
var modules = sync.OnceValue(func() (all []string) {
	if info, ok := debug.ReadBuildInfo(); ok {
		all = append(all, info.Main.Path)
		for _, dep := range info.Deps {
			all = append(all, dep.Path)
		}
	}
	return all
})

// moduleOf returns the path of the module that a package is in, or "" if it is in none, such as a
// package of the standard library.
func moduleOf(path string) (of string) {
	for _, m := range modules() {
		if m != "" && len(m) > len(of) && (path == m || strings.HasPrefix(path, m+"/")) {
			of = m
		}
	}
	return of
}

// Lookup returns the type of this program that has the short name and the full name, or nil if there is
// none or there are several.
func Lookup(short, name string) (found reflect.Type) {
	if t, is := basics[name]; is {
		return t
	}
	if rest, is := strings.CutPrefix(name, "*"); is {
		if elem := Lookup(strings.TrimPrefix(short, "*"), rest); elem != nil {
			return reflect.PointerTo(elem)
		}
		return nil
	}
	for t := range named("*" + short) {
		if Name(t) == name && found != t {
			if found != nil {
				return nil
			}
			found = t
		}
	}
	return found
}

// named yields the types of this program, of any package, whose pointer types have this name.
func named(pointer string) func(func(reflect.Type) bool) {
	return func(yield func(reflect.Type) bool) {
		for _, word := range typesByString(pointer) {
			e := struct{ typ, data unsafe.Pointer }{word, nil}
			if t := reflect.TypeOf(*(*any)(unsafe.Pointer(&e))); t.Kind() == reflect.Pointer && !yield(t.Elem()) {
				return
			}
		}
	}
}

var timeType = reflect.TypeFor[time.Time]()

// shapeOf describes the fields of a type as text. Two builds with the same text write and read values of
// the type alike.
func shapeOf(t reflect.Type, seen map[reflect.Type]bool) string {
	if t == timeType {
		return "time"
	}
	if t.Name() != "" {
		if seen[t] {
			return Name(t)
		}
		seen[t] = true
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + shapeOf(t.Elem(), seen)
	case reflect.Slice:
		return "[]" + shapeOf(t.Elem(), seen)
	case reflect.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), shapeOf(t.Elem(), seen))
	case reflect.Map:
		return "map[" + shapeOf(t.Key(), seen) + "]" + shapeOf(t.Elem(), seen)
	case reflect.Struct:
		var b strings.Builder
		b.WriteString("struct{")
		for i := range t.NumField() {
			if f := t.Field(i); walked(f) {
				fmt.Fprintf(&b, "%s %s;", f.Name, shapeOf(f.Type, seen))
			}
		}
		return b.String() + "}"
	case reflect.Interface:
		return "interface"
	}
	return t.Kind().String()
}
