// Package walk is the room of random runs: what each of them is to be, and how it
// goes. A [Strategy] makes the [Plan] of a walk from its number alone: who picks
// its events (a [Picker]), how its storm goes and when it heals, where it begins,
// and how long it may take. A [Walk] carries a plan out, as a strategy of the one
// loop, and says how it went.
//
// To add a way of walking, write a Strategy, and a Picker if events are to be picked
// otherwise than by weight. Neither may depend on time, on who takes the walk, or on
// walks before it: then one seed gives one finding, whatever the number of workers.
//
// Who takes walks, how many, and what is made of their ends, search says.
package walk
