package run

import (
	"fmt"
	"strings"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/observe"
	"macemc/internal/world"
	"macemc/trace"
)

// Lockstep is two worlds of one system that get the same answers. The second one lags one step
// behind the first, so that step properties see the state before and the state after. When it has
// caught up, both worlds must be in the same state and must have done the same. If not, the service
// is not deterministic, since it asked the same questions.
//
// A lean Lockstep is there for step properties only. It does not compare the worlds, and does without
// the second one as long as a Past shows the properties all that they ask for.
type Lockstep struct {
	World   *world.World // audited, if the Lockstep is not lean
	Lag     *world.World // nil if a lean Lockstep did not need it yet
	Steps   *world.Transition
	tape    tape
	failure *trace.Failure

	// The fields from here on are for a lean Lockstep.
	lean  bool
	past  *world.Past
	blind bool // the properties have asked for what past does not keep
	alone bool // in this run, past was enough so far
	seen  int  // then the tape has the whole run; past has seen the steps with this many answers
}

// NewLockstep makes the two worlds, the first with configuration c.
func (r *Runs) NewLockstep(c world.Config) (*Lockstep, error) {
	ahead, err := r.newWorld(c)
	if err != nil {
		return nil, err
	}
	lag, err := r.newWorld(world.Config{})
	if err != nil {
		return nil, err
	}
	return &Lockstep{World: ahead, Lag: lag, Steps: world.StepChecks(lag, ahead, r.Properties)}, nil
}

// tape records the answers of one step, for the lagging world.
type tape struct {
	choose.Source
	picks []choose.Pick
	again choose.Raw // repeats some of them
}

// begin empties the tape, and records the answers of src.
func (t *tape) begin(src choose.Source) { t.Source, t.picks = src, t.picks[:0] }

// repeat returns a source that repeats the answers from number from up to number to.
func (t *tape) repeat(from, to int) *choose.Raw {
	t.again.Restart(t.picks[from:to])
	return &t.again
}

// forget removes the first n answers from the tape.
func (t *tape) forget(n int) { t.picks = append(t.picks[:0], t.picks[n:]...) }

func (t *tape) Answer(q *choose.Question) int {
	k := t.Source.Answer(q)
	if k >= 0 {
		t.picks = append(t.picks, choose.Pick{Of: uint32(q.N), Pick: uint32(k)})
	}
	return k
}

// record begins a run. It returns a source that passes src's answers on, and records them for the
// lagging world.
func (t *Lockstep) record(src choose.Source) choose.Source {
	t.failure, t.seen, t.alone = nil, 0, t.lean && !t.blind
	t.tape.begin(src)
	return &t.tape
}

// follow makes the lagging world take the step that the first world has just taken.
func (t *Lockstep) follow(depth int, healed bool) *trace.Failure {
	if depth > 0 {
		if t.failure = t.Steps.Check(); t.failure != nil {
			return t.failure
		}
	}
	again := t.tape.repeat(0, len(t.tape.picks))
	failed := t.Lag.Protect(func() {
		switch {
		case depth == 0:
			t.Lag.Start(again)
		case healed:
			t.Lag.Heal(again)
		case t.lean && t.follows(again):
		default:
			t.Lag.Step(again)
		}
	})
	t.tape.forget(len(t.tape.picks))
	if t.repeated(failed) != nil || t.lean {
		return t.failure
	}
	if what := t.effects(); what != "" {
		return t.failure
	}
	if t.World.State.Hash() != t.Lag.State.Hash() {
		all := observe.Diff(t.World.Text.Lines(), t.Lag.Text.Lines())
		if len(all) == 0 { // the text is coarser than the hash
			return t.differ("two runs of the step led to different states, which read alike")
		}
		return t.differ("two runs of the step led to different states: " + t.World.Text.Describe(all[0]))
	}
	return nil
}

// repeated returns the failure of the lagging world, which has repeated answers of the first one.
func (t *Lockstep) repeated(failed *trace.Failure) *trace.Failure {
	switch {
	case failed != nil && failed.Verdict == trace.VerdictGoroutine: // the first run's may have ended before it was looked for
		t.failure = failed
		return failed
	case failed != nil:
		return t.differ(fmt.Sprintf("a second run of the step ended in a %s: %s", failed.Verdict, failed.Message))
	case t.Lag.Run.Err() != nil:
		return t.differ("a second run of the step asked for other choices: " + t.Lag.Run.Err().Error())
	case !t.tape.again.Done():
		return t.differ("a second run of the step asked for fewer choices")
	}
	return nil
}

// sees checks the step properties without the lagging world, and keeps the state before the next step. It
// reports false if the lagging world is needed.
func (t *Lockstep) sees(first bool) bool {
	switch {
	case first:
		t.alone = t.past.Begin()
	case !t.past.Holds():
		t.alone = false
	default:
		t.alone = t.past.Follow()
	}
	t.keep()
	return t.alone
}

// keep records the number of answers on the tape that the past has seen.
func (t *Lockstep) keep() {
	if t.alone {
		t.seen = len(t.tape.picks)
	}
}

// lags gives a lean Lockstep its second world. The method blinds makes all later runs use that world.
func (t *Lockstep) lags(w *world.World, steps *world.Transition) { t.Lag, t.Steps = w, steps }
func (t *Lockstep) blinds()                                      { t.blind = true }

// catchUp makes the lagging world begin as the first one did, and take all steps but the last.
func (t *Lockstep) catchUp(begin func(src choose.Source), c Climate) *trace.Failure {
	steps := t.World.Run.Steps()
	again := t.tape.repeat(0, t.seen)
	failed := t.Lag.Protect(func() {
		begin(again)
		for t.Lag.Run.Steps() < steps-1 && c.Step(t.Lag, again) == world.Stepped {
		}
	})
	t.tape.forget(t.seen)
	t.repeated(failed)
	t.blind = t.failure == nil && t.Steps.Check() == nil
	return t.failure
}

// follows makes the lagging world take the event that the first world has taken, if a node handles
// that event, and reports whether it did. The first answer of the step chooses the event.
func (t *Lockstep) follows(again *choose.Raw) bool {
	t.tape.repeat(1, len(t.tape.picks))
	if t.Lag.Follow(t.World, again) {
		return true
	}
	t.tape.repeat(0, len(t.tape.picks))
	return false
}

// effects compares the effects of the two worlds' handlers, in order. It returns the first
// difference, or "".
func (t *Lockstep) effects() string {
	a, b := unlogged(t.World.Run.Effects()), unlogged(t.Lag.Run.Effects())
	for k := range max(len(a), len(b)) {
		if k < min(len(a), len(b)) && t.alike(a[k], b[k]) {
			continue
		}
		left, right := t.effect(a, k, trace.Effect.Text), t.effect(b, k, trace.Effect.Text)
		if left == right {
			continue
		}
		first, second := t.effect(a, k, trace.Effect.Shown), t.effect(b, k, trace.Effect.Shown)
		if first == second { // the String method does not show the difference
			first, second = left, right
		}
		t.differ(fmt.Sprintf("two runs of the handler did different things: %s | %s", first, second))
		return left
	}
	return ""
}

// alike reports whether two effects are the same. It does not make their texts, which takes time.
func (t *Lockstep) alike(a, b trace.Effect) bool {
	left, err := t.World.Walker().Sum(a.Value)
	right, failed := t.World.Walker().Sum(b.Value)
	a.Value, b.Value = nil, nil
	return a == b && left == right && err == nil && failed == nil
}

// effect returns the k-th effect as text, or a text that says that there is none.
func (t *Lockstep) effect(effects []trace.Effect, k int, text func(trace.Effect, func(any) string) string) string {
	if k >= len(effects) {
		return "nothing more"
	}
	return text(effects[k], t.World.Walker().Text)
}

const Hint = "; the handler depends on something that it did not ask Env for: the order of a map, the clock, global randomness, a package variable, an Env that was kept, a callback that came meanwhile, as of time.AfterFunc, or the address that a pointer in a message or a signal holds"

func (t *Lockstep) differ(message string) *trace.Failure {
	t.failure = t.World.Run.Failure(trace.VerdictNondeterminism, message+Hint)
	return t.failure
}

// Outcome returns the outcome of a step: a hash of the state or failure and the effects, and the list of
// the effects.
func Outcome(w *world.World, failure *trace.Failure) (h canon.Hash, did []string) {
	did = Did(w, failure, trace.Effect.Text)
	if failure != nil {
		return canon.OfString(strings.Join(did, "\x00")), did
	}
	return canon.OfString(strings.Join(did, "\x00")).Then(w.State.Hash()), did
}

// Did returns the effects of the last step as texts that the function told makes.
func Did(w *world.World, failure *trace.Failure, told func(trace.Effect, func(any) string) string) (did []string) {
	for _, e := range unlogged(w.Run.Effects()) {
		did = append(did, told(e, w.Walker().Text))
	}
	if failure != nil {
		did = append(did, fmt.Sprintf("%s: %s", failure.Verdict, failure.Message))
	}
	return did
}

// OutcomeAsking returns the outcome as Outcome does, combined with the number of sides of the
// step's coins.
func OutcomeAsking(w *world.World, failure *trace.Failure, a *Asking) canon.Hash {
	h, _ := Outcome(w, failure)
	return h.Then(canon.OfString(fmt.Sprint(a.Sides)))
}

// unlogged returns the effects without logs. A world that is not traced has no logs, and a log may
// contain pointers and times.
func unlogged(effects []trace.Effect) (out []trace.Effect) {
	for _, e := range effects {
		if e.Kind != trace.EffectLog {
			out = append(out, e)
		}
	}
	return out
}
