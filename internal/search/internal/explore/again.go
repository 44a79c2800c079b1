package explore

import (
	"macemc/internal/search/internal/run"
	"macemc/internal/world"
)

// Again returns an explorer that begins anew with the start states of x, in a ledger of its own.
// While x explored, its reduction only observed steps; the new explorer leaves out steps by it. The
// new explorer shares the world, the bank and the memo's results with x, so x must not be used
// before TakesBack.
func (x *Explorer) Again() (*Explorer, error) {
	l, err := x.Owner.NewLedger(len(x.From), nil)
	if err != nil {
		return nil, err
	}
	t, r := x.anew(l), x.Reduction.goes()
	y := &Explorer{Taker: t, Stepper: InWorld{Taker: t}, Inside: true, judged: x.judged, pairs: x.pairs, sides: x.sides}
	t.Visits(y)
	x.reduces(nil)
	y.reduces(r)
	if of := x.Memo(); of != nil {
		m := NewMemo(t)
		m.LearnFrom(of)
		m.reduces(r)
		y.Stepper = m
	}
	for s := range x.Each {
		if x.Origin(s).Parent == NoParent {
			y.repeats(x, s)
		}
	}
	return y, nil
}

// anew returns a taker that shares the world of t, and keeps its states in ledger l.
func (t *Taker) anew(l *Ledger) *Taker {
	o := &Taker{
		Owner: t.Owner, World: t.World, Climate: t.Climate, Bank: t.Bank, Lists: t.Lists, Begin: t.Begin, Entry: l.Entry(),
		From: make(world.Vector, len(t.From)), To: make(world.Vector, len(t.To)),
	}
	o.Step = answerer{Pulse: &t.Owner.Pulse, of: o, Halt: t.Owner.Halt}
	return o
}

// repeats copies start state s of another explorer, and the verdict about it, to the states of x.
func (x *Explorer) repeats(other *Explorer, s uint32) {
	other.Get(s, x.To)
	x.Pack(x.To)
	x.Add(x.Sum(x.To), other.Origin(s))
	x.Told()
	if other.Live(s) {
		x.Block(x.Next - 1).Live.Set(x.Next - 1)
	}
	if other.Outside(s) {
		x.leave(x.Next - 1)
	}
}

// TakesBack ends the use of y, which x.Again has returned. From then on, x can be used again.
func (x *Explorer) TakesBack(y *Explorer) {
	if m := x.Memo(); m != nil {
		m.takesBack(y.Memo())
	}
}

// goes makes the reduction r leave out steps from now on, and returns r. Before, it only observed
// steps.
func (r *Reduction) goes() *Reduction {
	r.Waits, r.tried = false, true
	clear(r.whys)
	return r
}

// Untested makes the explorer skip the test that different runs to the same state go on in the same way.
func (x *Explorer) Untested() { x.pairs = run.NoShare() }
