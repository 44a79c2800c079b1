// Package run is the room of the one loop: it takes runs, one at a time, and
// evaluates every state that they reach: safety properties, step properties, the
// proof that the service is deterministic.
//
// A [Strategy] enters: it supplies the answers of a run, and says of each state
// whether the run goes on. How the run ended leaves. [Runs] owns the worlds, the
// heartbeat that a monitor feels, and the limits that everybody asks whether to
// stop. A run may begin at a [Fork], a state in the middle of another run that was
// saved, and may be taken twice, in [Lockstep].
//
// What the runs are taken for, the rooms above know.
package run
