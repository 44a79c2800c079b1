// Package macetest makes a search a part of go test. Run searches a system, and fails the
// test with a readable report if it finds a failure. Replay repeats the recorded path of a
// finding, so that the bug does not come back.
//
//	func TestLock(t *testing.T) {
//		macetest.Run(t, lock.System, macetest.Options{})
//	}
//
//	func TestQueuedTwice(t *testing.T) {
//		macetest.Replay(t, lock.System, "testdata/queued-twice.path")
//	}
//
// # How long it takes
//
// A search is short, so that it can run with all other tests: about 30,000 transitions and
// 300 walks, or a tenth of that with -short. For one longer run, -macetest.scale 100 does a
// hundred times as much, and -macetest.seed 7 takes other walks; the environment variables
// MACETEST_SCALE and MACETEST_SEED do the same for tests that run other tests. A search
// ends before the -timeout of the test, and then reports that it did not reach its bound. A
// seed always gives the same result, whatever -parallel and the machine. Only a search of
// more than a million transitions uses several processors; -cpu is their number.
//
// Handlers run in the process of the test. A handler that ends it (by os.Exit, log.Fatal, a
// stack overflow, or all memory) ends all tests without a finding. The command macemc
// search takes runs in a child process, and reports such a handler.
//
// # Findings
//
// The run of a finding is shortened, for at most ten seconds, unless Options.NoShrink is
// set. An expected finding is analyzed and reported only with -v.
//
// The path of a finding is also kept in testdata/macemc beside the test, as go test -fuzz
// keeps its inputs. Run first replays the paths there that are of its system and known
// bugs. If the code has changed, it follows the identities of the steps, and logs how far a
// path goes that does not fit any more.
//
// Findings are written into a folder: where go test -artifacts keeps such files, or else in
// a folder of the user below the folder for temporary files, where they stay. The report
// ends with the command that repeats the run, which is the flag -macetest.replay of the
// same test. The command macemc mdb ./pkg FOLDER debugs it, and macemc graph ./pkg FOLDER
// draws it. A program of yours that calls package command does the same: go run ./check mdb
// FOLDER.
//
// # Goroutines
//
// Explore searches code with goroutines: what synctest.Test runs once, it runs with many
// schedules, in processes built with macemc's overlay of Go's runtime.
//
//	func TestQueue(t *testing.T) {
//		macetest.Explore(t, func(t *testing.T, w *macetest.World) { ... })
//	}
package macetest
