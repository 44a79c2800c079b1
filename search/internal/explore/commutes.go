package explore

import (
	"fmt"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/search/internal/run"
	"macemc/search/internal/stubborn"
)

// reduceAudit is of how many states that are expanded in part one is audited.
const reduceAudit = 32

// firstAnswers takes one event, and gives the first answer to each coin.
type firstAnswers struct {
	event int
	coins []int
}

func (f *firstAnswers) Answer(q *choose.Question) int {
	if q.Kind == choose.Event {
		return f.event
	}
	f.coins = append(f.coins, 0)
	return 0
}

func (f *firstAnswers) Err() error { return nil }

// audit takes one of the steps that are left out in a state and one of those that are taken, in both
// orders. Both must be possible, and come to the same state.
func (r *Reduction) audit(x *Explorer, s uint32, p stubborn.Nodes) error {
	x.Owner.Pulse.Tick()
	defer x.Owner.Pulse.Pass()
	x.World.State.Load(x.Bank, r.v)
	var in, out []string
	for k := range x.World.Events.Count() {
		if i := x.World.Events.Look(k).Node.Index(); i >= 0 && p.Has(i) {
			in = append(in, x.World.Events.Identity(k))
		} else {
			out = append(out, x.World.Events.Identity(k))
		}
	}
	a, b := in[r.audits/reduceAudit%len(in)], out[r.audits/reduceAudit%len(out)]
	one, way, failed := r.both(x, a, b)
	other, _, also := r.both(x, b, a)
	if failed || also { // a step of the service failed, which its own state will show
		return nil
	}
	r.Stats.Audited++
	if one == other && one != (canon.Hash{}) {
		return nil
	}
	again, _, _ := r.both(x, a, b)
	if again != one {
		of := x.Path(s)
		of.Steps = append(of.Steps, way...)
		x.World.State.Load(x.Bank, r.v)
		return x.strayed(&of, "")
	}
	panic(fmt.Sprintf("macemc bug: search: a reduction leaves %q out where %q is taken, and these do not commute", b, a))
}

// both takes two steps from the state that is chosen for, and returns the identity of the state that
// they lead to, zero if one of them is not possible, and the steps.
func (r *Reduction) both(x *Explorer, first, second string) (h canon.Hash, way []run.Taken, failed bool) {
	w := x.World
	w.State.Load(x.Bank, r.v)
	failure := w.Protect(func() {
		for _, identity := range [2]string{first, second} {
			k := w.Events.Count() - 1
			for k >= 0 && w.Events.Identity(k) != identity {
				k--
			}
			if k < 0 {
				return
			}
			answers := firstAnswers{event: k}
			w.Step(&answers)
			way = append(way, run.Taken{Event: k, Coins: answers.coins})
		}
		h = w.State.Hash()
	})
	return h, way, failure != nil || w.Run.Failed() != nil
}
