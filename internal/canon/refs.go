package canon

// refTable finds the first visit of an object by its address and the plan of
// its type: a struct and its first field have one address and differ. The first
// few are searched one by one; more make an open-addressed table, which is
// emptied by counting up its generation.
//
// Addresses are kept as numbers: the walk holds its root, and what summaries
// made, so no object goes away or moves meanwhile.
type refTable struct {
	first [fewRefs]ref
	used  int
	slots []ref // all of them, if there are more than few
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

// find returns the visit of addr and p, or nil. It is good until the next
// insert.
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

// insert adds the visit of an object that find did not find.
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

// slot returns the slot of addr and p, or the one where it belongs.
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

// spread mixes an address, most into the high bits.
func spread(at uintptr) uint64 { return uint64(at) * 0x9e3779b97f4a7c15 }
