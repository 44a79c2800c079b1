package closure

import (
	"macemc/internal/canon"
	"macemc/internal/search/internal/explore"
	"macemc/internal/search/internal/spill"
)

// Deep is a closure of an explorer whose states are on disk. It logs each step as a pair: the
// number of the state before the step, and the identity of the state after it. Sorting the log by
// identity, and merging it with the identities of all states, turns the identities into numbers. A
// state is alive if it is live, or if a pair leads from it to an alive state. The pairs are sorted
// so that the states with the greatest numbers, which are the farthest, come first. They are read
// again until nothing changes; each time, the pairs of states that are already alive are left out.
// So memory holds only a bit for each state.
//
// If faults are possible, the healed states are kept in a ledger (a table of states) of their own.
// Otherwise they are the explorer's states.
type Deep struct {
	*Closure
	x      *explore.Explorer
	own    bool // the healed states have a ledger of their own
	edges  *spill.Sorter
	dead   stateSet // states of the explorer whose healed forms are not alive
	few    bool     // the closure has ended, and no state is dead
	steps  int      // number of pairs read
	logged int      // number of steps logged
}

// tickEvery is the number of pairs after which Deep asks whether to stop.
const tickEvery = 1 << 14

// NewDeep returns a closure of an explorer whose states are on disk.
func NewDeep(r *explore.Owner, x *explore.Explorer) (*Deep, error) {
	g, err := New(r, x)
	if err != nil {
		return nil, err
	}
	_, batch := x.OnDiskBy()
	d := &Deep{Closure: g, x: x, own: x.Climate.Faults, edges: x.Store().Sorter(batch)}
	if d.own {
		g.DeepensLike(x)
	} else {
		if err := g.MovesTo(x.Entry); err != nil { // the explorer's ledger has all healed states
			return nil, err
		}
		r.Limits.Relieves(nil) // nothing is added to that ledger, so no memory can be freed
	}
	g.judged = *x.Judged()
	g.Visits(logging{d})
	return d, nil
}

// Resolve finds out which states of the explorer are dead.
func (d *Deep) Resolve() error {
	if err := d.log(); err != nil {
		return err
	}
	pairs, err := d.pairs()
	if err != nil {
		return err
	}
	if err := d.spreads(pairs); err != nil {
		return err
	}
	return d.buries()
}

// AllAlive reports whether Resolve found that no state is dead.
func (d *Deep) AllAlive() bool { return d.few }

// Dead reports whether the healed form of a state of the explorer reaches no live one.
func (d *Deep) Dead(s uint32) bool { return d.dead.has(s) }

// log takes every step of each healed state that is not live, and writes the step to the log.
func (d *Deep) log() error {
	if !d.own {
		return d.expands(d.Each)
	}
	for s := range d.x.Each {
		if err := d.tick(s); err != nil {
			return err
		}
		if _, err := d.MakeRoom(1); err != nil {
			return err
		}
		if h := d.heal(d.x, s); d.Entry.Add(h, explore.Origin{Parent: explore.NoParent}) {
			d.note(d.Bank.NodesSum(d.To), d.Bank.InFlight(d.To), func() { d.World.State.Load(d.Bank, d.To) })
		}
	}
	for {
		if err := d.Descend(); err != nil {
			return err
		}
		level := d.Level()
		if level.Len() == 0 {
			return nil
		}
		if err := d.expands(func(yield func(uint32) bool) {
			level.Some(0, level.Len(), func(_ int, s uint32) bool { return yield(s) })
		}); err != nil {
			return err
		}
	}
}

// expands takes every step of those of the given states that are not live.
func (d *Deep) expands(states func(yield func(uint32) bool)) (err error) {
	for s := range states {
		if err := d.tick(s); err != nil {
			return err
		}
		if !d.Live(s) && !d.Outside(s) {
			if err := d.Expand(s); err != nil {
				return err
			}
		}
	}
	return d.Settle()
}

// tick returns an error if the search should stop. It asks only now and then; s is the number of
// the state that is being examined.
func (d *Deep) tick(s uint32) error {
	if s%1024 != 0 {
		return nil
	}
	if d.Owner.Progress(int(s)); d.Halted() {
		return explore.ErrHalt
	}
	return nil
}

// logging is the visitor that logs each step of a healed state. If the healed states have a ledger
// of their own, it also adds the state to which the step leads.
type logging struct{ *Deep }

func (d logging) Arrived(from uint32, _ int) error {
	h := d.World.State.Hash()
	if failure := d.World.Run.Failed(); failure != nil {
		return &explore.Wrong{Failure: failure}
	}
	if d.own {
		if _, err := d.MakeRoom(1); err != nil {
			return err
		}
		d.World.State.Save(d.Bank, d.To)
		d.Pack(d.To)
		if d.Entry.Add(h, explore.Origin{Parent: from}) {
			d.note(d.World.State.NodesHash(), d.World.Links.InFlight(), nil)
		}
	}
	return d.edge(from, h)
}

func (d logging) LookUp(m *explore.Memo) error {
	d.Owner.Pulse.Tick()
	if d.own {
		if _, err := d.MakeRoom(len(m.Next)); err != nil {
			return err
		}
		m.Touch()
	}
	for j := range m.Next {
		c := &m.Next[j]
		p := &m.Parents[c.Parent]
		if d.own {
			if m.Write(c); d.Entry.Add(c.Sum, explore.Origin{Parent: p.State}) {
				d.note(m.NodesOf(c), p.Fly+int(c.Fly), d.Bring)
			}
		}
		if err := d.edge(p.State, c.Sum); err != nil {
			return err
		}
	}
	return nil
}

// edge logs one step: from is the number of the state before it, and to is the identity of the
// state after it.
func (d *Deep) edge(from uint32, to canon.Hash) error {
	if d.logged++; d.x.Loses(d.logged) {
		return nil
	}
	return d.edges.Put(spill.Key{Sum: to, Number: from})
}

// pairs converts the logged steps to pairs of the numbers of the two states. The steps from the
// states with the greatest numbers come first.
func (d *Deep) pairs() (*spill.Runs, error) {
	known, batch := d.OnDiskBy()
	pairs := d.Store().Sorter(batch)
	if err := d.edges.Join(known, func(k spill.Key, to uint32) error {
		if d.steps++; d.steps%tickEvery == 0 && d.Halted() {
			return explore.ErrHalt
		}
		return pairs.Put(spill.Key{Sum: canon.Hash{Hi: uint64(^k.Number), Lo: uint64(to)}})
	}); err != nil {
		return nil, err
	}
	if err := d.edges.Close(); err != nil {
		return nil, err
	}
	return pairs.Done()
}

// spreads marks as alive each state from which an alive state can be reached by the steps in pairs.
func (d *Deep) spreads(pairs *spill.Runs) error {
	d.Alive.upTo(d.End())
	for s := range d.Each {
		if d.Live(s) {
			d.Alive.add(s)
		}
	}
	for changed := true; changed; {
		changed = false
		if err := pairs.Keep(func(k spill.Key) (bool, error) {
			if d.steps++; d.steps%tickEvery == 0 && d.Halted() {
				return false, explore.ErrHalt
			}
			from, to := ^uint32(k.Sum.Hi), uint32(k.Sum.Lo)
			if !d.Alive.has(from) && d.Alive.has(to) {
				d.Alive.add(from)
				changed = true
			}
			return !d.Alive.has(from), nil
		}); err != nil {
			return err
		}
	}
	return pairs.Close()
}

// buries records which states of the explorer are dead: those whose healed forms are not alive.
func (d *Deep) buries() error {
	d.dead, d.few = nil, true
	d.dead.upTo(d.x.End())
	dies := func(s uint32) { d.dead.add(s); d.few = false }
	if !d.own {
		for s := range d.x.Each {
			if !d.Alive.has(s) {
				dies(s)
			}
		}
		return nil
	}
	known, batch := d.OnDiskBy()
	var keys []spill.Key
	look := func() error {
		spill.Sort(keys)
		err := known.Known(keys, func(k int, healed uint32) {
			if !d.Alive.has(healed) {
				dies(keys[k].Number)
			}
		})
		keys = keys[:0]
		return err
	}
	for s := range d.x.Each {
		if keys = append(keys, spill.Key{Sum: d.heal(d.x, s), Number: s}); len(keys) == batch {
			if err := look(); err != nil {
				return err
			}
		}
	}
	return look()
}
