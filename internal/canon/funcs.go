package canon

import (
	"fmt"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"unsafe"
)

// Functions are never part of a value's hash, but a copy must not share the variables that
// they change. A function at the top of a package has none. A method value has one, its
// receiver, whose type follows from the function's name. It is copied as the struct that it
// is in memory, so that a receiver which is part of the value becomes part of the copy. The
// variables of any other closure are unknown, so it is refused.

// funcWay says how to copy function values that have the same machine code.
type funcWay struct {
	plan    *copyPlan // the plan of a method value's memory; nil if the function is shared
	refused string    // why it cannot be copied
	unseen  bool      // it is a method value, refused because it is not known where receivers lie in memory
	met     int       // the number of types known when this was decided
}

// withVariables matches the names that Go gives to functions which may have variables of their own:
// function literals, bodies of range-over-func loops, functions made by reflection, and functions with
// type arguments. A literal at the top of a package has no variables, but its name does not show that.
var withVariables = regexp.MustCompile(`\.func\d|-range\d|\[|^reflect\.`)

const methodValue = "-fm"

// funcName returns the name of the function whose machine code begins at an address. That holds even if
// the compiler has inlined another function at that address.
func funcName(code uintptr) (name string) {
	frames := runtime.CallersFrames([]uintptr{code + 1})
	for {
		f, more := frames.Next()
		if name = f.Function; !more {
			return name
		}
	}
}

// copyFunc returns the copy of the function value f, which is not nil. If fixed is set, because a rule
// declares the function immutable, f is shared, with two exceptions: a method value is copied if the type of
// its receiver is known, and refused if it is not known where receivers lie in memory.
func (c *copies) copyFunc(cp *copyPlan, f unsafe.Pointer, fixed bool) unsafe.Pointer {
	switch way := c.funcWay(c.code(cp, f)); {
	case fixed && way.plan == nil && !way.unseen:
		return f
	case way.refused != "":
		c.refused = way.refused
		return nil
	case way.plan == nil:
		return f
	default:
		return c.copyObject(way.plan, f)
	}
}

// funcWay returns how to copy function values whose code begins at an address.
func (c *copies) funcWay(code uintptr) *funcWay {
	way := c.funcs[code]
	if way == nil || way.refused != "" && way.met < len(c.met) {
		way = new(funcWay)
		*way = c.decideFunc(code)
		if c.funcs == nil {
			c.funcs = make(map[uintptr]*funcWay)
		}
		c.funcs[code] = way
	}
	return way
}

func (c *copies) decideFunc(code uintptr) funcWay {
	name := funcName(code)
	refuse := func(why string) funcWay {
		return funcWay{refused: fmt.Sprintf("the function %s has variables that a copy would share with the original, and %s", name, why), met: len(c.met)}
	}
	method, bound := strings.CutSuffix(name, methodValue)
	switch {
	case name == "" || withVariables.MatchString(name):
		return refuse("what these are is not known; hold a method value in its place")
	case !bound:
		return funcWay{}
	case !c.known:
		way := refuse("where these lie is not known: " + Slow())
		way.unseen = true
		return way
	}
	receiver := method[:strings.LastIndexByte(method, '.')]
	t := c.named[receiver]
	switch {
	case t == nil:
		return refuse("the receiver's type does not occur elsewhere in the value")
	case t == ambiguous:
		return refuse("several types have the same name as the receiver's type")
	}
	return funcWay{plan: c.boundPlan(t)}
}

// Names of receivers

var ambiguous = reflect.TypeFor[struct{ Ambiguous bool }]()

// meet records t and all types that it leads to, by the names that they have as receivers, so that the
// receivers of method values are recognized.
func (c *copies) meet(t reflect.Type) {
	if c.met[t] {
		return
	}
	if c.met == nil {
		c.met, c.named = make(map[reflect.Type]bool), make(map[string]reflect.Type)
	}
	c.met[t] = true
	if t.PkgPath() != "" {
		c.name(receiverName(t), t)
	}
	switch t.Kind() {
	case reflect.Pointer:
		if e := t.Elem(); t.Name() == "" && e.PkgPath() != "" {
			at := strings.LastIndexByte(receiverName(e), '.')
			c.name(receiverName(e)[:at+1]+"(*"+e.Name()+")", t)
		}
		c.meet(t.Elem())
	case reflect.Slice, reflect.Array, reflect.Chan:
		c.meet(t.Elem())
	case reflect.Map:
		c.meet(t.Key())
		c.meet(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			c.meet(t.Field(i).Type)
			c.meet(reflect.PointerTo(t.Field(i).Type)) // a method value may have the field's address as its receiver
		}
	}
}

func (c *copies) name(name string, t reflect.Type) {
	if known := c.named[name]; known != nil && known != t {
		t = ambiguous
	}
	c.named[name] = t
}

// receiverName returns how the full names of methods of t begin. The linker escapes dots in the last
// element of an import path.
func receiverName(t reflect.Type) string {
	path := t.PkgPath()
	slash := strings.LastIndexByte(path, '/')
	return path[:slash+1] + strings.ReplaceAll(path[slash+1:], ".", "%2e") + "." + t.Name()
}

// The values that a copy would share

// Bound reports why a copy of v would share the variables of a function, or returns "".
// Copy refuses such functions in what it copies. Bound also reports functions in values
// that copies share, such as a field that is left out and cannot be walked. It does not
// look into values of types that a rule names, since the rule declares them not to be
// state.
func (w *Walker) Bound(v any) string {
	if v == nil {
		return ""
	}
	w.copies.meet(reflect.TypeOf(v))
	b := bound{c: &w.copies, root: pointee(reflect.TypeOf(v)), seen: map[boundAt]bool{}}
	for pass := range 2 { // the first pass only meets all types
		b.why, b.decides = "", pass == 1
		clear(b.seen)
		b.look(reflect.ValueOf(v), false)
	}
	return b.why
}

type bound struct {
	c       *copies
	root    reflect.Type
	seen    map[boundAt]bool
	decides bool
	why     string
}

type boundAt struct {
	at     unsafe.Pointer
	typ    reflect.Type
	shared bool
}

func (b *bound) look(v reflect.Value, shared bool) {
	if b.why != "" || !v.IsValid() || b.c.ofWorld(v.Type()) || immutable[v.Type()] || v.Kind() != reflect.Interface && b.c.fixedType(v.Type()) || b.c.leftOut(v.Type()) && !b.c.walkable(v.Type()) {
		return
	}
	switch v.Kind() {
	case reflect.Func:
		if !v.IsNil() && b.decides {
			b.function(v, shared)
		}
	case reflect.Pointer:
		if at := (boundAt{v.UnsafePointer(), v.Type(), shared}); !v.IsNil() && !b.seen[at] {
			b.seen[at] = true
			b.look(v.Elem(), shared)
		}
	case reflect.Interface:
		if !v.IsNil() {
			b.c.meet(v.Elem().Type())
			b.look(v.Elem(), shared || !b.c.walkable(v.Elem().Type()))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if b.why != "" || b.c.madeField(v.Type(), f.Name) != nil {
				continue
			}
			if b.c.fixedField(v.Type(), f) {
				b.fixed(v.Field(i))
				continue
			}
			b.look(v.Field(i), shared || b.c.sharesField(v.Type(), f))
			switch {
			case b.why == "" || !functions(f.Type):
			case standard(v.Type(), b.root):
				b.why += fmt.Sprintf("; if all of this type are caches, metrics or loggers, add %q to System.Opaque", ruleNames(v.Type())[0])
			default:
				b.why += fmt.Sprintf("; if these never change, add %[1]q to System.Immutable, or else sim.Remake(%[1]q, ...) to System.Remade", fieldRule(v.Type(), f.Name))
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			b.look(v.Index(i), shared)
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			b.look(it.Key(), shared)
			b.look(it.Value(), shared)
		}
	}
}

// fixed examines a field whose functions a rule declares immutable. Method values among them are copied
// with their receivers nevertheless, so that each belongs to its copy.
func (b *bound) fixed(v reflect.Value) {
	if v.Kind() == reflect.Func && !v.IsNil() && b.decides {
		if way := b.c.funcWay(v.Pointer()); way.unseen {
			b.why = way.refused
		}
	}
}

func (b *bound) function(v reflect.Value, shared bool) {
	switch way := b.c.funcWay(v.Pointer()); {
	case way.refused != "":
		b.why = way.refused
	case shared && way.plan != nil:
		b.why = fmt.Sprintf("the function %s is in a value that copies share, since it is left out and cannot be walked", funcName(v.Pointer()))
	}
}
