// Package kinds has the table of the kinds of events: one row each, with the name, the
// weight, the budget, what the event touches, how reports describe it and how pictures draw
// it.
//
// A row is found by the number or the name of a kind. Texts in a row have gaps for the
// nodes and the value of an event, which the caller fills in. A new fault needs a row here,
// and code of its own in internal/world.
package kinds
