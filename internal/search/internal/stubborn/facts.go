package stubborn

import (
	"math/bits"
	"slices"
)

// Class is the number of a class, which is a kind of event at one node. Classes are numbered from 0.
type Class = int

// Set is a set of small numbers, as bits.
type Set []uint64

// Has reports whether k is in the set.
func (s Set) Has(k int) bool { return k/64 < len(s) && s[k/64]&(1<<(k%64)) != 0 }

// Add adds k to the set, and reports whether it was not in the set before.
func (s *Set) Add(k int) bool {
	if len(*s) <= k/64 {
		*s = append(*s, make(Set, k/64+1-len(*s))...)
	}
	was := (*s)[k/64]&(1<<(k%64)) != 0
	(*s)[k/64] |= 1 << (k % 64)
	return !was
}

// Include adds all numbers of o to the set.
func (s *Set) Include(o Set) {
	for len(*s) < len(o) {
		*s = append(*s, 0)
	}
	for w, word := range o {
		(*s)[w] |= word
	}
}

// Meets reports whether s and o have a number in common.
func (s Set) Meets(o Set) bool {
	for w := range min(len(s), len(o)) {
		if s[w]&o[w] != 0 {
			return true
		}
	}
	return false
}

// Common returns how many numbers s and o have in common.
func (s Set) Common(o Set) (n int) {
	for w := range min(len(s), len(o)) {
		n += bits.OnesCount64(s[w] & o[w])
	}
	return n
}

// Len returns the size of the set.
func (s Set) Len() (n int) {
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// Each yields the numbers of the set in ascending order.
func (s Set) Each(yield func(k int) bool) {
	for w, word := range s {
		for ; word != 0; word &= word - 1 {
			if !yield(64*w + bits.TrailingZeros64(word)) {
				return
			}
		}
	}
}

// Situation describes a state by the kinds of events that are pending in it.
type Situation struct {
	// Pending has the classes of the events that are pending, even if their messages cannot be delivered at present.
	Pending Set
	// Heads has, for each channel in order that is not empty, the class of its first message.
	Heads map[int]Class
	// Away has the nodes that have failed, and those that may fail. No connection with a node that has failed has a message, and no
	// datagram is under way to it.
	Away Set
}

// Empty empties the situation, and returns it.
func (s *Situation) Empty() *Situation {
	if s.Heads == nil {
		s.Heads = map[int]Class{}
	}
	clear(s.Heads)
	clear(s.Pending)
	clear(s.Away)
	return s
}

// Fails adds a node to Away: it has failed or may fail.
func (s *Situation) Fails(node int) { s.Away.Add(node) }

// Has adds to the situation the kinds of the events that are pending at a place of the state. If the place is a
// channel in order, head is the kind of its first message; otherwise head is negative.
func (s *Situation) Has(place int, kinds Set, head Class) {
	if s.Pending.Include(kinds); head >= 0 {
		s.Heads[place] = head
	}
}

// Facts holds the observations about kinds of events, from which Least computes sets that suffice.
type Facts struct {
	classes []class
	joint   []rule
	barred  Set
	visible Set
	changes Set // kinds of which an event was seen to change its node
	whole   Set // nodes at which all kinds of events depend on each other
	version int

	reach   []reach // by kind: what may follow from it
	reached int     // the version of the observations from which reach was computed

	// scratch space of follow
	todo   []Class
	may    Set
	origin []Class // by kind: the pending kind that it may follow from
	at     Set     // the nodes that have events of the set that is examined
	writes Set     // those of these nodes that an event of the set changes
	sends  bool    // an event of the set sends on a channel in order
	holds  bool    // a message of the set is the first of its channel
	ended  Class   // see Ended
}

// class holds the observations about the events of one kind.
type class struct {
	node    int
	channel int     // the channel in order by which its message arrives, or -1 if there is none
	brings  []Class // the kinds that an event of this kind was seen to make pending, each once
	joint   []int   // indices of the rules about events that take such a message together with others
	sends   Set     // the channels in order on which an event of this kind was seen to send
}

// reach describes what may follow from an event of one kind if nothing prevents it: all kinds of events that it may
// cause, including its own kind, the nodes of these events, and those nodes that they change.
type reach struct {
	kinds   Set
	nodes   Set
	changes Set
	reached Set  // the nodes to which some of these events bring a message by a channel in order
	barred  bool // one of these kinds is barred
}

// ends reports whether, in situation s, a barred event or a refused message may follow from the kind. A message to a
// node that has failed, by a channel in order, is refused, and the refusal is an event of the sender.
func (r *reach) ends(s *Situation) bool { return r.barred || r.reached.Meets(s.Away) }

// rule describes events that take several messages at once.
type rule struct {
	of     []Class // the kinds of the messages
	brings []Class // the kinds that such an event was seen to make pending
}

// NewClass returns the number of a new kind of event at a node. If its message arrives by a channel
// in order, such as a connection, channel is that one; otherwise it is -1.
func (f *Facts) NewClass(node, channel int) Class {
	f.classes = append(f.classes, class{node: node, channel: channel})
	f.origin = append(f.origin, 0)
	c := len(f.classes) - 1
	f.reach = append(f.reach, reach{})
	f.reach[c].kinds.Add(c)
	f.reached = -1
	return c
}

// Version returns a number that grows with each new observation.
func (f *Facts) Version() int { return f.version }

// Whole records that all events of a node depend on each other. This is so if the node may take
// several messages at once: then one event may take a message that another one would have taken.
func (f *Facts) Whole(node int) {
	if f.whole.Add(node) {
		f.version++
	}
}

// Brings records that an event made another event pending: it sent a message, or set a timer. The first event is
// of the kinds in of, which are several if it takes several messages; the other is of the kind what.
func (f *Facts) Brings(of []Class, what Class) {
	list := f.of(of)
	if slices.Contains(*list, what) {
		return
	}
	*list = append(*list, what)
	if channel := f.classes[what].channel; channel >= 0 {
		for _, c := range of {
			f.classes[c].sendsOn(channel)
		}
	}
	for a := range f.reach {
		if slices.ContainsFunc(of, f.reach[a].kinds.Has) {
			f.reach[a].kinds.Include(f.reach[what].kinds)
		}
	}
	f.version++
}

func (c *class) sendsOn(channel int) { c.sends.Add(channel) }

// of returns the list of kinds that events of the kinds in of were seen to make pending. An event
// has several kinds if it takes several messages at once.
func (f *Facts) of(of []Class) *[]Class {
	if len(of) == 1 {
		return &f.classes[of[0]].brings
	}
	for _, k := range f.classes[of[0]].joint {
		if slices.Equal(f.joint[k].of, of) {
			return &f.joint[k].brings
		}
	}
	f.joint = append(f.joint, rule{of: slices.Clone(of)})
	for _, c := range of {
		f.classes[c].concerns(len(f.joint) - 1)
	}
	return &f.joint[len(f.joint)-1].brings
}

func (c *class) concerns(rule int) { c.joint = append(c.joint, rule) }

// Bar records that events of these kinds are barred. Changes records that they change their node, and See that they
// are visible. The package documentation explains barred and visible.
func (f *Facts) Bar(of []Class)     { f.mark(&f.barred, of, 1) }
func (f *Facts) Changes(of []Class) { f.mark(&f.changes, of, 1) }
func (f *Facts) See(of []Class)     { f.mark(&f.visible, of, 0) }

func (f *Facts) mark(in *Set, of []Class, news int) {
	for _, c := range of {
		if in.Add(c) {
			f.version += news
		}
	}
}

// Visible reports whether an event of one of the given kinds was seen to be visible.
func (f *Facts) Visible(kinds Set) bool { return kinds.Meets(f.visible) }

// Shown returns the first of the given kinds of which an event was seen to be visible, or -1 if there is none.
func (f *Facts) Shown(kinds Set) Class {
	for c := range kinds.Each {
		if f.visible.Has(c) {
			return c
		}
	}
	return -1
}

// Least returns a small set of kinds that suffices in situation s (see the package documentation) and that contains
// the kind seed. It returns false if it finds none.
func (f *Facts) Least(s *Situation, seed Class) (p Set, is bool) {
	f.spread()
	for p.Add(seed); ; {
		more, ends := f.grow(s, &p)
		if ends || !more {
			return p, !ends
		}
	}
}

// Ended returns the kind of event because of which the last call of Least found no set: one that is barred, or
// whose message a failed node refuses. It has no meaning if Least found a set.
func (f *Facts) Ended() Class { return f.ended }

// ends records c as the kind because of which no set is found, and returns true.
func (f *Facts) ends(c Class) bool {
	f.ended = c
	return true
}

// spread recomputes f.reach, which describes what may follow from an event of each kind, if there
// are new observations.
func (f *Facts) spread() {
	if f.reached == f.version {
		return
	}
	f.reached = f.version
	for c := range f.reach {
		r := &f.reach[c]
		clear(r.nodes)
		clear(r.changes)
		clear(r.reached)
		r.barred = r.kinds.Meets(f.barred)
		for k := range r.kinds.Each {
			of := &f.classes[k]
			if of.channel >= 0 {
				r.reached.Add(of.node)
			}
			if r.nodes.Add(of.node); f.changes.Has(k) || f.whole.Has(of.node) {
				r.changes.Add(of.node)
			}
		}
	}
}

// grow adds kinds to p that are needed for p to suffice in situation s. It returns more as true if it has added
// some, and ends as true if no larger set suffices either.
//
// For each pending kind it looks into reach, which holds what may follow from that kind if nothing holds it up. It
// calls follow only where this is not exact: if events of p may hold up what follows, or if several messages may be
// needed.
func (f *Facts) grow(s *Situation, p *Set) (more, ends bool) {
	if f.begin(s, p) {
		return false, true
	}
	for c := range s.Pending.Each {
		if p.Has(c) {
			continue
		}
		r := &f.reach[c]
		sure := r.changes.Meets(f.at) || r.nodes.Meets(f.writes)
		perhaps := !sure && f.sends && r.nodes.Meets(f.at)
		switch {
		case !r.ends(s) && !sure && !perhaps:
		case f.holds || len(f.joint) > 0 || perhaps:
			dependent, ends := f.follow(s, *p)
			more = dependent >= 0 && p.Add(dependent) || more
			return more, ends && !more
		case sure:
			if more = p.Add(c); f.classes[c].channel >= 0 { // an event of c may hold others up
				return true, false
			}
		default: // a barred or refused event may follow; only a larger set that has c may suffice
			ends = f.ends(f.barredOf(s, r, c))
		}
	}
	return more, ends && !more
}

// barredOf returns a kind that may follow from kind c, and that is barred or sends a message that is refused. It
// returns c if there is none. The argument r is the entry of f.reach for c.
func (f *Facts) barredOf(s *Situation, r *reach, c Class) Class {
	for k := range r.kinds.Each {
		if f.barred.Has(k) || f.refused(s, k) {
			return k
		}
	}
	return c
}

// Suffices reports whether the set p of kinds suffices in situation s.
func (f *Facts) Suffices(s *Situation, p Set) bool {
	f.spread()
	p = slices.Clone(p)
	size := p.Len()
	more, ends := f.grow(s, &p)
	return !more && !ends && p.Len() == size
}

// begin prepares the examination of set p. It adds to p the kinds of the messages that come before messages of p in
// their channels. If ends is true, p cannot suffice.
func (f *Facts) begin(s *Situation, p *Set) (ends bool) {
	clear(f.at)
	clear(f.writes)
	f.sends, f.holds = false, false
	for again := len(s.Heads) > 0; again; {
		again = false
		for c := range p.Each {
			if channel := f.classes[c].channel; channel >= 0 {
				head, held := s.Heads[channel]
				f.holds = f.holds || held
				again = held && p.Add(head) || again
			}
		}
	}
	for c := range p.Each {
		if s.Pending.Has(c) && (f.barred.Has(c) || f.refused(s, c)) {
			return f.ends(c)
		}
		if f.at.Add(f.classes[c].node); f.changes.Has(c) {
			f.writes.Add(f.classes[c].node)
		}
		f.sends = f.sends || len(f.classes[c].sends) > 0
	}
	return false
}

// follow computes which events may happen before any event of set p, which begin has prepared. If one of these may
// depend on an event of p, follow returns the pending kind from which it follows, otherwise -1. If ends is true, a
// barred event may happen.
func (f *Facts) follow(s *Situation, p Set) (dependent Class, ends bool) {
	f.todo = f.todo[:0]
	clear(f.may)
	for c := range s.Pending.Each {
		if !p.Has(c) {
			f.might(c, c)
		}
	}
	for len(f.todo) > 0 {
		c := f.todo[len(f.todo)-1]
		f.todo = f.todo[:len(f.todo)-1]
		if f.barred.Has(c) || f.refused(s, c) {
			return -1, f.ends(c)
		}
		if f.depends(c, p) {
			return f.origin[c], false
		}
		f.into(s, p, f.classes[c].brings, c)
		for _, k := range f.classes[c].joint {
			if all := &f.joint[k]; f.all(all.of) {
				f.into(s, p, all.brings, c)
			}
		}
	}
	return -1, false
}

// refused reports whether an event of kind c was seen to send a message, by a channel in order, to a node that has
// failed or may fail.
func (f *Facts) refused(s *Situation, c Class) bool {
	for _, k := range f.classes[c].brings {
		if of := &f.classes[k]; of.channel >= 0 && s.Away.Has(of.node) {
			return true
		}
	}
	for _, k := range f.classes[c].joint {
		for _, k := range f.joint[k].brings {
			if of := &f.classes[k]; of.channel >= 0 && s.Away.Has(of.node) {
				return true
			}
		}
	}
	return false
}

// depends reports whether an event of kind c may depend on an event of the kinds in p. Events of one node are
// independent if neither changes the node, and they do not send on one channel in order.
func (f *Facts) depends(c Class, p Set) bool {
	of := &f.classes[c]
	if !f.at.Has(of.node) {
		return false
	}
	if f.changes.Has(c) || f.writes.Has(of.node) || f.whole.Has(of.node) {
		return true
	}
	for other := range p.Each {
		if o := &f.classes[other]; o.node == of.node && o.sends.Meets(of.sends) {
			return true
		}
	}
	return false
}

// might records that an event of kind c may happen, and that it follows from the pending kind origin.
func (f *Facts) might(c, origin Class) {
	if f.may.Add(c) {
		f.todo, f.origin[c] = append(f.todo, c), origin
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

// into records that events of the kinds in brings may happen, since an event of kind by may happen and make them
// pending. It leaves out messages that come after a message of p in their channel.
func (f *Facts) into(s *Situation, p Set, brings []Class, by Class) {
	for _, c := range brings {
		if head, held := s.Heads[f.classes[c].channel]; !held || !p.Has(head) {
			f.might(c, f.origin[by])
		}
	}
}
