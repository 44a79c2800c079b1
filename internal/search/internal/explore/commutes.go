package explore

import (
	"fmt"
	"slices"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/search/internal/run"
	"macemc/internal/search/internal/stubborn"
	"macemc/internal/state"
)

// The reduction is audited in a sample of the states from which only some steps were taken: in one
// of reduceAudit among the first reduceFirst of them, and in one of reduceLater after that.
const (
	reduceAudit = 32
	reduceFirst = 1024
	reduceLater = 256
)

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

// audit checks in state s that the choice p of kinds was sound. It takes two steps in both orders:
// one that was taken, since its kind is in p, and one that was left out. Both orders must be
// possible and lead to the same state.
func (r *Reduction) audit(x *Explorer, s uint32, p stubborn.Set) error {
	x.Owner.Pulse.Tick()
	defer x.Owner.Pulse.Pass()
	x.World.State.Load(x.Bank, r.v)
	var in, out, fault []string
	for k := range x.World.Events.Count() {
		identity := x.World.Events.Identity(k)
		if slices.ContainsFunc(r.possible[k], p.Has) {
			in = append(in, identity)
		} else {
			out = append(out, identity)
		}
		if r.fault[k] {
			fault = append(fault, identity)
		}
	}
	a, b := in[r.audits/reduceAudit%len(in)], out[r.audits/reduceAudit%len(out)]
	if slices.Contains(fault, a) && slices.Contains(fault, b) { // the budget may not be enough for both
		return nil
	}
	one, way, skip := r.both(x, a, b, 0)
	other, _, also := r.both(x, b, a, 1)
	if skip || also { // the explorer finds that failure by itself, when it takes the step
		return nil
	}
	r.Stats.audit()
	if one == other && one != (canon.Hash{}) {
		return nil
	}
	if r.learns(x, a, b) || r.learns(x, b, a) {
		return nil
	}
	again, _, _ := r.both(x, a, b, 0)
	if again != one {
		of := x.Path(s)
		of.Steps = append(of.Steps, way...)
		x.World.State.Load(x.Bank, r.v)
		return x.strayed(&of, "")
	}
	panic(fmt.Sprintf("macemc bug: search: a reduction leaves %q out where %q is taken, and these do not commute", b, a))
}

// learns takes the steps with the identities first and second, one after the other, from the state r.v, and
// observes what they do. It reports whether it observed something new, or a step failed. Something new explains why
// the choice in this state was unsound: it was made before anybody had taken these steps.
func (r *Reduction) learns(x *Explorer, first, second string) bool {
	before, w := r.facts.Version(), x.World
	was := slices.Clone(x.From)
	defer func() { copy(x.From, was) }()
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
			w.State.Save(x.Bank, x.From)
			r.begin(x.Taker, k)
			w.Step(&firstAnswers{event: k})
			r.observe(x.Taker)
		}
	})
	return failure != nil || r.facts.Version() != before
}

// both takes the steps with the identities first and second, one after the other, from the state r.v.
// It returns the identity h of the state that they lead to, and the steps as way. h is zero if one of
// them is not possible. skip is true if a step failed, or if a certain one of them emitted a fact for
// a monitor: the first one if number is 0, and the second one if it is 1.
func (r *Reduction) both(x *Explorer, first, second string, number int) (h canon.Hash, way []run.Taken, skip bool) {
	w := x.World
	w.State.Load(x.Bank, r.v)
	failure := w.Protect(func() {
		for i, identity := range [2]string{first, second} {
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
			for p := r.at.Healed(); p < r.at.Len() && i == number; p++ {
				skip = skip || w.State.Touched().Why(p)&state.Wrote != 0
			}
		}
		h = w.State.Hash()
	})
	return h, way, skip || failure != nil || w.Run.Failed() != nil
}
