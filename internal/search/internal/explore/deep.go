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

// deep is the part of a ledger that is on disk. It begins when memory is short: then all blocks are
// written to a store, and the identities of their states are written as sorted files, called runs.
// From then on the set in memory holds only the window, which is the states that were added since.
// When memory is short again, and when a level ends, the identities of the window are merged with
// the runs. A state of the window that is in a run was known already, and is dropped; the others get
// new numbers, without gaps, and are written.
//
// So a state has the same number, origin and place in its level as if all states were in memory. It
// takes about three bytes of memory: its marks, and its share of the places of blocks and of the
// index of the runs.
//
// A state that is dropped was examined a second time, at a greater depth, with the same verdict as
// the first time; its counts are subtracted again.
type deep struct {
	store *spill.Store
	known *spill.Runs
	most  int // the window is written when it has this many states, for tests; 0 means when memory is short
	batch int // number of identities that are sorted at once

	began   bool         // some states are on disk
	from    atomic.Int64 // the number of blocks before the window
	spans   []Span       // the states of this level that are written
	entries []*Entry     // all entries into the ledger
	late    int          // how many identities an explorer remembers of the states that it added last

	mu   sync.Mutex
	read [deepBlocks]*stored // blocks that were last read back from disk
	home []uint64            // the first state; it replaces states that the disk has lost

	memory int          // how many bytes the search may use
	memos  atomic.Int64 // the bytes that all memos use
	turn   atomic.Int32 // number of times that all memos were asked to forget everything
	every  int          // a memo forgets everything after this many batches, for tests; 0 means when memory is short

	noDrop bool // keep known states instead of dropping them: a mistake, for tests
	noRun  bool // lose the first run: a mistake, for tests
	noStep int  // the number of a step that is not logged: a mistake, for tests
}

// stored is a block that was read back from disk.
type stored struct {
	number  uint32
	recs    []uint64
	origins []Origin
}

const (
	deepBlocks  = 64
	deepLeast   = 8 // writing a window of fewer blocks than this frees too little memory
	deepKeys    = 1 << 16
	deepKey     = 32 // bytes that an identity takes while it is sorted
	deepShare   = 16 // sorting may use 1/deepShare of the search's memory
	lateShare   = 256
	judgedShare = 16
	memoShare   = 16 // memos are emptied only if they use at least 1/memoShare of the search's memory
	lateLeast   = 1 << 10
)

// A Depth sets how an explorer keeps states on disk.
type Depth struct {
	Store  *spill.Store
	Memory int // how many bytes the search may use
	Most   int // how many states are kept in memory, for tests; 0 means as memory allows
	Every  int // batches after which a memo forgets everything, for tests; 0 means as memory allows

	NoDrop, NoRun bool // mistakes, for tests: known states are not dropped; the first run is lost
	NoStep        int  // the number of a step that is not logged, for tests; 0 means none
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

// DeepensLike makes the taker keep states of its own ledger on disk, under the same limits as
// explorer x. No states may be added to the ledger of x meanwhile.
func (t *Taker) DeepensLike(x *Explorer) {
	of := x.deep
	t.deepens(&deep{store: of.store, known: of.store.Runs(), most: of.most, batch: of.batch, entries: []*Entry{t.Entry}, late: of.late, memory: of.memory, every: of.every})
	t.Owner.Limits.Relieves(t.relieves)
}

// Store returns the store that holds the states on disk.
func (l *Ledger) Store() *spill.Store { return l.deep.store }

// Loses reports whether the step with this number, counted from 1, must not be logged. It is for
// tests of what such a mistake leads to.
func (l *Ledger) Loses(step int) bool { return step == l.deep.noStep }

// OnDiskBy returns the set of the identities of the states on disk, with their numbers. It also
// returns how many identities are sorted at once.
func (l *Ledger) OnDiskBy() (known *spill.Runs, batch int) { return l.deep.known, l.deep.batch }

// joins adds e to the list of all entries into the ledger.
func (d *deep) joins(e *Entry) { d.entries = append(d.entries, e) }

// takes returns the ranges of states of this level that were written to disk, and empties their
// list.
func (d *deep) takes() (spans []Span) {
	spans, d.spans = d.spans, nil
	return spans
}

// OnDisk reports whether any states are on disk.
func (l *Ledger) OnDisk() bool { return l.deep != nil && l.deep.began }

// Omission returns an upper bound on the probability that some state was mistaken for a known one.
func (l *Ledger) Omission() float64 {
	if l.OnDisk() {
		n := float64(l.Len())
		return n * n / 2 / math.Exp2(128)
	}
	return l.Prints.Omission(l.Kept())
}

// Lost returns the error of the disk that made states unreadable, or nil.
func (l *Ledger) Lost() error {
	if l.deep == nil {
		return nil
	}
	return l.deep.store.Err()
}

// relieves reports whether much memory can be freed by writing the window to disk or by emptying the
// memos.
func (l *Ledger) relieves() bool { return l.window() >= deepLeast || l.deep.forgets() }

// forgets asks all memos to forget everything if that frees much memory, and reports whether it did.
// That loses nothing: memos can compute their results again.
func (d *deep) forgets() bool {
	if d.memos.Load() < int64(d.memory/memoShare) {
		return false
	}
	d.turn.Add(1)
	return true
}

// window returns the number of blocks of states that are not on disk.
func (l *Ledger) window() int { return len(*l.blocks.Load()) - int(l.deep.from.Load()) }

// room makes sure that n more states fit, by writing the window to disk if they do not fit into
// memory.
func (x *Explorer) room(n int) error {
	dropped, err := x.MakeRoom(n)
	x.Owner.Counts.dropped(dropped)
	return err
}

// EndLevel finds the states of the ended level that were already known, if states are on disk.
func (x *Explorer) EndLevel() error {
	dropped, err := x.Sink()
	x.Owner.Counts.dropped(dropped)
	return err
}

// MakeRoom makes sure that n more states fit into memory. If they do not, it writes the window (the
// states that are not on disk yet) to disk. It returns how many states of the window were dropped,
// since they were known.
func (t *Taker) MakeRoom(n int) (dropped int, err error) {
	err = t.Room(n)
	if t.deep == nil || err != nil && err != ErrFull || err == nil && !t.short() || t.window() == 0 {
		return 0, err
	}
	return t.descend(err == nil)
}

// Sink writes the window (the states that are not on disk yet) to disk. It does nothing as long
// as no state is on disk. It returns how many states of the window were dropped, since they were
// known.
func (t *Taker) Sink() (dropped int, err error) {
	if !t.OnDisk() || t.window() == 0 {
		return 0, nil
	}
	return t.descend(false)
}

// Descend writes the window (the states that are not on disk yet), unless it is empty.
func (t *Taker) Descend() error {
	if t.window() == 0 {
		return nil
	}
	_, err := t.descend(false)
	return err
}

// short reports whether memory is short and the window should be written now.
func (t *Taker) short() bool {
	if t.Owner.Limits.Short() {
		return true
	}
	if t.deep.most == 0 {
		return false
	}
	t.hold()
	defer t.letGo()
	return t.Kept() >= t.deep.most
}

// descend writes the window, and returns how many of its states were dropped, since they were known.
// If asks is true, it first checks that memory is still short, since another goroutine may have
// written the window.
func (t *Taker) descend(asks bool) (dropped int, err error) {
	if asks && !t.short() {
		return 0, nil
	}
	if t.tidy != nil {
		defer t.tidy()()
	}
	t.stops()
	defer t.goesOn()
	defer t.Owner.Limits.Eased()
	defer t.Owner.Limits.Presses()
	return t.sink(t.Sum)
}

// sink writes the window, and returns how many of its states were dropped, since they were known.
// The function sum computes the identity of a state. No other goroutine may use the set meanwhile.
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
	l.lone = nil // from now on, the numbers of states change
	l.Set, err = visited.NewWords(LedgerLeast)
	return w.dropped, err
}

// begins stores in d.home a copy of the first state of block b. If a block cannot be read back
// from disk, this copy stands for each of its states: see nothing.
func (d *deep) begins(b *block) { d.home = slices.Clone(b.recs[:b.words]) }

// sunk records that w has written a window. The written states have new numbers, so sunk adds the
// ranges of these numbers to d.spans, those of the level. The states of the first window keep
// their numbers, so nothing is added for them.
func (d *deep) sunk(w *sinking) {
	if !w.first {
		d.spans = append(d.spans, w.spans...)
	}
	d.began = true
	d.from.Store(int64(len(w.all)))
}

// sunk removes the states of the window, whose numbers are at least start, from the entry's spans:
// written states get new numbers. If first is true, they keep their numbers, so the spans stay.
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

// sinking is the work of writing one window to disk.
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
	to   []uint32 // the new numbers of the states that are being written
	gone []uint64 // a bit for each of these states: it was known, and is dropped
	into *block   // the block that is being filled
	room block    // memory for the states of into, used for each block in turn
	text []byte   // memory for the bytes of a block
}

// write writes the given blocks of the window, without the states that were known before.
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

// keep copies state number i of block b into the block that is being filled, and stores its new
// number in number.
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

// keeps appends to b a copy of state number i of the block of.
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

// ends writes the block that is being filled to disk.
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

// lies records at as the position of the block in the file, and frees the memory of its states.
func (b *block) lies(at int64) { b.recs, b.origins, b.at = nil, nil, at }

// stored returns the size of the block on disk, in bytes.
func (b *block) stored() int { return 8*b.words*b.n + 8*b.n }

// back reads the block b, which has state s, back from disk.
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

// nothing returns contents for a block that cannot be read, so that its caller can go on until the
// search ends with the disk's error. Every state of it is a copy of the first state of the search.
func (d *deep) nothing(b *block) *stored {
	rec := slices.Grow(slices.Clone(d.home), b.words)[:b.words]
	return &stored{recs: slices.Repeat(rec, b.n), origins: slices.Repeat([]Origin{{Parent: NoParent}}, b.n)}
}

// lately reports whether the state with identity h was added recently. It remembers only some of
// the states, so as to use little memory. So it may return false although the state was added
// recently.
func (x *Explorer) lately(h canon.Hash) bool {
	return len(x.late) > 0 && x.late[h.Lo%uint64(len(x.late))] == h
}

// adds records that the state with identity h was added, so that lately can report it. It does
// nothing if no state is on disk.
func (x *Explorer) adds(h canon.Hash) {
	if x.late == nil {
		if !x.OnDisk() {
			return
		}
		x.late = make([]canon.Hash, x.deep.late)
	}
	x.late[h.Lo%uint64(len(x.late))] = h
}

// stale reports whether the state that was added last was visited before and is on disk.
func (x *Explorer) stale() bool {
	if !x.OnDisk() {
		return false
	}
	x.Get(x.Next-1, x.To)
	known := false
	_ = x.deep.known.Known([]spill.Key{{Sum: x.Sum(x.To)}}, func(int, uint32) { known = true }) // an error ends the search
	return known
}
