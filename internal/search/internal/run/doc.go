// Package run has the one loop: it takes runs, one at a time, and evaluates every state
// that they reach: safety properties, step properties, and whether the service is
// deterministic.
//
// A [Strategy] supplies the answers of a run, and decides at each state whether the run
// continues. The result says how the run ended. [Runs] owns the worlds, the heartbeat that
// a watchdog monitors, and the limits by which a search stops. A run may begin at a [Fork],
// a saved state in the middle of another run, and may be taken twice, in [Lockstep].
//
// A run is audited if it is taken in Lockstep. A climate says whether faults may happen in a
// run, and when the environment heals. The pulse is the heartbeat of the runs of one goroutine. It
// also records their answers in a trail, which a parent process reads if this process ends.
//
// The packages above know what the runs are for.
package run
