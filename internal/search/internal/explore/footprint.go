package explore

import (
	"fmt"
	"math"
	"slices"
	"unsafe"

	"macemc/internal/world"
	"macemc/sim"
)

// byFootprint looks up the results of event e, number k of the position. The number that Memo.what returned for e
// is passed as what. The event of a crash is stored in several pieces, each with a footprint of its own, and every
// other event in one. byFootprint returns all pieces; all but the first have exactly one result. If it returns
// none, the step must be taken in the world.
func (m *Memo) byFootprint(state uint32, k int, e *sim.Event, what uint64) (pieces []*standing, err error) {
	if k > math.MaxUint16 || m.loses(e) {
		return nil, nil
	}
	m.keys = m.keys[:0]
	if crashes(e) {
		for j := range m.n + 2 {
			m.keys = append(m.keys, m.pack.ofEvent(e.Kind, m.index(e.Node), none, uint64(j), 0))
		}
	} else {
		m.keys = append(m.keys, m.key(e, what))
	}
	i := m.index(e.Node)
	if i != none {
		m.ask(i)
	}
	known := m.findAll()
	if !known {
		m.tables.refresh(m.common)
		known = m.findAll()
	}
	if m.looked++; !known || m.looked%verifyEvery == 0 {
		if i != none {
			m.ran(i)
		}
		if err := m.learn(state, k, e); err != nil {
			return nil, err
		}
		m.stand()
	}
	for _, o := range m.pieces {
		if o.unknown {
			return nil, nil
		}
	}
	return m.pieces, nil
}

// findAll looks for known footprints of an event in the position's state, one for each key in m.keys, and
// stores them in m.pieces. It reports whether all were found.
func (m *Memo) findAll() (known bool) {
	known, m.pieces = true, m.pieces[:0]
	for _, key := range m.keys {
		o := m.find(key, m.v)
		m.pieces, known = append(m.pieces, o), known && o != nil
	}
	return known
}

// loses reports whether event e is a crash with several outcomes, because stored data may be lost or
// damaged. A footprint of a crash has only one.
func (m *Memo) loses(e *sim.Event) bool {
	if e.Kind != sim.KindCrash {
		return false
	}
	i := m.index(e.Node)
	l := m.x.Bank.Local(i, m.v[i])
	return l.Loses || l.Stores && m.x.Bank.Damages(m.v)
}

func crashes(e *sim.Event) bool {
	return e.Kind.Fails() || e.Leaves()
}

// find returns the footprint that is stored under a key and whose parts are those of state v, or nil if
// there is none.
func (t *tables) find(key uint64, v world.Vector) *standing {
	s, _ := t.shapes.Get(key)
	for ; s != nil; s = s.next.Load() {
		o, _ := t.byParts.Get(s.hash(v))
		for ; o != nil; o = o.next.Load() {
			if o.shape == s && o.is(v) {
				return o
			}
		}
	}
	return nil
}

// hash returns a hash of the parts of a state at the places of the shape.
func (s *shape) hash(v world.Vector) uint64 {
	h := s.seed
	for _, p := range s.places {
		h = (h ^ uint64(v[p])) * 0xff51afd7ed558ccd
		h ^= h >> 32
	}
	return h | 1
}

// is reports whether the footprint applies to state v, which means that v has the same parts as
// the footprint at the places of its shape.
func (o *standing) is(v world.Vector) bool {
	for k, p := range o.shape.places {
		if o.parts[k] != v[p] {
			return false
		}
	}
	return true
}

// learn takes e, the event number k of a state, in the world, and stores those of its footprints that are
// not known. It returns an error if a known footprint has another result, since the step does not do the
// same each time.
func (m *Memo) learn(state uint32, k int, e *sim.Event) error {
	i, lists := m.index(e.Node), 0
	made := make([]*standing, len(m.keys))
	places := make([][]int32, len(made))
	results := make([][]result, len(made))
	for j := range made {
		made[j], places[j] = new(standing), m.places(e, i, j)
	}
	unknown := false
	if err := m.taking(state, k, func() {
		m.expect(e)
		if !crashes(e) {
			places[0] = m.touched(places[0], i)
		}
		unknown = unknown || m.x.World.Judge.CheckLinks() != nil
		reached := 0
		m.x.World.State.SaveMoved(m.x.Bank)
		for j := range made {
			m.begins()
			one, effects := m.left(places[j], i)
			if !m.add(one, effects, m.x.Step.coins.Answers()) {
				m.x.sampled()
			}
			results[j] = append(results[j], m.made...)
			reached += len(effects)
		}
		lists++
		unknown = unknown || reached < m.changed() || lists > 1 && len(made) > 1 // the step changed a part that no footprint has, or a crash had several outcomes
	}); err != nil {
		return err
	}
	for j := range made {
		if made[j].has(m.results.keep(results[j])); unknown {
			made[j].forget()
		}
		o := m.pieces[j]
		if o == nil {
			o = m.common.remember(m.keys[j], places[j], made[j], m.v, m.results.counts()+m.effects.counts())
			m.pieces[j] = o
		}
		if o != made[j] && !o.same(&made[j].footprint) { // a step did something else than before: the caller looks for the first such step of the run
			return m.x.stray("")
		}
	}
	m.tables.refresh(m.common)
	return nil
}

// expect panics if the world has taken another event than e.
func (m *Memo) expect(e *sim.Event) {
	at := m.x.World.Run.LastEvent()
	if at.Kind != e.Kind || at.Node != e.Node || at.From != e.From || at.Link != e.Link {
		panic(fmt.Sprintf("macemc bug: search: an event of kind %v at %v was to be taken, and the world took one of kind %v at %v", e.Kind, e.Node, at.Kind, at.Node))
	}
}

// forget records that the footprint does not determine the result of its step, which must
// therefore be taken in the world each time.
func (o *footprint) forget() { o.unknown = true }

// at sets the shape and parts of o: the parts that state v has at the places of s.
func (o *standing) at(s *shape, v world.Vector) {
	o.shape, o.parts = s, make([]uint32, len(s.places))
	for k, p := range s.places {
		o.parts[k] = v[p]
	}
}

// remember stores footprint o under a key, for the parts that state v has at the given places. It returns
// o, or the footprint that another goroutine has stored meanwhile. bytes is the size of the results.
func (l *learnt) remember(key uint64, places []int32, o *standing, v world.Vector, bytes int) *standing {
	l.mu.Lock()
	defer l.mu.Unlock()
	if other := l.find(key, v); other != nil {
		return other
	}
	slices.Sort(places)
	o.at(l.shapeOf(key, slices.Compact(places)), v)
	l.counts(bytes + int(unsafe.Sizeof(*o)) + 4*len(o.parts))
	hash := o.shape.hash(v)
	if head, known := l.byParts.Get(hash); known {
		o.next.Store(head.next.Load())
		head.next.Store(o)
	} else {
		l.byParts.Put(hash, o)
	}
	return o
}

// shapeOf returns the shape with these places that is stored under a key, and makes it if there is none.
func (l *learnt) shapeOf(key uint64, places []int32) *shape {
	first, _ := l.shapes.Get(key)
	for s := first; s != nil; s = s.next.Load() {
		if slices.Equal(s.places, places) {
			return s
		}
	}
	l.shaped++
	made := &shape{places: places, seed: l.shaped * 0x9e3779b97f4a7c15}
	if first == nil {
		l.shapes.Put(key, made)
	} else {
		made.next.Store(first.next.Load())
		first.next.Store(made)
	}
	return made
}

// same reports whether two footprints of one step have equal results.
func (o *footprint) same(b *footprint) bool {
	if o.unknown || b.unknown {
		return o.unknown == b.unknown
	}
	if len(o.results) != len(b.results) {
		return false
	}
	for j := range o.results {
		l, r := &o.results[j], &b.results[j]
		if l.coins != r.coins || !l.equals(r, r.effects) {
			return false
		}
	}
	return true
}

// left returns the result of the step that was just taken on node i, for one footprint: the new parts at the given
// places and at the node's own place. A crash has several footprints; for it, left includes the node's own part
// only if the node is among the places.
func (m *Memo) left(places []int32, i int) (one result, effects []effect) {
	x, n := m.x, m.n
	at := x.World.State.At()
	for p := range at {
		own := p == i && len(m.keys) == 1
		if at[p] == m.v[p] || !own && !slices.Contains(places, int32(p)) {
			continue
		}
		one.delta = one.delta.Add(x.Bank.Sum(p, at[p])).Sub(x.Bank.Sum(p, m.v[p]))
		if p >= n && p < m.rest {
			one.fly += int16(m.queue(p, at[p]).len) - int16(m.queue(p, m.v[p]).len)
		}
		effects = append(effects, effect{place: int32(p), id: at[p], does: effectSet})
	}
	return one, effects
}

// changed returns the number of parts that the last step has changed.
func (m *Memo) changed() (places int) {
	for p, id := range m.x.World.State.At() {
		places += count(id != m.v[p])
	}
	return places
}

// key returns the key of event e and the part of its node in the position. The number that Memo.what returned for e
// is passed as what.
func (m *Memo) key(e *sim.Event, what uint64) uint64 {
	i, part := m.index(e.Node), uint32(0)
	if i != none {
		part = m.v[i]
	}
	switch e.Kind {
	case sim.KindLose, sim.KindDuplicate, sim.KindBreak, sim.KindReset, sim.KindPause, sim.KindResume:
		part = 0 // no handler runs
	case sim.KindRefused:
		if e.Link == sim.LinkUDP {
			part = 0
		}
	}
	return m.pack.ofEvent(e.Kind, i, m.index(e.From), what, part)
}

// what returns a number that distinguishes event e from all other events of the same kind at the same node, in the
// state of the position, which is loaded in the world. Events of some kinds are distinguished by how many of that
// kind come before them: see nth.
func (m *Memo) what(e *sim.Event, slot, nth int) uint64 {
	n := m.n
	switch e.Kind {
	case sim.KindMessage:
		i, from, head := m.index(e.Node), m.index(e.From), uint32(0)
		switch e.Link {
		case sim.LinkTCP:
			p := world.TCPPlace(n, i*n+from)
			head = m.queue(p, m.v[p]).head
		case sim.LinkUDP:
			p := world.UDPPlace(n, i*n+from)
			head = m.queue(p, m.v[p]).head
		default:
			p := world.SetPlace(n, i)
			head = m.x.Bank.Items(p, m.v[p])[slot].Message
		}
		return ofMessage(head, e.Link)
	case sim.KindQuorum:
		return uint64(m.x.World.State.Message(m.x.Bank, e.Value))
	case sim.KindAction, sim.KindPartition, sim.KindOneWay: // identified by how many of them come before
		return uint64(nth)
	case sim.KindTask, sim.KindTimer:
		return uint64(slot)
	case sim.KindLose, sim.KindDuplicate, sim.KindReorder:
		return uint64(e.Place)
	case sim.KindRefused:
		return uint64(e.Link)
	}
	return 0
}

// ofMessage returns the number that Memo.what returns for the delivery of a message by a link.
func ofMessage(message uint32, link sim.Link) uint64 {
	return uint64(message)<<2 | uint64(link)&3 // a bag has no bits left
}

// nth returns how many events of the same kind and node as e come before event number k of the world's state. It
// returns 0 if that does not matter, since events of this kind are distinguished in another way.
func (m *Memo) nth(e *sim.Event, k int) (n int) {
	switch e.Kind {
	case sim.KindAction, sim.KindPartition, sim.KindOneWay:
	default:
		return 0
	}
	for k--; k >= 0; k-- {
		if before, _ := m.x.World.Events.Found(k); before.Kind != e.Kind || before.Node != e.Node {
			break
		}
		n++
	}
	return n
}

// places returns the places that footprint number j of event e on node i always includes. A crash has one
// footprint for the connection to each peer, one for the node, and one for the environment.
func (m *Memo) places(e *sim.Event, i, j int) []int32 {
	switch {
	case !crashes(e): // learn asks the world
		return nil
	case j < m.n:
		return []int32{int32(world.TCPPlace(m.n, j*m.n+i)), int32(world.TCPPlace(m.n, i*m.n+j))}
	case j == m.n:
		return []int32{int32(i)}
	}
	at := m.x.Bank.At()
	if e.Leaves() {
		return []int32{int32(at.Pauses())}
	}
	return []int32{int32(at.Pauses()), int32(at.Budget(e.Kind.Budget()))}
}

// touched appends to places the places of the parts that the last step has touched or asked about, except that of
// node i.
func (m *Memo) touched(places []int32, i int) []int32 {
	for p := range m.x.World.State.Touched().Footprint() {
		if p != i {
			places = append(places, int32(p))
		}
	}
	return places
}
