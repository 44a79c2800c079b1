package world

import (
	"slices"

	"macemc/choose"
	"macemc/internal/handler"
	"macemc/internal/sight"
	"macemc/internal/state"
	"macemc/macetime"
	"macemc/netsim"
	"macemc/sim"
	"macemc/trace"
)

// Run has the number of steps of the run, and the current or last step: its node, its
// event, its answers and its effects. A new step replaces all of these but the number,
// which grows.
type Run struct {
	*setting
	timers *timers

	step    int  // the number of steps taken
	lost    bool // the number of steps is not known, since the world was set to some state
	failure *trace.Failure
	trace   trace.Trace

	asking
	did     handler.Step // the effects of the handler
	acting  sim.Addr
	current happening       // the event of the step; zero in a start
	given   any             // a copy of the value of current from before the handler, which could change it; nil if there is none
	named   string          // the identity of current, if its value could not be copied
	took    []netsim.Origin // the origins of the messages that current took, the last first
	copy    int32           // the number of the message that the step copied
	unwound bool            // the handler called runtime.Goexit
	spent   []int           // the budgets that faults of the step spent
	cooled  uint64          // the properties made by Cools whose monitor was cold after a fact of this step

	ticking bool          // the node's clock was copied for this step
	began   macetime.Time // when the handler began, once that is needed
}

// Effects returns the effects of the last step. The next step overwrites the slice.
func (r *Run) Effects() []trace.Effect { return r.did.Effects() }

// Failure makes a failure of the last step, for a caller that has noticed something which the World itself
// cannot see.
func (r *Run) Failure(v trace.Verdict, message string) *trace.Failure { return r.fail(v, "", message) }

// Failed returns the failure of the last step, such as one that a monitor found, or nil.
func (r *Run) Failed() *trace.Failure { return r.failure }

// LastIdentity returns the identity of the event that the last step took.
func (r *Run) LastIdentity() string { return r.identity() }

// LastEvent returns the event that the last step took; zero before the first.
func (r *Run) LastEvent() sim.Event { return r.current.Event }

// Cooled reports whether, at some time in the last step, the k-th monitor in the list that Judge.Cools
// returns did not wait for anything. Such a monitor is called hot while it waits, and else cold. It may have
// become hot again in the same step.
func (r *Run) Cooled(k int) bool { return r.cooled>>k&1 == 1 }

// cools records that the k-th monitor in the list that Judge.Cools returns did not wait for
// anything after a fact of this step.
func (r *Run) cools(k int) { r.cooled |= 1 << k }

// LastCause returns the step that led to the event of the last step, or -1, as Events.Caused does.
func (r *Run) LastCause() int { return int(r.current.cause) }

// Acting returns the node whose handler runs, or ran last.
func (r *Run) Acting() sim.Addr { return r.acting }

// Wild reports whether the last step might be impossible if the environment had healed before: it is a fault,
// or an event that only a partition causes.
func (r *Run) Wild() bool {
	k := r.current.Kind
	return k.Fault() || k == sim.KindBreak || k == sim.KindRefused
}

// LastCoins returns the coins that the last step has asked, if steps are recorded.
func (r *Run) LastCoins() []choose.Choice { return r.coins }

// stand makes the run begin anew if step is 0. Otherwise it makes the run continue as if it had
// taken this number of steps.
func (r *Run) stand(step int) {
	r.forget()
	r.step, r.lost, r.current, r.acting = step, false, happening{}, sim.Addr{}
	r.trace = trace.Trace{Byzantine: r.bad}
}

// resume sets the number of steps to that of a point in the middle of the run.
func (r *Run) resume(step int) { r.step, r.lost = step, false }

// lose clears the run, because the world was set to a state of some other run: the number
// of steps is then unknown.
func (r *Run) lose() {
	r.forget()
	r.lost = true
}

// forget clears the last step, because the world was set to a state of another run.
func (r *Run) forget() {
	r.pardon()
	r.goesOn()
	r.did.Forget()
}

// begin prepares for another step.
func (r *Run) begin() {
	r.current = happening{}
	if r.named != "" {
		r.named = ""
	}
	if r.given != nil {
		r.given = nil
	}
	r.took, r.spent, r.copy, r.cooled = r.took[:0], r.spent[:0], 0, 0
	r.ticking, r.began = false, macetime.Time{}
	r.did.Begin()
	r.begins()
}

// beginStart begins the start of a node.
func (r *Run) beginStart(i int) {
	r.begin()
	r.current, r.acting = happening{spot: spot{cause: -1}}, state.AddrOf(i)
}

// next begins the next step, and returns the place to which the caller writes its event.
func (r *Run) next() *happening {
	r.step++
	r.begin()
	return &r.current
}

// acts sets the acting node to the node of the event.
func (r *Run) acts() { r.acting = r.current.Node }

// heal makes healing the last step.
func (r *Run) heal() {
	r.step++
	r.begin()
	r.current, r.acting = happening{sim.Event{Kind: sim.KindHeal}, spot{cause: -1}}, sim.Addr{}
}

// gives records was, a copy of the value of the event that is about to be handled, since the
// handler may change the value. If there is a value but was is nil, because it cannot be copied,
// gives records the identity of the event instead.
func (r *Run) gives(was any) {
	if r.given = was; was == nil && r.current.Value != nil {
		r.named = r.timers.text(r.current.Event)
	}
}

// ticks records that the step changes the clock of its node, and reports whether this is its first
// change.
func (r *Run) ticks() (first bool) {
	first, r.ticking = !r.ticking, true
	return first
}

// beganAt returns the time at which the handler began.
func (r *Run) beganAt(c *macetime.Clock) macetime.Time {
	if r.began.IsZero() {
		r.began = c.Read()
	}
	return r.began
}

// takes records a message that the event took from its link.
func (r *Run) takes(o netsim.Origin) { r.took = append(r.took, o) }

// spends records that the step has taken a fault, which has spent one of the k-th budget.
func (r *Run) spends(k int) { r.spent = append(r.spent, k) }

// copies records a message that the event copied, and the number of the copy.
func (r *Run) copies(o netsim.Origin, number int32) {
	r.takes(o)
	r.copy = number
}

// record appends the step that has just run at node i to the trace. lost has the numbers of the messages that
// were lost because the step ended their connections.
func (r *Run) record(i int, lost []int32) {
	s := trace.Step{
		Index: r.step, Node: state.AddrOf(i), Event: r.current.Event, Identity: r.identity(), Causes: r.current.causes(),
		Copy: int(r.copy), Coins: r.coins, Facts: r.did.Facts(), Effects: append([]trace.Effect{}, r.Effects()...), Possible: r.possible(),
		Spent: slices.Clone(r.spent),
	}
	for _, o := range slices.Backward(r.took) {
		s.Took = append(s.Took, int(o.Number))
	}
	if len(r.took) > 1 {
		s.Causes = nil
		for _, o := range slices.Backward(r.took) {
			s.Causes = append(s.Causes, int(o.Step))
		}
	}
	for _, number := range lost {
		s.Lost = append(s.Lost, int(number))
	}
	if r.current.Kind == 0 {
		r.trace.Starts = append(r.trace.Starts, s)
	} else {
		r.trace.Steps = append(r.trace.Steps, s)
	}
}

// possible returns the number of events among which the step was chosen, or 0 if it was not chosen.
func (r *Run) possible() int {
	if r.current.Kind == 0 || r.current.Kind == sim.KindHeal {
		return 0
	}
	return r.question.N
}

// recordCut appends the running step to the trace if the service failed in it.
func (r *Run) recordCut(lost []int32) {
	if !r.tracing || r.failure == nil {
		return
	}
	all := &r.trace
	switch n := len(all.Steps); {
	case r.current.Kind != 0 && (n == 0 || all.Steps[n-1].Index != r.step):
		r.record(r.acting.Index(), lost)
		all.Steps[n].Cut = true
	case r.current.Kind == 0 && !r.acting.IsZero() && len(all.Starts) <= r.acting.Index():
		r.record(r.acting.Index(), lost)
		all.Starts[len(all.Starts)-1].Cut = true
	}
}

// identity returns the identity of the event that is running.
func (r *Run) identity() string {
	if r.current.Kind == 0 {
		if r.acting.IsZero() {
			return ""
		}
		return r.acting.String() + " start"
	}
	if r.named != "" {
		return r.named
	}
	e := r.current.Event
	if r.given != nil {
		e.Value = r.given
	}
	return r.timers.text(e)
}

// fail returns a failure of the running step.
func (r *Run) fail(v trace.Verdict, property, message string) *trace.Failure {
	return &trace.Failure{
		Verdict: v, Property: property, Message: message,
		Node: r.acting, Identity: r.identity(), Step: r.step,
	}
}

// stop ends the run with a failure. It may be called in a handler.
func (r *Run) stop(f *trace.Failure) {
	r.pardon()
	r.finds(f)
	panic(stopRun{})
}

// unsafe returns the failure of the step for a property that does not hold.
func (r *Run) unsafe(c *sight.Check) *trace.Failure {
	f := r.fail(trace.VerdictSafety, c.Name, "")
	f.Message = c.Explained()
	return f
}

// ends stops the run with a failure of the step.
func (r *Run) ends(v trace.Verdict, property, message string) { r.stop(r.fail(v, property, message)) }

// finds records a failure unless there is one already, and returns the recorded one.
func (r *Run) finds(f *trace.Failure) *trace.Failure {
	if r.failure == nil {
		r.failure = f
	}
	return r.failure
}

// pardon clears the recorded failure, so that the run can go on.
func (r *Run) pardon() { r.failure = nil }

// unwinds records that the goroutine of the run ends because of f.
func (r *Run) unwinds(f *trace.Failure) {
	r.pardon()
	r.finds(f)
	r.unwound = true
}

// Err returns the reason why the run stopped without a failure: the source refused to answer, or this build
// does not support something.
func (r *Run) Err() error { return r.err }

// Steps returns the number of steps taken since Start.
func (r *Run) Steps() int { return r.step }

// Trace returns the record of the run, if Config asked for one. It belongs to the World: Start clears it.
func (r *Run) Trace() *trace.Trace { return &r.trace }

// Unwound reports whether the last failure ended the goroutine of the run, so that Protect did not return.
func (r *Run) Unwound() bool { return r.unwound }

// Tossed reports whether the last step asked a coin (a choice within the step) with rare sides. The rare
// sides are possible only while their budget lasts, so the same step may have other answers when less of the
// budget is left.
func (r *Run) Tossed() bool { return r.tossed }
