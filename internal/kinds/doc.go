// Package kinds is the room of what the kinds of events have of their own: one
// row each, in one table, with the name, the weight, the budget, what the event
// touches, how it is said and how it is drawn.
//
// In goes a number of sim's, or the name of a kind; out comes its row. The table
// knows no event: what is said of one stands here with gaps for its nodes and its
// value, and whoever has the event fills them in. A new fault is a row here, and
// its own code in internal/world.
package kinds
