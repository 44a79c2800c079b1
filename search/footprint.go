package search

import (
	"math"
	"slices"

	"macemc/internal/canon"
	"macemc/internal/flat"
	"macemc/internal/world"
	"macemc/sim"
)

// footprints remembers the steps that are no function of a node part alone:
// steps of the environment, of connections that open, break or fill, of what
// tells monitors, of rare coins. Such a step is a function of the parts that it
// touched or asked about: its footprint. Where they are what they were, so is
// what it does, since up to the first part that differs it cannot tell.
//
// Which events are possible, the world says.
type footprints struct {
	off      bool       // a flaw of the links may reach anywhere
	shapes   flat.Table // an event at a node part -> the first of its shapes
	shape    []shape
	outcomes flat.Table // shape and parts, hashed -> the first of its outcomes
	outcome  []trodden
	left     []left
	were     []change
	looked   int

	pieces flat.Table // of crashes: see memo.crash
	piece  []piece
}

// piece is what becomes of one or two parts, of a node's as a result.
type piece struct {
	now    [2]uint32
	result uint32
}

// shape is the places that a step touched or asked about, besides its node.
type shape struct {
	places []int32
	next   uint32 // of the same event; 0: there is none
}

// trodden is what a step did, for all answers to its coins.
type trodden struct {
	shape       uint32
	parts       []uint32 // at the places of the shape
	first, last uint32   // of left
	inWorld     bool     // it cannot be told by parts
	next        uint32   // with the same hash; 0: there is none
}

// left is what a step left, for one list of answers.
type left struct {
	delta       canon.Hash // of the state, in sums
	result      uint32     // of memo.results: what became of the node
	first, last uint32     // of footprints.were: what became of parts, the node first
	fly         int16
	coins       uint16
}

func newFootprints(w *world.World) footprints {
	return footprints{off: w.Flawed(), shape: make([]shape, 1), outcome: make([]trodden, 1)}
}

// footsteps takes the events of the position from the k-th on.
func (m *memo) footsteps(state uint32, k int) error {
	x := m.x
	m.stand()
	for n := x.w.Enabled(); k < n; k++ {
		if x.closure.passes(k) {
			continue
		}
		if err := m.footstep(state, k); err != nil || x.violated != nil || x.full {
			return err
		}
	}
	return nil
}

// stand brings the world to the position.
func (m *memo) stand() {
	m.x.w.Load(m.x.bank, m.v)
	m.x.w.Enabled()
}

// footstep takes the k-th event of the position, where the world stands, and
// stays there.
func (m *memo) footstep(state uint32, k int) error {
	x, f := m.x, &m.feet
	e, slot := x.w.Happening(k)
	if e.Kind == sim.KindCrash || e.Kind == sim.KindDown {
		return m.crash(state, k, &e)
	}
	key, i := m.event(&e, slot, k)
	known := uint32(0)
	first, _ := f.shapes.Get(key)
	for s := first; s != 0 && known == 0; s = f.shape[s].next {
		known = f.find(s, m.v)
	}
	if f.looked++; known != 0 && f.looked%verifyEvery != 0 {
		return m.leave(state, k, known)
	}
	now, err := m.tread(state, k, i, &e, key, first)
	if err != nil || x.violated != nil || x.full {
		return err
	}
	if known != 0 && !f.same(known, now) { // the audit's business: hunt for the step that differs
		x.strayed = true
		x.violated = x.w.Failure(sim.VerdictNondeterminism, "")
		return nil
	}
	m.stand()
	return m.leave(state, k, now)
}

// leave makes candidates of an outcome.
func (m *memo) leave(state uint32, k int, number uint32) error {
	o := &m.feet.outcome[number]
	if o.inWorld {
		if err := m.inWorld(state, k); err != nil || m.x.violated != nil || m.x.full {
			return err
		}
		m.stand()
		return nil
	}
	for j := o.first; j < o.last; j++ {
		l := &m.feet.left[j]
		first := len(m.changes)
		m.changes = append(m.changes, m.feet.were[l.first:l.last]...)
		m.next = append(m.next, candidate{
			sum: m.total.Add(l.delta), parent: int32(len(m.parents) - 1), result: l.result,
			first: int32(first), last: int32(len(m.changes)), fly: l.fly, event: uint16(k), coins: l.coins,
		})
	}
	if g := m.x.closure; g != nil && g.spreading {
		return m.lead(g)
	}
	return nil
}

// crash takes a crash, whose footprint is large, piece by piece: what becomes of
// the node, of the budgets, and of the connection to each peer are functions of
// each alone.
func (m *memo) crash(state uint32, k int, e *sim.Event) error {
	x, f, n, rest := m.x, &m.feet, m.n, len(m.v)-1
	i := x.w.Index(e.Node)
	ends := func(j int) (int, int) { // the places of piece j
		switch j {
		case n:
			return i, i
		case n + 1:
			return rest, rest
		default:
			return world.TCPPlace(n, j*n+i), world.TCPPlace(n, i*n+j)
		}
	}
	key := func(j int) uint64 {
		a, b := ends(j)
		if m.v[a] >= 1<<21 || m.v[b] >= 1<<21 {
			panic("macemc bug: search: more parts than a key holds; they fill the memory before")
		}
		return uint64(e.Kind)<<59 | uint64(i)<<53 | uint64(j+1)<<42 | uint64(m.v[a])<<21 | uint64(m.v[b])
	}
	f.looked++
	due, all := f.looked%verifyEvery == 0, true
	for j := 0; j < n+2 && all && !due; j++ {
		_, all = f.pieces.Get(key(j))
	}
	if due || !all {
		if err := m.flush(state); err != nil || x.violated != nil || x.full {
			return err
		}
		m.stand()
		x.lastEvent, x.lastCoins = k, nil
		x.step.event = k
		x.step.coins.Reset()
		if err := x.step.take(x.w); err != nil {
			return err
		}
		x.r.stats.Steps++
		x.r.stats.HandlerRuns++
		if x.violated = x.w.Failed(); x.violated != nil {
			return nil
		}
		bad := x.w.CheckLinks() != nil
		x.w.SaveMoved(x.bank)
		for j := range n + 2 {
			a, b := ends(j)
			now := [2]uint32{x.w.At()[a], x.w.At()[b]}
			switch at, known := f.pieces.Get(key(j)); {
			case !known:
				f.pieces.Put(key(j), uint32(len(f.piece)))
				f.piece = append(f.piece, piece{now: now, result: uint32(len(m.results))})
				if j == n {
					m.results = append(m.results, result{delta: x.bank.Sum(i, now[0]).Sub(x.bank.Sum(i, m.v[i]))})
				}
			case f.piece[at].now != now: // the audit's business: hunt for the step that differs
				x.strayed = true
				x.violated = x.w.Failure(sim.VerdictNondeterminism, "")
				return nil
			}
		}
		m.stand()
		if bad || k > math.MaxUint16 {
			if err := m.inWorld(state, k); err != nil || x.violated != nil || x.full {
				return err
			}
			m.stand()
			return nil
		}
	}
	first, sum, fly := len(m.changes), m.total, 0
	set := func(p int, now uint32) {
		if now == m.v[p] {
			return
		}
		delta := x.bank.Sum(p, now).Sub(x.bank.Sum(p, m.v[p]))
		if sum = sum.Add(delta); p != i && p != rest {
			fly += int(m.queue(p, now).len) - int(m.queue(p, m.v[p]).len)
		}
		m.changes = append(m.changes, change{int32(p), now})
	}
	for j := n; j >= 0; j-- { // the node first
		at, _ := f.pieces.Get(key(j))
		a, b := ends(j)
		if set(a, f.piece[at].now[0]); b != a {
			set(b, f.piece[at].now[1])
		}
	}
	at, _ := f.pieces.Get(key(n + 1))
	set(rest, f.piece[at].now[0])
	node, _ := f.pieces.Get(key(n))
	m.next = append(m.next, candidate{
		sum: sum, parent: int32(len(m.parents) - 1), result: f.piece[node].result,
		first: int32(first), last: int32(len(m.changes)), fly: int16(fly), event: uint16(k),
	})
	if g := x.closure; g != nil && g.spreading {
		return m.lead(g)
	}
	return nil
}

// event tells an event with its node part, and where it happens; -1: nowhere.
func (m *memo) event(e *sim.Event, slot, k int) (key uint64, i int) {
	x, n := m.x, m.n
	i, from, part := -1, 63, uint32(0)
	if !e.Node.IsZero() {
		i = x.w.Index(e.Node)
		part = m.v[i]
	}
	if !e.From.IsZero() {
		from = x.w.Index(e.From)
	}
	what := uint64(0)
	switch e.Kind {
	case sim.KindMessage:
		switch e.Link {
		case sim.LinkTCP:
			p := world.TCPPlace(n, i*n+from)
			what = uint64(m.queue(p, m.v[p]).head)
		case sim.LinkUDP:
			p := world.UDPPlace(n, i*n+from)
			what = uint64(m.queue(p, m.v[p]).head)
		default:
			p := world.SetPlace(n, i)
			what = uint64(x.bank.Items(p, m.v[p])[slot].Message)
		}
		what = what<<2 | uint64(e.Link)
	case sim.KindAction, sim.KindPartition, sim.KindOneWay: // told by how many of them come before
		for j := k - 1; j >= 0; j-- {
			if before, _ := x.w.Happening(j); before.Kind != e.Kind || before.Node != e.Node {
				break
			}
			what++
		}
	case sim.KindTask, sim.KindTimer:
		what = uint64(slot)
	case sim.KindLose, sim.KindDuplicate:
		what, part = uint64(e.Place), 0 // no handler runs
	case sim.KindReorder:
		what = uint64(e.Place)
	case sim.KindRefused:
		if what = uint64(e.Link); e.Link == sim.LinkUDP {
			part = 0
		}
	case sim.KindBreak, sim.KindReset:
		part = 0
	}
	if part >= 1<<keyPart || what >= 1<<22 {
		panic("macemc bug: search: more parts than a key holds; they fill the memory before")
	}
	return uint64(e.Kind)<<59 | uint64(i+1)<<52 | uint64(from)<<46 | what<<24 | uint64(part), i
}

// hash is of the parts at the places of a shape.
func (f *footprints) hash(s uint32, v world.Vector) uint64 {
	h := uint64(s) * 0x9e3779b97f4a7c15
	for _, p := range f.shape[s].places {
		h = (h ^ uint64(v[p])) * 0xff51afd7ed558ccd
		h ^= h >> 32
	}
	return h | 1
}

// find is the outcome of a step with a shape, where the parts are these; 0: it
// is not known.
func (f *footprints) find(s uint32, v world.Vector) uint32 {
	o, _ := f.outcomes.Get(f.hash(s, v))
	for ; o != 0; o = f.outcome[o].next {
		if f.outcome[o].shape == s && f.is(&f.outcome[o], v) {
			return o
		}
	}
	return 0
}

func (f *footprints) is(o *trodden, v world.Vector) bool {
	for k, p := range f.shape[o.shape].places {
		if o.parts[k] != v[p] {
			return false
		}
	}
	return true
}

// same reports whether a step did the same twice.
func (f *footprints) same(a, b uint32) bool {
	x, y := &f.outcome[a], &f.outcome[b]
	if x.inWorld || y.inWorld || x.last-x.first != y.last-y.first {
		return x.inWorld == y.inWorld
	}
	for j := range x.last - x.first {
		l, r := &f.left[x.first+j], &f.left[y.first+j]
		if l.delta != r.delta || l.coins != r.coins || !slices.Equal(f.were[l.first:l.last], f.were[r.first:r.last]) {
			return false
		}
	}
	return true
}

// tread takes a step in the world, for all answers to its coins, and remembers
// what it did.
func (m *memo) tread(state uint32, k, i int, e *sim.Event, key uint64, first uint32) (number uint32, err error) {
	x, f := m.x, &m.feet
	if err := m.flush(state); err != nil || x.violated != nil || x.full {
		return 0, err
	}
	m.stand()
	o := trodden{first: uint32(len(f.left))}
	places := m.consumes(nil, e, i)
	x.step.event = k
	x.step.coins.Reset()
	for {
		x.lastEvent = k
		if err := x.step.take(x.w); err != nil {
			return 0, err
		}
		x.r.stats.Steps++
		x.r.stats.HandlerRuns++
		if x.violated = x.w.Failed(); x.violated != nil {
			x.lastCoins = x.step.coins.Answers()
			return 0, nil
		}
		places = m.touches(places, i)
		o.inWorld = o.inWorld || x.w.CheckLinks() != nil || k > math.MaxUint16
		m.note(&o, places, i)
		x.w.Back(x.bank, m.v)
		if !x.moreCoins() {
			break
		}
	}
	o.last = uint32(len(f.left))
	slices.Sort(places)
	places = slices.Compact(places)
	for o.shape = first; o.shape != 0 && !slices.Equal(f.shape[o.shape].places, places); {
		o.shape = f.shape[o.shape].next
	}
	if o.shape == 0 {
		o.shape = uint32(len(f.shape))
		f.shape = append(f.shape, shape{places: places})
		if first == 0 {
			f.shapes.Put(key, o.shape)
		} else {
			f.shape[o.shape].next, f.shape[first].next = f.shape[first].next, o.shape
		}
	}
	for _, p := range places {
		o.parts = append(o.parts, m.v[p])
	}
	hash := f.hash(o.shape, m.v)
	number = uint32(len(f.outcome))
	if head, known := f.outcomes.Get(hash); known {
		o.next, f.outcome[head].next = f.outcome[head].next, number
	} else {
		f.outcomes.Put(hash, number)
	}
	f.outcome = append(f.outcome, o)
	return number, x.step.coins.Err()
}

// note notes what the step that was just taken has left.
func (m *memo) note(o *trodden, places []int32, i int) {
	x, f := m.x, &m.feet
	coins, ok := x.lists.number(x.step.coins.Answers())
	if !ok {
		x.sampled = true
		return
	}
	l := left{first: uint32(len(f.were)), fly: int16(x.w.InFlight() - m.fly), coins: coins, result: uint32(len(m.results))}
	moved, at := slices.Clone(x.w.SaveMoved(x.bank)), x.w.At()
	slices.Sort(moved) // nodes come first
	node := canon.Hash{}
	for _, p := range moved {
		if at[p] == m.v[p] {
			continue
		}
		delta := x.bank.Sum(int(p), at[p]).Sub(x.bank.Sum(int(p), m.v[p]))
		l.delta = l.delta.Add(delta)
		f.were = append(f.were, change{p, at[p]})
		switch {
		case int(p) == i:
			node = delta
		case int(p) < m.n || !slices.Contains(places, p):
			o.inWorld = true // it reached farther than is known
		}
	}
	l.last = uint32(len(f.were))
	m.results = append(m.results, result{delta: node})
	f.left = append(f.left, l)
}

// consumes are the places of what an event on node i takes, by its kind.
func (m *memo) consumes(places []int32, e *sim.Event, i int) []int32 {
	x, n, rest := m.x, m.n, int32(len(m.v)-1)
	pair := func(a, b int) {
		places = append(places, int32(world.TCPPlace(n, a*n+b)), int32(world.TCPPlace(n, b*n+a)))
	}
	from := -1
	if !e.From.IsZero() {
		from = x.w.Index(e.From)
	}
	switch e.Kind {
	case sim.KindMessage, sim.KindRefused, sim.KindLose, sim.KindDuplicate, sim.KindReorder:
		switch e.Link {
		case sim.LinkTCP:
			to, back := world.TCPPlace(n, i*n+from), world.TCPPlace(n, from*n+i)
			switch {
			case e.Kind == sim.KindRefused:
				places = append(places, int32(back)) // what the node itself has queued
			case m.queue(to, m.v[to]).open:
				places = append(places, int32(to))
			default: // it opens, at both ends
				places = append(places, int32(to), int32(back))
			}
		case sim.LinkUDP:
			places = append(places, int32(world.UDPPlace(n, i*n+from)))
		}
	case sim.KindClear:
		places = append(places, int32(world.TCPPlace(n, from*n+i)))
	case sim.KindError, sim.KindBreak, sim.KindReset:
		pair(i, from)
	case sim.KindCrash, sim.KindDown:
		for j := range n {
			pair(i, j)
		}
	}
	if e.Kind.Fault() || e.Kind == sim.KindMend {
		places = append(places, rest)
	}
	if calm, _ := x.bank.Calm(m.v[rest]); !calm && e.Kind == sim.KindTimer { // is anything under way to the node or from it?
		places = append(places, rest)
		for j := range n {
			pair(i, j)
			places = append(places, int32(world.UDPPlace(n, i*n+j)), int32(world.UDPPlace(n, j*n+i)))
		}
	}
	return places
}

// touches are the places of what the handler on node i has just done.
func (m *memo) touches(places []int32, i int) []int32 {
	x, n, rest := m.x, m.n, int32(len(m.v)-1)
	if x.w.Tossed() {
		places = append(places, rest)
	}
	for _, e := range x.w.Effects() {
		to := -1
		if !e.To.IsZero() {
			to = x.w.Index(e.To)
		}
		switch e.Kind {
		case sim.EffectSend, sim.EffectRefused, sim.EffectReset, sim.EffectAskClear:
			switch e.Link {
			case sim.LinkTCP:
				if places = append(places, int32(world.TCPPlace(n, to*n+i))); e.Kind == sim.EffectReset { // at both ends
					places = append(places, int32(world.TCPPlace(n, i*n+to)))
				}
			case sim.LinkUDP:
				places = append(places, int32(world.UDPPlace(n, to*n+i)))
			default:
				places = append(places, int32(world.SetPlace(n, to)))
			}
		case sim.EffectEmit:
			places = append(places, rest)
		}
	}
	return places
}
