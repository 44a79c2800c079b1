// Package work divides the work of a search into units, and adds up their outcomes.
//
// A [Unit] is a range of numbers: walks from the start, walks that answer a question of a
// lab, states of a level. The [Outcome] of a unit depends on these numbers and on the state
// that all hands shared before the first unit, and never on the hand that took it. So the
// outcomes can be added up in the order of the numbers, and the sum is the same for any
// number of hands. A [Pool] distributes the units among hands of this process.
//
// [Stats] are returned and added. They are never saved to be restored later: counts that are
// not wanted are not added.
package work
