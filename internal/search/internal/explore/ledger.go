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

// Ledger holds the states that were visited, each once, under a number, with the step that first led to it. Several
// goroutines may write into one ledger, each through its own Entry.
//
// A state is stored as a vector of numbers, one for the part (such as the state of one node) at each place, in packed
// form: see layout. The set of states holds a tag and a number for each state, and two states with the same tag are
// compared in full; so no state is ever mistaken for another. With Prints, the set holds fingerprints instead, and
// the states of a level are freed once the level is expanded.
type Ledger struct {
	mu     sync.Mutex // guards writes of layout and blocks
	layout atomic.Pointer[layout]
	blocks atomic.Pointer[[]*block]
	Set    *visited.Words
	Prints *Prints             // nil if vectors are compared
	May    func(now int) int   // returns the number of bytes that a larger set may take, which replaces one of now bytes
	gaps   atomic.Bool         // some states are not expanded
	Joint  bool                // several goroutines have added states, so numbers need not follow levels
	bys    *bys                // the steps by which states were reached; ledgers whose memos share results share it
	noted  bool                // for each state, the step that led to it is recorded until the state is expanded
	tidy   func() (end func()) // called before the set is made larger, and the returned function after; may be nil

	lone *lone // finds the states of a system with one node; nil if the set finds all states
	fold *Fold // keeps one of the states that differ only in names; nil if all are kept
	deep *deep // the part that is on disk; nil if all is in memory

	readers []*reader                      // the readers of the entries that use the set together; stops holds all of them
	growing sync.Mutex                     // held by the goroutine that replaces the set by a larger one
	growth  atomic.Pointer[visited.Growth] // the replacement that is under way; nil if there is none

	freed struct { // memory of states that were expanded, for blocks that are begun
		recs    [][]uint64
		by      [][]byNumber
		origins [][]Origin
	}
}

// layout is the format of packed states. The number at each place of a vector is divided into groups of
// four bits. A group has a column of four bits in the packed state if it was not zero in some vector so
// far; sixteen columns are a word. A layout only grows, and columns are not moved: a state that was
// packed before a column was added has a zero there.
type layout struct {
	columns []column
	of      [][32 / columnBits]uint16 // by place: the columns of its number's bits, lowest first, each plus one; 0 if the bits have no column yet
	used    []uint8                   // by place: the number of its columns
	first   []uint64                  // the columns of place 0: see lone
}

type column struct {
	place uint16
	shift uint8 // the position of its bits in the number
}

const (
	columnBits     = 4
	columnMask     = 1<<columnBits - 1
	columnsPerWord = 64 / columnBits
)

// words returns the length of a packed state, in words.
func (l *layout) words() int { return (len(l.columns) + columnsPerWord - 1) / columnsPerWord }

// fits reports whether the layout has columns for all bits of number id that are not 0, at a place.
func (l *layout) fits(place int, id uint32) bool { return uint64(id)>>(columnBits*l.used[place]) == 0 }

// put writes number id at a place of a packed state. The layout must have the columns for it.
func (l *layout) put(rec []uint64, place int, id uint32) {
	of := &l.of[place]
	for k := range l.used[place] {
		c := of[k] - 1
		shift := c % columnsPerWord * columnBits
		word := &rec[c/columnsPerWord]
		*word = *word&^(columnMask<<shift) | uint64(id>>(columnBits*k)&columnMask)<<shift
	}
}

// with returns the layout extended by the columns that number id needs at a place.
func (l *layout) with(place int, id uint32) *layout {
	larger := &layout{slices.Clone(l.columns), slices.Clone(l.of), slices.Clone(l.used), nil}
	for !larger.fits(place, id) {
		k := larger.used[place]
		larger.columns = append(larger.columns, column{uint16(place), columnBits * k})
		larger.of[place][k] = uint16(len(larger.columns))
		larger.used[place]++
	}
	larger.first = make([]uint64, larger.words())
	for c, of := range larger.columns {
		if of.place == 0 {
			larger.first[c/columnsPerWord] |= columnMask << (c % columnsPerWord * columnBits)
		}
	}
	return larger
}

// at returns the number at a place of a packed state.
func (l *layout) at(rec []uint64, place int) (id uint32) {
	of := &l.of[place]
	for k := range l.used[place] {
		if c := int(of[k] - 1); c/columnsPerWord < len(rec) {
			id |= uint32(rec[c/columnsPerWord]>>(c%columnsPerWord*columnBits)&columnMask) << (columnBits * k)
		}
	}
	return id
}

// unpack writes the numbers of a packed state into v.
func (l *layout) unpack(rec []uint64, v world.Vector) {
	clear(v)
	for c, of := range l.columns[:min(len(l.columns), len(rec)*columnsPerWord)] {
		v[of.place] |= uint32(rec[c/columnsPerWord]>>(c%columnsPerWord*columnBits)&columnMask) << of.shift
	}
}

// The states are kept in blocks. One goroutine fills a block. The number of a state is that of its
// block times blockStates, plus its position in the block.
const blockStates = 1024

type block struct {
	words   int        // the length of a state in this block
	recs    []uint64   // the packed states; nil if they are on disk or in a row
	row     uint32     // the number of the first state's node if the states are in a row, else 0: see lone
	origins []Origin   // nil if they are on disk or in brief
	brief   *brief     // the origins of expanded states; nil if it has no room for them
	at      int64      // position of the block on disk
	by      []byNumber // the steps of the origins, while states are to be expanded; nil if none is known
	Live    marks      // states that are live or do not count for liveness, marked only where no fault can happen
	Outside marks      // states outside System.Within, which are not expanded
	n       int
}

// reachedBy records the step by which state s was first reached, if the ledger records such steps.
func (b *block) reachedBy(s uint32, step byNumber) {
	if b.by != nil {
		b.by[s%blockStates] = step
	}
}

type marks [blockStates / 64]uint64

func (m *marks) has(i uint32) bool { return m[i%blockStates/64]&(1<<(i%64)) != 0 }
func (m *marks) Set(i uint32)      { m[i%blockStates/64] |= 1 << (i % 64) }

// The set of a new ledger begins small, and grows until it would exceed the memory that it may
// have: see Room.
const (
	LedgerLeast = 1 << 18
	ledgerSmall = 1 << 19 // a smaller set becomes larger by several steps at once
)

func newLedger(places int, may func(int) int, tidy func() func(), p *Prints) (*Ledger, error) {
	l := &Ledger{May: may, Prints: p, tidy: tidy, bys: new(bys)}
	l.layout.Store(&layout{of: make([][32 / columnBits]uint16, places), used: make([]uint8, places)})
	l.blocks.Store(new([]*block))
	var err error
	l.Set, err = visited.NewWords(LedgerLeast)
	return l, err
}

// NewLedger returns an empty ledger for states that have this number of places, under the memory limits of the
// search.
func (r *Owner) NewLedger(places int, p *Prints) (*Ledger, error) {
	l, err := newLedger(places, r.Limits.Room, r.Limits.Tidy, p)
	if p == nil && r.World.Params().Nodes == 1 {
		l.lone = new(lone)
	}
	return l, err
}

// A reader is locked by the goroutine of an entry while it uses the set of states. It fills cache lines of its own: a
// lock that all entries share would move from one processor to another with each step.
type reader struct {
	sync.Mutex
	_ [120]byte
}

// join prepares the ledger for several goroutines that add states. It must be called before any
// of them adds one.
func (e *Entry) join() {
	if e.Joint = true; e.reader == nil {
		e.reader = new(reader)
		e.readers = append(e.readers, e.reader)
	}
}

// hold prevents other goroutines from replacing the set of states by a larger one, until letGo.
func (e *Entry) hold() {
	if e.reader != nil && !e.reader.TryLock() {
		e.helps()
		e.reader.Lock()
	}
}

// helps copies states to a larger set, if another goroutine is replacing the set.
func (l *Ledger) helps() {
	if g := l.growth.Load(); g != nil {
		g.Help()
	}
}

func (e *Entry) letGo() {
	if e.reader != nil {
		e.reader.Unlock()
	}
}

// stops waits until no entry uses the set of states, and keeps them from using it until goesOn.
func (l *Ledger) stops() {
	for _, r := range l.readers {
		r.Lock()
	}
}

func (l *Ledger) goesOn() {
	for _, r := range l.readers {
		r.Unlock()
	}
}

// noteSteps makes the ledger record the steps by which states are reached. Only the first call writes the setting,
// since other goroutines may already read it.
func (l *Ledger) noteSteps() {
	if !l.noted {
		l.noted = true
	}
}

// Close frees the memory of the set.
func (l *Ledger) Close() error {
	if l.fold != nil {
		l.fold.classes.Close()
	}
	return l.Set.Close()
}

// Block returns the block that has state s.
func (l *Ledger) Block(s uint32) *block { return (*l.blocks.Load())[s/blockStates] }

// rec returns state s, packed. The packed states of the block must be stored one by one, and not
// as a row of numbered parts (see lone).
func (l *Ledger) rec(s uint32) []uint64 {
	b := l.Block(s)
	at, recs := int(s%blockStates)*b.words, b.recs
	if recs == nil && l.deep != nil {
		recs = l.deep.back(s, b).recs
	}
	return recs[at : at+b.words]
}

// Get unpacks state s into v.
func (l *Ledger) Get(s uint32, v world.Vector) {
	b := l.Block(s)
	if b.row == 0 {
		l.layout.Load().unpack(l.rec(s), v)
		return
	}
	l.layout.Load().unpack(*l.lone.home.Load(), v)
	v[0] = b.row + s%blockStates
}

// Origin returns the step by which state s was first reached.
func (l *Ledger) Origin(s uint32) Origin {
	switch b := l.Block(s); {
	case b.origins != nil:
		return b.origins[s%blockStates]
	case b.brief != nil:
		return b.brief.of(s)
	default:
		return l.deep.back(s, b).origins[s%blockStates]
	}
}

// Live reports whether state s was marked as live, or as not counting for liveness.
func (l *Ledger) Live(s uint32) bool { return l.Block(s).Live.has(s) }

// Outside reports whether state s is outside System.Within, so that it is not expanded.
func (l *Ledger) Outside(s uint32) bool { return l.Block(s).Outside.has(s) }

// leave records that no step is taken from state s.
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

// End returns a number that is greater than that of any state.
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

// Holds reports whether s, a number below End, is the number of a state. Some numbers are not used, since a block may
// be left before it is full.
func (l *Ledger) Holds(s uint32) bool { return int(s%blockStates) < l.Block(s).n }

// Expanded frees memory of the states of a level that was expanded: block.by, and the packed states if the ledger
// keeps fingerprints. It stores the steps that led to these states in a shorter form, and states in a row (see
// lone) as one number. Blocks that also have states of the next level are not changed.
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
				l.frees(all[b])
			}
		}
	}
}

// frees takes from block b, whose states were expanded, the memory that they do not need any
// more. Blocks that are begun later use it.
func (l *Ledger) frees(b *block) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b.by != nil {
		clear(b.by)
		l.freed.by, b.by = append(l.freed.by, b.by), nil
	}
	if l.Prints != nil && b.recs != nil {
		l.freed.recs, b.recs = append(l.freed.recs, b.recs), nil
	}
	if l.deep != nil || b.origins == nil {
		return
	}
	if l.lone != nil && b.recs != nil {
		if first := l.lone.row(l.layout.Load(), b); first != 0 {
			l.freed.recs = append(l.freed.recs, b.inRow(first))
		}
	}
	if short := briefly(b.origins); short != nil {
		l.freed.origins = append(l.freed.origins, b.inBrief(short))
	}
}

// taken returns a list of length n: the last of the freed lists if that has this length, otherwise a new one.
func taken[T any](freed *[][]T, n int) (list []T) {
	if k := len(*freed) - 1; k >= 0 {
		list, *freed = (*freed)[k], (*freed)[:k]
	}
	if len(list) != n {
		list = make([]T, n)
	}
	return list
}

// Span is a range of states: those whose numbers are at least From and less than To.
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

// Some yields up to n states and their indices, beginning with index k.
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

// At returns the state with index k.
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

// Level ends a level: it returns the states that the entry has added since the last call, and those that were
// written to disk since.
func (e *Entry) Level() Frontier {
	f := Frontier(e.spans)
	e.spans = nil
	if d := e.deep; d != nil {
		f = append(f, d.takes()...)
	}
	return f
}

// forget removes all states of the ledger. Their numbers are not used again. There must be no other entry.
func (e *Entry) forget() {
	all := *e.blocks.Load()
	for k := len(all) - 1; k >= 0 && all[k] != nil; k-- {
		all[k] = nil
	}
	e.spans, e.into = nil, nil
}

// widen extends the layout by the columns that number id needs at a place, and returns it.
func (l *Ledger) widen(place int, id uint32) *layout {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := l.layout.Load(); !now.fits(place, id) {
		l.layout.Store(now.with(place, id))
	}
	return l.layout.Load()
}

// begin adds an empty block for states of this number of words.
func (l *Ledger) begin(words int) (number uint32, b *block) {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := *l.blocks.Load()
	if len(all) >= math.MaxUint32/blockStates {
		panic("macemc bug: search: more states than have a number; they fill the memory before")
	}
	b = &block{words: words, recs: taken(&l.freed.recs, words*blockStates), origins: taken(&l.freed.origins, blockStates)}
	if l.noted {
		b.by = taken(&l.freed.by, blockStates) // set before other goroutines can see b
	}
	more := append(all, b) // goroutines that hold the shorter list do not see b
	l.blocks.Store(&more)
	return uint32(len(all)) * blockStates, b
}

// Entry is a goroutine's access to a ledger, by which it looks up and adds states.
type Entry struct {
	*Ledger
	lay    *layout
	packed []uint64 // the state that is looked up, packed; of lay.words() words
	Next   uint32   // the number of the next new state
	taken  int      // new states that are not yet counted in the set
	apart  int      // new states that lone finds and that are not counted yet
	spans  []Span   // the new states of this level
	into   *block   // the block that is being filled; nil means that the next state begins a new one
	fold   *Fold
	room   []uint64 // memory for a state of a row, packed
	reader *reader  // nil if no other goroutine writes
}

// Entry returns an Entry for one more goroutine.
func (l *Ledger) Entry() *Entry {
	e := &Entry{Ledger: l, lay: l.layout.Load(), fold: l.fold}
	e.lengthen()
	if l.deep != nil {
		l.deep.joins(e)
	}
	return e
}

// Pack packs vector v, which is then the packed state of the entry.
func (e *Entry) Pack(v world.Vector) {
	e.start(nil)
	for p, id := range v {
		if id != 0 {
			e.put(p, id)
		}
	}
}

// start sets the packed state of the entry to a copy of other, which may be of an earlier layout.
func (e *Entry) start(other []uint64) {
	if now := e.layout.Load(); now != e.lay {
		e.lay = now
		e.lengthen()
	}
	n := copy(e.packed, other)
	clear(e.packed[n:])
}

// put writes number id at a place of the packed state.
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

// tag returns the half of hash h that the set of states keeps, with zeros where the set puts the state's number.
func tag(h canon.Hash) uint64 { return h.Hi &^ (1<<32 - 1) }

// touch reads the slot of the set that Add reads first for a state with identity h, so that it is in the processor's
// cache by then.
func (e *Entry) touch(h canon.Hash) uint64 { return e.Set.At(e.Set.Home(e.word(h))) }

func (e *Entry) word(h canon.Hash) uint64 {
	if e.Prints != nil {
		return e.Prints.of(h)
	}
	return tag(h)
}

// touchState reads the state with which Add will compare the packed state, if there is one, so that it is in the
// processor's cache by then.
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

// Find returns the number of the packed state, whose identity is h. If the ledger keeps one state of those that
// differ only in the names of nodes, Find returns the number of that one. It must not be called if the ledger keeps
// fingerprints.
func (e *Entry) Find(h canon.Hash) (s uint32, known bool) {
	if s, known = e.find(h); !known && e.fold != nil {
		return e.fold.class(e)
	}
	return s, known
}

func (e *Entry) find(h canon.Hash) (uint32, bool) {
	if id, is := e.alone(); is {
		s := e.lone.slot(id).Load()
		return s - 1, s != 0
	}
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

// Add adds the packed state unless it is known. The identity of the state is h, and from is the step that
// reached it. Add reports whether the state was new; if so, its number is Next-1. The set must have room for
// it.
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
	if id, is := e.alone(); is {
		return e.addAlone(e.lone.slot(id), from)
	}
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

// append adds the packed state without checking whether it is known.
func (e *Entry) append(from Origin) uint32 {
	e.write(from)
	e.keep()
	return e.Next - 1
}

// keep adds the state that write has just copied to the states of the level. Its number is Next,
// which keep then increments.
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

// Told adds the states that the entry has added since its last call to the count of states in the
// set, which all goroutines share.
func (e *Entry) Told() {
	e.Set.Took(e.taken)
	e.taken = 0
	if e.apart > 0 {
		e.lone.used.Add(int64(e.apart))
		e.apart = 0
	}
}

// write copies the packed state to where the next new state belongs, and stores from as the step
// that led to it.
func (e *Entry) write(from Origin) {
	if e.into == nil || e.into.words < len(e.packed) {
		e.Next, e.into = e.begin(len(e.packed))
	}
	at := int(e.Next%blockStates) * e.into.words
	copy(e.into.recs[at:at+e.into.words], e.packed)
	e.into.origins[e.Next%blockStates] = from
}

// Room makes sure that the set has room for n more states, or returns ErrFull.
func (e *Entry) Room(n int) error {
	if e.Ledger.fold != nil {
		if err := e.Ledger.fold.classes.Room(n); err != nil {
			return err
		}
	}
	e.hold()
	enough := e.Set.Len()+n <= e.Set.Cap()
	e.letGo()
	if enough {
		return nil
	}
	if e.tidy != nil {
		defer e.tidy()()
	}
	if !e.growing.TryLock() {
		e.helps()
		e.growing.Lock()
	}
	defer e.growing.Unlock()
	for {
		g := visited.NewGrowth()
		e.growth.Store(g)
		enough, err := e.grow(g, n)
		if e.growth.Store(nil); enough || err != nil {
			return err
		}
	}
}

// grow replaces the set by a larger one, unless it has room for n more states. It reports whether the set had
// room already. Meanwhile, other goroutines that want to use the set help to copy the states.
func (l *Ledger) grow(g *visited.Growth, n int) (enough bool, err error) {
	l.stops()
	defer l.goesOn()
	if l.Set.Len()+n <= l.Set.Cap() {
		g.Forgo()
		return true, nil
	}
	now := l.Set.Bytes()
	larger := now / 2 * 3
	switch {
	case now < ledgerSmall:
		larger = now / 2 * 9
	case l.Prints != nil: // the set takes most of the memory, so it grows in small steps
		larger = now / 5 * 6
	}
	bytes := min(larger, l.May(now))
	if bytes <= now {
		g.Forgo()
		return false, ErrFull
	}
	if err := g.Begin(l.Set, bytes); err != nil {
		return false, err
	}
	g.Help()
	return false, g.End()
}

// Prints holds the size of fingerprints, in bits.
type Prints struct{ Bits int }

func (p *Prints) of(h canon.Hash) uint64 {
	if p.Bits == 32 {
		return max(1, h.Hi>>32) * (1<<32 + 1)
	}
	return max(1, h.Hi)
}

// Omission returns a bound on the probability that any of n states was mistaken for a known one:
// the expected number of pairs of states with equal fingerprints.
func (p *Prints) Omission(n int) float64 {
	if p == nil {
		return 0
	}
	return min(1, float64(n)*float64(n)/2/math.Exp2(float64(p.Bits)))
}
