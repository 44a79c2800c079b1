package world

import (
	"macemc/choose"
	"macemc/sim"
)

// Effects are what the last step did. They are the World's own: the next step
// overwrites them.
func (t *turn) Effects() []sim.Effect { return t.effects }

// Failure makes a finding about the last step, for what the World itself
// cannot see.
func (w *World) Failure(v sim.Verdict, message string) *sim.Failure { return w.fail(v, "", message) }

// Failed is what the last step's monitors found, if anything.
func (w *World) Failed() *sim.Failure { return w.failure }

// LastIdentity is the identity of the event that the last step took.
func (w *World) LastIdentity() string { return w.identity() }

// LastEvent is the event that the last step took; zero before the first.
func (t *turn) LastEvent() sim.Event { return t.current }

// Wild reports whether the last step is one that might not be possible if the
// environment had healed before: a fault, or what only a partition brings
// about.
func (t *turn) Wild() bool {
	k := t.current.Kind
	return k.Fault() || k == sim.KindBreak || k == sim.KindRefused
}

// LastCoins are the coins that the last step has asked, where steps are
// recorded.
func (t *turn) LastCoins() []choose.Choice { return t.coins }
