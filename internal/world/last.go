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
	current sim.Event
	cause   int
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
func (r *Run) LastEvent() sim.Event { return r.current }

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
