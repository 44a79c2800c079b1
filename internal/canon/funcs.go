package canon

import (
	"fmt"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"unsafe"
)

// Functions are never part of a value's hash. A copy must not share what they change all
// the same, and that are their variables. A function at the top of a package has none. A
// method value has one, its receiver, of a type that its name tells: it is copied as the
// struct that it is in memory, so that receivers which are part of the value are part of
// the copy. Of any other closure nobody knows the variables: it is refused.

// funcWay is how values with one code are copied.
type funcWay struct {
	plan    *copyPlan // of a method value's memory; nil: it is shared
	refused string    // why it cannot be copied
	met     int       // how many types were known by then
}

// withVariables matches the names that Go gives to functions which have variables:
// literals, bodies of loops over functions, and what reflection makes. A literal at the
// top of a package has none and is not told apart. Type arguments are variables, too.
var withVariables = regexp.MustCompile(`\.func\d|-range\d|\[|^reflect\.`)

const methodValue = "-fm"

// funcName is the name of the function whose code begins at an address: its own, and not
// that of one which the compiler has put in its place there.
func funcName(code uintptr) (name string) {
	frames := runtime.CallersFrames([]uintptr{code + 1})
	for {
		f, more := frames.Next()
		if name = f.Function; !more {
			return name
		}
	}
}

// copyFunc returns the copy of a function value, which is not nil.
func (c *copies) copyFunc(cp *copyPlan, f unsafe.Pointer) unsafe.Pointer {
	switch way := c.funcWay(c.code(cp, f)); {
	case way.refused != "":
		c.refused = way.refused
		return nil
	case way.plan == nil:
		return f
	default:
		return c.copyObject(way.plan, f)
	}
}

// funcWay decides how values are copied whose code is at an address.
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
		return refuse("where these lie is not known: " + Slow())
	}
	receiver := method[:strings.LastIndexByte(method, '.')]
	t := c.named[receiver]
	switch {
	case t == nil:
		return refuse("no value of the receiver's type was met beside it")
	case t == ambiguous:
		return refuse("several types have the name of the receiver's")
	}
	return funcWay{plan: c.boundPlan(t)}
}

// Names of receivers

var ambiguous = reflect.TypeFor[struct{ Ambiguous bool }]()

// meet takes all types in that values of t lead to by their static types, by the names
// that they have as receivers.
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
			c.meet(reflect.PointerTo(t.Field(i).Type)) // methods may be of its address
		}
	}
}

func (c *copies) name(name string, t reflect.Type) {
	if known := c.named[name]; known != nil && known != t {
		t = ambiguous
	}
	c.named[name] = t
}

// receiverName is how the names of functions begin which are methods of t: in the last
// element of its path the linker writes dots otherwise.
func receiverName(t reflect.Type) string {
	path := t.PkgPath()
	slash := strings.LastIndexByte(path, '/')
	return path[:slash+1] + strings.ReplaceAll(path[slash+1:], ".", "%2e") + "." + t.Name()
}

// What a copy would share

// Bound says of a function in v why a copy of v would share its variables, or "": there
// is none. Copy refuses those in what it copies. Here those count also that are in what
// copies share, a field that is left out and cannot be walked; but values of a type
// which a rule names are not looked into: that they are nobody's state is said.
func (w *Walker) Bound(v any) string {
	if v == nil {
		return ""
	}
	w.copies.meet(reflect.TypeOf(v))
	b := bound{c: &w.copies, seen: map[boundAt]bool{}}
	for pass := range 2 { // the first meets all types
		b.why, b.decides = "", pass == 1
		clear(b.seen)
		b.look(reflect.ValueOf(v), false)
	}
	return b.why
}

type bound struct {
	c       *copies
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
			if b.why != "" || b.c.fixedField(v.Type(), f) {
				continue
			}
			b.look(v.Field(i), shared || b.c.sharesField(v.Type(), f))
			if b.why != "" && functions(f.Type) {
				b.why += fmt.Sprintf("; if these never change, add %q to System.Immutable", fieldRule(v.Type(), f.Name))
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

func (b *bound) function(v reflect.Value, shared bool) {
	switch way := b.c.funcWay(v.Pointer()); {
	case way.refused != "":
		b.why = way.refused
	case shared && way.plan != nil:
		b.why = fmt.Sprintf("the function %s is in a value that copies share, since it is left out and cannot be walked", funcName(v.Pointer()))
	}
}
