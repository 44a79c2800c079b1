package explore

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"macemc/internal/canon"
	"macemc/internal/visited"
	"macemc/internal/world"
)

// Ledger is the states that were visited, each once, under its number, with the
// step that first led to it. Several goroutines may write into one ledger, each
// by an entry of its own.
//
// A state is its vector, packed: see layout. The set of states holds a tag and
// a number for each, and states of one tag are compared in full; so no state is
// ever taken for another. With prints, the set holds fingerprints, and the
// states of a level are given back once it is expanded.
type Ledger struct {
	mu     sync.Mutex // guards what is written of layout and blocks
	layout atomic.Pointer[layout]
	blocks atomic.Pointer[[]*block]
	Set    *visited.Words
	Prints *Prints             // nil if vectors are compared
	May    func(now int) int   // bytes that a set may have which takes the place of one of now bytes
	gaps   atomic.Bool         // some states are not expanded
	Joint  bool                // several goroutines have written: numbers do not follow levels
	bys    bys                 // the steps that states were reached by
	noted  bool                // these are noted of each state, while it is not expanded
	tidy   func() (end func()) // called before the set is made larger, and the returned function after; may be nil

	fold *Fold // keeps one of the states that differ only in names; nil if all are kept
	deep *deep // the part that is on disk; nil if all is in memory

	growing sync.RWMutex // held for reading by users of the set
}

// Origin says how a state was first reached.
type Origin struct {
	Parent uint32
	event  uint16
	coins  uint16 // a list of answers
}

const NoParent = math.MaxUint32

// layout is the format of packed states. Each byte of a number of a vector that was ever other than 0
// has a column; eight columns are a word. A layout only grows, and columns are not moved: a state that
// was packed before a column was added has a zero there.
type layout struct {
	columns []column
	of      [][4]uint16 // by place, the columns of the bytes of its number, lowest first, plus one; 0 if there is none yet
	bytes   []uint8     // by place, the number of its columns
}

type column struct {
	place uint16
	shift uint8 // of its byte in the number
}

const columnsPerWord = 8

// words returns how long a packed state is.
func (l *layout) words() int { return (len(l.columns) + columnsPerWord - 1) / columnsPerWord }

// fits reports whether a number can be written at a place.
func (l *layout) fits(place int, id uint32) bool { return uint64(id)>>(8*l.bytes[place]) == 0 }

// put writes a number that fits.
func (l *layout) put(rec []uint64, place int, id uint32) {
	of := &l.of[place]
	for k := range l.bytes[place] {
		c := of[k] - 1
		shift := c % columnsPerWord * 8
		word := &rec[c/columnsPerWord]
		*word = *word&^(0xff<<shift) | uint64(byte(id>>(8*k)))<<shift
	}
}

// with returns the layout with room for a number at a place.
func (l *layout) with(place int, id uint32) *layout {
	larger := &layout{slices.Clone(l.columns), slices.Clone(l.of), slices.Clone(l.bytes)}
	for !larger.fits(place, id) {
		k := larger.bytes[place]
		larger.columns = append(larger.columns, column{uint16(place), 8 * k})
		larger.of[place][k] = uint16(len(larger.columns))
		larger.bytes[place]++
	}
	return larger
}

// at returns the number of a packed state at a place.
func (l *layout) at(rec []uint64, place int) (id uint32) {
	of := &l.of[place]
	for k := range l.bytes[place] {
		if c := int(of[k] - 1); c/columnsPerWord < len(rec) {
			id |= uint32(byte(rec[c/columnsPerWord]>>(c%columnsPerWord*8))) << (8 * k)
		}
	}
	return id
}

// unpack writes the numbers of a packed state into v.
func (l *layout) unpack(rec []uint64, v world.Vector) {
	clear(v)
	for c, of := range l.columns[:min(len(l.columns), len(rec)*columnsPerWord)] {
		v[of.place] |= uint32(byte(rec[c/columnsPerWord]>>(c%columnsPerWord*8))) << of.shift
	}
}

// Blocks hold the states. A block is filled by one goroutine; its number and
// the place in it are a state's number.
const blockStates = 1024

type block struct {
	words   int        // of a state
	recs    []uint64   // nil if they are on disk
	origins []Origin   // likewise
	at      int64      // where the block is on disk
	by      []byNumber // the steps of these, until the states are expanded, or nil if none is known
	Live    marks      // the states that are live, where no fault can happen
	Outside marks      // those outside System.Within, which are not expanded
	n       int
}

// reachedBy records the step by which a state was reached first, if the ledger records steps.
func (b *block) reachedBy(s uint32, step byNumber) {
	if b.by != nil {
		b.by[s%blockStates] = step
	}
}

type marks [blockStates / 64]uint64

func (m *marks) has(i uint32) bool { return m[i%blockStates/64]&(1<<(i%64)) != 0 }
func (m *marks) Set(i uint32)      { m[i%blockStates/64] |= 1 << (i % 64) }

// The set of a new ledger begins small, and grows until the memory that it may
// have is used up: see room.
const (
	LedgerLeast = 1 << 18
)

func newLedger(places int, may func(int) int, tidy func() func(), p *Prints) (*Ledger, error) {
	l := &Ledger{May: may, Prints: p, tidy: tidy}
	l.layout.Store(&layout{of: make([][4]uint16, places), bytes: make([]uint8, places)})
	l.blocks.Store(new([]*block))
	var err error
	l.Set, err = visited.NewWords(LedgerLeast)
	return l, err
}

// NewLedger returns an empty ledger that keeps to the limits of the search.
func (r *Owner) NewLedger(places int, p *Prints) (*Ledger, error) {
	return newLedger(places, r.Limits.Room, r.Limits.Tidy, p)
}

// hold keeps the set as it is, until letGo, where another goroutine might make it larger.
func (l *Ledger) hold() {
	if l.Joint {
		l.growing.RLock()
	}
}

func (l *Ledger) letGo() {
	if l.Joint {
		l.growing.RUnlock()
	}
}

// join records that several goroutines write.
func (l *Ledger) join() { l.Joint = true }

// noteSteps makes the ledger record the steps by which states are reached. Only the first call writes,
// since other goroutines may already read.
func (l *Ledger) noteSteps() {
	if !l.noted {
		l.noted = true
	}
}

// Close gives back the memory of the set.
func (l *Ledger) Close() {
	if l.Set.Close(); l.fold != nil {
		l.fold.classes.Close()
	}
}

// Block returns the block of a state.
func (l *Ledger) Block(s uint32) *block { return (*l.blocks.Load())[s/blockStates] }

// rec returns a state, packed.
func (l *Ledger) rec(s uint32) []uint64 {
	b := l.Block(s)
	at, recs := int(s%blockStates)*b.words, b.recs
	if recs == nil && l.deep != nil {
		recs = l.deep.back(s, b).recs
	}
	return recs[at : at+b.words]
}

// Get writes a state into v.
func (l *Ledger) Get(s uint32, v world.Vector) { l.layout.Load().unpack(l.rec(s), v) }

// Origin returns how a state was reached first.
func (l *Ledger) Origin(s uint32) Origin {
	b := l.Block(s)
	if b.origins == nil {
		return l.deep.back(s, b).origins[s%blockStates]
	}
	return b.origins[s%blockStates]
}

// Live reports whether a state was marked as live, or as one that does not count.
func (l *Ledger) Live(s uint32) bool { return l.Block(s).Live.has(s) }

// Outside reports whether a state is not to be expanded.
func (l *Ledger) Outside(s uint32) bool { return l.Block(s).Outside.has(s) }

// leave records that a state is not expanded.
func (l *Ledger) leave(s uint32) {
	l.Block(s).Outside.Set(s)
	l.gaps.Store(true)
}

// Len returns the number of states.
func (l *Ledger) Len() (n int) {
	for _, b := range *l.blocks.Load() {
		n += b.n
	}
	return n
}

// End returns beyond all numbers of states.
func (l *Ledger) End() uint32 { return uint32(len(*l.blocks.Load())) * blockStates }

// Each yields the numbers of all states, in ascending order, including those that are added during the
// iteration.
func (l *Ledger) Each(yield func(uint32) bool) {
	for i := 0; i < len(*l.blocks.Load()); i++ {
		b := (*l.blocks.Load())[i]
		for k := 0; k < b.n; k++ {
			if !yield(uint32(i*blockStates + k)) {
				return
			}
		}
	}
}

// Holds reports whether a number below end is a state's: a block may be left
// before it is full.
func (l *Ledger) Holds(s uint32) bool { return int(s%blockStates) < l.Block(s).n }

// Expanded frees memory of the states of a level that is no longer needed, except in blocks that the
// next level shares. The steps by which the states were reached are kept, and so are the states
// themselves if no fingerprints are used.
func (l *Ledger) Expanded(level, next Frontier) {
	needed := map[uint32]bool{}
	for _, s := range next {
		for b := s.From / blockStates; b <= (s.To-1)/blockStates; b++ {
			needed[b] = true
		}
	}
	all := *l.blocks.Load()
	for _, s := range level {
		for b := s.From / blockStates; b <= (s.To-1)/blockStates; b++ {
			if !needed[b] && all[b].n == blockStates {
				if all[b].by = nil; l.Prints != nil {
					all[b].recs = nil
				}
			}
		}
	}
}

// Span is states that follow each other, from one number to below another.
type Span struct{ From, To uint32 }

// Frontier is the states of a level.
type Frontier []Span

// Len returns the number of states.
func (f Frontier) Len() (n int) {
	for _, s := range f {
		n += int(s.To - s.From)
	}
	return n
}

// Some yields n states, from the k-th on.
func (f Frontier) Some(k, n int, yield func(i int, s uint32) bool) {
	i := 0
	for _, s := range f {
		size := int(s.To - s.From)
		for at := max(k-i, 0); at < size && i+at < k+n; at++ {
			if !yield(i+at, s.From+uint32(at)) {
				return
			}
		}
		i += size
	}
}

// At returns the k-th state.
func (f Frontier) At(k int) uint32 {
	for _, s := range f {
		size := int(s.To - s.From)
		if k < size {
			return s.From + uint32(k)
		}
		k -= size
	}
	panic("macemc bug: search: a state beyond the last one of a level")
}

// Level ends a level: it is its new states, and the next one begins.
func (e *Entry) Level() Frontier {
	f := Frontier(e.spans)
	e.spans = nil
	if d := e.deep; d != nil {
		f = append(f, d.takes()...)
	}
	return f
}

// forget gives all states back. Their numbers are not used again. Nobody else may have an entry.
func (e *Entry) forget() {
	all := *e.blocks.Load()
	for k := len(all) - 1; k >= 0 && all[k] != nil; k-- {
		all[k] = nil
	}
	e.spans, e.into = nil, nil
}

// widen makes room in the layout for a number at a place.
func (l *Ledger) widen(place int, id uint32) *layout {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := l.layout.Load(); !now.fits(place, id) {
		l.layout.Store(now.with(place, id))
	}
	return l.layout.Load()
}

// begin begins a block.
func (l *Ledger) begin(words int) (number uint32, b *block) {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := *l.blocks.Load()
	if len(all) >= math.MaxUint32/blockStates {
		panic("macemc bug: search: more states than have a number; they fill the memory before")
	}
	b = &block{words: words, recs: make([]uint64, words*blockStates), origins: make([]Origin, blockStates)}
	if l.noted {
		b.by = make([]byNumber, blockStates) // now: later, others read it
	}
	more := append(all, b) // a copy, so that holders of the shorter list do not see it
	l.blocks.Store(&more)
	return uint32(len(all)) * blockStates, b
}

// Entry is the part of a ledger that one goroutine writes.
type Entry struct {
	*Ledger
	lay    *layout
	packed []uint64 // of lay.words(): the state that is looked up, packed
	Next   uint32   // the number of the next new state
	taken  int      // new states that were not counted in the set yet
	spans  []Span   // the new states of this level
	into   *block   // it is written into; nil means into a new one
	fold   *Fold
}

// Entry returns a new entry, for one more goroutine.
func (l *Ledger) Entry() *Entry {
	e := &Entry{Ledger: l, lay: l.layout.Load(), fold: l.fold}
	e.lengthen()
	if l.deep != nil {
		l.deep.joins(e)
	}
	return e
}

// Pack packs a vector.
func (e *Entry) Pack(v world.Vector) {
	e.start(nil)
	for p, id := range v {
		if id != 0 {
			e.put(p, id)
		}
	}
}

// start makes packed another packed state.
func (e *Entry) start(other []uint64) {
	if now := e.layout.Load(); now != e.lay {
		e.lay = now
		e.lengthen()
	}
	n := copy(e.packed, other)
	clear(e.packed[n:])
}

// put writes a number into packed.
func (e *Entry) put(place int, id uint32) {
	if !e.lay.fits(place, id) {
		e.lay = e.widen(place, id)
		e.lengthen()
	}
	e.lay.put(e.packed, place, id)
}

func (e *Entry) lengthen() {
	for len(e.packed) < e.lay.words() {
		e.packed = append(e.packed, 0)
	}
}

// is reports whether the packed state equals state s of the ledger.
func (e *Entry) is(s uint32) bool {
	other := e.Ledger.rec(s)
	if len(other) > len(e.packed) { // another goroutine has seen more columns
		for _, word := range other[len(e.packed):] {
			if word != 0 {
				return false
			}
		}
		other = other[:len(e.packed)]
	}
	for i, word := range other {
		if word != e.packed[i] {
			return false
		}
	}
	for _, word := range e.packed[len(other):] {
		if word != 0 {
			return false
		}
	}
	return true
}

// tag returns the half of a state's identity that the set keeps, without the state's number.
func tag(h canon.Hash) uint64 { return h.Hi &^ (1<<32 - 1) }

// touch loads the slot that add will read first, so that it is in the processor's cache then.
func (e *Entry) touch(h canon.Hash) uint64 { return e.Set.At(e.Set.Home(e.word(h))) }

func (e *Entry) word(h canon.Hash) uint64 {
	if e.Prints != nil {
		return e.Prints.of(h)
	}
	return tag(h)
}

// touchState loads the state that add will compare with, if there is one.
func (e *Entry) touchState(h canon.Hash) uint64 {
	if e.Prints != nil {
		return 0
	}
	t := tag(h)
	for at := e.Set.Home(t); ; at = e.Set.Next(at) {
		word := e.Set.At(at)
		if word == 0 {
			return 0
		}
		if word&^(1<<32-1) == t {
			s := uint32(word) - 1
			b := e.Ledger.Block(s)
			return b.recs[int(s%blockStates)*b.words]
		}
	}
}

// Find returns the number of the packed state, with the identity h, or of the one that is kept for it;
// not with prints.
func (e *Entry) Find(h canon.Hash) (s uint32, known bool) {
	if s, known = e.find(h); !known && e.fold != nil {
		return e.fold.class(e)
	}
	return s, known
}

func (e *Entry) find(h canon.Hash) (uint32, bool) {
	t := tag(h)
	for at := e.Set.Home(t); ; at = e.Set.Next(at) {
		word := e.Set.At(at)
		if word == 0 {
			return 0, false
		}
		if word&^(1<<32-1) == t && e.is(uint32(word)-1) {
			return uint32(word) - 1, true
		}
	}
}

// Add adds the packed state, with the identity h, and reports whether it is
// new; its number is then next-1. There must be room in the set.
func (e *Entry) Add(h canon.Hash, from Origin) bool {
	if e.fold == nil {
		return e.add(h, from)
	}
	if _, known := e.Find(h); known {
		return false
	}
	e.add(h, from)
	e.fold.keep(e.Next - 1)
	return true
}

func (e *Entry) add(h canon.Hash, from Origin) bool {
	t := e.word(h)
	written := false
	for at := e.Set.Home(t); ; {
		word := e.Set.At(at)
		switch {
		case word == 0:
			if !written {
				e.write(from)
				written = true
			}
			if e.Prints == nil {
				word = t | uint64(e.Next+1)
			} else {
				word = t
			}
			if e.Set.Take(at, word) {
				e.taken++
				e.keep()
				return true
			}
			continue // look again: another goroutine was faster, perhaps with this state
		case e.Prints != nil:
			if word == t {
				return false
			}
		case word&^(1<<32-1) == t && e.is(uint32(word)-1):
			return false
		}
		at = e.Set.Next(at)
	}
}

// append adds the packed state without looking whether it is known.
func (e *Entry) append(from Origin) uint32 {
	e.write(from)
	e.keep()
	return e.Next - 1
}

// keep adds the record that was written last as a state.
func (e *Entry) keep() {
	if k := len(e.spans) - 1; k >= 0 && e.spans[k].To == e.Next {
		e.spans[k].To++
	} else {
		e.spans = append(e.spans, Span{e.Next, e.Next + 1})
	}
	e.Next++
	if e.into.n++; e.into.n == blockStates {
		e.into = nil
	}
}

// Told adds the number of states that were new to the count of the set.
func (e *Entry) Told() {
	e.Set.Took(e.taken)
	e.taken = 0
}

// write writes rec where the next new state will be.
func (e *Entry) write(from Origin) {
	if e.into == nil || e.into.words < len(e.packed) {
		e.Next, e.into = e.begin(len(e.packed))
	}
	at := int(e.Next%blockStates) * e.into.words
	copy(e.into.recs[at:at+e.into.words], e.packed)
	e.into.origins[e.Next%blockStates] = from
}

// Room makes sure that the set has room for n more states, or returns ErrFull.
func (l *Ledger) Room(n int) error {
	if l.fold != nil {
		if err := l.fold.classes.Room(n); err != nil {
			return err
		}
	}
	l.hold()
	enough := l.Set.Len()+n <= l.Set.Cap()
	l.letGo()
	if enough {
		return nil
	}
	if l.tidy != nil {
		defer l.tidy()()
	}
	l.growing.Lock()
	defer l.growing.Unlock()
	for l.Set.Len()+n > l.Set.Cap() {
		now := l.Set.Bytes()
		bytes := min(now/2*3, l.May(now))
		if bytes <= now {
			return ErrFull
		}
		if err := l.Set.Grow(bytes); err != nil {
			return err
		}
	}
	return nil
}

// Prints has the parameters of fingerprints.
type Prints struct{ Bits int }

func (p *Prints) of(h canon.Hash) uint64 {
	if p.Bits == 32 {
		return max(1, h.Hi>>32) * (1<<32 + 1)
	}
	return max(1, h.Hi)
}

// Omission returns a bound on the probability that any of n states was wrongly taken for
// known: the expected number of pairs with one fingerprint.
func (p *Prints) Omission(n int) float64 {
	if p == nil {
		return 0
	}
	return min(1, float64(n)*float64(n)/2/math.Exp2(float64(p.Bits)))
}
