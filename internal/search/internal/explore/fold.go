package explore

import (
	"encoding/binary"
	"slices"

	"macemc/internal/canon"
	"macemc/internal/state"
	"macemc/internal/world"
)

// Fold makes a ledger keep one state of those that differ only in the names of interchangeable
// nodes. Such states form a class. The state that is kept is the first of its class that a run
// reached, so paths are those of real runs. A second ledger has the normal form of each class,
// which is its state under certain names, the same for whichever state of the class it is computed
// from (label.go).
//
// A normal form is never put into a world. Its parts are known only by their identities, which a
// [world.Renaming] computes, and Fold numbers these parts as a bank does.
//
// If every step commutes with renaming, the steps from any state of a class lead to renamed
// versions of the states to which the kept state leads. If moreover the properties do not depend on
// names, no failure and no dead state is lost. System.Interchangeable promises both, and alike.go
// checks it.
type Fold struct {
	n      int
	sets   [][]int // of interchangeable nodes, in order
	set    []int   // by node: the number of its set, or -1
	same   []int   // a renaming in which each node keeps its name
	at     state.Places
	bank   *world.Bank
	naming *world.Renaming

	parts   map[partKey]*foldedPart
	numbers []map[canon.Hash]uint32 // by place: the numbers of the parts of normal forms
	classes *Entry
	vector  world.Vector // the state that is looked up
	normal  world.Vector // its normal form
	sum     canon.Hash   // the identity of the normal form
	label   *labelling
	kept    int // number of states kept

	Compared int            // number of states that were compared with renamed copies
	other    *Taker         // takes the steps of renamed states, to compare them
	roots    []world.Vector // the start states
}

// partKey identifies a part of a bank.
type partKey struct {
	place int32
	id    uint32
}

// foldedPart stores the hashes that a part has when nodes are renamed. The keys of sums are the new
// names of the nodes that the part mentions.
type foldedPart struct {
	among []int      // the interchangeable nodes that the part mentions
	plain canon.Hash // the hash with the real names
	sums  map[string]canon.Hash
}

// Interchange makes the explorer keep one state of those that differ only in the names of nodes of
// one set. It must be called before the first state is visited.
func (x *Explorer) Interchange(sets [][]int) error {
	w, err := x.Owner.NewWorld(world.Config{})
	if err != nil {
		return err
	}
	w.State.Track()
	naming, err := w.State.NewRenaming()
	if err != nil {
		return err
	}
	l, err := x.Owner.NewLedger(x.Bank.Places(), nil)
	if err != nil {
		return err
	}
	n := x.Bank.At().TCP(0)
	set, same := make([]int, n), make([]int, n)
	for i := range n {
		set[i], same[i] = -1, i
	}
	for k, nodes := range sets {
		for _, i := range nodes {
			set[i] = k
		}
	}
	x.folds(&Fold{
		n: n, sets: sets, set: set, same: same, at: x.Bank.At(), bank: x.Bank, naming: naming,
		parts: map[partKey]*foldedPart{}, numbers: make([]map[canon.Hash]uint32, x.Bank.Places()), classes: l.Entry(),
		vector: make(world.Vector, x.Bank.Places()), normal: make(world.Vector, x.Bank.Places()),
	})
	if m := x.Memo(); m != nil {
		m.LooksAllUp() // a step is skipped if another order of it is taken elsewhere; but there the state may be kept under other names
	}
	return nil
}

// folds makes the entry's ledger keep one state of each class of f.
func (e *Entry) folds(f *Fold) {
	e.fold = f
	e.Ledger.folds(f)
}

func (l *Ledger) folds(f *Fold) { l.fold = f }

// Fold returns the ledger's Fold, or nil if it keeps all states.
func (l *Ledger) Fold() *Fold { return l.fold }

// class looks up the class of the packed state of e. If it is known, s is the state kept for this
// class.
func (f *Fold) class(e *Entry) (s uint32, known bool) {
	e.lay.unpack(e.packed, f.vector)
	f.normalize(f.vector)
	f.classes.Pack(f.normal)
	c, known := f.classes.Find(f.sum)
	if !known {
		return 0, false
	}
	return f.classes.Origin(c).Parent, true
}

// keep records that state s is kept for the class that was looked up last.
func (f *Fold) keep(s uint32) {
	f.classes.Add(f.sum, Origin{Parent: s})
	f.classes.Told()
}

// total returns the identity of state v with each node i renamed to to[i].
func (f *Fold) total(v world.Vector, to []int) (h canon.Hash) {
	for p, id := range v {
		if id != 0 {
			h = h.Add(world.Placed(f.of(p, id, to), world.Renamed(f.at, f.n, p, to)))
		}
	}
	return h
}

// put sets f.normal to state v with each node i renamed to to[i].
func (f *Fold) put(v world.Vector, to []int) {
	clear(f.normal)
	for p, id := range v {
		if id != 0 {
			q := world.Renamed(f.at, f.n, p, to)
			f.normal[q] = f.number(q, f.of(p, id, to))
		}
	}
}

// number returns the number of the part that has the hash h at a place of normal forms. A new part
// gets the next number.
func (f *Fold) number(place int, h canon.Hash) uint32 {
	if h == (canon.Hash{}) {
		return 0
	}
	known := f.numbers[place]
	if known == nil {
		known = map[canon.Hash]uint32{}
		f.numbers[place] = known
	}
	id, is := known[h]
	if !is {
		id = uint32(len(known) + 1)
		known[h] = id
	}
	return id
}

// of returns the hash of a part with each node i renamed to to[i]. The hash does not include the
// place of the part.
func (f *Fold) of(place int, id uint32, to []int) canon.Hash {
	part := f.part(place, id)
	if len(part.among) == 0 {
		return part.plain
	}
	var room [64]byte
	key := room[:0]
	for _, i := range part.among {
		key = binary.LittleEndian.AppendUint16(key, uint16(to[i]))
	}
	h, known := part.sums[string(key)]
	if !known {
		f.naming.Rename(to)
		f.naming.Load(f.bank, place, id)
		h = f.naming.Sum(place)
		part.sums[string(key)] = h
	}
	return h
}

// part returns the foldedPart of a part: the nodes that it mentions, and the hashes that were computed so far. If
// there is none, it makes one.
func (f *Fold) part(place int, id uint32) *foldedPart {
	key := partKey{int32(place), id}
	part := f.parts[key]
	if part == nil {
		f.naming.Rename(f.same)
		f.naming.Load(f.bank, place, id)
		plain := f.naming.Sum(place)
		among := slices.DeleteFunc(append(f.naming.Names(), f.naming.Among(place)...), func(i int) bool { return f.set[i] < 0 })
		slices.Sort(among)
		part = &foldedPart{slices.Compact(among), plain, map[string]canon.Hash{}}
		f.parts[key] = part
	}
	return part
}
