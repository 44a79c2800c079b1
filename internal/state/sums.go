package state

import "macemc/internal/canon"

// A Vector is a state, given by the number of the part at each place. A bank assigned the
// numbers and keeps the parts.
type Vector []uint32

// Parts computes the identity of each part of a state, when Sums asks for it.
type Parts interface{ PartSum(place int) canon.Hash }

// Sums keeps the identities of all parts of a state, and records which of them are out of date.
type Sums struct {
	Places
	total canon.Hash
	part  []canon.Hash
	stale []bool
	list  []int32 // the places of the parts whose identities are out of date

	touched Touched // the parts that the current step, or the last one, has touched

	// tracking and the following fields are used to track the parts that have changed since
	// the state was saved or loaded.
	tracking  bool
	bank      any // the bank that assigned the numbers in the vector at
	at        Vector
	moved     []bool // by place: the part has changed
	movedList []int32
	since     []int32 // the places that were saved since the last load
	from      *uint32 // identifies the vector that was loaded last, by the address of its first number
	stays     int     // the number of stays so far: see Stay
}

// Init prepares s for states with these places.
func (s *Sums) Init(places Places) {
	parts := places.Len()
	*s = Sums{Places: places, part: make([]canon.Hash, parts), stale: make([]bool, parts), list: make([]int32, 0, parts)}
}

// Reset records that all parts are empty. An empty part is not hashed.
func (s *Sums) Reset() {
	clear(s.part)
	clear(s.stale)
	s.list, s.total = s.list[:0], canon.Hash{}
	if s.tracking {
		for part := range s.part {
			s.Touch(part)
		}
	}
	for part := s.Rest(); part < s.Len(); part++ { // these parts are not empty when a run starts
		s.Touch(part)
	}
}

// Touch records that the part with this place has changed, so that its identity is out of
// date.
func (s *Sums) Touch(part int) {
	if !s.stale[part] {
		s.stale[part] = true
		s.list = append(s.list, int32(part))
	}
	if s.tracking {
		s.move(part)
	}
}

// move records that a part has changed since the state was saved.
func (s *Sums) move(part int) {
	if !s.moved[part] {
		s.moved[part] = true
		s.movedList = append(s.movedList, int32(part))
	}
	s.touched.Add(part, Wrote)
}

// Watch makes s record the parts that each step touches, and the parts that change.
func (s *Sums) Watch() {
	if !s.tracking {
		s.Track()
	}
	s.touched.watch(len(s.part))
}

// Touched returns the parts that the current step, or else the last one, has touched. The next step
// overwrites it.
func (s *Sums) Touched() *Touched { return &s.touched }

// TouchNode, TouchTCP and the methods below record that one part of the kind in their name has changed.
func (s *Sums) TouchNode(i int)      { s.Touch(s.Node(i)) }
func (s *Sums) TouchTCP(channel int) { s.Touch(s.TCP(channel)) }
func (s *Sums) TouchUDP(channel int) { s.Touch(s.UDP(channel)) }
func (s *Sums) TouchSet(i int)       { s.Touch(s.Set(i)) }

// Hash returns the identity of the state. It recomputes the identities of stale parts.
func (s *Sums) Hash(of Parts) canon.Hash {
	for _, part := range s.list {
		h := of.PartSum(int(part))
		s.total = s.total.Sub(s.part[part]).Add(h)
		s.part[part], s.stale[part] = h, false
	}
	s.list = s.list[:0]
	return s.total
}

// Parts returns the identities of the parts, as of the last call of Hash. The slice belongs
// to s.
func (s *Sums) Parts() []canon.Hash { return s.part }

// Track makes s record which parts change. At first all parts count as changed.
func (s *Sums) Track() {
	s.tracking = true
	s.at = make(Vector, len(s.part))
	s.moved = make([]bool, len(s.part))
	s.movedList = s.movedList[:0]
	for p := range s.part {
		s.moved[p] = true
		s.movedList = append(s.movedList, int32(p))
	}
}

// Tracking reports whether s records which parts change.
func (s *Sums) Tracking() bool { return s.tracking }

// Know sets the bank whose numbers s keeps. If s has kept numbers of another bank, all
// parts count as changed.
func (s *Sums) Know(bank any) {
	if s.bank != bank {
		s.Track()
		s.bank = bank
	}
}

// Save updates the numbers of the parts that have changed since the last call of Save or
// Loaded, and returns their places, which are valid until the next step.
func (s *Sums) Save(number func(place int) uint32) []int32 {
	for _, p := range s.movedList {
		s.at[p] = number(int(p))
		s.moved[p] = false
	}
	moved := s.movedList
	s.since = append(s.since, moved...)
	s.movedList = s.movedList[:0]
	return moved
}

// At returns the state as it was last saved or loaded. The vector belongs to s.
func (s *Sums) At() Vector { return s.at }

// Differs reports whether the part at a place is another one than the part with number id.
// It may report true for an equal part that has changed and was not numbered since.
func (s *Sums) Differs(place int, id uint32) bool { return s.at[place] != id || s.moved[place] }

// Number returns the number of a part and its bank, or 0 if the part has changed since it was numbered.
func (s *Sums) Number(place int) (bank any, id uint32) {
	if !s.tracking || s.moved[place] {
		return nil, 0
	}
	return s.bank, s.at[place]
}

// Restored records that a part was set to the one with this number and identity.
func (s *Sums) Restored(place int, id uint32, sum canon.Hash) {
	s.total = s.total.Sub(s.part[place]).Add(sum)
	s.part[place], s.stale[place], s.moved[place], s.at[place] = sum, false, false, id
}

// Loaded records that all parts were set to those of v.
func (s *Sums) Loaded(v Vector) {
	s.list, s.movedList, s.since, s.from = s.list[:0], s.movedList[:0], s.since[:0], &v[0]
}

// CameFrom reports whether the state that was loaded last is v, with numbers of this bank.
func (s *Sums) CameFrom(bank any, v Vector) bool { return s.bank == bank && s.from == &v[0] }

// Stay returns a number for the loaded state, or 0 while the world is in another state. The
// number is the same each time that the world is in the loaded state, even if steps were taken in
// between, until another state is loaded. So facts that were computed for the state are still
// true if the number is the same.
func (s *Sums) Stay() int {
	if len(s.movedList) > 0 || len(s.since) > 0 {
		return 0
	}
	return s.stays
}

// Leaves records that the world will not return to the loaded state, so that Stay returns another
// number from now on.
func (s *Sums) Leaves() { s.stays++ }

// Moved returns the places of the parts that have changed since the last call of Save. The
// method Since returns the places that were saved since the last call of Loaded.
func (s *Sums) Moved() []int32 { return s.movedList }
func (s *Sums) Since() []int32 { return s.since }

// HasMoved reports whether a part has changed since it was saved.
func (s *Sums) HasMoved(place int) bool { return s.moved[place] }

// Settle marks all parts as unchanged since the last call of Save.
func (s *Sums) Settle() {
	s.Leaves()
	clear(s.moved)
	s.movedList = s.movedList[:0]
}

// Stand sets the identities of all parts and their sum, total, and marks all parts as up to
// date.
func (s *Sums) Stand(parts []canon.Hash, total canon.Hash) {
	copy(s.part, parts)
	clear(s.stale)
	s.total, s.list = total, s.list[:0]
	s.Settle()
}
