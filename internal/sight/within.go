package sight

import "macemc/internal/canon"

// Inside is what package sim keeps of its values for this module alone. Values of sim are any here;
// package contract gives the functions their types.
type Inside struct {
	// Rule returns the rule of a Property or a Constraint.
	Rule func(of any) Rule
	// Rules returns the options of a walker that a System declares.
	Rules func(system any) canon.Options
	// Walker returns a walker for the values of a System. If it renames, it sums values as if
	// addresses in them were others.
	Walker func(system any, renames bool) (*canon.Walker, error)
	// Script returns an error if a node joins or leaves at a place in the script of one of its
	// lives where it cannot.
	Script func(self any, script []any, life int) error
}

// Sim is set by package sim before anything else can run.
var Sim Inside
