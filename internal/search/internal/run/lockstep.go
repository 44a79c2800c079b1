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

// Lockstep is two worlds of one system that get the same answers. The second one lags one step behind the
// first, so that step properties see the state before and the state after. When it has caught up, both
// worlds must be in the same state and must have done the same. If not, the service is not deterministic,
// since both worlds got the same answers.
//
// A lean Lockstep only evaluates step properties. It does not compare the worlds, and needs no second
// world as long as a [world.Past] has kept all that the properties ask for.
type Lockstep struct {
	World   *world.World // audited, if the Lockstep is not lean
	Lag     *world.World // the second world, or nil if a lean Lockstep has not needed it yet
	Steps   *world.Transition
	tape    tape
	failure *trace.Failure

	// The fields from here on are for a lean Lockstep.
	lean  bool
	past  *world.Past
	blind bool // the properties have asked for something that past does not keep
	alone bool // in this run the second world was not needed yet
	seen  int  // if alone: the first answers on the tape, this many, belong to steps that past has seen
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

// tape records the answers of the first world's steps, which the second world repeats.
type tape struct {
	choose.Source
	picks []choose.Pick
	again choose.Raw // a source for repeating some of the answers
}

// begin empties the tape. From now on the tape records the answers of src.
func (t *tape) begin(src choose.Source) { t.Source, t.picks = src, t.picks[:0] }

// repeat returns a source that repeats the recorded answers with the numbers from to to-1.
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
		if len(all) == 0 { // the text leaves out what differs
			return t.differ("two runs of the step led to different states, which read alike")
		}
		return t.differ("two runs of the step led to different states: " + t.World.Text.Describe(all[0]))
	}
	return nil
}

// repeated returns the failure to report after the second world has repeated answers of the first one, or
// nil if it asked the same questions. failed is the failure of the second world, or nil.
func (t *Lockstep) repeated(failed *trace.Failure) *trace.Failure {
	switch {
	case failed != nil && failed.Verdict == trace.VerdictGoroutine: // in the first run the goroutine may have ended before the check
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

// sees checks the step properties of a lean Lockstep without the second world: t.past shows them the state
// before the step. It then makes t.past keep the present state for the next step. It returns false if the
// second world is needed.
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

// keep stores the number of answers on the tape in t.seen, as belonging to steps that t.past has
// seen. It does nothing if the second world is in use.
func (t *Lockstep) keep() {
	if t.alone {
		t.seen = len(t.tape.picks)
	}
}

// lags gives a lean Lockstep its second world, w, and the checks of step properties that use it.
// The method blinds records that all further runs need the second world.
func (t *Lockstep) lags(w *world.World, steps *world.Transition) { t.Lag, t.Steps = w, steps }
func (t *Lockstep) blinds()                                      { t.blind = true }

// catchUp starts the second world by begin, as the first one was started, and makes it take all steps of
// the run but the last.
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

// follows makes the second world take the event that the first world has taken, if a node handles that
// event, and reports whether it did. The first answer on the tape chose the event.
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

// alike reports whether two effects are the same. It does not convert them to text, which would take
// time.
func (t *Lockstep) alike(a, b trace.Effect) bool {
	left, err := t.World.Walker().Sum(a.Value)
	right, failed := t.World.Walker().Sum(b.Value)
	a.Value, b.Value = nil, nil
	return a == b && left == right && err == nil && failed == nil
}

// effect returns effects[k] as text made by the function text. If there are no more than k effects, it
// says so.
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

// Outcome returns the outcome of the last step of w: a hash of its effects and of the state or failure
// that it led to, and the list of the effects as text.
func Outcome(w *world.World, failure *trace.Failure) (h canon.Hash, did []string) {
	did = Did(w, failure, trace.Effect.Text)
	if failure != nil {
		return canon.OfString(strings.Join(did, "\x00")), did
	}
	return canon.OfString(strings.Join(did, "\x00")).Then(w.State.Hash()), did
}

// Did returns the effects of the last step of w as texts, each made by the function told. If failure is
// not nil, its text follows at the end.
func Did(w *world.World, failure *trace.Failure, told func(trace.Effect, func(any) string) string) (did []string) {
	for _, e := range unlogged(w.Run.Effects()) {
		did = append(did, told(e, w.Walker().Text))
	}
	if failure != nil {
		did = append(did, fmt.Sprintf("%s: %s", failure.Verdict, failure.Message))
	}
	return did
}

// OutcomeAsking returns the hash that Outcome returns, combined with the numbers of sides of the step's
// coins, which a has recorded.
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
