package canon

// refTable finds the first visit of an object by its address and the plan of
// its type: a struct and its first field have one address and differ. It is an
// open-addressed table which is emptied by counting up its generation.
//
// Addresses are kept as numbers: the walk holds its root, and what summaries
// made, so no object goes away or moves meanwhile.
type refTable struct {
	slots []ref
	gen   uint64
	used  int
}

type ref struct {
	plan      *plan // nil in an empty slot of find's answers
	addr      uintptr
	seq       uint64 // the number of the visit
	gen       uint64
	byPointer bool // a pointer led to this visit
}

func (t *refTable) reset() {
	if t.slots == nil {
		t.slots = make([]ref, 16)
	}
	t.gen++
	t.used = 0
}

// find returns the slot of addr and p; its plan is nil if there is none yet.
// The slot is good until the next insert.
func (t *refTable) find(addr uintptr, p *plan) *ref {
	mask := len(t.slots) - 1
	for i := int(scramble(uint64(addr)) & uint64(mask)); ; i = (i + 1) & mask {
		s := &t.slots[i]
		if s.gen != t.gen {
			s.plan = nil
			return s
		}
		if s.addr == addr && s.plan == p {
			return s
		}
	}
}

// insert fills the empty slot that find returned.
func (t *refTable) insert(s *ref, addr uintptr, p *plan, seq uint64, byPointer bool) {
	*s = ref{plan: p, addr: addr, seq: seq, gen: t.gen, byPointer: byPointer}
	t.used++
	if t.used*2 > len(t.slots) {
		t.grow()
	}
}

func (t *refTable) grow() {
	old := t.slots
	t.slots = make([]ref, 2*len(old))
	for _, s := range old {
		if s.gen == t.gen {
			*t.find(s.addr, s.plan) = s
		}
	}
}
