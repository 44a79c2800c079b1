package history

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"macemc/sim"
)

// called is the fact that a node begins an operation, and returned the fact that an
// operation has ended.
type (
	called struct {
		Object string
		ID     any
		Input  any
	}
	returned struct {
		Object string
		ID     any
		Output any
	}
)

// Call records that the node begins an operation on an object. The id distinguishes its pending
// operations on that object; it is any comparable value. If an operation is begun again before it
// has returned, for example after a restart, that is a new operation, and the old one never
// returns. Call it before sending any message of the operation: while a node stores data it may
// crash, and then a message that it has already sent would belong to no call.
func Call(env sim.Env, object string, id, input any) {
	mustCompare("id", id)
	env.Emit(called{object, id, input})
}

// Return records that an operation of the node has ended, and what it returned.
func Return(env sim.Env, object string, id, output any) {
	mustCompare("output", output)
	env.Emit(returned{object, id, output})
}

func mustCompare(what string, v any) {
	if v != nil && !reflect.ValueOf(v).Comparable() {
		panic(fmt.Sprintf("macemc: history: the %s of an operation is a %T, which cannot be compared; use a value without slices, maps and funcs", what, v))
	}
}

// Linearizable returns the property that the calls and returns of every object, or of the
// objects with the given names, are linearizable. All of them have the same model.
func Linearizable(name string, m Model, of ...string) sim.Property {
	m.of = of
	return sim.Monitor(name, func(all *objects, at sim.Addr, fact any) error { return all.observe(m, at, fact) }).
		Pictured("history.html", func(facts []sim.Emitted) ([]byte, error) { return picture(m, facts) })
}

// about reports whether a fact is a call or a return on an object that the model describes.
func (m Model) about(fact any) bool {
	switch fact := fact.(type) {
	case called:
		return len(m.of) == 0 || slices.Contains(m.of, fact.Object)
	case returned:
		return len(m.of) == 0 || slices.Contains(m.of, fact.Object)
	default:
		return false
	}
}

// objects is the memory of the property's monitor: the possibilities of each object.
type objects struct{ of map[object]*possible }

// object identifies an object that a model describes, or one part of an object whose parts are checked separately.
type object struct {
	name string
	part any
}

// caller identifies a pending operation of an object.
type caller struct {
	at sim.Addr
	id any
}

// abandoned is the id of an operation that never returns. id is the operation's own id; number
// distinguishes several such operations with the same one.
type abandoned struct {
	id     any
	number int
}

// possible holds all possibilities of one object, and its pending operations.
type possible struct {
	pending []operation // the pending operations, ordered by caller; those of a caller in the order of their calls
	worlds  map[possibility]struct{}
}

type operation struct {
	caller
	input any
}

// possibility is one state in which the object may be, together with the effects of those pending
// operations that have brought it there. It is comparable, so equal possibilities are kept once.
type possibility struct {
	state  any
	effect any // the list of effects of pending operations, or nil
}

// effect says that a pending operation has taken effect, and will return output. rest leads to the
// next effect: the effects form a list in the order of pending.
type effect struct {
	caller
	output any
	rest   any // the rest of the list: an effect, or nil
}

func (o *objects) Init() { o.of = map[object]*possible{} }

func (o *objects) observe(m Model, at sim.Addr, fact any) error {
	if !m.about(fact) {
		return nil
	}
	switch fact := fact.(type) {
	case called:
		key := object{name: fact.Object}
		if m.part != nil {
			key.part = m.part(fact.Input)
		}
		p := o.of[key]
		if p == nil {
			p = &possible{worlds: map[possibility]struct{}{{state: m.init}: {}}}
			o.of[key] = p
		}
		for other, p := range o.of { // an id is unique for the object as a whole
			if other.name == fact.Object {
				p.abandon(caller{at, fact.ID})
			}
		}
		p.add(operation{caller{at, fact.ID}, fact.Input})
	case returned:
		who := caller{at, fact.ID}
		for key, p := range o.of {
			if i := p.index(who); key.name == fact.Object && i >= 0 {
				return p.returns(m, key, i, fact.Output)
			}
		}
		return fmt.Errorf("%s returns %s from an operation %v on %s that it has not called", at, word(fact.Output), fact.ID, fact.Object)
	}
	return nil
}

func (p *possible) index(who caller) int {
	return slices.IndexFunc(p.pending, func(o operation) bool { return o.caller == who })
}

// add makes an operation pending.
func (p *possible) add(o operation) {
	i := 0
	for i < len(p.pending) && !o.at.Less(p.pending[i].at) {
		i++
	}
	p.pending = slices.Insert(p.pending, i, o)
}

// abandon is called when a caller's pending operation can no longer return. It gives this operation
// an id that no operation uses, so that the caller may use the old id again.
func (p *possible) abandon(who caller) {
	i := p.index(who)
	if i < 0 {
		return
	}
	other := who
	for n := 1; other == who || p.index(other) >= 0; n++ {
		other.id = abandoned{who.id, n}
	}
	p.pending[i].caller = other
	worlds := map[possibility]struct{}{}
	for w := range p.worlds {
		worlds[possibility{w.state, renamed(w.effect, who, other)}] = struct{}{}
	}
	p.worlds = worlds
}

func renamed(list any, who, to caller) any {
	e, some := list.(effect)
	if !some {
		return nil
	}
	if e.caller == who {
		e.caller = to
	}
	e.rest = renamed(e.rest, who, to)
	return e
}

// returns removes the possibilities that contradict output, which the i-th pending
// operation has returned. It returns an error if none is left.
func (p *possible) returns(m Model, key object, i int, output any) error {
	s := sieve{m, p.pending, p.pending[i].caller, output, map[possibility]struct{}{}, map[possibility]struct{}{}}
	for w := range p.worlds {
		s.try(w)
	}
	if len(s.left) == 0 {
		return fmt.Errorf("%s returns %s from %s on %s: no order of the operations so far explains it; the object may have held %s",
			s.who.at, word(output), word(p.pending[i].input), key.words(m), p.states())
	}
	p.pending = slices.Delete(slices.Clone(p.pending), i, i+1)
	p.worlds = s.left
	return nil
}

func (o object) words(m Model) string {
	text := "the " + m.name
	if o.name != m.name {
		text += " " + o.name
	}
	if o.part != nil {
		text += fmt.Sprint(" at ", word(o.part))
	}
	return text
}

// states returns, as text, the states in which the object may have been.
func (p *possible) states() string {
	words := map[string]bool{}
	for w := range p.worlds {
		words[word(w.state)] = true
	}
	list := slices.SortedFunc(maps.Keys(words), cmp.Compare[string])
	const most = 5
	text := ""
	for k, w := range list {
		if k == most {
			return fmt.Sprintf("%s and %d more", text, len(list)-most)
		}
		if k > 0 {
			text += ", "
		}
		text += w
	}
	return text
}

// sieve is one search for the possibilities that remain when the operation of who has returned
// output. Before it returned, any of the pending operations may have taken effect.
type sieve struct {
	m       Model
	pending []operation
	who     caller
	output  any
	left    map[possibility]struct{}
	known   map[possibility]struct{}
}

func (s *sieve) try(w possibility) {
	if _, again := s.known[w]; again {
		return
	}
	s.known[w] = struct{}{}
	if output, took := find(w.effect, s.who); took {
		if output == s.output {
			w.effect = without(w.effect, s.who)
			s.left[w] = struct{}{}
		}
		return
	}
	for k, o := range s.pending {
		if _, took := find(w.effect, o.caller); took {
			continue
		}
		if next, output, can := s.m.apply(w.state, o.input); can {
			s.try(possibility{next, s.with(w.effect, k, output)})
		}
	}
}

// with returns a copy of a list of effects with one more: that pending operation k took effect and
// will return output. The list stays in the order of pending.
func (s *sieve) with(list any, k int, output any) any {
	e, some := list.(effect)
	if !some || slices.IndexFunc(s.pending, func(o operation) bool { return o.caller == e.caller }) > k {
		return effect{s.pending[k].caller, output, list}
	}
	e.rest = s.with(e.rest, k, output)
	return e
}

func find(list any, who caller) (output any, took bool) {
	for e, some := list.(effect); some; e, some = e.rest.(effect) {
		if e.caller == who {
			return e.output, true
		}
	}
	return nil, false
}

func without(list any, who caller) any {
	e, some := list.(effect)
	if !some {
		return nil
	}
	if e.caller == who {
		return e.rest
	}
	e.rest = without(e.rest, who)
	return e
}

// word writes a value for people.
func word(v any) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case queued:
		text := word(v.first)
		if v.rest != nil {
			text += " " + word(v.rest)
		}
		return text
	case Read, Dequeue:
		return reflect.TypeOf(v).Name()
	case Write:
		return "Write " + word(v.Value)
	case Put:
		return "Put " + word(v.Key) + " " + word(v.Value)
	case Get:
		return "Get " + word(v.Key)
	case Delete:
		return "Delete " + word(v.Key)
	case Enqueue:
		return "Enqueue " + word(v.Value)
	case Acquire:
		return "Acquire by " + word(v.By)
	case TryAcquire:
		return "TryAcquire by " + word(v.By)
	case Release:
		return "Release by " + word(v.By)
	default:
		return fmt.Sprintf("%+v", v)
	}
}
