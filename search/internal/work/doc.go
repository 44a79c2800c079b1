// Package work divides what a search has to do into units, and adds up what they came to.
//
// A [Unit] is a range of numbers: walks from the start, walks that answer a question of a
// lab, states of a level. What a unit comes to, its [Outcome], depends on these numbers and
// on what every hand knew before the first unit, and never on the hand that took it. So the
// outcomes can be added up in the order of the numbers, whoever took them, and the sum is the
// same for any number of hands. A [Pool] is the driver that has its hands in this process.
//
// [Stats] are returned and added. Nothing saves them to restore them later: what is not to
// count is not added.
package work
