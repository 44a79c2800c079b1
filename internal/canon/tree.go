package canon

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"
)

// node is a value as the reader sees it: a leaf, or a list of children.
type node struct {
	shape shape
	leaf  string // of a leaf
	name  string // the dynamic type, if an interface holds the value
	kids  []kid
}

type kid struct {
	label string
	node  *node
}

type shape uint8

const (
	shapeLeaf shape = 1 + iota
	shapeStruct
	shapeList
	shapeMap
)

func leaf(s string) *node { return &node{shape: shapeLeaf, leaf: s} }

// builder makes the tree of a value that the walk has just encoded, so all plans exist and nothing is
// refused. It need not be fast. It makes every value addressable and exported, so that String and Summary
// can be called.
type builder struct {
	w      *Walker
	first  map[object]visit // the first visit of each object
	keep   []any
	copied bool // as in walkState
	inKey  bool
	wanted Wanted // which lines the caller wants; nil means all
	read   bool   // the tree is for people: see Read
	below  map[*plan]below
}

type object struct {
	addr uintptr
	plan *plan
}

type visit struct {
	path      string
	byPointer bool
}

// tree returns the tree of v, or the error of walking it.
func (w *Walker) tree(v any) (*node, error) { return w.treeOf(v, nil, false) }

func (w *Walker) treeOf(v any, wanted Wanted, read bool) (*node, error) {
	if err := w.encodeRoot(v); err != nil {
		return nil, err
	}
	b := &builder{w: w, first: make(map[object]visit), wanted: wanted, read: read}
	return b.dynamic(reflect.ValueOf(v), ""), nil
}

// textOfKey returns the text of a map's key for a path. p is the plan of the key. It may be called in the
// middle of a walk that was refused, so it must not begin another walk.
func (w *Walker) textOfKey(p *plan, key reflect.Value) string {
	b := &builder{w: w, first: make(map[object]visit), copied: true, inKey: true}
	return b.value(p, key, "").text()
}

// again returns the leaf for an object that the tree shows elsewhere, at its first visit v.
func again(v visit) *node {
	if v.path == "" {
		return leaf("=.")
	}
	return leaf("=" + v.path)
}

// value returns the tree of v, an inline value at a path.
func (b *builder) value(p *plan, v reflect.Value, path string) *node {
	if p.op != opMap && b.skips(p, path) { // a map is registered first
		return leaf(skippedPart)
	}
	if p.pointed && !b.copied && !b.w.equal {
		seen, known := b.first[object{v.UnsafeAddr(), p}]
		if known && seen.byPointer {
			return again(seen)
		}
		if !known {
			b.first[object{v.UnsafeAddr(), p}] = visit{path, false}
		}
	}
	return b.body(p, v, path)
}

func (b *builder) body(p *plan, v reflect.Value, path string) *node {
	if b.w.named[p.typ] && p.op != opOmit && !(nilable(v) && v.IsNil()) {
		return leaf(plainWord(namedText(v.Addr().Interface())))
	}
	switch p.op {
	case opBool:
		return leaf(strconv.FormatBool(v.Bool()))
	case opInt:
		if p.typ == duration {
			return leaf(time.Duration(v.Int()).String()) // different durations have different texts
		}
		if text := b.word(p, v); text != "" {
			return leaf(text)
		}
		return leaf(strconv.FormatInt(v.Int(), 10))
	case opUint:
		if text := b.word(p, v); text != "" {
			return leaf(text)
		}
		return leaf(strconv.FormatUint(v.Uint(), 10))
	case opFloat32:
		return leaf(float32Text(*(*uint32)(addr(v))))
	// reflection would change the payload of a signalling NaN
	case opFloat64:
		return leaf(float64Text(v.Float()))
	case opComplex64:
		raw := *(*[2]uint32)(addr(v)) // reflection would change the payload of a signalling NaN
		return leaf("(" + float32Text(raw[0]) + ", " + float32Text(raw[1]) + "i)")
	case opComplex128:
		c := v.Complex()
		return leaf("(" + float64Text(real(c)) + ", " + float64Text(imag(c)) + "i)")
	case opString:
		return leaf(strconv.Quote(v.String()))
	case opBytes:
		return b.bytes(p, v, path)
	case opSlice:
		return b.slice(p, v, path)
	case opArray:
		return b.items(p, v, path)
	case opStruct:
		return b.structure(p, v, path)
	case opPointer:
		return b.pointer(p, v, path)
	case opInterface:
		return b.dynamic(v.Elem(), path)
	case opMap:
		return b.table(p, v, path)
	case opTime:
		return leaf(b.timeText(v))
	case opMutex:
		return leaf("{}")
	case opAtomic:
		return b.value(p.elem, reflect.NewAt(p.elem.typ, unsafe.Add(addr(v), p.off)).Elem(), path)
	case opAtomicPointer:
		return b.pointer(p, reflect.NewAt(reflect.PointerTo(p.elem.typ), unsafe.Add(addr(v), p.off)).Elem(), path)
	case opSummary:
		return b.summary(p, v, path)
	case opContent:
		return b.content(p, v)
	case opOmit:
		return leaf("-")
	default:
		panic(fmt.Sprintf("macemc bug: canon has no text for op %d", p.op))
	}
}

func addr(v reflect.Value) unsafe.Pointer { return unsafe.Pointer(v.UnsafeAddr()) }

// reopen returns the addressable value v without the mark that reflection puts on unexported fields.
func reopen(v reflect.Value) reflect.Value { return reflect.NewAt(v.Type(), addr(v)).Elem() }

func nilable(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Interface:
		return true
	default:
		return false
	}
}

// namedText returns the text of a value whose type Options.Named lists: that of its method Text if it has
// one, else that of String.
func namedText(v any) string {
	if t, is := v.(interface{ Text() string }); is {
		return t.Text()
	}
	return v.(fmt.Stringer).String()
}

// Leaves

// word returns what the String method of the integer v returns, for trees that people read. It returns "" if
// the type has no such method.
func (b *builder) word(p *plan, v reflect.Value) (text string) {
	if !b.read || p.typ.Name() == "" || p.typ.PkgPath() == "" {
		return ""
	}
	defer func() {
		if recover() != nil {
			text = ""
		}
	}()
	if s, is := v.Addr().Interface().(fmt.Stringer); is {
		return plainWord(s.String())
	}
	return ""
}

var duration = reflect.TypeFor[time.Duration]()

// plainWord returns s, the text of a value whose type Options.Named lists, or of an integer for people. It
// quotes s unless it reads as one word that cannot be taken for anything else.
func plainWord(s string) string {
	if s == "" || s == "nil" {
		return strconv.Quote(s)
	}
	for _, r := range s {
		if !strconv.IsPrint(r) || bytes.ContainsRune([]byte(" \"'`=&,{}[]()<>\uFFFD"), r) {
			return strconv.Quote(s)
		}
	}
	return s
}

func float64Text(x float64) string {
	if math.IsNaN(x) {
		return fmt.Sprintf("NaN(%#x)", math.Float64bits(x))
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

func float32Text(raw uint32) string {
	x := math.Float32frombits(raw)
	if x != x {
		return fmt.Sprintf("NaN(%#x)", raw)
	}
	return strconv.FormatFloat(float64(x), 'g', -1, 32)
}

// timeText returns a text of the time.Time v with all that its hash includes: also the location, and a
// monotonic reading.
func (b *builder) timeText(v reflect.Value) string {
	const monotonic = 1 << 63 // set in the first word if the second one is a monotonic reading
	t := v.Addr().Interface().(*time.Time)
	if b.w.walk.relative {
		return b.w.fromNow(*t)
	}
	text := t.Format(time.RFC3339Nano)
	if name := t.Location().String(); name != "UTC" {
		text += " " + strconv.Quote(name)
	}
	if v.Field(0).Uint()&monotonic != 0 {
		text += fmt.Sprintf(" (monotonic %d)", v.Field(1).Int())
	}
	return text
}

// fromNow returns the distance of t from the present, as text.
func (w *Walker) fromNow(t time.Time) string {
	switch d := t.Sub(w.walk.present); {
	case t.IsZero():
		return "never"
	case d == 0:
		return "now"
	case d < 0:
		return "now" + d.String()
	default:
		return "now+" + d.String()
	}
}

// Lists

// bytes returns the tree of a byte slice: a leaf like a string's, unless an earlier pointer led to one of
// its bytes.
func (b *builder) bytes(p *plan, v reflect.Value, path string) *node {
	if v.Len() == 0 {
		return b.slice(p, v, path)
	}
	if !p.elem.pointed {
		return leaf(strconv.Quote(string(v.Bytes())))
	}
	n := b.slice(p, v, path)
	for _, k := range n.kids {
		if k.node.leaf[0] == '=' {
			return n
		}
	}
	return leaf(strconv.Quote(string(v.Bytes())))
}

func (b *builder) slice(p *plan, v reflect.Value, path string) *node {
	if v.IsNil() {
		return leaf("nil")
	}
	defer b.inMemory(b.copied)
	b.copied = false
	return b.items(p, v, path)
}

// inMemory sets whether the values walked next lie in scratch memory, so that their addresses have no
// meaning.
func (b *builder) inMemory(copied bool) { b.copied = copied }

func (b *builder) items(p *plan, v reflect.Value, path string) *node {
	if v.Len() == 0 {
		return leaf("[]")
	}
	n := &node{shape: shapeList}
	for i := range v.Len() {
		label := strconv.Itoa(i)
		n.kids = append(n.kids, kid{label, b.value(p.elem, v.Index(i), path+"["+label+"]")})
	}
	return n
}

func (b *builder) structure(p *plan, v reflect.Value, path string) *node {
	if f, through := b.w.seenThrough(p); through {
		return b.value(f.plan, reopen(v.Field(f.index)), path)
	}
	n := &node{shape: shapeStruct}
	for _, f := range p.fields {
		at := f.name
		if path != "" {
			at = path + "." + f.name
		}
		k := kid{f.name, b.value(f.plan, reopen(v.Field(f.index)), at)}
		// A lock has a text only if a pointer led to it before.
		if f.plan.op != opMutex || strings.HasPrefix(k.node.leaf, "=") {
			n.kids = append(n.kids, k)
		}
	}
	if n.kids == nil {
		return leaf("{}")
	}
	return n
}

// seenThrough returns the field that texts show in place of a struct of plan p (see Options.Through), and
// whether there is one.
func (w *Walker) seenThrough(p *plan) (field, bool) {
	if p == nil || w.through == nil || p.op != opStruct || len(p.fields) != 1 || !implements(p.typ, w.through) {
		return field{}, false
	}
	return p.fields[0], true
}

// References

func (b *builder) pointer(p *plan, v reflect.Value, path string) *node {
	if v.IsNil() {
		return leaf("nil")
	}
	if p.elem.typ.Size() > 0 && !b.inKey && !b.w.equal {
		o := object{v.Pointer(), p.elem}
		if seen, known := b.first[o]; known {
			return again(seen)
		}
		b.first[o] = visit{path, true}
	}
	defer b.inMemory(b.copied)
	b.copied = false
	n := b.body(p.elem, v.Elem(), path)
	if n.shape == shapeLeaf && n.leaf != skippedPart {
		n.leaf = "&" + n.leaf
	}
	return n
}

// table returns the tree of a map, with its entries in an order that suits readers.
func (b *builder) table(p *plan, v reflect.Value, path string) *node {
	if v.IsNil() {
		return leaf("nil")
	}
	if !b.inKey && !b.w.equal {
		o := object{v.Pointer(), p}
		if seen, known := b.first[o]; known {
			return again(seen)
		}
		b.first[o] = visit{path, true}
	}
	if v.Len() == 0 {
		return leaf("{}")
	}
	if b.skips(p, path) {
		return leaf(skippedPart)
	}
	defer b.inMemory(b.copied)
	b.copied = true
	if !b.distinct(p.key) {
		defer b.wants(b.wanted)
		b.wanted = nil
	}
	n := &node{shape: shapeMap}
	es := b.entries(p, v)
	for i, e := range es {
		label := b.w.textOfKey(p.key, e.key)
		es[i].kid = kid{label, b.value(p.elem, e.elem, path+"["+label+"]")}
	}
	slices.SortFunc(es, natural)
	for _, e := range es {
		n.kids = append(n.kids, e.kid)
	}
	sortEqualLabels(n.kids)
	return n
}

// entry is an entry of a map, with copies of its key and element.
type entry struct {
	key, elem reflect.Value
	encoding  []byte // of the key
	kid       kid
}

// entries returns the entries of the map v in the order in which the walk visits them for the hash. So text
// and hash agree on which visit of an object is the first.
func (b *builder) entries(p *plan, v reflect.Value) []entry {
	var es []entry
	for it := v.MapRange(); it.Next(); {
		e := entry{key: reflect.New(p.key.typ).Elem(), elem: reflect.New(p.elem.typ).Elem()}
		e.key.SetIterKey(it)
		e.elem.SetIterValue(it)
		var r *refusal
		if e.encoding, r = b.w.encodeKey(p.key, e.key); r != nil {
			panic("macemc bug: canon refused a key that it had encoded")
		}
		es = append(es, e)
	}
	slices.SortFunc(es, func(a, b entry) int { return bytes.Compare(a.encoding, b.encoding) })
	return es
}

// natural compares two entries by their keys: as numbers or strings if they are such, and otherwise by their
// encodings.
func natural(a, b entry) int {
	order := 0
	switch a.key.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		order = cmp.Compare(a.key.Int(), b.key.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		order = cmp.Compare(a.key.Uint(), b.key.Uint())
	case reflect.Float32, reflect.Float64:
		order = cmp.Compare(a.key.Float(), b.key.Float())
	case reflect.String:
		order = cmp.Compare(a.key.String(), b.key.String())
	}
	return cmp.Or(order, bytes.Compare(a.encoding, b.encoding))
}

// sortEqualLabels orders entries that have the same label by their whole text. Only entries with NaN keys
// can have equal labels; no path contains their positions.
func sortEqualLabels(kids []kid) {
	for from := 0; from < len(kids); {
		to := from + 1
		for to < len(kids) && kids[to].label == kids[from].label {
			to++
		}
		slices.SortFunc(kids[from:to], func(a, b kid) int { return cmp.Compare(a.node.text(), b.node.text()) })
		from = to
	}
}

// dynamic returns the tree of e, a value that an interface holds, with its type.
func (b *builder) dynamic(e reflect.Value, path string) *node {
	if !e.IsValid() {
		return leaf("nil")
	}
	if e.Kind() == reflect.Pointer && !e.IsNil() {
		if f, through := b.w.seenThrough(b.w.plans[e.Type().Elem()]); through {
			c := reflect.New(e.Type()).Elem()
			c.Set(e)
			e = reopen(c.Elem().Field(f.index))
		}
	}
	p, r := b.w.dynamicPlan(e.Type())
	if r != nil {
		panic("macemc bug: canon refused a value that it had encoded")
	}
	return b.typed(p, b.copyOf(p, e, path))
}

// copyOf returns the tree of an addressable copy of e, whose plan is p.
func (b *builder) copyOf(p *plan, e reflect.Value, path string) *node {
	c := reflect.New(e.Type()).Elem()
	c.Set(e)
	defer b.inMemory(b.copied)
	b.copied = true
	return b.value(p, c, path)
}

// typed adds the name of p's type to the tree n, unless the leaf shows the type.
func (b *builder) typed(p *plan, n *node) *node {
	if p.op == opOmit || n.shape == shapeLeaf && (n.leaf == skippedPart || b.bare(p, n.leaf)) {
		return n
	}
	name := p.short
	if p.isStructPointer() && !(n.shape == shapeLeaf && n.leaf != "&{}") {
		n.leaf, name = "{}", "&"+b.w.nameInText(p.elem)
	}
	if n.shape != shapeLeaf || n.leaf == "{}" {
		switch {
		case n.name == "" || n.name == ownSummary:
		case b.read:
			return n
		default:
			name += "~"
		}
		n.name = name + n.name
		return n
	}
	if p.isStructPointer() {
		name = "(" + name + ")"
	}
	n.leaf = name + "(" + n.leaf + ")"
	return n
}

// bare reports whether the leaf s of a value of plan p is clear without the name of the type. That holds for
// an int, a string and a bool, for a reference to an object shown elsewhere, which has its type there, and
// for a type of Options.Named, whose texts cannot be taken for anything else.
func (b *builder) bare(p *plan, s string) bool {
	switch {
	case p.typ == reflect.TypeFor[int](), p.typ == reflect.TypeFor[string](), p.typ == reflect.TypeFor[bool]():
		return true
	case p.isStructPointer() && s[0] == '=':
		return true
	case b.w.named[p.typ]:
		return s != "true" && s != "false" && (s[0] >= 'a' && s[0] <= 'z' || s[0] >= 'A' && s[0] <= 'Z')
	}
	return false
}

// isStructPointer reports whether p is the plan of *T for a named struct type T. Texts show such a value as
// &T{...}.
func (p *plan) isStructPointer() bool {
	return p.op == opPointer && p.typ.Name() == "" && p.elem.op == opStruct && p.elem.typ.Name() != ""
}

// nameInText returns the short name of p's type.
func (w *Walker) nameInText(p *plan) string {
	if r := w.identify(p); r != nil {
		return fullName(p.typ)
	}
	return p.short
}

// ownSummary marks, in texts, a summary that has the type of the summarized value.
const ownSummary = "~"

// summary returns the tree of the summary of v, in place of that of v.
func (b *builder) summary(p *plan, v reflect.Value, path string) *node {
	s := v.Addr().Interface().(Summarizer).Summary()
	b.keep = append(b.keep, s)
	e := reflect.ValueOf(s)
	if !p.summarizesItself(e) {
		return b.dynamic(e, path)
	}
	plain, r := b.w.compiled(planKey{p.typ, true})
	if r != nil {
		panic("macemc bug: canon refused a summary that it had encoded")
	}
	n := b.copyOf(plain, reflect.Indirect(e), path)
	if n.shape == shapeLeaf && n.leaf != skippedPart {
		n.leaf = ownSummary + n.leaf
	} else {
		n.name = ownSummary
	}
	return n
}
