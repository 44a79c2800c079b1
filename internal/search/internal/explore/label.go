package explore

import (
	"cmp"
	"slices"

	"macemc/internal/canon"
	"macemc/internal/state"
	"macemc/internal/world"
)

// A normal form is found in the way in which normal forms of graphs are found. Each interchangeable
// node has a colour, which does not depend on names: two nodes have different colours if the parts
// that name them differ in more than names. Colours are refined until none changes. If several
// nodes still have one colour, and swapping two of them changes the state, each of them in turn is
// given a colour of its own. The order of the colours gives the nodes new names. Of the states
// under all names found in this way, the one with the smallest identity is the normal form.
//
// Colours only save work. If two nodes have one colour that could have different ones, or if the
// search ends at leavesMost, states of one class may be kept apart and counted twice, and no state
// is lost.

// leavesMost is the largest number of orders of the nodes that are tried to find the normal form of
// one state.
const leavesMost = 5040

// labelling is the search for the normal form of one state. It gives nodes that differ different
// colours, and then tries the orders of the nodes that agree with the colours.
type labelling struct {
	*Fold
	of     world.Vector
	places []int        // the places of the state that are not empty
	colour []int        // by node; a node that is not interchangeable has its number as its colour
	as     []int        // the renaming that is being tried
	sums   []canon.Hash // by node: the sum of the hashes of the parts that name it
	order  []int        // the interchangeable nodes, by colour
	leaves int          // number of orders tried
	best   canon.Hash   // the smallest identity found
	names  []int        // the renaming that gives this identity
	found  bool
	next   []int // by set: number of its nodes that have got a name
}

// normalize sets f.normal to the normal form of state v, and f.sum to the identity of that form.
// States that differ from v only by the names of interchangeable nodes have the same normal form,
// but for the exceptions at the top of this file.
func (f *Fold) normalize(v world.Vector) {
	if f.label == nil {
		f.label = newLabelling(f)
	}
	l := f.label
	l.begin(v)
	l.refine()
	l.labels()
	f.put(v, l.names)
	f.sum = l.best
}

func newLabelling(f *Fold) *labelling {
	return &labelling{Fold: f, colour: make([]int, f.n), as: make([]int, f.n), names: make([]int, f.n), sums: make([]canon.Hash, f.n)}
}

func (l *labelling) begin(v world.Vector) {
	l.of, l.places, l.leaves, l.found = v, l.places[:0], 0, false
	for p, id := range v {
		if id != 0 {
			l.places = append(l.places, p)
		}
	}
	l.order = l.order[:0]
	for i := range l.n {
		if l.colour[i] = i; l.set[i] >= 0 {
			l.colour[i] = l.n + l.set[i]
			l.order = append(l.order, i)
		}
	}
}

// refine gives nodes different colours if the parts that name them differ. It repeats this until no
// colour changes.
func (l *labelling) refine() {
	for colours := l.rank(); colours < len(l.order); {
		for _, i := range l.order {
			l.sums[i] = canon.Hash{}
		}
		for _, p := range l.places {
			l.weigh(p)
		}
		now := l.rank()
		if now == colours {
			return
		}
		colours = now
	}
}

// weigh adds a hash of the part at a place to the sum of each node that the part or the place
// names. In the hash for a node, that node has a name of its own, and every other node has its
// colour as its name. So two nodes with equal sums play the same role in the part.
func (l *labelling) weigh(place int) {
	from, to := -1, -1
	sort, at := l.at.At(place)
	switch sort {
	case state.Node, state.Set:
		to = at
	case state.TCP, state.UDP:
		from, to = at%l.n, at/l.n
	}
	id := l.of[place]
	part := l.part(place, id)
	sees := func(i int) {
		copy(l.as, l.colour)
		l.as[i] = 3 * l.n // beyond all colours
		h := l.Fold.of(place, id, l.as).Mix(uint64(sort))
		for _, end := range [2]int{from, to} {
			if end >= 0 {
				h = h.Mix(uint64(l.as[end]))
			} else if h = h.Mix(0); to < 0 {
				h = h.Mix(uint64(place))
			}
		}
		l.sums[i] = l.sums[i].Add(h)
	}
	for _, i := range part.among {
		sees(i)
	}
	for _, end := range [2]int{from, to} {
		if end >= 0 && l.set[end] >= 0 && !slices.Contains(part.among, end) && (end != from || from != to) {
			sees(end)
		}
	}
	if from >= 0 && from == to && l.set[to] >= 0 && !slices.Contains(part.among, to) {
		sees(to)
	}
}

// rank sorts the nodes by colour, and within a colour by sum. It gives each distinct pair a new
// colour, in this order, and returns the number of colours.
func (l *labelling) rank() (colours int) {
	slices.SortFunc(l.order, func(a, b int) int {
		return cmp.Or(cmp.Compare(l.colour[a], l.colour[b]), cmp.Compare(l.sums[a].Hi, l.sums[b].Hi), cmp.Compare(l.sums[a].Lo, l.sums[b].Lo), cmp.Compare(a, b))
	})
	was, sum := -1, canon.Hash{}
	for _, i := range l.order {
		if l.colour[i] != was || l.sums[i] != sum {
			colours++
		}
		was, sum = l.colour[i], l.sums[i]
		l.colour[i] = l.n + colours - 1
		l.sums[i] = canon.Hash{}
	}
	return colours
}

// labels tries every order of the nodes that agrees with their colours, at most leavesMost of them.
func (l *labelling) labels() {
	for from := 0; from < len(l.order); {
		to := from + 1
		for to < len(l.order) && l.colour[l.order[to]] == l.colour[l.order[from]] {
			to++
		}
		if apart := l.apart(l.order[from:to]); len(apart) > 1 {
			colour, order := slices.Clone(l.colour), slices.Clone(l.order)
			for _, i := range apart {
				if l.leaves >= leavesMost {
					return
				}
				copy(l.colour, colour)
				copy(l.order, order)
				for _, j := range order { // room for a colour before that of the others
					l.colour[j] = l.n + 2*(colour[j]-l.n) + 1
				}
				l.colour[i]--
				l.refine()
				l.labels()
			}
			return
		}
		from = to
	}
	l.leaf()
}

// apart returns those of the nodes in alike, which have one colour, that must be tried one by one.
// Each of the others can be swapped with one of these without changing the state.
func (l *labelling) apart(alike []int) (apart []int) {
	for _, i := range alike {
		if !slices.ContainsFunc(apart, func(j int) bool { return l.swaps(i, j) }) {
			apart = append(apart, i)
		}
	}
	return apart
}

// swaps reports whether the state stays the same if nodes i and j swap their names.
func (l *labelling) swaps(i, j int) bool {
	copy(l.as, l.same)
	l.as[i], l.as[j] = j, i
	for _, p := range l.places {
		q := world.Renamed(l.at, l.n, p, l.as)
		if l.of[q] == 0 || l.Fold.of(p, l.of[p], l.as) != l.part(q, l.of[q]).plain {
			return false
		}
	}
	return true
}

// leaf computes the identity of the state if the nodes get names in the present order, and keeps
// these names if it is the smallest so far.
func (l *labelling) leaf() {
	l.leaves++
	copy(l.as, l.same)
	l.next = append(l.next[:0], make([]int, len(l.sets))...)
	for _, i := range l.order {
		k := l.set[i]
		l.as[i] = l.sets[k][l.next[k]]
		l.next[k]++
	}
	h := l.total(l.of, l.as)
	if !l.found || h.Hi < l.best.Hi || h.Hi == l.best.Hi && h.Lo < l.best.Lo {
		l.found, l.best = true, h
		copy(l.names, l.as)
	}
}
