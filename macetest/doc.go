// Package macetest is the search as a part of go test: Run searches a system
// and fails the test where something is wrong with it, with an account that a
// person can read, and Replay takes the recorded path of a finding again, so
// that it does not come back.
//
//	func TestLock(t *testing.T) {
//		macetest.Run(t, lock.System, macetest.Options{})
//	}
//
//	func TestQueuedTwice(t *testing.T) {
//		macetest.Replay(t, lock.System, "testdata/queued-twice.path")
//	}
//
// A search is short, so that it may run with all other tests: some 30,000
// transitions and 300 walks, a tenth of that with -short. To look longer, say
// so for one run: -macetest.scale 100 does a hundred times as much, and
// -macetest.seed 7 takes other walks; MACETEST_SCALE and MACETEST_SEED in the
// environment do the same for tests that run other tests. A search ends before
// the test's -timeout does, and says then that it did not come to its bound.
// The same seed comes to the same, whatever -parallel and the machine; only a
// search of more than a million transitions uses as many processors as -cpu
// says.
//
// Handlers run in the process of the test. One that ends it (os.Exit, log.Fatal,
// a stack overflow, memory without end) ends all tests, without a finding: the
// command search takes runs in a process of their own, and finds it.
//
// The run of a finding is made shorter, for ten seconds at most, unless
// Options.NoShrink. One that was expected is told, and looked into, with -v only.
//
// The path of a finding is also kept in testdata/macemc beside the test, as go test
// -fuzz keeps its own: Run takes the paths there again before it searches, those of
// its system and known bugs, by what their steps are where the code has changed, and
// logs how far one goes that does not apply any more. Benchmark reports the states
// and steps of a second.
//
// Explore searches code with goroutines: what synctest.Test runs once, it runs with
// many schedules, in processes that are built with macemc's overlay of Go's runtime.
//
//	func TestQueue(t *testing.T) {
//		macetest.Explore(t, func(t *testing.T, w *macetest.World) { ... })
//	}
//
// A finding is written into a folder, where go test -artifacts has them, or else
// below the folder for temporary files, in one of the user's own, where it stays.
// The account ends with the command that takes it again: the flag
// -macetest.replay of the same test. macemc mdb ./pkg FOLDER debugs it, and macemc
// graph ./pkg FOLDER draws it; so does a program of yours that is package command:
// go run ./check mdb FOLDER.
package macetest
