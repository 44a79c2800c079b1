package sight

import "macemc/internal/canon"

// Inside has functions of package sim that only this module may call. They take and return values of sim as
// any, since sim imports this package; package contract gives them their types.
type Inside struct {
	// Rule returns the rule of a Property or a Constraint.
	Rule func(of any) Rule
	// Rules returns the options of a walker that a System declares.
	Rules func(system any) canon.Options
	// Walker returns a walker for the values of a System. If renames is set, the walker can compute sums in
	// which addresses are replaced by others.
	Walker func(system any, renames bool) (*canon.Walker, error)
	// Script returns an error if a script has a join or a leave at a place where it is not allowed.
	Script func(self any, script []any, life int) error
}

// Sim has the functions of package sim, which sets it when it is initialized.
var Sim Inside
