package search

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"macemc/internal/canon"
	"macemc/internal/visited"
	"macemc/internal/world"
)

// ledger is the states that were visited, each once, under its number, with the
// step that first led to it. Several goroutines may write into one ledger, each
// by an entry of its own.
//
// A state is its vector, packed: see layout. The set of states holds a tag and
// a number for each, and states of one tag are compared in full; so no state is
// ever taken for another. With prints, the set holds fingerprints, and the
// states of a level are given back once it is expanded.
type ledger struct {
	mu     sync.Mutex // guards what is written of layout and blocks
	layout atomic.Pointer[layout]
	blocks atomic.Pointer[[]*block]
	set    *visited.Words
	prints *prints             // nil: vectors are compared
	may    func(now int) int   // bytes that a set may have which takes the place of one of now bytes
	gaps   atomic.Bool         // some states are not expanded
	joint  bool                // several goroutines have written: numbers do not follow levels
	bys    bys                 // the steps that states were reached by
	noted  bool                // these are noted of each state, while it is not expanded
	tidy   func() (end func()) // told before the set is made larger, and after; nil: nobody is

	growing sync.RWMutex // held for reading by who uses the set
}

// origin says how a state was first reached.
type origin struct {
	parent uint32
	event  uint16
	coins  uint16 // a list of answers
}

const noParent = math.MaxUint32

// layout says where a packed state has what. The bytes of the numbers of a
// vector, those that were ever other than 0, have columns of a byte each; eight
// columns are a word. A layout only grows, and a column stays where it is: a
// state that was packed before has zeros in columns that came later.
type layout struct {
	columns []column
	of      [][4]uint16 // by place: the columns of the bytes of its number, the lowest first; plus one, 0: there is none yet
	bytes   []uint8     // by place: how many columns it has
}

type column struct {
	place uint16
	shift uint8 // of its byte in the number
}

const columnsPerWord = 8

// words is how long a packed state is.
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

// with is the layout with room for a number at a place.
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

// at is the number of a packed state at a place.
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
	words   int // of a state
	recs    []uint64
	origins []origin
	by      []byNumber // the steps of these, until the states are expanded; nil: none is known
	live    marks      // the states that are live, where no fault can happen
	outside marks      // those outside System.Within, which are not expanded
	n       int
}

type marks [blockStates / 64]uint64

func (m *marks) has(i uint32) bool { return m[i%blockStates/64]&(1<<(i%64)) != 0 }
func (m *marks) set(i uint32)      { m[i%blockStates/64] |= 1 << (i % 64) }

// The set of a new ledger begins small, and grows until the memory that it may
// have is used up: see room.
const (
	ledgerLeast = 1 << 18
)

func newLedger(places int, may func(int) int, p *prints) (*ledger, error) {
	l := &ledger{may: may, prints: p}
	l.layout.Store(&layout{of: make([][4]uint16, places), bytes: make([]uint8, places)})
	l.blocks.Store(new([]*block))
	var err error
	l.set, err = visited.NewWords(ledgerLeast)
	return l, err
}

// newLedger is one that keeps to the limits of the search.
func (r *runner) newLedger(places int, p *prints) (*ledger, error) {
	l, err := newLedger(places, r.Limits.Room, p)
	if err == nil {
		l.tidy = r.Limits.Tidy
	}
	return l, err
}

func (l *ledger) close() { l.set.Close() }

func (l *ledger) block(s uint32) *block { return (*l.blocks.Load())[s/blockStates] }

// rec is a state, packed.
func (l *ledger) rec(s uint32) []uint64 {
	b := l.block(s)
	at := int(s%blockStates) * b.words
	return b.recs[at : at+b.words]
}

// get writes a state into v.
func (l *ledger) get(s uint32, v world.Vector) { l.layout.Load().unpack(l.rec(s), v) }

func (l *ledger) origin(s uint32) origin { return l.block(s).origins[s%blockStates] }
func (l *ledger) live(s uint32) bool     { return l.block(s).live.has(s) }
func (l *ledger) outside(s uint32) bool  { return l.block(s).outside.has(s) }

// leave notes that a state is not expanded.
func (l *ledger) leave(s uint32) {
	l.block(s).outside.set(s)
	l.gaps.Store(true)
}

// len is the number of states.
func (l *ledger) len() (n int) {
	for _, b := range *l.blocks.Load() {
		n += b.n
	}
	return n
}

// end is beyond all numbers of states.
func (l *ledger) end() uint32 { return uint32(len(*l.blocks.Load())) * blockStates }

// each yields the numbers of all states, in ascending order, those that come to
// be meanwhile included.
func (l *ledger) each(yield func(uint32) bool) {
	for i := 0; i < len(*l.blocks.Load()); i++ {
		b := (*l.blocks.Load())[i]
		for k := 0; k < b.n; k++ {
			if !yield(uint32(i*blockStates + k)) {
				return
			}
		}
	}
}

// holds reports whether a number below end is a state's: a block may be left
// before it is full.
func (l *ledger) holds(s uint32) bool { return int(s%blockStates) < l.block(s).n }

// expanded gives back what is known of the states of a level and no longer
// needed, but for those in blocks that the next one shares. How they were
// reached stays, and without prints they do themselves.
func (l *ledger) expanded(level, next frontier) {
	needed := map[uint32]bool{}
	for _, s := range next {
		for b := s.from / blockStates; b <= (s.to-1)/blockStates; b++ {
			needed[b] = true
		}
	}
	all := *l.blocks.Load()
	for _, s := range level {
		for b := s.from / blockStates; b <= (s.to-1)/blockStates; b++ {
			if !needed[b] && all[b].n == blockStates {
				if all[b].by = nil; l.prints != nil {
					all[b].recs = nil
				}
			}
		}
	}
}

// span is states that follow each other, from one number to below another.
type span struct{ from, to uint32 }

// frontier is the states of a level.
type frontier []span

// len is the number of states.
func (f frontier) len() (n int) {
	for _, s := range f {
		n += int(s.to - s.from)
	}
	return n
}

// some yields so many states, from the k-th on.
func (f frontier) some(k, n int, yield func(i int, s uint32) bool) {
	i := 0
	for _, s := range f {
		size := int(s.to - s.from)
		for at := max(k-i, 0); at < size && i+at < k+n; at++ {
			if !yield(i+at, s.from+uint32(at)) {
				return
			}
		}
		i += size
	}
}

// at is the k-th state.
func (f frontier) at(k int) uint32 {
	for _, s := range f {
		size := int(s.to - s.from)
		if k < size {
			return s.from + uint32(k)
		}
		k -= size
	}
	panic("macemc bug: search: a state beyond the last one of a level")
}

// level ends a level: it is its new states, and the next one begins.
func (e *entry) level() frontier {
	f := frontier(e.spans)
	e.spans = nil
	return f
}

// widen makes room in the layout for a number at a place.
func (l *ledger) widen(place int, id uint32) *layout {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := l.layout.Load(); !now.fits(place, id) {
		l.layout.Store(now.with(place, id))
	}
	return l.layout.Load()
}

// begin begins a block.
func (l *ledger) begin(words int) (number uint32, b *block) {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := *l.blocks.Load()
	if len(all) >= math.MaxUint32/blockStates {
		panic("macemc bug: search: more states than have a number; they fill the memory before")
	}
	b = &block{words: words, recs: make([]uint64, words*blockStates), origins: make([]origin, blockStates)}
	if l.noted {
		b.by = make([]byNumber, blockStates) // now: later, others read it
	}
	more := append(all, b) // whoever has the shorter list sees nothing of it
	l.blocks.Store(&more)
	return uint32(len(all)) * blockStates, b
}

// entry is how one goroutine writes into a ledger.
type entry struct {
	*ledger
	lay    *layout
	packed []uint64 // of lay.words(): the state that is looked up, packed
	next   uint32   // the number of the next new state
	taken  int      // new states that the set has not been told of
	spans  []span   // the new states of this level
	into   *block   // it is written into; nil: into a new one
}

func (l *ledger) entry() *entry {
	e := &entry{ledger: l, lay: l.layout.Load()}
	e.lengthen()
	return e
}

// pack packs a vector.
func (e *entry) pack(v world.Vector) {
	e.start(nil)
	for p, id := range v {
		if id != 0 {
			e.put(p, id)
		}
	}
}

// start makes packed another packed state.
func (e *entry) start(other []uint64) {
	if now := e.layout.Load(); now != e.lay {
		e.lay = now
		e.lengthen()
	}
	n := copy(e.packed, other)
	clear(e.packed[n:])
}

// put writes a number into packed.
func (e *entry) put(place int, id uint32) {
	if !e.lay.fits(place, id) {
		e.lay = e.widen(place, id)
		e.lengthen()
	}
	e.lay.put(e.packed, place, id)
}

func (e *entry) lengthen() {
	for len(e.packed) < e.lay.words() {
		e.packed = append(e.packed, 0)
	}
}

// is reports whether the packed state is one that is in the ledger.
func (e *entry) is(s uint32) bool {
	other := e.ledger.rec(s)
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

// tag is what the set knows of a state by its identity, with no number.
func tag(h canon.Hash) uint64 { return h.Hi &^ (1<<32 - 1) }

// touch loads what add will look at first, so that it is in the cache then.
func (e *entry) touch(h canon.Hash) uint64 { return e.set.At(e.set.Home(e.word(h))) }

func (e *entry) word(h canon.Hash) uint64 {
	if e.prints != nil {
		return e.prints.of(h)
	}
	return tag(h)
}

// touchState loads the state that add will compare with, if there is one.
func (e *entry) touchState(h canon.Hash) uint64 {
	if e.prints != nil {
		return 0
	}
	t := tag(h)
	for at := e.set.Home(t); ; at = e.set.Next(at) {
		word := e.set.At(at)
		if word == 0 {
			return 0
		}
		if word&^(1<<32-1) == t {
			s := uint32(word) - 1
			b := e.ledger.block(s)
			return b.recs[int(s%blockStates)*b.words]
		}
	}
}

// find is the number of the packed state, with the identity h; not with prints.
func (e *entry) find(h canon.Hash) (uint32, bool) {
	t := tag(h)
	for at := e.set.Home(t); ; at = e.set.Next(at) {
		word := e.set.At(at)
		if word == 0 {
			return 0, false
		}
		if word&^(1<<32-1) == t && e.is(uint32(word)-1) {
			return uint32(word) - 1, true
		}
	}
}

// add adds the packed state, with the identity h, and reports whether it is
// new; its number is then next-1. There must be room in the set.
func (e *entry) add(h canon.Hash, from origin) bool {
	t := e.word(h)
	written := false
	for at := e.set.Home(t); ; {
		word := e.set.At(at)
		switch {
		case word == 0:
			if !written {
				e.write(from)
				written = true
			}
			if e.prints == nil {
				word = t | uint64(e.next+1)
			} else {
				word = t
			}
			if e.set.Take(at, word) {
				e.taken++
				e.keep()
				return true
			}
			continue // look again: another goroutine was faster, perhaps with this state
		case e.prints != nil:
			if word == t {
				return false
			}
		case word&^(1<<32-1) == t && e.is(uint32(word)-1):
			return false
		}
		at = e.set.Next(at)
	}
}

// append adds the packed state without looking whether it is known.
func (e *entry) append(from origin) uint32 {
	e.write(from)
	e.keep()
	return e.next - 1
}

// keep makes what was written a state.
func (e *entry) keep() {
	if k := len(e.spans) - 1; k >= 0 && e.spans[k].to == e.next {
		e.spans[k].to++
	} else {
		e.spans = append(e.spans, span{e.next, e.next + 1})
	}
	e.next++
	if e.into.n++; e.into.n == blockStates {
		e.into = nil
	}
}

// told tells the set how many states are new.
func (e *entry) told() {
	e.set.Took(e.taken)
	e.taken = 0
}

// write writes rec where the next new state will be.
func (e *entry) write(from origin) {
	if e.into == nil || e.into.words < len(e.packed) {
		e.next, e.into = e.begin(len(e.packed))
	}
	at := int(e.next%blockStates) * e.into.words
	copy(e.into.recs[at:at+e.into.words], e.packed)
	e.into.origins[e.next%blockStates] = from
}

// room makes sure that the set takes so many states more; errFull: it cannot.
func (l *ledger) room(n int) error {
	l.growing.RLock()
	enough := l.set.Len()+n <= l.set.Cap()
	l.growing.RUnlock()
	if enough {
		return nil
	}
	if l.tidy != nil {
		defer l.tidy()()
	}
	l.growing.Lock()
	defer l.growing.Unlock()
	for l.set.Len()+n > l.set.Cap() {
		now := l.set.Bytes()
		bytes := min(now/2*3, l.may(now))
		if bytes <= now {
			return errFull
		}
		if err := l.set.Grow(bytes); err != nil {
			return err
		}
	}
	return nil
}

// prints says what a fingerprint is.
type prints struct{ bits int }

func (p *prints) of(h canon.Hash) uint64 {
	if p.bits == 32 {
		return max(1, h.Hi>>32) * (1<<32 + 1)
	}
	return max(1, h.Hi)
}

// omission is a bound on the probability that any of n states was wrongly taken
// for known: the expected number of pairs with one fingerprint.
func (p *prints) omission(n int) float64 {
	if p == nil {
		return 0
	}
	return min(1, float64(n)*float64(n)/2/math.Exp2(float64(p.bits)))
}
