package walk

import (
	"macemc/choose"
	"macemc/internal/world"
)

// Hold is a Picker that delays one event for a number of steps, as long as others can happen. Many
// rare failures need one event to wait much longer than its weight lets it: one message, while
// others are sent and delivered and timers fire. Which event waits, from when on and for how long
// depends only on the number of the walk.
type Hold struct {
	begin int    // number of steps before the event is chosen
	left  int    // number of steps that the event still waits
	which uint64 // chooses one of the events that are possible then
	event string // the event's identity, or "" if it is not chosen yet
	runs  []choose.Run
}

// NewHold returns the Hold of walk number i. In every second walk the delayed event is one of those
// that are possible in the first state. It waits for 8 to 64 steps.
func NewHold(i int) *Hold {
	x := (uint64(i) + 1) * 0x9e3779b97f4a7c15
	h := &Hold{left: 8 << (x >> 40 % 4), which: x >> 44}
	if i%2 == 1 {
		h.begin = 1 + int(x>>36%8)
	}
	return h
}

// Pick picks an event by weight, but not the delayed one.
func (h *Hold) Pick(_ *world.World, q *choose.Question, by *choose.Walk) int {
	if h.left > 0 {
		q = h.without(q)
	}
	return by.Answer(q)
}

// without returns question q with the weight of the delayed event set to 0, so that another event is
// picked. It returns q unchanged if no event is delayed, or if no other event can happen.
func (h *Hold) without(q *choose.Question) *choose.Question {
	if h.begin > 0 {
		h.begin--
		return q
	}
	h.left--
	if h.event == "" {
		h.event = h.choose(q)
	}
	for i := range q.N {
		if q.Alternatives.Alternative(i) == h.event {
			return h.rare(q, i)
		}
	}
	return q
}

// choose returns the identity of the event to be delayed. It is one of the possible events whose
// weight is not 0.
func (h *Hold) choose(q *choose.Question) string {
	var common []int
	at := 0
	for _, r := range q.Runs {
		for range r.N {
			if r.Weight > 0 {
				common = append(common, at)
			}
			at++
		}
	}
	if len(common) == 0 {
		return ""
	}
	return q.Alternatives.Alternative(common[h.which%uint64(len(common))])
}

// rare returns question q with the weight of alternative number at set to 0. It returns q unchanged
// if all other alternatives have the weight 0.
func (h *Hold) rare(q *choose.Question, at int) *choose.Question {
	h.runs = h.runs[:0]
	others := false
	add := func(n int, weight float64) {
		if n > 0 {
			h.runs = append(h.runs, choose.Run{N: n, Weight: weight})
			others = others || weight > 0
		}
	}
	for _, r := range q.Runs {
		if at < 0 || at >= r.N {
			add(r.N, r.Weight)
		} else {
			add(at, r.Weight)
			add(1, 0)
			add(r.N-1-at, r.Weight)
		}
		at -= r.N
	}
	if !others {
		return q
	}
	left := *q
	left.Runs = h.runs
	return &left
}
