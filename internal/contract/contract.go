package contract

import (
	"iter"

	"macemc/internal/canon"
	"macemc/internal/kinds"
	"macemc/internal/sight"
	"macemc/sim"
)

// Rule returns the rule of a property or a constraint, which is the form in which a runtime evaluates it.
func Rule[P sim.Property | sim.Constraint](p P) sight.Rule { return sight.Sim.Rule(p) }

// Rules returns what a system declares about its state (Opaque, Immutable and others), as the Options of a
// Walker.
func Rules(sys *sim.System) canon.Options { return sight.Sim.Rules(sys) }

// Walker returns a walker for the values of a system.
func Walker(sys *sim.System) (*canon.Walker, error) { return sight.Sim.Walker(sys, false) }

// Renamer returns a walker that computes the hashes of the system's values as if some addresses in them were
// replaced by others: see canon.Walker.Rename. The number of an address is its Index plus one.
func Renamer(sys *sim.System) (*canon.Walker, error) { return sight.Sim.Walker(sys, true) }

// CheckScript returns an error if a node's script for one of its lives has a join or a leave where it is not
// allowed.
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

// ParseKind returns the kind of event with the name s, and whether there is one.
func ParseKind(s string) (sim.Kind, bool) {
	for _, k := range Kinds() {
		if k.String() == s {
			return k, true
		}
	}
	return 0, false
}

// RowOf returns the row of a kind in the table of kinds. KindRefused has two rows; RowOf returns the one for
// TCP.
func RowOf(k sim.Kind) *kinds.Row { return kinds.Of(uint8(k), false) }

// Row returns the row of e's kind in the table of kinds. KindRefused has a row for TCP and one for
// datagrams.
func Row(e *sim.Event) *kinds.Row { return kinds.Of(uint8(e.Kind), e.Link == sim.LinkUDP) }

// FaultNames returns the names of faults that sim.ParseFaults accepts, in the order of sim.Faults.Budget,
// without "none".
func FaultNames() []string { return kinds.Budgets }

// A Layer is a node that carries another node, which it returns as Upper.
type Layer interface {
	sim.Node
	Upper() sim.Node
}

// An Offerer is a node with guarded actions.
type Offerer interface{ Offers(func(sim.Signal)) }

// An Opener is a node with a guard on the requests of its script: Opens reports whether it takes one now.
type Opener interface{ Opens(sim.Signal) bool }

// A Gatherer is a node with guarded actions that depend on messages which wait for it in its set: messages
// that were sent by sim.LinkSet and that it has not taken. Gathers calls offer for each action that is
// possible with the messages in.
type Gatherer interface {
	Gathers(in iter.Seq2[sim.Addr, sim.Message], offer func(sim.Signal))
}

// An Accepter is a node with a guard on messages: Accepts reports whether it takes one now.
type Accepter interface {
	Accepts(sim.Addr, sim.Message) bool
}

// An Envelope is a message of a layer that carries a message of the node above: body is that message, and
// envelope describes the rest.
type Envelope interface {
	Carries() (body sim.Message, envelope string)
}
