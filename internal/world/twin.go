package world

import (
	"cmp"
	"fmt"
	"reflect"
	"unsafe"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/observe"
	"macemc/internal/sight"
	"macemc/internal/state"
	"macemc/sim"
)

// Two nodes with one identity are one part of a state. They may differ in what the walk
// leaves out (a tagged field, an Opaque rule, what a Summary omits), which must not matter.
// So for a part that is reached again, the bank keeps the node as it was reached the second
// time, and steps are taken from both.

// Twin replaces node i, loaded from part id, by the part's twin: a second node with the
// same identity. It reports whether there is one.
func (st *State) Twin(b *Bank, i int, id uint32) bool {
	twin := b.part(i, id).(*nodePart).twin.Load()
	if twin == nil {
		return false
	}
	ns := &st.nodes.at[i]
	st.nodes.put(i, *twin)
	ns.share()
	st.sums.Touch(i)
	return true
}

// Retake takes the possible event with this number, and gives its coins these answers. A
// caller that has gone back to a state repeats a step with it.
func (w *World) Retake(event int, coins []int) Progress {
	return w.Step(&retaken{event, coins})
}

type retaken struct {
	event int
	coins []int
}

func (r *retaken) Answer(q *choose.Question) int {
	if q.Kind == choose.Event {
		return r.event
	}
	if len(r.coins) == 0 {
		return -1
	}
	k := r.coins[0]
	r.coins = r.coins[1:]
	return k
}

// Err returns ErrEnd, since there are no more answers.
func (r *retaken) Err() error { return choose.ErrEnd }

// Hidden names a field in which a node part and its twin differ although they have the same identity, with
// both values. It returns "" if it finds none.
func (b *Bank) Hidden(i int, id uint32) string {
	k := b.part(i, id).(*nodePart)
	h := newHidden(k.of.walker)
	h.compare(state.AddrOf(i).String(), reflect.ValueOf(sight.Subject(k.node)), reflect.ValueOf(sight.Subject(*k.twin.Load())))
	return h.first()
}

// HiddenBetween names a field in which the nodes of two worlds in the same state differ, with both values. It
// returns "" if it finds none.
func HiddenBetween(a, b *World) string {
	h := newHidden(a.walker)
	for i := range a.nodes.at {
		h.paths = newHidden(a.walker).paths // each node by itself: objects that nodes share with each other are reported elsewhere
		h.compare(state.AddrOf(i).String(), reflect.ValueOf(sight.Subject(a.nodes.at[i].node)), reflect.ValueOf(sight.Subject(b.nodes.at[i].node)))
	}
	return h.first()
}

// hidden looks for the first difference between two values, in all of their fields,
// including those that are not part of the state. Channels of two runs are never the same,
// so it compares their lengths.
type hidden struct {
	seen   map[[2]unsafe.Pointer]bool
	paths  [2]map[memory]string // for each of the two values: where each object in it was first met
	found  string
	shared string // the first object that has two paths in one value and not in the other
	opaque string // the first difference in values of types that System.Opaque names
	walker *canon.Walker
}

// first returns the most important difference that was found, or "".
func (h *hidden) first() string { return cmp.Or(h.found, h.shared, h.opaque) }

// memory identifies an object, or the first element of a slice.
type memory struct {
	at  unsafe.Pointer
	typ reflect.Type
}

func newHidden(w *canon.Walker) hidden {
	return hidden{walker: w, seen: map[[2]unsafe.Pointer]bool{}, paths: [2]map[memory]string{{}, {}}}
}

// meet records the paths of two objects, one in each value. If they were first met at different paths, that
// is a difference.
func (h *hidden) meet(path string, a, b reflect.Value) {
	var first [2]string
	for side, v := range [2]reflect.Value{a, b} {
		at := memory{v.UnsafePointer(), v.Type()}
		if _, met := h.paths[side][at]; !met {
			h.paths[side][at] = path
		}
		first[side] = h.paths[side][at]
	}
	if first[0] != first[1] && h.shared == "" {
		with := func(at string) string {
			if at == path {
				return "not"
			}
			return "shared with another field, " + at + ","
		}
		h.shared = fmt.Sprintf("%s is %s in one and %s in the other", path, with(first[0]), with(first[1])) + observe.NeverChanges(canon.TypeRule(a.Type()))
	}
}

var (
	envType   = reflect.TypeFor[sim.Env]()
	tableType = reflect.TypeFor[sight.Table]()
)

func (h *hidden) compare(path string, a, b reflect.Value) {
	switch {
	case h.found != "":
		return
	case a.IsValid() != b.IsValid() || a.IsValid() && a.Type() != b.Type():
		h.found = fmt.Sprintf("%s is %s in one and %s in the other", path, kindOf(a), kindOf(b))
		return
	case !a.IsValid() || a.Type().Implements(envType), a.Type().Implements(tableType), a.Type().PkgPath() == "sync":
		return
	}
	if h.walker.Opaque(a.Type()) && h.opaque == "" {
		inner := hidden{seen: h.seen, paths: h.paths, opaque: "this one", walker: h.walker}
		inner.kinds(path, a, b)
		h.opaque = inner.found
		return
	}
	h.kinds(path, a, b)
}

func (h *hidden) kinds(path string, a, b reflect.Value) {
	switch a.Kind() {
	case reflect.Pointer:
		h.pointers(path, a, b)
	case reflect.Interface:
		h.compare(path, a.Elem(), b.Elem())
	case reflect.Struct:
		for i := range a.NumField() {
			h.compare(path+"."+a.Type().Field(i).Name, a.Field(i), b.Field(i))
		}
	case reflect.Slice, reflect.Array:
		if a.Len() != b.Len() {
			h.found = fmt.Sprintf("%s has %d elements in one and %d in the other", path, a.Len(), b.Len())
			return
		}
		if a.Kind() == reflect.Slice && a.Len() > 0 {
			h.meet(path, a, b)
		}
		for i := range a.Len() {
			h.compare(fmt.Sprintf("%s[%d]", path, i), a.Index(i), b.Index(i))
		}
	case reflect.Map:
		h.maps(path, a, b)
	case reflect.Func:
		if a.Pointer() != b.Pointer() {
			h.found = path + " is another func"
		}
	case reflect.UnsafePointer: // never the same in two runs
	case reflect.Chan:
		if a.IsNil() != b.IsNil() || a.Len() != b.Len() {
			h.found = path + " is another chan"
		}
	default:
		if x, y := fmt.Sprint(a), fmt.Sprint(b); x != y {
			h.found = fmt.Sprintf("%s is %s in one and %s in the other", path, x, y)
		}
	}
}

func (h *hidden) pointers(path string, a, b reflect.Value) {
	if a.IsNil() || b.IsNil() {
		if a.IsNil() != b.IsNil() {
			h.found = path + " is nil in one of them"
		}
		return
	}
	h.meet(path, a, b)
	pair := [2]unsafe.Pointer{a.UnsafePointer(), b.UnsafePointer()}
	if pair[0] == pair[1] || h.seen[pair] {
		return
	}
	h.seen[pair] = true
	h.compare(path, a.Elem(), b.Elem())
}

func (h *hidden) maps(path string, a, b reflect.Value) {
	if a.Len() != b.Len() {
		h.found = fmt.Sprintf("%s has %d entries in one and %d in the other", path, a.Len(), b.Len())
		return
	}
	// Take the first difference by name, since the order of the map varies.
	first := ""
	for _, key := range a.MapKeys() {
		inner := hidden{seen: h.seen, paths: h.paths, shared: h.shared, opaque: h.opaque, walker: h.walker}
		name := fmt.Sprintf("%s[%v]", path, key)
		if other := b.MapIndex(key); other.IsValid() {
			inner.compare(name, a.MapIndex(key), other)
		} else {
			inner.found = name + " is in one of them only"
		}
		h.shared, h.opaque = inner.shared, inner.opaque
		if inner.found != "" && (first == "" || inner.found < first) {
			first = inner.found
		}
	}
	h.found = first
}

func kindOf(v reflect.Value) string {
	if !v.IsValid() {
		return "nil"
	}
	return "a " + v.Type().String()
}
