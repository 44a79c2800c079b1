package walk

import (
	"hash/fnv"
	"math/bits"
	"reflect"
	"slices"

	"macemc/choose"
	"macemc/internal/world"
	"macemc/sim"
)

// Manner is the way in which a guide picks events.
type Manner uint8

// The manners.
const (
	ByWeight Manner = iota // by weight, as in any walk
	Chain                  // the event whose chain of causes has the highest priority: see first
	Swarm                  // by weights that are distorted for the walk: see distortion
	Single                 // by weight, except that the events of one thing are rarer: see thing
	Manners                // the number of manners
)

func (m Manner) String() string { return [Manners]string{"weighted", "chain", "swarm", "single"}[m] }

// pointsMost is the largest number of faults in a storm for which a guide can draw separate depths.
const pointsMost = 8

// A Guide defines how events are picked in the first part of a walk, before the walk is judged for liveness.
// Its random decisions are drawn from a stream of their own, so that they do not change the stream from which
// the answers by weight are drawn.
type Guide struct {
	Manner  Manner
	Until   int                // the guide picks the events before this depth; 0 means that it picks none
	Key     uint64             // the seed of the guide's random stream
	Points  [pointsMost]int32  // the depths at which faults become due, in ascending order
	Moments [pointsMost]Moment // for each of Points, the situation in which the fault happens
	Faults  int                // the number of points in use
	Kinds   uint64             // the kinds of faults in this walk, one bit each
	Early   int32              // the depth from which a timer may fire before the other events of its node; 0 means none
	Changes int                // with Chain: how often the chain with the highest priority gets the lowest one
	Isolate int                // before this depth no partition or pause ends while other events are possible
}

// draws is a stream of random numbers. The algorithm is splitmix64, which uses integers only.
type draws uint64

const (
	golden = 0x9e3779b97f4a7c15
	mixer  = 0xbf58476d1ce4e5b9
)

func (d *draws) next() uint64 {
	*d += golden
	return mix(uint64(*d))
}

// below draws a number from 0 to n-1.
func (d *draws) below(n int) int {
	hi, _ := bits.Mul64(d.next(), uint64(n))
	return int(hi)
}

// span draws a number that is at least low. It first draws one of the octaves low to 2*low-1, 2*low
// to 4*low-1 and so on, with equal chances.
func (d *draws) span(low, octaves int) int {
	low <<= d.below(octaves)
	return low + d.below(low)
}

func mix(x uint64) uint64 {
	x = (x ^ x>>30) * mixer
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// guiding picks the events of walks as a Guide says. One guiding is reused for all walks, so that a step
// allocates no memory.
type guiding struct {
	Guide
	draws
	start    int        // the depth of the first event that it picked
	point    int        // number of the guide's Points that were reached
	due      int        // number of faults that are due but were not possible yet
	waited   Waited     // counts of faults that waited, in this walk
	waits    []wait     // faults that are due and wait for their moment
	hurries  bool       // a timer is to fire early
	thing    thing      // with Single, the events that are rarer
	all      []sim.Addr // the nodes
	links    []link     // by step from start on: the link of the step
	changes  [2]int     // depths at which the chain with the highest priority gets the lowest one
	last     [2]uint64  // the chains that got the lowest priority at these depths
	changed  int
	possible []world.Glance // the events that are possible, without faults
	weights  []uint64
	types    []typeSum    // hashes of the types seen so far
	near     [64]typeNear // a cache of types: see typed
	walk     uint32       // counts the walks, from 1
	known    [512]knownOf // with Swarm: a cache of the distortions that the walk has drawn
}

// knownOf is an entry of a cache: a distortion, and the events to which it applies. A world.Glance is
// what a walk reads of a possible event.
type knownOf struct {
	of  uintptr // the type of the event's value, from Glance.Type
	who uint64  // the walk that drew it, with the kind, node and sender of the events
	by  int     // the distortion
}

// typeNear is an entry of a cache: a type, from Glance.Type, and the hash of its name.
type typeNear struct {
	of  uintptr
	sum uint64
}

// A link describes a step that the guide picked as a part of a chain of causes: each event of a chain is caused
// by the one before it.
type link struct {
	chain uint64 // the priority of the step's chain, which also identifies the chain
	gone  bool   // another event that the step caused already continues the chain
}

// typeSum is a type with the hash of its name, which is the same in every process.
type typeSum struct {
	of  reflect.Type
	sum uint64
}

const none = -1

// begin prepares for the next walk, whose events are picked as the Guide of says.
func (g *guiding) begin(of Guide) {
	g.Guide, g.draws = of, draws(of.Key)
	g.start, g.point, g.due, g.changed = none, 0, 0, 0
	g.waited = Waited{}
	g.waits, g.hurries = g.waits[:0], of.Early > 0
	g.walk++
	g.links = g.links[:0]
}

// pick answers question q, which asks for the next event. If the guide does not pick the event
// itself, by draws it by weight.
func (g *guiding) pick(w *world.World, q *choose.Question, by *choose.Walk) int {
	depth := w.Run.Steps()
	if g.start == none {
		g.start = depth
		if len(g.all) != w.Params().Nodes {
			g.all = w.Params().Addrs()
		}
		if g.Manner == Single {
			g.thing = draw(&g.draws, g.all)
		}
		for i := range g.changes {
			g.changes[i] = depth + g.below(max(1, g.Until-depth))
		}
		slices.Sort(g.changes[:g.Changes])
	}
	k := g.fall(w, q, depth)
	if k == none && g.hurries && int(g.Early) <= depth {
		k = g.early(w, q)
		g.hurries = k == none
	}
	first := false
	if k == none && g.Manner == Chain && g.below(8) != 0 { // one event in eight is picked by weight, so that timers happen, too
		k = g.first(w, q, depth)
		first = k != none
	}
	if g.Manner == Single {
		g.settle(w, q)
	}
	if k == none && (g.Manner == Swarm || g.Manner == Single || depth < g.Isolate) {
		k = g.distorted(w, q, depth)
	}
	if k == none {
		if k = by.Answer(q); k < 0 {
			return k
		}
	} else {
		by.Take(q, k)
	}
	if g.Manner == Chain {
		if !first {
			g.possible = append(g.possible[:0], w.Events.Glance(k))
			g.follow(w, &g.possible[0], k, depth)
		} else {
			g.follow(w, &g.possible[k], k, depth)
		}
	}
	return k
}

// fault picks one of the possible faults that concern the node, or one of all faults if node is zero. It first
// picks the kind of fault, with equal chances, and then a fault of that kind: otherwise partitions would be
// much more likely than crashes, since there are many more of them.
func (g *guiding) fault(w *world.World, q *choose.Question, node sim.Addr) int {
	var counts [64]int
	kinds := 0
	g.faults(w, q, node, func(_ int, k sim.Kind) bool {
		if counts[k]++; counts[k] == 1 {
			kinds++
		}
		return true
	})
	if kinds == 0 {
		return none
	}
	of := g.below(kinds)
	kind := 0
	for ; counts[kind] == 0 || of > 0; kind++ {
		if counts[kind] > 0 {
			of--
		}
	}
	where, at := g.below(counts[kind]), none
	g.faults(w, q, node, func(i int, k sim.Kind) bool {
		if int(k) == kind {
			at = i
			where--
		}
		return where >= 0
	})
	return at
}

// faults yields the possible faults that concern the node and whose kind may occur in this walk: the number of
// the alternative in q, and the kind.
func (g *guiding) faults(w *world.World, q *choose.Question, node sim.Addr, yield func(int, sim.Kind) bool) {
	at := 0
	for _, r := range q.Runs {
		if r.Weight == 0 {
			for i := range r.N {
				if e := w.Events.Look(at + i); e.Kind.Fault() && g.Kinds>>e.Kind&1 != 0 && touches(e, node) && !yield(at+i, e.Kind) {
					return
				}
			}
		}
		at += r.N
	}
}

// distorted picks an event by weights that were distorted for this walk. It returns none if only rare events
// are possible.
func (g *guiding) distorted(w *world.World, q *choose.Question, depth int) int {
	const unit, most = 1 << 20, 1 << 36 // the sum of 2^15 weights, each multiplied by 2^12, fits into 64 bits
	if q.N > len(g.weights) {
		g.weights = make([]uint64, 2*q.N)
	}
	g.possible = w.Events.Glances(g.possible, true)
	at, sum := 0, uint64(0)
	for _, r := range q.Runs {
		base, end := uint64(0), min(at+r.N, len(g.possible))
		if r.Weight > 0 {
			base = min(uint64(r.Weight*unit), most) + 1
		}
		for ; at < end; at++ {
			weight := base
			if base > 0 {
				if by := g.distortion(w, &g.possible[at], at, depth); by >= 0 {
					weight <<= by
				} else {
					weight = max(1, weight>>-by)
				}
			}
			sum += weight
			g.weights[at] = weight
		}
	}
	if sum == 0 {
		return none
	}
	x, _ := bits.Mul64(g.next(), sum)
	k := 0
	for ; x >= g.weights[k]; k++ {
		x -= g.weights[k]
	}
	return k
}

// distortion returns an exponent for e, the possible event number k: the weight of e is multiplied by 2 to the
// power of it. Before the depth Guide.Isolate, the ends of partitions and pauses have a small exponent. In a walk
// of the manner Single, the events that the walk makes rarer (its thing) have a smaller exponent than others. In a
// walk of the manner Swarm, the exponent is the sum of numbers that were drawn once for the walk: for the event's
// kind, type and node; for its link; for the speed of the node; and for timers of its type, some of which are rare
// in the walk.
func (g *guiding) distortion(w *world.World, e *world.Glance, k, depth int) (by int) {
	if depth < g.Isolate && parted(e.Kind) {
		by = -12
	}
	switch g.Manner {
	case Single:
		if g.has(w, e, k) {
			by -= rarer
		}
	case Swarm:
		who := uint64(g.walk)<<24 | uint64(e.Kind)<<16 | uint64(e.Node)<<8 | uint64(e.From)
		last := &g.known[(who*golden+uint64(e.Type)*mixer)>>55]
		if last.of != e.Type || last.who != who {
			*last = knownOf{e.Type, who, g.drawn(e, g.typed(w, e, k))}
		}
		by += last.by
	}
	return by
}

// drawn returns the exponent that was drawn for the kind and type of event e, its node and its link. of is the hash
// of the name of the type.
func (g *guiding) drawn(e *world.Glance, of uint64) (by int) {
	const each = 4
	drawn := func(of uint64, n int) int { return int(mix(g.Key^of) >> 32 % uint64(n)) }
	node, from := uint64(e.Node), uint64(e.From)
	by += drawn(of+uint64(e.Kind)<<8+node*golden, 2*each+1) - each
	if from != 0 && node != 0 {
		by += drawn(1<<63|from<<32|node, 2*each+1) - each
	}
	if g.Key&1 == 0 { // in half of the walks
		by -= drawn(1<<62|node, each)
	}
	if e.Kind == sim.KindTimer && drawn(1<<61^of, 4) == 0 {
		by -= 2 * each
	}
	return by
}

// parted reports whether events of kind k end a partition or a pause.
func parted(k sim.Kind) bool { return k == sim.KindMend || k == sim.KindResume }

// typed returns the hash of the type of the value of e, which is the possible event number k, or 0
// if the event has no value.
func (g *guiding) typed(w *world.World, e *world.Glance, k int) uint64 {
	if e.Type == 0 {
		return 0
	}
	last := &g.near[uint64(e.Type)*golden>>58]
	if last.of != e.Type {
		*last = typeNear{e.Type, g.named(w.Events.Look(k))}
	}
	return last.sum
}

// named returns the hash of the name of the type of e's value, or 0 if the event has no value.
func (g *guiding) named(e *sim.Event) uint64 {
	t := reflect.TypeOf(e.Value)
	if q, is := e.Value.(sim.Quorum); is {
		t = reflect.TypeOf(q[0].Message)
	}
	if t == nil {
		return 0
	}
	for _, of := range g.types {
		if of.of == t {
			return of.sum
		}
	}
	h := fnv.New64a()
	h.Write([]byte(t.String()))
	g.types = append(g.types, typeSum{t, mix(h.Sum64())})
	return g.types[len(g.types)-1].sum
}

// first picks the event whose chain of causes has the highest priority. The priority of a chain is drawn at
// random when the chain begins. Timers wait until no other event is possible; then first returns none.
func (g *guiding) first(w *world.World, q *choose.Question, depth int) int {
	g.possible = w.Events.Glances(g.possible, false)
	k, chain := g.highest(w, q, depth)
	for k != none && g.changed < g.Changes && g.changes[g.changed] <= depth {
		g.last[g.changed] = chain
		g.changed++
		k, chain = g.highest(w, q, depth)
	}
	return k
}

func (g *guiding) highest(w *world.World, q *choose.Question, depth int) (k int, chain uint64) {
	k = none
	at, best := 0, uint64(0)
	for _, r := range q.Runs {
		end := min(at+r.N, len(g.possible))
		if r.Weight == 0 {
			at = end
		}
		for ; at < end; at++ {
			e := &g.possible[at]
			if depth < g.Isolate && parted(e.Kind) {
				continue
			}
			of := g.chain(w, e, at, depth)
			if p := g.priority(of); k == none || p > best {
				k, chain, best = at, of, p
			}
		}
	}
	return k, chain
}

// priority returns the present priority of a chain, which is lower if the guide has demoted the chain.
func (g *guiding) priority(chain uint64) uint64 {
	for i := range g.changed {
		if g.last[i] == chain {
			return uint64(len(g.last) - 1 - i)
		}
	}
	return chain
}

// chain returns the chain to which e, the possible event number k, belongs. That is the chain of the step that
// caused e or, if another event with the same cause has continued that chain already, a new one.
func (g *guiding) chain(w *world.World, e *world.Glance, k, depth int) uint64 {
	if l := g.link(int(e.Cause)); l != nil && !l.gone {
		return l.chain
	}
	of := g.typed(w, e, k) + uint64(e.Kind)<<8 + uint64(e.Node)*golden + uint64(e.From)<<48 + uint64(e.Link)<<56
	of = mix(g.Key^of) + uint64(int(e.Cause)+1)*golden
	if e.Kind == sim.KindAction || e.Link == sim.LinkSet { // the event stays possible after it has happened, and each time begins another chain
		of += mix(uint64(depth) + golden)
	}
	return mix(of)
}

// link returns the link of the step with this number, or nil if the guide did not pick the step.
func (g *guiding) link(step int) *link {
	if i := step - 1 - g.start; i >= 0 && i < len(g.links) {
		return &g.links[i]
	}
	return nil
}

// follow records that e, the possible event number k, was picked, and to which chain it belongs.
func (g *guiding) follow(w *world.World, e *world.Glance, k, depth int) {
	chain := g.chain(w, e, k, depth)
	if l := g.link(int(e.Cause)); l != nil {
		l.gone = true
	}
	for len(g.links) < depth-g.start { // steps that are no events, such as healing, cause nothing
		g.links = append(g.links, link{gone: true})
	}
	g.links = append(g.links, link{chain: chain})
}
