package world

import (
	"fmt"
	"testing"

	"macemc/choose"
	"macemc/internal/long"
	"macemc/internal/state"
)

// one is a source that takes the event with an identity, and answers all coins alike. It
// takes no event if there is none with that identity.
type one struct {
	w     *World
	event string
	coin  int
}

func (o *one) Answer(q *choose.Question) int {
	if q.Kind == choose.Coin {
		return o.coin % q.N
	}
	for k := range q.N {
		if o.w.timers.text(o.w.Events.At(k)) == o.event {
			return k
		}
	}
	return -1
}

func (o *one) Err() error { return choose.ErrEnd }

// toucher takes steps from kept states, and compares what they touch.
type toucher struct {
	t    *testing.T
	w    *World
	bank *Bank
	seen map[string]int
}

// take takes an event from a state, and returns where it leads and what it touched, or nil if
// the event was not possible or failed.
func (x *toucher) take(from Vector, event string, coin int) (to Vector, touched *state.Touched) {
	x.w.State.Load(x.bank, from)
	f := x.w.Protect(func() {
		if x.w.Step(&one{x.w, event, coin}) != Stepped || x.w.Judge.Check() != nil {
			return
		}
		to = make(Vector, len(from))
		x.w.State.Save(x.bank, to)
		touched = x.w.State.Touched().Clone()
	})
	if f != nil {
		return nil, nil
	}
	return to, touched
}

// events returns the identities of the events that are possible in a state.
func (x *toucher) events(v Vector) (all []string) {
	x.w.State.Load(x.bank, v)
	if f := x.w.Protect(func() {
		for k := range x.w.Events.Count() {
			all = append(all, x.w.timers.text(x.w.Events.At(k)))
		}
	}); f != nil {
		return nil
	}
	return all
}

// commute checks that two steps can be taken in either order and lead to the same state, if neither wrote a
// part that the other touched.
func (x *toucher) commute(v Vector, a, b string, coin int) {
	va, ta := x.take(v, a, coin)
	vb, tb := x.take(v, b, coin)
	if va == nil || vb == nil || !state.Independent(ta, tb) {
		return
	}
	x.seen["independent"]++
	ab, _ := x.take(va, b, coin)
	ba, _ := x.take(vb, a, coin)
	if ab == nil || ba == nil {
		if !x.breaks(va, b, coin) && !x.breaks(vb, a, coin) {
			x.t.Fatalf("%q and %q touch nothing in common, and one is not possible after the other (%v %v)", a, b, ab != nil, ba != nil)
		}
		return
	}
	for p := range ab {
		if ab[p] != ba[p] {
			x.t.Fatalf("%q and %q touch nothing in common, and in place %d their order matters", a, b, p)
		}
	}
}

// breaks reports whether an event is possible and the state after it violates a property. Properties see all
// nodes, so two steps that touch different parts may violate one together.
func (x *toucher) breaks(v Vector, event string, coin int) (failed bool) {
	x.w.State.Load(x.bank, v)
	f := x.w.Protect(func() { failed = x.w.Step(&one{x.w, event, coin}) == Stepped && x.w.Judge.Check() != nil })
	return f != nil || failed
}

// decides checks that the footprint of a step decides its result. It makes a state that has the parts of the
// footprint from v and all others from other; if the event is possible there, it must have the same result.
func (x *toucher) decides(v, other Vector, event string, coin int) {
	to, touched := x.take(v, event, coin)
	if to == nil {
		return
	}
	mixed := append(Vector{}, other...)
	for p := range touched.Footprint() {
		mixed[p] = v[p]
	}
	if !x.possible(mixed, event) {
		return
	}
	again, also := x.take(mixed, event, coin)
	if again == nil {
		return // a property may see what is mixed
	}
	x.seen["decided"]++
	for p := range again {
		why, was := touched.Why(p), mixed[p]
		if why&state.Wrote != 0 {
			was = to[p]
		}
		if again[p] != was {
			x.t.Fatalf("%q does something else in place %d (%s) where its footprint is the same", event, p, fmt.Sprint(also.Why(p), why))
		}
	}
}

func (x *toucher) possible(v Vector, event string) bool {
	for _, e := range x.events(v) {
		if e == event {
			return true
		}
	}
	return false
}

// TestTouched checks that a step records all parts of the state on which it depends and that it changes: two
// steps that touch no common part commute, and a step has the same effect in all states with the same
// footprint.
func TestTouched(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(long.Of(250, 5000)) {
		sys, c := random(seed)
		b := newBanked(t, sys, c, seed)
		b.w.State.Watch()
		x := toucher{t, b.w, b.bank, seen}
		var met []Vector
		b.walk.Restart(2, seed)
		f := b.w.Protect(func() {
			b.w.Start(b.walk)
			for range 12 {
				v := make(Vector, b.bank.Places())
				b.w.State.Save(b.bank, v)
				if met = append(met, v); b.w.Step(b.walk) != Stepped || b.w.Judge.Check() != nil {
					return
				}
				x.noted()
			}
		})
		if unexpected(f) {
			t.Fatalf("seed %d: %+v", seed, f)
		}
		for k, v := range met {
			events := x.events(v)
			for range min(len(events), 4) {
				e, o := events[b.r.IntN(len(events))], events[b.r.IntN(len(events))]
				x.decides(v, met[b.r.IntN(len(met))], e, k)
				if e != o {
					x.commute(v, e, o, k)
				}
			}
		}
	}
	for _, what := range []string{
		"independent", "decided", "ran node", "took tcp", "took udp", "took set", "sent tcp", "sent udp", "sent set",
		"asked budget", "asked cut", "enabled cut", "enabled set", "room tcp", "wrote budget", "wrote cut", "wrote pauses", "wrote monitor", "wrote node", "lost",
	} {
		if seen[what] == 0 {
			t.Errorf("not met: %s", what)
		}
	}
	t.Log(seen)
}

// noted counts, by reason and sort of part, what the last step touched.
func (x *toucher) noted() {
	names := [...]string{state.Node: "node", state.TCP: "tcp", state.UDP: "udp", state.Set: "set", state.Budget: "budget", state.Cut: "cut", state.Pauses: "pauses", state.Monitor: "monitor"}
	count := func(place int, why state.Why) {
		sort, _ := x.w.sums.Places.At(place)
		for k, reason := range [...]string{"ran", "took", "sent", "room", "asked", "enabled", "wrote"} {
			if why&(1<<k) != 0 {
				x.seen[reason+" "+names[sort]]++
			}
		}
	}
	touched := x.w.State.Touched()
	for p, why := range touched.Read() {
		count(p, why)
	}
	for p, why := range touched.Written() {
		count(p, why&state.Wrote)
	}
	for _, s := range touched.Sent() {
		if s.Lost {
			x.seen["lost"]++
		}
	}
}
