// Package worlds searches the worlds of a test that macetest.Explore has: it builds
// the test with the overlay, takes worlds in processes of their own, and makes of one
// that fails the smallest tape that fails alike.
//
// # Two processes
//
// The test that the user started is the parent. It never takes a world. A child is
// the same test, built by go test -c with the overlay; it gets a job in its environment,
// writes what becomes of each world into a file, and may die: a panic of a goroutine is
// a finding about the world that was under way.
//
// A child begins with a world in which nothing deviates, since the first run of a
// process fills caches of packages. A world that fails is taken twice more, each time in
// a child of its own; where the draws of the two differ, replay is not exact, and the
// first difference is told.
//
// # Tapes
//
// A tape is a path of package choose: one step for each instant at which a draw was
// not 0, and one coin for each such draw. Its header has the toolchain and the hash of
// the overlay.
package worlds
