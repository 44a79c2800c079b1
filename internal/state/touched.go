package state

import "iter"

// Why is a set of reasons for which a step touched a part.
type Why uint8

// The reasons. All but Wrote are reasons for reading.
const (
	Ran     Why = 1 << iota // the part is the node whose handler ran
	Took                    // the event took a message out of the part
	Sent                    // the step added a message at its end, or to its set
	Room                    // the step asked whether there was room for a message
	Asked                   // the result depends on the part in another way, such as on a budget, a flag or a monitor
	Enabled                 // the event was possible because of the part, but its effects do not depend on it
	Wrote                   // the step changed the part, or may have
)

// Reads are all reasons for reading.
const Reads = Ran | Took | Sent | Room | Asked | Enabled

// Touched has the parts that one step read and wrote, by place, with the reasons. Two facts follow
// from it.
//
// The result of a step is a function of its footprint: the parts that it touched for another
// reason than Enabled. If the event is possible in another state in which these parts are the
// same, the step does the same there, with the same answers to its coins.
//
// Two steps that are possible in a state are independent if neither wrote a part that the
// other touched: each is still possible after the other, and both orders lead to the same
// state. This follows from the places alone. The reasons allow more:
//
//   - Two steps that only Sent to the same set or bag leave the same part in either order.
//   - A step that only Sent to a channel, and one that only Took from it, commute, since the
//     channel held the message that was taken before either step. If the first asked for
//     Room, this holds while there is room for its messages without the step that Took.
//
// A message that is sent to a node may make an event possible that was not: Touched is about
// the events that are possible. A step of the environment that changes the parts which made it
// possible, such as the end of a partition, counts as writing them.
//
// Steps are recorded from the call of Watch on.
type Touched struct {
	on   bool
	why  []Why   // the reasons for which each place was touched; 0 means that it was not
	list []int32 // the places that were touched, each once
	sent []Send
}

// Send is a message that a step sent: the link, as in package sim, and the place that it was
// added to. If there was no room, Lost is true.
type Send struct {
	Link  uint8
	Lost  bool
	Place int32
}

// watch makes t record steps of a system with this number of places.
func (t *Touched) watch(places int) {
	*t = Touched{on: true, why: make([]Why, places), list: make([]int32, 0, places)}
}

// On reports whether steps are recorded.
func (t *Touched) On() bool { return t.on }

// Begin clears the record for the next step.
func (t *Touched) Begin() {
	for _, p := range t.list {
		t.why[p] = 0
	}
	t.list, t.sent = t.list[:0], t.sent[:0]
}

// Add records that the step touched a place.
func (t *Touched) Add(place int, why Why) {
	if t.on {
		t.add(place, why)
	}
}

func (t *Touched) add(place int, why Why) {
	if t.why[place] == 0 {
		t.list = append(t.list, int32(place))
	}
	t.why[place] |= why
}

// Send records that the step sent a message.
func (t *Touched) Send(s Send, why Why) {
	if t.on {
		t.sent = append(t.sent, s)
		t.Add(int(s.Place), why)
	}
}

// Why returns the reasons for which the step touched a place, or 0 if it did not.
func (t *Touched) Why(place int) Why { return t.why[place] }

// Read returns the places that the step read, with the reasons, in the order in which it
// first touched them.
func (t *Touched) Read() iter.Seq2[int, Why] { return t.each(Reads) }

// Written returns the places that the step wrote, with all reasons.
func (t *Touched) Written() iter.Seq2[int, Why] { return t.each(Wrote) }

// Footprint returns the places that determine the result of the step, which are those that
// it touched for another reason than Enabled.
func (t *Touched) Footprint() iter.Seq2[int, Why] { return t.each(^Enabled) }

func (t *Touched) each(of Why) iter.Seq2[int, Why] {
	return func(yield func(int, Why) bool) {
		for _, p := range t.list {
			if why := t.why[p]; why&of != 0 && !yield(int(p), why) {
				return
			}
		}
	}
}

// Sent returns the messages that the step sent, in order.
func (t *Touched) Sent() []Send { return t.sent }

// Independent reports whether neither of two steps wrote a part that the other touched.
func Independent(a, b *Touched) bool { return !a.disturbs(b) && !b.disturbs(a) }

// disturbs reports whether step t wrote a part that step o touched.
func (t *Touched) disturbs(o *Touched) bool {
	for _, p := range t.list {
		if t.why[p]&Wrote != 0 && o.why[p] != 0 {
			return true
		}
	}
	return false
}

// Clone returns a copy that later steps do not change.
func (t *Touched) Clone() *Touched {
	return &Touched{
		on: t.on, why: append([]Why(nil), t.why...),
		list: append([]int32(nil), t.list...), sent: append([]Send(nil), t.sent...),
	}
}
