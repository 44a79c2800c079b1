// Package worlds searches the worlds of a test of macetest.Explore. It builds the test with
// the overlay, runs worlds in child processes, and finds the smallest tape that fails like
// a failing one.
//
// # Words
//
// A world is one run of a test with all of its goroutines, in a testing/synctest bubble. A draw
// is a question in it with several answers, such as which goroutine runs next, or how long a
// message takes. Answer 0 is the undisturbed one, and a world deviates at a draw with another
// answer. A plan determines the answers to all draws, and a tape lists the deviations of a
// world. The overlay is a set of patched files of Go's library, by which Go's runtime asks for
// these answers. See packages bubble, overlay and program.
//
// # Two processes
//
// The test that the user started is the parent, which never runs a world. A child is the
// same test, built by go test -c with the overlay. It gets a job in its environment, writes
// the result of each world into a file, and may die: a panic of a goroutine is a finding
// about the current world.
//
// A child begins with a world without deviations, since the first run of a process fills
// caches of packages. A world that fails is run twice more, each time in its own child. If
// the draws of the two runs differ, replay is not exact, and the report shows the first
// difference.
//
// # Tapes
//
// A tape is a path of package choose: one step for each instant at which a draw was not 0,
// and one coin for each such draw. Its header has the toolchain and the hash of the
// overlay.
package worlds
