package stubborn

import "math/bits"

// Class is the number of a kind of event at one node, from 0.
type Class = int

// Set is a set of small numbers.
type Set []uint64

// Has reports whether k is in the set.
func (s Set) Has(k int) bool { return k/64 < len(s) && s[k/64]&(1<<(k%64)) != 0 }

// Add adds k, and reports whether it was not there.
func (s *Set) Add(k int) bool {
	for len(*s) <= k/64 {
		*s = append(*s, 0)
	}
	was := (*s)[k/64]&(1<<(k%64)) != 0
	(*s)[k/64] |= 1 << (k % 64)
	return !was
}

// Include adds all of o.
func (s *Set) Include(o Set) {
	for len(*s) < len(o) {
		*s = append(*s, 0)
	}
	for w, word := range o {
		(*s)[w] |= word
	}
}

// Meets reports whether the sets have something in common.
func (s Set) Meets(o Set) bool {
	for w := range min(len(s), len(o)) {
		if s[w]&o[w] != 0 {
			return true
		}
	}
	return false
}

// Each yields the numbers in ascending order.
func (s Set) Each(yield func(k int) bool) {
	for w, word := range s {
		for ; word != 0; word &= word - 1 {
			if !yield(64*w + bits.TrailingZeros64(word)) {
				return
			}
		}
	}
}

// Nodes is a set of nodes.
type Nodes uint64

// NodesMost is how many nodes a system may have.
const NodesMost = 64

// One returns the set of one node; All, that of the first n.
func One(i int) Nodes { return 1 << i }
func All(n int) Nodes { return 1<<n - 1 } // of 64, too

// Has reports whether node i is in the set.
func (p Nodes) Has(i int) bool { return p&(1<<i) != 0 }

// Len returns the number of nodes.
func (p Nodes) Len() int { return bits.OnesCount64(uint64(p)) }

// Situation is what is pending in a state.
type Situation struct {
	// Pending are the kinds of events that may come of what is pending for each node: signals,
	// and messages, whether they can be delivered now or not.
	Pending []Set
	// Held are the channels in order that are not empty: what is sent behind a message changes
	// nothing that is possible before that message is taken.
	Held Set
}

// Facts are observations of kinds of events.
type Facts struct {
	nodes   int
	classes []class
	joint   []rule
	barred  Set
	visible Set
	version int

	// what follow computes with
	todo []Class
	may  Set
}

// class has the observations of one kind of event.
type class struct {
	node    int
	channel int   // in order, which its message arrives by; -1 if there is none
	brings  []int // the kinds that an event of this kind was seen to bring about, each once
	joint   []int // rules that it is a premise of
}

// rule is an event that takes several messages at once.
type rule struct {
	of     []Class
	brings []Class
}

// NewFacts returns no facts about a system of n nodes.
func NewFacts(n int) *Facts { return &Facts{nodes: n} }

// NewClass numbers one more kind of event, at a node. A message that comes by a channel in
// order, such as a connection, names it; else channel is -1.
func (f *Facts) NewClass(node, channel int) Class {
	f.classes = append(f.classes, class{node: node, channel: channel})
	return len(f.classes) - 1
}

// Version grows with each observation that is new.
func (f *Facts) Version() int { return f.version }

// Brings records that an event, which took what these kinds stand for, made something of another
// kind pending: it sent a message, or set a timer.
func (f *Facts) Brings(of []Class, what Class) {
	list := f.of(of)
	for _, known := range *list {
		if known == what {
			return
		}
	}
	*list = append(*list, what)
	f.version++
}

// of returns what an event was seen to bring about.
func (f *Facts) of(of []Class) *[]Class {
	if len(of) == 1 {
		return &f.classes[of[0]].brings
	}
	for _, k := range f.classes[of[0]].joint {
		if same(f.joint[k].of, of) {
			return &f.joint[k].brings
		}
	}
	f.joint = append(f.joint, rule{of: append([]Class(nil), of...)})
	for _, c := range of {
		f.classes[c].concerns(len(f.joint) - 1)
	}
	return &f.joint[len(f.joint)-1].brings
}

func (c *class) concerns(rule int) { c.joint = append(c.joint, rule) }

func same(a, b []Class) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// Bar records that an event touched what no set may leave to others. See records that it was
// visible.
func (f *Facts) Bar(of []Class) { f.mark(&f.barred, of) }
func (f *Facts) See(of []Class) { f.mark(&f.visible, of) }

func (f *Facts) mark(in *Set, of []Class) {
	for _, c := range of {
		if in.Add(c) {
			f.version++
		}
	}
}

// Least returns the smallest set of nodes around one that suffices in a situation, or false if
// there is none but that of all nodes.
func (f *Facts) Least(s *Situation, seed int) (p Nodes, is bool) {
	for p = One(seed); p != All(f.nodes); {
		intruder, ends := f.follow(s, p)
		switch {
		case ends:
			return 0, false
		case intruder < 0:
			return p, f.quiet(s, p)
		}
		p |= One(intruder)
	}
	return 0, false
}

// Suffices reports whether a set of nodes suffices in a situation.
func (f *Facts) Suffices(s *Situation, p Nodes) bool {
	intruder, ends := f.follow(s, p)
	return intruder < 0 && !ends && f.quiet(s, p)
}

// quiet reports whether nothing that is pending for nodes is barred or visible.
func (f *Facts) quiet(s *Situation, p Nodes) bool {
	for i, pending := range s.Pending {
		if p.Has(i) && (pending.Meets(f.barred) || pending.Meets(f.visible)) {
			return false
		}
	}
	return true
}

// follow follows what nodes outside of p may do while p takes no step. It returns one of them that
// may send into p, or -1. If it ends, they may do something that is barred.
func (f *Facts) follow(s *Situation, p Nodes) (intruder int, ends bool) {
	f.todo = f.todo[:0]
	clear(f.may)
	for i, pending := range s.Pending {
		if p.Has(i) {
			continue
		}
		for c := range pending.Each {
			f.might(c)
		}
	}
	for len(f.todo) > 0 {
		c := f.todo[len(f.todo)-1]
		f.todo = f.todo[:len(f.todo)-1]
		if f.barred.Has(c) {
			return -1, true
		}
		of := &f.classes[c]
		if f.into(s, p, of.brings) {
			return of.node, false
		}
		for _, k := range of.joint {
			if all := &f.joint[k]; f.all(all.of) && f.into(s, p, all.brings) {
				return of.node, false
			}
		}
	}
	return -1, false
}

// might notes that an event of a kind may happen.
func (f *Facts) might(c Class) {
	if f.may.Add(c) {
		f.todo = append(f.todo, c)
	}
}

func (f *Facts) all(of []Class) bool {
	for _, c := range of {
		if !f.may.Has(c) {
			return false
		}
	}
	return true
}

// into notes that what an event brings about may happen, and reports whether some of it changes
// what is possible at nodes of p.
func (f *Facts) into(s *Situation, p Nodes, brings []Class) bool {
	for _, c := range brings {
		of := &f.classes[c]
		if !p.Has(of.node) {
			f.might(c)
		} else if of.channel < 0 || !s.Held.Has(of.channel) {
			return true
		}
	}
	return false
}
