package world

import (
	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/disk"
	"macemc/macetime"
	"macemc/netsim"
	"macemc/sim"
)

// Run is how far the run is, and the step that is running, or the last one: who runs,
// on what event, by which answers, and what that did. A step begins the latter anew.
type Run struct {
	*setting
	timers *timers

	step    int // how many were taken
	failure *sim.Failure
	err     error
	trace   sim.Trace

	asking
	acting  sim.Addr
	current happening     // zero in a start
	named   string        // the identity of current, where a handler could change it; "": it cannot
	given   netsim.Packet // what the handler was given, where it is audited
	handed  []canon.Hash  // by effect, where it is audited: its value, as it was handed over; zero: it has none
	running *env
	hook    string // what else of the system is asked, where it is known
	calls   int
	unwound bool // by runtime.Goexit

	effects  []sim.Effect
	clocked  []clocked // which of them are about timers
	spent    []int     // by node: the room in the buffer to it that this step has used
	spending bool      // some of it is not 0
	ticking  bool      // the node's clock is the step's own

	began macetime.Time // when the handler began, once that matters

	unstored *disk.Disk // the node's, before the step
	stored   []stored   // and after each effect that changed it

	facts []sim.Fact
}

// Effects are what the last step did. They are the World's own: the next step
// overwrites them.
func (r *Run) Effects() []sim.Effect { return r.effects }

// Failure makes a finding about the last step, for what the World itself
// cannot see.
func (r *Run) Failure(v sim.Verdict, message string) *sim.Failure { return r.fail(v, "", message) }

// Failed is what the last step's monitors found, if anything.
func (r *Run) Failed() *sim.Failure { return r.failure }

// LastIdentity is the identity of the event that the last step took.
func (r *Run) LastIdentity() string { return r.identity() }

// LastEvent is the event that the last step took; zero before the first.
func (r *Run) LastEvent() sim.Event { return r.current.Event }

// Wild reports whether the last step is one that might not be possible if the
// environment had healed before: a fault, or what only a partition brings
// about.
func (r *Run) Wild() bool {
	k := r.current.Kind
	return k.Fault() || k == sim.KindBreak || k == sim.KindRefused
}

// LastCoins are the coins that the last step has asked, where steps are
// recorded.
func (r *Run) LastCoins() []choose.Choice { return r.coins }

// start forgets the run that was.
func (r *Run) start(src choose.Source) {
	r.forget()
	r.source = src
	r.step, r.current, r.acting = 0, happening{}, sim.Addr{}
	r.trace = sim.Trace{}
}

// forget leaves nothing of the last step: the world is put where another run was.
func (r *Run) forget() {
	r.failure, r.err = nil, nil
	r.running, r.effects = nil, r.effects[:0]
}

// begin makes room for another step. Its event is written to where it will stay.
func (r *Run) begin() *happening {
	r.current = happening{}
	if r.named != "" {
		r.named = ""
	}
	r.calls, r.effects, r.clocked, r.tossed, r.ticking, r.began = 0, r.effects[:0], r.clocked[:0], false, false, macetime.Time{}
	r.handed = r.handed[:0]
	if r.spending {
		clear(r.spent)
		r.spending = false
	}
	if r.tracing {
		r.coins, r.facts = nil, nil
	}
	return &r.current
}

// heal makes that the step that was taken last.
func (r *Run) heal() {
	r.step++
	h := r.begin()
	h.Kind, h.cause, r.acting = sim.KindHeal, -1, sim.Addr{}
}

// record appends the step that has just run to the trace.
func (r *Run) record(i int) {
	s := sim.Step{
		Index: r.step, Node: addrOf(i), Event: r.current.Event, Identity: r.identity(), Cause: int(r.current.cause),
		Coins: r.coins, Facts: r.facts, Effects: append([]sim.Effect{}, r.effects...),
	}
	if r.current.Kind == 0 {
		r.trace.Starts = append(r.trace.Starts, s)
	} else {
		r.trace.Steps = append(r.trace.Steps, s)
	}
}

// recordCut appends the step that the service failed within, if it did.
func (r *Run) recordCut() {
	if !r.tracing || r.failure == nil {
		return
	}
	all := &r.trace
	switch n := len(all.Steps); {
	case r.current.Kind != 0 && (n == 0 || all.Steps[n-1].Index != r.step):
		r.record(r.acting.Index())
		all.Steps[n].Cut, all.Steps[n].Possible = true, r.question.N
	case r.current.Kind == 0 && !r.acting.IsZero() && len(all.Starts) <= r.acting.Index():
		r.record(r.acting.Index())
		all.Starts[len(all.Starts)-1].Cut = true
	}
}

// identity is the identity of the event that is running.
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
	return r.timers.text(r.current.Event)
}

// fail makes a failure of the step that is running.
func (r *Run) fail(v sim.Verdict, property, message string) *sim.Failure {
	return &sim.Failure{
		Verdict: v, Property: property, Message: message,
		Node: r.acting, Identity: r.identity(), Step: r.step,
	}
}

// stop ends the run with a failure, from wherever a handler is.
func (r *Run) stop(f *sim.Failure) {
	r.failure = f
	panic(stopRun{})
}

// gave notes the message that is about to be delivered.
func (r *Run) gave(p netsim.Packet) {
	if r.auditing {
		r.given = p
	}
}

// Err is why the run stopped without a failure: the source's refusal, or
// something that this build cannot do.
func (r *Run) Err() error { return r.err }

// Steps is the number of steps taken since Start.
func (r *Run) Steps() int { return r.step }

// Trace is the record of the run, if Config asked for it. It is the World's
// own: Start empties it.
func (r *Run) Trace() *sim.Trace { return &r.trace }

// Unwound reports whether the last failure ended the goroutine of the run:
// Protect did not return.
func (r *Run) Unwound() bool { return r.unwound }

// Tossed reports whether the last step asked a coin that has rare sides: its
// answers depend on the budget that is left.
func (r *Run) Tossed() bool { return r.tossed }
