package canon

// refTable has the registered visits of a walk, by the address of the object and the plan
// of its type; the address alone does not suffice, since a struct and its first field have
// the same one. The first few visits are searched one by one. More of them make an
// open-addressed hash table, which is emptied by incrementing its generation.
//
// Addresses are kept as numbers. The walk holds its root and all summaries, so no object is
// freed or moved meanwhile.
type refTable struct {
	first [fewRefs]ref
	used  int
	slots []ref // all visits, if there are more than fewRefs
	gen   uint64
}

type ref struct {
	addr      uintptr
	plan      *plan
	seq       uint64 // the number of the visit
	gen       uint64
	byPointer bool // a pointer led to this visit
}

const fewRefs = 8

func (t *refTable) reset() { t.used = 0 }

// find returns the visit of the object at addr with the plan p, or nil. The result is valid
// until the next insert.
func (t *refTable) find(addr uintptr, p *plan) *ref {
	if t.used <= fewRefs {
		for i := range t.first[:t.used] {
			if s := &t.first[i]; s.addr == addr && s.plan == p {
				return s
			}
		}
		return nil
	}
	if s := t.slot(addr, p); s.gen == t.gen {
		return s
	}
	return nil
}

// insert adds a visit, for which find must have returned nil.
func (t *refTable) insert(addr uintptr, p *plan, seq uint64, byPointer bool) {
	if t.used < fewRefs {
		s := &t.first[t.used]
		s.addr, s.seq, s.byPointer = addr, seq, byPointer
		if s.plan != p {
			s.plan = p
		}
		t.used++
		return
	}
	if t.used == fewRefs {
		if t.slots == nil {
			t.slots = make([]ref, 4*fewRefs)
		}
		t.gen++
		for _, s := range t.first {
			t.put(s)
		}
	}
	t.put(ref{addr: addr, plan: p, seq: seq, byPointer: byPointer})
	t.used++
	if t.used*2 > len(t.slots) {
		t.grow()
	}
}

func (t *refTable) put(r ref) {
	r.gen = t.gen
	*t.slot(r.addr, r.plan) = r
}

// slot returns the slot of the visit of addr and p or, if there is none, the free slot
// where it belongs.
func (t *refTable) slot(addr uintptr, p *plan) *ref {
	mask := len(t.slots) - 1
	for i := int(spread(addr) >> 32); ; i++ {
		s := &t.slots[i&mask]
		if s.gen != t.gen || s.addr == addr && s.plan == p {
			return s
		}
	}
}

func (t *refTable) grow() {
	old := t.slots
	t.slots = make([]ref, 2*len(old))
	for _, s := range old {
		if s.gen == t.gen {
			t.put(s)
		}
	}
}

// spread mixes the bits of an address, so that its high bits depend on all of them.
func spread(at uintptr) uint64 { return uint64(at) * 0x9e3779b97f4a7c15 }
