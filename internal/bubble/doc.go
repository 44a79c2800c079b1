// Package bubble runs one function in a testing/synctest bubble whose draws are
// answered by a tape.
//
// Go's runtime draws in a bubble for the order of select cases, for maps, for
// random numbers, for timers of one instant, and, under macemc's overlay (patched files
// of that runtime), for which goroutine runs next and whether one pauses before a
// channel operation or a lock. A draw is one such question with its answer. A
// [Plan] says how each draw is answered: by a seed, or as in an earlier run. A
// [Record] has every draw that was asked for, with goroutine and place. With one P,
// and without garbage collection in a run, the draws determine the run.
//
// # Words
//
// A step is an instant of the bubble's clock. A draw is known by its key: by the goroutine
// that draws, the kind, and how many draws of the kind the goroutine made before. A
// goroutine in turn is known by the one that started it, and by how many that one had
// started. So a change of one draw leaves the keys of all others, whatever it does to
// their time and order.
//
// Answer 0 of a draw is what happens when nothing deviates: cases in their order,
// the goroutine that became ready last runs next, nobody pauses. A life is the
// goroutines that began under one number, and those that they started; a life that
// is killed is never scheduled again.
//
// Without the overlay, which [Exact] reports, only the draws of the simulated host
// are answered by the plan, and replay is not exact.
package bubble
