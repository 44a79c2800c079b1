package canon

import (
	"fmt"
	"reflect"
	"time"
)

// Options say what a Walker leaves out, and how it prints values.
type Options struct {
	// Opaque rules leave values out: "pkg.Type.field" a field, "*.field" the
	// field of that name in any struct, "pkg.Type" every value of that type and
	// pointers to it. pkg is a package's name, the last element of its path, or
	// its full path; the type arguments of a generic type are not written.
	Opaque []string

	// Immutable rules, "pkg.Type" or "pkg.Type.field", name values that never change once
	// they are made. Copies share them. A value of such a type, or the value that a pointer
	// to it leads to, counts by its content: the walk does not distinguish equal ones. A
	// rule for a field is about functions, which are left out; "pkg.Type.func" names all
	// fields of functions. A method value is copied with its receiver nevertheless.
	Immutable []string

	// Made lists fields that are left out, and made again in a copy.
	Made []Made

	// Now returns the present of a root value, if it has one. Instants of type time.Time in
	// the value then count by their distance from it. If Now is nil, no value has one.
	Now func(root any) (time.Time, bool)

	// Skip lists interface types: a value whose type T, or *T, implements one
	// is left out, unless T is a struct which only embeds such a value.
	Skip []reflect.Type

	// Through is an interface type, or nil. A struct with one walked field that implements
	// it, itself or by its pointer, is written as that field in texts.
	Through reflect.Type

	// Named lists types whose text is their String. Their hash is by the walk.
	Named []reflect.Type

	// Names is a type whose values are numbers of 32 bits, or nil. The Walker sums values as if each
	// such number in them were another one: see Rename. It makes neither texts nor copies.
	Names reflect.Type
}

// A Walker computes hashes, texts and copies of values. It holds the plans that it has compiled, and the
// scratch memory of its walks, so several goroutines must not use it at once. Walkers with the same
// Options return the same hashes and texts.
type Walker struct {
	walk walkState // first, since every step of a walk writes it
	buf  []byte    // the encoding of the root
	refs refTable

	compiler
	named   map[reflect.Type]bool
	through reflect.Type // or nil
	now     func(any) (time.Time, bool)
	content *Walker         // the Walker of immutable values; nil until one is met
	texts   map[Hash]string // texts of immutable values by their hashes; used by content alone
	equal   bool            // values count by content alone: which of equal objects a pointer leads to does not matter

	rootPlan *plan // the plan of type any
	held     any   // the root, for a walk that has to read it from memory
	types    dynamicTypes[plan]
	entries  []mapEntry
	keys     []byte // of entries

	copies  copies
	packs   packer
	unpacks unpacker
}

// walkState is the part of a Walker that is reset before each walk of a root.
type walkState struct {
	aliases []uint64 // pairs of an inline visit and an earlier visit through a pointer
	keep    []any    // summaries, which are kept alive so that no address is reused
	walkFlags
}

type walkFlags struct {
	seq    uint64 // the number of values visited so far
	depth  int
	busy   bool // a walk has begun and not ended
	copied bool // the value lies in scratch memory, so its address has no meaning
	inKey  bool // inside of a map's key, where no identity is allowed

	relative bool // times count from the present
	present  time.Time
}

// count makes the walk encode times as their distances from present. If is is false, there is no present,
// and times are encoded as they are.
func (f *walkFlags) count(present time.Time, is bool) { f.present, f.relative = present, is }

// enter prepares f, the flags of a walk that begins in the middle of another walk. It takes the depth and
// the present from outer, the flags of the other walk.
func (f *walkFlags) enter(outer walkFlags) {
	f.present, f.relative, f.depth = outer.present, outer.relative, outer.depth
}

// down enters a value inside another one. copied says whether the value lies in scratch memory. The caller
// must pass the result to up when it leaves the value.
func (f *walkFlags) down(copied bool) (before bool) {
	before, f.copied = f.copied, copied
	f.depth++
	return before
}

func (f *walkFlags) up(before bool) {
	f.copied = before
	f.depth--
}

// visit counts n more visits.
func (f *walkFlags) visit(n uint64) { f.seq += n }

// root begins the walk of a root, which lies in scratch memory since it comes in an interface.
func (f *walkFlags) root() { f.depth, f.copied = 1, true }

// toKey enters the key of a map. The caller must pass the result to fromKey when it leaves the key.
func (f *walkFlags) toKey() (before bool) {
	before, f.inKey = f.inKey, true
	return before
}

func (f *walkFlags) fromKey(before bool) { f.inKey = before }

func (f *walkFlags) end() { f.busy = false }

// depthMax is the largest number of levels to which values may be nested. It ends the walk of a slice that
// contains itself, the only cycle that is not noticed otherwise.
const depthMax = 50_000

// New returns a Walker, or an error if a rule or a list in the Options is malformed.
func New(o Options) (*Walker, error) {
	rules, err := parseRules("opaque", o.Opaque)
	if err != nil {
		return nil, err
	}
	fixed, err := parseRules("immutable", o.Immutable)
	if err != nil {
		return nil, err
	}
	remade, err := parseMade(o.Made)
	if err != nil {
		return nil, err
	}
	named := make(map[reflect.Type]bool)
	for _, t := range o.Named {
		if t == nil || !implements(t, stringerType) {
			return nil, fmt.Errorf("Options.Named lists %v, which has no String method; add one or take it off the list", t)
		}
		named[t] = true
	}
	for _, t := range o.Skip {
		if t == nil || t.Kind() != reflect.Interface || t.NumMethod() == 0 {
			return nil, fmt.Errorf("Options.Skip lists %v; want interface types with methods", t)
		}
	}
	w := walkerOf(omissions{rules, fixed, o.Skip, remade, o.Made})
	w.named, w.through, w.now = named, o.Through, o.Now
	if w.names.typ = o.Names; o.Names != nil && o.Names.Size() != 4 {
		return nil, fmt.Errorf("Options.Names is %v, which has %d bytes; want a type of 4 bytes", o.Names, o.Names.Size())
	}
	return w, nil
}

func walkerOf(o omissions) *Walker {
	w := &Walker{compiler: compiler{
		omissions: o,
		plans:     make(map[reflect.Type]*plan),
		plains:    make(map[reflect.Type]*plan),
		tags:      make(map[uint64]reflect.Type),
		shorts:    make(map[string]reflect.Type),
		known:     Slow() == "",
	}}
	w.copies = copies{compiler: &w.compiler, ways: make(map[reflect.Type]*copyPlan)}
	w.copies.ready()
	return w
}

// Check returns an error if a value that t leads to cannot be walked. It examines types only: a value in
// an interface is checked when a walk meets it.
func (w *Walker) Check(t reflect.Type) error {
	if _, r := w.plan(t); r != nil {
		return r.under(t)
	}
	return nil
}

// Sum returns the hash of v, which is that of its encoding.
func (w *Walker) Sum(v any) (Hash, error) {
	if err := w.encodeRoot(v); err != nil {
		return Hash{}, err
	}
	return ofBytes(w.buf), nil
}

// Rename makes Sum write the number to[k] in place of each number k of the type Options.Names. Numbers
// from len(to) on stay as they are. So Sum returns the hash of the value in which the numbers are
// replaced.
func (w *Walker) Rename(to []uint32) { w.names.rename(to) }

// Met reports whether Sum has met the number k of the type Options.Names since the last call of Rename.
func (w *Walker) Met(k int) bool { return k < len(w.names.met) && w.names.met[k] }

// Unused returns the rules of Opaque, Immutable and Made that have matched nothing in the types met so
// far, in the order in which they were given. Such a rule is misspelt, or about a type that was not met
// yet.
func (w *Walker) Unused() []string {
	var unused []string
	for _, rules := range [][]rule{w.rules, w.fixed, w.remade} {
		for _, r := range rules {
			if !r.used {
				unused = append(unused, r.text)
			}
		}
	}
	return unused
}

// A Summarizer is walked as the result of Summary, in place of its own fields. Summary must
// not change the value or use the Walker, and must be a function of the value. If the
// result has the same type (as a copy with some fields cleared), it is walked by its
// fields.
type Summarizer interface{ Summary() any }
