package explore

import (
	"macemc/internal/canon"
	"macemc/internal/world"
)

// A step that emits facts changes the memories of monitors. Which facts it emits follows from its node's
// part alone, as its other effects do, and a memory after some facts follows from these facts and the
// memory before. So the memo stores the facts as effects of the step; and for each list of facts and each
// memory it stores the memory after these facts. The handler need not run for each memory, and a step
// without facts commutes with one that emits some.

// tells appends one effect for each monitor to effects: the monitor gets the facts that node i
// emitted in the last step. It returns false if one of the facts cannot be hashed.
func (m *Memo) tells(effects []effect, i int, facts []any) ([]effect, bool) {
	h := canon.Hash{Lo: uint64(i)}
	for _, fact := range facts {
		sum, err := m.x.World.Walker().Sum(fact)
		if err != nil {
			return nil, false
		}
		h = h.Then(sum)
	}
	number := m.common.facts(h)
	for p := m.healed; p < len(m.v); p++ {
		effects = append(effects, effect{place: int32(p), id: number, does: effectTell})
	}
	return effects, true
}

// facts returns the number of a list of facts, from 1. The list is identified by the hash h.
func (l *learnt) facts(h canon.Hash) uint32 {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, known := l.emitted[h]
	if !known {
		if l.emitted == nil {
			l.emitted = map[canon.Hash]uint32{}
		}
		n = uint32(len(l.emitted) + 1)
		l.emitted[h] = n
	}
	return n
}

// heardKey returns the key under which the cache stores the memory of a monitor after it got the
// facts of effect e. The memory before that is the part with number id.
func (c *cache) heardKey(e *effect, id uint32) uint64 {
	monitors := c.places - c.healed
	return (uint64(e.id)*uint64(monitors)+uint64(int(e.place)-c.healed))<<32 | uint64(id)
}

// heard returns the memory of a monitor after it got the facts of effect e, if it is known. The memory
// before that is the part with number id.
func (c *cache) heard(e *effect, id uint32) (made world.Product, known bool) {
	return c.memories.Get(c.heardKey(e, id))
}

// hears makes sure that the cache has the memory of each monitor after the step with footprint o, from the
// state of the position. If the cache lacks one, hears takes the step in the world: event e of node i, number
// k of the state.
func (m *Memo) hears(state uint32, k, i int, e occurrence, o *footprint) error {
	if m.heardAll(o) {
		return nil
	}
	if m.tables.refresh(m.common); m.heardAll(o) {
		return nil
	}
	var differs error
	m.ran(i)
	err := m.taking(state, k, func() {
		coins, _ := m.x.Lists.Number(m.x.Step.coins.Answers())
		was := o.with(coins)
		if was == nil { // too many lists of answers
			return
		}
		if again, effects, function := m.did(i, e); differs == nil && (!function || !was.equals(&again, effects)) {
			differs = m.x.differs(i, false, "does something else", m.unlike(i, was))
		}
		for j := range was.effects {
			if s := &was.effects[j]; s.does == effectTell {
				m.common.hear(m.heardKey(s, m.v[s.place]), m.memory(int(s.place)))
			}
		}
	})
	m.tables.refresh(m.common)
	if err == nil {
		err = differs
	}
	return err
}

// memory returns the memory of the monitor at a place after the step that was just taken from the position.
func (m *Memo) memory(place int) world.Product {
	b := m.x.Bank
	to := m.x.World.State.SavePart(b, place)
	return world.Product{To: to, Delta: b.Sum(place, to).Sub(b.Sum(place, m.v[place]))}
}

// heardAll reports whether all effects of footprint o on the monitors of the position are known.
func (m *Memo) heardAll(o *footprint) bool {
	for j := range o.results {
		for k := range o.results[j].effects {
			if e := &o.results[j].effects[k]; e.does == effectTell {
				if _, known := m.heard(e, m.v[e.place]); !known {
					return false
				}
			}
		}
	}
	return true
}

// hear stores the memory of a monitor after a step under a key, unless another goroutine has
// stored it already.
func (l *learnt) hear(key uint64, made world.Product) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, known := l.memories.Get(key); !known {
		l.memories.Put(key, made)
	}
}

// with returns the result that the step has if its coins get the list of answers with number
// coins, or nil if that result is not known.
func (o *footprint) with(coins uint16) *result {
	for j := range o.results {
		if o.results[j].coins == coins {
			return &o.results[j]
		}
	}
	return nil
}
