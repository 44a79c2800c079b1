package contract

import (
	"iter"

	"macemc/internal/canon"
	"macemc/internal/kinds"
	"macemc/internal/sight"
	"macemc/sim"
)

// Rule returns a property, or a constraint, in the form that a runtime uses.
func Rule[P sim.Property | sim.Constraint](p P) sight.Rule { return sight.Sim.Rule(p) }

// Rules returns the system's declarations about its state (Opaque, Immutable and others), as options of
// a walker.
func Rules(sys *sim.System) canon.Options { return sight.Sim.Rules(sys) }

// Walker returns a walker for the system's values.
func Walker(sys *sim.System) (*canon.Walker, error) { return sight.Sim.Walker(sys, false) }

// Renamer returns a walker for the system's values that computes their sums as if some addresses in them were
// replaced by others: see canon.Walker.Rename. The number of an address is its Index plus one.
func Renamer(sys *sim.System) (*canon.Walker, error) { return sight.Sim.Walker(sys, true) }

// CheckScript returns an error if a script has a join or a leave at a place where it is not allowed.
func CheckScript(self sim.Addr, script []sim.Signal, life int) error {
	return sight.Sim.Script(self, script, life)
}

// Kinds returns all kinds of events, in canonical order.
func Kinds() (all []sim.Kind) {
	for k := sim.KindScript; k <= sim.KindHeal; k++ {
		all = append(all, k)
	}
	return all
}

// ParseKind returns the kind whose String is s.
func ParseKind(s string) (sim.Kind, bool) {
	for _, k := range Kinds() {
		if k.String() == s {
			return k, true
		}
	}
	return 0, false
}

// RowOf returns the kind's row in the table of kinds. For KindRefused, which has two rows, it is the one
// for TCP.
func RowOf(k sim.Kind) *kinds.Row { return kinds.Of(uint8(k), false) }

// Row returns the row of the event's kind in the table of kinds.
func Row(e *sim.Event) *kinds.Row { return kinds.Of(uint8(e.Kind), e.Link == sim.LinkUDP) }

// FaultNames returns the names that sim.ParseFaults accepts, except "none", in the order of
// sim.Faults.Budget.
func FaultNames() []string { return kinds.Budgets }

// A Layer is a node that carries another one.
type Layer interface {
	sim.Node
	Upper() sim.Node
}

// An Offerer is a node with guarded actions.
type Offerer interface{ Offers(func(sim.Signal)) }

// An Opener is a node with a guard on its script.
type Opener interface{ Opens(sim.Signal) bool }

// A Gatherer is a node with guarded actions that depend on the messages in its Set.
type Gatherer interface {
	Gathers(in iter.Seq2[sim.Addr, sim.Message], offer func(sim.Signal))
}

// An Accepter is a node with guards on messages.
type Accepter interface {
	Accepts(sim.Addr, sim.Message) bool
}

// An Envelope is a message of a layer that carries a message of the node above.
type Envelope interface {
	Carries() (body sim.Message, envelope string)
}
