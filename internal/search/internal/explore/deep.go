package explore

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"macemc/internal/canon"
	"macemc/internal/search/internal/spill"
	"macemc/internal/visited"
	"macemc/internal/world"
)

// deep is the part of a ledger that is on disk. It begins when memory is short: all blocks are written
// to a store then, and their identities as sorted runs. From then on the set has only the states of the
// window, which are those that were added since. When memory is short again, and when a level ends, the
// identities of the window are merged with the runs. The states of the window that are in a run were
// known, and are dropped; the others get their numbers anew, without gaps, and are written.
//
// So a state has the number, the origin and the place in its level that it would have in memory. It
// takes three bytes or so in memory: marks, where its block is, and its share of an index of the runs.
//
// A state that is dropped was examined a second time, at a greater depth, with the verdict of the first
// time; what was counted of it is taken back.
type deep struct {
	store *spill.Store
	known *spill.Runs
	most  int // states of the window at which it is written, for tests; 0 means as memory allows
	batch int // states whose identities are sorted at once

	began   bool
	from    atomic.Int64 // blocks before the window
	spans   []Span       // the states of this level that were in a window
	entries []*Entry     // into the ledger
	late    int          // identities that an explorer remembers

	mu   sync.Mutex
	read [deepBlocks]*stored // blocks that were read back lately
	home []uint64            // the first state, which stands for those that cannot be read back

	memory int          // bytes that the search may have
	memos  atomic.Int64 // bytes of all memos
	turn   atomic.Int32 // how often memos were to forget everything
	every  int          // batches after which a memo forgets everything, for tests; 0 means as memory allows

	noDrop bool // a known state is not dropped, for tests
	noRun  bool // the first run is lost, for tests
	noStep int  // the number of a step that is not logged, for tests
}

// stored is a block that was read back.
type stored struct {
	number  uint32
	recs    []uint64
	origins []Origin
}

const (
	deepBlocks  = 64
	deepLeast   = 8 // blocks of a window below which writing it does not make memory free
	deepKeys    = 1 << 16
	deepKey     = 32 // bytes that an identity needs while it is sorted
	deepShare   = 16 // of the memory that the search may have is for sorting, as a divisor
	lateShare   = 256
	judgedShare = 16
	memoShare   = 16 // of the memory that the search may have is as much as is worth dropping from memos
	lateLeast   = 1 << 10
)

// A Depth says how an explorer keeps states on disk.
type Depth struct {
	Store  *spill.Store
	Memory int // bytes that the search may have
	Most   int // states that are kept in memory, for tests; 0 means as memory allows
	Every  int // batches after which a memo forgets everything, for tests; 0 means as memory allows

	NoDrop, NoRun bool // mistakes, for tests: a known state is not dropped; a run is lost
	NoStep        int  // and the number of a step that is not logged; 0 means none
}

// Deepens makes the explorer keep states on disk when memory is short. It must be called before the
// first state is visited.
func (x *Explorer) Deepens(by Depth) {
	d := &deep{
		store: by.Store, known: by.Store.Runs(), most: by.Most, batch: max(deepKeys, by.Memory/deepShare/deepKey), entries: []*Entry{x.Entry},
		late: max(lateLeast, 1<<bits.Len(uint(by.Memory/lateShare/16))), noDrop: by.NoDrop, noRun: by.NoRun,
		memory: by.Memory, every: by.Every, noStep: by.NoStep,
	}
	x.deepens(d)
	x.judged.within(by.Memory / judgedShare)
	x.Owner.Limits.Relieves(x.Ledger.relieves)
}

func (l *Ledger) deepens(d *deep) { l.deep = d }

// DeepensLike makes the taker keep the states of its own ledger on disk, too, as an explorer does, which adds none
// meanwhile.
func (t *Taker) DeepensLike(x *Explorer) {
	of := x.deep
	t.deepens(&deep{store: of.store, known: of.store.Runs(), most: of.most, batch: of.batch, entries: []*Entry{t.Entry}, late: of.late, memory: of.memory, every: of.every})
	t.Owner.Limits.Relieves(t.relieves)
}

// Store returns where states are on disk.
func (l *Ledger) Store() *spill.Store { return l.deep.store }

// Loses reports whether a step, of which one has the number 1, is lost by mistake, for tests.
func (l *Ledger) Loses(step int) bool { return step == l.deep.noStep }

// OnDiskBy returns the identities of the states on disk, with their numbers, and how many keys are sorted at once.
func (l *Ledger) OnDiskBy() (known *spill.Runs, batch int) { return l.deep.known, l.deep.batch }

// joins makes one more entry known.
func (d *deep) joins(e *Entry) { d.entries = append(d.entries, e) }

// takes returns the states of this level that were in a window, and forgets them.
func (d *deep) takes() (spans []Span) {
	spans, d.spans = d.spans, nil
	return spans
}

// OnDisk reports whether states are on disk.
func (l *Ledger) OnDisk() bool { return l.deep != nil && l.deep.began }

// Omission returns a bound on the probability that a state was wrongly taken for a known one.
func (l *Ledger) Omission() float64 {
	if l.OnDisk() {
		n := float64(l.Len())
		return n * n / 2 / math.Exp2(128)
	}
	return l.Prints.Omission(l.Set.Len())
}

// Lost returns the error of the disk because of which the states are not what they were, or nil.
func (l *Ledger) Lost() error {
	if l.deep == nil {
		return nil
	}
	return l.deep.store.Err()
}

// relieves reports whether memory will be free once the window is written.
func (l *Ledger) relieves() bool { return l.window() >= deepLeast || l.deep.forgets() }

// forgets makes all memos forget everything, and reports whether that makes much memory free: what they know can
// be found out again.
func (d *deep) forgets() bool {
	if d.memos.Load() < int64(d.memory/memoShare) {
		return false
	}
	d.turn.Add(1)
	return true
}

// window returns the number of blocks in the window.
func (l *Ledger) window() int { return len(*l.blocks.Load()) - int(l.deep.from.Load()) }

// room makes sure that there is room for n more states, on disk if there is none in memory.
func (x *Explorer) room(n int) error {
	dropped, err := x.MakeRoom(n)
	x.Owner.Counts.dropped(dropped)
	return err
}

// EndLevel finds the states of a level that were known, if states are on disk.
func (x *Explorer) EndLevel() error {
	dropped, err := x.Sink()
	x.Owner.Counts.dropped(dropped)
	return err
}

// MakeRoom makes sure that there is room for n more states, on disk if there is none in memory. It returns
// how many states of the window were known.
func (t *Taker) MakeRoom(n int) (dropped int, err error) {
	err = t.Room(n)
	if t.deep == nil || err != nil && err != ErrFull || err == nil && !t.short() || t.window() == 0 {
		return 0, err
	}
	return t.descend(err == nil)
}

// Sink writes the window, if states are on disk. It returns how many of its states were known.
func (t *Taker) Sink() (dropped int, err error) {
	if !t.OnDisk() || t.window() == 0 {
		return 0, nil
	}
	return t.descend(false)
}

// Descend writes the window, if it has any states.
func (t *Taker) Descend() error {
	if t.window() == 0 {
		return nil
	}
	_, err := t.descend(false)
	return err
}

// short reports whether the window is to be written.
func (t *Taker) short() bool {
	if t.Owner.Limits.Short() {
		return true
	}
	if t.deep.most == 0 {
		return false
	}
	t.growing.RLock()
	defer t.growing.RUnlock()
	return t.Set.Len() >= t.deep.most
}

// descend writes the window. If asks is set, another goroutine may have done so meanwhile.
func (t *Taker) descend(asks bool) (dropped int, err error) {
	if asks && !t.short() {
		return 0, nil
	}
	if t.tidy != nil {
		defer t.tidy()()
	}
	t.growing.Lock()
	defer t.growing.Unlock()
	defer t.Owner.Limits.Eased()
	defer t.Owner.Limits.Presses()
	return t.sink(t.Sum)
}

// sink writes the window, and returns how many of its states were known. No other goroutine uses the
// set meanwhile.
func (l *Ledger) sink(sum func(world.Vector) canon.Hash) (dropped int, err error) {
	d := l.deep
	if err := l.Set.Close(); err != nil {
		return 0, err
	}
	all := *l.blocks.Load()
	from := d.from.Load()
	w := &sinking{deep: d, sum: sum, lay: l.layout.Load(), first: !d.began, all: slices.Clone(all[:from])}
	if w.first {
		d.begins(all[0])
	}
	for rest := all[from:]; len(rest) > 0 && err == nil; {
		n := min(len(rest), max(1, d.batch/blockStates))
		err = w.write(rest[:n])
		rest = rest[n:]
	}
	if err != nil {
		return 0, err
	}
	l.blocks.Store(&w.all)
	start := uint32(from) * blockStates
	for _, e := range d.entries {
		e.sunk(start, w.first)
	}
	d.sunk(w)
	l.Set, err = visited.NewWords(LedgerLeast)
	return w.dropped, err
}

// begins keeps the first state, which stands for those that cannot be read back.
func (d *deep) begins(b *block) { d.home = slices.Clone(b.recs[:b.words]) }

// sunk records that a window was written. The first one has the states of all levels.
func (d *deep) sunk(w *sinking) {
	if !w.first {
		d.spans = append(d.spans, w.spans...)
	}
	d.began = true
	d.from.Store(int64(len(w.all)))
}

// sunk forgets the states of the window that begins with a number, which have others now, unless these
// are the first states that are written.
func (e *Entry) sunk(start uint32, first bool) {
	e.into = nil
	if first {
		return
	}
	kept := e.spans[:0]
	for _, s := range e.spans {
		if s.To = min(s.To, start); s.From < s.To {
			kept = append(kept, s)
		}
	}
	e.spans = kept
}

// sinking writes a window.
type sinking struct {
	*deep
	sum     func(world.Vector) canon.Hash
	lay     *layout
	first   bool // nothing is on disk yet
	all     []*block
	spans   []Span
	dropped int

	v    world.Vector
	keys []spill.Key
	to   []uint32 // the new numbers of the states of a batch
	gone []uint64 // which of them were known
	into *block
	room block  // memory for the states of into, which is the same for all blocks
	text []byte // memory for a block as it is written
}

// write writes some blocks of the window.
func (w *sinking) write(blocks []*block) error {
	if w.v == nil {
		w.v, w.keys = make(world.Vector, len(w.lay.of)), make([]spill.Key, 0, len(blocks)*blockStates)
	}
	w.keys = w.keys[:0]
	for k, b := range blocks {
		for i := range b.n {
			w.lay.unpack(b.recs[i*b.words:(i+1)*b.words], w.v)
			w.keys = append(w.keys, spill.Key{Sum: w.sum(w.v), Number: uint32(k*blockStates + i)})
		}
	}
	spill.Sort(w.keys)
	w.to = slices.Grow(w.to[:0], len(blocks)*blockStates)[:len(blocks)*blockStates]
	w.gone = append(w.gone[:0], make([]uint64, len(w.to)/64)...)
	if !w.first {
		drop := func(k int, _ uint32) {
			if !w.noDrop {
				n := w.keys[k].Number
				w.gone[n/64] |= 1 << (n % 64)
				w.dropped++
			}
		}
		if err := w.known.Known(w.keys, drop); err != nil {
			return err
		}
	}
	for k, b := range blocks {
		for i := range b.n {
			if at := k*blockStates + i; w.gone[at/64]&(1<<(at%64)) == 0 {
				if err := w.keep(b, i, &w.to[at]); err != nil {
					return err
				}
			}
		}
		if w.first { // the numbers stay
			if err := w.ends(); err != nil {
				return err
			}
		}
	}
	if err := w.ends(); err != nil {
		return err
	}
	kept := w.keys[:0]
	for _, k := range w.keys {
		if n := k.Number; w.gone[n/64]&(1<<(n%64)) == 0 {
			kept = append(kept, spill.Key{Sum: k.Sum, Number: w.to[n]})
		}
	}
	if w.noRun && w.first {
		return nil
	}
	return w.known.Add(kept)
}

// keep adds a state of a block to the blocks that are written, and sets its number.
func (w *sinking) keep(b *block, i int, number *uint32) error {
	if w.into != nil && (w.into.n == blockStates || w.into.words < b.words) {
		if err := w.ends(); err != nil {
			return err
		}
	}
	if w.into == nil {
		w.into = &block{words: b.words, recs: w.room.recs[:0], origins: w.room.origins[:0]}
	}
	n := uint32(w.into.n)
	w.into.keeps(b, i)
	*number = uint32(len(w.all))*blockStates + n
	if k := len(w.spans) - 1; k >= 0 && w.spans[k].To == *number {
		w.spans[k].To++
	} else {
		w.spans = append(w.spans, Span{*number, *number + 1})
	}
	return nil
}

// keeps adds a state of another block.
func (b *block) keeps(of *block, i int) {
	n := uint32(b.n)
	rec := of.recs[i*of.words : (i+1)*of.words]
	b.recs = append(append(b.recs, rec...), make([]uint64, b.words-of.words)...)
	b.origins = append(b.origins, of.origins[i])
	if of.Live.has(uint32(i)) {
		b.Live.Set(n)
	}
	if of.Outside.has(uint32(i)) {
		b.Outside.Set(n)
	}
	b.n++
}

// ends writes the block that is being filled.
func (w *sinking) ends() error {
	b := w.into
	if b == nil {
		return nil
	}
	bytes := w.text[:0]
	for _, word := range b.recs {
		bytes = binary.LittleEndian.AppendUint64(bytes, word)
	}
	for _, o := range b.origins {
		bytes = binary.LittleEndian.AppendUint32(bytes, o.Parent)
		bytes = binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(bytes, o.event), o.coins)
	}
	at, err := w.store.Write(bytes)
	w.text, w.room = bytes, block{recs: b.recs, origins: b.origins}
	b.lies(at)
	w.all, w.into = append(w.all, b), nil
	return err
}

// lies records where a block was written, which is not kept in memory then.
func (b *block) lies(at int64) { b.recs, b.origins, b.at = nil, nil, at }

// stored returns how many bytes a block has on disk.
func (b *block) stored() int { return 8*b.words*b.n + 8*b.n }

// back reads the block of a state.
func (d *deep) back(s uint32, b *block) *stored {
	number := s / blockStates
	d.mu.Lock()
	defer d.mu.Unlock()
	at := &d.read[number%deepBlocks]
	if *at == nil || (*at).number != number {
		bytes, err := d.store.Read(b.at, b.stored())
		if err != nil { // it ends the search
			return d.nothing(b)
		}
		*at = b.decode(number, bytes)
	}
	return *at
}

func (b *block) decode(number uint32, bytes []byte) *stored {
	recs, origins := make([]uint64, b.words*b.n), make([]Origin, b.n)
	for i := range recs {
		recs[i] = binary.LittleEndian.Uint64(bytes[8*i:])
	}
	bytes = bytes[8*len(recs):]
	for i := range origins {
		o := bytes[8*i:]
		origins[i] = Origin{binary.LittleEndian.Uint32(o), binary.LittleEndian.Uint16(o[4:]), binary.LittleEndian.Uint16(o[6:])}
	}
	return &stored{number, recs, origins}
}

// nothing returns a block in which each state is the first one.
func (d *deep) nothing(b *block) *stored {
	rec := slices.Grow(slices.Clone(d.home), b.words)[:b.words]
	return &stored{recs: slices.Repeat(rec, b.n), origins: slices.Repeat([]Origin{{Parent: NoParent}}, b.n)}
}

// lately reports whether a state was added lately. It asks for little memory, and need not know.
func (x *Explorer) lately(h canon.Hash) bool {
	return len(x.late) > 0 && x.late[h.Lo%uint64(len(x.late))] == h
}

// adds remembers a state that was added, if states are on disk.
func (x *Explorer) adds(h canon.Hash) {
	if x.late == nil {
		if !x.OnDisk() {
			return
		}
		x.late = make([]canon.Hash, x.deep.late)
	}
	x.late[h.Lo%uint64(len(x.late))] = h
}

// stale reports whether the state that was added last is known, and on disk.
func (x *Explorer) stale() bool {
	if !x.OnDisk() {
		return false
	}
	x.Get(x.Next-1, x.To)
	known := false
	_ = x.deep.known.Known([]spill.Key{{Sum: x.Sum(x.To)}}, func(int, uint32) { known = true }) // an error ends the search
	return known
}
